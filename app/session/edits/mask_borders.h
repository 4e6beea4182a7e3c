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
    LayerPath path;          // of the layer, in the first lane
    std::vector<int> lanes;  // that have it
    int lane = -1;           // of the heatmap
    Index b = 0, h = 0;
    bool operator==(const MaskBorder&) const = default;
};

// The border near a point; nothing where cells are small. shown: the lanes of a mask that is
// shared.
std::optional<MaskBorder> border_under(const Scene& scene, const Figure& figure,
                                       const std::vector<int>& shown, Point point, double scale);
// The line that is dragged, as it is now: a piece for each row of a window.
std::vector<std::pair<Point, Point>> lines_of(const Scene& scene, const Figure& figure,
                                              const MaskBorder& border);
// One frame of a drag. end_merge() ends it.
void drag_border(Session& session, const Figure& figure, const MaskBorder& border, Point point);

}  // namespace maskscope
