#pragma once
// Picks a number for a caption or a fact: the pinned cell in a variant and stage, or a statistic of
// its row. Independent of ImGui.

#include <optional>
#include <string>
#include <vector>

#include "app/show/cells/view.h"
#include "core/lesson/lesson.h"

namespace maskscope {

// The extent of what is picked: one number, a row or a whole heatmap. A caption uses one number.
enum class Reach { one, row, all };

struct Pick {
    int variant = 0;
    std::optional<int> minus;    // the subtracted variant, for a difference
    std::string of = "weights";  // a stage or a statistic of a row
    Reach reach = Reach::one;
    bool operator==(const Pick&) const = default;
};

// Returns what can be picked: each shown variant, and the shown difference or, if there are two
// variants, the first minus the second.
std::vector<Pick> variants_to_pick(const View& view, const Scene& scene, const Pick& pick);
std::string variant_text(const Pick& pick);  // such as "B" or "A−B"

// A stage or statistic that exists in the scene for this variant, by its name in files and its
// label: "weights", "Weights"; "sum", "Row sum".
struct Measure {
    std::string of, text;
};
std::vector<Measure> measures_of(const View& view, const Scene& scene, const Pick& pick);

// Returns the address of what is picked in the pinned cell, in the sequence and head of
// place_of_focus(); nullopt if no cell is pinned or no such number exists.
std::optional<Address> address_of(const Pick& pick, const View& view, const Scene& scene);

// Returns the pick after a click on a cell: its variant (the first shown one if all variants share
// the stage) and its stage.
Pick pick_of(const CellRef& cell, const View& view, const Scene& scene, const Pick& before);

}  // namespace maskscope
