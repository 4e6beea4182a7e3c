#pragma once
// Keeps labels, as rasterized by app/style/labels.h, as images on the graphics card: packed into
// few textures, while they are in use. All lengths are in pixels, already scaled.

#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "app/figure/figure.h"
#include "core/gl/gl_objects.h"

struct ImDrawList;

namespace maskscope {

class LabelAtlas {
public:
    // Frees all pages if there are many more than the last frame used.
    void begin_frame();
    void begin_pass();  // forgets the labels of the previous pass

    // Adds a text to the list, at whole pixels, moved by `offset`. Emoji keep their own colours,
    // with the opacity of `colour`.
    void draw(ImDrawList& list, const Text& text, Colour colour, Point offset = {});

    // Makes the images of labels that were placed since the last call. Call it before they are
    // painted.
    void make_images();

    // The labels of the last pass, in the order of drawing, so that tests find things by their
    // text.
    struct DrawnLabel {
        std::string text;
        Rect rect;
        TextStyle style{};
        double max_width = 0;
        bool vertical = false;
    };
    const std::vector<DrawnLabel>& drawn() const { return drawn_; }

    std::size_t labels() const { return labels_.size(); }
    std::size_t pages() const { return pages_.size(); }

private:
    struct Key {
        std::string text;
        TextStyle style;
        double max_width = 0;
        Colour ink{255, 255, 255};  // other than white if the text has both letters and emoji
        bool operator==(const Key&) const = default;
    };
    struct HashKey {
        std::size_t operator()(const Key& key) const;
    };
    struct Label {
        std::size_t page = 0;
        int x = 0, y = 0, width = 0, height = 0, margin = 0;
        bool coloured = false;
        int middle() const { return height / 2; }  // the middle of the line, on a whole pixel
    };
    // A texture with shelves, one below the other, each of which holds labels from left to right.
    struct Page {
        gl::Texture texture;
        int width = 0, height = 0, x = 0, shelf_top = 0, shelf_height = 0;
        std::size_t used_in = 0;  // the last frame in which a label of the page was drawn
    };

    const Label& label_of(const Text& text, Colour ink);
    const Label& label_of(const Key& key);
    void make_image(const Key& key, const Label& label);
    Label place(int width, int height);  // finds space on the last page, or on a new one
    void add_page(int width, int height);

    std::vector<Page> pages_;
    // Kept until the next frame, so that no new page gets the name of a texture that was just
    // shown.
    std::vector<Page> retired_;
    std::unordered_map<Key, Label, HashKey> labels_;
    std::vector<const std::pair<const Key, Label>*> without_image_;  // refer to elements of labels_
    std::vector<DrawnLabel> drawn_;
    std::size_t frame_ = 0;
};

}  // namespace maskscope
