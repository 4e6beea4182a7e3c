#include "core/cpu/input_cache.h"

#include <algorithm>
#include <cstring>

#include "core/attention/mask.h"
#include "core/compute/embedding.h"
#include "core/scene/mask_rules.h"

namespace maskscope {

RowExtent extent_of(const std::uint8_t* row, std::size_t n) {
    const auto* first = static_cast<const std::uint8_t*>(std::memchr(row, 1, n));
    if (!first) return {};
    const auto* last = static_cast<const std::uint8_t*>(memrchr(row, 1, n));
    const auto end = static_cast<std::size_t>(last - row) + 1;
    const auto count = std::count(first, row + end, 1);
    return {static_cast<std::uint32_t>(first - row), static_cast<std::uint32_t>(end),
            static_cast<std::uint32_t>(count)};
}

namespace {

SharedSheet make_sheet(const Scene& scene, const std::vector<MaskLayer>& layers,
                       const HeadPositions& seen, const Rows& rows) {
    const Allowed allowed = allowed_cells(scene, layers, seen, rows.first, rows.count);
    const auto n_k = static_cast<std::size_t>(allowed.cols());
    std::vector<std::uint8_t> cells(allowed.data(), allowed.data() + allowed.size());
    auto sheet = std::make_shared<MaskSheet>();
    for (std::size_t i = 0; i < static_cast<std::size_t>(allowed.rows()); ++i) {
        sheet->rows.push_back(extent_of(cells.data() + i * n_k, n_k));
        sheet->has_empty_row |= sheet->rows.back().count == 0;
    }
    sheet->cells = std::make_shared<MaskRows>(std::move(cells), n_k);
    return sheet;
}

// Makes the sheet from `before`, whose mask differs only in the queries `changed`.
SharedSheet remade_sheet(const Scene& scene, const std::vector<MaskLayer>& layers,
                         const HeadPositions& seen, const MaskSheet& before,
                         const std::vector<Index>& changed) {
    const auto n_k = static_cast<std::size_t>(seen.n_k);
    auto sheet = std::make_shared<MaskSheet>(MaskSheet{nullptr, before.rows, false});
    std::vector<MaskRows::ChangedRow> rows;
    for (const Index i : changed) {
        const auto row = static_cast<std::size_t>(i);
        const Allowed allowed = allowed_cells(scene, layers, seen, i, 1);
        rows.push_back({row, std::make_shared<std::vector<std::uint8_t>>(
                                 allowed.data(), allowed.data() + allowed.size())});
        sheet->rows[row] = extent_of(rows.back().cells->data(), n_k);
    }
    sheet->has_empty_row =
        std::ranges::any_of(sheet->rows, [](const RowExtent& extent) { return extent.count == 0; });
    sheet->cells = std::make_shared<MaskRows>(before.cells->with_rows(std::move(rows)));
    return sheet;
}

// Returns the rules that block or allow something in head h, with `heads` removed.
std::vector<MaskLayer> layers_for(const std::vector<MaskLayer>& layers, Index h) {
    std::vector<MaskLayer> some;
    for (const MaskLayer& layer : layers) {
        if (!holds_for(layer, h) || is_bias(layer)) continue;
        some.push_back(layer);
        some.back().heads.reset();
    }
    return some;
}

// Returns which keys and queries are padding, as far as the rules depend on them.
std::vector<bool> pads_for(const Scene& scene, const RuleDependencies& reads,
                           const HeadPositions& seen) {
    std::vector<bool> pads;
    const auto append = [&](const TokenView& tokens) {
        for (Index k = 0; k < std::ssize(tokens); ++k) pads.push_back(tokens.is_pad(k));
    };
    if (reads.keys) append(key_tokens(scene, seen.b, seen.n_k));
    if (reads.queries) append(query_tokens(scene, seen.b, seen.n_q));
    return pads;
}

}  // namespace

// Makes the sheet from a known one that differs in few queries; null if there is none.
SharedSheet MaskSheets::like_known(const Scene& scene, const Key& key,
                                   const HeadPositions& whole) const {
    constexpr std::size_t few = 16;  // queries
    std::optional<std::vector<Index>> changed;
    const auto* like = known_.find_last([&](const Key& old) {
        if (old.attending != key.attending || old.pads != key.pads || old.rows != key.rows)
            return false;
        changed = changed_queries(old.layers, key.layers);
        return changed && changed->size() * few <= static_cast<std::size_t>(key.rows.count);
    });
    return like ? remade_sheet(scene, key.layers, whole, *like->value, *changed) : nullptr;
}

std::vector<SharedSheet> MaskSheets::of(const Scene& scene, const std::vector<MaskLayer>& layers,
                                        const Rows& rows, std::optional<Index> head) {
    const Shape shape = shape_of(scene);
    std::vector<SharedSheet> sheets;
    const bool by_head = std::ranges::any_of(layers, [](const MaskLayer& layer) {
        return !is_bias(layer) && (layer.heads.has_value() || reads_of(layer).head);
    });
    for (Index b = 0; b < shape.b; ++b)
        for (Index h = 0; h < shape.h; ++h) {
            if (head && b * shape.h + h != *head) continue;
            if (!sheets.empty() && h > 0 && !by_head) {
                sheets.push_back(sheets.back());
                continue;
            }
            std::vector<MaskLayer> some = layers_for(layers, h);
            const RuleDependencies reads = reads_of(some);
            const HeadPositions whole = head_positions(scene, shape, b, h);
            HeadPositions seen = whole;
            if (!reads.head) seen.h = seen.heads = 0;
            if (!reads.sequence) seen.b = 0;
            const Key key{seen, std::move(some), pads_for(scene, reads, whole), rows};
            const auto make = [&] {
                if (rows == Rows{0, shape.n_q})
                    if (const auto sheet = like_known(scene, key, whole)) return sheet;
                return make_sheet(scene, key.layers, whole, rows);
            };
            sheets.push_back(known_.find_or_make(key, make));
        }
    if (head) sheets.resize(static_cast<std::size_t>(shape.b * shape.h), sheets.front());
    return sheets;
}

InputCache::Inputs InputCache::inputs(const Scene& scene, Inputs known, Progress& progress) {
    return inputs_.find_or_make(std::tie(scene.sequences, scene.pad_token, scene.inputs), [&] {
        return known ? known : std::make_shared<const BatchInputs>(make_inputs(scene, progress));
    });
}

std::shared_ptr<const VariantResult> InputCache::labels(const Scene& scene, const Inputs& inputs) {
    return labels_.find_or_make(
        inputs, [&] { return std::make_shared<const VariantResult>(labelled(scene)); });
}

std::shared_ptr<const Parameters> InputCache::parameters(const Scene& scene, const Variant& variant,
                                                         const Inputs& inputs) {
    return parameters_.find_or_make(
        std::tie(inputs, variant.score, variant.scale, variant.dtype, variant.output),
        [&] { return std::make_shared<const Parameters>(parameters_of(scene, variant)); });
}

std::shared_ptr<const PreparedInputs> InputCache::prepared(const Variant& variant,
                                                           const Parameters& parameters,
                                                           const Inputs& inputs,
                                                           std::optional<Index> head, Pool& pool) {
    const auto known = prepared_.find_or_make(
        std::forward_as_tuple(inputs, variant.score, variant.dtype, &kernels()),
        [] { return std::make_shared<PreparedInputs>(); });
    try {
        prepare(*known, *inputs, variant, parameters.score, head, pool);
    } catch (...) {  // out of memory: nothing half prepared may stay
        *known = PreparedInputs();
        throw;
    }
    return known;
}

void InputCache::forget_unused() {
    inputs_.forget_unused();
    labels_.forget_unused();
    parameters_.forget_unused();
    prepared_.forget_unused();
    sheets.forget_unused();
}

void InputCache::forget_other_inputs(const Inputs& inputs) {
    const auto others = [&](const auto& key) { return std::get<0>(key) != inputs; };
    inputs_.forget_unused();
    labels_.forget_unused();
    parameters_.forget(others);
    prepared_.forget(others);
    sheets.forget_unused();
}

}  // namespace maskscope
