// Draws numbers that are edited in grids: matrices of a variant, and the cells of a bias rule.

#include <GLFW/glfw3.h>
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>

#include "app/window/panels/parts.h"
#include "app/window/panels/sidebar/sidebar.h"
#include "app/window/panels/words.h"
#include "app/window/widgets/widgets.h"
#include "core/base/number_text.h"
#include "core/edit/edit.h"
#include "core/scene/names.h"

namespace maskscope {

namespace {

constexpr double grid_row = 24, field_width = 72;  // points

std::string entry_id(const std::string& id, Cell cell) {
    return fmt::format("{}/{}/{}", id, cell.i, cell.j);
}

struct Grid {
    Gui& gui;
    const std::string& id;
    const Matrix& matrix;
    Rect rect;

    Rect place(Cell cell) const {
        const double w = rect.w / double(matrix.cols()), h = rect.h / double(matrix.rows());
        return {rect.x + double(cell.j) * w, rect.y + double(cell.i) * h, w, h};
    }
    std::optional<Cell> under_pointer() const {
        if (!rect.contains(gui.now.pointer)) return std::nullopt;
        return Cell{Index((gui.now.pointer.y - rect.y) / rect.h * double(matrix.rows())),
                    Index((gui.now.pointer.x - rect.x) / rect.w * double(matrix.cols()))};
    }
    std::optional<Cell> edited() const {
        for (Index i = 0; i < matrix.rows(); ++i)
            for (Index j = 0; j < matrix.cols(); ++j)
                if (edited_text(gui, entry_id(id, {i, j}))) return Cell{i, j};
        return std::nullopt;
    }
    void begin(Cell cell) const {
        edit_field(gui, entry_id(id, cell), typed_text(matrix(cell.i, cell.j)));
    }
    // Returns the cell `step` further, row by row; nullopt beyond the ends.
    std::optional<Cell> beside(Cell cell, Index step) const {
        const Index at = cell.i * matrix.cols() + cell.j + step;
        if (at < 0 || at >= matrix.size()) return std::nullopt;
        return Cell{at / matrix.cols(), at % matrix.cols()};
    }
};

void draw_number(const Grid& grid, Cell cell, bool pointed) {
    Gui& gui = grid.gui;
    const Rect at = grid.place(cell);
    const double edge = points(gui, 1);
    draw_box(gui, {.rect = {at.x + edge, at.y + edge, at.w - 2 * edge, at.h - 2 * edge},
                   .radius = points(gui, 3),
                   .filled = true,
                   .fill = pointed ? Role::line : Role::raised});
    draw_text(gui, {.at = {at.x + at.w / 2, at.y + at.h / 2},
                    .text = cell_text(grid.matrix(cell.i, cell.j), false),
                    .style = {.size = 12 * gui.scale},
                    .anchor = Anchor::centre,
                    .max_width = std::max(1.0, at.w - points(gui, 4))});
}

std::optional<MatrixEntry> read_entry(Gui& gui, Cell cell, const std::string& text) {
    double x = 0;
    if (read_number(text, x)) return MatrixEntry{cell.i, cell.j, x};
    gui.refuse(not_a_number_message(text));
    return std::nullopt;
}

std::optional<MatrixEntry> draw_field(const Grid& grid, Cell cell) {
    Gui& gui = grid.gui;
    const Rect at = grid.place(cell);
    const double w = std::max(points(gui, field_width), at.w);
    const double x = std::min(at.x, std::max(grid.rect.x, grid.rect.right() - w));
    set_cursor(x, at.y - points(gui, 4));
    const bool tab = std::erase(gui.now.pressed, GLFW_KEY_TAB) > 0;
    const bool back = (gui.now.modifiers & GLFW_MOD_SHIFT) != 0;
    if (tab) gui.editing->leave = true;
    const auto typed = text_field(gui, entry_id(grid.id, cell), "", {.width = w / gui.scale});
    std::optional<MatrixEntry> entry;
    if (typed) entry = read_entry(gui, cell, *typed);
    if (edited_text(gui, entry_id(grid.id, cell)) || (typed && !entry)) return entry;
    const auto pressed = ImGui::IsMouseClicked(0) ? grid.under_pointer() : std::optional<Cell>();
    const auto next = tab ? grid.beside(cell, back ? -1 : 1) : pressed;
    if (next) grid.begin(*next);
    return entry;
}

}  // namespace

std::optional<MatrixEntry> matrix_grid(Gui& gui, const std::string& id, const Matrix& matrix) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const Grid grid{
        gui,
        id,
        matrix,
        {at.x, at.y, std::max(1.0, room_width()), points(gui, grid_row) * double(matrix.rows())}};
    const ImVec2 size{static_cast<float>(grid.rect.w), static_cast<float>(grid.rect.h)};
    const auto edited = grid.edited();
    bool hovered = false, clicked = false;
    if (edited) {
        ImGui::Dummy(size);
    } else {
        clicked = press_area(gui, id, size.x, size.y);
        hovered = ImGui::IsItemHovered();
    }
    const ImVec2 after = ImGui::GetCursorScreenPos();
    const auto pointed = hovered ? grid.under_pointer() : std::nullopt;
    for (Index i = 0; i < matrix.rows(); ++i)
        for (Index j = 0; j < matrix.cols(); ++j) draw_number(grid, {i, j}, pointed == Cell{i, j});
    std::optional<MatrixEntry> entry;
    if (edited)
        entry = draw_field(grid, *edited);
    else if (clicked)
        grid.begin(grid.under_pointer().value_or(Cell{}));
    ImGui::SetCursorScreenPos(after);
    return entry;
}

// --- the cells of a bias rule, with a row for each

namespace {

constexpr std::size_t most_cells = 24;  // with rows; further cells are edited in the scene file

std::string token_at(const TokenView& tokens, Index at) {
    return at < Index(tokens.size()) ? tokens[at] : "?";
}

// Applies the text of one row: a new number, or an empty text, which removes the cell. Returns
// false, with a message, if the text is neither.
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

// --- the matrices of a variant: M of the bilinear score, and W of its output

namespace {

struct Size {
    Index rows = 0, columns = 0;
};

// Returns the size without computing a seeded matrix, which may be large.
Size size_of(const Scene& scene, const Variant& variant, VariantMatrix which) {
    const bool score = which == VariantMatrix::score;
    const auto& given = score ? variant.score.matrix : variant.output.w;
    if (given) return {given->axes.at(0), given->axes.at(1)};
    if (score) return {d_q_of(scene.inputs).value_or(0), d_k_of(scene.inputs).value_or(0)};
    const bool joined = variant.output.kind == OutputKind::projected;
    const Index d = (joined ? heads_of(scene.inputs) : 1) * d_v_of(scene.inputs).value_or(0);
    return {d, d};
}

bool has_matrix(const Scene& scene, const Variant& variant, VariantMatrix which) {
    if (which == VariantMatrix::score)
        return has_score(scene.inputs) && variant.score.kind == ScoreKind::bilinear;
    return d_v_of(scene.inputs) && variant.output.kind != OutputKind::values;
}

std::string source_of(const std::optional<Array>& given) {
    if (!given) return "seeded";
    return given->file.empty() ? "in the scene" : given->file;
}

void draw_buttons(Gui& gui, Session& session, int index, VariantMatrix which, bool given) {
    if (chip(gui, "identity").clicked)
        session.edit("type the identity",
                     [index, which](Scene& scene) { set_matrix_identity(scene, index, which); });
    if (!given) return;
    ImGui::SameLine();
    if (chip(gui, "seeded").clicked)
        session.edit("use a seeded matrix", [index, which](Scene& scene) {
            Variant& variant = scene.variants.at(static_cast<std::size_t>(index));
            (which == VariantMatrix::score ? variant.score.matrix : variant.output.w).reset();
        });
}

}  // namespace

void draw_matrix(Gui& gui, Session& session, int index, const Variant& variant,
                 VariantMatrix which) {
    const Scene& scene = session.scene();
    if (!has_matrix(scene, variant, which)) return;
    const bool score = which == VariantMatrix::score;
    const std::string id = fmt::format("matrix/{}/{}", index, score ? "M" : "W");
    const auto& given = score ? variant.score.matrix : variant.output.w;
    const Size size = size_of(scene, variant, which);
    label_pair(gui, fmt::format("{}  {} × {}", score ? "M" : "W", size.rows, size.columns),
               source_of(given), {.role = Role::dim}, {.role = Role::dim});
    if (size.rows > most_grid_rows || size.columns > most_grid_columns) return;
    ImGui::PushID(id.c_str());
    if (const auto matrix = variant_matrix(scene, index, which))
        if (const auto entry = matrix_grid(gui, id, *matrix))
            session.edit("type a matrix", [index, which, entry](Scene& edited) {
                set_matrix_number(edited, index, which, entry->row, entry->column, entry->x);
            });
    draw_buttons(gui, session, index, which, given.has_value());
    ImGui::PopID();
}

}  // namespace maskscope
