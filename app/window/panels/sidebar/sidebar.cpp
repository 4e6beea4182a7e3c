#include "app/window/panels/sidebar/sidebar.h"

#include <imgui.h>

#include <array>
#include <utility>

#include "app/window/panels/parts.h"

namespace maskscope {

void draw_sidebar(Gui& gui, Session& session, Ui& ui, const Rect& rect) {
    if (rect.w <= 0 || rect.h <= 0) return;
    using Section = SidebarState::Section;
    SidebarState& sidebar = ui.sidebar;
    begin_panel(gui, "sidebar", rect);
    draw_edge(gui, rect, Edge::right);
    const std::uint64_t number = session.document().number;
    if (std::exchange(sidebar.document, number) != number) ImGui::SetScrollY(0);
    std::array<float, 4> tops{};  // [section]
    const auto begin = [&](Section section) {
        if (section != Section::tokens) gap(gui, 10);
        tops[static_cast<std::size_t>(section)] = ImGui::GetCursorPosY();
    };
    begin(Section::tokens);
    draw_tokens(gui, session, sidebar);
    begin(Section::rules);
    draw_layers(gui, session, ui);
    begin(Section::variants);
    draw_variants(gui, session, sidebar);
    begin(Section::inputs);
    draw_inputs(gui, session, ui);
    if (const auto comes = std::exchange(sidebar.comes, std::nullopt))
        ImGui::SetScrollY(tops[static_cast<std::size_t>(*comes)]);
    end_panel();
}

}  // namespace maskscope
