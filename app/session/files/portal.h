#pragma once
// The desktop's file dialog by its portal: org.freedesktop.portal.FileChooser on the session bus.

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace maskscope {

// A question that a file dialog asks.
struct FileQuestion {
    std::string title;
    std::filesystem::path at;             // the initial folder, or a file that may not exist
    std::vector<std::string> extensions;  // {".json"}: others are not listed; empty: all are
    bool saves = false;                   // true: the file need not exist
};

// Returns "*.json *.npz".
std::string patterns(const std::vector<std::string>& extensions);

class Portal {
public:
    // Returns the address of the session bus: $DBUS_SESSION_BUS_ADDRESS, else that of the socket in
    // $XDG_RUNTIME_DIR; "" if there is none.
    static std::string bus();

    Portal();
    ~Portal();
    Portal(const Portal&) = delete;
    Portal& operator=(const Portal&) = delete;

    // Shows the dialog and waits until it closes: not in the window's thread. Returns the chosen
    // path, or "" if none was chosen; nullopt if no portal answered within seconds.
    std::optional<std::string> ask(const FileQuestion& question);
    // Ends ask() from another thread, and closes the dialog.
    void stop();

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace maskscope
