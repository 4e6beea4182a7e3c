#pragma once
// The lanes as an audience sees them: as many of each lane's last stages as can show their numbers.

#include "app/figure/layout/lay_out.h"

namespace maskscope {

// options: the available room, and the scale at which no text is too small. Covered lanes keep the
// place that they will have when uncovered. The mask is shown only if with_mask is set.
Figure lay_out_presenting(const Bench& bench, const LayoutOptions& options, bool with_mask);

}  // namespace maskscope
