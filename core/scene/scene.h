#pragma once
// The scene: tokens, inputs, and the variants that are compared. Plain data; the names are those of
// the scene file. A Scene that was read, or left by an edit, is valid: see scene_json.h.
// Comparisons of the larger structs are defaulted in scene.cpp, so that they are compiled only
// once.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/large_array.h"
#include "core/base/shape.h"
#include "core/base/shared.h"
#include "core/scene/tokens.h"

namespace maskscope {

// The numbers of an array: float64, or float32 if that is what its file holds, in half the memory.
class ArrayNumbers {
public:
    ArrayNumbers() = default;
    ArrayNumbers(std::vector<double> numbers) : numbers_(std::move(numbers)) {}
    ArrayNumbers(LargeArray<float> numbers) : numbers_(std::move(numbers)) {}

    std::size_t size() const {
        return std::visit([](const auto& numbers) { return numbers.size(); }, numbers_);
    }
    double operator[](std::size_t k) const {
        const auto* wide = std::get_if<std::vector<double>>(&numbers_);
        return wide ? (*wide)[k] : double(std::get<LargeArray<float>>(numbers_)[k]);
    }
    // Returns all numbers as float64; the view is valid as long as this object.
    auto view() const {
        return std::views::iota(std::size_t{0}, size()) |
               std::views::transform([this](std::size_t k) { return (*this)[k]; });
    }
    // Copies the numbers from index `first` on, as many as `to` holds.
    void copy(std::size_t first, std::span<double> to) const;
    std::vector<double> float64s() const;
    bool operator==(const ArrayNumbers& other) const;  // NaN equals NaN here

private:
    std::variant<std::vector<double>, LargeArray<float>> numbers_;
};

struct Sequence {
    TokenList queries;              // at least one, none empty
    std::optional<TokenList> keys;  // nullopt = self-attention: the keys are the queries
    Index start = 0;  // query i is at position start + i, key j at j; 0 in self-attention
    // In place of start: the position of each query and each key, as position_at() reads it. Empty
    // = not listed.
    SharedValue<std::vector<Index>> positions = {}, key_positions = {};
    // For a model, in place of queries and keys. source: words from its vocabulary, then padding.
    // target: given in all sequences or in none; nullopt = the model generates.
    std::vector<std::string> source = {};
    std::optional<std::vector<std::string>> target = std::nullopt;
    bool operator==(const Sequence&) const;
};

// Numbers in the scene as nested lists, or in a tensor file next to it.
struct Array {
    std::vector<Index> axes;  // as written; 2 to 4 for inputs, 1 or 2 for matrices of variants
    SharedValue<ArrayNumbers> values;  // row-major; NaN and infinities only from files
    std::string file;     // "" for nested lists, else the reference as written: "qkv.npz:q"
    bool truths = false;  // Booleans, or integers that are true unless 0; only for masks
    bool operator==(const Array&) const;  // NaN equals NaN here: a scene with a NaN equals itself
};

// --- inputs

// Which KV head a query head uses, if there are fewer KV heads.
enum class KvMap { interleave, tile };

struct EmbeddingInputs {
    std::uint64_t seed = 0;  // 0 to 2^53 - 1
    Index heads = 1, d_k = 1, d_v = 1, d_model = 64;
    std::optional<Index> kv_heads = std::nullopt;  // a smaller divisor of `heads`; nullopt = heads
    KvMap kv_map = KvMap::interleave;
    bool operator==(const EmbeddingInputs&) const = default;
};

enum class Pattern { previous, next, self, first, local, same_token, induction, uniform, random };

struct PatternHead {
    Pattern pattern = Pattern::uniform;
    double strength = 0;
    bool operator==(const PatternHead&) const = default;
};

struct PatternsInputs {
    std::vector<PatternHead> heads;
    std::uint64_t seed = 0;
    Index d_v = 1;
    bool operator==(const PatternsInputs&) const;
};

struct TensorsInputs {
    Array queries, keys;          // [b, h, n_q, d_q], [b, h or a divisor of it, n_k, d_k]
    std::optional<Array> values;  // [b, KV heads, n_k, d_v]
    KvMap kv_map = KvMap::interleave;
    bool operator==(const TensorsInputs&) const;
};

struct ScoresInputs {
    Array scores;                 // [b, h, n_q, n_k]
    std::optional<Array> values;  // [b, h, n_k, d_v]
    std::optional<Index> d_k;
    bool operator==(const ScoresInputs&) const;
};

struct WeightsInputs {
    Array weights;  // [b, h, n_q, n_k], in place of the softmax output
    std::optional<Array> values;
    bool operator==(const WeightsInputs&) const;
};

struct LayerBefore;

// A second layer: queries, keys and values are outputs of a variant over inputs of its own.
struct OutputInputs {
    SharedValue<LayerBefore> of;
    std::optional<SharedValue<LayerBefore>> keys;  // keys and values, from attention among the keys
    bool operator==(const OutputInputs&) const;
};

struct Model;  // see model.h
enum class ModelAttention { encoder, decoder, cross };

// A trained translator: each variant is a whole pass, of which one attention is shown.
struct ModelInputs {
    std::string model;  // as written: a built-in name, or a path to a .safetensors file
    SharedValue<Model> loaded;
    ModelAttention attention = ModelAttention::cross;
    Index layer = 0;
    bool operator==(const ModelInputs&) const;
};

using Inputs = std::variant<EmbeddingInputs, PatternsInputs, TensorsInputs, ScoresInputs,
                            WeightsInputs, OutputInputs, ModelInputs>;

// --- variants

enum class ScoreKind { dot, gaussian, bilinear, additive };

struct Score {
    ScoreKind kind = ScoreKind::dot;
    std::optional<Array> matrix;  // bilinear: [d_q, d_k]; nullopt = seeded
    std::optional<Array> w_q, w_k,
        w_v;           // additive: [hidden, d_q], [hidden, d_k], [hidden]; all or none
    Index hidden = 8;  // additive, if the matrices are seeded
    bool operator==(const Score&) const;
};

enum class ScaleKind { sqrt_d_k, sqrt_n_k, none, number, formula };

struct Scale {
    ScaleKind kind = ScaleKind::sqrt_d_k;
    double number = 1;            // if kind is number; finite
    std::string expression = {};  // if kind is formula: a factor for each row, without j
    bool operator==(const Scale&) const;
};

enum class LayerKind {
    causal,
    padding,
    padding_queries,
    window,
    prefix,
    documents,
    blocked,
    allowed,
    sinks,
    chunked,
    block_causal,
    global,
    groups,
    tree,
    formula,
    tensor,
    any,
    all,
    alibi,
    bias,
    formula_bias
};
enum class Align { top_left, bottom_right, positions };
// The slopes of alibi if the number of heads is not a power of two: those that models use, or those
// of the plain formula.
enum class Slopes { published, geometric };

struct Cell {
    Index i = 0, j = 0;  // query, key
    bool operator==(const Cell&) const = default;
};

struct BiasCell {
    Index i = 0, j = 0;
    double x = 0;
    bool operator==(const BiasCell&) const = default;
};

// One mask rule; fields that its kind does not have keep their defaults.
struct MaskLayer {
    LayerKind kind = LayerKind::causal;
    Align align = Align::top_left;      // causal
    Index left = 0, right = 0;          // window
    Index length = 0;                   // prefix
    Index count = 0;                    // sinks
    Index size = 1;                     // chunked, block_causal
    Slopes slopes = Slopes::published;  // alibi
    std::vector<Index> lengths;         // documents
    std::vector<Index> tokens;          // global: indices of keys
    std::vector<Index> ids;             // groups: [n_k], -1 = in no group
    std::vector<Index> parents;         // tree: [n_k], -1 = a root
    // In place of lengths and ids: a list for each sequence. Empty = one list for all.
    std::vector<std::vector<Index>> lengths_each, ids_each;
    std::string expression;                  // formula, formula_bias
    std::vector<MaskLayer> layers;           // any, all
    std::optional<std::vector<Cell>> cells;  // blocked, allowed: at least one of these three
    std::optional<std::vector<Index>> rows, columns;
    std::vector<BiasCell> bias;               // bias: its "cells"
    std::optional<Array> tensor;              // tensor: its "allowed"; bias, in place of cells
    bool invert = false;                      // blocks what it allows, and allows what it blocks
    std::optional<std::vector<Index>> heads;  // nullopt = all heads
    bool operator==(const MaskLayer&) const;
};

// True for alibi, bias and formula_bias: they add numbers and block nothing.
bool is_bias(const MaskLayer& layer);

enum class Apply {
    additive,
    replace,
    multiply_scores,
    multiply_weights,
    multiply_weights_renormalized,
    none
};
enum class ValueKind { minus_infinity, lowest, number };
// queries_first: the queries are scaled, and the scores are computed from them.
enum class Order { scale_then_mask, mask_then_scale, queries_first };

struct BlockedValue {
    ValueKind kind = ValueKind::minus_infinity;
    double number = 0;  // if kind is number; finite
    bool operator==(const BlockedValue&) const = default;
};

struct Mask {
    std::vector<MaskLayer> layers;
    Apply apply = Apply::additive;
    BlockedValue value;
    int times = 1;  // 1 or 2
    Order order = Order::scale_then_mask;
    bool operator==(const Mask&) const;
};

// cap(x) = c tanh(x / c), for the scaled scores before bias and mask, or for the logits after them.
enum class CapOrder { before_mask, after_mask };

struct Softcap {
    double cap = 50;  // 1e-3 to 1e6, not rounded to the dtype
    CapOrder order = CapOrder::before_mask;
    bool operator==(const Softcap&) const = default;
};

enum class Normalizer { softmax, softmax_plus_one, softmax_sink, sigmoid };
using Sink = std::variant<double, std::vector<double>>;  // for all heads, or for each; within ±1e9
enum class EmptyRows { nan, zero, zero_after, all };
enum class Dtype { float64, float32, float16, bfloat16 };
enum class OutputKind { values, projected, alternative };

struct Output {
    OutputKind kind = OutputKind::values;
    std::optional<Array>
        w;  // projected: [h·d_v, d_out]; alternative: [d_out, d_v]; nullopt = seeded
    bool operator==(const Output&) const;
};

// One way of attending. Over inputs `weights` only name, mask.layers, mask.apply, empty_rows, dtype
// and output have a meaning; score has one only if there are queries and keys.
struct Variant {
    std::string name;
    Score score;
    Scale scale;
    std::optional<Softcap> softcap;  // not with mask_then_scale
    Mask mask;
    Normalizer normalizer = Normalizer::softmax;
    Sink sink = 0.0;  // softmax_sink
    EmptyRows empty_rows = EmptyRows::nan;
    Dtype dtype = Dtype::float32;
    std::vector<Index> heads_off = {};  // for a model: heads of the shown layer whose output is 0
    Output output;
    std::optional<int> reference = std::nullopt;  // another variant, whose mask is the right one
    bool operator==(const Variant&) const;
};

struct LayerBefore {
    Inputs inputs;
    Variant variant;
    bool operator==(const LayerBefore&) const;
};

// --- what is shown

// The backends compute all but the last; depends is computed if it is shown or requested.
enum class StageKind {
    allowed,
    scores,
    scaled,
    logits,
    softmax,
    weights,
    output,
    sensitivity,
    depends
};
inline constexpr int stage_count = 8;  // without depends
inline constexpr int all_stage_count = 9;
// True if the stage has weights, or similar numbers for each key, in each head.
constexpr bool has_heads(StageKind stage) {
    using enum StageKind;
    return stage != allowed && stage != output && stage != depends;
}
inline constexpr Index most_depends_tokens = 64;  // the limit for queries and for keys
enum class ViewKind { pipeline, heads, plane, root_d, table, generation, translator, frameworks };
// A view's name in scene files, and the stages that it draws whatever the scene shows; if there are
// none, it draws the stages that the scene shows.
struct ViewRow {
    std::string_view name;
    std::array<std::optional<StageKind>, 3> stages{};
};
inline constexpr ViewRow view_rows[] = {
    {"pipeline"},
    {"heads"},
    {"plane", {StageKind::output}},
    {"root_d", {StageKind::scores, StageKind::weights, StageKind::sensitivity}},
    {"table", {StageKind::weights}},
    {"generation", {StageKind::weights}},
    {"translator"},
    {"frameworks", {StageKind::weights}}};

struct Difference {
    int variant = 0, minus = 1;
    bool operator==(const Difference&) const = default;
};

// The shown part of a scene file; fields that it leaves out are nullopt.
struct Show {
    std::optional<ViewKind> view;
    std::optional<std::vector<StageKind>> stages;
    std::optional<std::vector<int>> variants;  // variants, A = 0
    std::optional<Difference> difference;
    std::optional<std::vector<Index>> sequences, heads;
    std::optional<Cell> components;  // two of d_v
    std::optional<Index> d;          // 1 to 1024
    std::optional<Cell> focus, ring;
    bool vectors = false;  // Q, K and V, before the scores
    bool operator==(const Show&) const;
};

inline constexpr int most_variants = 26;  // A to Z

struct Scene {
    std::string title;
    std::string pad_token = "<pad>";
    std::vector<Sequence> sequences;  // at least one
    Inputs inputs;
    std::vector<Variant> variants;  // 1 to most_variants
    std::optional<Show> show;
    bool operator==(const Scene&) const;
};

// --- what follows from a scene (derived, never stored)

Shape shape_of(const Scene& scene);
// Returns the position of token k: its entry in the list, or, beyond the list, counted on from the
// last entry; start + k if nothing is listed.
Index position_at(const std::vector<Index>& listed, Index start, Index k);
std::vector<StageKind> shown_stages(const Show& show);  // in the order of StageKind
// Return the tokens of sequence b, padded at the end with pad_token to the longest sequence's
// length, or to n; valid while the scene is. With n they do not look up the length of other
// sequences. Rows of a model's decoder carry its input; a generating decoder has as many as it may
// need, named "…".
TokenView query_tokens(const Scene& scene, Index b);
TokenView query_tokens(const Scene& scene, Index b, Index n);
TokenView key_tokens(const Scene& scene, Index b);
TokenView key_tokens(const Scene& scene, Index b, Index n);
// Returns the labels of all sequences, stored independently of the scene.
TokenLabels query_labels(const Scene& scene);
TokenLabels key_labels(const Scene& scene);
bool is_self_attention(const Scene& scene);
// Returns the inputs of a model; nullptr for other inputs.
const ModelInputs* model_of(const Scene& scene);
// True for the inputs of a model. The model was trained with some of the settings, has its own
// vocabulary, and makes tokens and numbers separately for each variant.
bool is_trained(const Inputs& inputs);
bool generates(const Scene& scene);  // true for a model without targets
// True if both start from the same numbers: sequences, pad token and inputs are equal.
bool same_inputs(const Scene& x, const Scene& y);
// Returns an earlier layer as a scene of its own: attention among the queries' tokens, or among the
// keys'.
Scene scene_of_layer(const Scene& scene, const LayerBefore& layer, bool among_keys);

Index heads_of(const Inputs& inputs);
// Returns the number of KV heads: one for each query head, unless the inputs have fewer.
Index kv_heads_of(const Inputs& inputs);
// Returns the KV head that query head h uses.
Index kv_head_of(const Inputs& inputs, Index h);
// Returns the width of a key; nullopt for patterns, weights, and scores without d_k.
std::optional<Index> d_k_of(const Inputs& inputs);
// Returns the width of a value; nullopt if there are no values (then there is no output).
std::optional<Index> d_v_of(const Inputs& inputs);
std::optional<Index> d_q_of(const Inputs& inputs);
// Returns inputs.seed, or 0 if there is none: the seed of matrices that a variant leaves out.
std::uint64_t seed_of(const Inputs& inputs);
bool has_score(const Inputs& inputs);  // true if there are queries and keys
// Returns false for scores, scaled, logits and sensitivity over weights, and for depends except
// over embedding, or output over it.
bool has_stage(const Inputs& inputs, StageKind stage);
bool has_stage(const Scene& scene, StageKind stage);  // also false for depends with too many tokens
// True if the logits are more than sums and products of the scaled scores with mask and bias.
inline bool bends_scores(const Variant& variant) { return variant.softcap.has_value(); }
// Returns s if a row's sum of e^x begins with the term e^s: the sink of softmax_sink, 0 for plus
// one. Returns nullopt for other normalizers.
std::optional<double> sink_of(const Variant& variant, Index h);
Scale default_scale(const Inputs& inputs, const Score& score);

// Makes an array that is written as nested lists.
Array make_array(std::vector<Index> axes, std::vector<double> values);

char variant_letter(int variant);  // 0 -> 'A'

// Returns the difference up to which numbers of this dtype count as equal: the default tolerance of
// "the row sums to 1" and "near". For the 16-bit types it is about one step of the dtype near 1;
// for float32 and float64 it is about eight steps of float32.
constexpr double tolerance_of(Dtype dtype) {
    if (dtype == Dtype::bfloat16) return 4e-3;
    return dtype == Dtype::float16 ? 1e-3 : 1e-6;
}

// The least weight on a blocked key or a pad token whose cell is framed. A smaller one is reported
// in words only.
inline constexpr float least_leak = 1e-6F;

// The largest integer in files: exact in float64.
inline constexpr std::int64_t largest_integer = (std::int64_t{1} << 53) - 1;
// The same limit for positions and sizes. It is smaller if an Index has 32 bits, so that two can be
// added.
inline constexpr auto largest_index =
    static_cast<Index>(std::min<std::int64_t>(largest_integer, PTRDIFF_MAX / 2));

}  // namespace maskscope
