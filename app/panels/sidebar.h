#pragma once
// The sections of the sidebar, from top to bottom, a file each.

#include <vector>

#include "app/app.h"

namespace maskscope {

void draw_tokens(App& app);
void draw_layers(App& app);
void draw_variants(App& app);
void draw_inputs(App& app);

// Of one variant: what its output is, and a matrix of its own where it has one.
void draw_output_kind(App& app, int lane, const Variant& variant);
void draw_matrix(App& app, int lane, const Variant& variant, VariantMatrix which);

// The sequence whose tokens are listed: the selected token's, else the first that is shown.
Index listed_sequence(const App& app);

}  // namespace maskscope
