#pragma once
// The rules of masks, each stated once. A kind of layer is an entry of the table in mask_rules.cpp:
// reading, writing, edits, the backends, the sidebar and the palette follow from it.

#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "core/scene/scene.h"

namespace maskscope {

// What a parameter counts, and so how an edit of the tokens changes it.
enum class Counts {
    positions,   // or nothing: it stays as it is
    first_keys,  // this many keys from the first on, a group: an edit within it changes its size
    documents,   // the lengths of such groups along both axes; they sum to n_q = n_k
    queries,     // indices, which move with their token and are removed with it
    keys,
    cells
};

struct LayerParameter {
    std::string_view key;  // in the file; required, but for `align` and optional lists
    std::variant<Align MaskLayer::*, Index MaskLayer::*, std::vector<Index> MaskLayer::*,
                 std::optional<std::vector<Index>> MaskLayer::*,
                 std::optional<std::vector<Cell>> MaskLayer::*, std::vector<BiasCell> MaskLayer::*>
        member;
    Counts counts = Counts::positions;
    Index low = 0;             // the least number, or entry of a list of numbers
    Index fresh = 0;           // the number in a new layer, unless there are fewer keys
    std::string_view label{};  // of the field in the sidebar, where numbers are typed
    std::string_view unit{};   // in the layer's summary, after 1: "key"
    std::string_view units{};  // and after any other number: "keys"
};

// The cells of one mask, row by row.
struct MaskGrid {
    bool* cells;  // [n_q, n_k]
    Index n_q, n_k;
    std::span<bool> row(Index i) const { return {cells + i * n_k, static_cast<std::size_t>(n_k)}; }
};

struct LayerRule {
    LayerKind kind;
    std::string_view name;   // in the file
    std::string_view label;  // kinds with the same label share a row in the window
    std::string_view edit = "change a layer";  // what undo says of a typed parameter
    std::vector<LayerParameter> parameters{};  // without `heads`, which every layer has
    // Blocks what the layer does not allow in sequence b; `allowed` opens cells instead; null for
    // biases.
    void (*act)(const Scene& scene, Index b, const MaskLayer& layer, const MaskGrid& grid) = {};
    bool opens = false;            // acts after all others have blocked
    bool lists_cells = false;      // at least one of its parameters is present
    bool reads_keys = false;       // depends on which keys are pads
    bool reads_queries = false;    // depends on which queries are pads
    bool allows_diagonal = false;  // key i to query i, wherever n_q <= n_k
    bool is_square = false;        // needs n_q = n_k
    bool is_rare = false;          // the sidebar offers it in a list, not in a row of its own
    bool in_shader = false;        // mask.comp implements it; else the GPU is given its cells

    bool is_bias() const { return act == nullptr; }  // adds numbers before the softmax
};

const std::vector<LayerRule>& layer_rules();  // in the order of LayerKind
const LayerRule& rule_of(LayerKind kind);

bool holds_for(const MaskLayer& layer, Index h);
// A layer with a visible effect. Needs n_q = n_k if its kind does.
MaskLayer new_layer(LayerKind kind, const Shape& shape);

// --- the families of Apply

// Does the mask act on what the softmax receives?
constexpr bool masks_logits(Apply apply) {
    return apply == Apply::additive || apply == Apply::replace || apply == Apply::multiply_scores;
}

// Does it multiply what the softmax gives?
constexpr bool masks_weights(Apply apply) {
    return apply == Apply::multiply_weights || apply == Apply::multiply_weights_renormalized;
}

// Is `value` added to blocked scores, or put in their place?
constexpr bool uses_value(Apply apply) {
    return apply == Apply::additive || apply == Apply::replace;
}

// Do the weights no longer depend on the score of a blocked key?
constexpr bool cuts_gradient(Apply apply) {
    return apply == Apply::replace || apply == Apply::multiply_scores;
}

// Are rows without an allowed key set to 0?
constexpr bool mends_empty_rows(Apply apply, EmptyRows policy) {
    return policy != EmptyRows::nan && apply != Apply::none;
}

}  // namespace maskscope
