#pragma once
// Colours by role. A figure and the window name a Role; the theme maps it to a colour.

#include <array>
#include <cstdint>
#include <string_view>

namespace maskscope {

struct Colour {
    std::uint8_t r = 0, g = 0, b = 0, a = 255;
    bool operator==(const Colour&) const = default;
};

enum class ThemeKind { light, dark, high_contrast, print };

enum class Role {
    ground,
    panel,
    raised,
    line,
    ink,
    dim,
    hatch,
    right,
    odd,
    wrong,
    lane_a,
    lane_b,
    lane_c,
    lane_d
};
inline constexpr int role_count = 14;

struct Theme {
    ThemeKind kind = ThemeKind::dark;
    Colour colours[role_count];
    Colour operator[](Role role) const { return colours[static_cast<int>(role)]; }
};

const Theme& theme(ThemeKind kind);
Role lane_role(int lane);  // from lane E on the colours repeat

// WCAG 2 contrast, 1 to 21.
double contrast(Colour a, Colour b);
// Black or white, whichever contrasts more with the fill.
Colour ink_on(Colour fill);
// a where share is 0 (or below, or NaN), b where it is 1 or more; linear in sRGB.
Colour mix(Colour a, Colour b, double share);

// --- maps from a number to a colour

enum class ColourMap { viridis, cividis, magma, grey, diverging, print_diverging };
// The names of the colour maps that can be chosen.
inline constexpr std::array<std::string_view, 4> colour_map_names{"viridis", "cividis", "magma",
                                                                  "grey"};

// t in [0, 1]; beyond it the end colour. Grey and diverging stay legible in either theme.
Colour map_colour(ColourMap map, double t);

}  // namespace maskscope
