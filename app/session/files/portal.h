#pragma once
// The desktop's file dialog, through its portal: org.freedesktop.portal.FileChooser on the session
// bus.

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace maskscope {

// A request for a path, which a file dialog shows.
struct FileQuestion {
    std::string title;
    std::filesystem::path at;             // the initial folder, or a file, which may not exist
    std::vector<std::string> extensions;  // such as {".json"}, to list no others; empty: all
    bool saves = false;                   // true: the file need not exist
    std::string parent{};  // the window that the dialog belongs to, for portals: "x11:" and its id
                           // in hexadecimal digits; "" = unknown
};

// Returns patterns for extensions: "*.json *.npz"; "*" if there are no extensions.
std::string patterns(const std::vector<std::string>& extensions);

class Portal {
public:
    // Returns the address of the session bus: $DBUS_SESSION_BUS_ADDRESS, or if that is not set, the
    // address of the socket in $XDG_RUNTIME_DIR; "" if there is none.
    static std::string bus();

    Portal();
    ~Portal();
    Portal(const Portal&) = delete;
    Portal& operator=(const Portal&) = delete;

    // Shows the dialog and waits until it closes. Do not call it in the window's thread. Returns
    // the chosen path, or "" if none was chosen; nullopt if no portal answered within a few
    // seconds.
    std::optional<std::string> ask(const FileQuestion& question);
    // Ends ask() from another thread, and closes the dialog.
    void stop();

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace maskscope
