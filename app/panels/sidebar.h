#pragma once
// The sections of the sidebar, from top to bottom, a file each.

#include <string>

#include "app/app.h"

namespace maskscope {

void draw_tokens(App& app);
void draw_layers(App& app);
void draw_variants(App& app);
void draw_inputs(App& app);

// The fields in which a token is renamed and a sentence is typed; see edit_field() in widgets.h.
std::string token_field_id(const TokenRef& token);
std::string sentence_field_id(Index b, Side side);

// Of one variant: what its output is, and a matrix of its own where it has one.
void draw_output_kind(App& app, int lane, const Variant& variant);
void draw_matrix(App& app, int lane, const Variant& variant, VariantMatrix which);

// The sequence whose tokens are listed: the selected token's, else the first that is shown.
Index listed_sequence(const App& app);

}  // namespace maskscope
