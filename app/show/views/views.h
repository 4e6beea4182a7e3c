#pragma once
// The views other than the pipeline: which of them a scene has, and what they show.

#include <vector>

#include "app/show/cells/view.h"
#include "core/result/result.h"

namespace maskscope {

// The views of this scene in the order of their tabs; the pipeline is always among them.
//   heads: there are two or more; plane: there are values, and outputs of two components or more;
//   table: a lane adds or replaces a blocking value; root_d: there is a scale
std::vector<ViewKind> views_of(const Scene& scene);
bool has_view(const Scene& scene, ViewKind kind);

// The shown view: view.show.view, or the pipeline if the scene does not have it.
ViewKind shown_view(const View& view, const Scene& scene);

// The row that plane and table are about: the focus, or the last row.
Index row_in_view(const View& view, const Shape& shape);

}  // namespace maskscope
