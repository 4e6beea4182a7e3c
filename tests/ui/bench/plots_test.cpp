// Tests tabs, output plane, table and root d in the window: events in, scene, view and pixels out.

#include <algorithm>
#include <cmath>

#include "app/show/views/view_entry.h"
#include "core/base/build.h"
#include "core/edit/edit.h"
#include "tests/ui/panels/panels_fixture.h"

namespace maskscope {
namespace {

class Plots : public InPanels {
protected:
    void open(const std::string& name) {
        session.open(source_folder() + "/tests/data" + "/views/" + name + ".json");
        session.wait();
        driver->move({1590, 990});
        driver->settle();
    }
    App& app() { return driver->app(); }
    const Rect& bench() { return app().panels.bench; }
    ViewKind shown() { return shown_view(session.view(), session.shown().scene); }
    Point in_window(Point p) {
        return {p.x + app().ui.bench.figure_at.x, p.y + app().ui.bench.figure_at.y};
    }
    Point middle(const Rect& r) { return in_window({r.x + r.w / 2, r.y + r.h / 2}); }
    const Spot& spot(Spot::Kind kind, Index row, Index key, int variant = 0) {
        driver->settle();
        for (const Spot& spot : app().ui.bench.figure.spots)
            if (spot.kind == kind && spot.variant == variant && spot.row == row && spot.key == key)
                return spot;
        ADD_FAILURE() << "no such spot";
        return app().ui.bench.figure.spots.front();
    }
    Colour pixel(Point at) { return driver->pixels().at(at.x, at.y); }
};

// --- tabs

TEST_F(Plots, ATabShowsItsView) {
    open("plane-convex");
    EXPECT_EQ(shown(), ViewKind::plane);
    click("Pipeline", bench());
    EXPECT_EQ(shown(), ViewKind::pipeline);
    EXPECT_FALSE(shows("Heads", bench()));  // there is one head
    click("Mask values", bench());
    EXPECT_EQ(shown(), ViewKind::table);
    click("Output plane", bench());
    EXPECT_EQ(shown(), ViewKind::plane);
    EXPECT_FALSE(session.document().undo_name());  // a view is not an edit
}

TEST_F(Plots, ALowTableKeepsTheRowWithoutAMask) {
    session.open(source_folder() + "/assets/lessons/padding-and-nan-rows.json");
    session.view().show.view = ViewKind::table;
    driver->push({.kind = InputEvent::Kind::resize, .at = {1366, 768}});
    if (session.view().asks()) session.next();
    driver->settle();
    EXPECT_TRUE(app().ui.bench.figure.heatmaps.empty()) << "only names fit";
    EXPECT_TRUE(std::ranges::any_of(app().ui.bench.figure.texts, [](const Text& text) {
        return text.text == "unmasked" && text.role == Role::dim;  // no entry is dim
    }));
}

TEST_F(Plots, CtrlTabGoesRound) {
    open("plane-convex");
    for (const ViewKind view : {ViewKind::table, ViewKind::root_d, ViewKind::generation,
                                ViewKind::frameworks, ViewKind::pipeline, ViewKind::plane}) {
        driver->key(GLFW_KEY_TAB, GLFW_MOD_CONTROL);
        EXPECT_EQ(shown(), view);
    }
    driver->key(GLFW_KEY_TAB, GLFW_MOD_CONTROL | GLFW_MOD_SHIFT);
    EXPECT_EQ(shown(), ViewKind::pipeline);
}

TEST_F(Plots, AnEditThatTakesTheViewAwayShowsThePipeline) {
    open("plane-convex");
    session.edit("no values", [](Scene& s) { std::get<ScoresInputs>(s.inputs).values.reset(); });
    driver->settle();
    EXPECT_EQ(shown(), ViewKind::pipeline);
    EXPECT_FALSE(shows("Output plane", bench()));
}

// --- the plane

TEST_F(Plots, PointingAtAnOutputNamesItsRow) {
    open("plane-convex");
    EXPECT_TRUE(shows_part("“is” at", bench()));
    driver->move(middle(spot(Spot::Kind::output, 1, 0).rect));
    EXPECT_TRUE(shows_part("“My” at", bench()));
    EXPECT_EQ(session.view().hovered->i, 1);
    EXPECT_EQ(session.view().show.focus->i, 3);  // pointing pins nothing
}

TEST_F(Plots, AClickOnAnOutputFocusesItsRow) {
    open("plane-convex");
    driver->click(middle(spot(Spot::Kind::output, 2, 0).rect));
    EXPECT_EQ(session.view().show.focus->i, 2);
    driver->move({1590, 990});
    EXPECT_TRUE(shows_part("“name” at", bench()));
    driver->key(GLFW_KEY_UP);
    EXPECT_TRUE(shows_part("“My” at", bench()));
}

TEST_F(Plots, AClickOnAValueFocusesItsKeyInTheRow) {
    open("plane-convex");
    driver->click(middle(spot(Spot::Kind::value, 3, 2).rect));
    EXPECT_EQ(session.view().show.focus, (Cell{3, 2}));
}

TEST_F(Plots, OutsideIsHollowInTheVariantsColour) {
    open("plane-convex");
    const Theme& theme = colours(app().gui);
    const Point outside = middle(spot(Spot::Kind::output, 1, 0, 1).rect);
    EXPECT_EQ(pixel(outside), theme[Role::ground]);
    EXPECT_EQ(pixel(middle(spot(Spot::Kind::output, 2, 0, 0).rect)), theme[Role::variant_a]);
}

TEST_F(Plots, AnEditMovesTheOutputsInTheSameFrame) {
    open("plane-convex");
    EXPECT_TRUE(shows("3 of 5 outside", bench()));
    session.edit("renormalize",
                 [](Scene& s) { s.variants[1].mask.apply = Apply::multiply_weights_renormalized; });
    EXPECT_FALSE(shows("3 of 5 outside", bench()));
    EXPECT_TRUE(shows("0 of 5 outside", bench()));
}

TEST_F(Plots, ComponentsAreTypedWhereThereAreMany) {
    open("plane-nan");
    EXPECT_TRUE(shows("v₂ →", bench()));
    EXPECT_TRUE(shows("v₅ ↑", bench()));
    click("2", bench());
    driver->key(GLFW_KEY_A, GLFW_MOD_CONTROL);
    driver->type("3");
    enter();
    EXPECT_EQ(session.view().show.components, (Cell{2, 4}));
    EXPECT_TRUE(shows("v₃ →", bench()));
}

TEST_F(Plots, ComponentsAreChosenByChipsWhereThereAreFew) {
    open("plane-convex");
    session.edit("three components", [](Scene& s) {
        std::get<ScoresInputs>(s.inputs).values =
            make_array({5, 3}, {1, 2, 3, 2, 0, 1, 0, 1, 1, 2, 2, 0, 1, 1, 2});
    });
    const auto third = find("v₃ →", {bench().x, bench().y, bench().w, 60});
    ASSERT_TRUE(third);
    driver->click(*third);
    EXPECT_EQ(session.view().show.components, (Cell{2, 1}));
    click("v₃ ↑", {bench().x, bench().y, bench().w, 60});
    EXPECT_EQ(session.view().show.components, (Cell{1, 2}));  // the two are swapped
}

// --- the table

TEST_F(Plots, AClickOnAnEntryMakesItAVariantAndUndoTakesItAway) {
    open("table");
    driver->click(middle(spot(Spot::Kind::entry, 4, 2).rect));
    ASSERT_EQ(scene().variants.size(), 2U);
    const Variant& variant = scene().variants[1];
    EXPECT_EQ(variant.mask.value.number, -1e4);
    EXPECT_EQ(variant.dtype, Dtype::float16);
    EXPECT_EQ(variant.name, "−1e4, float16");
    EXPECT_EQ(session.document().undo_name(), "make it a variant");
    driver->move({1590, 990});
    EXPECT_TRUE(shows("B", bench()));
    driver->key(GLFW_KEY_Z, GLFW_MOD_CONTROL);
    EXPECT_EQ(scene().variants.size(), 1U);
}

TEST_F(Plots, AnEntryThatIsAVariantSaysSo) {
    open("table");
    driver->click(middle(spot(Spot::Kind::entry, 2, 1).rect));
    EXPECT_EQ(scene().variants.size(), 1U);
    ASSERT_TRUE(session.message());
    EXPECT_EQ(session.message()->text, "This is variant A.");
}

TEST_F(Plots, ArrowsChooseAnEntryAndSpaceMakesItAVariant) {
    open("table");
    for (const int key : {GLFW_KEY_DOWN, GLFW_KEY_DOWN, GLFW_KEY_RIGHT, GLFW_KEY_RIGHT})
        driver->key(key);
    driver->settle();
    ASSERT_TRUE(app().ui.bench.spot);
    EXPECT_EQ(app().ui.bench.spot->row, 1);  // the first press chooses the first entry
    EXPECT_EQ(app().ui.bench.spot->key, 2);
    EXPECT_TRUE(shows_part("−∞ twice in float16", bench()));
    driver->key(GLFW_KEY_SPACE);
    ASSERT_EQ(scene().variants.size(), 2U);
    EXPECT_EQ(scene().variants[1].mask.times, 2);
}

TEST_F(Plots, PointingAtAnEntryShowsItsArithmetic) {
    open("table");
    driver->move(middle(spot(Spot::Kind::entry, 4, 2).rect));
    EXPECT_TRUE(shows_part("−1e4 in float16: softmax input", bench()));
}

// --- frameworks

TEST_F(Plots, AFrameworkBecomesAVariantByAClickAndByKeys) {
    open("table");
    click("Frameworks", bench());
    ASSERT_EQ(shown(), ViewKind::frameworks);
    for (const char* kind : {"NaN", "Uniform", "Zeros", "Other"}) EXPECT_TRUE(shows(kind, bench()));
    driver->move(place("FlashAttention", bench()));
    EXPECT_TRUE(shows_part("It takes lengths, a window", anywhere())) << "what it does";
    click("FlashAttention", bench());
    ASSERT_EQ(session.scene().variants.size(), 2U);
    EXPECT_EQ(session.scene().variants[1].name, "FlashAttention");
    EXPECT_EQ(session.document().undo_name(), "as in FlashAttention");
    EXPECT_EQ(shown(), ViewKind::frameworks);
    click("FlashAttention", bench());
    EXPECT_EQ(session.scene().variants.size(), 2U);
    EXPECT_EQ(session.message()->text, "FlashAttention is already variant B.");
    driver->key(GLFW_KEY_DOWN);
    driver->key(GLFW_KEY_SPACE);
    EXPECT_EQ(session.scene().variants.size(), 3U);
}

TEST_F(Plots, CompareThemAllLeadsToTheFrameworks) {
    open("table");
    click("Pipeline", bench());
    click("Every key blocked", sidebar());
    click("a framework", sidebar());
    click("Compare them all", anywhere());
    EXPECT_EQ(shown(), ViewKind::frameworks);
    EXPECT_EQ(session.scene().variants.size(), 1U);
}

// --- root d

TEST_F(Plots, TheMarkedWidthIsDragged) {
    open("root-d");
    const Rect axis = app().ui.bench.figure.spots.front().rect;
    const auto at = [&](double d) {
        return in_window({axis.x + std::log2(d) / 10 * axis.w, axis.y + axis.h / 2});
    };
    driver->drag(at(64), at(256));
    EXPECT_NEAR(double(*session.view().show.d), 256, 3);  // a pixel is 2% of d
    EXPECT_FALSE(session.computing());                    // all widths are there already
    EXPECT_TRUE(shows_part("numbers at d = 25", bench()));
    EXPECT_FALSE(session.document().undo_name());
}

TEST_F(Plots, TheMarkedWidthMovesByKeysAndIsTyped) {
    open("root-d");
    const auto d = [&] { return *session.view().show.d; };
    driver->key(GLFW_KEY_RIGHT);
    EXPECT_EQ(d(), 65);
    driver->key(GLFW_KEY_LEFT);
    driver->key(GLFW_KEY_UP);
    EXPECT_EQ(d(), 128);
    driver->key(GLFW_KEY_DOWN);
    driver->key(GLFW_KEY_DOWN);
    EXPECT_EQ(d(), 32);
    click("32", bench());
    driver->key(GLFW_KEY_A, GLFW_MOD_CONTROL);
    driver->type("1024");
    enter();
    EXPECT_EQ(d(), 1024);
    driver->key(GLFW_KEY_UP);
    EXPECT_EQ(d(), 1024);
}

TEST_F(Plots, RootDIsDrawnBesideTheWindowAndCanBeCancelled) {
    open("plane-convex");
    session.edit("a seed of its own", [](Scene& s) {
        s.inputs = EmbeddingInputs{987654, 1, 4, 2, 8};
    });
    driver->key(GLFW_KEY_TAB, GLFW_MOD_CONTROL);
    driver->key(GLFW_KEY_TAB, GLFW_MOD_CONTROL);
    EXPECT_EQ(shown(), ViewKind::root_d);
    if (session.computing()) {  // it may already be done on a fast machine
        driver->key(GLFW_KEY_ESCAPE);
        session.wait();
        EXPECT_TRUE(shows("Cancelled.", bench()) ||
                    session.results().bench().views.content(ViewKind::root_d));
    }
    driver->key(GLFW_KEY_TAB, GLFW_MOD_CONTROL);
    driver->key(GLFW_KEY_TAB, GLFW_MOD_CONTROL | GLFW_MOD_SHIFT);
    session.wait();
    driver->settle();
    EXPECT_TRUE(shows("Variance of q·k", bench()));
}

// --- generation

TEST_F(Plots, TheArrowKeysStepFromTokenToToken) {
    open("generation");
    EXPECT_EQ(shown(), ViewKind::generation);
    EXPECT_TRUE(shows_part("KV cache: 4 tokens", bench()));
    driver->key(GLFW_KEY_RIGHT);
    EXPECT_EQ(session.view().show.focus, (Cell{4, 1}));
    EXPECT_TRUE(shows_part("KV cache: 5 tokens", bench()));
    driver->key(GLFW_KEY_DOWN);
    driver->key(GLFW_KEY_RIGHT);
    EXPECT_EQ(session.view().show.focus->i, 5) << "there is no later token";
    for (const int key : {GLFW_KEY_UP, GLFW_KEY_LEFT}) driver->key(key);
    EXPECT_EQ(session.view().show.focus->i, 3);
    for (int k = 0; k < 4; ++k) driver->key(GLFW_KEY_LEFT);
    EXPECT_EQ(session.view().show.focus, (Cell{0, 0})) << "the query attends to the key";
    EXPECT_TRUE(shows_part("KV cache: 1 token ", bench()));
    EXPECT_FALSE(session.document().undo_name());
}

TEST_F(Plots, AClickOnARowGeneratesUpToItsToken) {
    open("generation");
    driver->click(middle(spot(Spot::Kind::token, 5, 0, 1).rect));
    EXPECT_EQ(session.view().show.focus->i, 5);
    EXPECT_TRUE(shows_part("KV cache: 6 tokens", bench()));
    driver->click(middle(spot(Spot::Kind::token, 1, 0, 0).rect));
    EXPECT_EQ(session.view().show.focus->i, 1);
}

TEST_F(Plots, PointingAtARowThatIsComputedAlonePointsAtItsCell) {
    open("generation");
    driver->settle();
    const auto& maps = app().ui.bench.figure.heatmaps;
    const auto row = std::ranges::find_if(maps, [](const Heatmap& map) {
        return map.variant == 1 && map.cells->rows == 1 && map.cells->columns == 3;
    });
    ASSERT_NE(row, maps.end());
    const Rect cell = cell_rect(*row, 0, 1);
    driver->move(middle(cell));
    ASSERT_TRUE(session.view().hovered);
    EXPECT_EQ(*session.view().hovered, (CellRef{1, StageKind::weights, 0, 0, 2, 1}));
}

TEST_F(Plots, WhereTokensCannotBeGeneratedTheTabSaysWhy) {
    open("generation");
    session.edit("keys of their own", [](Scene& s) {
        s.sequences[0].keys = {{"one", "two", "three"}};
    });
    session.wait();
    driver->settle();
    EXPECT_TRUE(shows("Generation", bench()));
    EXPECT_TRUE(shows_part("different tokens", bench()));
    driver->key(GLFW_KEY_TAB, GLFW_MOD_CONTROL);
    EXPECT_EQ(shown(), ViewKind::pipeline);
    driver->settle();
    EXPECT_FALSE(shows("Generation", bench()));
}

}  // namespace
}  // namespace maskscope
