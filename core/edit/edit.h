#pragma once
// Edits of a scene, as free functions that leave a valid scene. Indices in mask rules move with
// their token and are removed with it; the token's document grows or shrinks, and is removed when
// empty. An edit that is impossible throws EditError (a sentence for the status line) and changes
// nothing.

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

// Splits "My name is" into tokens at white space. "Quoted text" is one token, in which a backslash
// escapes a quote or a backslash.
std::vector<std::string> split_sentence(const std::string& text);

// Replaces all tokens of one side of sequence b. Tokens unchanged at either end keep their indices
// in mask rules. EditError if the inputs are given numbers and the length changes.
void set_sentence(Scene& scene, Index b, Side side, const std::vector<std::string>& tokens);

// Renames a token. Indices count in the padded length: setting a token beyond the end of a shorter
// sequence turns the padding before it into tokens of the sequence.
void rename_token(Scene& scene, Index b, Side side, Index index, const std::string& token);
// Inserts a token before `index`. If the inputs are given numbers, the token's rows and columns are
// zero.
void insert_token(Scene& scene, Index b, Side side, Index index, const std::string& token);
// Deletes a token. EditError if it is the only one, or only pads a shorter sequence.
void delete_token(Scene& scene, Index b, Side side, Index index);
void move_token(Scene& scene, Index b, Side side, Index from, Index to);  // it ends up at `to`
// Turns a token into a pad token, and a pad token into "token".
void toggle_pad(Scene& scene, Index b, Side side, Index index);

// Sets the position of the first query. EditError with self-attention, where it is 0.
void set_start(Scene& scene, Index b, Index start);
// Sets the position of each query, or key, in place of counting from the start; if empty, positions
// are counted. EditError with self-attention.
void set_positions(Scene& scene, Index b, Side side, const std::vector<Index>& positions);

// --- a translator. Lists of mask rules that no longer fit are cut, or removed with their rule.
void set_source(Scene& scene, Index b, const std::vector<std::string>& words);
// Shows another attention of the translator. A variant's mask that is the model's own for the old
// attention becomes the one for the new.
void show_attention(Scene& scene, ModelAttention attention, Index layer);
void turn_head(Scene& scene, int index, Index h, bool on);

// Turns any inputs into `embedding`, and keeps seed, heads and widths if they exist.
void use_embedding(Scene& scene);

enum class Tensor { queries, keys, values };
// Sets a finite number of Q, K or V. `embedding` turns into `tensors`, and the seeded matrices of
// variants are stored so that nothing else changes. EditError if the inputs have no such given
// numbers.
void set_number(Scene& scene, Tensor tensor, Index b, Index h, Index row, Index column, double x);
// Sets a score. The inputs turn into `scores`: the numbers shown, with d_k and values kept.
// EditError unless `shown` belongs to this scene and all its variants have equal, finite scores.
void set_score(Scene& scene, const Result& shown, Index b, Index h, Cell cell, double x);

// Allows or blocks a cell in all variants of `variants`. The cell is removed from the rule that
// lists it, or added to a blocked or allowed rule for all heads (created if missing). Afterwards
// is_allowed() is `allow` in each variant.
void set_allowed(Scene& scene, const std::vector<int>& variants, Index b, Index h, Cell cell,
                 bool allow);
bool is_allowed(const Scene& scene, int variant, Index b, Index h, Cell cell);
// Blocks a row or column if any of its cells is allowed in one of the variants. Otherwise allows
// it: removes it from the rules that list it and, if it is still fully blocked, adds it to an
// allowed rule.
void toggle_row(Scene& scene, const std::vector<int>& variants, Index b, Index h, Index i);
void toggle_column(Scene& scene, const std::vector<int>& variants, Index b, Index h, Index j);
// Adds a rule of this kind with sensible parameters if there is none, or removes every rule of the
// kind.
void set_layer(Scene& scene, const std::vector<int>& variants, LayerKind kind, bool on);

// --- one mask rule, in each of these variants. EditError says why a rule cannot be there.

// The place of a rule: its index in the variant's list, or, if it is within groups, the index of
// the outermost group there, followed by an index in each group.
using LayerPath = std::vector<std::size_t>;
// Returns the rule at a path; nullptr if there is none.
const MaskLayer* find_layer(const std::vector<MaskLayer>& layers, const LayerPath& path);
// Adds a rule at the end of a group, or of the variant's list if `group` is {}.
void add_layer(Scene& scene, const std::vector<int>& variants, const LayerPath& group,
               LayerKind kind);
void replace_layer(Scene& scene, const std::vector<int>& variants, const LayerPath& path,
                   const MaskLayer& layer);
// Removes a rule. A group that loses its last rule is removed too.
void remove_layer(Scene& scene, const std::vector<int>& variants, const LayerPath& path);
void move_layer(Scene& scene, const std::vector<int>& variants, const LayerPath& from,
                const LayerPath& group);
// Puts rules of one list into a new group, at the place of the first.
void group_layers(Scene& scene, const std::vector<int>& variants, std::vector<LayerPath> paths,
                  LayerKind kind);
// Adds a variant with the same rules, regrouped, and names it by its formula: "(A or B) and C"
// gives the variant "A or (B and C)".
void move_bracket(Scene& scene, int variant);

// --- variants

// Appends a variant, so that the others keep their letters, and adds it to `show.variants` if that
// is present.
void add_variant(Scene& scene);  // with the mask rules of the last one, otherwise defaults
void duplicate_variant(Scene& scene, int variant);
void remove_variant(Scene& scene, int index);  // throws EditError if it is the only one
void rename_variant(Scene& scene, int variant, const std::string& name);
// Changes one setting, and the settings that follow from it. EditError if the scene cannot have
// them.
void set_setting(Scene& scene, int variant, const Setting& setting,
                 const std::function<void(Variant&)>& put);
// Sets a setting from the text that the user typed; the setting must have the member `typed`.
// EditError says what was expected.
void type_setting(Scene& scene, int variant, const Setting& setting, const std::string& text);
// Sets the number of heads, for `embedding`. Removes heads that are gone from rules and sinks.
// Matrices that no longer fit become defaults; so does the number of KV heads if it does not divide
// the number of query heads.
void set_heads(Scene& scene, Index heads);
void set_kv_heads(Scene& scene, Index kv_heads);
void set_kv_map(Scene& scene, KvMap map);  // for `embedding` or `tensors`

// The matrix of a variant: M [d_q, d_k] of bilinear, W of projected ([h·d_v, d_out]) and of
// alternative ([d_out, d_v]). Editing one entry of a seeded matrix stores all of it.
enum class VariantMatrix { score, output };
// Returns the matrix; nullopt if this variant has none.
std::optional<Matrix> variant_matrix(const Scene& scene, int variant, VariantMatrix which);
// Sets one entry; x is finite. EditError if there is no such matrix or entry.
void set_matrix_number(Scene& scene, int variant, VariantMatrix which, Index row, Index column,
                       double x);
// Sets ones on the diagonal, zeros elsewhere.
void set_matrix_identity(Scene& scene, int variant, VariantMatrix which);

// --- the saved view

// Returns `show` without what the scene does not have and the reader would refuse.
Show valid_show(Show show, const Scene& scene);

}  // namespace maskscope
