#pragma once
// A view that is drawn in place of the heatmaps (pipeline and heads), or above them, is a folder of
// app/views: its content, its layout, and its mouse and keys. Its only link to the program is one
// ViewEntry in the list of app/views/views.cpp.

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/show/cells/view.h"
#include "core/result/request.h"
#include "core/result/result.h"

namespace maskscope {

class Session;
struct Bench;
struct Figure;
struct LayoutOptions;
struct Limits;
struct PlotPointer;
struct Spot;

// The content that a view computed from a result: numbers and labels, no lengths. Only the view
// knows its type.
using ViewContent = std::shared_ptr<const void>;

// The key of a view's content: equal keys mean equal content.
struct ViewKey {
    ViewKind kind = ViewKind::pipeline;
    std::shared_ptr<const Result> result;  // null if no edit of tokens or masks changes the content
    std::vector<std::string> names;        // the names of the variants
    std::vector<int> lanes;
    std::vector<Index> sequences, heads;
    std::string rest;  // what else it depends on, in any form
    bool operator==(const ViewKey&) const = default;
};

// A number beside the tabs.
struct ViewField {
    std::string words;                 // before it: "d ="
    std::string name;                  // for the keyboard: "marked width"
    std::vector<std::string> chips{};  // chosen instead of typed: low, low + 1, …; or none
    Index value = 1, low = 1, high = 1;
    std::function<void(View&, Index)> set{};
};

struct ViewEntry {
    ViewKind kind = ViewKind::pipeline;
    std::string_view label;  // "Output plane"

    // --- whether, and what
    // "" if the scene has this view, else why not, as a sentence.
    std::string (*unavailable_reason)(const Scene&) = nullptr;
    // If a scene requests the view in vain, its tab is still there and says why.
    bool explains_absence = false;
    // Changes what all keys hold: the result, and the variants, sequences and heads of the view.
    void (*adapt_key)(ViewKey&, const View&) = nullptr;
    // Makes the content. Throws WorkError, Cancelled.
    ViewContent (*make)(const Result&, const View&, Progress&) = nullptr;
    bool is_slow = false;  // made in the background, even for a short text
    std::string_view waiting = "Computing…";
    // Calls `limit` for what colours mean, and its name: `--vmin` and `--vmax`. May be null.
    using Limit = std::function<void(Limits&, const std::string& of)>;
    ViewContent (*limited)(const void* content, const Limit& limit) = nullptr;

    // --- the figure
    Figure (*lay_out)(const void* content, const Result&, const Bench&, const View&,
                      const LayoutOptions&) = nullptr;
    // Lays out the part above the bench for presenting; the bench is drawn below, and `options`
    // become its options. null for a view that is drawn in place of the bench.
    Figure (*lay_out_above)(const void* content, const Result&, const View&,
                            LayoutOptions& options) = nullptr;

    // --- in words
    bool concerns_tokens = true;  // false: its alternative text does not mention them
    std::string (*text)(const Result&, const View&) = nullptr;  // a sentence; may be null

    // --- what the user can do in it; each may be null
    std::vector<ViewField> (*fields)(const Result&, const View&) = nullptr;
    void (*use_pointer)(Session&, const Figure&, const PlotPointer&) = nullptr;
    std::string (*explain)(const Session&, const Spot&) = nullptr;  // a tooltip
    // Handles the arrow keys: true if they did something, or have no other use in this view.
    bool (*move)(Session&, std::optional<Spot>& chosen, Index down, Index right) = nullptr;
    void (*act)(Session&, const Spot& chosen) = nullptr;  // Enter
    // Handles the arrow keys while presenting, or Page Down and Page Up: true if there was a step
    // to take.
    bool (*step)(Session&, Index steps, bool begins) = nullptr;
    bool (*can_turn_page)(const Session&) = nullptr;  // null: Page Down goes to the next step
};

// Returns the list, in the order of the tabs: app/views/views.cpp.
std::span<const ViewEntry* const> view_entries();
// Returns nullptr for pipeline and heads.
const ViewEntry* entry_of(ViewKind kind);
std::string_view label(ViewKind kind);

// The content of each view that was made, possibly for an earlier result.
struct ViewData {
    std::map<ViewKind, ViewContent> contents;
    std::string failure;  // why the shown view could not be made, in a sentence
    const void* content(ViewKind kind) const;  // nullptr if there is none
    bool operator==(const ViewData&) const = default;
};

// Computes the content of the shown view in the call, even if it exists already. Throws WorkError,
// Cancelled.
ViewData make_view_data(const Result& result, const View& view, Progress& progress);

ViewKey view_key(const std::shared_ptr<const Result>& result, const View& view);

// Decides which views a scene has, and which is shown.

// Returns the views of this scene in the order of their tabs; the pipeline is always among them,
// heads are if there are two or more.
std::vector<ViewKind> views_of(const Scene& scene);
bool has_view(const Scene& scene, ViewKind kind);
// Returns the views that the scene has, and one that was requested and explains its absence.
std::vector<ViewKind> tabs_of(const View& view, const Scene& scene);

// Returns the shown view: view.show.view, or the pipeline if it has no tab.
ViewKind shown_view(const View& view, const Scene& scene);

// Returns the row that plane, table and generation are about: the focus, or the last row.
Index row_in_view(const View& view, const Shape& shape);

}  // namespace maskscope
