#pragma once
// Owns the selection CLIPBOARD of the X server, and reads it from other programs.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "app/clipboard/clipboard.h"

struct xcb_connection_t;

namespace maskscope {

// Owns the selection CLIPBOARD of the X server, as the ICCCM requires: the pasting program asks the
// owner. Answers in a thread with its own connection, so that a busy window does not delay it. Uses
// XCB rather than Xlib: in Xlib an error, such as that of a program that ends while it pastes, ends
// the process unless a handler is installed, and GLFW removes any.
class X11Owner {
public:
    X11Owner();  // throws WorkError if there is no X server
    // Lets a pasting program finish, and a clipboard manager take over, within two seconds.
    ~X11Owner();
    X11Owner(const X11Owner&) = delete;
    X11Owner& operator=(const X11Owner&) = delete;

    void offer(std::vector<ClipboardContent> kinds);
    bool lost() const { return lost_; }  // true if the server is gone

private:
    void serve();
    void wake() const;

    xcb_connection_t* server_ = nullptr;
    int wake_ = -1;  // eventfd
    std::mutex mutex_;
    std::optional<std::vector<ClipboardContent>> next_;  // guarded by mutex_
    std::atomic<bool> ends_ = false, lost_ = false;
    std::thread thread_;
};

// Reads the text that another program holds in the clipboard. Unlike GLFW, it does not wait for
// ever.
class X11Text {
public:
    X11Text();
    ~X11Text();
    X11Text(const X11Text&) = delete;
    X11Text& operator=(const X11Text&) = delete;

    // Call when the window's own text becomes the clipboard: read() then does not ask, because the
    // window cannot answer while it waits for an answer.
    void owned();
    // Returns UTF-8; "" if no program holds text; nullopt if the window itself holds it, or there
    // is no X server. Throws WorkError if the owner does not answer within this time, or its text
    // is too long.
    std::optional<std::string> read(std::chrono::milliseconds within);

private:
    xcb_connection_t* server_;
    std::uint32_t clipboard_ = 0, own_ = 0;  // X11: an atom, and a window
};

}  // namespace maskscope
