#include "tests/gpu/covered_settings.h"

#include <algorithm>
#include <cstdlib>

#include "core/scene/mask_rules.h"

namespace maskscope::golden {

namespace {

// Returns the settings that decide which programs compute the variant.
std::vector<int> settings_of_programs(const Variant& variant) {
    const Mask& mask = variant.mask;
    return {static_cast<int>(variant.dtype),
            static_cast<int>(variant.score.kind),
            static_cast<int>(variant.scale.kind),
            static_cast<int>(mask.apply),
            mask.times,
            static_cast<int>(mask.order),
            variant.softcap ? 1 + static_cast<int>(variant.softcap->order) : 0,
            static_cast<int>(std::ranges::any_of(mask.layers, is_bias))};
}

// Returns all settings: these, and those that are numbers or branches in the programs.
std::vector<int> settings_of(const Scene& scene, const Variant& variant) {
    std::vector<int> settings = settings_of_programs(variant);
    for (const int more :
         {static_cast<int>(scene.inputs.index()), static_cast<int>(variant.mask.value.kind),
          static_cast<int>(variant.normalizer), static_cast<int>(variant.empty_rows),
          static_cast<int>(variant.output.kind)})
        settings.push_back(more);
    return settings;
}

}  // namespace

bool CoveredSettings::chooses(const Scene& scene) {
    if (std::getenv("MASKSCOPE_RANDOM_SCENES") != nullptr) return true;
    bool adds = false, compiles = false;
    for (const Variant& variant : scene.variants) {
        const std::vector<int> settings = settings_of(scene, variant);
        for (std::size_t a = 0; a < settings.size(); ++a)
            for (std::size_t b = 0; b < a; ++b)
                adds |= pairs_.insert({a, settings[a], b, settings[b]}).second;
        compiles |= !programs_.contains(settings_of_programs(variant));
    }
    if (!adds && compiles) return false;
    for (const Variant& variant : scene.variants) programs_.insert(settings_of_programs(variant));
    return true;
}

}  // namespace maskscope::golden
