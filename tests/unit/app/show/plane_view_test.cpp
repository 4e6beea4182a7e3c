#include "app/views/plane/plane_view.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "app/show/views/view_entry.h"
#include "core/compute/plane.h"
#include "core/cpu/cpu_backend.h"
#include "core/format/scene_json.h"
#include "core/large/large_backend.h"
#include "tests/support/random_scene.h"
#include "tests/unit/app/show/view_scenes.h"

namespace maskscope {
namespace {

PlaneView plane_of(const Scene& scene) {
    Progress progress;
    return make_plane(computed(scene), test::view_of(scene), progress);
}

TEST(PlaneView, AddedOutputsLieInsideMultipliedOnesLeave) {
    const PlaneView plane = plane_of(test::view_scene("plane-convex"));
    ASSERT_EQ(plane.plots.size(), 2U);
    EXPECT_EQ(count_outside(plane.plots[0]), 0);
    EXPECT_EQ(count_words(plane.plots[0]).text, "0 of 5 outside");
    EXPECT_EQ(count_outside(plane.plots[1]), 3);
    EXPECT_EQ(count_words(plane.plots[1]).text, "3 of 5 outside");
    // The last row keeps the sum 1, so its output stays inside.
    EXPECT_EQ(plane.plots[1].outside[4]->distance, 0);
}

TEST(PlaneView, ASingleOutputInsideNeedsNoCount) {
    PlanePlot plot = plane_of(test::view_scene("plane-convex")).plots[0];
    plot.outputs.erase(plot.outputs.begin() + 1, plot.outputs.end());
    plot.outside.erase(plot.outside.begin() + 1, plot.outside.end());
    EXPECT_EQ(count_words(plot).text, "");
    plot.outside[0]->distance = 1;
    EXPECT_EQ(count_words(plot).text, "1 of 1 outside");
}

// The picture shows the statistic `outside` of the scene format.
TEST(PlaneView, AgreesWithTheStatisticOutside) {
    for (const char* name : {"plane-convex", "plane-alternative"}) {
        const Scene scene = test::view_scene(name);
        const Result result = computed(scene);
        const PlaneView plane = plane_of(scene);
        for (const PlanePlot& plot : plane.plots) {
            const OutsideRows outside(result, plot.variant);
            ASSERT_EQ(plot.outside.size(), plot.queries.size());
            for (std::size_t i = 0; i < plot.outside.size(); ++i)
                EXPECT_EQ(outside.at(plot.b, plot.h, static_cast<Index>(i)),
                          plot.outside[i] ? plot.outside[i]->distance : NAN)
                    << name << ' ' << i;
        }
    }
}

// Random clicks found this. A mask of the translator changes what the translator writes, so
// variants may have different words, and different numbers of words.
TEST(PlaneView, VariantsOfATranslatorHaveTheirOwnQueries) {
    const Scene scene =
        read_scene(R"({"maskscope": 1, "sequences": [{"source": ["la", "casa", "rossa"]}],
        "inputs": {"kind": "model", "model": "italian-english", "attention": "cross", "layer": 1},
        "variants": [{"name": "Padding", "mask": {"layers": [{"kind": "padding"}]}},
                     {"name": "Causal", "mask": {"layers": [{"kind": "causal", "align": "top_left"}]}}]})",
                   ".");
    const PlaneView plane = plane_of(scene);
    ASSERT_EQ(plane.plots.size(), 2U);
    EXPECT_NE(plane.plots[0].queries.size(), plane.plots[1].queries.size());
    for (const PlanePlot& plot : plane.plots) {
        EXPECT_EQ(plot.allowed.size(), plot.queries.size());
        EXPECT_EQ(plot.outside.size(), plot.queries.size());
        EXPECT_EQ(plot.weights.size(), plot.queries.size() * plot.keys.size());
    }
}

TEST(PlaneView, TheFirstCausalOutputIsItsOwnValue) {
    const PlaneView plane = plane_of(test::view_scene("plane-convex"));
    EXPECT_EQ(plane.plots[0].outputs[0], plane.plots[0].values[0]);
    EXPECT_EQ(plane.plots[0].hulls[0].size(), 1U);
    EXPECT_EQ(plane.plots[0].hulls[1].size(), 2U);
}

TEST(PlaneView, TheFourthMatrixTurnsOutputsOutOfTheHull) {
    const PlaneView plane = plane_of(test::view_scene("plane-alternative"));
    EXPECT_EQ(count_outside(plane.plots[0]), 0);
    EXPECT_GT(count_outside(plane.plots[1]), 0);
    const auto length = [](PlanePoint p) { return std::hypot(p[0], p[1]); };
    // The outputs differ only by the factor 1/√d_k, and d_k is 2.
    for (std::size_t i = 0; i < 5; ++i)
        EXPECT_NEAR(length(plane.plots[2].outputs[i]) * std::sqrt(2.0),
                    length(plane.plots[1].outputs[i]), 1e-6);  // float32
    EXPECT_NE(row_words(plane.plots[1], 4).find("Wᵀ"), std::string::npos);
}

TEST(PlaneView, TheHeadsPartsAddUpToTheOutput) {
    const PlaneView plane = plane_of(test::view_scene("plane-projected"));
    ASSERT_EQ(plane.plots.size(), 1U);
    const PlanePlot& plot = plane.plots[0];
    ASSERT_EQ(plot.parts.size(), 2U);
    EXPECT_TRUE(plot.values.empty());
    for (std::size_t i = 0; i < plot.outputs.size(); ++i)
        for (const std::size_t axis : {0U, 1U})
            EXPECT_NEAR(plot.parts[0][i][axis] + plot.parts[1][i][axis], plot.outputs[i][axis],
                        1e-6);  // the stages are rounded to float32
}

TEST(PlaneView, WhatIsNaNIsSaidAndNotDrawn) {
    const PlaneView plane = plane_of(test::view_scene("plane-nan"));
    EXPECT_EQ(not_drawn_words(plane.plots[0]), "not drawn: 2 rows “<pad>” are NaN");
    EXPECT_EQ(count_unknown(plane.plots[0]), 2);
    EXPECT_EQ(not_drawn_words(plane.plots[1]), "2 without an allowed key");
    EXPECT_EQ(plane.components, (Cell{1, 4}));
}

TEST(PlaneView, ComponentsThatAreGoneAreTheFirstTwo) {
    View view;
    EXPECT_EQ(shown_components(view, 2), (Cell{0, 1}));
    view.show.components = Cell{3, 1};
    EXPECT_EQ(shown_components(view, 4), (Cell{3, 1}));
    EXPECT_EQ(shown_components(view, 3), (Cell{0, 1}));
}

TEST(PlaneView, OutputsOfAnotherWidthHaveNoPlaneWithTheValues) {
    Scene scene = test::view_scene("plane-alternative");
    scene.variants[1].output.w = make_array({5, 2}, std::vector<double>(10, 0.5));
    const PlaneView plane = plane_of(scene);
    EXPECT_EQ(
        plane.plots[1].missing,
        "The outputs have 5 components and the values 2, so they cannot be drawn in one plane.");
}

TEST(PlaneView, SequencesAndHeadsArePlotsOfTheirOwn) {
    Scene scene = test::view_scene("plane-nan");
    scene.show->heads = {0, 1};
    const PlaneView plane = plane_of(scene);
    ASSERT_EQ(plane.plots.size(), 4U);
    EXPECT_EQ(plane.plots[2].title, "head 2");
}

// --- rows that are computed when they are read

Result made_by(Backend&& backend, const Scene& scene) {
    Progress progress;
    return backend.compute(scene, Request(), nullptr, progress);
}

bool is_equal(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }
bool is_same(PlanePoint x, PlanePoint y) { return is_equal(x[0], y[0]) && is_equal(x[1], y[1]); }
bool is_same(const std::vector<PlanePoint>& x, const std::vector<PlanePoint>& y) {
    return std::ranges::equal(x, y, [](PlanePoint a, PlanePoint b) { return is_same(a, b); });
}
bool is_same(const std::optional<HullDistance>& x, const std::optional<HullDistance>& y) {
    return x.has_value() == y.has_value() &&
           (!x || (x->distance == y->distance && is_same(x->nearest, y->nearest)));
}

// Expects everything that `kept` shows at the rows and keys of `some`, to the bit.
void expect_part_of(const PlanePlot& some, const PlanePlot& kept) {
    EXPECT_EQ(some.missing, kept.missing);
    EXPECT_EQ(some.title, kept.title);
    ASSERT_EQ(std::ssize(kept.rows), kept.n_q);
    ASSERT_EQ(std::ssize(kept.columns), kept.n_k);
    ASSERT_EQ(some.outputs.empty(), kept.outputs.empty());
    ASSERT_EQ(some.values.empty(), kept.values.empty());
    ASSERT_EQ(some.hulls.empty(), kept.hulls.empty());
    ASSERT_EQ(some.parts.size(), kept.parts.size());
    for (std::size_t j = 0; j < some.values.size(); ++j)
        ASSERT_TRUE(is_same(some.values[j], kept.values[some.columns[j]])) << j;
    for (std::size_t k = 0; k < some.outputs.size(); ++k) {
        const auto i = static_cast<std::size_t>(some.rows[k]);
        EXPECT_EQ(some.queries[k], kept.queries[i]);
        ASSERT_TRUE(is_same(some.outputs[k], kept.outputs[i])) << i;
        for (std::size_t h = 0; h < some.parts.size(); ++h)
            ASSERT_TRUE(is_same(some.parts[h][k], kept.parts[h][i])) << i;
        for (std::size_t j = 0; j < some.columns.size(); ++j)
            ASSERT_EQ(some.allowed[k][j], kept.allowed[i][some.columns[j]]) << i;
        if (some.hulls.empty()) continue;
        ASSERT_TRUE(is_same(some.hulls[k], kept.hulls[i])) << i;
        ASSERT_TRUE(is_same(some.outside[k], kept.outside[i])) << i;
    }
}

TEST(LongPlane, OfAShortTextIsAsKept) {
    int planes = 0;
    for (std::uint64_t seed = 0; seed < 400 && !HasFailure(); ++seed) {
        SCOPED_TRACE(seed);
        Scene scene = random_scene(seed);
        if (!has_view(scene, ViewKind::plane)) continue;
        ++planes;
        scene.show.emplace().view = ViewKind::plane;
        const View view = test::view_of(scene);
        Progress progress;
        const PlaneView kept = make_plane(made_by(CpuBackend(1), scene), view, progress),
                        read = make_plane(made_by(LargeBackend(1, 0), scene), view, progress);
        ASSERT_EQ(read.plots.size(), kept.plots.size());
        for (std::size_t k = 0; k < kept.plots.size(); ++k) {
            EXPECT_EQ(read.plots[k].rows, kept.plots[k].rows);
            EXPECT_EQ(read.plots[k].columns, kept.plots[k].columns);
            EXPECT_TRUE(std::ranges::equal(read.plots[k].weights, kept.plots[k].weights, is_equal));
            expect_part_of(read.plots[k], kept.plots[k]);
        }
    }
    EXPECT_GT(planes, 100);
}

TEST(LongPlane, OfALongTextIsASampleThatSaysSo) {
    Scene scene;
    std::vector<std::string> tokens;
    for (std::size_t i = 0; i < 1500; ++i) tokens.push_back("a" + std::to_string(i));
    scene.sequences = {{tokens, std::nullopt}};
    scene.inputs = EmbeddingInputs{7, 2, 20, 4, 3};
    scene.variants.resize(3);
    for (Variant& variant : scene.variants) variant.mask.layers.emplace_back();  // causal
    scene.variants[1].mask.apply = Apply::multiply_weights;
    scene.variants[2].output.kind = OutputKind::projected;
    scene.show.emplace().view = ViewKind::plane;
    const auto kept = std::make_shared<const Result>(made_by(CpuBackend(2), scene)),
               read = std::make_shared<const Result>(made_by(LargeBackend(2, 0), scene));
    View view = test::view_of(scene);
    Progress progress;
    const PlaneView all = make_plane(*kept, view, progress);
    for (const Index focus : {Index{1499}, Index{0}, Index{777}, Index{778}}) {
        view.show.focus = Cell{focus, 0};
        const PlaneView some = make_plane(*read, view, progress);
        ASSERT_EQ(some.plots.size(), 3U);
        for (std::size_t k = 0; k < 3; ++k) {
            const PlanePlot& plot = some.plots[k];
            expect_part_of(plot, all.plots[k]);
            EXPECT_LT(plot.rows.size(), 512U);
            EXPECT_EQ(plot.rows[std::size_t(place_of_row(plot, focus))], focus);
            EXPECT_EQ(plot.rows.front(), 0);
            EXPECT_EQ(plot.rows.back(), 1499);
            EXPECT_TRUE(count_words(plot).text.ends_with(", sampled"));
            EXPECT_FALSE(count_words(all.plots[k]).text.ends_with("sampled"));
        }
    }
}

// A row that the sample lacks requires a new sample; a row that it has does not.
TEST(LongPlane, IsMadeAgainForARowThatTheSampleLacks) {
    Scene scene;
    scene.sequences = {{std::vector<std::string>(1500, "a"), std::nullopt}};
    scene.inputs = EmbeddingInputs{7, 1, 8, 2, 2};
    scene.variants.resize(1);
    scene.show.emplace().view = ViewKind::plane;
    const auto read = std::make_shared<const Result>(made_by(LargeBackend(1, 0), scene));
    View view = test::view_of(scene);
    const ViewKey last = view_key(read, view);
    const std::vector<Index> rows = plane_rows(*read, 0, 0);
    view.show.focus = Cell{rows[17], 3};
    EXPECT_EQ(view_key(read, view), last);
    view.show.focus = Cell{rows[17] + 1, 3};
    EXPECT_NE(view_key(read, view), last);
}

}  // namespace
}  // namespace maskscope
