// Tests the sheet of Ctrl+E: the figure, its choices, and the file.

#include <fmt/format.h>

#include <set>

#include "app/export/export.h"
#include "app/export/export_live.h"
#include "app/figure/write/svg.h"
#include "app/session/files/carried.h"
#include "app/session/files/state_files.h"
#include "core/base/error.h"
#include "core/files/file.h"
#include "tests/ui/panels/panels_fixture.h"

namespace maskscope {
namespace {

class InExportSheet : public InPanels {
protected:
    void open() {
        driver->key(GLFW_KEY_E, GLFW_MOD_CONTROL);
        driver->settle();
    }
    void type_file(const std::string& name) {
        driver->key(GLFW_KEY_A, GLFW_MOD_CONTROL);
        driver->type((folder.path() / name).string());
    }
    bool is_open() { return driver->app().ui.overlays.find<ExportSheet>() != nullptr; }
    ExportSheet& sheet() { return *driver->app().ui.overlays.find<ExportSheet>(); }
    Rect place() { return rect_of<ExportSheet>(driver->app()); }
    std::string bytes(const std::string& name) { return read_file(folder.path() / name); }

    Folder folder;
};

TEST_F(InExportSheet, WritesTheBytesOfTheCommandLineForTheSavedScene) {
    session.view().zoom = {0.2, 0.2, 0.6, 0.6};  // never enters a figure
    click("Export", top_bar());
    driver->settle();
    type_file("figure.png");
    enter();
    EXPECT_FALSE(is_open());
    ASSERT_TRUE(session.message());
    EXPECT_NE(session.message()->text.find("Exported to "), std::string::npos);
    ASSERT_TRUE(session.save_as(folder.path() / "scene.json", false));
    export_scene((folder.path() / "scene.json").string(), (folder.path() / "again.png").string(),
                 {});
    EXPECT_EQ(bytes("figure.png"), bytes("again.png"));
}

TEST_F(InExportSheet, ProposesAFileNamedAsTheTitle) {
    open();
    EXPECT_TRUE(sheet().path.ends_with("/two-ways-to-hide-the-future.png")) << sheet().path;
}

TEST_F(InExportSheet, EscapeClosesAnOpenListFirst) {
    open();
    click("As in the window", place());
    driver->settle();
    ASSERT_TRUE(driver->app().gui.list);
    driver->key(GLFW_KEY_ESCAPE);
    driver->settle();
    EXPECT_FALSE(driver->app().gui.list);
    ASSERT_TRUE(is_open());
    driver->key(GLFW_KEY_ESCAPE);
    EXPECT_FALSE(is_open());
}

TEST_F(InExportSheet, EveryChoiceIsInTheFigureThatIsWritten) {
    open();
    click("SVG", place());
    click("Print", place());
    click("4:3", place());
    click("Numbers", place());
    click("Legend", place());
    ExportOptions expected;
    expected.format = FigureFormat::svg;
    expected.theme = ThemeKind::print;
    expected.size.aspect = 4.0 / 3;
    expected.parts.numbers = expected.parts.legend = false;
    EXPECT_EQ(sheet().options, expected);
    EXPECT_TRUE(sheet().path.ends_with(".svg")) << "the file's extension follows";
    EXPECT_NEAR(sheet().preview.width / sheet().preview.height, 4.0 / 3, 1e-9);
    sheet().path = (folder.path() / "figure.svg").string();
    click("Save", place());
    EXPECT_FALSE(is_open());
    const std::string scene = packed(carried_of(bench_scene(session), session.document().folder));
    EXPECT_EQ(bytes("figure.svg"), export_bytes(session.shown(), session.view(), expected, scene));
    EXPECT_EQ(svg_payload(bytes("figure.svg")), scene);
    open();
    EXPECT_EQ(sheet().options, expected) << "the next figure begins with these";
    driver->key(GLFW_KEY_ESCAPE);
    remember_choices(state_folder(), {});
}

TEST_F(InExportSheet, ASlideCanBeReadFromTheBackRow) {
    open();
    click("Slide", place());
    click("SVG", place());
    EXPECT_TRUE(sheet().options.slide);
    EXPECT_FALSE(shows("Free", place()));
    EXPECT_FALSE(shows("Width", place())) << "it has one";
    EXPECT_FALSE(shows("Legend", place())) << "it has none";
    EXPECT_TRUE(shows("Smallest type: 18.0 pt on a slide, without Mask", place()))
        << "the window has it";
    click("4:3", place());
    EXPECT_NEAR(sheet().preview.width / sheet().preview.height, 4.0 / 3, 0.005);
    sheet().path = (folder.path() / "slide.svg").string();
    click("Save", place());
    ASSERT_TRUE(session.save_as(folder.path() / "scene.json", false));
    ExportOptions options{.format = FigureFormat::svg, .slide = true};
    options.size.aspect = 4.0 / 3;
    export_scene((folder.path() / "scene.json").string(), (folder.path() / "again.svg").string(),
                 options);
    EXPECT_EQ(bytes("slide.svg"), bytes("again.svg"));
    open();
    EXPECT_TRUE(sheet().options.slide) << "remembered";
    driver->key(GLFW_KEY_ESCAPE);
    remember_choices(state_folder(), {});
}

TEST_F(InExportSheet, SaveStaysWhereItIs) {
    for (const Point size : {Point{1366, 768}, Point{1920, 1080}}) {
        driver->push({.kind = InputEvent::Kind::resize, .at = size});
        open();
        const Point save = InPanels::place("Save", place());
        for (const char* choice : {"SVG", "Slide", "CSV", "PNG", "Page"}) {
            click(choice, place());
            EXPECT_EQ(InPanels::place("Save", place()), save) << choice << " at " << size.x;
        }
        driver->key(GLFW_KEY_ESCAPE);
    }
    remember_choices(state_folder(), {});
}

// Single heatmaps keep the shape that was chosen.
TEST_F(InExportSheet, TheShapeThatIsChosenIsKept) {
    open();
    click("16:9", place());
    click("1:1", place());
    click("As in the window", place());
    click("Only “Weights”", anywhere());
    driver->settle();
    EXPECT_NEAR(sheet().preview.width / sheet().preview.height, 1, 1e-9);
    driver->key(GLFW_KEY_ESCAPE);
    remember_choices(state_folder(), {});
}

TEST_F(InExportSheet, TheFormatFollowsFromTheFile) {
    open();
    type_file("cells.csv");
    enter();
    EXPECT_EQ(bytes("cells.csv"),
              export_bytes(session.shown(), session.view(), {.format = FigureFormat::csv}));
    remember_choices(state_folder(), {});
    open();
    type_file("bare");
    enter();
    EXPECT_TRUE(fs::exists(folder.path() / "bare.png")) << "a name without an extension gets one";
}

TEST_F(InExportSheet, WritesAPageOfTheLesson) {
    ASSERT_TRUE(session.lesson());
    open();
    click("HTML", place());
    EXPECT_TRUE(sheet().path.ends_with(".html")) << sheet().path;
    click("Pictures", place());
    EXPECT_EQ(sheet().page, ExportSheet::Page::pictures);
    sheet().path = (folder.path() / "pictures.html").string();
    click("Save", place());
    EXPECT_NE(bytes("pictures.html").find("Two ways to hide the future"), std::string::npos);
    open();
    click("HTML", place());
    if (const std::string why = why_not_live(); !why.empty()) {
        EXPECT_EQ(sheet().page, ExportSheet::Page::pictures);
        EXPECT_TRUE(shows_part("Live: This Maskscope", place())) << "grey, with the reason";
        return;
    }
    EXPECT_EQ(sheet().page, ExportSheet::Page::live);
    sheet().path = (folder.path() / "live.html").string();
    click("Save", place());
    EXPECT_EQ(bytes("live.html"), live_lesson({*session.lesson(), session.document().folder}, {}));
}

// tests/web/page.mjs tests what each choice does to the page.
TEST_F(InExportSheet, EveryChoiceIsInTheLivePageThatIsWritten) {
    if (!why_not_live().empty()) GTEST_SKIP() << why_not_live();
    open();
    click("HTML", place());
    driver->settle();
    click("Dark", place());
    LiveOptions expected{.theme = ThemeKind::dark};
    std::set<std::string> pages;
    for (const auto& [words, option] :
         {std::pair("Ask first", &LiveOptions::questions),
          std::pair("Allow mask edits", &LiveOptions::mask),
          std::pair("Allow other tokens", &LiveOptions::tokens),
          std::pair("Allow other settings", &LiveOptions::settings)}) {
        click(words, place());
        driver->settle();
        expected.*option = false;
        EXPECT_EQ(sheet().live, expected) << words;
        pages.insert(live_lesson({*session.lesson(), session.document().folder}, expected));
    }
    EXPECT_EQ(pages.size(), 4U);
    sheet().path = (folder.path() / "live.html").string();
    click("Save", place());
    EXPECT_EQ(bytes("live.html"),
              live_lesson({*session.lesson(), session.document().folder}, expected));
}

TEST_F(InExportSheet, AWidthThatIsRefusedExportsNothing) {
    open();
    driver->settle();
    const Point width = InPanels::place("Width", place());
    driver->click({width.x + 90, width.y});
    ASSERT_TRUE(driver->app().gui.editing);
    driver->type("1000000");
    enter();
    EXPECT_TRUE(is_open());
    EXPECT_EQ(folder.entries(), 0U);
    ASSERT_TRUE(session.message());
    EXPECT_NE(session.message()->text.find("is not a number from"), std::string::npos);
}

TEST_F(InExportSheet, AsksBeforeItReplacesThePictureOfATex) {
    std::ofstream(folder.path() / "figure-cells.png") << "theirs";
    open();
    type_file("figure.tex");
    enter();
    EXPECT_TRUE(shows("figure-cells.png already exists. Replace it?", place()));
    EXPECT_EQ(bytes("figure-cells.png"), "theirs");
}

TEST_F(InExportSheet, WritesNoFileThatIsCalledAsAFolder) {
    for (const char* name : {".", "..", ""}) {
        open();
        type_file(name);
        enter();
        EXPECT_TRUE(is_open()) << name;
        EXPECT_NE(sheet().error.find("is a directory"), std::string::npos) << sheet().error;
        driver->key(GLFW_KEY_ESCAPE);
        driver->key(GLFW_KEY_ESCAPE);
    }
    EXPECT_EQ(folder.entries(), 0U);
}

// A table has no column for stages with components in place of keys, or with one head for all.
TEST_F(InExportSheet, ATableOffersTheStagesThatItCanHold) {
    open();
    click("As in the window", place());
    click("Only “Output”", anywhere());
    ASSERT_EQ(sheet().options.stage, StageKind::output);
    click("CSV", place());
    EXPECT_FALSE(sheet().options.stage);
    click("As in the window", place());
    EXPECT_TRUE(shows("Only “Weights”", anywhere()));
    for (const char* none : {"Only “Output”", "Only “Influence”", "Only “Allowed”"})
        EXPECT_FALSE(shows(none, anywhere())) << none;
    for (const StageKind stage : {StageKind::allowed, StageKind::output, StageKind::depends})
        EXPECT_THROW(export_bytes(session.shown(), session.view(),
                                  {.format = FigureFormat::csv, .stage = stage}),
                     Error);
}

TEST_F(InExportSheet, ClosesWithItsDocument) {
    open();
    sheet().options.variants = {1};
    driver->push({.kind = InputEvent::Kind::drop,
                  .text = source_folder() + "/assets/scenes/padded-batch.json"});
    driver->settle();
    EXPECT_FALSE(is_open());
    Scene one_variant = session.scene();
    one_variant.variants.resize(1);
    Progress progress;
    const Result result = PlainBackend().compute(one_variant, {}, nullptr, progress);
    for (const FigureFormat format : {FigureFormat::csv, FigureFormat::svg})
        EXPECT_THROW(export_bytes(result, session.view(), {.format = format, .variants = {1}}),
                     Error);
}

TEST_F(InExportSheet, AsksBeforeItReplaces) {
    std::ofstream(folder.path() / "figure.png") << "theirs";
    open();
    type_file("figure.png");
    enter();
    EXPECT_TRUE(shows("figure.png already exists. Replace it?", place()));
    EXPECT_EQ(bytes("figure.png"), "theirs");
    enter();
    EXPECT_FALSE(is_open());
    EXPECT_EQ(bytes("figure.png").substr(1, 3), "PNG");
}

// A second press, or click, that follows immediately was not meant for the question.
TEST_F(InExportSheet, AQuestionIsNotAnsweredBeforeItCanBeRead) {
    std::ofstream(folder.path() / "figure.png") << "theirs";
    open();
    type_file("figure.png");
    const auto press_enter = [&] {
        driver->push({.kind = InputEvent::Kind::key, .code = GLFW_KEY_ENTER, .down = true});
        driver->push({.kind = InputEvent::Kind::key, .code = GLFW_KEY_ENTER});
        driver->settle();
    };
    press_enter();
    press_enter();
    EXPECT_TRUE(sheet().asks_to_replace);
    EXPECT_EQ(bytes("figure.png"), "theirs");
    sheet().asks_to_replace = false;
    driver->settle();
    driver->double_click(InPanels::place("Save", place()));
    ASSERT_TRUE(is_open());
    EXPECT_TRUE(sheet().asks_to_replace);
    EXPECT_EQ(bytes("figure.png"), "theirs");
}

TEST_F(InExportSheet, DoesNotAskWhetherItReplacesAFolder) {
    fs::create_directory(folder.path() / "figure.png");
    open();
    type_file("figure.png");
    enter();
    EXPECT_TRUE(is_open());
    EXPECT_FALSE(sheet().asks_to_replace);
    EXPECT_NE(sheet().error.find("is a directory"), std::string::npos) << sheet().error;
}

TEST_F(InExportSheet, SaysWhyAFileCannotBeWrittenAndStays) {
    open();
    type_file("figure.gif");
    enter();
    EXPECT_TRUE(is_open());
    EXPECT_TRUE(shows_part("expected a name that ends with", place()));
    type_file("missing/figure.png");
    enter();
    EXPECT_TRUE(shows_part("No such file or directory", place()));
    EXPECT_TRUE(fs::is_empty(folder.path()));
    driver->key(GLFW_KEY_ESCAPE);
    driver->key(GLFW_KEY_ESCAPE);
    EXPECT_FALSE(is_open());
}

TEST_F(InExportSheet, ThePreviewFollowsTheScene) {
    open();
    const Figure before = sheet().preview;
    ASSERT_FALSE(before.heatmaps.empty());
    driver->key(GLFW_KEY_ESCAPE);
    driver->key(GLFW_KEY_ESCAPE);
    session.edit("type", [](Scene& scene) { set_sentence(scene, 0, Side::queries, {"a", "b"}); });
    open();
    ASSERT_FALSE(sheet().preview.heatmaps.empty());
    EXPECT_EQ(sheet().preview.heatmaps[0].cells->rows, 2);
}

// Found by the fuzzer: a number that does not fit in an int.
TEST_F(InExportSheet, RemembersNoDotsBeyondItsRange) {
    const Folder folder;
    for (const auto& [dpi, read] :
         {std::pair("1e308", most_dpi), {"-1e308", least_dpi}, {"0.5", 10}}) {
        std::ofstream(folder / "figures.json") << "{\"dpi\": " << dpi << "}";
        EXPECT_EQ(remembered_choices(folder.path()).dpi, read) << dpi;
    }
}

TEST_F(InExportSheet, CopiesItsOwnChoicesAndStays) {
    open();
    click("SVG", place());
    click("Print", place());
    click("Copy", place());
    const std::string scene = packed(carried_of(bench_scene(session), session.document().folder));
    ExportOptions expected;
    expected.theme = ThemeKind::print;
    EXPECT_EQ(driver->copied_png, export_bytes(session.shown(), session.view(), expected, scene));
    expected.format = FigureFormat::svg;
    EXPECT_EQ(driver->copied_svg, export_bytes(session.shown(), session.view(), expected, scene));
    EXPECT_TRUE(is_open());
    EXPECT_EQ(remembered_choices(state_folder()), expected);
    driver->copied_png.clear();
    driver->key(GLFW_KEY_C, GLFW_MOD_CONTROL);
    EXPECT_EQ(driver->copied_png.substr(1, 3), "PNG") << "no field is being edited";
    click("CSV", place());
    click("Copy", place());
    EXPECT_EQ(driver->clipboard,
              export_bytes(session.shown(), session.view(), {.format = FigureFormat::csv}));
    EXPECT_TRUE(session.message()->text.starts_with("Copied as a table, "));
    remember_choices(state_folder(), {});
}

TEST_F(InExportSheet, AFigureOfALongTextIsMadeWhileTheWindowGoesOn) {
    session.edit("type", [](Scene& scene) {
        set_sentence(scene, 0, Side::queries, std::vector<std::string>(200, "word"));
    });
    session.wait();
    open();
    type_file("figure.png");
    enter();
    EXPECT_FALSE(is_open());
    EXPECT_EQ(session.made_aside(), "figure.png");
    EXPECT_TRUE(shows_part("making figure.png", driver->app().panels.status) ||
                session.made_aside().empty());
    session.wait();
    EXPECT_TRUE(session.message()->text.starts_with("Exported to ")) << session.message()->text;
    const std::string scene = packed(carried_of(bench_scene(session), session.document().folder));
    EXPECT_EQ(bytes("figure.png"), export_bytes(session.shown(), session.view(), {}, scene));
    open();
    click("Copy", place());
    EXPECT_TRUE(shows_part("when it is ready", place()) || session.made_aside().empty());
    session.wait();
    EXPECT_EQ(driver->copied_png, bytes("figure.png"));
    EXPECT_TRUE(session.message()->text.starts_with("Copied as a picture"));
    EXPECT_TRUE(shows_part("Copied as a picture", place()));
    driver->app().gui.clipboard.write = [](const std::string&) { throw WorkError("too long"); };
    click("CSV", place());
    click("Copy", place());
    session.wait();
    EXPECT_FALSE(shows_part("when it is ready", place()));
    EXPECT_TRUE(shows_part("Could not copy: too long", place()));
    remember_choices(state_folder(), {});
}

TEST_F(InExportSheet, AFileThatComesWhileTheFigureIsMadeStays) {
    session.edit("type", [](Scene& scene) {
        set_sentence(scene, 0, Side::queries, std::vector<std::string>(200, "word"));
    });
    session.wait();
    open();
    sheet().options.dpi = 600;
    type_file("figure.png");
    enter();
    std::ofstream(folder.path() / "figure.png") << "theirs";
    ASSERT_EQ(session.made_aside(), "figure.png") << "the file was written too early";
    session.wait();
    EXPECT_EQ(session.message()->text, "Could not export: figure.png: already exists");
    EXPECT_EQ(bytes("figure.png"), "theirs");
    EXPECT_EQ(folder.entries(), 1U);
}

TEST_F(InExportSheet, InTheFileFieldCtrlCCopiesText) {
    open();
    driver->key(GLFW_KEY_A, GLFW_MOD_CONTROL);
    driver->key(GLFW_KEY_C, GLFW_MOD_CONTROL);
    EXPECT_EQ(driver->clipboard, sheet().path);
    EXPECT_EQ(driver->copied_png, "");
}

// The sheet may be visible to the class.
TEST_F(InExportSheet, AStepThatAsksStaysCovered) {
    session.go_to_step(1);
    ASSERT_TRUE(session.view().asks());
    driver->settle();
    open();
    EXPECT_FALSE(sheet().preview.hidden.empty());
    const auto shows_weights = [](const Heatmap& map) {
        return map.cells->stage == StageKind::weights && map.variant == 0;
    };
    EXPECT_TRUE(std::ranges::none_of(sheet().preview.heatmaps, shows_weights));
    type_file("question.svg");
    enter();
    EXPECT_EQ(bytes("question.svg").find("<metadata>"), std::string::npos)
        << "the scene would give the answer away";
    remember_choices(state_folder(), {});
    open();
    driver->key(GLFW_KEY_ESCAPE);
    driver->key(GLFW_KEY_ESCAPE);
    session.next();
    driver->settle();
    open();
    EXPECT_TRUE(sheet().preview.hidden.empty());
    EXPECT_TRUE(std::ranges::any_of(sheet().preview.heatmaps, shows_weights));
}

TEST_F(InExportSheet, LeavesTheWindowAlone) {
    const std::vector<std::string> before = tokens();
    open();
    driver->click({10, 500});
    driver->key(GLFW_KEY_Z, GLFW_MOD_CONTROL);
    EXPECT_TRUE(is_open());
    EXPECT_EQ(tokens(), before);
}

// The type is measured on the medium that was chosen: a page is not judged as a slide.
TEST_F(InExportSheet, SaysHowSmallTheSmallestTypeIs) {
    open();
    const auto least_type = [&] {
        double least = 1e9;
        for (const Text& text : sheet().preview.texts)
            if (!text.text.empty()) least = std::min(least, text.style.size);
        for (const Heatmap& map : sheet().preview.heatmaps)
            if (map.number_size > 0) least = std::min(least, map.number_size);
        for (const SumBar& bar : sheet().preview.sums)
            if (!bar.text.empty()) least = std::min(least, bar.text_size);
        return least;
    };
    ASSERT_GT(sheet().preview.width, 0);
    EXPECT_TRUE(shows(fmt::format("Smallest type: {:.1f} pt on paper", least_type()), place()));
    EXPECT_FALSE(shows_part("on a slide", place()));
    click("Slide", place());
    driver->settle();
    const double on_slide = least_type() * 13.333 * 72 / sheet().preview.width;
    EXPECT_TRUE(shows_part(fmt::format("Smallest type: {:.1f} pt on a slide", on_slide), place()));
}

TEST_F(InExportSheet, ProposesTheFolderThatWasUsedLast) {
    open();
    const fs::path first = fs::path(sheet().path).parent_path();
    type_file("figure.png");
    enter();
    ASSERT_FALSE(is_open());
    open();
    EXPECT_EQ(fs::path(sheet().path).parent_path(), folder.path());
    EXPECT_TRUE(sheet().path.ends_with("/two-ways-to-hide-the-future.png")) << sheet().path;
    click("Copy", place());
    driver->key(GLFW_KEY_ESCAPE);
    open();
    EXPECT_EQ(fs::path(sheet().path).parent_path(), folder.path()) << "copying names no folder";
    driver->key(GLFW_KEY_ESCAPE);
    fs::remove_all(folder.path());
    open();
    EXPECT_EQ(fs::path(sheet().path).parent_path(), first) << "it no longer exists";
}

}  // namespace
}  // namespace maskscope
