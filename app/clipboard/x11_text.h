#pragma once
// Reads the text that another program holds in the clipboard. GLFW would wait for it for ever.

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

    // Call when the window's own text becomes the clipboard: it cannot answer while it asks.
    void owned();
    // Returns UTF-8; "" if no program holds text; nullopt if the window itself holds it, or there
    // is no X server. Throws WorkError if the owner does not answer within this time, or its text
    // is too long.
    std::optional<std::string> read(std::chrono::milliseconds within);

private:
    xcb_connection_t* server_;
    std::uint32_t clipboard_ = 0, own_ = 0;  // an atom, and a window
};

}  // namespace maskscope
