#pragma once
// Edits of a scene, as free functions that leave a valid scene. Indices in layers move with their
// token and are removed with it; its document grows or shrinks and is removed when empty. An edit
// that is impossible throws EditError (a sentence for the status line) and changes nothing.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/result/result.h"
#include "core/scene/scene.h"

namespace maskscope {

struct Setting;  // see setting.h

struct EditError : Error {
    explicit EditError(const std::string& message) : Error(Kind::edit, "", message) {}
};

enum class Side { queries, keys };  // with self-attention both mean the queries

// "My name is" -> tokens, split at white space. "Quoted text" is one token, in which a backslash
// escapes a quote or a backslash.
std::vector<std::string> split_sentence(const std::string& text);

// Replaces all tokens of one side of sequence b. Tokens unchanged at either end keep their indices
// in layers. EditError if the inputs are given numbers and the length changes.
void set_sentence(Scene& scene, Index b, Side side, const std::vector<std::string>& tokens);

// Indices count in the padded length: setting a token beyond the end of a shorter sequence turns
// the pads before it into tokens of the sequence.
void rename_token(Scene& scene, Index b, Side side, Index index, const std::string& token);
// Inserts before `index`. If the inputs are given numbers, the token's rows and columns are zero.
void insert_token(Scene& scene, Index b, Side side, Index index, const std::string& token);
void delete_token(Scene& scene, Index b, Side side, Index index);  // EditError for the only one
void move_token(Scene& scene, Index b, Side side, Index from, Index to);  // it ends up at `to`
void toggle_pad(Scene& scene, Index b, Side side, Index index);  // pad token and back to "token"

// Where the first query stands. EditError with self-attention, where it is 0.
void set_start(Scene& scene, Index b, Index start);
// Where each query, or key, stands, in place of counting on; empty: counted on. EditError with
// self-attention.
void set_positions(Scene& scene, Index b, Side side, const std::vector<Index>& positions);

// --- a translator. Lists of layers that no longer fit are cut, or go with their layer.
void set_source(Scene& scene, Index b, const std::vector<std::string>& words);
// A mask that is the model's own becomes that of the other attention.
void show_attention(Scene& scene, ModelAttention attention, Index layer);
void turn_head(Scene& scene, int lane, Index h, bool on);

// Turns any inputs into `embedding`, keeping seed, heads and widths where they exist.
void use_embedding(Scene& scene);

// Sets a finite number of Q, K or V. `embedding` turns into `tensors`, with the seeded matrices of
// variants stored so that nothing else changes. EditError if the inputs have no such given numbers.
enum class Tensor { queries, keys, values };
void set_number(Scene& scene, Tensor tensor, Index b, Index h, Index row, Index column, double x);
// The inputs turn into `scores`: the numbers shown, with d_k and values kept. EditError unless
// `shown` belongs to this scene and all its lanes have equal, finite scores.
void set_score(Scene& scene, const Result& shown, Index b, Index h, Cell cell, double x);

// The mask of all variants in `lanes`. The cell is removed from the layer that lists it, or added
// to a blocked or allowed layer for all heads (created if missing). Afterwards is_allowed() is
// `allow` in each lane.
void set_allowed(Scene& scene, const std::vector<int>& lanes, Index b, Index h, Cell cell,
                 bool allow);
bool is_allowed(const Scene& scene, int lane, Index b, Index h, Cell cell);
// Blocks a row or column if any of its cells is allowed in one of the lanes, else allows it:
// removes it from the layers that list it and, if it is still fully blocked, adds it to an allowed
// layer.
void toggle_row(Scene& scene, const std::vector<int>& lanes, Index b, Index h, Index i);
void toggle_column(Scene& scene, const std::vector<int>& lanes, Index b, Index h, Index j);
// Adds a layer of this kind with sensible parameters, or removes every layer of the kind.
void set_layer(Scene& scene, const std::vector<int>& lanes, LayerKind kind, bool on);

// --- one layer of the mask, in each of these lanes. EditError says what is wrong with a layer that
// cannot be there.

// Its place in the lane's list, then, for one within groups, its place in each of them.
using LayerPath = std::vector<std::size_t>;
// nullptr if there is none.
const MaskLayer* find_layer(const std::vector<MaskLayer>& layers, const LayerPath& path);
// At the end of a group, or of the lane's list: {}.
void add_layer(Scene& scene, const std::vector<int>& lanes, const LayerPath& group, LayerKind kind);
void replace_layer(Scene& scene, const std::vector<int>& lanes, const LayerPath& path,
                   const MaskLayer& layer);
// A group that loses its last rule is removed, too.
void remove_layer(Scene& scene, const std::vector<int>& lanes, const LayerPath& path);
void move_layer(Scene& scene, const std::vector<int>& lanes, const LayerPath& from,
                const LayerPath& group);
// Layers of one list become a group at the place of the first.
void group_layers(Scene& scene, const std::vector<int>& lanes, std::vector<LayerPath> paths,
                  LayerKind kind);
// Adds a lane with the same layers and the bracket elsewhere, named by its formula: for
// "(A or B) and C" the lane "A or (B and C)".
void move_bracket(Scene& scene, int lane);

// --- variants

// New variants are appended, so that the others keep their letters, and are added to `show.lanes`
// if that is present.
void add_variant(Scene& scene);  // the mask layers of the last one, otherwise defaults
void duplicate_variant(Scene& scene, int lane);
void remove_variant(Scene& scene, int lane);  // EditError for the only one
void rename_variant(Scene& scene, int lane, const std::string& name);
// Changes one setting, and what follows from it. EditError if the scene cannot have that.
void set_setting(Scene& scene, int lane, const Setting& setting,
                 const std::function<void(Variant&)>& put);
// For `embedding`: removes lost heads from rules and sinks; what no longer fits becomes the
// default: matrices, and heads of keys, which must divide those of queries.
void set_heads(Scene& scene, Index heads);
void set_kv_heads(Scene& scene, Index kv_heads);
void set_kv_map(Scene& scene, KvMap map);  // of `embedding` or `tensors`

// The matrix of a variant: M [d_q, d_k] of bilinear, W of projected ([h·d_v, d_out]) and of
// alternative ([d_out, d_v]). Editing one entry of a seeded matrix stores all of it.
enum class VariantMatrix { score, output };
// nullopt if this variant has no such matrix.
std::optional<Matrix> variant_matrix(const Scene& scene, int lane, VariantMatrix which);
// x is finite. EditError if there is no such matrix or entry.
void set_matrix_number(Scene& scene, int lane, VariantMatrix which, Index row, Index column,
                       double x);
// Ones on the diagonal, zeros elsewhere.
void set_matrix_identity(Scene& scene, int lane, VariantMatrix which);

}  // namespace maskscope
