// Every row of the table of keys, pressed: what became of the state, and that the picture shows it.

#include "app/shortcuts.h"

#include <functional>
#include <map>

#include "tests/ui/panels_fixture.h"

namespace maskscope {
namespace {

// Keys act otherwise while presenting: a row is known by both.
std::string name_of(const Shortcut& row) {
    return std::string(row.keys) + (row.when == When::presenting ? ", presenting" : "");
}

class EachKey : public InPanels, public ::testing::WithParamInterface<std::size_t> {
protected:
    App& app() { return driver->app(); }
    Ui& ui() { return driver->app().ui; }
    Show& show() { return session.view().show; }

    void press(const Shortcut& row) {
        if (row.typed.empty())
            driver->key(row.key, row.modifiers);
        else
            driver->type(std::string(row.typed));
    }
    // The row under test; what it does is seen.
    void press() {
        driver->settle();
        const ui::Pixels before = driver->pixels();
        press(shortcuts()[GetParam()]);
        EXPECT_TRUE(before.colours != driver->pixels().colours) << "nothing is seen of it";
    }

    void edit_something() {
        session.edit("block a cell", [](Scene& s) { set_allowed(s, {0, 1}, 0, 0, {1, 0}, false); });
    }
    void select(Index k) { ui().selected = TokenRef{0, Side::queries, k}; }
    void give_heads(Index count) {
        session.edit("", [count](Scene& s) { std::get<EmbeddingInputs>(s.inputs).heads = count; });
    }
    bool shows_stage(StageKind stage) {
        const auto shown = shown_stages(session.view());
        return std::find(shown.begin(), shown.end(), stage) != shown.end();
    }
    ViewKind view() { return show().view.value_or(ViewKind::pipeline); }
    int next_star_from(int step, int way) {
        const auto& steps = session.lesson()->steps;
        do step += way;
        while (!steps.at(static_cast<std::size_t>(step)).star);
        return step;
    }

    void put_cursor(Cell cell) {
        show().focus = cell;
        if (ui().presenting) ui().presenting->moved_in = session.step();  // no longer on the ring
    }

    // --- a check for each kind of row

    void moves_cursor(Index down, Index right) {
        put_cursor({2, 2});
        press();
        EXPECT_EQ(show().focus, (Cell{2 + down, 2 + right}));
    }
    void moves_step(int by) {
        session.go_to_step(1);
        driver->key(GLFW_KEY_L, GLFW_MOD_CONTROL);
        const std::string title = session.lesson()->steps[1].title;
        press();
        EXPECT_EQ(session.lesson()->steps[static_cast<std::size_t>(1 + by)].title, title);
        EXPECT_EQ(session.step(), 1 + by) << "it stays shown";
    }
    void toggles_stage(StageKind stage) {
        const bool before = shows_stage(stage);
        press();
        EXPECT_NE(shows_stage(stage), before);
        press();
        EXPECT_EQ(shows_stage(stage), before);
    }
    void jumps_to_head(Index h) {
        give_heads(9);
        show().heads = std::vector<Index>{h == 0 ? 8 : 0};
        press();
        EXPECT_EQ(show().heads, std::vector<Index>{h});
    }
    void opens_line(PathLine::Purpose purpose) {
        press();
        ASSERT_TRUE(ui().path_line);
        EXPECT_EQ(ui().path_line->purpose, purpose);
        EXPECT_TRUE(ui().editing) << "it has the keyboard";
    }
    void presents() {
        press();
        EXPECT_TRUE(ui().presenting);
        press();
        EXPECT_FALSE(ui().presenting);
    }
    void blanks() {
        press();
        EXPECT_TRUE(ui().presenting->blank);
        press();
        EXPECT_FALSE(ui().presenting->blank);
    }
    void turns_what_if(int back) {
        driver->key(GLFW_KEY_TAB);
        const Scene before = scene();
        press();
        EXPECT_NE(scene(), before);
        EXPECT_EQ(session.shown().scene, scene());
        driver->key(back);
        EXPECT_EQ(scene(), before) << "the other way leads back";
    }
    void redoes() {
        edit_something();
        const Scene edited = scene();
        session.undo();
        press();
        EXPECT_EQ(scene(), edited);
    }
    void opens_sheet() {
        press();
        EXPECT_TRUE(ui().sheet_open);
        press();
        EXPECT_FALSE(ui().sheet_open);
    }

    using Check = std::function<void(EachKey&)>;
    static const std::map<std::string, Check>& checks();
    static std::map<std::string, Check> lesson_checks();
    static std::map<std::string, Check> token_checks();
    static std::map<std::string, Check> bench_checks();
    static std::map<std::string, Check> file_checks();
    static std::map<std::string, Check> presenting_checks();
};

std::map<std::string, EachKey::Check> EachKey::lesson_checks() {
    return {
        {"Page Down",
         [](EachKey& t) {
             t.press();
             EXPECT_EQ(t.session.step(), 1);
         }},
        {"Page Up",
         [](EachKey& t) {
             t.session.go_to_step(2);
             t.press();
             EXPECT_EQ(t.session.step(), 1);
         }},
        {"Shift+Page Down",
         [](EachKey& t) {
             const int star = t.next_star_from(0, 1);
             t.press();
             EXPECT_EQ(t.session.step(), star);
         }},
        {"Shift+Page Up",
         [](EachKey& t) {
             t.session.go_to_step(8);
             const int star = t.next_star_from(8, -1);
             t.press();
             EXPECT_EQ(t.session.step(), star);
         }},
        {"Ctrl+L",
         [](EachKey& t) {
             t.press();
             EXPECT_TRUE(t.ui().lesson_editor);
             t.press();
             EXPECT_FALSE(t.ui().lesson_editor);
         }},
        {"Alt+Up", [](EachKey& t) { t.moves_step(-1); }},
        {"Alt+Down", [](EachKey& t) { t.moves_step(1); }},
        {"R",
         [](EachKey& t) {
             const Scene before = t.scene();
             t.edit_something();
             t.press();
             EXPECT_EQ(t.scene(), before);
         }},
    };
}

std::map<std::string, EachKey::Check> EachKey::token_checks() {
    return {
        {"Ctrl+Left",
         [](EachKey& t) {
             t.select(3);
             t.press();
             EXPECT_EQ(t.ui().selected, (TokenRef{0, Side::queries, 2}));
         }},
        {"Ctrl+Right",
         [](EachKey& t) {
             t.press();
             EXPECT_EQ(t.ui().selected, (TokenRef{0, Side::queries, 0})) << "the first comes first";
             t.press();
             EXPECT_EQ(t.ui().selected, (TokenRef{0, Side::queries, 1}));
         }},
        {"F2",
         [](EachKey& t) {
             t.select(4);
             t.press();
             t.driver->type("Leia");
             t.enter();
             EXPECT_EQ(t.tokens()[4], "Leia");
         }},
        {"Alt+Left",
         [](EachKey& t) {
             t.select(4);
             t.press();
             EXPECT_EQ(t.tokens()[3], "Luke");
             EXPECT_EQ(t.ui().selected->index, 3) << "it stays selected";
         }},
        {"Alt+Right",
         [](EachKey& t) {
             t.select(3);
             t.press();
             EXPECT_EQ(t.tokens()[3], "Luke");
             EXPECT_EQ(t.ui().selected->index, 4);
         }},
        {"P",
         [](EachKey& t) {
             t.select(4);
             t.press();
             EXPECT_EQ(t.tokens()[4], t.scene().pad_token);
         }},
        {"Insert",
         [](EachKey& t) {
             t.select(4);
             t.press();
             EXPECT_EQ(t.tokens().size(), 7U);
             EXPECT_EQ(t.ui().selected->index, 5);
         }},
        {"Delete",
         [](EachKey& t) {
             t.select(4);
             t.press();
             EXPECT_EQ(t.tokens().size(), 5U);
             EXPECT_EQ(t.tokens()[4], "<eos>");
         }},
    };
}

std::map<std::string, EachKey::Check> EachKey::bench_checks() {
    std::map<std::string, Check> all = {
        {"Up", [](EachKey& t) { t.moves_cursor(-1, 0); }},
        {"Down", [](EachKey& t) { t.moves_cursor(1, 0); }},
        {"Left", [](EachKey& t) { t.moves_cursor(0, -1); }},
        {"Right", [](EachKey& t) { t.moves_cursor(0, 1); }},
        {"Shift+Up", [](EachKey& t) { t.moves_cursor(-1, 0); }},
        {"Shift+Down", [](EachKey& t) { t.moves_cursor(1, 0); }},
        {"Shift+Left", [](EachKey& t) { t.moves_cursor(0, -1); }},
        {"Shift+Right", [](EachKey& t) { t.moves_cursor(0, 1); }},
        {"Space",
         [](EachKey& t) {
             t.put_cursor({2, 1});
             t.press();
             EXPECT_FALSE(is_allowed(t.scene(), 0, 0, 0, {2, 1}));
             EXPECT_FALSE(is_allowed(t.scene(), 1, 0, 0, {2, 1})) << "one mask for both lanes";
         }},
        {"Enter",
         [](EachKey& t) {
             t.put_cursor({2, 1});
             t.press();
             ASSERT_TRUE(t.ui().number);
             EXPECT_EQ((Cell{t.ui().number->i, t.ui().number->j}), (Cell{2, 1}));
             t.driver->key(GLFW_KEY_ESCAPE);
             t.driver->key(GLFW_KEY_TAB);  // the arrow to the next step has the focus
             t.press();
             EXPECT_EQ(t.session.step(), 1);
         }},
        {"Q",
         [](EachKey& t) {
             t.press();
             EXPECT_TRUE(t.ui().tensor_cursor);
             EXPECT_TRUE(t.session.view().tensors);
         }},
        {"Ctrl+Up",
         [](EachKey& t) {
             t.ui().variant = 1;
             t.press();
             EXPECT_EQ(t.ui().variant, 0);
         }},
        {"Ctrl+Down",
         [](EachKey& t) {
             t.press();
             EXPECT_EQ(t.ui().variant, 0) << "the first press shows the chosen one";
             t.press();
             EXPECT_EQ(t.ui().variant, 1);
         }},
        {"Ctrl+Tab",
         [](EachKey& t) {
             t.press();
             EXPECT_EQ(t.view(), ViewKind::plane);
         }},
        {"Ctrl+Shift+Tab",
         [](EachKey& t) {
             t.show().view = ViewKind::plane;
             t.press();
             EXPECT_EQ(t.view(), ViewKind::pipeline);
         }},
        {"Ctrl+1",
         [](EachKey& t) {
             t.press();
             EXPECT_TRUE(t.ui().sidebar_folded);
         }},
        {"Ctrl+2",
         [](EachKey& t) {
             t.press();
             EXPECT_TRUE(t.ui().inspector_folded);
         }},
    };
    for (int k = 1; k < stage_count; ++k)
        all["Alt+" + std::to_string(k)] = [k](EachKey& t) {
            t.toggles_stage(static_cast<StageKind>(k));
        };
    for (int k = 1; k <= 9; ++k)
        all[std::to_string(k)] = [k](EachKey& t) { t.jumps_to_head(k - 1); };
    return all;
}

std::map<std::string, EachKey::Check> EachKey::file_checks() {
    return {
        {"Ctrl+Z",
         [](EachKey& t) {
             const Scene before = t.scene();
             t.edit_something();
             t.press();
             EXPECT_EQ(t.scene(), before);
         }},
        {"Ctrl+Shift+Z", [](EachKey& t) { t.redoes(); }},
        {"Ctrl+Y", [](EachKey& t) { t.redoes(); }},
        {"Ctrl+N",
         [](EachKey& t) {
             t.press();
             EXPECT_EQ(t.session.lesson(), nullptr);
         }},
        {"Ctrl+O", [](EachKey& t) { t.opens_line(PathLine::Purpose::open); }},
        {"Ctrl+S",
         [](EachKey& t) {
             t.opens_line(PathLine::Purpose::save_as);  // a lesson has no file of its own
             t.driver->key(GLFW_KEY_ESCAPE);
             const Folder folder;
             ASSERT_TRUE(t.session.save_as(folder.path() / "scene.json", false));
             t.session.edit("", [](Scene& s) { rename_token(s, 0, Side::queries, 4, "Leia"); });
             EXPECT_FALSE(t.session.is_saved());
             t.press();
             EXPECT_TRUE(t.session.is_saved());
         }},
        {"Ctrl+Shift+S", [](EachKey& t) { t.opens_line(PathLine::Purpose::save_as); }},
        {"Ctrl+E", [](EachKey& t) { t.opens_line(PathLine::Purpose::export_png); }},
        {"Ctrl+Shift+P",
         [](EachKey& t) {
             t.press();
             EXPECT_TRUE(t.ui().palette);
             t.press();
             EXPECT_FALSE(t.ui().palette);
         }},
        {"?", [](EachKey& t) { t.opens_sheet(); }},
        {"F1", [](EachKey& t) { t.opens_sheet(); }},
        {"Tab",
         [](EachKey& t) {
             t.press();
             const auto first = t.ui().focus.of[0];
             EXPECT_TRUE(first);
             t.press();
             EXPECT_NE(t.ui().focus.of[0], first);
         }},
        {"Shift+Tab",
         [](EachKey& t) {
             t.press();
             EXPECT_EQ(t.ui().focus.place, t.ui().focus.order.size() - 1) << "the last comes first";
         }},
        {"Escape",
         [](EachKey& t) {
             t.select(4);
             t.press();
             EXPECT_FALSE(t.ui().selected);
         }},
    };
}

std::map<std::string, EachKey::Check> EachKey::presenting_checks() {
    return {
        {"F5", [](EachKey& t) { t.presents(); }},
        {"F11", [](EachKey& t) { t.presents(); }},
        {"Left, presenting",
         [](EachKey& t) {
             t.session.go_to_step(1);
             t.press();
             EXPECT_EQ(t.session.step(), 0);
             t.driver->key(GLFW_KEY_TAB);
             t.driver->key(GLFW_KEY_RIGHT);
             t.press();
             EXPECT_EQ(t.ui().presenting->what_if, 0);
         }},
        {"Right, presenting",
         [](EachKey& t) {
             t.driver->key(GLFW_KEY_TAB);
             t.press();
             EXPECT_EQ(t.ui().presenting->what_if, 1);
             t.driver->key(GLFW_KEY_TAB);
             t.press();
             EXPECT_EQ(t.session.step(), 1);
         }},
        {"Tab, presenting",
         [](EachKey& t) {
             t.press();
             EXPECT_TRUE(t.ui().presenting->what_if);
             t.press();
             EXPECT_FALSE(t.ui().presenting->what_if);
         }},
        {"Up, presenting", [](EachKey& t) { t.turns_what_if(GLFW_KEY_DOWN); }},
        {"Down, presenting", [](EachKey& t) { t.turns_what_if(GLFW_KEY_UP); }},
        {"L, presenting",
         [](EachKey& t) {
             t.show().focus = Cell{2, 1};
             t.press();
             EXPECT_TRUE(t.ui().presenting->spotlight);
         }},
        {"B, presenting", [](EachKey& t) { t.blanks(); }},
        {"., presenting", [](EachKey& t) { t.blanks(); }},
    };
}

const std::map<std::string, EachKey::Check>& EachKey::checks() {
    static const std::map<std::string, Check> all = [] {
        std::map<std::string, Check> joined;
        for (auto& part :
             {lesson_checks(), token_checks(), bench_checks(), file_checks(), presenting_checks()})
            joined.insert(part.begin(), part.end());
        return joined;
    }();
    return all;
}

TEST_P(EachKey, DoesWhatItsRowSays) {
    const Shortcut& row = shortcuts()[GetParam()];
    const auto check = checks().find(name_of(row));
    ASSERT_NE(check, checks().end()) << "the row of " << name_of(row) << " has no test";
    if (row.when == When::presenting) driver->key(GLFW_KEY_F5);
    check->second(*this);
}

// What acts everywhere acts while presenting, too.
class EachKeyEverywhere : public EachKey {};

TEST_P(EachKeyEverywhere, ActsWhilePresenting) {
    driver->key(GLFW_KEY_F5);
    checks().at(name_of(shortcuts()[GetParam()]))(*this);
    EXPECT_TRUE(ui().presenting);
}

bool is_row(const Shortcut&) { return true; }

// The keys that begin and end presenting, and the way out, have tests of their own.
bool acts_everywhere(const Shortcut& row) {
    return row.when == When::always && row.key != GLFW_KEY_F5 && row.key != GLFW_KEY_F11 &&
           row.key != GLFW_KEY_ESCAPE;
}

std::vector<std::size_t> rows_where(bool (*wanted)(const Shortcut&)) {
    std::vector<std::size_t> rows;
    for (std::size_t k = 0; k < shortcuts().size(); ++k)
        if (wanted(shortcuts()[k])) rows.push_back(k);
    return rows;
}

std::string test_name(const ::testing::TestParamInfo<std::size_t>& info) {
    std::string name;
    for (const char c : name_of(shortcuts()[info.param]))
        if (std::isalnum(static_cast<unsigned char>(c)) != 0) name += c;
    return name + "_" + std::to_string(info.param);
}

INSTANTIATE_TEST_SUITE_P(Table, EachKey, ::testing::ValuesIn(rows_where(is_row)), test_name);
INSTANTIATE_TEST_SUITE_P(Table, EachKeyEverywhere, ::testing::ValuesIn(rows_where(acts_everywhere)),
                         test_name);

}  // namespace
}  // namespace maskscope
