// Tests tokens of every script in the window's field: drawing, moving the caret, copying and
// pasting do not change their bytes.

#include "core/edit/edit.h"
#include "tests/ui/panels/panels_fixture.h"

namespace maskscope::ui {
namespace {

struct Script {
    const char* name;
    const char* token;
};
void PrintTo(const Script& script, std::ostream* out) { *out << script.name; }

// Bytes that a normalization, a shaping or a split at code points would change.
const std::vector<Script> scripts = {
    {"Italian", "perch\u00e9"},
    {"ItalianDecomposed", "perche\u0301"},
    {"Greek", "\u1f08\u03b8\u1fc6\u03bd\u03b1\u03b9"},
    {"Cyrillic", "\u0439\u043e\u0433\u0443\u0440\u0442"},
    {"CyrillicDecomposed", "\u0438\u0306\u043e"},
    {"Chinese", "\u6ce8\u610f\u529b"},
    {"ChineseBeyondTheFirstPlane", "\U00020bb7\u5bb6"},
    {"JapaneseHalfWidth", "\uff76\uff9e\uff8a"},
    {"KoreanInJamo", "\u1112\u1161\u11ab"},
    {"Arabic", "\u0645\u0631\u062d\u0628\u0627"},
    {"ArabicWithMarks", "\u0643\u064e\u062a\u064e\u0628\u064e"},
    {"Hebrew", "\u05e9\u05b8\u05dc\u05d5\u05b9\u05dd"},
    {"LeftAndRight", "abc \u05e9\u05dc\u05d5\u05dd 12"},
    {"Devanagari", "\u0915\u094d\u0937\u0924\u094d\u0930\u093f\u092f"},
    {"DevanagariJoiner", "\u0915\u094d\u200d\u0937"},
    {"Thai", "\u0e01\u0e33\u0e25\u0e31\u0e07"},
    {"Tamil", "\u0b95\u0bca"},
    {"EmojiFamily", "\U0001F468\u200D\U0001F469\u200D\U0001F467"},
    {"EmojiSkin", "\U0001F44D\U0001F3FD"},
    {"EmojiFlag", "\U0001F1EE\U0001F1F9"},
    {"EmojiKeycap", "1\ufe0f\u20e3"},
    {"HeartAsText", "\u2764\ufe0e"},
    {"ManyMarks", "Z\u0351\u036b\u0343a\u0301\u0323"},
    {"Ligature", "\ufb01ne"},
    {"Blank", "\u00a0\u2009x"},
    {"WordPiece", "##ing"},
    {"Marked", "<|endoftext|>"},
    {"Invisible", "a\u2060b\u00adc\ufeffd"},
};

class TokenScripts : public InPanels, public ::testing::WithParamInterface<Script> {
protected:
    TokenScripts() : token(GetParam().token) {
        driver.reset();
        driver = std::make_unique<Driver>(session, 640, 480);  // painted sooner
        driver->app().ui.sidebar.open();                       // a drawer
        session.edit("", [&](Scene& s) { rename_token(s, 0, Side::queries, 4, token); });
        before = scene();
        driver->settle();
    }

    // Returns the middle of the tested token in the sidebar: the text after "is", on its line or
    // the next.
    Point chip() {
        const Point before_it = place("is", sidebar());
        for (const auto& drawn : driver->app().labels->drawn()) {
            const Point middle{drawn.rect.x + drawn.rect.w / 2, drawn.rect.y + drawn.rect.h / 2};
            const bool on_line = std::abs(middle.y - before_it.y) < 6 && middle.x > before_it.x;
            const bool next_line = middle.y > before_it.y + 6 && middle.y < before_it.y + 50;
            if (sidebar().contains(middle) && (on_line || next_line) && drawn.text != "is")
                return middle;
        }
        ADD_FAILURE() << "the token is not in the sidebar";
        return {};
    }
    void edit_it() {
        driver->double_click(chip());
        ASSERT_TRUE(driver->app().gui.editing) << "the field has the keyboard";
        EXPECT_EQ(driver->app().gui.editing->field.text(), token);
    }
    void expect_unchanged(const char* after) {
        EXPECT_FALSE(driver->app().gui.editing) << after;
        EXPECT_EQ(tokens()[4], token) << after;
        EXPECT_EQ(scene(), before) << after;
    }

    void look() {
        edit_it();
        enter();
        expect_unchanged("Enter");
        edit_it();
        click("Mask rules");
        expect_unchanged("a click elsewhere");
        edit_it();
        driver->key(GLFW_KEY_ESCAPE);
        expect_unchanged("Escape");
    }

    void move_caret_and_select() {
        edit_it();
        for (const int key : {GLFW_KEY_HOME, GLFW_KEY_RIGHT, GLFW_KEY_LEFT}) {
            driver->key(key);
            driver->key(key, GLFW_MOD_SHIFT);
            driver->key(key, GLFW_MOD_CONTROL);
        }
        const Point at = chip();
        driver->drag({at.x - 12, at.y}, {at.x + 9, at.y});
        enter();
        expect_unchanged("moves and a drag");
    }

    void copy_and_paste() {
        edit_it();
        driver->key(GLFW_KEY_A, GLFW_MOD_CONTROL);
        driver->key(GLFW_KEY_C, GLFW_MOD_CONTROL);
        EXPECT_EQ(driver->clipboard, token);
        driver->key(GLFW_KEY_X, GLFW_MOD_CONTROL);
        EXPECT_EQ(driver->app().gui.editing->field.text(), "");
        driver->key(GLFW_KEY_V, GLFW_MOD_CONTROL);
        enter();
        expect_unchanged("cut and pasted");
    }

    void type_at_the_end() {
        edit_it();
        driver->key(GLFW_KEY_END);
        driver->type("x");
        enter();
        EXPECT_EQ(tokens()[4], token + "x");
        driver->key(GLFW_KEY_Z, GLFW_MOD_CONTROL);
        expect_unchanged("undone");
    }

    // Looks for the token in a window where the bench need not be scrolled to show it.
    void find_on_the_bench() {
        resize({1600, 1000});
        bool found = false;
        for (const Text& text : driver->app().ui.bench.figure.texts)
            found = found || text.text == token;
        EXPECT_TRUE(found);
        resize({640, 480});
    }

    void resize(Point size) {
        driver->push({.kind = InputEvent::Kind::resize, .at = size});
        driver->settle();
    }

    std::string token;
    Scene before;
};

// These are one test, because starting takes longer than each of them.
TEST_P(TokenScripts, NothingButTypingChangesTheBytes) {
    find_on_the_bench();
    look();
    move_caret_and_select();
    copy_and_paste();
    type_at_the_end();
}

INSTANTIATE_TEST_SUITE_P(EveryScript, TokenScripts, ::testing::ValuesIn(scripts),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace maskscope::ui
