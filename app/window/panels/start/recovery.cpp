// Draws the card for unsaved work that a crash has left behind.

#include <fmt/format.h>
#include <imgui.h>

#include <cmath>
#include <ctime>

#include "app/session/keeper.h"
#include "app/window/actions/actions.h"
#include "app/window/panels/start/start_page.h"
#include "app/window/widgets/widgets.h"
#include "core/base/error.h"
#include "core/files/file.h"

namespace maskscope {

namespace {

namespace fs = std::filesystem;

// Returns "kept on 26 Nov at 12:03", and if there is other unsaved work, "the last of 3".
std::string when_kept(const std::vector<fs::path>& all) {
    const auto stamp = stamp_of(all.front());
    const std::time_t seconds = stamp ? stamp->seconds : 0;
    std::tm local{};
    char text[40] = "";
    if (stamp && localtime_r(&seconds, &local) != nullptr)
        std::strftime(text, sizeof text, "on %e %b at %H:%M", &local);
    const std::string which = all.size() > 1 ? fmt::format(", the last of {}", all.size()) : "";
    return fmt::format("kept {}{}", text, which);
}

}  // namespace

void draw_left_behind(Gui& gui, Ui& ui, const Rect& rect) {
    if (ui.left_behind.empty()) return;
    const fs::path file = ui.left_behind.front();
    if (ui.left_title.first != file) ui.left_title = {file, Keeper::title_of(file)};
    const std::string again = "Delete permanently";
    const double padding = points(gui, 14), between = points(gui, 8);
    const double recovers = button_width(gui, "Recover"), discards = button_width(gui, again);
    const double words = rect.w - 2 * padding - recovers - discards - 2 * between;
    begin_panel(gui, "recovery", rect, {.ground = Role::raised, .padding = 14, .outlined = true});
    const double room = std::max(1.0, words / gui.scale);
    label(gui, "The last session ended with unsaved changes",
          {.style = {.size = 15, .weight = Weight::semibold}, .max_width = room});
    const std::string title = printable(ui.left_title.second);
    label(gui, (title.empty() ? "" : "“" + title + "”, ") + when_kept(ui.left_behind),
          {.role = Role::dim, .max_width = room});
    // The buttons stay where they are while the second one asks again.
    set_cursor(rect.right() - padding - discards - between - recovers, rect.y + 1.6 * padding);
    if (button(gui, "Recover", {.filled = true, .tip = "Open it; it is not saved yet"}))
        ui.commands.push_back(recover(file));
    same_line(gui, 8);
    if (ui.discarding != file) {
        if (button(gui, "Discard", {.tip = "Delete the unsaved work, after you confirm"}))
            ui.discarding = file;
    } else if (button(gui, again, {.outlined = true, .role = Role::wrong}) &&
               !(ImGui::IsMouseReleased(0) &&  // because a double click counts as one press
                 ImGui::GetIO().MouseClickedLastCount[0] > 1)) {
        ui.commands.push_back(discard(file));
    }
    end_panel();
}

}  // namespace maskscope
