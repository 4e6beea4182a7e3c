// Tests the help: the whole table of keys and all pages, complete, at any size of the window; and
// what closes it.

#include <imgui.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <utility>

#include "app/session/files/load.h"
#include "app/style/labels.h"
#include "app/window/actions/actions.h"
#include "app/window/actions/shortcuts.h"
#include "app/window/panels/key_help_lines.h"
#include "app/window/panels/panels.h"
#include "tests/ui/panels/panels_fixture.h"

namespace maskscope {
namespace {

class Sheet : public InPanels {
protected:
    App& app() { return driver->app(); }
    void resize(Point size, double ui_scale) {
        app().gui.scale = ui_scale;
        driver->push({.kind = InputEvent::Kind::resize, .at = size});
        driver->settle();
    }
    // Collects everything that is drawn within the help, as it is scrolled now.
    void collect(std::vector<LabelAtlas::DrawnLabel>& seen) {
        for (const auto& drawn : app().labels->drawn())
            if (rect_of<KeyHelp>(app()).contains({drawn.rect.x + 1, drawn.rect.y}) &&
                rect_of<KeyHelp>(app()).contains({drawn.rect.right() - 1, drawn.rect.bottom()}))
                seen.push_back(drawn);
    }
};

TEST(SheetLines, HoldEveryRowOfTheTable) {
    for (const Shortcut& row : shortcuts()) {
        const std::string_view what = row.family.empty() ? row.what : row.family;
        const auto blocks = key_help_blocks();
        const bool found = std::ranges::any_of(blocks, [&](const KeyHelpBlock& block) {
            return block.heading == heading_of(row.group) &&
                   std::ranges::any_of(block.lines,
                                       [&](const KeyHelpLine& line) { return line.what == what; });
        });
        EXPECT_TRUE(found) << row.keys;
    }
}

TEST(SheetLines, SayWhatKeysShareOnce) {
    EXPECT_EQ(keys_together({"R"}), "R");
    EXPECT_EQ(keys_together({"F5", "F11"}), "F5, F11");
    EXPECT_EQ(keys_together({"Ctrl+Left", "Ctrl+Right"}), "Ctrl+Left, Right");
    EXPECT_EQ(keys_together({"Ctrl+Shift+Z", "Ctrl+Y"}), "Ctrl+Shift+Z, Ctrl+Y");
    EXPECT_EQ(keys_together({"1", "2", "3", "4", "5"}), "1 … 5");
    EXPECT_EQ(keys_together({"Alt+1", "Alt+2", "Alt+3", "Alt+4", "Alt+5"}), "Alt+1 … 5");
}

TEST(HelpPages, AreMadeOfTitleBlocksItemsAndParagraphs) {
    const HelpPage page = read_help_page(
        "# Tour\n\nFirst, a **word**.\n\n## Look\n1. One\n   goes `on`.\n10. Ten\n"
        "- `{q[2]} {k[4]}`: two `tokens`: here\n- a mark\n![](leaks.json)\n\nA paragraph\nof two "
        "lines.\n\nAnother.\n");
    EXPECT_EQ(page.title, "Tour");
    ASSERT_EQ(page.blocks.size(), 2U);
    EXPECT_EQ(page.blocks[0].heading, "");
    EXPECT_EQ(page.blocks[0].lines.at(0).what, "First, a word.");
    EXPECT_EQ(page.blocks[1].heading, "Look");
    std::string text;
    for (const KeyHelpLine& line : page.blocks[1].lines)
        text += line.keys + "|" + line.what + line.picture + "\n";
    EXPECT_EQ(text,
              "1|One goes on.\n10|Ten\n{q[2]} {k[4]}|two tokens: here\n•|a mark\n|leaks.json\n"
              "|A paragraph of two lines.\n|Another.\n");
}

TEST(HelpPages, AreThere) {
    ASSERT_EQ(help_pages().size(), 9U);
    for (const HelpPage& page : help_pages()) {
        EXPECT_FALSE(page.title.empty());
        EXPECT_GT(page.blocks.size(), 2U) << page.title;
        for (const KeyHelpBlock& block : page.blocks) EXPECT_FALSE(block.heading.empty());
    }
}

const HelpPage& page_named(const std::string& name) {
    return *std::ranges::find(help_pages(), name, &HelpPage::name);
}

TEST(HelpPages, EveryAddressIsAStep) {
    std::size_t addresses = 0;
    for (const HelpPage& page : help_pages())
        for (const KeyHelpBlock& block : page.blocks)
            for (const KeyHelpLine& line : block.lines) {
                if (line.leads_to.empty()) continue;
                ++addresses;
                EXPECT_NO_THROW(load(line.leads_to)) << line.leads_to;
            }
    EXPECT_GT(addresses, 60U);
}

// Lines such as "Heads: 1 star, 4 minutes" must agree with the lessons.
TEST(HelpPages, MinutesCountStarsAndSteps) {
    std::map<std::string, std::size_t> stars, steps, said_stars, said_steps;
    for (const BuiltInLesson& lesson : built_in_lessons()) {
        steps[lesson.title] = lesson.steps.size();
        for (const BuiltInStep& step : lesson.steps)
            if (step.star) ++stars[lesson.title];
    }
    const auto count = [](const std::string& line, const char* unit, auto& said) {
        const auto end = line.find(unit);
        if (end == std::string::npos) return;
        const auto begin = line.rfind(' ', end - 1) + 1;
        for (const BuiltInLesson& lesson : built_in_lessons())
            if (line.starts_with(lesson.title))
                said[lesson.title] += std::stoul(line.substr(begin, end - begin));
    };
    int minutes = 0;
    for (const KeyHelpLine& line : page_named("minutes").blocks.at(0).lines) {
        count(line.what, " star", said_stars);
        if (line.leads_to.empty()) continue;
        const auto end = line.what.find(" minutes");
        minutes += std::stoi(line.what.substr(line.what.rfind(' ', end - 1)));
    }
    for (const KeyHelpLine& line : page_named("minutes").blocks.at(1).lines)
        count(line.what, " steps", said_steps);
    EXPECT_EQ(said_stars, stars);
    EXPECT_EQ(said_steps, steps);
    EXPECT_NEAR(minutes, 90, 5);
}

TEST_F(Sheet, AQuestionLeadsToItsStep) {
    open_help_page(app().ui, "questions");
    driver->settle();
    click("Which mask does the decoder’s second attention need?", rect_of<KeyHelp>(app()));
    EXPECT_FALSE(app().ui.overlays.find<KeyHelp>());
    ASSERT_TRUE(session.lesson());
    EXPECT_EQ(session.lesson()->name, "encoder-decoder-masks");
    EXPECT_EQ(session.document().step, 2);
}

// At sizes from a wall of screens to a projector's 1024 × 768 at twice the scale, each word is
// there, and complete.
TEST_F(Sheet, ShowsEveryLineWhole) {
    struct Room {
        Point size;
        double scale;
    };
    for (const Room& room : {Room{{1600, 1000}, 1}, Room{{1280, 720}, 1}, Room{{1024, 768}, 1},
                             Room{{1024, 768}, 2}, Room{{1600, 1000}, 2}}) {
        resize(room.size, room.scale);
        driver->type("?");
        std::vector<LabelAtlas::DrawnLabel> seen;
        for (int page = 0; page < 20; ++page) {
            collect(seen);
            driver->key(GLFW_KEY_PAGE_DOWN);
        }
        for (const KeyHelpBlock& block : key_help_blocks())
            for (const KeyHelpLine& line : block.lines)
                for (const std::string& text : {line.keys, line.what}) {
                    const auto whole = [&](const LabelAtlas::DrawnLabel& drawn) {
                        const TextStyle style{.size = 13 * room.scale};
                        return drawn.text == text && drawn.rect.w + 2 >= measure(text, style).width;
                    };
                    EXPECT_TRUE(std::ranges::any_of(seen, whole))
                        << text << " at " << room.size.x << " x " << room.size.y << ", "
                        << room.scale;
                }
        driver->key(GLFW_KEY_ESCAPE);
    }
}

// Each word of each page is drawn within the sheet, at 13 points or more, and none is cut.
TEST_F(Sheet, ShowsEveryPageWhole) {
    session.edit("name the variants", [](Scene& scene) {  // a title that no page has
        for (Variant& variant : scene.variants) variant.name = "behind the sheet";
    });
    for (const auto& [size, scale] :
         {std::pair{Point{1024, 768}, 1.0}, {Point{2560, 1440}, 1.0}, {Point{1024, 768}, 2.0}}) {
        resize(size, scale);
        driver->type("?");
        app().ui.help_page = 0;
        for (const HelpPage& page : help_pages()) {
            driver->key(GLFW_KEY_RIGHT);
            std::string all, seen, before;
            for (const KeyHelpBlock& block : page.blocks)
                for (const KeyHelpLine& line : block.lines)
                    all += line.keys + "\n" + line.what + "\n";
            for (int screen = 0; screen < 300; ++screen) {
                std::vector<LabelAtlas::DrawnLabel> drawn;
                collect(drawn);  // what is behind the sheet, too
                for (const auto& label : drawn) {
                    if (std::ranges::count(label.text, ' ') < 2 ||  // a label behind the sheet
                        all.find(label.text) == std::string::npos)
                        continue;
                    EXPECT_GE(label.rect.w + 2,
                              measure(label.text, TextStyle{.size = 13 * scale}).width)
                        << label.text;
                }
                std::string shown;
                for (const auto& label : drawn) {
                    seen += " " + label.text;
                    shown += label.text + std::to_string(label.rect.y);
                }
                if (shown == before) break;  // the end of the page
                before = shown;
                driver->key(GLFW_KEY_DOWN);
            }
            for (const KeyHelpBlock& block : page.blocks) {
                EXPECT_NE(seen.find(block.heading), std::string::npos) << block.heading;
                for (const KeyHelpLine& line : block.lines) {
                    std::istringstream words(line.keys + " " + line.what);
                    for (std::string word; words >> word;)
                        EXPECT_NE(seen.find(word), std::string::npos)
                            << word << " of " << line.what;
                }
            }
        }
        driver->key(GLFW_KEY_ESCAPE);
    }
}

// The tour has computed pictures of the cells and sums that it describes.
TEST_F(Sheet, TheTourHasPictures) {
    driver->type("?");
    const Rect keys = rect_of<KeyHelp>(app());
    driver->click(place(help_pages().front().title, keys));
    for (const char* drawn : {"Added before the softmax, −2 for −∞", "Multiplied after the softmax",
                              "Weights", "Row sums", "0.85", "0.44"})
        EXPECT_TRUE(shows(drawn, keys)) << drawn;
}

// Pages change by tabs, or by keys, which wrap around. The sheet stays where it is, and opens at
// the last page.
TEST_F(Sheet, TabsTurnItsPages) {
    driver->type("?");
    const Rect keys = rect_of<KeyHelp>(app());
    const HelpPage& tour = help_pages().front();
    EXPECT_FALSE(shows(tour.blocks.front().heading, keys));
    driver->click(place(tour.title, keys));
    EXPECT_EQ(app().ui.help_page, 1);
    EXPECT_TRUE(shows(tour.blocks.front().heading, keys));
    EXPECT_EQ(rect_of<KeyHelp>(app()), keys);
    driver->key(GLFW_KEY_ESCAPE);
    EXPECT_FALSE(app().ui.overlays.find<KeyHelp>());
    driver->key(GLFW_KEY_F1);
    EXPECT_TRUE(shows(tour.blocks.front().heading, keys));
    driver->key(GLFW_KEY_LEFT);
    EXPECT_TRUE(shows("Everywhere", keys)) << "the keys";
    driver->key(GLFW_KEY_TAB, GLFW_MOD_SHIFT);
    EXPECT_TRUE(shows(help_pages().back().blocks.front().heading, keys));
    driver->key(GLFW_KEY_TAB);
    EXPECT_EQ(app().ui.help_page, 0);
}

TEST_F(Sheet, EscapeTheSameKeyAndAClickBesideCloseIt) {
    driver->type("?");
    ASSERT_TRUE(app().ui.overlays.find<KeyHelp>());
    driver->key(GLFW_KEY_ESCAPE);
    EXPECT_FALSE(app().ui.overlays.find<KeyHelp>());
    driver->type("?");
    driver->type("?");
    EXPECT_FALSE(app().ui.overlays.find<KeyHelp>());
    driver->key(GLFW_KEY_F1);
    driver->key(GLFW_KEY_F1);
    EXPECT_FALSE(app().ui.overlays.find<KeyHelp>());
    const Scene before = scene();
    driver->type("?");
    driver->click({800, 500});
    EXPECT_TRUE(app().ui.overlays.find<KeyHelp>()) << "a click on the sheet does not close it";
    driver->click(place("Present", top_bar()));
    EXPECT_FALSE(app().ui.overlays.find<KeyHelp>());
    EXPECT_FALSE(app().ui.presenting) << "what lies below it was not pressed";
    EXPECT_EQ(scene(), before);
}

TEST_F(Sheet, KeysBelowItRest) {
    driver->type("?");
    const Scene before = scene();
    const View view = session.view();
    for (const Shortcut& row : shortcuts())
        if (row.typed.empty() && row.key != GLFW_KEY_ESCAPE && row.key != GLFW_KEY_F1)
            driver->key(row.key, row.modifiers);
    EXPECT_TRUE(app().ui.overlays.find<KeyHelp>());
    EXPECT_EQ(scene(), before);
    EXPECT_EQ(session.view(), view);
    EXPECT_FALSE(app().ui.presenting);
}

}  // namespace
}  // namespace maskscope
