#pragma once
// Decides which views a scene has, and which is shown.

#include <vector>

#include "app/show/cells/view.h"
#include "core/result/result.h"

namespace maskscope {

// Returns the views of this scene in the order of their tabs; the pipeline is always among them,
// heads are if there are two or more.
std::vector<ViewKind> views_of(const Scene& scene);
bool has_view(const Scene& scene, ViewKind kind);
// Returns the views that the scene has, and one that was requested and explains its absence.
std::vector<ViewKind> tabs_of(const View& view, const Scene& scene);

// Returns the shown view: view.show.view, or the pipeline if it has no tab.
ViewKind shown_view(const View& view, const Scene& scene);

// Returns the row that plane, table and generation are about: the focus, or the last row.
Index row_in_view(const View& view, const Shape& shape);

}  // namespace maskscope
