#pragma once
// The sections of the sidebar, from top to bottom.

#include <optional>
#include <string>
#include <vector>

#include "app/session/session.h"
#include "app/window/actions/actions.h"
#include "app/window/context/ui_state.h"
#include "app/window/paint/gui.h"
#include "core/base/matrix.h"
#include "core/scene/mask_rules.h"

namespace maskscope {

void draw_sidebar(Gui& gui, Session& session, Ui& ui, const Rect& rect);

void draw_tokens(Gui& gui, Session& session, SidebarState& sidebar);
void draw_layers(Gui& gui, Session& session, Ui& ui);
void draw_variants(Gui& gui, Session& session, SidebarState& sidebar);
void draw_inputs(Gui& gui, Session& session, Ui& ui);

// Draws the choice of an attention, if the inputs are a model.
void draw_model(Gui& gui, Session& session);
std::string model_name(const Inputs& inputs);  // "" if they are not

// Draws a list of integers in one line, the first of which is shown as `from`; −1 is –.
std::optional<std::vector<Index>> list_field(Gui& gui, Session& session, const std::string& id,
                                             const std::string& name,
                                             const std::vector<Index>& numbers, Index from);

// Draws a matrix of one variant, if it has one.
void draw_matrix(Gui& gui, Session& session, int lane, const Variant& variant, VariantMatrix which);

// Draws the menu of frameworks: the variant does what the chosen one does.
void draw_frameworks(Gui& gui, Session& session, int lane, const Variant& variant);

// --- a small matrix whose numbers can be edited with one click

// Larger ones show only their size.
inline constexpr Index most_grid_rows = 12, most_grid_columns = 6;

struct MatrixEntry {
    Index row = 0, column = 0;
    double x = 0;
};
// Draws it at the cursor, as wide as possible. Returns the number that was typed; Tab goes on to
// the next. The message line reports text that is not a finite number.
std::optional<MatrixEntry> matrix_grid(Gui& gui, const std::string& id, const Matrix& matrix);

// --- the numbers of a bias rule

// Draws one row for each cell, whose number can be edited (empty removes it), and one more to add
// the pinned cell. Returns the new cells if that changed them.
std::optional<std::vector<BiasCell>> draw_bias_cells(Gui& gui, Session& session,
                                                     const SidebarState& sidebar,
                                                     const std::string& id,
                                                     const std::vector<BiasCell>& cells);

// A mask rule as the sidebar lists it, and the fields of its parameters.

// The variants whose rules are listed: all shown ones if their rules are equal, else one variant.
struct ListedLanes {
    std::vector<int> lanes;
    bool shared = true;
    int first() const { return lanes.front(); }
};

// The same rule of every listed variant, which an edit changes as one step.
struct LayerRow {
    const ListedLanes& listed;
    LayerPath path;
    MaskLayer layer;  // a copy, because an edit replaces the scene while its rules are being drawn

    std::string id() const;  // "layer/0/2.1"
    bool in_group() const { return path.size() > 1; }
};

void change_layer(Session& session, const LayerRow& row, const MaskLayer& next,
                  const std::string& what, const std::string& merge = "");
void remove_layer(Session& session, const LayerRow& row);

void draw_parameters(Gui& gui, Session& session, SidebarState& sidebar, const LayerRow& row);
// Begins to edit the rule's formula, if it has one.
void edit_formula(Gui& gui, const LayerRow& row);
// Applies a formula while it is typed; an error is shown below it, at its column.
void draw_formula(Gui& gui, Session& session, SidebarState& sidebar, const LayerRow& row,
                  std::string MaskLayer::*formula);

}  // namespace maskscope
