// Draws what is beside the bench of a lesson: counted answers, its table, and the notes of the
// step.

#include <algorithm>

#include "app/figure/text_table.h"
#include "app/window/paint/imgui_compat.h"
#include "app/window/paint/painter.h"
#include "app/window/panels/lesson/lesson_parts.h"
#include "app/window/panels/panels.h"
#include "app/window/panels/parts.h"
#include "app/window/panels/step/step_parts.h"

namespace maskscope {

namespace {

constexpr double padding = 16, poll_size = 18, table_size = 14, notes_size = 14;  // points
constexpr double poll_width = 320, notes_width = 360;

}  // namespace

double lesson_notes_width(const Gui& gui, const Session& session, bool open, double most) {
    if (session.lesson() == nullptr) return 0;
    double width = 0;
    if (has_poll(session)) width = points(gui, poll_width);
    if (open && !shown_step(session).notes.empty()) width = points(gui, notes_width);
    if (!session.table().empty())
        width = std::max(width, text_table_width(session.table(), points(gui, table_size)) +
                                    points(gui, 2 * padding));
    return std::round(std::min(width, most));
}

void draw_lesson_notes(Gui& gui, const Session& session, bool open, const Rect& rect) {
    if (rect.w <= 0 || rect.h <= 0) return;
    begin_panel(gui, "lesson notes", rect, {.ground = Role::ground, .padding = padding});
    const double width = room_width();
    if (has_poll(session)) {
        const Rect row = row_at_cursor(gui, 0);
        draw_poll(gui, session, {row.x, row.y}, width, points(gui, poll_size));
        take_room(width, poll_height(session, points(gui, poll_size)) + points(gui, 18));
    }
    if (!session.table().empty()) {
        const Rect row = row_at_cursor(gui, 0);
        const Figure table = text_table(session.table(), width, points(gui, table_size));
        paint(gui, panel_list(), table, {row.x, row.y});
        take_room(width, table.height + points(gui, 18));
    }
    if (open && !may_explore(session))
        paragraph(gui, "Answer the question to see the notes.", {.role = Role::dim});
    if (open) paragraph(gui, session.notes(), {.style = {.size = notes_size}});
    end_panel();
}

}  // namespace maskscope
