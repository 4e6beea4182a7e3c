#include "core/attention/reference.h"

#include <cmath>

#include "core/attention/mask.h"

namespace maskscope {

std::vector<std::uint8_t> reference_row(const Result& result, int lane, Index b, Index h, Index i) {
    const Scene& scene = result.scene;
    const VariantResult& variant = result.variants[lane];
    const std::optional<int> reference = scene.variants[lane].reference;
    if (!reference) return {};
    // By its rules: it may be a variant that was not asked for.
    const Allowed allowed =
        allowed_cells(scene, scene.variants[*reference].mask.layers,
                      attending(scene, variant.run ? variant.shape : shape_of(scene), b, h), i, 1);
    return {allowed.data(), allowed.data() + allowed.size()};
}

ReferenceFigures reference_figures(const Result& result, int lane, Index b, Index h, Index i,
                                   Index first) {
    const VariantResult& variant = result.variants[lane];
    const std::vector<std::uint8_t> reference = reference_row(result, lane, b, h, first + i);
    const std::vector<std::uint8_t> own = variant.allowed_row(b, h, i);
    const std::vector<double> weights = variant.stage(StageKind::weights).row_at(b, h, i);
    ReferenceFigures figures;
    bool nan = false, blocks = false;
    for (std::size_t j = 0; j < reference.size(); ++j) {
        nan = nan || std::isnan(weights[j]);
        if (reference[j] != 0) {
            figures.missing += own[j] == 0 ? 1 : 0;
        } else {
            blocks = true;
            figures.leak += weights[j];
        }
    }
    if (nan && blocks) figures.leak = not_a_number;
    return figures;
}

}  // namespace maskscope
