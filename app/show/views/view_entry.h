#pragma once
// A view that is drawn in place of the heatmaps (pipeline and heads), or above them, is a folder of
// app/views with its content, its layout, and its mouse and keys. The program knows it only by its
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

// The content that a view computes from a result: numbers and labels, without lengths. Only the
// view knows its type.
using ViewContent = std::shared_ptr<const void>;

// The key of a view's content: equal keys mean equal content.
struct ViewKey {
    ViewKind kind = ViewKind::pipeline;
    std::shared_ptr<const Result> result;  // null if no edit of tokens or masks changes the content
    std::vector<std::string> names;        // the variants' names
    std::vector<int> variants;
    std::vector<Index> sequences, heads;
    std::string rest;  // other dependencies, in any form
    bool operator==(const ViewKey&) const = default;
};

// A field for a number next to the tabs.
struct ViewField {
    std::string words;                 // written before the field: "d ="
    std::string name;                  // the name for tooltips: "marked width"
    std::vector<std::string> chips{};  // shown as chips instead of typed: low, low + 1, …; or none
    Index value = 1, low = 1, high = 1;
    std::function<void(View&, Index)> set{};
};

struct ViewEntry {
    ViewKind kind = ViewKind::pipeline;
    std::string_view label;  // such as "Output plane"

    // --- whether the scene has the view, and its content
    // Returns "" if the scene has this view, otherwise why not, as a sentence.
    std::string (*unavailable_reason)(const Scene&) = nullptr;
    // True: if a scene requests the view but cannot have it, the tab is shown all the same, and the
    // view says why.
    bool explains_absence = false;
    // Changes the parts that all keys have: the result, and the variants, sequences and heads of
    // the view.
    void (*adapt_key)(ViewKey&, const View&) = nullptr;
    // Makes the content. Throws WorkError, Cancellation.
    ViewContent (*make)(const Result&, const View&, Progress&) = nullptr;
    bool is_slow = false;  // always made in the background, even for a short text
    std::string_view waiting = "Computing…";
    // Returns the content with other limits: calls `limit` for each scale of colours, with its
    // name; for `--vmin` and `--vmax`. May be null.
    using Limit = std::function<void(Limits&, const std::string& of)>;
    ViewContent (*limited)(const void* content, const Limit& limit) = nullptr;

    // --- the figure
    Figure (*lay_out)(const void* content, const Result&, const Bench&, const View&,
                      const LayoutOptions&) = nullptr;
    // Lays out the part above the bench for presenting. The bench is drawn below it with the
    // changed `options`. Null for a view that is drawn in place of the bench.
    Figure (*lay_out_above)(const void* content, const Result&, const View&,
                            LayoutOptions& options) = nullptr;

    // --- in words
    bool concerns_tokens = true;  // false: the alternative text does not mention tokens
    std::string (*text)(const Result&, const View&) = nullptr;  // returns a sentence; may be null

    // --- the user's actions; each may be null
    std::vector<ViewField> (*fields)(const Result&, const View&) = nullptr;
    void (*use_pointer)(Session&, const Figure&, const PlotPointer&) = nullptr;
    std::string (*explain)(const Session&, const Spot&) = nullptr;  // returns a tooltip
    // Handles the arrow keys; returns true if they did something, or have no other use in this
    // view.
    bool (*move)(Session&, std::optional<Spot>& chosen, Index down, Index right) = nullptr;
    void (*act)(Session&, const Spot& chosen) = nullptr;  // handles Enter
    // Handles the arrow keys while presenting, or Page Down and Page Up; returns true if there was
    // a step to take.
    bool (*step)(Session&, Index steps, bool begins) = nullptr;
    bool (*can_turn_page)(const Session&) = nullptr;  // null: Page Down goes to the next step
};

// Returns the entries in the order of the tabs: see app/views/views.cpp.
std::span<const ViewEntry* const> view_entries();
// Returns the entry of a view; nullptr for pipeline and heads.
const ViewEntry* entry_of(ViewKind kind);
std::string_view label(ViewKind kind);

// The content of each view that was made, perhaps for an earlier result.
struct ViewData {
    std::map<ViewKind, ViewContent> contents;
    std::string failure;  // why the shown view could not be made, as a sentence
    const void* content(ViewKind kind) const;  // nullptr if it was not made
    bool operator==(const ViewData&) const = default;
};

// Computes the content of the shown view immediately, even if it exists already. Throws WorkError,
// Cancellation.
ViewData make_view_data(const Result& result, const View& view, Progress& progress);

ViewKey view_key(const std::shared_ptr<const Result>& result, const View& view);

// --- the views that a scene has, and the shown one

// Returns the views of this scene in the order of their tabs; always with the pipeline, and with
// heads if there are at least two.
std::vector<ViewKind> views_of(const Scene& scene);
bool has_view(const Scene& scene, ViewKind kind);
// Returns the views of the scene, and a requested one that the scene lacks if it explains its
// absence.
std::vector<ViewKind> tabs_of(const View& view, const Scene& scene);

// Returns the shown view: view.show.view, or the pipeline if it has no tab.
ViewKind shown_view(const View& view, const Scene& scene);

// Returns the row that Plane, Value table and Generation show: the focus, or the last row.
Index row_in_view(const View& view, const Shape& shape);

}  // namespace maskscope
