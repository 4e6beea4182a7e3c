// Tests what keys do to the lesson, to tokens and on the bench; shortcuts_test.cpp runs the checks.

#include "tests/ui/actions/each_key.h"

namespace maskscope {

std::map<std::string, EachKey::Check> EachKey::lesson_checks() {
    return {
        {"Page Down",
         [](EachKey& t) {
             t.press();
             EXPECT_EQ(t.session.document().step, 1);
         }},
        {"Page Up",
         [](EachKey& t) {
             t.session.go_to_step(2);
             t.press();
             EXPECT_EQ(t.session.document().step, 1);
         }},
        {"Shift+Page Down",
         [](EachKey& t) {
             const int star = t.next_star_from(0, 1);
             t.press();
             EXPECT_EQ(t.session.document().step, star);
         }},
        {"Shift+Page Up",
         [](EachKey& t) {
             t.session.go_to_step(8);
             const int star = t.next_star_from(8, -1);
             t.press();
             EXPECT_EQ(t.session.document().step, star);
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
             EXPECT_EQ(t.ui().sidebar.selected, (TokenRef{0, Side::queries, 2}));
         }},
        {"Ctrl+Right",
         [](EachKey& t) {
             t.press();
             EXPECT_EQ(t.ui().sidebar.selected, (TokenRef{0, Side::queries, 0}))
                 << "the first comes first";
             t.press();
             EXPECT_EQ(t.ui().sidebar.selected, (TokenRef{0, Side::queries, 1}));
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
             EXPECT_EQ(t.ui().sidebar.selected->index, 3) << "it stays selected";
         }},
        {"Alt+Right",
         [](EachKey& t) {
             t.select(3);
             t.press();
             EXPECT_EQ(t.tokens()[3], "Luke");
             EXPECT_EQ(t.ui().sidebar.selected->index, 4);
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
             EXPECT_EQ(t.ui().sidebar.selected->index, 5);
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
             EXPECT_FALSE(is_allowed(t.scene(), 1, 0, 0, {2, 1})) << "one mask for both variants";
         }},
        {"Enter",
         [](EachKey& t) {
             t.session.view().show.stages = {StageKind::scaled, StageKind::weights};
             t.session.wait();
             t.put_cursor({2, 1});
             t.press();
             ASSERT_TRUE(t.ui().bench.number);
             EXPECT_EQ((Cell{t.ui().bench.number->i, t.ui().bench.number->j}), (Cell{2, 1}));
             t.driver->key(GLFW_KEY_ESCAPE);
             t.driver->key(GLFW_KEY_TAB);  // the title has the focus
             t.driver->key(GLFW_KEY_TAB);  // the dot of the first step has the focus
             t.driver->key(GLFW_KEY_TAB);  // that of the second
             t.press();
             EXPECT_EQ(t.session.document().step, 1);
         }},
        {"Q",
         [](EachKey& t) {
             t.press();
             EXPECT_TRUE(t.ui().bench.tensor_cursor);
             EXPECT_TRUE(t.session.view().show.vectors);
         }},
        {"Ctrl+Up",
         [](EachKey& t) {
             t.ui().sidebar.variant = 1;
             t.press();
             EXPECT_EQ(t.ui().sidebar.variant, 0);
         }},
        {"Ctrl+Down",
         [](EachKey& t) {
             t.press();
             EXPECT_EQ(t.ui().sidebar.variant, 0) << "the first press shows the chosen one";
             t.press();
             EXPECT_EQ(t.ui().sidebar.variant, 1);
         }},
        {"Alt+B",
         [](EachKey& t) {
             t.session.edit("", [](Scene& s) {
                 for (const LayerKind kind :
                      {LayerKind::window, LayerKind::sinks, LayerKind::chunked})
                     add_layer(s, {0}, {}, kind);
                 const std::size_t last = s.variants[0].mask.layers.size() - 1;
                 group_layers(s, {0}, {{last}, {last - 1}}, LayerKind::any);
             });
             const std::size_t variants = t.scene().variants.size();
             t.press();
             EXPECT_EQ(t.scene().variants.size(), variants + 1);
             EXPECT_EQ(t.ui().sidebar.variant, static_cast<int>(variants));
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
             EXPECT_TRUE(t.ui().sidebar.folded);
         }},
        {"Ctrl+2",
         [](EachKey& t) {
             t.press();
             EXPECT_TRUE(t.ui().inspector_folded);
         }},
        {"Ctrl+=",
         [](EachKey& t) {
             t.press();
             EXPECT_EQ(t.ui().choices.type, 1.15);
         }},
        {"Ctrl++",
         [](EachKey& t) {
             t.press();
             EXPECT_EQ(t.ui().choices.type, 1.15);
         }},
        {"Ctrl+−",
         [](EachKey& t) {
             t.ui().choices.type = 1.3;
             t.press();
             EXPECT_EQ(t.ui().choices.type, 1.15);
         }},
    };
    for (int k = 1; k < all_stage_count; ++k)
        all["Alt+" + std::to_string(k)] = [k](EachKey& t) {
            t.toggles_stage(static_cast<StageKind>(k));
        };
    for (int k = 1; k <= 9; ++k)
        all[std::to_string(k)] = [k](EachKey& t) { t.jumps_to_head(k - 1); };
    return all;
}

}  // namespace maskscope
