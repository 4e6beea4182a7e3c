#pragma once
// The desktop's own dialog for choosing a file: the portal's, or if there is no portal, zenity or
// kdialog as a child process. The window does not wait for it.

#include <functional>
#include <optional>
#include <string>

#include "app/session/files/portal.h"
#include "core/threads/background_work.h"

namespace maskscope {

class SystemDialog {
public:
    // True if there may be a dialog: there is a session bus, or zenity or kdialog is on PATH.
    static bool may_exist();

    // wake: called from a worker when the dialog closes; may be empty
    SystemDialog(FileQuestion question, std::function<void()> wake);
    ~SystemDialog();  // closes the dialog
    SystemDialog(const SystemDialog&) = delete;
    SystemDialog& operator=(const SystemDialog&) = delete;

    // Returns the chosen path after the dialog has closed, or "" if none was chosen; nullopt
    // before.
    std::optional<std::string> answer();
    // True after the answer if there was no dialog to show: no portal answered, and no program is
    // on PATH.
    bool is_missing() const { return missing_; }
    // True if the dialog itself asks before an existing file is chosen: portals do.
    bool asks_to_replace() const { return !missing_ && child_ == 0; }

private:
    void start_program();

    FileQuestion question_;
    std::function<void()> wake_;
    Portal portal_;
    bool missing_ = false;
    int child_ = 0, output_ = -1;
    std::optional<std::string> answer_;
    BackgroundWork asking_;  // last: it uses the members above
};

}  // namespace maskscope
