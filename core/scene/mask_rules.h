#pragma once
// The mask rules, each stated once. A kind of rule is an entry of the table in mask_rules.cpp:
// reading, writing, edits, the backends, the sidebar and the palette follow from it.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/scene/expression.h"
#include "core/scene/scene.h"

namespace maskscope {

// The things that a parameter counts. They determine how an edit of the tokens changes the
// parameter.
enum class Counts {
    positions,   // or nothing; edits of tokens do not change the parameter
    first_keys,  // the size of a group that begins at the first key; an edit within it changes the
                 // size
    documents,   // the lengths of such groups along both axes; they sum to n_q = n_k
    queries,     // indices, which move with their token and are removed with it
    keys,
    tokens,   // the same for keys, and for queries by their position; not empty, no repetition
    ids,      // one for each key
    parents,  // one for each key, an index less than the key's own, or -1
    cells
};

struct LayerParameter {
    std::string_view key;  // in the file; required, except for `align` and optional lists
    std::variant<Align MaskLayer::*, Slopes MaskLayer::*, Index MaskLayer::*,
                 std::vector<Index> MaskLayer::*, std::optional<Array> MaskLayer::*,
                 std::optional<std::vector<Index>> MaskLayer::*,
                 std::optional<std::vector<Cell>> MaskLayer::*, std::vector<BiasCell> MaskLayer::*,
                 std::string MaskLayer::*, std::vector<MaskLayer> MaskLayer::*>
        member;
    Counts counts = Counts::positions;
    Index low = 0;             // the least number, or entry of a list of numbers
    Index fresh = 0;           // the number in a new rule, unless there are fewer keys
    std::string_view label{};  // names the field in the sidebar, for numbers that are typed
    std::string_view unit{};   // in the rule's summary, after 1: "key"
    std::string_view units{};  // the same after any other number: "keys"
    std::vector<std::vector<Index>> MaskLayer::*each{};  // one such list for each sequence
};

// One head of one sequence, as mask rules see it: which queries of the scene attend, and to how
// many of its keys, from the first on.
struct HeadPositions {
    Index b = 0, h = 0, heads = 1;
    Index n_q = 1, n_k = 1;
    Index start = 0;  // the position of the first query
    Index first = 0;  // the index of that query in the scene
    SharedValue<std::vector<Index>> positions = {}, key_positions = {};   // see Sequence
    Index p(Index i) const { return position_at(*positions, start, i); }  // position of query i
    Index r(Index j) const { return position_at(*key_positions, 0, j); }  // position of key j
    bool operator==(const HeadPositions&) const = default;
};

// Returns one head with all queries and all keys of the scene.
HeadPositions head_positions(const Scene& scene, Index b, Index h);
// Does the same with the shape of the scene, if the caller has it already.
HeadPositions head_positions(const Scene& scene, const Shape& shape, Index b, Index h);
// Returns one head with the single query t of self-attention, and the cached keys 0 to t.
HeadPositions decoding(const Scene& scene, Index b, Index h, Index t);

// The cells of one mask, row by row, for its queries `from` to `end` - 1 only.
struct MaskGrid : HeadPositions {
    bool* cells;  // [end - from, n_k]
    Index from = 0, end = n_q;
    std::span<bool> row(Index i) const {
        return {cells + (i - from) * n_k, static_cast<std::size_t>(n_k)};
    }
    std::size_t size() const { return static_cast<std::size_t>((end - from) * n_k); }
};

struct LayerRule {
    LayerKind kind;
    std::string_view name;   // in the file
    std::string_view label;  // kinds with the same label share a row in the window
    std::string_view edit = "change a mask rule";  // the undo text of a typed parameter
    std::vector<LayerParameter> parameters{};      // without `heads`, which every rule has
    // Blocks the cells that the rule does not allow, whether or not it is inverted: lay_over()
    // inverts. An `allowed` rule allows cells instead. Null for biases.
    void (*act)(const Scene& scene, const MaskLayer& layer, const MaskGrid& grid) = {};
    bool opens = false;            // acts after all other rules have blocked
    bool lists_cells = false;      // at least one of its parameters is present
    bool reads_keys = false;       // depends on which keys are padding
    bool reads_queries = false;    // depends on which queries are padding
    bool allows_diagonal = false;  // allows key i for query i if n_q <= n_k
    bool by_position = false;      // uses a query's position, not its index in the scene
    bool needs_key = false;        // every query's position must be that of a key
    bool is_rare = false;          // the sidebar offers it in a list, not in a row of its own
    bool in_shader = false;        // implemented by mask.comp; if not, the GPU gets its cells

    bool is_group = false;  // combines rules of its own

    bool is_bias() const { return act == nullptr; }  // adds numbers before the softmax
};

const std::vector<LayerRule>& layer_rules();  // in the order of LayerKind
const LayerRule& rule_of(LayerKind kind);

inline constexpr int most_groups = 4;  // nested

bool holds_for(const MaskLayer& layer, Index h);
// Returns a rule of this kind with a visible effect. If the kind needs a key at the position of
// each query, the caller must make sure that there is one.
MaskLayer new_layer(LayerKind kind, const Shape& shape);

// True if a sequence lists positions that mask rules use. Rules over an output use none.
bool lists_positions(const Scene& scene);

// Return the lists that hold for sequence b.
const std::vector<Index>& lengths_of(const MaskLayer& layer, Index b);
const std::vector<Index>& ids_of(const MaskLayer& layer, Index b);

// Returns how much each step in position lowers the scores of head h: 2^(−8(h + 1)/heads), except
// with Slopes::published if the number of heads is not a power of two.
double alibi_slope(Slopes slopes, Index h, Index heads);

// The numbers of one head of a tensor [n_q, n_k], [h, n_q, n_k] or [b, h, n_q, n_k], where h and b
// may be 1.
class TensorCells {
public:
    TensorCells(const Array& array, Index b, Index h);
    double at(Index i, Index j) const { return (*array_.values)[first_ + i * n_k_ + j]; }
    // True, for a mask, if the query may attend to the key.
    bool allows(Index i, Index j) const { return (at(i, j) != 0) == array_.truths; }

private:
    const Array& array_;
    Index first_ = 0, n_k_ = 0;
};
// Returns the first cell that a mask or a bias cannot hold, in words: "0.5 at [0, 0, 1, 2]"; "" if
// there is none.
std::string bad_tensor(const MaskLayer& layer);

// Blocks what the rule does not allow or, if it is inverted, what it allows. An `allowed` rule that
// is not inverted allows cells instead. Not for biases; the rule's `heads` are ignored.
void lay_over(const Scene& scene, const MaskLayer& layer, const MaskGrid& grid);

// The properties that a rule, or one within it, depends on besides positions and sizes.
struct RuleDependencies {
    bool keys = false, queries = false;   // whether they are padding
    bool head = false, sequence = false;  // whether a formula uses their numbers
};
RuleDependencies reads_of(const MaskLayer& layer);
RuleDependencies reads_of(const std::vector<MaskLayer>& layers);  // those of all rules together

// --- formulas

// The values of a rule's expression, row by row. Throws InputError (see expression.h).
class Formula {
public:
    Formula(const Scene& scene, const std::string& expression, const HeadPositions& attending);
    // Returns the values of query i for every key. They are valid until the next call.
    std::span<const double> row(Index i);

private:
    Expression expression_;
    HeadPositions attending_;
    std::vector<double> j_, pad_i_, pad_j_, values_;
};

// Returns the first value of a formula_bias that cannot be added, NaN or +∞, in words: "NaN at [0,
// 3]", with its head and sequence if there are several; "" if there is none.
std::string bad_bias(const Scene& scene, const MaskLayer& layer, Index heads);

// Returns the factors of a scale that is a formula, for `rows` queries from `first` on; empty for
// other scales.
std::vector<double> row_scales(const Scene& scene, const Scale& scale,
                               const HeadPositions& attending, Index first, Index rows);
// Returns the first factor of such a scale that is not finite, in words: "+∞ in row 3 of head 1";
// "" if there is none.
std::string bad_scale(const Scene& scene, const Scale& scale, Index heads);

// Returns the largest position of a query in any sequence.
Index last_position(const Scene& scene);

// --- properties of variants

// True if a weight is independent of the other keys of its row, so that nothing makes a row sum
// to 1.
inline bool weighs_cells_alone(const Variant& variant) {
    return variant.normalizer == Normalizer::sigmoid;
}
// True if each row of the softmax output sums to 1.
inline bool rows_sum_to_one(const Variant& variant) {
    return variant.normalizer == Normalizer::softmax;
}

// --- the families of Apply

// True if the mask acts on the softmax input.
constexpr bool masks_logits(Apply apply) {
    return apply == Apply::additive || apply == Apply::replace || apply == Apply::multiply_scores;
}

// True if the mask multiplies the softmax output.
constexpr bool masks_weights(Apply apply) {
    return apply == Apply::multiply_weights || apply == Apply::multiply_weights_renormalized;
}

// True if the mask value is added to blocked scores, or put in their place.
constexpr bool uses_value(Apply apply) {
    return apply == Apply::additive || apply == Apply::replace;
}

// True if the weights do not depend on the score of a blocked key.
constexpr bool cuts_gradient(Apply apply) {
    return apply == Apply::replace || apply == Apply::multiply_scores;
}

// True if rows without an allowed key are set to 0.
constexpr bool zeroes_empty_rows(Apply apply, EmptyRows policy) {
    return (policy == EmptyRows::zero || policy == EmptyRows::zero_after) && apply != Apply::none;
}

// True if the mask acts in rows without an allowed key as if it allowed every key.
constexpr bool opens_empty_rows(Apply apply, EmptyRows policy) {
    return policy == EmptyRows::all && apply != Apply::none;
}

// --- the effect of an edit of a mask

// Returns the queries in which two masks may differ, ascending, if their rules differ only in cells
// that `blocked` and `allowed` list; else nullopt.
std::optional<std::vector<Index>> changed_queries(const std::vector<MaskLayer>& x,
                                                  const std::vector<MaskLayer>& y);

}  // namespace maskscope
