#include "app/views/root_d/root_d_view.h"

#include <gtest/gtest.h>

#include <thread>

#include "app/views/value_table/value_table.h"
#include "core/base/build.h"
#include "tests/unit/app/session/session_parts.h"
#include "tests/unit/app/show/view_scenes.h"

namespace maskscope {
namespace {

TEST(RootDView, MeasuredVarianceFollowsTheTheory) {
    Progress progress;
    const Scene scene = test::view_scene("root-d");
    const RootDView view = make_root_d(scene, test::view_of(scene), progress);
    ASSERT_EQ(view.curves.size(), 2U);
    for (const Index d : {4, 16, 64, 256, 1024}) {
        EXPECT_NEAR(view.at(0, d).variance / double(d), 1, 0.05);  // as in lesson 6
        EXPECT_NEAR(view.at(1, d).variance, 1, 0.05);
        EXPECT_EQ(view.curves[0].theory[std::size_t(d - 1)], double(d));
    }
    EXPECT_EQ(progress.done, 1);
}

TEST(RootDView, VariantsOfOneScaleShareACurve) {
    Scene scene = test::view_scene("root-d");
    scene.variants.push_back(scene.variants[1]);
    scene.variants[2].mask.apply = Apply::multiply_weights;
    Progress progress;
    const RootDView view = make_root_d(scene, test::view_of(scene), progress);
    ASSERT_EQ(view.curves.size(), 2U);
    EXPECT_EQ(view.curves[1].variants, (std::vector{1, 2}));
    EXPECT_EQ(view.curves[1].name, "") << "of neither variant";
}

TEST(RootDView, OneScaleStandsBesideNone) {
    Scene scene = test::view_scene("root-d");
    scene.variants[0].scale = scene.variants[1].scale;
    Progress progress;
    const RootDView view = make_root_d(scene, test::view_of(scene), progress);
    ASSERT_EQ(view.curves.size(), 2U);
    EXPECT_EQ(view.curves[0].variants, (std::vector{0, 1}));
    EXPECT_TRUE(view.curves[1].variants.empty());
    EXPECT_NEAR(view.at(0, 256).variance, 1, 0.05);
    EXPECT_NEAR(view.at(1, 256).variance / 256, 1, 0.05) << "without the scale";
}

TEST(RootDView, TheMarkedWidthIs64ByDefault) {
    View view;
    EXPECT_EQ(shown_width(view), 64);
    view.show.d = 5;
    EXPECT_EQ(shown_width(view), 5);
}

TEST(RootDView, ACancelledOneIsGivenUp) {
    Progress progress;
    progress.cancel = true;
    const Scene scene = test::view_scene("root-d");
    EXPECT_THROW(make_root_d(scene, test::view_of(scene), progress), Cancellation);
}

// --- in the background

class SessionViews : public testing::Test {
protected:
    SessionViews() {
        path = source_folder() + "/tests/data" + "/views/root-d.json";
        t.session.open(path);
    }
    const ViewData& data() { return t.session.results().bench().views; }
    ViewContent content(ViewKind kind) {
        const auto found = data().contents.find(kind);
        return found == data().contents.end() ? nullptr : found->second;
    }
    std::string path;
    Tested t;
};

TEST_F(SessionViews, RootDIsMadeByAWorkerAndWakesTheWindow) {
    EXPECT_TRUE(t.session.computing());
    EXPECT_FALSE(content(ViewKind::root_d));
    t.session.wait();
    EXPECT_FALSE(t.session.computing());
    EXPECT_EQ(t.woken, 1);
    ASSERT_TRUE(content(ViewKind::root_d));
    EXPECT_EQ(std::static_pointer_cast<const RootDView>(content(ViewKind::root_d))->curves.size(),
              2U);
}

TEST_F(SessionViews, AnotherWidthOrMaskMakesNothingAgain) {
    t.session.wait();
    const auto before = content(ViewKind::root_d);
    t.session.view().show.d = 7;
    t.session.edit("mask", [](Scene& s) { set_layer(s, {0, 1}, LayerKind::causal, true); });
    t.session.update();
    EXPECT_FALSE(t.session.computing());
    EXPECT_EQ(content(ViewKind::root_d), before);
    t.session.edit("scale", [](Scene& s) { s.variants[1].scale = {ScaleKind::number, 0.1}; });
    t.session.wait();
    EXPECT_NE(content(ViewKind::root_d), before);
}

TEST_F(SessionViews, CancelledItStaysSoUntilTheViewIsShownAgain) {
    t.session.cancel();
    t.session.wait();
    EXPECT_EQ(data().failure, "Cancelled.");
    t.session.update();
    EXPECT_FALSE(t.session.computing());
    t.session.view().show.view = ViewKind::pipeline;
    t.session.update();
    EXPECT_EQ(data().failure, "");
    t.session.view().show.view = ViewKind::root_d;
    t.session.wait();
    EXPECT_TRUE(content(ViewKind::root_d));
}

TEST_F(SessionViews, TheTableFollowsTheFocusInTheSameUpdate) {
    t.session.open(source_folder() + "/tests/data" + "/views/table-words.json");
    t.session.wait();
    ASSERT_TRUE(tables_of(data()));
    EXPECT_EQ(tables_of(data())->tables[0].query, "name");
    t.session.view().show.focus = Cell{3, 0};
    t.session.update();
    EXPECT_EQ(tables_of(data())->tables[0].query, "is");
}

}  // namespace
}  // namespace maskscope
