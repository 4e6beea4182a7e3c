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
    variant_a,
    variant_b,
    variant_c,
    variant_d
};
inline constexpr int role_count = 14;

struct Theme {
    ThemeKind kind = ThemeKind::dark;
    Colour colours[role_count];
    Colour operator[](Role role) const { return colours[static_cast<int>(role)]; }
};

const Theme& theme(ThemeKind kind);
Role variant_role(int variant);  // the colours repeat from variant E on

// Returns the WCAG 2 contrast, 1 to 21.
double contrast(Colour a, Colour b);
// Returns black or white, whichever contrasts more with the fill.
Colour ink_on(Colour fill);
// Returns a if share is at most 0, or NaN; b if it is at least 1; and a mixture in between, linear
// in sRGB.
Colour mix(Colour a, Colour b, double share);

// --- maps from a number to a colour

enum class ColourMap { viridis, cividis, magma, grey, diverging, print_diverging };
// The names of the colour maps from which the user can choose.
inline constexpr std::array<std::string_view, 4> colour_map_names{"viridis", "cividis", "magma",
                                                                  "grey"};

// Returns the map that a theme uses in place of `map`. For printing it is grey, with a light blue
// for numbers below 0.
ColourMap shown_map(ColourMap map, const Theme& theme);

// Returns the colour at t, clamped to [0, 1]. Grey and diverging are legible in both light and dark
// themes.
Colour map_colour(ColourMap map, double t);

}  // namespace maskscope
