#pragma once
// Offers pictures and text to other programs, as several types at once.

#include <memory>
#include <string>
#include <vector>

namespace maskscope {

// The copied data as one MIME type: "image/png" and its bytes.
struct ClipboardContent {
    std::string type, bytes;
};

class X11Owner;

// The desktop's clipboard. Wayland gives it only to the window that has the keyboard focus, so
// there wl-copy, if it is installed, holds the data, and only the first type. Otherwise a thread of
// the program holds the data while the program runs, and asks a clipboard manager to keep it
// afterwards.
class PictureClipboard {
public:
    PictureClipboard();
    ~PictureClipboard();
    PictureClipboard(const PictureClipboard&) = delete;
    PictureClipboard& operator=(const PictureClipboard&) = delete;

    // Offers content to other programs. kinds: at least one, the best first. Throws WorkError if
    // there is no clipboard.
    void offer(std::vector<ClipboardContent> kinds);

private:
    std::unique_ptr<X11Owner> x11_;  // null until the first offer
};

}  // namespace maskscope
