#include "tests/golden/parts_of_results.h"

#include <gtest/gtest.h>

#include "core/base/matrix.h"
#include "tests/golden/compare_results.h"

namespace maskscope::golden {
namespace {

TokenLabels rows_of_labels(const TokenLabels& whole, const Rows& rows) {
    std::vector<TokenList> lists;
    for (const auto& list : whole.all())
        lists.emplace_back(
            std::vector(list.begin() + rows.first, list.begin() + rows.first + rows.count));
    const std::string pad = whole[0].pad();
    return {std::move(lists), pad, rows.count};
}

// Returns these rows of all heads, or of `head` only, which counts through all sequences.
Stage cut(const Stage& whole, const Rows& rows, std::optional<Index> head) {
    if (!whole.exists()) return {};
    const Index b = head ? 1 : whole.b(), h = head ? 1 : whole.h();
    Stage part(b, h, rows.count, whole.columns(), whole.is_float64());
    for (Index k = 0; k < b * h; ++k) {
        const Index from = head.value_or(k);
        part.set_head(
            k / h, k % h,
            whole.head(from / whole.h(), from % whole.h()).middleRows(rows.first, rows.count));
    }
    return part;
}

VariantResult cut(const VariantResult& whole, const Request& request) {
    const Rows rows = *request.rows;
    const Shape& shape = whole.shape;
    const Index first = request.head.value_or(0), heads = request.head ? 1 : shape.b * shape.h;
    VariantResult part = whole;
    std::vector<std::uint8_t> cells;
    std::vector<RowFigures> figures;
    for (Index head = first; head < first + heads; ++head) {
        const Index row = head * shape.n_q + rows.first;
        const auto some = whole.allowed.some(static_cast<std::size_t>(row * shape.n_k),
                                             static_cast<std::size_t>(rows.count * shape.n_k));
        cells.insert(cells.end(), some.begin(), some.end());
        figures.insert(figures.end(), whole.rows.begin() + row,
                       whole.rows.begin() + row + rows.count);
    }
    part.rows = {figures.begin(), figures.end()};
    part.allowed = MaskCells(std::move(cells));
    for (int k = 1; k < stage_count; ++k) {
        const auto kind = static_cast<StageKind>(k);
        const bool asked = request.stages.test(static_cast<std::size_t>(k));
        part.stage(kind) = asked ? cut(whole.stage(kind), rows, request.head) : Stage();
    }
    if (request.head) {
        const auto pads = whole.pads.begin() + first / shape.h * shape.n_k;
        part.pads = {pads, pads + shape.n_k};
        part.queries = part.keys = TokenLabels();
        part.shape.b = part.shape.h = 1;
    } else {
        part.queries = rows_of_labels(whole.queries, rows);
    }
    part.shape.n_q = rows.count;
    return part;
}

bool is_in_memory(const VariantResult& result) {
    return !result.allowed.remote() && std::ranges::none_of(result.stages, [](const Stage& stage) {
        return stage.remote() != nullptr;
    });
}

}  // namespace

std::string first_other_part(Backend& backend, const Result& whole, Request request) {
    constexpr auto output = static_cast<std::size_t>(StageKind::output);
    if (request.head)
        for (const Variant& variant : whole.scene.variants)
            if (variant.output.kind == OutputKind::projected) request.stages.reset(output);
    Progress progress;
    const Result part = backend.compute(whole.scene, request, nullptr, progress);
    Result expected = whole;
    for (std::size_t index = 0; index < expected.variants.size(); ++index) {
        const VariantResult& made = part.variants[index];
        const VariantResult& cells = expected.variants[index] = cut(whole.variants[index], request);
        if (!is_in_memory(made)) return "not in memory";
        if (made.shape != cells.shape || made.rows.size() != cells.rows.size()) return "shape";
        if (made.queries.all() != cells.queries.all() || made.keys != cells.keys) return "labels";
        if (made.pads != cells.pads) return "pads";
    }
    return first_other_bit(part, expected);
}

Result with_figures(Result result) {
    for (VariantResult& variant : result.variants) {
        if (!variant.computed) continue;
        const Shape& shape = variant.shape;
        std::vector<RowFigures> figures;
        for (Index b = 0; b < shape.b; ++b)
            for (Index h = 0; h < shape.h; ++h)
                for (Index i = 0; i < shape.n_q; ++i) figures.push_back(variant.row(b, h, i));
        variant.rows = {figures.begin(), figures.end()};
    }
    return result;
}

void expect_as_kept(Backend& kept, Backend& large, const Scene& scene) {
    const Result expected = computed(kept, scene), result = computed(large, scene);
    EXPECT_EQ(result.backend, expected.backend);
    for (const VariantResult& variant : result.variants) {
        ASSERT_TRUE(variant.computed);
        for (const Stage& stage : variant.stages) ASSERT_EQ(stage.exists(), bool(stage.remote()));
    }
    ASSERT_EQ(first_other_bit(with_figures(result), expected), "");
    for (std::size_t index = 0; index < expected.variants.size(); ++index) {
        EXPECT_EQ(result.variants[index].queries, expected.variants[index].queries);
        EXPECT_EQ(result.variants[index].keys, expected.variants[index].keys);
        EXPECT_EQ(result.variants[index].pads, expected.variants[index].pads);
    }
}

}  // namespace maskscope::golden
