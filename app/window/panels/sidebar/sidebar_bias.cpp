// The cells of a bias rule, one row each.

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>

#include "app/window/panels/parts.h"
#include "app/window/panels/sidebar/sidebar.h"
#include "app/window/panels/words.h"
#include "core/base/number_text.h"
#include "core/scene/names.h"

namespace maskscope {

namespace {

constexpr std::size_t most_cells = 24;  // more can only be edited in the scene file

std::string token_at(const TokenView& tokens, Index at) {
    return at < Index(tokens.size()) ? tokens[at] : "?";
}

// Applies the text of one row: a new number, or nothing, which removes the cell.
bool apply_text(Session& session, std::vector<BiasCell>& cells, std::size_t k,
                const std::string& text) {
    if (text.find_first_not_of(' ') == std::string::npos) {
        cells.erase(cells.begin() + static_cast<std::ptrdiff_t>(k));
        return true;
    }
    if (read_number(text, cells[k].x)) return true;
    session.say(not_a_number_message(text) + "; leave it empty to remove the cell", true);
    return false;
}

bool has_cell(const std::vector<BiasCell>& cells, Cell cell) {
    return std::ranges::any_of(
        cells, [&](const BiasCell& bias) { return bias.i == cell.i && bias.j == cell.j; });
}

}  // namespace

std::optional<std::vector<BiasCell>> draw_bias_cells(Gui& gui, Session& session,
                                                     const SidebarState& sidebar,
                                                     const std::string& id,
                                                     const std::vector<BiasCell>& cells) {
    const Scene& scene = session.scene();
    const Index b = listed_sequence(session, sidebar);
    const auto queries = query_tokens(scene, b), keys = key_tokens(scene, b);
    std::vector<BiasCell> next = cells;
    for (std::size_t k = 0; k < std::min(cells.size(), most_cells); ++k) {
        const BiasCell& cell = cells[k];
        const std::string name =
            fmt::format("{} → {}", token_at(queries, cell.i), token_at(keys, cell.j));
        const auto typed =
            text_row(gui, fmt::format("{}/bias/{}", id, k), name, typed_text(cell.x), 84);
        if (typed && apply_text(session, next, k, *typed)) return next;
    }
    if (cells.size() > most_cells)
        label(gui, fmt::format("and {} more", cells.size() - most_cells), {.role = Role::dim});
    const auto focus = session.view().show.focus;
    const Shape shape = shape_of(scene);
    const bool free =
        focus && focus->i < shape.n_q && focus->j < shape.n_k && !has_cell(cells, *focus);
    if (!free) return std::nullopt;
    const std::string name =
        chip_text(fmt::format("+ {} → {}", token_at(queries, focus->i), token_at(keys, focus->j)));
    const bool clicked = chip(gui, name).clicked;
    tooltip(gui, "A bias for the pinned cell");
    if (!clicked) return std::nullopt;
    next.push_back({focus->i, focus->j, -2});
    edit_field(gui, fmt::format("{}/bias/{}", id, cells.size()), "-2");
    return next;
}

}  // namespace maskscope
