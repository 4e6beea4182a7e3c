#pragma once
// Whether text can be pasted: GLFW waits for the owner of the clipboard, and without an end.

#include <chrono>
#include <cstdint>

struct xcb_connection_t;

namespace maskscope {

class X11Text {
public:
    X11Text();  // without an X server everything answers
    ~X11Text();
    X11Text(const X11Text&) = delete;
    X11Text& operator=(const X11Text&) = delete;

    // The window's own text is the clipboard now: it cannot answer while it asks.
    void owned();
    // Asks the owner for its types. False if it says nothing for so long.
    bool answers(std::chrono::milliseconds within);

private:
    xcb_connection_t* server_;
    std::uint32_t clipboard_ = 0, own_ = 0;  // an atom, and a window
};

}  // namespace maskscope
