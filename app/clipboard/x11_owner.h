#pragma once
// Owns the selection CLIPBOARD of the X server, as the ICCCM requires: the pasting program asks the
// owner.

#include <atomic>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "app/clipboard/clipboard.h"

struct xcb_connection_t;

namespace maskscope {

// Answers in a thread with its own connection, whatever the window does. Uses XCB rather than Xlib:
// in Xlib an error, such as that of a program that ends while it pastes, ends the process unless a
// handler is installed, and GLFW removes any.
class X11Owner {
public:
    X11Owner();  // throws WorkError if there is no X server
    // Lets a pasting program finish, and a clipboard manager take over, within two seconds.
    ~X11Owner();
    X11Owner(const X11Owner&) = delete;
    X11Owner& operator=(const X11Owner&) = delete;

    void offer(std::vector<ClipboardContent> kinds);
    bool lost() const { return lost_; }  // the server is gone

private:
    void serve();
    void wake() const;

    xcb_connection_t* server_ = nullptr;
    int wake_ = -1;  // eventfd
    std::mutex mutex_;
    std::optional<std::vector<ClipboardContent>> next_;  // under mutex_
    std::atomic<bool> ends_ = false, lost_ = false;
    std::thread thread_;
};

}  // namespace maskscope
