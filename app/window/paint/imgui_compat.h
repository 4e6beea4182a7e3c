#pragma once
// Hides the differences between Dear ImGui 1.86 (Debian 12) and 1.92.

#include <imgui.h>

#include <algorithm>
#include <cstdint>

#include "app/figure/figure.h"
#include "app/window/typing/input_queue.h"

namespace maskscope {

inline ImU32 imgui_colour(Colour c) { return IM_COL32(c.r, c.g, c.b, c.a); }
inline ImVec2 imgui_point(Point p) { return {static_cast<float>(p.x), static_cast<float>(p.y)}; }
// Returns a size of at least a pixel: ImGui takes 0 to mean "as large as needed", or asserts.
inline ImVec2 imgui_size(double width, double height) {
    return imgui_point({std::max(1.0, width), std::max(1.0, height)});
}

// Converts the name of a texture: ImTextureID was a pointer before 1.91.4, and is a number since.
inline ImTextureID imgui_texture(unsigned name) {
#if IMGUI_VERSION_NUM >= 19140
    return static_cast<ImTextureID>(name);
#else
    return reinterpret_cast<ImTextureID>(  // NOLINT(performance-no-int-to-ptr)
        static_cast<std::uintptr_t>(name));
#endif
}

// Passes on the pointer, its buttons and the wheel. Keys are handled elsewhere (shortcuts.h,
// token_field.h).
inline void feed_imgui(ImGuiIO& io, const Input& input) {
    const bool inside = input.pointer_inside || input.buttons[0] || input.buttons[2];
    const ImVec2 at = inside ? imgui_point(input.pointer) : ImVec2{-3.4e38F, -3.4e38F};
    constexpr int shift = 1;  // GLFW_MOD_SHIFT
    const bool sideways = (input.modifiers & shift) != 0;
    const auto wheel_x = static_cast<float>(sideways ? input.wheel.y : input.wheel.x);
    const auto wheel_y = static_cast<float>(sideways ? 0 : input.wheel.y);
#if IMGUI_VERSION_NUM >= 18700
    io.ConfigInputTrickleEventQueue = false;  // InputQueue already gives one transition a frame
    io.AddMousePosEvent(at.x, at.y);
    for (int button = 0; button < 3; ++button)
        io.AddMouseButtonEvent(button, input.buttons[button]);
    io.AddMouseWheelEvent(wheel_x, wheel_y);
#else
    io.MousePos = at;
    for (int button = 0; button < 3; ++button) io.MouseDown[button] = input.buttons[button];
    io.MouseWheel = wheel_y;
    io.MouseWheelH = wheel_x;
#endif
}

}  // namespace maskscope
