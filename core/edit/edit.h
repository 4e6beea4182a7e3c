#pragma once
// Every edit of a scene, as a free function that leaves a valid scene. Indices in layers move with
// their token and go with it; the document that held it grows or shrinks, and goes when empty.
// An edit that cannot be done throws EditError (a sentence for the status line), scene untouched.

#include <optional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/result/result.h"
#include "core/scene/scene.h"

namespace maskscope {

struct EditError : Error {
    explicit EditError(const std::string& message) : Error(Kind::edit, "", message) {}
};

enum class Side { queries, keys };  // with self-attention both name the queries

// "My name is" -> tokens, split at white space; "quotes keep" a token together, and inside them
// \" and \\ stand for a quote and a backslash.
std::vector<std::string> split_sentence(const std::string& text);

// Replaces all tokens of one side of sequence b. What stays at its beginning and its end keeps its
// indices in layers. Over given numbers a sentence of the same length renames; another length
// throws EditError that offers `embedding`.
void set_sentence(Scene& scene, Index b, Side side, const std::vector<std::string>& tokens);

// An index counts in the padded length: a token set beyond the end of a shorter sequence makes the
// pads before it tokens of their own.
void rename_token(Scene& scene, Index b, Side side, Index index, const std::string& token);
// The new token stands at `index`. Over given numbers its rows and columns are zero.
void insert_token(Scene& scene, Index b, Side side, Index index, const std::string& token);
void delete_token(Scene& scene, Index b, Side side, Index index);  // the last one stays: EditError
void move_token(Scene& scene, Index b, Side side, Index from, Index to);  // it ends up at `to`
void toggle_pad(Scene& scene, Index b, Side side, Index index);  // pad token and back to "token"

// Inputs by kind, from whatever they were: the shape is kept as far as the kind has one.
void use_embedding(Scene& scene);

// Q, K or V of one head: `embedding` turns into `tensors` (matrices that variants left out are
// written down, so that nothing else changes). Outputs of a layer before, and the keys of inputs
// that have none, cannot be typed: EditError. x is finite.
enum class Tensor { queries, keys, values };
void set_number(Scene& scene, Tensor tensor, Index b, Index h, Index row, Index column, double x);
// The inputs turn into `scores`: numbers as shown, d_k and values kept. `shown` must belong to this
// scene, and all of its lanes have equal, finite scores: else EditError.
void set_score(Scene& scene, const Result& shown, Index b, Index h, Cell cell, double x);

// The mask, of the variants in `lanes` together. A click puts the cell into a blocked or allowed
// layer without heads (made if missing), or takes it out of the one that listed it. Afterwards
// is_allowed() is `allow` in each lane.
void set_allowed(Scene& scene, const std::vector<int>& lanes, Index b, Index h, Cell cell,
                 bool allow);
bool is_allowed(const Scene& scene, int lane, Index b, Index h, Cell cell);
// Blocks a row or column if any cell in it is allowed in one of the lanes, else allows it: takes it
// out of the layers that listed it, and where nothing is open then, opens it whole.
void toggle_row(Scene& scene, const std::vector<int>& lanes, Index b, Index h, Index i);
void toggle_column(Scene& scene, const std::vector<int>& lanes, Index b, Index h, Index j);
// Adds a layer of this kind with sensible parameters, or removes every layer of the kind.
void set_layer(Scene& scene, const std::vector<int>& lanes, LayerKind kind, bool on);

// New variants stand at the end, so that the letters of the others stay; where `show` lists lanes,
// they join the list.
void add_variant(Scene& scene);  // masked as the last one, everything else the default
void duplicate_variant(Scene& scene, int lane);
void remove_variant(Scene& scene, int lane);  // the last one stays: EditError
void rename_variant(Scene& scene, int lane, const std::string& name);
// Changes the scoring function; matrices go, and a scale that was the default stays the default.
void set_score_kind(Scene& scene, int lane, ScoreKind kind);
// Changes what the weights become; a matrix of the kind before goes.
void set_output_kind(Scene& scene, int lane, OutputKind kind);

// The matrix of a variant: M [d_q, d_k] of bilinear, W of projected ([h·d_v, d_out]) and of
// alternative ([d_out, d_v]). Numbers that were seeded are written down before one is typed.
enum class VariantMatrix { score, output };
// Nothing where this variant has no such matrix.
std::optional<Matrix> variant_matrix(const Scene& scene, int lane, VariantMatrix which);
// x is finite. EditError where there is no such matrix or entry.
void set_matrix_number(Scene& scene, int lane, VariantMatrix which, Index row, Index column,
                       double x);
// Ones on the diagonal; nothing else.
void set_matrix_identity(Scene& scene, int lane, VariantMatrix which);

}  // namespace maskscope
