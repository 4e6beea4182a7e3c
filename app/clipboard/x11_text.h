#pragma once
// The text that another program holds in the clipboard. GLFW waits for it without an end.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

struct xcb_connection_t;

namespace maskscope {

class X11Text {
public:
    X11Text();
    ~X11Text();
    X11Text(const X11Text&) = delete;
    X11Text& operator=(const X11Text&) = delete;

    // The window's own text is the clipboard now: it cannot answer while it asks.
    void owned();
    // In UTF-8; "" if nobody holds text. Nothing: it is the window's own, or there is no X server.
    // Throws WorkError if the owner says nothing for so long, or its text is very long.
    std::optional<std::string> read(std::chrono::milliseconds within);

private:
    xcb_connection_t* server_;
    std::uint32_t clipboard_ = 0, own_ = 0;  // an atom, and a window
};

}  // namespace maskscope
