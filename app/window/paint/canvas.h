#pragma once
// The picture of the window from frame to frame: only what differs is painted. Without a graphics
// card, pixels are the cost of a frame, and most frames change few.

#include <cstdint>
#include <vector>

#include "app/style/theme.h"
#include "core/gl/gl_objects.h"

struct ImDrawData;

namespace maskscope {

class Canvas {
public:
    // Paints the places where the lists differ from those painted last; everything if the size or
    // the background has changed. The pixels are the same as if everything were painted. A texture
    // in the last lists must not have new pixels now, and its name must not belong to another
    // texture.
    void paint(ImDrawData& lists, int width, int height, Colour ground);
    void show() const;  // copies the picture to the frame buffer that is bound
    // Call after a frame that was not painted: textures may have new pixels under old names, so the
    // next picture is painted as a whole.
    void forget() { painted_.clear(); }

    long pixels_painted() const { return pixels_painted_; }  // since the start, for tests

    // In pixels, from the top left; the ends are not included.
    struct PixelRect {
        int x0 = 0, y0 = 0, x1 = 0, y1 = 0;
        bool is_empty() const { return x0 >= x1 || y0 >= y1; }
    };

private:
    struct Triangle {
        std::uint64_t content = 0;  // a hash of its corners, its texture and its clip rectangle
        PixelRect place;
    };
    static std::vector<Triangle> triangles_of(const ImDrawData& lists, int width, int height);
    std::vector<PixelRect> changed(const std::vector<Triangle>& triangles) const;
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

}  // namespace maskscope
