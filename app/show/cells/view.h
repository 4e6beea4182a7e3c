#pragma once
// The state of what is shown, as opposed to computed: a scene's `show`, and state that is not
// saved.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/style/shapes.h"
#include "core/scene/cover.h"
#include "core/scene/scene.h"

namespace maskscope {

// Negative numbers in place of a variant's index: for a stage that all variants share, for the
// difference of two variants, and for another attention, such as that of an earlier layer, whose
// tokens are not those of the shown one.
inline constexpr int shared_variant = -1, difference_variant = -2, foreign_variant = -3;
// Q, K and V, unfolded. Their cells have the stage `output`, because their columns are not keys.
inline constexpr int queries_variant = -5, keys_variant = -6, values_variant = -7;
inline bool is_tensor_variant(int variant) {
    return variant <= queries_variant && variant >= values_variant;
}

// A hovered or pinned cell.
struct CellRef {
    int variant = shared_variant;
    StageKind stage = StageKind::weights;
    Index b = 0, h = 0, i = 0, j = 0;
    bool operator==(const CellRef&) const = default;
};

// The query and the key of a cell. Cells of the output, and of Q, K and V, have only one of them.
struct PointedTokens {
    std::optional<Index> query, key;
};
PointedTokens tokens_of(const CellRef& cell);

// The mapping from numbers to colours, in the window and its exports; not part of any scene.
struct Colouring {
    std::optional<ColourMap> map;  // for unsigned stages; nullopt = each stage's own
    // For softmax output, weights, sensitivity and influence. nullopt: only for shares of many
    // keys, which would otherwise all be dark.
    std::optional<bool> logarithmic;
    bool operator==(const Colouring&) const = default;
};

struct View {
    Show show;  // the part that a scene saves
    Colouring colouring;
    std::vector<Index> picked;  // heads in the grid of heads to be compared: none, one, or two
    bool enlarged = false;      // one head of the grid fills the bench, until Escape
    bool batch = false;         // show the whole batch in rows next to the pipeline
    // The number of words that a translator has written when it is stepped through, including
    // <eos>; at least 1.
    std::optional<Index> words;
    Zoom zoom;
    std::optional<CellRef> hovered;  // the cell under the pointer in this frame
    std::optional<CellRef> pinned;  // the focus, in the cell that was clicked: see place_of_focus()
    ThemeKind theme = ThemeKind::dark;
    // [variant]: what was changed in it since the step began, see changes_since(); empty if no
    // lesson is open. Set by the session.
    std::vector<std::string> variant_changes{};
    // The part that a step hides until its question is answered; nullopt if the step does not ask.
    // Set by the session. make_bench() marks hidden stages; all other code that shows numbers must
    // ask here.
    std::optional<Cover> cover{};
    void ask(std::optional<Cover> hidden) { cover = std::move(hidden); }
    void show_answer() { cover.reset(); }
    bool asks() const { return cover.has_value(); }
    bool hides(int variant) const { return cover && cover->hides(variant); }
    bool hides(StageKind stage, std::optional<int> variant) const {
        return cover && cover->hides(stage, variant);
    }
    bool operator==(const View&) const = default;
    // Resets what refers to the cells and heads of the previous scene.
    void start_afresh();
};

// The rows or columns, out of `count`, that are at least partly between two fractions of the whole;
// a part that may be rounding does not count.
struct SeenSpan {
    Index begin = 0, end = 0;  // exclusive
};
SeenSpan seen_span(double from, double to, Index count);

bool names_mask(const Show& show);  // true if the mask is among the stages
// True if the mask is among the stages, one of its cells has a ring, or a rule blocks keys.
bool needs_mask(const View& view, const Scene& scene);
bool shows_stage(const View& view, StageKind stage);  // true if it is among the shown stages
// Return the variants, sequences and heads that a view shows: the default ones if the scene names
// none, and never those that edits have removed. Never empty.
std::vector<int> shown_variants(const View& view, const Scene& scene);
std::vector<Index> shown_sequences(const View& view, const Shape& shape);
std::vector<Index> shown_heads(const View& view, const Shape& shape);
// Returns sequence and head of the pinned cell if they are shown, otherwise the first that are.
std::pair<Index, Index> place_of_focus(const View& view, const Shape& shape);

// Return the changes of a variant: those since the step began or, if there are none, its
// differences from another variant of the same name; and the name of the variant, followed by its
// changes.
std::string variant_changes(const View& view, const Scene& scene, int variant);
std::string variant_title(const View& view, const Scene& scene, int variant);

}  // namespace maskscope
