#include "app/show/views/plane_view.h"

#include <gtest/gtest.h>

#include <cmath>

#include "app/figure/plots/plane_words.h"
#include "core/compute/plane.h"
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
    // the last row keeps sum 1 and stays
    EXPECT_EQ(plane.plots[1].outside[4]->distance, 0);
}

// What the picture shows is the figure `outside` of the scene format.
TEST(PlaneView, AgreesWithTheFigureOutside) {
    for (const char* name : {"plane-convex", "plane-alternative"}) {
        const Scene scene = test::view_scene(name);
        const Result result = computed(scene);
        const PlaneView plane = plane_of(scene);
        for (const PlanePlot& plot : plane.plots) {
            const OutsideRows outside(result, plot.lane);
            ASSERT_EQ(plot.outside.size(), plot.queries.size());
            for (std::size_t i = 0; i < plot.outside.size(); ++i)
                EXPECT_EQ(outside.at(plot.b, plot.h, static_cast<Index>(i)),
                          plot.outside[i] ? plot.outside[i]->distance : NAN)
                    << name << ' ' << i;
        }
    }
}

TEST(PlaneView, TheFirstCausalOutputIsItsOwnValue) {
    const PlaneView plane = plane_of(test::view_scene("plane-convex"));
    EXPECT_EQ(plane.plots[0].outputs[0], plane.plots[0].values[0]);
    EXPECT_EQ(hull_of(plane.plots[0], 0).size(), 1U);
    EXPECT_EQ(hull_of(plane.plots[0], 1).size(), 2U);
}

TEST(PlaneView, TheFourthMatrixTurnsOutputsOutOfTheHull) {
    const PlaneView plane = plane_of(test::view_scene("plane-alternative"));
    EXPECT_EQ(count_outside(plane.plots[0]), 0);
    EXPECT_GT(count_outside(plane.plots[1]), 0);
    const auto length = [](PlanePoint p) { return std::hypot(p[0], p[1]); };
    // 1/√d_k on top, and nothing else: d_k is 2
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
    EXPECT_EQ(not_drawn_words(plane.plots[1]), "2 without a hull");
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
    EXPECT_EQ(plane.plots[1].missing,
              "The outputs have 5 components and the values 2: no common plane.");
}

TEST(PlaneView, SequencesAndHeadsArePlotsOfTheirOwn) {
    Scene scene = test::view_scene("plane-nan");
    scene.show->heads = {0, 1};
    const PlaneView plane = plane_of(scene);
    ASSERT_EQ(plane.plots.size(), 4U);
    EXPECT_EQ(plane.plots[2].title, "head 2");
}

}  // namespace
}  // namespace maskscope
