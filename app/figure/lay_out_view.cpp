#include "app/figure/lay_out_view.h"

#include "app/views/views.h"

namespace maskscope {

Figure lay_out_view(const Result& result, const Bench& bench, const View& view,
                    const LayoutOptions& options) {
    switch (shown_view(view, result.scene)) {
        case ViewKind::pipeline:
        case ViewKind::heads:
        case ViewKind::plane:
        case ViewKind::root_d:
        case ViewKind::table:
            return lay_out(bench, options);
    }
    return lay_out(bench, options);
}

}  // namespace maskscope
