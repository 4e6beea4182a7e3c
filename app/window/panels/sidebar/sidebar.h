#pragma once
// The sections of the sidebar, from top to bottom, one file each.

#include <string>

#include "app/window/actions/actions.h"

namespace maskscope {

void draw_sidebar(Gui& gui, Session& session, Ui& ui, const Rect& rect);

void draw_tokens(Gui& gui, Session& session, SidebarState& sidebar);
void draw_layers(Gui& gui, Session& session, Ui& ui);
void draw_variants(Gui& gui, Session& session, SidebarState& sidebar);
void draw_inputs(Gui& gui, Session& session, Ui& ui);

// Draws a list of integers in one line, the first of which is shown as `from`; −1 is –.
std::optional<std::vector<Index>> list_field(Gui& gui, Session& session, const std::string& id,
                                             const std::string& name,
                                             const std::vector<Index>& numbers, Index from);

// Draws a matrix of one variant, if it has one.
void draw_matrix(Gui& gui, Session& session, int lane, const Variant& variant, VariantMatrix which);

// Draws the menu of frameworks: the variant does what the chosen one does.
void draw_frameworks(Gui& gui, Session& session, int lane, const Variant& variant);

}  // namespace maskscope
