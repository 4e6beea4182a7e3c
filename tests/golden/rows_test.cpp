// Some queries alone are, to the bit, what they are among all: compute writes them block by block.

#include <gtest/gtest.h>

#include "core/base/matrix.h"
#include "core/cpu/cpu_backend.h"
#include "tests/golden/compare_results.h"
#include "tests/golden/golden_files.h"
#include "tests/support/random_scene.h"

namespace maskscope::golden {
namespace {

Result some_rows(CpuBackend& backend, const Scene& scene, const Rows& rows) {
    Progress progress;
    Request request;
    request.rows = rows;
    return backend.compute(scene, request, nullptr, progress);
}

Stage rows_of_stage(const Stage& whole, const Rows& rows) {
    if (!whole.exists()) return {};
    Stage part(whole.b(), whole.h(), rows.count, whole.columns(), whole.is_float64());
    for (Index b = 0; b < whole.b(); ++b)
        for (Index h = 0; h < whole.h(); ++h)
            part.set_head(b, h, whole.head(b, h).middleRows(rows.first, rows.count));
    return part;
}

TokenLabels rows_of_labels(const TokenLabels& whole, const Rows& rows) {
    auto lists = whole.all();
    for (auto& list : lists)
        list = {list.begin() + rows.first, list.begin() + rows.first + rows.count};
    const std::string pad = whole[0].pad();
    return {std::move(lists), pad, rows.count};
}

VariantResult cut(const VariantResult& whole, const Rows& rows) {
    VariantResult part = whole;
    part.shape.n_q = rows.count;
    part.queries = rows_of_labels(whole.queries, rows);
    std::vector<std::uint8_t> cells;
    part.rows.clear();
    for (Index head = 0; head < whole.shape.b * whole.shape.h; ++head) {
        const Index row = head * whole.shape.n_q + rows.first;
        const auto some =
            whole.allowed.some(static_cast<std::size_t>(row * whole.shape.n_k),
                               static_cast<std::size_t>(rows.count * whole.shape.n_k));
        cells.insert(cells.end(), some.begin(), some.end());
        part.rows.insert(part.rows.end(), whole.rows.begin() + row,
                         whole.rows.begin() + row + rows.count);
    }
    part.allowed = MaskCells(std::move(cells));
    for (Stage& stage : part.stages) stage = rows_of_stage(stage, rows);
    return part;
}

void expect_rows_as_among_all(CpuBackend& backend, const Scene& scene, Index at_once) {
    const Result whole = computed(backend, scene);
    const Index n_q = shape_of(scene).n_q;
    for (Index first = 0; first < n_q; first += at_once) {
        const Rows rows{first, std::min(at_once, n_q - first)};
        Result expected = whole;
        for (VariantResult& variant : expected.variants) variant = cut(variant, rows);
        ASSERT_EQ(first_other_bit(some_rows(backend, scene, rows), expected), "")
            << "rows from " << first;
    }
}

TEST(SomeRows, OfGoldenScenesAreAsAmongAll) {
    CpuBackend backend(2);
    for (const std::string& name : scene_names()) {
        SCOPED_TRACE(name);
        expect_rows_as_among_all(backend, read_golden_scene(name), 2);
    }
}

TEST(SomeRows, OfRandomScenesAreAsAmongAll) {
    CpuBackend backends[2] = {CpuBackend(1), CpuBackend(3)};
    for (std::uint64_t seed = 0; seed < 2000 && !HasFatalFailure(); ++seed) {
        SCOPED_TRACE(seed);
        expect_rows_as_among_all(backends[seed % 2], random_scene(seed), 1 + Index(seed % 4));
    }
}

// More than a block of the kernels, and masks that leave rows of every extent.
TEST(SomeRows, OfALongSentenceAreAsAmongAll) {
    Scene scene;
    scene.sequences = {{std::vector<std::string>(150, "a"), std::nullopt}};
    scene.inputs = EmbeddingInputs{7, 3, 20, 24, 17};
    scene.variants.resize(2);
    MaskLayer causal, window;
    causal.align = Align::bottom_right;
    window.kind = LayerKind::window;
    window.left = 11;
    scene.variants[0].mask.layers = {causal};
    scene.variants[1].mask.layers = {causal, window};
    scene.variants[1].dtype = Dtype::float16;
    CpuBackend backend(2);
    expect_rows_as_among_all(backend, scene, 24);
    expect_rows_as_among_all(backend, scene, 37);
}

}  // namespace
}  // namespace maskscope::golden
