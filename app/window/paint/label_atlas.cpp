#include "app/window/paint/label_atlas.h"

#include <epoxy/gl.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "app/style/labels.h"
#include "app/window/paint/imgui_compat.h"

namespace maskscope {
namespace {

constexpr int page_size = 1024;  // pixels; 4 MiB per page
constexpr std::size_t most_pages = 4;

// Converts cairo's premultiplied pixels to straight alpha, with which ImGui blends.
std::vector<std::uint32_t> straight_alpha(const LabelImage& image) {
    std::vector<std::uint32_t> pixels = image.pixels;
    for (std::uint32_t& pixel : pixels) {
        const std::uint32_t alpha = pixel >> 24;
        if (!image.coloured) {
            pixel = 0x00ffffffU | alpha << 24;
        } else if (alpha != 0) {
            const auto channel = [&](int shift) {
                return std::min(255U, (pixel >> shift & 255U) * 255U / alpha) << shift;
            };
            pixel = alpha << 24 | channel(16) | channel(8) | channel(0);
        }
    }
    return pixels;
}

// The corners of a label, clockwise from the top left of the text.
struct Corners {
    ImVec2 a, b, c, d;
};

Corners upright(float x, float y, float w, float h) {
    return {{x, y}, {x + w, y}, {x + w, y + h}, {x, y + h}};
}

// Returns the corners of a text that reads upwards: the left end is at the bottom.
Corners rising(float x, float y, float w, float h) {
    return {{x, y}, {x, y - w}, {x + h, y - w}, {x + h, y}};
}

double before_anchor(Anchor anchor, double width) {
    return anchor == Anchor::left ? 0 : anchor == Anchor::centre ? width / 2 : width;
}

}  // namespace

void LabelAtlas::begin_pass() { drawn_.clear(); }

std::size_t LabelAtlas::HashKey::operator()(const Key& key) const {
    const std::hash<double> hash;
    return std::hash<std::string>{}(key.text) ^ (hash(key.style.size) * 31) ^
           (hash(key.max_width) * 7) ^
           (static_cast<std::size_t>(key.style.weight) * 2 +
            static_cast<std::size_t>(key.style.mono));
}

void LabelAtlas::begin_frame() {
    const auto in_use = static_cast<std::size_t>(std::count_if(
        pages_.begin(), pages_.end(), [this](const Page& p) { return p.used_in == frame_; }));
    ++frame_;
    retired_.clear();
    if (pages_.size() <= std::max(most_pages, 2 * in_use)) return;
    retired_ = std::exchange(pages_, {});
    without_image_.clear();
    labels_.clear();
}

// Adds a page. A label that is larger than a page gets a page of its own, of the label's size.
void LabelAtlas::add_page(int width, int height) {
    const bool fits = width <= page_size && height <= page_size;
    Page page;
    page.width = fits ? page_size : width;
    page.height = fits ? page_size : height;
    page.texture = gl::make_texture();
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, page.width, page.height, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                 nullptr);
    pages_.push_back(std::move(page));
}

LabelAtlas::Label LabelAtlas::place(int width, int height) {
    const auto fits = [&](Page& page) {
        if (page.x + width > page.width) {
            page.shelf_top += page.shelf_height;
            page.x = page.shelf_height = 0;
        }
        return page.x + width <= page.width && page.shelf_top + height <= page.height;
    };
    if (pages_.empty() || !fits(pages_.back())) add_page(width, height);
    Page& page = pages_.back();
    const Label label{pages_.size() - 1, page.x, page.shelf_top, width, height, 0, false};
    page.x += width;
    page.shelf_height = std::max(page.shelf_height, height);
    return label;
}

// Returns a label. Letters are tinted when they are drawn, but beside emoji they are rasterized in
// their colour.
const LabelAtlas::Label& LabelAtlas::label_of(const Text& text, Colour ink) {
    Key key{text.text, text.style, text.max_width, {255, 255, 255}};
    const Label& white = label_of(key);
    if (!white.coloured) return white;
    key.ink = {ink.r, ink.g, ink.b};
    return label_of(key);
}

const LabelAtlas::Label& LabelAtlas::label_of(const Key& key) {
    if (const auto found = labels_.find(key); found != labels_.end()) return found->second;
    const LabelImage box = label_box(key.text, key.style, 1, key.max_width);
    if (box.width <= 0 || box.height <= 0) return labels_[key] = Label{};
    Label label = place(box.width, box.height);
    label.margin = box.margin;
    label.coloured = box.coloured;
    const auto& kept = *labels_.emplace(key, label).first;
    without_image_.push_back(&kept);
    return kept.second;
}

void LabelAtlas::make_images() {
    for (const auto* const label : without_image_) make_image(label->first, label->second);
    without_image_.clear();
}

void LabelAtlas::make_image(const Key& key, const Label& label) {
    const auto pixels = straight_alpha(rasterise(key.text, key.style, 1, key.max_width, key.ink));
    glBindTexture(GL_TEXTURE_2D, pages_[label.page].texture.name());
    glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
    glTexSubImage2D(GL_TEXTURE_2D, 0, label.x, label.y, label.width, label.height, GL_RGBA,
                    GL_UNSIGNED_BYTE, pixels.data());
}

namespace {

// Rounds halves up, negative ones, too, so that a text looks the same wherever its figure is moved.
double whole_pixel(double x) { return std::floor(x + 0.5); }

}  // namespace

void LabelAtlas::draw(ImDrawList& list, const Text& text, Colour colour, Point offset) {
    if (text.text.empty()) return;
    const Label& label = label_of(text, colour);
    if (label.width == 0) return;
    Page& page = pages_[label.page];
    page.used_in = frame_;
    const double back = before_anchor(text.anchor, label.width - 2 * label.margin) + label.margin;
    const double along =
        whole_pixel(text.vertical ? offset.y + text.at.y + back : offset.x + text.at.x - back);
    const double across =
        whole_pixel(text.vertical ? offset.x + text.at.x : offset.y + text.at.y) - label.middle();
    const auto w = static_cast<float>(label.width), h = static_cast<float>(label.height);
    const auto a = static_cast<float>(along), b = static_cast<float>(across);
    const Corners at = text.vertical ? rising(b, a, w, h) : upright(a, b, w, h);
    const auto page_w = static_cast<float>(page.width), page_h = static_cast<float>(page.height);
    drawn_.push_back(
        {text.text,
         {at.a.x, std::min(at.a.y, at.c.y), std::abs(at.c.x - at.a.x), std::abs(at.c.y - at.a.y)},
         text.style,
         text.max_width,
         text.vertical});
    const float u0 = static_cast<float>(label.x) / page_w, u1 = u0 + w / page_w;
    const float v0 = static_cast<float>(label.y) / page_h, v1 = v0 + h / page_h;
    const ImU32 tint = label.coloured ? IM_COL32(255, 255, 255, colour.a) : imgui_colour(colour);
    list.AddImageQuad(imgui_texture(page.texture.name()), at.a, at.b, at.c, at.d, {u0, v0},
                      {u1, v0}, {u1, v1}, {u0, v1}, tint);
}

}  // namespace maskscope
