#pragma once
// Every edit of a scene, as a free function that leaves a valid scene. Indices in layers move with
// their token and go with it; the document that held it grows or shrinks, and goes when empty.
// An edit that cannot be done throws EditError (a sentence for the status line), scene untouched.

#include <stdexcept>
#include <string>
#include <vector>

#include "core/scene.h"

namespace maskscope {

struct EditError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

enum class Side { queries, keys };  // with self-attention both name the queries

// "My name is" -> tokens, split at white space; "quotes keep" a token together.
std::vector<std::string> split_sentence(const std::string& text);
std::string join_sentence(const std::vector<std::string>& tokens);  // quotes where needed

// Replaces all tokens of one side of sequence b. Over given numbers a sentence of the same length
// renames; another length throws EditError that offers `embedding`.
void set_sentence(Scene& scene, Index b, Side side, const std::vector<std::string>& tokens);
void rename_token(Scene& scene, Index b, Side side, Index index, const std::string& token);
// Over given numbers the new token's rows and columns are zero.
void insert_token(Scene& scene, Index b, Side side, Index index, const std::string& token);
void delete_token(Scene& scene, Index b, Side side, Index index);  // the last one stays: EditError
void move_token(Scene& scene, Index b, Side side, Index from, Index to);
void toggle_pad(Scene& scene, Index b, Side side, Index index);  // pad token and back to "token"

// Inputs by kind, from whatever they were: the shape is kept as far as the kind has one.
void use_embedding(Scene& scene);

// The mask, of the variants in `lanes` together. A click puts the cell into a blocked or allowed
// layer without heads (made if missing), or takes it out of the one that listed it.
void set_allowed(Scene& scene, const std::vector<int>& lanes, Index b, Index h, Cell cell,
                 bool allow);
bool is_allowed(const Scene& scene, int lane, Index b, Index h, Cell cell);
// Blocks a row or column if any cell in it is allowed, else allows it.
void toggle_row(Scene& scene, const std::vector<int>& lanes, Index b, Index h, Index i);
void toggle_column(Scene& scene, const std::vector<int>& lanes, Index b, Index h, Index j);
// Adds a layer of this kind with sensible parameters, or removes every layer of the kind.
void set_layer(Scene& scene, const std::vector<int>& lanes, LayerKind kind, bool on);

void add_variant(Scene& scene);
void duplicate_variant(Scene& scene, int lane);
void remove_variant(Scene& scene, int lane);  // the last one stays: EditError

}  // namespace maskscope
