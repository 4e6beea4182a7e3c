#pragma once
// Draws heatmaps: numbers and flags of Cells are textures, which a shader maps to the colours and
// looks that app/figure/draw_cell.h decides. Only the visible part of a matrix becomes texels: one
// for each visible cell, or one for each pixel if it shows many cells. Unchanged pictures are kept,
// so that moving the pointer redraws no heatmap. If only some cells of a heatmap have changed, only
// their pixels are drawn again.

#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "app/figure/figure.h"
#include "app/window/paint/canvas.h"
#include "core/gl/gl_objects.h"

namespace maskscope {

// A drawn picture and its place in the frame buffer, in pixels.
struct Picture {
    unsigned texture = 0;  // RGBA, with alpha 0 in gaps between filled cells; 0 = nothing to draw
    int x = 0, y = 0, width = 0, height = 0;
};

class GpuCells;

class HeatmapTextures {
public:
    // Lets this thread summarize numbers on the GPU (see RemoteReader). kept_programs: see
    // gpu::Programs. Throws WorkError if the shaders cannot be read or compiled.
    explicit HeatmapTextures(const std::filesystem::path& kept_programs = {});
    ~HeatmapTextures();
    HeatmapTextures(const HeatmapTextures&) = delete;
    HeatmapTextures& operator=(const HeatmapTextures&) = delete;

    void begin_pass();  // pictures drawn before are no longer valid
    // Returns the picture of the cells without their numbers, valid until the next pass. Lengths of
    // the heatmap are in pixels.
    Picture draw(const Heatmap& heatmap, const Theme& theme);
    // Makes the images of the pictures that were drawn in this pass. Call it before they are
    // painted.
    void make_images();
    // Returns the places, since the end of the last frame, where pictures with the texture of an
    // earlier one were drawn again.
    const std::vector<Canvas::PixelRect>& redrawn() const { return redrawn_; }
    void end_frame();  // drops pictures that the last pass did not use

    std::size_t pictures() const { return pictures_.size(); }  // the number of kept pictures
    long pictures_drawn() const { return pictures_drawn_; }    // since the construction, for tests

private:
    struct KeptPicture;
    const gl::Texture& fills_for(const Heatmap& heatmap, const Theme& theme);
    const gl::Texture& looks_for(const Heatmap& heatmap, const Theme& theme);
    void redraw(KeptPicture& drawn);
    void render(const KeptPicture& drawn, const gl::Texture& texels, bool may_have_marks,
                const Canvas::PixelRect& part);

    std::unique_ptr<GpuCells> on_gpu_;  // null without OpenGL 4.3
    // See PART in heatmap_cells.glsl.
    gl::Program cells_program_, pixels_program_, marks_program_, gaps_program_;
    gl::VertexArray vertices_;
    gl::Framebuffer framebuffer_;
    std::vector<std::unique_ptr<KeptPicture>> pictures_;
    std::vector<Canvas::PixelRect> redrawn_;
    long pass_ = 0;
    std::map<ColourMap, gl::Texture> fills_;  // made on first use
    std::map<std::pair<std::pair<StageKind, bool>, ThemeKind>, gl::Texture> looks_;
    long pictures_drawn_ = 0;
};

}  // namespace maskscope
