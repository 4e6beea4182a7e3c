#pragma once
// Lays out the shown view, for the window and for files.

#include "app/figure/layout/lay_out.h"

namespace maskscope {

// view.show.view decides: the pipeline as `bench` holds it, and the other views from the result.
// A view that the scene does not have (the plane without values) is drawn as the pipeline.
Figure lay_out_view(const Result& result, const Bench& bench, const View& view,
                    const LayoutOptions& options);

}  // namespace maskscope
