#include "app/window/panels/sidebar/sidebar.h"

#include <GLFW/glfw3.h>
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>

#include "app/window/panels/words.h"
#include "app/window/widgets/widgets.h"
#include "core/base/number_text.h"
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
    // Returns the next cell row by row, forwards or backwards; nullopt beyond the ends.
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

}  // namespace maskscope
