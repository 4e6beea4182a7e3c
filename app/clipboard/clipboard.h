#pragma once
// Offers pictures to other programs, as several types at once, beside text.

#include <memory>
#include <string>
#include <vector>

namespace maskscope {

// The same thing as one MIME type: "image/png" and its bytes.
struct Offered {
    std::string type, bytes;
};

class X11Owner;

// The clipboard of the desktop. Wayland gives it only to the window that has the keyboard, so
// wl-copy holds it there, with the first type only. Elsewhere the program itself holds it as long
// as it runs, in a thread, and asks a clipboard manager to keep it after that.
class PictureClipboard {
public:
    PictureClipboard();
    ~PictureClipboard();
    PictureClipboard(const PictureClipboard&) = delete;
    PictureClipboard& operator=(const PictureClipboard&) = delete;

    // kinds: at least one, the best first. Throws WorkError if there is no clipboard.
    void offer(std::vector<Offered> kinds);

private:
    std::unique_ptr<X11Owner> x11_;  // since the first offer
};

}  // namespace maskscope
