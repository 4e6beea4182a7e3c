#pragma once
// The sections of the sidebar, from top to bottom, one file each.

#include <string>

#include "app/window/actions/actions.h"

namespace maskscope {

void draw_sidebar(Gui& gui, Session& session, Ui& ui, const Rect& rect);

void draw_tokens(Gui& gui, Session& session, SidebarState& sidebar);
void draw_layers(Gui& gui, Session& session, SidebarState& sidebar);
void draw_variants(Gui& gui, Session& session, SidebarState& sidebar);
void draw_inputs(Gui& gui, Session& session, Ui& ui);

// The output kind of one variant, and its matrix if it has one.
void draw_output_kind(Gui& gui, Session& session, int lane, const Variant& variant);
void draw_matrix(Gui& gui, Session& session, int lane, const Variant& variant, VariantMatrix which);

// The menu of frameworks: what one does, this lane does.
void draw_frameworks(Gui& gui, Session& session, int lane, const Variant& variant);

}  // namespace maskscope
