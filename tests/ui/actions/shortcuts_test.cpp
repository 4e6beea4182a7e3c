// Presses every key of the table, and checks the state and the picture afterwards.

#include "tests/ui/actions/each_key.h"

namespace maskscope {

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
             EXPECT_FALSE(t.session.document().is_saved());
             t.press();
             EXPECT_TRUE(t.session.document().is_saved());
         }},
        {"Ctrl+Shift+S", [](EachKey& t) { t.opens_line(PathLine::Purpose::save_as); }},
        {"Ctrl+E",
         [](EachKey& t) {
             t.press();
             EXPECT_TRUE(t.ui().overlays.find<ExportSheet>());
         }},
        {"Ctrl+C",
         [](EachKey& t) {
             t.press();
             EXPECT_EQ(t.driver->copied_png.substr(1, 3), "PNG");
             EXPECT_TRUE(t.driver->copied_svg.find("<svg") != std::string::npos);
             EXPECT_EQ(t.session.message()->text, "Copied as a picture, 2000 × 1125 pixels");
         }},
        {"Ctrl+Shift+C",
         [](EachKey& t) {
             t.press();
             EXPECT_TRUE(t.driver->clipboard.starts_with("\t<sos>\tMy\t")) << t.driver->clipboard;
             EXPECT_EQ(t.session.message()->text,
                       "Copied as a table: Weights, variant A, 6 × 6 numbers");
         }},
        {"Ctrl+Shift+P",
         [](EachKey& t) {
             t.press();
             EXPECT_TRUE(t.ui().overlays.find<Palette>());
             t.press();
             EXPECT_FALSE(t.ui().overlays.find<Palette>());
         }},
        {"?", [](EachKey& t) { t.opens_key_help(); }},
        {"F1", [](EachKey& t) { t.opens_key_help(); }},
        {"Tab",
         [](EachKey& t) {
             t.press();
             const auto first = t.app().gui.focus.of[0];
             EXPECT_TRUE(first);
             t.press();
             EXPECT_NE(t.app().gui.focus.of[0], first);
         }},
        {"Shift+Tab",
         [](EachKey& t) {
             t.press();
             EXPECT_EQ(t.app().gui.focus.place, t.app().gui.focus.order.size() - 1)
                 << "the last comes first";
         }},
        {"Escape",
         [](EachKey& t) {
             t.select(4);
             t.press();
             EXPECT_FALSE(t.ui().sidebar.selected);
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
             EXPECT_EQ(t.session.document().step, 0);
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
             EXPECT_EQ(t.session.document().step, 1);
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
        {"N, presenting",
         [](EachKey& t) {
             t.press();
             EXPECT_TRUE(t.ui().presenting->notes);
             t.press();
             EXPECT_FALSE(t.ui().presenting->notes);
         }},
        {"H, presenting",
         [](EachKey& t) {
             t.press();
             EXPECT_TRUE(t.ui().presenting->keys);
             EXPECT_TRUE(t.shows("open and close the what-if line", t.anywhere()));
             t.press();
             EXPECT_FALSE(t.ui().presenting->keys);
         }},
        {"Enter, presenting",
         [](EachKey& t) {
             while (!t.session.view().asks()) t.session.next();
             t.press();
             EXPECT_TRUE(t.app().gui.editing) << "the field for an answer";
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

namespace {

TEST_P(EachKey, DoesWhatItsRowSays) {
    const Shortcut& row = shortcuts()[GetParam()];
    const auto check = checks().find(name_of(row));
    ASSERT_NE(check, checks().end()) << "the row of " << name_of(row) << " has no test";
    if (row.when == KeyScope::presenting) driver->key(GLFW_KEY_F5);
    check->second(*this);
}

// Shortcuts that act everywhere also act while presenting.
class EachKeyEverywhere : public EachKey {};

TEST_P(EachKeyEverywhere, ActsWhilePresenting) {
    driver->key(GLFW_KEY_F5);
    checks().at(name_of(shortcuts()[GetParam()]))(*this);
    EXPECT_TRUE(ui().presenting);
}

bool is_row(const Shortcut&) { return true; }

// True for keys that act everywhere; those that begin and end presenting, and Escape, have their
// own tests.
bool acts_everywhere(const Shortcut& row) {
    return row.when == KeyScope::always && row.key != GLFW_KEY_F5 && row.key != GLFW_KEY_F11 &&
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
