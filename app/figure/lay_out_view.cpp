#include "app/figure/lay_out_view.h"

namespace maskscope {

Figure lay_out_view(const Result& /*result*/, const Bench& bench, const View& /*view*/,
                    const LayoutOptions& options) {
    return lay_out(bench, options);
}

}  // namespace maskscope
