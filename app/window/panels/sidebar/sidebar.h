#pragma once
// The sections of the sidebar, from top to bottom, and the fields that they share.

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

// Draws the choice of which of a model's attentions is shown; nothing if the inputs are not a
// model.
void draw_model(Gui& gui, Session& session);
std::string model_name(const Inputs& inputs);  // "" if the inputs are not a model

// Draws a field for a list of integers. from: the number that is shown for 0; −1 is shown as –.
std::optional<std::vector<Index>> list_field(Gui& gui, Session& session, const std::string& id,
                                             const std::string& name,
                                             const std::vector<Index>& numbers, Index from);

// Draws this matrix of the variant, if the variant has it.
void draw_matrix(Gui& gui, Session& session, int index, const Variant& variant,
                 VariantMatrix which);

// Draws a menu of frameworks, which gives the variant the settings of the chosen one.
void draw_frameworks(Gui& gui, Session& session, int index, const Variant& variant);

// --- a small matrix, each number of which is edited with one click

// Larger matrices show only their size.
inline constexpr Index most_grid_rows = 12, most_grid_columns = 6;

struct MatrixEntry {
    Index row = 0, column = 0;
    double x = 0;
};
// Draws the matrix at the cursor, as wide as possible. Returns a typed number; Tab goes on to the
// next one. The message line reports text that is not a finite number.
std::optional<MatrixEntry> matrix_grid(Gui& gui, const std::string& id, const Matrix& matrix);

// --- the numbers of a bias rule

// Draws a row for each cell, with a field for its number (clearing it removes the cell), and a row
// for adding the pinned cell. Returns the new cells if they changed.
std::optional<std::vector<BiasCell>> draw_bias_cells(Gui& gui, Session& session,
                                                     const SidebarState& sidebar,
                                                     const std::string& id,
                                                     const std::vector<BiasCell>& cells);

// --- a mask rule in the list, and the fields for its parameters

// The variants whose rules are listed: all shown ones if their rules are equal, otherwise one.
struct ListedVariants {
    std::vector<int> variants;
    bool shared = true;
    int first() const { return variants.front(); }
};

// A rule that all listed variants have, and that one edit changes in all of them.
struct LayerRow {
    const ListedVariants& listed;
    LayerPath path;
    MaskLayer layer;  // a copy, because an edit replaces the scene while its rules are drawn

    std::string id() const;  // such as "layer/0/2.1"
    bool in_group() const { return path.size() > 1; }
};

void change_layer(Session& session, const LayerRow& row, const MaskLayer& next,
                  const std::string& what, const std::string& merge = "");
void remove_layer(Session& session, const LayerRow& row);

void draw_parameters(Gui& gui, Session& session, SidebarState& sidebar, const LayerRow& row);
// Starts typing the rule's formula, if it has one.
void edit_formula(Gui& gui, const LayerRow& row);
// Draws a formula that takes effect while it is typed. An error is shown below it, at its column.
void draw_formula(Gui& gui, Session& session, SidebarState& sidebar, const LayerRow& row,
                  std::string MaskLayer::*formula);

}  // namespace maskscope
