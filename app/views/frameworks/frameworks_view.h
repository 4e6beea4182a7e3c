#pragma once
// Computes the mask of one variant as each framework handles it, grouped by what happens to a row
// in which every key is blocked.

#include <string>
#include <vector>

#include "app/figure/layout/lay_out.h"
#include "app/show/bench/bench.h"
#include "app/show/views/view_entry.h"

namespace maskscope {

// The outcome for a row without an allowed key.
enum class EmptyRow {
    nan,
    uniform,  // every key has the same weight
    zeros,
    other,
    none  // no row is without an allowed key
};
std::string_view words(EmptyRow kind);  // such as "NaN" or "Uniform"

struct FrameworkEntry {
    int framework = 0;          // index in frameworks()
    std::vector<int> variants;  // the variants of the scene that have its settings
};

// Frameworks whose weights look the same: no number differs by more than half of the second
// decimal, and all cells have the same flags.
struct FrameworkColumn {
    EmptyRow kind = EmptyRow::none;
    std::vector<FrameworkEntry> entries;
    BenchVariant variant;  // the weights and row sums of its first framework
};

struct FrameworksView {
    int base = 0;  // the variant whose tokens, inputs and mask rules all frameworks get
    Index b = 0, h = 0;
    SharedTokens tokens;
    std::vector<std::string> empty_rows;   // queries with all keys blocked in some framework
    std::vector<FrameworkColumn> columns;  // in the order of EmptyRow
};

// Compares frameworks for the first variant of the view that has a mask rule, in the first sequence
// and head. Throws WorkError, Cancellation.
FrameworksView make_frameworks_view(const Result& result, const View& view, Progress& progress);

// Returns a summary: "2 of the rows may not attend to any key. Frameworks differ in what they do
// with them." text_of() then adds what each framework does.
std::string summary_of(const FrameworksView& view);
std::string text_of(const FrameworksView& view);

// Adds a copy of the base variant with the settings of this framework. For Session::edit; throws
// EditError.
void add_framework_variant(Scene& scene, int base, int framework);

Figure lay_out_frameworks(const FrameworksView& view, ColourMap map, const std::string& title,
                          const LayoutOptions& options);

extern const ViewEntry frameworks_entry;

}  // namespace maskscope
