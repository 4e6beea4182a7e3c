#include "core/scene/mask_rules.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/attention/mask.h"
#include "core/edit/edit.h"
#include "tests/support/random_scene.h"

namespace maskscope {
namespace {

// Returns where the masks of a head differ, as a list of queries.
std::vector<Index> differing(const Scene& x, const Scene& y, int variant, Index b, Index h) {
    const Allowed p = allowed_cells(x, x.variants[variant].mask.layers, b, h),
                  q = allowed_cells(y, y.variants[variant].mask.layers, b, h);
    std::vector<Index> queries;
    for (Index i = 0; i < p.rows(); ++i)
        if ((p.row(i) != q.row(i)).any()) queries.push_back(i);
    return queries;
}

// After a click on a cell of any scene, the queries whose mask changed are found.
TEST(MaskChanges, AreInTheQueriesOfClickedCells) {
    int clicked = 0;
    for (std::uint64_t seed = 0; seed < 500; ++seed) {
        SCOPED_TRACE(seed);
        const Scene before = random_scene(seed);
        const Shape shape = shape_of(before);
        Scene after = before;
        const Index i = Index(seed) % shape.n_q, j = Index(seed / 3) % shape.n_k;
        set_allowed(after, {0}, 0, 0, {i, j}, !is_allowed(before, 0, 0, 0, {i, j}));
        const auto queries =
            changed_queries(before.variants[0].mask.layers, after.variants[0].mask.layers);
        if (!queries) continue;  // a row or column was spelt out in an inverted layer
        ++clicked;
        for (Index b = 0; b < shape.b; ++b)
            for (Index h = 0; h < shape.h; ++h)
                for (const Index changed : differing(before, after, 0, b, h))
                    EXPECT_TRUE(std::ranges::binary_search(*queries, changed)) << changed;
    }
    EXPECT_GT(clicked, 300);
}

MaskLayer cells(LayerKind kind, std::vector<Cell> list) {
    MaskLayer layer;
    layer.kind = kind;
    layer.cells = std::move(list);
    return layer;
}

TEST(MaskChanges, AreNoneOfALayerOfTheSameCells) {
    const MaskLayer causal;
    EXPECT_EQ(changed_queries({causal, cells(LayerKind::blocked, {{1, 2}, {3, 4}})},
                              {cells(LayerKind::blocked, {{3, 4}, {1, 2}}), causal}),
              std::vector<Index>());
    EXPECT_EQ(changed_queries({causal}, {causal, cells(LayerKind::allowed, {{5, 0}, {2, 2}})}),
              (std::vector<Index>{2, 5}));
}

TEST(MaskChanges, AreUnknownOfAnyOtherLayer) {
    const MaskLayer causal;
    MaskLayer all_but = cells(LayerKind::blocked, {{1, 2}});
    all_but.invert = true;
    EXPECT_EQ(changed_queries({causal}, {causal, all_but}), std::nullopt);
    EXPECT_EQ(changed_queries({causal}, {}), std::nullopt);
    MaskLayer row = cells(LayerKind::blocked, {});
    row.cells.reset();
    row.rows = {1};
    EXPECT_EQ(changed_queries({causal}, {causal, row}), std::nullopt);
    row.cells.emplace();  // a rule that lists a row and cells
    EXPECT_EQ(changed_queries({causal}, {causal, row}), std::nullopt);
    EXPECT_EQ(changed_queries({causal, cells(LayerKind::blocked, {})}, {causal, row}),
              std::nullopt);
}

TEST(MaskChanges, AreKnownOfCellsBesideARow) {
    MaskLayer before = cells(LayerKind::blocked, {{1, 2}}), after = before;
    before.rows = after.rows = {4};
    after.cells->push_back({3, 0});
    EXPECT_EQ(changed_queries({before}, {after}), std::vector<Index>{3});
}

}  // namespace
}  // namespace maskscope
