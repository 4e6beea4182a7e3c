// The panel that the backend's name in the status line opens.

#include <algorithm>
#include <string>
#include <vector>

#include "app/window/panels/panels.h"
#include "app/window/panels/parts.h"

namespace maskscope {

Rect draw_backend_switch(Gui& gui, Session& session, bool open, const Rect& room) {
    if (!open) return {};
    constexpr double width = 320, padding = 20, height = 114;  // points
    const double w = std::min(points(gui, width), room.w);
    const double h = std::min(points(gui, height + padding), room.h);
    const Rect rect{points(gui, 12), room.bottom() - h - points(gui, 8), w, h};
    begin_panel(gui, "backend switch", rect,
                {.ground = Role::raised,
                 .padding = padding,
                 .outlined = true,
                 .radius = 10,
                 .above = true});
    heading(gui, "Computed on");
    static const std::vector<std::string> choices = {"Reference", "CPU", "GPU", "Auto"};
    const auto chosen = static_cast<int>(session.computes_with());
    if (const auto pressed = segments(gui, "backend", choices, chosen))
        session.compute_with(static_cast<ComputeWith>(*pressed));
    const std::string& renderer = session.gpu().renderer;
    label(gui, renderer.empty() ? "No OpenGL 4.3 here" : "GPU: " + renderer,
          {.style = {.size = 12}, .role = Role::dim});
    end_panel();
    return rect;
}

}  // namespace maskscope
