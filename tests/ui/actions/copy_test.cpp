// Tests which numbers are copied, and which keys are left to text fields.

#include <sstream>

#include "app/export/export.h"
#include "app/session/files/carried.h"
#include "app/session/files/state_files.h"
#include "app/window/actions/actions.h"
#include "core/base/error.h"
#include "tests/ui/panels/panels_fixture.h"

namespace maskscope {
namespace {

class Copying : public InPanels {
protected:
    // Returns the middle of a cell on the screen.
    Point cell(int variant, StageKind stage, Cell at) {
        driver->settle();
        const BenchState& bench = driver->app().ui.bench;
        for (const Heatmap& map : bench.figure.heatmaps)
            if (map.variant == variant && map.cells->stage == stage) {
                const Rect rect = cell_rect(map, at.i, at.j);
                return {bench.figure_at.x + rect.x + rect.w / 2,
                        bench.figure_at.y + rect.y + rect.h / 2};
            }
        ADD_FAILURE() << "no such heatmap";
        return {};
    }
    std::vector<std::vector<std::string>> table() {
        driver->key(GLFW_KEY_C, GLFW_MOD_CONTROL | GLFW_MOD_SHIFT);
        std::vector<std::vector<std::string>> rows;
        std::istringstream lines(driver->clipboard);
        for (std::string line; std::getline(lines, line);) {
            rows.emplace_back();
            std::istringstream cells(line);
            for (std::string cell; std::getline(cells, cell, '\t');) rows.back().push_back(cell);
        }
        return rows;
    }
    void expect_stage(int variant, StageKind stage) {
        const auto rows = table();
        const VariantResult& of = session.shown().variants[variant];
        ASSERT_EQ(rows.size(), 7U);
        for (Index i = 0; i < 6; ++i) {
            ASSERT_EQ(rows[1 + i].size(), 7U);
            EXPECT_EQ(rows[0][1 + i], of.keys[0][i]);
            EXPECT_EQ(rows[1 + i][0], of.queries[0][i]);
            for (Index j = 0; j < 6; ++j) {
                const double number = of.stage(stage).at(0, 0, i, j);
                const std::string& text = rows[1 + i][1 + j];
                if (std::isnan(number))
                    EXPECT_EQ(text, "NaN");
                else
                    EXPECT_EQ(std::stof(text), float(number)) << text;
            }
        }
    }
    std::string said() { return session.message() ? session.message()->text : ""; }
};

TEST_F(Copying, TheNumbersAreThoseOfTheHeatmapUnderThePointer) {
    session.view().show.stages = {StageKind::logits, StageKind::weights};
    session.wait();
    driver->settle();
    driver->move(cell(1, StageKind::weights, {2, 1}));
    expect_stage(1, StageKind::weights);
    EXPECT_EQ(said(), "Copied as a table: Weights, variant B, 6 × 6 numbers");
    driver->move(cell(0, StageKind::logits, {2, 1}));
    expect_stage(0, StageKind::logits);
    EXPECT_NE(driver->clipboard.find("\t-inf"), std::string::npos) << "what is blocked has numbers";
    driver->move({1, 1});
    expect_stage(0, StageKind::weights);
}

TEST_F(Copying, TheMaskIsOnesAndNoughts) {
    driver->move(cell(shared_variant, StageKind::allowed, {2, 4}));
    const auto rows = table();
    ASSERT_EQ(rows.size(), 7U);
    for (Index i = 0; i < 6; ++i)
        for (Index j = 0; j < 6; ++j)
            EXPECT_EQ(rows[1 + i][1 + j], is_allowed(scene(), 0, 0, 0, {i, j}) ? "1" : "0");
}

TEST_F(Copying, OfQKAndVTheOneWithTheCursor) {
    driver->move({1, 1});
    driver->key(GLFW_KEY_Q);
    driver->key(GLFW_KEY_Q);
    ASSERT_TRUE(driver->app().ui.bench.tensor_cursor);
    const auto rows = table();
    EXPECT_TRUE(said().starts_with("Copied as a table: K, 6 × ")) << said();
    ASSERT_EQ(rows.size(), 7U);
    EXPECT_EQ(rows[0][1], "0") << "components";
    EXPECT_EQ(rows[1][0], tokens()[0]);
}

TEST_F(Copying, ARowThatIsComputedAloneHasItsOwnToken) {
    session.new_scene();
    session.view().show.view = ViewKind::generation;
    session.view().show.focus = Cell{3, 0};
    driver->settle();
    const auto maps = driver->app().ui.bench.figure.heatmaps;
    const Point origin = driver->app().ui.bench.figure_at;
    const auto third = std::ranges::find_if(
        maps, [](const Heatmap& map) { return map.cells->rows == 1 && map.cells->columns == 3; });
    ASSERT_NE(third, maps.end());
    const Rect cell = cell_rect(*third, 0, 1);
    driver->move({origin.x + cell.x + cell.w / 2, origin.y + cell.y + cell.h / 2});
    driver->settle();
    driver->key(GLFW_KEY_C, GLFW_MOD_CONTROL | GLFW_MOD_SHIFT);
    const auto rows = table();
    ASSERT_EQ(rows.size(), 2U);
    EXPECT_EQ(rows[0].size(), 4U) << "the keys so far";
    EXPECT_EQ(rows[1][0], tokens()[2]);
}

TEST_F(Copying, ATextFieldCopiesItsOwn) {
    click("Type a sentence…");
    driver->type("two words");
    driver->key(GLFW_KEY_A, GLFW_MOD_CONTROL);
    driver->key(GLFW_KEY_C, GLFW_MOD_CONTROL);
    EXPECT_EQ(driver->clipboard, "two words");
    EXPECT_EQ(driver->copied_png, "");
    EXPECT_TRUE(driver->app().gui.editing);
}

TEST_F(Copying, TheEndOfALongTextIsSeenWhereItIsPasted) {
    click("Type a sentence…");
    driver->clipboard.assign(10'000, 'a');
    driver->clipboard += "end";
    driver->key(GLFW_KEY_V, GLFW_MOD_CONTROL);
    driver->settle();
    const auto& drawn = driver->app().labels->drawn();
    const auto end =
        std::ranges::find_if(drawn, [](const auto& label) { return label.text.ends_with("aend"); });
    ASSERT_NE(end, drawn.end());
    EXPECT_TRUE(sidebar().contains({end->rect.x + end->rect.w - 2, end->rect.y}));
}

TEST_F(Copying, ThePictureIsWhatExportWroteLast) {
    ExportOptions options;
    options.dpi = 72;
    options.theme = ThemeKind::dark;
    options.format = FigureFormat::csv;
    remember_choices(state_folder(), options);
    driver->key(GLFW_KEY_C, GLFW_MOD_CONTROL);
    remember_choices(state_folder(), {});
    options.format = FigureFormat::png;
    const std::string scene = packed(carried_of(bench_scene(session), session.document().folder));
    EXPECT_EQ(driver->copied_png, export_bytes(session.shown(), session.view(), options, scene));
    options.format = FigureFormat::svg;
    EXPECT_EQ(driver->copied_svg, export_bytes(session.shown(), session.view(), options, scene));
    EXPECT_EQ(said(), "Copied as a picture, 960 × 540 pixels");
}

// The table would be at least 0.8 GB, which is known before it is made.
TEST_F(Copying, ATableThatCannotBeCopiedIsNotMade) {
    BenchState bench;
    const auto cells = std::make_shared<Cells>();
    cells->rows = cells->columns = 20'000;
    Heatmap& map = bench.figure.heatmaps.emplace_back();
    map.rect = {0, 0, 100, 100};
    map.cells = cells;
    map.variant = 0;
    Gui& gui = driver->app().gui;
    gui.now.pointer = {50, 50};
    session.view().hovered = CellRef{0, StageKind::weights, 0, 0, 1, 1};
    copy_numbers(gui, session, bench);
    EXPECT_EQ(said(),
              "Could not copy: the numbers are more than 800 MB of text, more than the 15 MB that "
              "can be copied; export them "
              "as .csv (Ctrl+E)");
}

TEST_F(Copying, AScriptThatCannotBeCopiedIsWrittenByTheCommandLine) {
    session.edit("rename",
                 [](Scene& scene) { scene.variants[0].name = std::string(16'000'000, 'a'); });
    session.wait();
    copy_as_pytorch(driver->app().gui, session, 0);
    EXPECT_EQ(driver->clipboard, "");
    EXPECT_TRUE(said().starts_with(
        "Could not copy: the script is 16 MB of text, more than the 15 MB that can be copied; "))
        << said();
    EXPECT_NE(said().find("maskscope pytorch"), std::string::npos);
}

TEST_F(Copying, SaysWhyNothingIsCopied) {
    driver->app().gui.clipboard.write_picture = [](const std::string&, const std::string&) {
        throw WorkError("there is no clipboard");
    };
    driver->key(GLFW_KEY_C, GLFW_MOD_CONTROL);
    EXPECT_EQ(said(), "Could not copy: there is no clipboard");
    EXPECT_TRUE(session.message()->wrong);
}

}  // namespace
}  // namespace maskscope
