#pragma once
// Follows the Try of every built-in step, in the order of its words.

#include <map>

#include "tests/ui/lessons/person.h"

namespace maskscope::ui {

struct Try {
    int step = 1;
    std::string words;  // how the Try begins, so that a change of the Try leads here
    void (*follow)(Person& person);
};

// The key is the lesson's name.
inline const std::map<std::string, std::vector<Try>>& tries() {
    using enum StageKind;
    static const std::map<std::string, std::vector<Try>> all{
        {"additive-or-multiplicative",
         {
             {1, "Click the ringed cell of the mask, so that “name” may see “Luke”.",
              [](Person& p) { p.click(p.ringed_cell()); }},
             {2, "Open variant A and choose “Added before the softmax”",
              [](Person& p) {
                  p.open_variant('A');
                  p.choose("Added before the softmax");
              }},
             {3, "Open variant B and choose “Multiplied, then renormalized”",
              [](Person& p) {
                  p.open_variant('B');
                  p.choose("Multiplied, then renormalized");
              }},
             {4, "Double-click the score that “name” gives “Luke”, and type 0",
              [](Person& p) {
                  p.type_over(p.cell(scores, {p.query("name"), p.key("Luke")}), "0");
              }},
             {5, "Click the ringed cell", [](Person& p) { p.click(p.ringed_cell()); }},
             {6, "Open variant B and choose “Multiplied after the softmax”",
              [](Person& p) {
                  p.open_variant('B');
                  p.choose("Multiplied after the softmax");
              }},
             {7, "Open variant B and set Dtype to float32",
              [](Person& p) {
                  p.open_variant('B');
                  p.set("Dtype", "float32");
              }},
             {8, "Under “Mask rules”, set “is → My” to 0, no opinion.",
              [](Person& p) {
                  p.click(p.left("Mask rules", "is → My"));
                  p.type("0");
              }},
             {9, "Open variant B and set Mask value to −20, then −200",
              [](Person& p) {
                  p.open_variant('B');
                  for (const char* value : {"−20", "−200"}) p.type_other("Mask value", value);
              }},
             {10, "Open variant B and choose “Multiplied, then renormalized”",
              [](Person& p) {
                  p.open_variant('B');
                  p.choose("Multiplied, then renormalized");
              }},
             {11, "In the mask, drag over every 1 that is two or more places left of the diagonal.",
              [](Person& p) {
                  for (Index j = 0; j < 4; ++j)
                      p.drag(p.cell(allowed, {j + 2, j}), p.cell(allowed, {5, j}));
              }},
         }},
        {"one-row",
         {
             {1, "In Q, double-click the second number of the query, and type −1",
              [](Person& p) {
                  p.type_over(p.cell(output, {0, 1}, queries_variant), "−1");
              }},
             {2, "Double-click the score of “washed” and type 3",
              [](Person& p) {
                  p.type_over(p.cell(scores, {0, p.key("washed")}), "3");
              }},
             {3, "Open variant B and change the bias “itself → cat” from 100 to 98",
              [](Person& p) {
                  p.open_variant('B');
                  p.click(p.left("Mask rules", "itself → cat"));
                  p.type("98");
              }},
             {4, "Open variant A, choose Scale, other…, and type 4",
              [](Person& p) {
                  p.open_variant('A');
                  p.type_other("Scale", "4");
              }},
             {5, "Open variant B, choose Scale, other…, and type 0.5, half the query",
              [](Person& p) {
                  p.open_variant('B');
                  p.type_other("Scale", "0.5");
              }},
             {6, "Press the key Q, double-click the first number of the query of “cat” and type 3",
              [](Person& p) {
                  p.press_key(GLFW_KEY_Q);
                  p.type_over(p.cell(output, {p.query("cat"), 0}, queries_variant), "3");
              }},
             {7, "Click the ringed cell to block it, then all remaining cells above the diagonal",
              [](Person& p) {
                  p.click(p.ringed_cell());
                  for (const Cell cell : {Cell{0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}})
                      p.click(p.cell(allowed, cell));
              }},
             {8, "Open variant B and type 3 over the first number of W",
              [](Person& p) {
                  p.open_variant('B');
                  const Point heading = p.left("Variants", "W  3 × 2");
                  p.click({heading.x + 20, heading.y + 28});
                  p.type("3");
              }},
         }},
        {"padding-and-nan-rows",
         {
             {1, "At the left, go to the second sentence (›), click + after “well” and type a word",
              [](Person& p) {
                  p.click(p.left("Tokens", "›"));
                  p.click(p.left("Tokens", "+"));
                  p.type("too");
              }},
             {2,
              "Under Mask rules, press the button B, tick Padding and clear Block padded queries",
              [](Person& p) {
                  for (const char* text : {"B", "Padding", "Block padded queries"})
                      p.click(p.left("Mask rules", text));
              }},
             {3, "Press the key Q, double-click the last 0 of the first “<pad>” in V and type 1",
              [](Person& p) {
                  p.press_key(GLFW_KEY_Q);
                  p.type_over(p.cell(output, {p.key("<pad>"), 2}, values_variant), "1");
              }},
             {4,
              "Under Mask rules, press the button B, tick Padding and clear Block padded queries",
              [](Person& p) {
                  for (const char* text : {"B", "Padding", "Block padded queries"})
                      p.click(p.left("Mask rules", text));
              }},
             {5, "Click “Type a sentence…” and type three words",
              [](Person& p) {
                  p.click(p.left("Tokens", "Type a sentence…"));
                  p.type("Hello big world");
              }},
             {6, "Click the ringed cell", [](Person& p) { p.click(p.ringed_cell()); }},
             {7, "Drag down the mask’s first column, from the row of “Good” on",
              [](Person& p) {
                  p.drag(p.cell(allowed, {p.query("Good"), 0}), p.cell(allowed, {3, 0}));
              }},
             {8, "Under Mask rules, untick Padding",
              [](Person& p) { p.click(p.left("Mask rules", "Padding")); }},
         }},
        {"encoder-decoder-masks",
         {
             {1, "Click the heading “<pad>” of the mask, and it may be seen again.",
              [](Person& p) { p.click(p.heading_of_column(5)); }},
             {2, "Drag “<pad>” in front of the sentence",
              [](Person& p) { p.drag(p.left("Tokens", "<pad>"), p.left("Tokens", "<sos>")); }},
             {3, "Under Mask rules, press the button A and untick Causal",
              [](Person& p) {
                  for (const char* text : {"A", "Causal"}) p.click(p.left("Mask rules", text));
              }},
             {4, "Press the key Q, double-click a number of “Luke” under K and type 3",
              [](Person& p) {
                  p.press_key(GLFW_KEY_Q);
                  p.type_over(p.cell(output, {p.key("Luke"), 0}, keys_variant), "3");
              }},
             {5, "Open variant B and choose “Added before the softmax”",
              [](Person& p) {
                  p.open_variant('B');
                  p.choose("Added before the softmax");
              }},
             {6, "Under Keys, click the last “<pad>” and press Delete",
              [](Person& p) {
                  p.click(p.left("Keys", "<pad>", -1));
                  p.press_key(GLFW_KEY_DELETE);
              }},
             {7, "At the left, go to the second sentence (›) and drag its pad to the end",
              [](Person& p) {
                  p.click(p.left("Tokens", "›"));
                  p.drag(p.left("Tokens", "<pad>"), p.left("Tokens", "Luke"));
              }},
             {8, "Paint it yourself: drag over the mask of A until it is that of B.",
              [](Person& p) {
                  for (Index i = 0; i < 3; ++i)
                      p.drag(p.cell(allowed, {i, i + 1}, 0), p.cell(allowed, {i, i + 2}, 0));
              }},
         }},
        {"decoding",
         {
             {1, "Click + after “Luke” and type a word",
              [](Person& p) {
                  p.click(p.left("Tokens", "+"));
                  p.type("too");
              }},
             {2, "Open variant A and choose “Not applied”",
              [](Person& p) {
                  p.open_variant('A');
                  p.choose("Not applied");
              }},
             {3, "Under Mask rules, press the button A and set Aligned to bottom right",
              [](Person& p) { p.align('A', "bottom right"); }},
             {4, "Open variant A and set Scale to 1/√d",
              [](Person& p) {
                  p.open_variant('A');
                  p.set("Scale", "1/√d");
              }},
             {5, "Under Mask rules, press the button B and set Keys back to 1",
              [](Person& p) {
                  for (const char* text : {"B", "Keys back"}) p.click(p.left("Mask rules", text));
                  p.type("1");
              }},
             {6, "Under Mask rules, press the button A and set Keys back to 5",
              [](Person& p) {
                  for (const char* text : {"A", "Keys back"}) p.click(p.left("Mask rules", text));
                  p.type("5");
              }},
             {7, "Under Mask rules, press the button B and untick Documents",
              [](Person& p) {
                  for (const char* text : {"B", "Documents"}) p.click(p.left("Mask rules", text));
              }},
             {8, "At the left, under “Inputs”, choose “tile”",
              [](Person& p) { p.click(p.left("Inputs", "tile")); }},
         }},
        {"heads",
         {
             {1, "Press the key Q and type 2 over the 1 in the value of “Al” in the first sentence",
              [](Person& p) {
                  p.press_key(GLFW_KEY_Q);
                  p.type_over(p.cell(output, {p.key("Al"), 0}, values_variant), "2");
              }},
             {2, "At the left, type 0 over the strength of head 3",
              [](Person& p) {
                  p.click(p.left("Inputs", "Strength", 2));
                  p.type("0");
              }},
             {3, "At the left, double-click the first “cat” and type another word",
              [](Person& p) { p.type_over(p.left("Tokens", "cat"), "dog"); }},
             {4, "Double-click the score of row “1” and key “8” and type 9",
              [](Person& p) {
                  p.type_over(p.cell(scores, {p.query("1"), p.key("8")}), "9");
              }},
             {5, "Untick ALiBi at the left",
              [](Person& p) { p.click(p.left("Mask rules", "ALiBi")); }},
             {6,
              "In the mask of head 1, drag over every 1 two or more places left of the diagonal; "
              "then, under Blocked "
              "cells, "
              "click head 2 off.",
              [](Person& p) {
                  for (Index j = 0; j < 3; ++j)
                      p.drag(p.cell(allowed, {j + 2, j}), p.cell(allowed, {4, j}));
                  p.click(p.left_below("Mask rules", "Blocked cells", "2"));
              }},
         }},
        {"masks-of-models",
         {
             {1, "Under Mask rules, press the button B and set Keys back to 2",
              [](Person& p) {
                  for (const char* text : {"B", "Keys back"}) p.click(p.left("Mask rules", text));
                  p.type("2");
              }},
             {2, "Under Mask rules, press the button A and set Keys back to 2",
              [](Person& p) {
                  for (const char* text : {"A", "Keys back"}) p.click(p.left("Mask rules", text));
                  p.type("2");
              }},
             {3, "Under Mask rules, press the button B and set First keys to 2",
              [](Person& p) {
                  for (const char* text : {"B", "First keys"}) p.click(p.left("Mask rules", text));
                  p.type("2");
              }},
             {4, "Drag over the mask of B until it is that of A.",
              [](Person& p) {
                  p.drag(p.cell(allowed, {0, 3}, 1), p.cell(allowed, {0, 4}, 1));
                  p.click(p.cell(allowed, {1, 4}, 1));
                  p.click(p.cell(allowed, {3, 0}, 1));
                  p.drag(p.cell(allowed, {4, 0}, 1), p.cell(allowed, {4, 1}, 1));
              }},
             {5, "Under Mask rules, press the button B and set Tokens each to 2",
              [](Person& p) {
                  for (const char* text : {"B", "Tokens each"}) p.click(p.left("Mask rules", text));
                  p.type("2");
              }},
             {6, "Under Mask rules, press the button B and set Tokens each to 1",
              [](Person& p) {
                  for (const char* text : {"B", "Tokens each"}) p.click(p.left("Mask rules", text));
                  p.type("1");
              }},
             {7, "In the mask of A, block the four cells of the other guess",
              [](Person& p) {
                  for (const Index i : {4, 5})
                      p.drag(p.cell(allowed, {i, 2}, 0), p.cell(allowed, {i, 3}, 0));
              }},
             {8, "Open variant B and press “before the mask”",
              [](Person& p) {
                  p.open_variant('B');
                  p.click(p.left("Variants", "before the mask"));
              }},
             {9, "Double-click the first score of “name” and type 6",
              [](Person& p) {
                  p.type_over(p.cell(scores, {p.query("name"), 0}), "6");
              }},
             {10, "Open variant B and set Normalizer to Softmax",
              [](Person& p) {
                  p.open_variant('B');
                  p.set("Normalizer", "Softmax");
              }},
         }},
        {"why-root-d",
         {
             {1, "Open variant B and set Scale to none",
              [](Person& p) {
                  p.open_variant('B');
                  p.set("Scale", "none");
              }},
             {2, "Under “Inputs”, set Width of a key d to 2",
              [](Person& p) {
                  p.click(p.left("Inputs", "Width of a key d"));
                  p.type("2");
              }},
             {3, "Open variant A and set Scale to 1/√d",
              [](Person& p) {
                  p.open_variant('A');
                  p.set("Scale", "1/√d");
              }},
             {4, "Open variant B and set Scale to 1/√d",
              [](Person& p) {
                  p.open_variant('B');
                  p.set("Scale", "1/√d");
              }},
             {5, "Open variant B and set Scale to 1, then 0.5, then 0.02",
              [](Person& p) {
                  p.open_variant('B');
                  for (const char* scale : {"1", "0.5", "0.02"}) p.type_other("Scale", scale);
              }},
             {6,
              "Open variant A, choose Scale, other…, and try numbers below 1; 1/√d does it, too.",
              [](Person& p) {
                  p.open_variant('A');
                  p.type_other("Scale", "0.5");
                  p.set("Scale", "1/√d");
              }},
         }},
        {"empty-rows-in-numbers",
         {
             {1, "Open variant C and choose the mask value −1e4",
              [](Person& p) {
                  p.open_variant('C');
                  p.set("Mask value", "−1e4");
              }},
             {2, "Double-click the −4.00 of “Hello” and type 5",
              [](Person& p) { p.type_over(p.number(scaled, "−4.00"), "5"); }},
             {3, "Open variant B and choose the mask value −1",
              [](Person& p) {
                  p.open_variant('B');
                  p.set("Mask value", "−1");
              }},
             {4, "Open variant B and set Dtype to float16",
              [](Person& p) {
                  p.open_variant('B');
                  p.set("Dtype", "float16");
              }},
             {5, "Open variant B and set Order to scale, then mask",
              [](Person& p) {
                  p.open_variant('B');
                  p.set("Order", "scale, then mask");
              }},
             {6, "Open variant B and set Empty rows to Zero, before the softmax",
              [](Person& p) {
                  p.open_variant('B');
                  p.set("Empty rows", "Zero, before the softmax");
              }},
             {7, "Open variant A and set Dtype to float32",
              [](Person& p) {
                  p.open_variant('A');
                  p.set("Dtype", "float32");
              }},
             {8, "Press the key Q, double-click the 1e5 in V and type 0",
              [](Person& p) {
                  p.press_key(GLFW_KEY_Q);
                  p.type_over(p.number(output, "1e5", values_variant), "0");
              }},
             {9, "In the mask, drag over the two cells above “Hello” in the column of “Hello”",
              [](Person& p) {
                  p.drag(p.cell(allowed, {0, p.key("Hello")}),
                         p.cell(allowed, {1, p.key("Hello")}));
              }},
         }},
        {"casebook",
         {
             {1, "Open variant A and choose the mask value −1e9",
              [](Person& p) {
                  p.open_variant('A');
                  p.set("Mask value", "−1e9");
              }},
             {2, "Open variant A and choose the mask value −∞",
              [](Person& p) {
                  p.open_variant('A');
                  p.set("Mask value", "−∞");
              }},
             {3, "Under Mask rules, press the button A and press “Invert” beside Causal",
              [](Person& p) {
                  for (const char* text : {"A", "Invert"}) p.click(p.left("Mask rules", text));
              }},
             {4,
              "Under Mask rules, press the button A, tick Padding and clear Block padded queries",
              [](Person& p) {
                  for (const char* text : {"A", "Padding", "Block padded queries"})
                      p.click(p.left("Mask rules", text));
              }},
             {5, "Click the ringed cell", [](Person& p) { p.click(p.ringed_cell()); }},
             {6, "Click + after “Luke” and type a word",
              [](Person& p) {
                  p.click(p.left("Tokens", "+"));
                  p.type("too");
              }},
             {7, "Under Mask rules, press the button A, choose Documents from “+ rule”",
              [](Person& p) {
                  p.click(p.left("Mask rules", "A"));
                  p.pick(p.left("Mask rules", "+ rule"), "Documents");
              }},
             {8, "Open variant A and set Normalizer to Softmax",
              [](Person& p) {
                  p.open_variant('A');
                  p.set("Normalizer", "Softmax");
              }},
             {9, "Open variant A and choose “Multiplied after the softmax”",
              [](Person& p) {
                  p.open_variant('A');
                  p.choose("Multiplied after the softmax");
              }},
         }},
        {"convex-combination",
         {
             {1, "Press Space, which blocks the cell in focus",
              [](Person& p) {
                  EXPECT_TRUE(p.bench_says("“Luke” at "));
                  EXPECT_EQ(p.hull().points.size(), 4u);
                  p.press_key(GLFW_KEY_SPACE);
                  EXPECT_EQ(p.hull().points.size(), 3u);
              }},
             {2, "Press Space", [](Person& p) { p.press_key(GLFW_KEY_SPACE); }},
             {3, "Under “Inputs”, set Width of a key d to 64",
              [](Person& p) {
                  p.click(p.left("Inputs", "Width of a key d"));
                  p.type("64");
              }},
             {4, "Open variant B and set Scale to 1/√d as well",
              [](Person& p) {
                  p.open_variant('B');
                  p.set("Scale", "1/√d");
              }},
             {5, "Open variant A and set Output to Values",
              [](Person& p) {
                  p.open_variant('A');
                  p.set("Output", "Values");
              }},
             {6, "Under Keys, click “is” and press Delete",
              [](Person& p) {
                  p.click(p.left("Keys", "is"));
                  p.press_key(GLFW_KEY_DELETE);
              }},
             {7, "Rename “Luke”", [](Person& p) { p.type_over(p.left("Tokens", "Luke"), "Leia"); }},
             {8, "Tick Causal", [](Person& p) { p.click(p.left("Mask rules", "Causal")); }},
             {9, "Drag over the mask until each row sees itself alone.",
              [](Person& p) {
                  for (Index j = 0; j < 3; ++j)
                      p.drag(p.cell(allowed, {j + 1, j}), p.cell(allowed, {3, j}));
              }},
         }},
        {"break-it",
         {
             {1, "Click the ringed cell, and “red” is lost.",
              [](Person& p) { p.click(p.ringed_cell()); }},
             {2, "Under Mask rules, press the button B and untick Causal.",
              [](Person& p) {
                  for (const char* text : {"B", "Causal"}) p.click(p.left("Mask rules", text));
              }},
             {3, "Under Mask rules, press the button B and tick Padding.",
              [](Person& p) {
                  for (const char* text : {"B", "Padding"}) p.click(p.left("Mask rules", text));
              }},
             {4,
              "Under Mask rules, press the button B, tick Padding and clear Block padded queries.",
              [](Person& p) {
                  for (const char* text : {"B", "Padding", "Block padded queries"})
                      p.click(p.left("Mask rules", text));
              }},
             {5, "Open variant B and press 3 under “Active heads”.",
              [](Person& p) {
                  p.open_variant('B');
                  p.click(p.left_below("Variants", "Active heads", "3"));
              }},
             {6, "Under Mask rules, press the button B and tick Causal.",
              [](Person& p) {
                  for (const char* text : {"B", "Causal"}) p.click(p.left("Mask rules", text));
              }},
             {7, "Under Mask rules, tick Causal",
              [](Person& p) { p.click(p.left("Mask rules", "Causal")); }},
             {8, "Open variant A and choose “Added before the softmax”",
              [](Person& p) {
                  p.open_variant('A');
                  p.choose("Added before the softmax");
              }},
         }},
        {"scoring-functions",
         {
             {1, "Press the key Q and type 3 over the first number of key “name”",
              [](Person& p) {
                  p.press_key(GLFW_KEY_Q);
                  p.type_over(p.cell(output, {p.key("name"), 0}, keys_variant), "3");
              }},
             {2, "Press the key Q and type 1, 1, −1, 1 over key “name”",
              [](Person& p) {
                  p.press_key(GLFW_KEY_Q);
                  const std::vector<std::string> numbers{"1", "1", "−1", "1"};
                  for (Index j = 0; j < 4; ++j)
                      p.type_over(p.cell(output, {p.key("name"), j}, keys_variant), numbers[j]);
              }},
             {3, "Press the key Q and type 1 over the second number of query “who”",
              [](Person& p) {
                  p.press_key(GLFW_KEY_Q);
                  p.type_over(p.cell(output, {p.query("who"), 1}, queries_variant), "1");
              }},
             {4, "Open variant A and click “identity”",
              [](Person& p) {
                  p.open_variant('A');
                  p.click(p.left("Variants", "identity"));
              }},
             {5, "Open variant B and click “identity”",
              [](Person& p) {
                  p.open_variant('B');
                  p.click(p.left("Variants", "identity"));
              }},
             {6, "Press the key Q and type 1 over the 30 of key “name”",
              [](Person& p) {
                  p.press_key(GLFW_KEY_Q);
                  p.type_over(p.cell(output, {p.key("name"), 0}, keys_variant), "1");
              }},
             {7, "Open variant B and set Scale to 1/√d",
              [](Person& p) {
                  p.open_variant('B');
                  p.set("Scale", "1/√d");
              }},
             {8, "At the left, go to the second sentence (›), click “Learning” and press Delete",
              [](Person& p) {
                  p.click(p.left("Tokens", "›"));
                  p.click(p.left("Tokens", "Learning"));
                  p.press_key(GLFW_KEY_DELETE);
              }},
             {9,
              "In the mask, click row “cat” under the second “the”, and row “dog” under the first.",
              [](Person& p) {
                  p.click(p.cell(allowed, {p.query("cat"), p.second_key("the")}));
                  p.click(p.cell(allowed, {p.query("dog"), p.key("the")}));
              }},
         }},
    };
    return all;
}

inline std::vector<Try> tries_of(const std::string& lesson) {
    const auto found = tries().find(lesson);
    return found == tries().end() ? std::vector<Try>() : found->second;
}

}  // namespace maskscope::ui
