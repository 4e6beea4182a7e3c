// Tests the Translator view in the window: typing, breaking, inspecting, stepping.

#include "app/show/views/view_entry.h"
#include "app/views/translator/translator_view.h"
#include "app/window/actions/actions.h"
#include "app/window/widgets/widgets.h"
#include "core/base/build.h"
#include "core/scene/model.h"
#include "core/scene/names.h"
#include "tests/ui/panels/panels_fixture.h"

namespace maskscope {
namespace {

class InTranslator : public InPanels {
protected:
    void SetUp() override {
        session.open(source_folder() + "/tests/data/views/translator.json");
        session.wait();
        driver->move({1590, 990});
        driver->settle();
    }
    App& app() { return driver->app(); }
    const Rect& bench() { return app().panels.bench; }
    std::string said(int variant) {
        session.wait();
        driver->settle();
        const auto& words = session.shown().variants.at(variant).run->said.front();
        return words ? joined(*words) : "NaN";
    }
    Point in_window(const Rect& r) {
        return {r.x + r.w / 2 + app().ui.bench.figure_at.x,
                r.y + r.h / 2 + app().ui.bench.figure_at.y};
    }
    Point cell_of_mask(int variant, Index i, Index j) {
        for (const Heatmap& map : app().ui.bench.figure.heatmaps)
            if (map.cells->stage == StageKind::allowed && map.variant == variant)
                return in_window(cell_rect(map, i, j));
        ADD_FAILURE() << "no mask is drawn";
        return {-1, -1};
    }
    // Returns the words of a variant in large type.
    std::vector<TranslatedWord> words(int variant) {
        session.wait();
        driver->settle();
        return translator_of(session.results().bench().views)->variants.at(variant).words;
    }
};

TEST_F(InTranslator, SaysWhatEachVariantSays) {
    EXPECT_EQ(shown_view(session.view(), session.shown().scene), ViewKind::translator);
    EXPECT_EQ(said(0), "the red house");
    EXPECT_EQ(said(1), "the house the red house");
    EXPECT_TRUE(shows("house", bench()));
}

TEST_F(InTranslator, TranslatesAsOneTypes) {
    edit_field(app().gui, sentence_field_id(0, Side::queries), "");
    driver->settle();
    driver->type("anna dor");
    driver->settle();
    EXPECT_TRUE(shows("dorme", bench())) << "it is offered";
    driver->type("me");
    EXPECT_EQ(said(0), "anna sleeps") << "before Enter";
    driver->key(GLFW_KEY_ENTER);
    EXPECT_EQ(said(0), "anna sleeps");
    EXPECT_EQ(session.document().undo_name(), "type a sentence");
    session.undo();
    EXPECT_EQ(said(0), "the red house");
}

TEST_F(InTranslator, WhatIsTypedIsASentenceOfItsOwn) {
    type_sentence(app().gui, session, app().ui.sidebar);
    driver->settle();
    ASSERT_TRUE(app().gui.editing);
    EXPECT_EQ(app().gui.editing->field.text(), "la casa rossa");
    driver->key(GLFW_KEY_A, GLFW_MOD_CONTROL);
    driver->type("la casa");
    driver->key(GLFW_KEY_ESCAPE);
    type_sentence(app().gui, session, app().ui.sidebar);
    driver->key(GLFW_KEY_A, GLFW_MOD_CONTROL);
    driver->type("il gatto");
    enter();
    session.undo();
    EXPECT_EQ(joined(session.scene().sequences[0].source), "la casa") << "a step of its own";
}

TEST_F(InTranslator, AnUnknownWordIsReportedAndNothingChanges) {
    edit_field(app().gui, sentence_field_id(0, Side::queries), "");
    driver->settle();
    driver->type("la casa xyzzy");
    driver->settle();
    EXPECT_TRUE(shows_part("with no similar word", bench()));
    driver->key(GLFW_KEY_ENTER);
    EXPECT_EQ(said(0), "the red house");
}

TEST_F(InTranslator, BreakingACellStrikesTheWordThatIsLost) {
    driver->click(cell_of_mask(0, 1, 2));
    using enum TranslatedWord::Kind;
    EXPECT_EQ(said(0), "the house");
    EXPECT_EQ(words(0), (std::vector<TranslatedWord>{
                            {"the", same, 0}, {"red", missing, 1}, {"house", same, 1}}));
}

// Draws the frame that handles the press, and the next one, which must show the words.
TEST_F(InTranslator, ABrokenCellShowsItsWordsInTheNextFrame) {
    const Point at = cell_of_mask(0, 1, 2);
    driver->move(at);
    driver->push({.kind = InputEvent::Kind::button, .code = 0, .down = true});
    frame(app());
    frame(app());
    using enum TranslatedWord::Kind;
    EXPECT_EQ(
        translator_of(session.results().bench().views)->variants.at(0).words,
        (std::vector<TranslatedWord>{{"the", same, 0}, {"red", missing, 1}, {"house", same, 1}}));
    const auto& drawn = app().labels->drawn();
    EXPECT_EQ(std::ranges::count(drawn, "red", &LabelAtlas::DrawnLabel::text), 4)
        << "struck; in variant B said, beside its row, and read by the next";
}

TEST_F(InTranslator, AClickOnAThumbnailShowsItsLayerAndHead) {
    driver->settle();
    for (const Spot& spot : app().ui.bench.figure.spots) {
        if (spot.kind != Spot::Kind::layer || spot.variant != int(ModelAttention::encoder))
            continue;
        if (spot.row != 1 || spot.h != 2) continue;
        const Point at = in_window(spot.rect);
        driver->click(at);
        break;
    }
    session.wait();
    const ModelInputs& model = *model_of(session.scene());
    EXPECT_EQ(model.attention, ModelAttention::encoder);
    EXPECT_EQ(model.layer, 1);
    EXPECT_EQ(session.view().show.heads, (std::vector<Index>{2}));
    EXPECT_EQ(said(0), "the red house") << "its padding mask is the encoder's own";
}

TEST_F(InTranslator, HeadsAreTurnedOffInTheLeftPanel) {
    app().ui.sidebar.variant = 0;
    driver->settle();
    const double above = place("Active heads", sidebar()).y;
    for (const auto& drawn : app().labels->drawn())
        if (drawn.text == "3" && drawn.rect.y > above) {
            driver->click({drawn.rect.x + drawn.rect.w / 2, drawn.rect.y + drawn.rect.h / 2});
            break;
        }
    EXPECT_EQ(session.scene().variants[0].heads_off, (std::vector<Index>{2}));
    EXPECT_EQ(session.document().undo_name(), "turn a head off");
}

// Words that are not yet written appear nowhere: neither among the words nor beside the rows.
TEST_F(InTranslator, PageDownWritesAWordAndShowsWhatItAttendedTo) {
    const auto rows = [&](int variant) {
        for (const Heatmap& map : app().ui.bench.figure.heatmaps)
            if (map.cells->stage == StageKind::weights && map.variant == variant)
                return map.cells->rows;
        return Index{0};
    };
    EXPECT_EQ(rows(0), 4);
    EXPECT_EQ(rows(1), 6);
    driver->key(GLFW_KEY_PAGE_DOWN);
    EXPECT_TRUE(shows("the", bench()));
    EXPECT_FALSE(shows("red", bench()));
    EXPECT_EQ(rows(0), 1);
    EXPECT_EQ(session.view().show.focus, (Cell{0, 0})) << "“the” attended to “la”";
    driver->key(GLFW_KEY_PAGE_DOWN);
    EXPECT_TRUE(shows("red", bench()));
    EXPECT_TRUE(shows("house", bench())) << "variant B says it first";
    EXPECT_EQ(rows(0), 2);
    EXPECT_EQ(rows(1), 2);
    EXPECT_EQ(session.view().show.focus, (Cell{1, 2})) << "“red” looked at “rossa”";
    for (const Index i : {2, 1, 2, 3, 3, 3}) {
        driver->key(i == 1 ? GLFW_KEY_PAGE_UP : GLFW_KEY_PAGE_DOWN);
        EXPECT_EQ(session.view().show.focus->i, i);
    }
    EXPECT_EQ(rows(0), 4);
    EXPECT_EQ(rows(1), 6);
    driver->key(GLFW_KEY_PAGE_DOWN);
    EXPECT_FALSE(session.view().words) << "all of these";
    EXPECT_TRUE(session.document().is_saved());
}

// The decoder's keys are <bos> and the words that it has written.
TEST_F(InTranslator, OfTheDecoderTheColumnsGrowToo) {
    session.edit("look at the decoder", [](Scene& scene) {
        std::get<ModelInputs>(scene.inputs).attention = ModelAttention::decoder;
    });
    session.wait();
    driver->settle();
    driver->key(GLFW_KEY_PAGE_DOWN);
    driver->key(GLFW_KEY_PAGE_DOWN);
    int cut = 0;
    for (const Heatmap& map : app().ui.bench.figure.heatmaps) {
        if (map.variant == foreign_variant) continue;
        EXPECT_EQ(map.cells->rows, 2);
        EXPECT_EQ(map.cells->columns, 2);
        ++cut;
    }
    EXPECT_GT(cut, 0);
    EXPECT_TRUE(shows("<bos>", bench()));
    EXPECT_FALSE(shows("house", bench())) << "the third word";
}

TEST_F(InTranslator, TypingShowsAllWordsAgain) {
    click("Word by word", bench());
    EXPECT_EQ(session.view().words, 1);
    driver->settle();
    EXPECT_FALSE(shows("house", bench()));
    edit_field(app().gui, sentence_field_id(0, Side::queries), "");
    driver->settle();
    driver->type("la casa");
    EXPECT_FALSE(session.view().words);
    EXPECT_EQ(said(0), "the house");
}

// In a lesson Page Down goes to the next step, unless the user steps through the words.
TEST_F(InTranslator, AnAnswerDoesNotMoveTheFigure) {
    session.open(source_folder() + "/assets/lessons/break-it.json");
    session.go_to_step(1);
    session.wait();
    driver->settle();
    ASSERT_TRUE(session.view().asks());
    const Point asked = app().ui.bench.figure_at;
    session.show_answer();
    driver->settle();
    EXPECT_EQ(app().ui.bench.figure_at, asked);
    EXPECT_LT(asked.x, bench().x + 60);
}

TEST_F(InTranslator, ALessonWaitsForTheWordsThatAreStepped) {
    session.open(source_folder() + "/assets/lessons/break-it.json");
    session.wait();
    driver->settle();
    driver->key(GLFW_KEY_PAGE_DOWN);
    ASSERT_FALSE(session.view().asks());
    driver->key(GLFW_KEY_F5);
    for (Index words = 1; words <= 4; ++words) {
        driver->key(GLFW_KEY_RIGHT);
        EXPECT_EQ(session.view().words, words);
    }
    EXPECT_EQ(session.document().step, 0);
    driver->key(GLFW_KEY_RIGHT);
    EXPECT_EQ(session.document().step, 1);
    EXPECT_TRUE(session.view().asks());
    driver->settle();
    const auto count = [this](const char* word) {
        return std::ranges::count(app().labels->drawn(), word, &LabelAtlas::DrawnLabel::text);
    };
    EXPECT_LE(count("<bos>"), 1) << "of variant A, beside its row";
    EXPECT_GE(count("house"), 1);
    EXPECT_LE(count("house"), 2)
        << "of variant A, in words and beside its row: those of variant B would give it away";
    driver->key(GLFW_KEY_PAGE_DOWN);
    driver->key(GLFW_KEY_PAGE_DOWN);
    ASSERT_TRUE(app().ui.ended) << "the course goes on with another lesson";
    EXPECT_EQ(app().ui.ended->entered, session.entered());
}

TEST_F(InTranslator, WithOtherInputsTheTabSaysWhyNot) {
    session.open(source_folder() + "/tests/data/views/generation.json");
    session.view().show.view = ViewKind::translator;
    session.wait();
    driver->settle();
    EXPECT_TRUE(shows_part("no translator here", bench()));
}

}  // namespace
}  // namespace maskscope
