#pragma once
// Drags on the mask itself: the edges of a window, the borders of chunks and documents, the end of
// sinks and of a prefix. Independent of ImGui.

#include <optional>
#include <utility>
#include <vector>

#include "app/figure/figure.h"
#include "app/session/session.h"

namespace maskscope {

struct MaskBorder {
    enum class Of { left, right, first_keys, size, document };
    Of of = Of::left;
    Index at =
        0;  // left, right: the query's position; size: which border; document: the one before
    LayerPath path;          // of the rule, in the first variant
    std::vector<int> lanes;  // those that have it
    int lane = -1;           // the heatmap's
    Index b = 0, h = 0;
    bool operator==(const MaskBorder&) const = default;
};

// Returns the border near a point; nullopt if cells are small. shown: the variants of a mask that
// is shared.
std::optional<MaskBorder> border_under(const Scene& scene, const Figure& figure,
                                       const std::vector<int>& shown, Point point, double scale);
// Returns the line that is dragged, as it is now: a piece for each row of a window.
std::vector<std::pair<Point, Point>> lines_of(const Scene& scene, const Figure& figure,
                                              const MaskBorder& border);
// Applies one frame of a drag; end with end_merge().
void drag_border(Session& session, const Figure& figure, const MaskBorder& border, Point point);

}  // namespace maskscope
