#pragma once
// The sections of the sidebar, from top to bottom, a file each.

#include <string>

#include "app/window/actions/actions.h"

namespace maskscope {

void draw_sidebar(App& app);

void draw_tokens(App& app);
void draw_layers(App& app);
void draw_variants(App& app);
void draw_inputs(App& app);

// Of one variant: what its output is, and a matrix of its own where it has one.
void draw_output_kind(App& app, int lane, const Variant& variant);
void draw_matrix(App& app, int lane, const Variant& variant, VariantMatrix which);

}  // namespace maskscope
