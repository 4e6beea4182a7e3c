// The panels, driven by events as a person would: found by what they say, not by where they stand.

#include <GLFW/glfw3.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "app/commands/export.h"
#include "app/label_atlas.h"
#include "core/cpu/plain.h"
#include "tests/ui/harness.h"

namespace maskscope {
namespace {

namespace fs = std::filesystem;

const char* const lesson_file = MASKSCOPE_SOURCE "/assets/lessons/additive-or-multiplicative.json";

// A folder of the test's own, gone with it.
class Folder {
public:
    Folder() {
        std::string pattern = (fs::temp_directory_path() / "maskscope-XXXXXX").string();
        path_ = ::mkdtemp(pattern.data());
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    ~Folder() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    const fs::path& path() const { return path_; }

private:
    fs::path path_;
};

class Panels : public ::testing::Test {
protected:
    Panels() : session(std::make_unique<PlainBackend>()) {
        session.open(lesson_file);
        driver = std::make_unique<ui::Driver>(session);
    }

    const Rect& sidebar() { return driver->app().panels.sidebar; }
    const Rect& inspector() { return driver->app().panels.inspector; }
    const Scene& scene() const { return session.scene(); }
    const std::vector<std::string>& tokens() const { return scene().sequences[0].queries; }

    // The middle of a text that stands within a panel now.
    std::optional<Point> find(const std::string& text, const Rect& within) {
        driver->settle();
        for (const auto& drawn : driver->app().labels->drawn()) {
            const Point middle{drawn.rect.x + drawn.rect.w / 2, drawn.rect.y + drawn.rect.h / 2};
            if (drawn.text == text && within.contains(middle)) return middle;
        }
        return std::nullopt;
    }
    bool shows(const std::string& text, const Rect& within) {
        return find(text, within).has_value();
    }
    bool shows_part(const std::string& part, const Rect& within) {
        driver->settle();
        for (const auto& drawn : driver->app().labels->drawn())
            if (drawn.text.find(part) != std::string::npos &&
                within.contains({drawn.rect.x + drawn.rect.w / 2, drawn.rect.y + 1}))
                return true;
        return false;
    }
    Point place(const std::string& text, const Rect& within) {
        const auto at = find(text, within);
        EXPECT_TRUE(at) << "nothing says " << text;
        return at.value_or(Point{-1, -1});
    }
    void click(const std::string& text, const Rect& within) { driver->click(place(text, within)); }
    void click(const std::string& text) { click(text, sidebar()); }
    Rect anywhere() const { return {0, 0, 1600, 1000}; }
    const Rect& top_bar() { return driver->app().panels.top_bar; }
    void enter() { driver->key(GLFW_KEY_ENTER); }

    Session session;
    std::unique_ptr<ui::Driver> driver;
};

// --- tokens

TEST_F(Panels, ATypedSentenceReplacesTheTokens) {
    click("Type a sentence …");
    driver->type("we \"New York\" saw");
    enter();
    EXPECT_EQ(tokens(), (std::vector<std::string>{"we", "New York", "saw"}));
    EXPECT_EQ(session.shown().scene, scene()) << "the numbers follow";
    EXPECT_TRUE(shows("New York", sidebar()));
}

TEST_F(Panels, ASentenceThatIsLeftIsNotTaken) {
    const auto before = tokens();
    click("Type a sentence …");
    driver->type("half a");
    click("Mask layers");
    EXPECT_EQ(tokens(), before);
}

TEST_F(Panels, ATokenIsRenamedInPlace) {
    driver->double_click(place("Luke", sidebar()));
    driver->type("Leia");
    enter();
    EXPECT_EQ(tokens()[4], "Leia");
    EXPECT_EQ(session.undo_name(), "rename a token");
    driver->key(GLFW_KEY_Z, GLFW_MOD_CONTROL);
    EXPECT_EQ(tokens()[4], "Luke");
}

TEST_F(Panels, AnEmojiKeepsItsBytesWhenItsFieldIsLeft) {
    const std::string family = "👩‍👩‍👧";  // three people and two joiners
    session.edit("", [&](Scene& s) { rename_token(s, 0, Side::queries, 4, family); });
    const Scene before = scene();
    driver->double_click(place(family, sidebar()));
    EXPECT_TRUE(driver->app().ui.editing) << "the field has the keyboard";
    click("Mask layers");
    EXPECT_FALSE(driver->app().ui.editing);
    EXPECT_EQ(tokens()[4], family);
    EXPECT_EQ(scene(), before);
    const Folder folder;
    ASSERT_TRUE(session.save_as(folder.path() / "scene.json", false));
    std::ifstream file(folder.path() / "scene.json", std::ios::binary);
    const std::string saved(std::istreambuf_iterator<char>(file), {});
    EXPECT_NE(saved.find("\"" + family + "\""), std::string::npos);
    driver->double_click(place(family, sidebar()));
    driver->key(GLFW_KEY_END);
    driver->type("!");
    enter();
    EXPECT_EQ(tokens()[4], family + "!");
}

TEST_F(Panels, ATokenOfAWordPieceShowsItsMarks) {
    session.edit("", [](Scene& s) { rename_token(s, 0, Side::queries, 4, "##ing"); });
    // An invisible joiner keeps the two marks apart; see sidebar_tokens.cpp.
    EXPECT_TRUE(shows("#\u2060#ing", sidebar()));
    EXPECT_EQ(tokens()[4], "##ing");
}

TEST_F(Panels, ASelectedTokenIsPaddedFollowedByAnotherAndDeleted) {
    click("Luke");
    click("Pad");
    EXPECT_EQ(tokens()[4], scene().pad_token);
    click("No pad");
    EXPECT_NE(tokens()[4], scene().pad_token);
    click("Insert");
    EXPECT_EQ(tokens().size(), 7u);
    click("Delete");
    EXPECT_EQ(tokens().size(), 6u);
}

TEST_F(Panels, PlusAddsATokenAndNamesIt) {
    click("+");
    driver->type("indeed");
    enter();
    ASSERT_EQ(tokens().size(), 7u);
    EXPECT_EQ(tokens()[6], "indeed");
}

TEST_F(Panels, ADraggedTokenMoves) {
    driver->drag(place("Luke", sidebar()), place("My", sidebar()));
    EXPECT_EQ(tokens(), (std::vector<std::string>{"<sos>", "Luke", "My", "name", "is", "<eos>"}));
}

// --- layers

TEST_F(Panels, ALayerIsTakenOffAllLanesInOneStep) {
    click("Causal");
    for (const Variant& variant : scene().variants) EXPECT_TRUE(variant.mask.layers.empty());
    click("Undo", top_bar());
    for (const Variant& variant : scene().variants) EXPECT_EQ(variant.mask.layers.size(), 1u);
}

TEST_F(Panels, AWindowHasItsWidthsInTheRow) {
    click("Window");
    const auto window = [&]() -> const MaskLayer& {
        return scene().variants[0].mask.layers.back();
    };
    ASSERT_EQ(window().kind, LayerKind::window);
    click("keys back");
    driver->type("3");
    enter();
    EXPECT_EQ(window().left, 3);
    EXPECT_EQ(scene().variants[1].mask.layers, scene().variants[0].mask.layers);
    click("keys back");
    driver->type("-1");
    enter();
    EXPECT_EQ(window().left, 3) << "out of range: said, and not taken";
    EXPECT_TRUE(session.message() && session.message()->wrong);
}

TEST_F(Panels, ARareLayerIsAddedFromTheList) {
    click("+ layer");
    click("ALiBi", anywhere());
    EXPECT_EQ(scene().variants[0].mask.layers.back().kind, LayerKind::alibi);
}

TEST_F(Panels, LanesWithDifferentLayersAreListedOneByOne) {
    session.edit("", [](Scene& s) { s.variants[1].mask.layers.clear(); });
    EXPECT_TRUE(shows("of one lane", sidebar()));
    click("Padding");
    EXPECT_EQ(scene().variants[0].mask.layers.size(), 2u);
    EXPECT_TRUE(scene().variants[1].mask.layers.empty());
}

// --- variants

TEST_F(Panels, TheApplyModeIsChosenInTheOpenVariant) {
    click(scene().variants[0].name);
    EXPECT_EQ(driver->app().ui.variant, 0);
    // The first words are the lane's own name, the second its apply mode.
    Point second{};
    for (const auto& drawn : driver->app().labels->drawn())
        if (drawn.text == "Added before the softmax" && sidebar().contains({30, drawn.rect.y}))
            if (drawn.rect.x < sidebar().right())
                second = {drawn.rect.x + 4, drawn.rect.y + drawn.rect.h / 2};
    driver->click(second);
    click("Replaced before the softmax", anywhere());
    EXPECT_EQ(scene().variants[0].mask.apply, Apply::replace);
    driver->key(GLFW_KEY_Z, GLFW_MOD_CONTROL);
    EXPECT_EQ(scene().variants[0].mask.apply, Apply::additive);
}

TEST_F(Panels, AValueIsChosenOrTyped) {
    click(scene().variants[0].name);
    click("value");
    click("−1e9", anywhere());
    EXPECT_EQ(scene().variants[0].mask.value, (BlockedValue{ValueKind::number, -1e9}));
    click("twice");
    EXPECT_EQ(scene().variants[0].mask.times, 2);
    click("value");
    click("other …", anywhere());
    driver->type("-2");
    enter();
    EXPECT_EQ(scene().variants[0].mask.value, (BlockedValue{ValueKind::number, -2}));
    click("value");
    click("other …", anywhere());
    driver->type("minus two");
    enter();
    EXPECT_EQ(scene().variants[0].mask.value, (BlockedValue{ValueKind::number, -2}));
    EXPECT_TRUE(session.message() && session.message()->wrong);
}

TEST_F(Panels, AVariantIsDuplicatedRenamedAndRemoved) {
    click(scene().variants[0].name);
    click("Duplicate");
    ASSERT_EQ(scene().variants.size(), 3u);
    EXPECT_EQ(driver->app().ui.variant, 2);
    click("Rename");  // the new one is open, and scrolled to
    driver->type("mine");
    enter();
    EXPECT_EQ(scene().variants[2].name, "mine");
    click("Remove");
    EXPECT_EQ(scene().variants.size(), 2u);
    click("+ variant");
    EXPECT_EQ(scene().variants.size(), 3u);
}

// --- inputs

TEST_F(Panels, TheSeedIsTyped) {
    click("Seed");
    driver->type("12");
    enter();
    EXPECT_EQ(std::get<EmbeddingInputs>(scene().inputs).seed, 12u);
}

// --- the inspector

TEST_F(Panels, TheInspectorTellsThePinnedCellAndFollowsThePointer) {
    session.view().show.focus = Cell{2, 1};
    EXPECT_TRUE(shows("pinned", inspector()));
    EXPECT_TRUE(shows("looks at", inspector()));
    EXPECT_TRUE(shows("Σ over 3 allowed", inspector()));
    EXPECT_TRUE(shows("Σ over all 6", inspector()));
    EXPECT_TRUE(shows("blocked", inspector()));
    session.view().show.focus = Cell{40, 1};  // taken away by an edit
    EXPECT_TRUE(shows_part("Point at a cell", inspector()));
    session.view().show.focus.reset();
    EXPECT_TRUE(shows_part("Point at a cell", inspector()));
}

TEST_F(Panels, NothingOfTheAnswerIsShownWhileAStepAsks) {
    int asking = -1;
    for (std::size_t k = 0; k < session.lesson()->steps.size(); ++k)
        if (!session.lesson()->steps[k].ask.empty()) asking = static_cast<int>(k);
    ASSERT_GE(asking, 0);
    session.go_to_step(asking);
    ASSERT_TRUE(session.covered());
    EXPECT_FALSE(shows("sum", inspector()));
    EXPECT_FALSE(shows("looks at", inspector()));
    EXPECT_FALSE(shows_part("holds", driver->app().panels.caption));
    EXPECT_FALSE(shows_part("Try:", driver->app().panels.caption));
    click("›", top_bar());
    EXPECT_FALSE(session.covered());
    EXPECT_EQ(session.step(), asking);
    EXPECT_TRUE(shows("sum", inspector()));
    EXPECT_TRUE(shows_part("holds", driver->app().panels.caption));
}

TEST_F(Panels, TheVerdictFollowsAnEdit) {
    session.go_to_step(2);
    while (session.covered()) session.next();
    const Rect& caption = driver->app().panels.caption;
    EXPECT_TRUE(shows_part(": holds (", caption));
    session.edit("", [](Scene& s) { s.variants[1].mask.apply = Apply::additive; });
    EXPECT_TRUE(shows_part(": no longer holds: 1.000", caption));
}

// --- the top bar, the path line

TEST_F(Panels, TheArrowsTurnTheSteps) {
    ASSERT_EQ(session.step(), 0);
    click("›", top_bar());
    EXPECT_EQ(session.step(), 1);
    click("‹", top_bar());
    EXPECT_EQ(session.step(), 0);
    EXPECT_TRUE(shows("★ 1 / 9", top_bar()));
}

TEST_F(Panels, TheThemeTurns) {
    click("Theme", top_bar());
    EXPECT_EQ(session.view().theme, ThemeKind::light);
    const Colour panel = theme(ThemeKind::light)[Role::panel];
    EXPECT_EQ(driver->pixels().at(10, 990), panel);
}

TEST_F(Panels, APathIsCompletedSavedAskedAboutAndOpened) {
    const Folder folder;
    const auto type_path = [&](const std::string& text) {
        driver->settle();
        driver->key(GLFW_KEY_A, GLFW_MOD_CONTROL);
        driver->type(text);
    };
    session.new_scene();
    driver->key(GLFW_KEY_S, GLFW_MOD_CONTROL);
    ASSERT_TRUE(driver->app().ui.path_line);
    type_path((folder.path() / "scene.json").string());
    enter();
    EXPECT_FALSE(driver->app().ui.path_line);
    ASSERT_TRUE(fs::exists(folder.path() / "scene.json"));
    EXPECT_TRUE(session.is_saved());

    // Over a file of somebody else it asks first.
    std::ofstream(folder.path() / "other.json") << "theirs";
    driver->key(GLFW_KEY_S, GLFW_MOD_CONTROL | GLFW_MOD_SHIFT);
    type_path((folder.path() / "other.json").string());
    enter();
    EXPECT_TRUE(shows_part("exists already", anywhere()));
    EXPECT_EQ(fs::file_size(folder.path() / "other.json"), 6u);
    click("Cancel", driver->app().panels.path_line);
    EXPECT_FALSE(driver->app().ui.path_line);

    session.open(lesson_file);
    driver->key(GLFW_KEY_O, GLFW_MOD_CONTROL);
    type_path((folder.path() / "sc").string());
    driver->key(GLFW_KEY_TAB);
    enter();
    EXPECT_EQ(session.path(), folder.path() / "scene.json");
    EXPECT_EQ(session.lesson(), nullptr);
}

TEST_F(Panels, AFileThatIsMissingIsSaidAndTheLineStays) {
    driver->key(GLFW_KEY_O, GLFW_MOD_CONTROL);
    driver->settle();
    driver->key(GLFW_KEY_A, GLFW_MOD_CONTROL);
    driver->type("/nowhere/at/all.json");
    enter();
    EXPECT_TRUE(driver->app().ui.path_line);
    EXPECT_TRUE(session.message() && session.message()->wrong);
    EXPECT_NE(session.lesson(), nullptr) << "what was open stays";
    driver->key(GLFW_KEY_ESCAPE);
    EXPECT_FALSE(driver->app().ui.path_line);
}

TEST_F(Panels, TheBenchIsExportedAsTheCommandLineExportsTheSavedScene) {
    const Folder folder;
    const auto bytes = [&](const std::string& name) {
        std::ifstream file(folder.path() / name, std::ios::binary);
        return std::string(std::istreambuf_iterator<char>(file), {});
    };
    session.view().zoom = {0.2, 0.2, 0.6, 0.6};  // never enters a figure
    click("Export Ctrl E", top_bar());
    driver->settle();
    driver->key(GLFW_KEY_A, GLFW_MOD_CONTROL);
    driver->type((folder.path() / "figure.png").string());
    enter();
    EXPECT_FALSE(driver->app().ui.path_line);
    EXPECT_EQ(bytes("figure.png").substr(1, 3), "PNG");
    ASSERT_TRUE(session.save_as(folder.path() / "scene.json", false));
    export_figure((folder.path() / "scene.json").string(), (folder.path() / "again.png").string(),
                  {});
    EXPECT_EQ(bytes("figure.png"), bytes("again.png"));
}

TEST_F(Panels, AnotherFormatIsRefusedByName) {
    const Folder folder;
    driver->key(GLFW_KEY_E, GLFW_MOD_CONTROL);
    driver->settle();
    driver->key(GLFW_KEY_A, GLFW_MOD_CONTROL);
    driver->type((folder.path() / "figure.svg").string());
    enter();
    EXPECT_TRUE(fs::is_empty(folder.path()));
    ASSERT_TRUE(session.message());
    EXPECT_NE(session.message()->text.find("not a format of this version (png)"),
              std::string::npos);
}

TEST_F(Panels, NothingIsSmallerThanTwelvePointsOfText) {
    // Every label is at least as high as a line of 12 points; the letters of the lanes too.
    constexpr double lowest_line = 12;
    session.view().show.focus = Cell{2, 1};
    driver->app().ui.variant = 0;
    driver->settle();
    for (const auto& drawn : driver->app().labels->drawn()) {
        const Point at{drawn.rect.x, drawn.rect.y};
        if (!sidebar().contains(at) && !inspector().contains(at)) continue;
        EXPECT_GE(drawn.rect.h, lowest_line) << drawn.text;
    }
}

}  // namespace
}  // namespace maskscope
