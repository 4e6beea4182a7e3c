#pragma once
// How the Try of every built-in step is followed, in the order of its words.

#include <map>

#include "tests/ui/lessons/person.h"

namespace maskscope::ui {

struct Try {
    int step = 1;
    std::string words;  // how the Try begins: whoever changes it looks here
    void (*follow)(Person& person);
};

// By the lesson's name.
inline const std::map<std::string, std::vector<Try>>& trys() {
    using enum StageKind;
    static const std::map<std::string, std::vector<Try>> all{
        {"additive-or-multiplicative",
         {
             {1, "Click the ringed cell of the mask, so that “name” may see “Luke”.",
              [](Person& p) { p.click(p.ringed_cell()); }},
             {2, "Open lane A and choose “Added before the softmax”",
              [](Person& p) {
                  p.open_lane('A');
                  p.choose("Added before the softmax");
              }},
             {3, "Open lane B and choose “Multiplied, then renormalized”",
              [](Person& p) {
                  p.open_lane('B');
                  p.choose("Multiplied, then renormalized");
              }},
             {4, "Double-click the score that “name” gives “Luke”, and type 0.",
              [](Person& p) {
                  p.type_over(p.cell(scores, {p.query("name"), p.key("Luke")}), "0");
              }},
             {5, "Click the ringed cell", [](Person& p) { p.click(p.ringed_cell()); }},
             {6, "Open lane B and choose “Multiplied after the softmax”",
              [](Person& p) {
                  p.open_lane('B');
                  p.choose("Multiplied after the softmax");
              }},
             {7, "Open lane B and set Dtype to float32",
              [](Person& p) {
                  p.open_lane('B');
                  p.set("Dtype", "float32");
              }},
             {8, "Under “Mask layers”, set “is → My” to 0, no opinion.",
              [](Person& p) {
                  p.click(p.left("Mask layers", "is → My"));
                  p.type("0");
              }},
             {9, "Open lane B and set Value to −2, then −10, then −1000",
              [](Person& p) {
                  p.open_lane('B');
                  for (const char* value : {"−2", "−10", "−1000"}) p.type_other("Value", value);
              }},
             {10, "Open lane B and choose “Multiplied, then renormalized”",
              [](Person& p) {
                  p.open_lane('B');
                  p.choose("Multiplied, then renormalized");
              }},
             {11, "In the mask, drag over every 1 that is two or more places left of the diagonal.",
              [](Person& p) {
                  for (Index j = 0; j < 4; ++j)
                      p.drag(p.cell(allowed, {j + 2, j}), p.cell(allowed, {5, j}));
              }},
         }},
    };
    return all;
}

inline std::vector<Try> trys_of(const std::string& lesson) {
    const auto found = trys().find(lesson);
    return found == trys().end() ? std::vector<Try>() : found->second;
}

}  // namespace maskscope::ui
