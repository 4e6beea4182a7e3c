#include "app/window/paint/heatmap.h"
#include "core/base/build.h"

#include <epoxy/gl.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "app/figure/draw_cell.h"
#include "app/figure/style.h"
#include "app/show/cells/cell_texels.h"
#include "app/window/paint/heatmap_gpu.h"

namespace maskscope {
namespace {

constexpr std::size_t fill_count = 1024;  // colours in a map: finer steps than 8 bits
constexpr std::size_t sign_count = 128, look_rows = 6;
constexpr int look_plain = 1, look_hatch = 2, look_cross = 4, look_frame = 8, look_dot = 16;

std::string shader_defines(const char* part) {
    std::string lines = fmt::format(
        "#define CELLS 1\n#define PIXELS 2\n#define MARKS 3\n#define GAPS 4\n#define PART {}\n",
        part);
    lines += fmt::format(
        "#define FILLS {}\n#define LOOK_PLAIN {}\n#define LOOK_HATCH {}\n#define LOOK_CROSS {}\n"
        "#define LOOK_FRAME {}\n#define LOOK_DOT {}\n#define TINY_MARK {}\n",
        fill_count, look_plain, look_hatch, look_cross, look_frame, look_dot, tiny_mark);
    for (const auto& [name, bits] : cell_defines())
        lines += fmt::format("#define {} {}u\n", name, static_cast<std::uint32_t>(bits));
    return lines;
}

using Rgba = std::array<std::uint8_t, 4>;
Rgba rgba(Colour c) { return {c.r, c.g, c.b, c.a}; }

void upload(const gl::Texture& texture, int width, int height, const std::vector<Rgba>& pixels) {
    glBindTexture(GL_TEXTURE_2D, texture.name());
    glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                 pixels.data());
}

double number_with(std::uint8_t signs) {
    if ((signs & sign::nan) != 0) return not_a_number;
    if ((signs & sign::plus_infinity) != 0) return infinity;
    if ((signs & sign::minus_infinity) != 0) return -infinity;
    return (signs & sign::zero) != 0 ? 0 : 0.5;
}

std::uint8_t parts_of(const CellLook& look) {
    return static_cast<std::uint8_t>(
        (look.plain ? look_plain : 0) | (look.hatch.a != 0 ? look_hatch : 0) |
        (look.cross.a != 0 ? look_cross : 0) | (look.frame.a != 0 ? look_frame : 0) |
        (look.dot.a != 0 ? look_dot : 0));
}

// Returns the look of a cell of this stage for each combination of flags, as draw_cell.h decides.
std::vector<Rgba> looks_of(const Heatmap& heatmap, const Theme& theme) {
    std::vector<Rgba> pixels(look_rows * sign_count);
    for (std::size_t k = 0; k < sign_count; ++k) {
        const auto signs = static_cast<std::uint8_t>(k);
        CellLook look = look_of_number(heatmap, number_with(signs), signs, theme);
        look.background.a = parts_of(look);
        const Colour rows[look_rows] = {look.background, look.hatch,      look.cross,
                                        look.frame,      look.frame_edge, look.dot};
        for (std::size_t row = 0; row < look_rows; ++row)
            pixels[row * sign_count + k] = rgba(rows[row]);
    }
    return pixels;
}

std::vector<Rgba> fills_of(ColourMap map) {
    std::vector<Rgba> pixels(2 * fill_count);
    for (std::size_t k = 0; k < fill_count; ++k) {
        const Colour fill = map_colour(map, static_cast<double>(k) / (fill_count - 1));
        pixels[k] = rgba(fill);
        pixels[fill_count + k] = rgba(hatch_on(fill));
    }
    return pixels;
}

int pixels_of(double length) {
    return length > 0 ? std::max(1, static_cast<int>(std::lround(length))) : 0;
}

bool is_drawable(const Heatmap& heatmap) {
    return heatmap.cells && heatmap.cells->rows > 0 && heatmap.cells->columns > 0 &&
           heatmap.rect.w >= 1 && heatmap.rect.h >= 1 && heatmap.rect.w < 16384 &&
           heatmap.rect.h < 16384 && heatmap.zoom.x1 > heatmap.zoom.x0 &&
           heatmap.zoom.y1 > heatmap.zoom.y0;
}

// One axis of a picture: a place for each visible cell, with one more at either end for the gaps
// there; or a place for each pixel if pixels show several cells.
struct SeenAxis {
    double first = 0, step = 0;  // pixels: where cell 0 begins, and its size
    int pixels = 0;
    Index cells = 0;
    bool is_fine() const { return step < 1; }
    Index cell_at(double pixel) const {
        return std::clamp<Index>(static_cast<Index>(std::floor((pixel - first) / step)), 0,
                                 cells - 1);
    }
    Index begin() const { return is_fine() ? 0 : std::max<Index>(0, cell_at(0) - 1); }
};

std::vector<CellSpan> spans_of(const SeenAxis& axis, int level) {
    std::vector<CellSpan> spans;
    for (int p = 0; axis.is_fine() && p < axis.pixels; ++p)
        spans.push_back(span_of((p - axis.first) / axis.step, (p + 1 - axis.first) / axis.step,
                                axis.cells, level));
    if (axis.is_fine()) return spans;
    const Index end = std::min(axis.cells, axis.cell_at(axis.pixels) + 2);
    for (Index cell = axis.begin(); cell < end; ++cell) spans.push_back({cell, cell + 1});
    return spans;
}

struct SeenAxes {
    SeenAxis x, y;
};

SeenAxes seen_axes(const Heatmap& heatmap) {
    const Rect& r = heatmap.rect;
    const Rect cell = cell_rect(heatmap, 0, 0);
    const double left = std::round(r.x), top = std::round(r.y);
    const auto length = [](double end, double start) { return static_cast<int>(end - start); };
    return {{cell.x - left, cell.w, length(std::round(r.right()), left), heatmap.cells->columns},
            {cell.y - top, cell.h, length(std::round(r.bottom()), top), heatmap.cells->rows}};
}

CellPlaces places_of(const SeenAxes& axes) {
    const int level = level_of(1 / std::max(axes.x.step, axes.y.step));
    return {level, spans_of(axes.y, level), spans_of(axes.x, level)};
}

// The texels of a picture, and their words, which are empty if the GPU made the texels.
struct Texels {
    gl::Texture texture;
    std::vector<std::uint32_t> words;
};

Texels texels_for(const Cells& cells, const CellPlaces& places, GpuCells* on_gpu) {
    Texels texels{gl::make_texture(), {}};
    if (on_gpu && on_gpu->upload_texels(cells, places)) return texels;
    texels.words = texels_of(cells, places);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_R32UI, static_cast<GLsizei>(places.columns.size()),
                 static_cast<GLsizei>(places.rows.size()), 0, GL_RED_INTEGER, GL_UNSIGNED_INT,
                 texels.words.data());
    return texels;
}

// Returns false if no cell has marks. Marks take another program to draw.
bool may_have_marks(const std::vector<std::uint32_t>& words) {
    return words.empty() || std::any_of(words.begin(), words.end(),
                                        [](std::uint32_t w) { return (w & word::of_any) != 0; });
}

// Returns the texels that differ, from the first to the last row and column; all of them if either
// picture has no words.
Canvas::PixelRect changed_texels(const std::vector<std::uint32_t>& before,
                                 const std::vector<std::uint32_t>& now, int columns, int rows) {
    const auto count = static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows);
    if (before.size() != count || now.size() != count) return {0, 0, columns, rows};
    Canvas::PixelRect changed{columns, rows, 0, 0};
    for (int i = 0; i < rows; ++i)
        for (int j = 0; j < columns; ++j) {
            const auto at = static_cast<std::size_t>(i) * static_cast<std::size_t>(columns) +
                            static_cast<std::size_t>(j);
            if (before[at] == now[at]) continue;
            changed = {std::min(changed.x0, j), std::min(changed.y0, i),
                       std::max(changed.x1, j + 1), std::max(changed.y1, i + 1)};
        }
    return changed;
}

}  // namespace

struct HeatmapTextures::KeptPicture {
    Heatmap heatmap;
    ThemeKind theme = ThemeKind::dark;
    Picture picture;
    gl::Texture texture;
    std::vector<std::uint32_t> words;  // of the image; see Texels
    long pass = 0;                     // the last one that used it
    bool has_image = false;            // of this heatmap, or of one whose place it took
    bool waits = false;                // the image is not yet that of this heatmap

    bool has_place_of(const Heatmap& other, ThemeKind kind) const {
        return theme == kind && heatmap.rect == other.rect && heatmap.limits == other.limits &&
               heatmap.map == other.map && heatmap.zoom == other.zoom;
    }
    bool shows(const Heatmap& other, ThemeKind kind) const {
        return heatmap.cells == other.cells && has_place_of(other, kind);
    }
    // True if this picture is no longer used, and one of the other heatmap would differ in its
    // texels only.
    bool can_become(const Heatmap& other, ThemeKind kind, long now) const {
        if (pass == now || !has_place_of(other, kind)) return false;
        const Cells &before = *heatmap.cells, &after = *other.cells;
        return before.rows == after.rows && before.columns == after.columns &&
               before.look() == after.look() && scale_of(before) == scale_of(after);
    }
};

namespace {

gl::Program program_of(const char* part) {
    const std::filesystem::path folder = shader_folder();
    return gl::make_program(folder / "heatmap.vert", folder / "heatmap.frag",
                            folder / "heatmap_cells.glsl", shader_defines(part));
}

}  // namespace

HeatmapTextures::HeatmapTextures(const std::filesystem::path& kept_programs)
    : on_gpu_(epoxy_gl_version() >= 43 ? std::make_unique<GpuCells>(shader_folder(), kept_programs)
                                       : nullptr),
      cells_program_(program_of("CELLS")),
      pixels_program_(program_of("PIXELS")),
      marks_program_(program_of("MARKS")),
      gaps_program_(program_of("GAPS")),
      vertices_(gl::make_vertex_array()),
      framebuffer_(gl::make_framebuffer()) {
    look_with(on_gpu_.get());
}

HeatmapTextures::~HeatmapTextures() { look_with(nullptr); }

void HeatmapTextures::begin_pass() { ++pass_; }

namespace {

int gap_of(const Heatmap& heatmap) {
    const Rect cell = cell_rect(heatmap, 0, 0);
    return pixels_of(style::cell_style(std::min(cell.w, cell.h)).gap);
}

// Returns an empty picture at the place of the heatmap.
Picture place_of(const Heatmap& heatmap, const gl::Texture& texture) {
    const Rect& r = heatmap.rect;
    const int gap = gap_of(heatmap);
    const int x = static_cast<int>(std::lround(r.x)), y = static_cast<int>(std::lround(r.y));
    const Picture place{.texture = texture.name(),
                        .x = x - gap,
                        .y = y - gap,
                        .width = static_cast<int>(std::lround(r.right())) - x + gap,
                        .height = static_cast<int>(std::lround(r.bottom())) - y + gap};
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, place.width, place.height, 0, GL_RGBA,
                 GL_UNSIGNED_BYTE, nullptr);
    return place;
}

}  // namespace

Picture HeatmapTextures::draw(const Heatmap& heatmap, const Theme& theme) {
    if (!is_drawable(heatmap)) return {};
    KeptPicture* drawn = nullptr;
    for (const auto& kept : pictures_) {
        if (kept->shows(heatmap, theme.kind)) {
            kept->pass = pass_;
            return kept->picture;
        }
        if (kept->can_become(heatmap, theme.kind, pass_)) drawn = kept.get();
    }
    Heatmap copy = heatmap;  // before anything changes, because memory may run out
    if (drawn == nullptr) {
        auto made = std::make_unique<KeptPicture>();
        made->texture = gl::make_texture();
        made->picture = place_of(heatmap, made->texture);
        drawn = pictures_.emplace_back(std::move(made)).get();
    }
    drawn->heatmap = std::move(copy);
    drawn->theme = theme.kind;
    drawn->waits = true;
    drawn->pass = pass_;
    ++pictures_drawn_;
    return drawn->picture;
}

void HeatmapTextures::make_images() {
    for (const auto& drawn : pictures_)
        if (drawn->waits && drawn->pass == pass_) redraw(*drawn);
}

namespace {

// Sets lengths such as cell sizes, in pixels from the heatmap's top left.
void set_geometry(GLuint program, const SeenAxes& axes, const style::CellStyle& style, int gap) {
    const auto at = [program](const char* name) { return glGetUniformLocation(program, name); };
    const auto f = [](double x) { return static_cast<float>(x); };
    const auto& [x, y] = axes;
    glUniform2i(at("cells"), static_cast<int>(x.cells), static_cast<int>(y.cells));
    glUniform2i(at("seen"), static_cast<int>(x.begin()), static_cast<int>(y.begin()));
    glUniform2f(at("first"), f(x.first), f(y.first));
    glUniform2f(at("cell_size"), f(x.step), f(y.step));
    const int frame = pixels_of(style.frame);
    glUniform1f(at("tint"), f(style.tint));
    glUniform1i(at("gap"), gap);
    glUniform2i(at("frame"), frame, frame + pixels_of(style.frame_edge));
    glUniform2f(at("hatch"), f(style.hatch_pitch), f(style.hatch_width));
    glUniform2f(at("dot"), f(style.dot), f(style.dot_edge));
}

// Sets the colours. scale: the factor by which numbers were multiplied.
void set_colours(GLuint program, const Heatmap& heatmap, const Theme& theme, double scale) {
    const auto at = [program](const char* name) { return glGetUniformLocation(program, name); };
    const Limits& limits = heatmap.limits;
    const double span = limits.high / 2 - limits.low / 2;  // halved, because it may overflow
    const bool flat = !(span > 0);
    double slope = flat ? 0 : 0.5 / scale / span, start = flat ? 0.5 : -limits.low / 2 / span;
    if (limits.logarithmic && !flat) {
        slope = 1 / std::log2(limits.high / limits.low);
        start = -std::log2(limits.low * scale) * slope;
    }
    constexpr double most = std::numeric_limits<float>::max();
    glUniform2f(at("fill_of_value"), static_cast<float>(std::min(slope, most)),
                static_cast<float>(start));
    glUniform1i(at("logarithmic"), limits.logarithmic && !flat ? 1 : 0);
    const Colour line = theme[Role::line];
    glUniform4f(at("line_colour"), static_cast<float>(line.r) / 255,
                static_cast<float>(line.g) / 255, static_cast<float>(line.b) / 255, 1);
}

void bind(GLuint program, const char* name, int unit, const gl::Texture& texture) {
    glActiveTexture(GL_TEXTURE0 + static_cast<GLenum>(unit));
    glBindTexture(GL_TEXTURE_2D, texture.name());
    glUniform1i(glGetUniformLocation(program, name), unit);
}

}  // namespace

const gl::Texture& HeatmapTextures::fills_for(const Heatmap& heatmap, const Theme& theme) {
    const ColourMap map = shown_map(heatmap.map, theme);
    gl::Texture& texture = fills_[map];
    if (texture.name() == 0) {
        const std::vector<Rgba> pixels = fills_of(map);  // first, because memory may run out
        texture = gl::make_texture();
        upload(texture, fill_count, 2, pixels);
    }
    return texture;
}

const gl::Texture& HeatmapTextures::looks_for(const Heatmap& heatmap, const Theme& theme) {
    gl::Texture& texture = looks_[{heatmap.cells->look(), theme.kind}];
    if (texture.name() == 0) {
        const std::vector<Rgba> pixels = looks_of(heatmap, theme);
        texture = gl::make_texture();
        upload(texture, sign_count, look_rows, pixels);
    }
    return texture;
}

namespace {

// Returns the pixels of a picture that these texels affect: their cells and the gaps around them.
Canvas::PixelRect pixels_for(const Canvas::PixelRect& texels, const SeenAxes& axes, int gap) {
    const auto begin = [gap](const SeenAxis& axis, int texel) {
        if (axis.is_fine()) return texel + gap;
        const double at = axis.first + static_cast<double>(axis.begin() + texel) * axis.step;
        return static_cast<int>(std::floor(at + 0.5)) + gap;
    };
    const int around = gap + 1;  // a pixel more, because the shader rounds in float
    return {begin(axes.x, texels.x0) - around, begin(axes.y, texels.y0) - around,
            begin(axes.x, texels.x1) + around, begin(axes.y, texels.y1) + around};
}

}  // namespace

// Draws what differs between the image and the heatmap, or everything if the image is unknown. If
// memory runs out, the picture still waits, and has no words, so that everything is drawn next
// time.
void HeatmapTextures::redraw(KeptPicture& drawn) {
    const Heatmap& heatmap = drawn.heatmap;
    const SeenAxes axes = seen_axes(heatmap);
    const CellPlaces places = places_of(axes);
    Texels texels = texels_for(*heatmap.cells, places, on_gpu_.get());
    const int gap = gap_of(heatmap);
    const Picture& at = drawn.picture;
    Canvas::PixelRect part{0, 0, at.width, at.height};
    const std::vector<std::uint32_t> before = std::exchange(drawn.words, {});
    if (drawn.has_image)
        part = cut(part, pixels_for(changed_texels(before, texels.words,
                                                   static_cast<int>(places.columns.size()),
                                                   static_cast<int>(places.rows.size())),
                                    axes, gap));
    if (!part.is_empty()) {
        render(drawn, texels.texture, may_have_marks(texels.words), part);
        if (drawn.has_image)
            redrawn_.push_back({at.x + part.x0, at.y + part.y0, at.x + part.x1, at.y + part.y1});
    }
    drawn.words = std::move(texels.words);
    drawn.has_image = true;
    drawn.waits = false;
}

namespace {

// Draws a square for each cell in part of a picture that has one, including the cell after the
// last, whose gap may be in it. below: instead, lines around plain cells.
void draw_squares(GLuint program, const SeenAxes& axes, const Canvas::PixelRect& part, bool below) {
    const auto begin = [](const SeenAxis& axis, int pixel) {
        return static_cast<int>(std::max(axis.begin(), axis.cell_at(pixel) - 1));
    };
    const auto end = [](const SeenAxis& axis, int pixel) {
        return static_cast<int>(std::min(axis.cells, axis.cell_at(pixel) + 2));
    };
    const int column = begin(axes.x, part.x0), row = begin(axes.y, part.y0);
    const int across = end(axes.x, part.x1) - column, down = end(axes.y, part.y1) - row;
    glUniform3i(glGetUniformLocation(program, "squares"), column, row, across);
    glUniform1i(glGetUniformLocation(program, "below"), below ? 1 : 0);
    glDrawArrays(GL_TRIANGLES, 0, 6 * across * down);
}

void draw_gaps(GLuint program, const SeenAxes& axes) {
    const auto strips = [](const SeenAxis& axis) {
        return static_cast<int>(spans_of(axis, 0).size()) + 2;
    };
    const int across = strips(axes.x), down = strips(axes.y);
    glUniform2i(glGetUniformLocation(program, "strips"), across, down);
    glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, across + down);
}

}  // namespace

void HeatmapTextures::render(const KeptPicture& drawn, const gl::Texture& texels,
                             bool may_have_marks, const Canvas::PixelRect& part) {
    const Heatmap& heatmap = drawn.heatmap;
    const Theme& theme = maskscope::theme(drawn.theme);
    const Rect cell = cell_rect(heatmap, 0, 0);
    const style::CellStyle style = style::cell_style(std::min(cell.w, cell.h));
    const int gap = pixels_of(style.gap);
    const SeenAxes axes = seen_axes(heatmap);
    const gl::Texture& looks = looks_for(heatmap, theme);
    const gl::Texture& fills = fills_for(heatmap, theme);

    const gl::KeepTarget keep;
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_.name());
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D,
                           drawn.texture.name(), 0);
    glViewport(0, 0, drawn.picture.width, drawn.picture.height);
    for (const GLenum ability : {GL_BLEND, GL_DEPTH_TEST, GL_CULL_FACE}) glDisable(ability);
    glEnable(GL_SCISSOR_TEST);
    glScissor(part.x0, part.y0, part.x1 - part.x0, part.y1 - part.y0);
    const auto use = [&](GLuint program) {
        glUseProgram(program);
        set_geometry(program, axes, style, gap);
        set_colours(program, heatmap, theme, scale_of(*heatmap.cells));
        glUniform2f(glGetUniformLocation(program, "size"), static_cast<float>(drawn.picture.width),
                    static_cast<float>(drawn.picture.height));
        bind(program, "texels", 0, texels);
        bind(program, "fills", 1, fills);
        bind(program, "looks", 2, looks);
        glActiveTexture(GL_TEXTURE0);
    };
    glBindVertexArray(vertices_.name());
    if (std::min(cell.w, cell.h) >= style::small_cell) {  // then no cell is tinted, either
        glClearColor(0, 0, 0, 0);
        glClear(GL_COLOR_BUFFER_BIT);
        const Canvas::PixelRect at{part.x0 - gap, part.y0 - gap, part.x1 - gap, part.y1 - gap};
        use(cells_program_.name());
        draw_squares(cells_program_.name(), axes, at, true);
        draw_squares(cells_program_.name(), axes, at, false);
        if (may_have_marks) {
            use(marks_program_.name());
            draw_squares(marks_program_.name(), axes, at, false);
        }
    } else {
        const GLuint program = (may_have_marks ? marks_program_ : pixels_program_).name();
        use(program);
        glUniform3i(glGetUniformLocation(program, "squares"), 0, 0, 0);
        glDrawArrays(GL_TRIANGLES, 0, 3);
        if (gap > 0) {
            use(gaps_program_.name());
            draw_gaps(gaps_program_.name(), axes);
        }
    }
    glBindVertexArray(0);
    glUseProgram(0);
    glDisable(GL_SCISSOR_TEST);
}

void HeatmapTextures::end_frame() {
    std::erase_if(pictures_, [this](const auto& drawn) { return drawn->pass != pass_; });
    redrawn_.clear();
}

}  // namespace maskscope
