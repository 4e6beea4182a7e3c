#pragma once
// The mask of one variant as each framework handles it, grouped by what becomes of a row whose
// every key is blocked.

#include <string>
#include <vector>

#include "app/figure/layout/lay_out.h"
#include "app/show/bench/bench.h"
#include "app/show/views/view_entry.h"

namespace maskscope {

// The outcome of a row without an allowed key.
enum class EmptyRow {
    nan,
    uniform,  // every key has the same weight
    zeros,
    other,
    none  // there is no such row
};
std::string_view words(EmptyRow kind);  // "NaN", "Uniform"

struct FrameworkEntry {
    int framework = 0;       // index into frameworks()
    std::vector<int> lanes;  // the scene's variants that have its settings
};

// Frameworks whose weights look the same: no cell differs by what two decimals show.
struct FrameworkColumn {
    EmptyRow kind = EmptyRow::none;
    std::vector<FrameworkEntry> entries;
    BenchLane lane;  // the weights and row sums of the first
};

struct FrameworksView {
    int base = 0;  // the variant whose tokens, inputs and mask rules they all have
    Index b = 0, h = 0;
    SharedTokens tokens;
    std::vector<std::string> empty_rows;   // the queries whose every key some framework blocks
    std::vector<FrameworkColumn> columns;  // by kind
};

// Compares the first variant of the view that has a mask rule, for the first sequence and head.
// Throws WorkError, Cancelled.
FrameworksView make_frameworks_view(const Result& result, const View& view, Progress& progress);

// Returns "2 rows may attend to no key …", and which frameworks do what.
std::string summary_of(const FrameworksView& view);
std::string text_of(const FrameworksView& view);

// Adds a variant that is the base with this framework's settings. For Session::edit; throws
// EditError.
void add_framework_variant(Scene& scene, int base, int framework);

Figure lay_out_frameworks(const FrameworksView& view, ColourMap map, const std::string& title,
                          const LayoutOptions& options);

extern const ViewEntry frameworks_entry;

}  // namespace maskscope
