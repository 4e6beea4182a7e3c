#include "app/show/cells/view.h"

#include <algorithm>

#include "core/scene/names.h"
#include "core/settings/setting.h"

namespace maskscope {

namespace {

// Returns the entries of a list that still exist. If none does, returns all of `count`, or only the
// first.
template <class T>
std::vector<T> within(const std::optional<std::vector<T>>& wanted, Index count, bool all) {
    std::vector<T> kept;
    if (wanted)
        std::copy_if(wanted->begin(), wanted->end(), std::back_inserter(kept),
                     [&](T k) { return k >= 0 && Index(k) < count; });
    if (kept.empty())
        for (Index k = 0; k < (all ? count : 1); ++k) kept.push_back(T(k));
    return kept;
}

}  // namespace

PointedTokens tokens_of(const CellRef& cell) {
    if (cell.variant == keys_variant || cell.variant == values_variant) return {{}, cell.i};
    if (cell.stage == StageKind::output) return {cell.i, {}};
    return {cell.i, cell.j};
}

void View::start_afresh() {
    zoom = {};
    hovered.reset();
    pinned.reset();
    words.reset();
    picked.clear();
    enlarged = false;
}

bool shows_stage(const View& view, StageKind stage) {
    const std::vector<StageKind> stages = shown_stages(view.show);
    return std::ranges::find(stages, stage) != stages.end();
}

bool names_mask(const Show& show) {
    return show.stages && std::ranges::find(*show.stages, StageKind::allowed) != show.stages->end();
}

bool needs_mask(const View& view, const Scene& scene) {
    const auto blocks = [](const Variant& variant) {
        return !std::ranges::all_of(variant.mask.layers, is_bias);
    };
    return view.show.ring || names_mask(view.show) || std::ranges::any_of(scene.variants, blocks);
}

std::vector<int> shown_variants(const View& view, const Scene& scene) {
    return within(view.show.variants, Index(scene.variants.size()), true);
}

std::vector<Index> shown_sequences(const View& view, const Shape& shape) {
    return within(view.show.sequences, shape.b, false);
}

std::vector<Index> shown_heads(const View& view, const Shape& shape) {
    return within(view.show.heads, shape.h, false);
}

SeenSpan seen_span(double from, double to, Index count) {
    constexpr double unseen = 1e-6;  // share of a row or column; less is not visible
    const auto n = static_cast<double>(count);
    const auto index_of = [&](double x) {
        return std::clamp<Index>(static_cast<Index>(x), 0, count);
    };
    return {index_of(std::floor(from * n + unseen)), index_of(std::ceil(to * n - unseen))};
}

std::string variant_changes(const View& view, const Scene& scene, int variant) {
    const std::string since =
        variant < std::ssize(view.variant_changes) ? view.variant_changes[variant] : std::string();
    return since.empty() ? changes_from_namesake(scene, variant) : since;
}

std::string variant_title(const View& view, const Scene& scene, int variant) {
    return with_changes(scene.variants[variant].name, variant_changes(view, scene, variant));
}

std::pair<Index, Index> place_of_focus(const View& view, const Shape& shape) {
    const auto sequences = shown_sequences(view, shape), heads = shown_heads(view, shape);
    const auto& pinned = view.pinned;
    if (pinned && view.show.focus == Cell{pinned->i, pinned->j} &&
        std::ranges::count(sequences, pinned->b) > 0 && std::ranges::count(heads, pinned->h) > 0)
        return {pinned->b, pinned->h};
    return {sequences.front(), heads.front()};
}

}  // namespace maskscope
