#pragma once
// What other programs may paste beside text: pictures, as several types at once.

#include <memory>
#include <string>
#include <vector>

namespace maskscope {

// The same thing as one MIME type: "image/png" and its bytes.
struct Offered {
    std::string type, bytes;
};

class X11Owner;

// The clipboard of the desktop. On Wayland, which gives it only to the window that has the
// keyboard, wl-copy holds it, with the first type alone; else the program itself, in a thread of
// its own, as long as it runs: a clipboard manager is asked to keep it after that.
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
