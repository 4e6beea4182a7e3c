#pragma once
// What only a window has over the figure of the bench: the pointer, its frames, the ring.

#include "app/window/context/app.h"

namespace maskscope {

// The pointer of this frame in the figure's coordinates; `over`: nothing stands above the figure.
BenchPointer bench_pointer(const App& app, Point origin, bool over);

// The frames of what is pointed at, or pinned, and the ring; the figure stands at origin.
void draw_bench_marks(App& app, const Figure& figure, Point origin);

}  // namespace maskscope
