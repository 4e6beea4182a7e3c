#pragma once
// What is looked at, apart from what is computed: a scene's `show`, and what no file keeps.

#include <optional>

#include "app/figure/figure.h"
#include "core/scene.h"

namespace maskscope {

// A cell that is pointed at or pinned: lane -1 = a stage that all lanes share.
struct CellRef {
    int lane = -1;
    StageKind stage = StageKind::weights;
    Index b = 0, h = 0, i = 0, j = 0;
    bool operator==(const CellRef&) const = default;
};

// How numbers become colours, in the window and what it exports; no scene says it.
struct Colouring {
    std::optional<ColourMap> map;  // of the unsigned stages; absent = each stage's own
    bool logarithmic = false;      // softmax, weights and sensitivity
    bool operator==(const Colouring&) const = default;
};

struct View {
    Show show;  // as saved
    Colouring colouring;
    Zoom zoom;
    std::optional<CellRef> hovered;  // this frame's pointer
    ThemeKind theme = ThemeKind::dark;
    bool operator==(const View&) const = default;
};

// The stages to draw, the lanes, sequences and heads of a view, with what the scene leaves out
// filled in and what edits took away left out. Lanes, sequences and heads are never empty.
std::vector<StageKind> shown_stages(const View& view);
std::vector<int> shown_lanes(const View& view, const Scene& scene);
std::vector<Index> shown_sequences(const View& view, const Shape& shape);
std::vector<Index> shown_heads(const View& view, const Shape& shape);

}  // namespace maskscope
