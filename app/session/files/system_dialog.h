#pragma once
// The desktop's own dialog for choosing a file, if there is one: zenity or kdialog, as a child
// process that the window does not wait for.

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/threads/background_work.h"

namespace maskscope {

class SystemDialog {
public:
    // Returns the program on PATH that shows it: "zenity", "kdialog", or "" if there is neither.
    static std::string program();

    struct Options {
        std::string program;  // as from program()
        std::string title;
        std::filesystem::path at;             // the initial folder, or a file that may not exist
        std::vector<std::string> extensions;  // {".json"}: others are not listed; empty: all are
        bool saves = false;                   // true: the file need not exist
        std::function<void()> wake{};         // called from a worker when it closes
    };
    explicit SystemDialog(const Options& options);
    ~SystemDialog();  // closes it
    SystemDialog(const SystemDialog&) = delete;
    SystemDialog& operator=(const SystemDialog&) = delete;

    // Returns the chosen path once it has closed, or "" if none was chosen; nullopt before.
    std::optional<std::string> answer();

private:
    int child_ = 0, output_ = -1;
    std::string answer_;
    BackgroundWork reading_;
};

}  // namespace maskscope
