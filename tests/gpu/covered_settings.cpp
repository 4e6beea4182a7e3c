#include "tests/gpu/covered_settings.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "core/scene/mask_rules.h"
#include "tests/golden/golden_files.h"
#include "tests/gpu/gpu_fixture.h"
#include "tests/gpu/larger_scenes.h"
#include "tests/gpu/strange_numbers.h"
#include "tests/support/random_scene.h"

namespace maskscope::golden {

namespace {

using Program = std::vector<int>;  // its defines
using Setting = std::pair<std::size_t, int>;

constexpr std::uint64_t pool = 2000;

// Returns what decides the scores program of a variant, in core/gpu/passes.cpp.
Program scores_program(const Scene& scene, const Variant& variant) {
    const Mask& mask = variant.mask;
    const Apply apply = masks_logits(mask.apply) ? mask.apply : Apply::none;
    const int score = variant.score.kind == ScoreKind::bilinear
                          ? static_cast<int>(ScoreKind::dot)
                          : static_cast<int>(variant.score.kind);
    return {0,
            static_cast<int>(variant.dtype),
            has_score(scene.inputs) ? score : -1,
            static_cast<int>(apply),
            mask.order == Order::mask_then_scale,
            apply == Apply::additive ? mask.times : 1,
            variant.softcap ? static_cast<int>(variant.softcap->order) : -1,
            variant.scale.kind == ScaleKind::formula,
            variant.scale.kind == ScaleKind::none || mask.order == Order::queries_first,
            opens_empty_rows(mask.apply, variant.empty_rows),
            std::ranges::any_of(mask.layers, is_bias)};
}

Program softmax_program(const Scene& scene, const Variant& variant) {
    const Apply apply = variant.mask.apply;
    return {1,
            static_cast<int>(variant.dtype),
            masks_weights(apply) ? static_cast<int>(apply) : -int(cuts_gradient(apply)),
            std::holds_alternative<WeightsInputs>(scene.inputs),
            variant.normalizer == Normalizer::sigmoid,
            variant.normalizer == Normalizer::softmax_sink,
            variant.softcap.has_value(),
            zeroes_empty_rows(apply, variant.empty_rows)};
}

std::set<Program> programs_of(const Scene& scene) {
    std::set<Program> programs;
    for (const Variant& variant : scene.variants) {
        programs.insert(softmax_program(scene, variant));
        if (!std::holds_alternative<WeightsInputs>(scene.inputs))
            programs.insert(scores_program(scene, variant));
    }
    return programs;
}

std::vector<int> settings_of(const Scene& scene, const Variant& variant) {
    const Mask& mask = variant.mask;
    return {static_cast<int>(variant.dtype),
            static_cast<int>(variant.score.kind),
            static_cast<int>(variant.scale.kind),
            static_cast<int>(mask.apply),
            mask.times,
            static_cast<int>(mask.order),
            variant.softcap ? 1 + static_cast<int>(variant.softcap->order) : 0,
            static_cast<int>(std::ranges::any_of(mask.layers, is_bias)),
            static_cast<int>(scene.inputs.index()),
            static_cast<int>(mask.value.kind),
            static_cast<int>(variant.normalizer),
            static_cast<int>(variant.empty_rows),
            static_cast<int>(variant.output.kind)};
}

std::set<std::pair<Setting, Setting>> pairs_of(const Scene& scene, int together) {
    std::set<std::pair<Setting, Setting>> pairs;
    for (const Variant& variant : scene.variants) {
        const std::vector<int> settings = settings_of(scene, variant);
        for (std::size_t a = 0; a < settings.size(); ++a)
            for (std::size_t b = together == 1 ? a : 0; b <= a; ++b)
                pairs.insert({{a, settings[a]}, {b, settings[b]}});
    }
    return pairs;
}

}  // namespace

CoveredSettings::CoveredSettings(Make make, int together) : make_(make) {
    struct Candidate {
        std::uint64_t seed;
        std::set<Program> programs;
        std::set<std::pair<Setting, Setting>> pairs;
    };
    std::vector<Candidate> all;
    for (std::uint64_t seed = 0; seed < pool; ++seed)
        if (const auto scene = make(seed))
            all.push_back({seed, programs_of(*scene), pairs_of(*scene, together)});
    for (const std::string& name : scene_names())
        programs_.merge(programs_of(in_float32(read_golden_scene(name))));
    // Takes the scene that adds the most pairs for its new programs, until none adds any. A softmax
    // takes three times as long to compile as scores, and a scene takes time of its own.
    const auto worth = [&](const Candidate& candidate) {
        int cost = 1;
        for (const Program& program : candidate.programs)
            if (!programs_.contains(program)) cost += program.front() == 0 ? 1 : 3;
        return static_cast<double>(candidate.pairs.size()) / cost;
    };
    for (;;) {
        const auto best = std::ranges::max_element(all, {}, worth);
        if (best == all.end() || best->pairs.empty()) break;
        seeds_.push_back(best->seed);
        const auto added = std::exchange(best->pairs, {});
        programs_.insert(best->programs.begin(), best->programs.end());
        for (Candidate& candidate : all)
            for (const auto& pair : added) candidate.pairs.erase(pair);
    }
    for (const Candidate& candidate : all)
        if (std::ranges::includes(programs_, candidate.programs) &&
            std::ranges::find(seeds_, candidate.seed) == seeds_.end())
            seeds_.push_back(candidate.seed);
}

std::vector<std::uint64_t> CoveredSettings::seeds(std::ptrdiff_t count) const {
    if (std::getenv("MASKSCOPE_RANDOM_SCENES") == nullptr)
        return {seeds_.begin(), seeds_.begin() + std::min(count, std::ssize(seeds_))};
    std::vector<std::uint64_t> all;
    for (std::uint64_t seed = 0; std::ssize(all) < count; ++seed)
        if (make_(seed)) all.push_back(seed);
    return all;
}

const CoveredSettings& covered_settings() {
    static const CoveredSettings made(
        [](std::uint64_t seed) { return std::optional(in_float32(random_scene(seed))); }, 2);
    return made;
}

const CoveredSettings& covered_strange_settings() {
    static const CoveredSettings made(
        [](std::uint64_t seed) {
            return std::optional(with_strange_numbers(in_float32(random_scene(seed)), seed));
        },
        2);
    return made;
}

const CoveredSettings& covered_larger_settings() {
    static const CoveredSettings made([](std::uint64_t seed) { return larger_scene(seed, 33); }, 1);
    return made;
}

}  // namespace maskscope::golden
