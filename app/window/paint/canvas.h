#pragma once
// Keeps the window's picture from frame to frame, and paints only what differs. Without a graphics
// card, painting pixels takes most of a frame's time, and most frames change few.

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "app/style/theme.h"
#include "core/gl/gl_objects.h"

struct ImDrawData;

namespace maskscope {

class Canvas {
public:
    // A rectangle in pixels from the top left; x1 and y1 are not included.
    struct PixelRect {
        int x0 = 0, y0 = 0, x1 = 0, y1 = 0;
        bool is_empty() const { return x0 >= x1 || y0 >= y1; }
    };

    // Paints the places where the lists differ from those painted last, or everything if the size
    // or the background has changed. The pixels are the same as if everything were painted. A
    // texture of the last lists must keep its pixels outside of the places `redrawn`, and its name
    // must not be given to another texture.
    void paint(ImDrawData& lists, int width, int height, Colour ground,
               std::span<const PixelRect> redrawn = {});
    void show() const;  // copies the picture to the bound frame buffer
    // Call it after a frame that was not painted. The next picture is then painted completely,
    // because textures may have new pixels under old names.
    void forget() { painted_.clear(); }

    long pixels_painted() const { return pixels_painted_; }  // since the construction, for tests

private:
    struct Triangle {
        std::uint64_t content = 0;  // a hash of the corners, the texture and the clip rectangle
        PixelRect place;
    };
    static std::vector<Triangle> triangles_of(const ImDrawData& lists, int width, int height);
    std::vector<PixelRect> changed(const std::vector<Triangle>& triangles,
                                   std::span<const PixelRect> redrawn) const;
    static void render_in(const std::vector<PixelRect>& places, ImDrawData& lists,
                          const std::vector<Triangle>& triangles, int height);
    void resize(int width, int height);

    gl::Texture picture_;
    gl::Framebuffer framebuffer_;
    int width_ = 0, height_ = 0;
    Colour ground_{};
    std::vector<Triangle> painted_;
    long pixels_painted_ = 0;
};

inline Canvas::PixelRect cut(const Canvas::PixelRect& a, const Canvas::PixelRect& b) {
    return {std::max(a.x0, b.x0), std::max(a.y0, b.y0), std::min(a.x1, b.x1), std::min(a.y1, b.y1)};
}

}  // namespace maskscope
