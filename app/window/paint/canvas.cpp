#include "app/window/paint/canvas.h"

#include <epoxy/gl.h>
#include <imgui.h>
#include <imgui_impl_opengl3.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <span>

namespace maskscope {
namespace {

using PixelRect = Canvas::PixelRect;

// Differences are merged in squares of this size, because software renderers paint in squares.
constexpr int square = 64;

// Returns the pixels to which ImGui's renderer clips a command. It truncates the corners to whole
// pixels.
PixelRect clip_of(const ImDrawCmd& command, int height) {
    const ImVec4& clip = command.ClipRect;
    const auto bottom = static_cast<int>(static_cast<float>(height) - clip.w);
    const int x = static_cast<int>(clip.x), w = static_cast<int>(clip.z - clip.x),
              h = static_cast<int>(clip.w - clip.y);
    return {x, height - bottom - h, x + w, height - bottom};
}

std::uint64_t mixed(std::uint64_t hash, std::uint64_t word) {
    return std::rotl((hash ^ word) * 0x9e3779b97f4a7c15U, 29);
}

std::uint64_t mixed(std::uint64_t hash, const void* bytes, std::size_t count) {
    for (std::size_t k = 0; k < count; k += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, static_cast<const char*>(bytes) + k,
                    std::min<std::size_t>(8, count - k));
        hash = mixed(hash, word);
    }
    return hash;
}

// Returns rectangles that cover exactly the marked squares, [rows, columns].
std::vector<PixelRect> rectangles(std::vector<bool> marked, int columns, const PixelRect& all) {
    std::vector<PixelRect> places;
    const int rows = static_cast<int>(marked.size()) / columns;
    const auto at = [&](int i, int j) { return marked[static_cast<std::size_t>(i * columns + j)]; };
    for (int i = 0; i < rows; ++i)
        for (int j = 0; j < columns; ++j) {
            if (!at(i, j)) continue;
            int right = j, below = i;
            while (right < columns && at(i, right)) ++right;
            const auto is_marked = [&](int row) {
                for (int column = j; column < right; ++column)
                    if (!at(row, column)) return false;
                return true;
            };
            for (; below < rows && is_marked(below); ++below)
                for (int column = j; column < right; ++column) at(below, column) = false;
            places.push_back(cut({j * square, i * square, right * square, below * square}, all));
        }
    return places;
}

}  // namespace

// Returns the triangles in the order of painting.
std::vector<Canvas::Triangle> Canvas::triangles_of(const ImDrawData& lists, int width, int height) {
    const auto most = static_cast<float>(std::max(width, height));
    // Round to whole pixels; std::floor and std::ceil would be function calls.
    const auto below = [most](float x) { return static_cast<int>(std::clamp(x, 0.0F, most)); };
    const auto above = [&](float x) { return below(x) + (static_cast<float>(below(x)) < x); };
    std::vector<Triangle> triangles;
    triangles.reserve(static_cast<std::size_t>(lists.TotalIdxCount) / 3);
    std::vector<std::uint64_t> corners;  // a hash for each vertex
    for (int k = 0; k < lists.CmdListsCount; ++k) {
        const ImDrawList& list = *lists.CmdLists[k];
        corners.clear();
        for (const ImDrawVert& at : list.VtxBuffer) corners.push_back(mixed(0, &at, sizeof at));
        for (const ImDrawCmd& command : list.CmdBuffer) {
            const PixelRect clip = clip_of(command, height);
            const ImTextureID texture = command.GetTexID();
            const std::uint64_t shared = mixed(mixed(0, &command.ClipRect, sizeof command.ClipRect),
                                               &texture, sizeof texture);
            const ImDrawIdx* index = list.IdxBuffer.Data + command.IdxOffset;
            for (unsigned left = command.ElemCount / 3; left > 0; --left) {
                float x0 = most, y0 = most, x1 = 0, y1 = 0;
                std::uint64_t content = shared;
                for (int corner = 0; corner < 3; ++corner, ++index) {
                    const unsigned vertex = *index + command.VtxOffset;
                    const ImDrawVert& at = list.VtxBuffer[static_cast<int>(vertex)];
                    content = mixed(content, corners[vertex]);
                    x0 = std::min(x0, at.pos.x);
                    y0 = std::min(y0, at.pos.y);
                    x1 = std::max(x1, at.pos.x);
                    y1 = std::max(y1, at.pos.y);
                }
                const PixelRect place{below(x0), below(y0), above(std::min(x1, most)),
                                      above(std::min(y1, most))};
                triangles.push_back({content | 1, cut(place, clip)});
            }
        }
    }
    return triangles;
}

namespace {

// A set of hashes other than 0. std::unordered_set would take a millisecond for a frame.
class Hashes {
public:
    explicit Hashes(std::size_t most) : places_(std::bit_ceil(2 * most + 1)) {}
    void add(std::uint64_t hash) { places_[place_of(hash)] = hash; }
    bool has(std::uint64_t hash) const { return places_[place_of(hash)] == hash; }

private:
    // Returns the place of the hash, or a free place for it, which holds 0.
    std::size_t place_of(std::uint64_t hash) const {
        std::size_t place = hash >> 1 & (places_.size() - 1);
        while (places_[place] != 0 && places_[place] != hash)
            place = (place + 1) & (places_.size() - 1);
        return place;
    }
    std::vector<std::uint64_t> places_;
};

}  // namespace

// Returns the places where the pictures differ: those redrawn, and those of triangles that only one
// of them has. Elsewhere both have the same triangles in the same order, and so the same pixels.
std::vector<PixelRect> Canvas::changed(const std::vector<Triangle>& triangles,
                                       std::span<const PixelRect> redrawn) const {
    const PixelRect all{0, 0, width_, height_};
    if (painted_.empty()) return {all};
    const auto same = [](const Triangle& x, const Triangle& y) { return x.content == y.content; };
    const auto [old_begin, new_begin] = std::ranges::mismatch(painted_, triangles, same);
    auto old_end = painted_.end();
    auto new_end = triangles.end();
    while (old_end != old_begin && new_end != new_begin && same(old_end[-1], new_end[-1]))
        --old_end, --new_end;

    const std::span old(old_begin, old_end), now(new_begin, new_end);
    Hashes in_old(old.size()), in_now(now.size());
    for (const Triangle& triangle : old) in_old.add(triangle.content);
    for (const Triangle& triangle : now) in_now.add(triangle.content);
    const int columns = (width_ + square - 1) / square, rows = (height_ + square - 1) / square;
    std::vector<bool> marked(static_cast<std::size_t>(columns * rows));
    const auto mark_squares = [&](const PixelRect& changed) {
        const PixelRect place = cut(changed, all);
        if (place.is_empty()) return;
        for (int i = place.y0 / square; i <= (place.y1 - 1) / square; ++i)
            for (int j = place.x0 / square; j <= (place.x1 - 1) / square; ++j)
                marked[static_cast<std::size_t>(i * columns + j)] = true;
    };
    for (const PixelRect& place : redrawn) mark_squares(place);
    const auto mark = [&](std::span<const Triangle> of, const Hashes& known) {
        std::vector<std::uint64_t> common;
        for (const Triangle& triangle : of) {
            if (known.has(triangle.content))
                common.push_back(triangle.content);
            else
                mark_squares(triangle.place);
        }
        return common;
    };
    if (mark(old, in_now) != mark(now, in_old)) return {all};
    return rectangles(std::move(marked), columns, all);
}

// Renders the triangles that touch the places, clipped to them.
void Canvas::render_in(const std::vector<PixelRect>& places, ImDrawData& lists,
                       const std::vector<Triangle>& triangles, int height) {
    struct Part {
        ImVector<ImDrawCmd> commands;
        ImVector<ImDrawIdx> indices;
    };
    std::vector<Part> parts(static_cast<std::size_t>(lists.CmdListsCount));
    auto next = triangles.begin();
    for (std::size_t k = 0; k < parts.size(); ++k) {
        auto& [commands, indices] = parts[k];
        const ImDrawList& list = *lists.CmdLists[static_cast<int>(k)];
        for (const ImDrawCmd& command : list.CmdBuffer) {
            const std::span own(next, command.ElemCount / 3);
            next += std::ssize(own);
            for (const PixelRect& place : places) {
                const PixelRect clip = cut(clip_of(command, height), place);
                if (clip.is_empty()) continue;
                ImDrawCmd in_area = command;
                in_area.ClipRect = {static_cast<float>(clip.x0), static_cast<float>(clip.y0),
                                    static_cast<float>(clip.x1), static_cast<float>(clip.y1)};
                in_area.IdxOffset = static_cast<unsigned>(indices.Size);
                const ImDrawIdx* index = list.IdxBuffer.Data + command.IdxOffset;
                for (const Triangle& triangle : own) {
                    if (!cut(triangle.place, place).is_empty())
                        for (int corner = 0; corner < 3; ++corner) indices.push_back(index[corner]);
                    index += 3;
                }
                in_area.ElemCount = static_cast<unsigned>(indices.Size) - in_area.IdxOffset;
                if (in_area.ElemCount > 0) commands.push_back(in_area);
            }
        }
    }
    const auto exchange = [&] {
        for (std::size_t k = 0; k < parts.size(); ++k) {
            ImDrawList& list = *lists.CmdLists[static_cast<int>(k)];
            list.CmdBuffer.swap(parts[k].commands);
            list.IdxBuffer.swap(parts[k].indices);
        }
    };
    exchange();
    ImGui_ImplOpenGL3_RenderDrawData(&lists);
    exchange();
}

void Canvas::resize(int width, int height) {
    width_ = width;
    height_ = height;
    painted_.clear();
    picture_ = gl::make_texture();
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
    if (framebuffer_.name() == 0) framebuffer_ = gl::make_framebuffer();
    const gl::KeepTarget keep;
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_.name());
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, picture_.name(), 0);
}

void Canvas::paint(ImDrawData& lists, int width, int height, Colour ground,
                   std::span<const PixelRect> redrawn) {
    if (width != width_ || height != height_) resize(width, height);
    if (ground != ground_) painted_.clear();
    ground_ = ground;
    std::vector<Triangle> triangles = triangles_of(lists, width, height);
    const std::vector<PixelRect> places = changed(triangles, redrawn);
    if (places.empty()) return;
    painted_.clear();  // if something throws, the next picture is painted completely

    const gl::KeepTarget keep;
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_.name());
    glViewport(0, 0, width, height);
    glClearColor(static_cast<float>(ground.r) / 255, static_cast<float>(ground.g) / 255,
                 static_cast<float>(ground.b) / 255, 1);
    glEnable(GL_SCISSOR_TEST);
    for (const PixelRect& place : places) {
        glScissor(place.x0, height - place.y1, place.x1 - place.x0, place.y1 - place.y0);
        glClear(GL_COLOR_BUFFER_BIT);
        pixels_painted_ += long{place.x1 - place.x0} * (place.y1 - place.y0);
    }
    glDisable(GL_SCISSOR_TEST);
    render_in(places, lists, triangles, height);
    painted_ = std::move(triangles);
}

void Canvas::show() const {
    glBindFramebuffer(GL_READ_FRAMEBUFFER, framebuffer_.name());
    glBlitFramebuffer(0, 0, width_, height_, 0, 0, width_, height_, GL_COLOR_BUFFER_BIT,
                      GL_NEAREST);
    GLint shown = 0;
    glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &shown);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, static_cast<GLuint>(shown));
}

}  // namespace maskscope
