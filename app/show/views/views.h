#pragma once
// The views other than the pipeline: which of them a scene has, and what they show.

#include <vector>

#include "app/show/cells/view.h"
#include "core/result/result.h"

namespace maskscope {

// The views of this scene in the order of their tabs; the pipeline is always among them.
//   heads: there are two or more; plane: there are values, and outputs of two components or more;
//   table: a lane adds or replaces a blocking value; root_d: there is a scale;
//   generation: few tokens that attend to themselves, from scores or what they are made of
std::vector<ViewKind> views_of(const Scene& scene);
bool has_view(const Scene& scene, ViewKind kind);
// Those, and generation where it is asked for: it says why it cannot be shown.
std::vector<ViewKind> tabs_of(const View& view, const Scene& scene);

// The shown view: view.show.view, or the pipeline if it has no tab.
ViewKind shown_view(const View& view, const Scene& scene);

// The row that plane, table and generation are about: the focus, or the last row.
Index row_in_view(const View& view, const Shape& shape);

}  // namespace maskscope
