#pragma once
// Drags borders in the mask itself: the edges of a window, the borders of chunks and documents, the
// end of sinks and of a prefix. Independent of ImGui.

#include <optional>
#include <utility>
#include <vector>

#include "app/figure/figure.h"
#include "app/session/session.h"

namespace maskscope {

struct MaskBorder {
    enum class Of { left, right, first_keys, size, document };
    Of of = Of::left;
    // left, right: the query's position; size: the border's index; document: the index of the
    // document before the border.
    Index at = 0;
    LayerPath path;             // the path of the rule in the first variant
    std::vector<int> variants;  // the variants that have the rule
    int variant = -1;           // the variant of the heatmap
    Index b = 0, h = 0;
    bool operator==(const MaskBorder&) const = default;
};

// Returns the border near a point; nullopt if there is none, or if cells are too small. shown: the
// variants of a shared mask.
std::optional<MaskBorder> border_under(const Scene& scene, const Figure& figure,
                                       const std::vector<int>& shown, Point point, double scale);
// Returns the dragged line at its current place; for a window, a piece for each row.
std::vector<std::pair<Point, Point>> lines_of(const Scene& scene, const Figure& figure,
                                              const MaskBorder& border);
// Applies one frame of a drag; call end_merge() after the last one.
void drag_border(Session& session, const Figure& figure, const MaskBorder& border, Point point);

}  // namespace maskscope
