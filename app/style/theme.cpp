#include "app/style/theme.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

namespace maskscope {
namespace {

constexpr Colour rgb(std::uint32_t hex) {
    return {static_cast<std::uint8_t>(hex >> 16), static_cast<std::uint8_t>(hex >> 8 & 255),
            static_cast<std::uint8_t>(hex & 255), 255};
}

// The colours in the order of Role: background, panel, raised, line, ink, dim, hatch, right, odd,
// wrong, variants.
constexpr Theme dark{ThemeKind::dark,
                     {rgb(0x14161a), rgb(0x1b1e24), rgb(0x242830), rgb(0x2e333d), rgb(0xe8eaee),
                      rgb(0xb0b8c5), rgb(0x6f7a8c), rgb(0x7bd88f), rgb(0xf0a83c), rgb(0xff9a90),
                      rgb(0x5ec4d6), rgb(0xcfa8ff), rgb(0x93b5ff), rgb(0xe8eaee)}};

constexpr Theme light{ThemeKind::light,
                      {rgb(0xffffff), rgb(0xf5f6f8), rgb(0xeceef2), rgb(0xd5d9e0), rgb(0x111418),
                       rgb(0x414a58), rgb(0x7f8896), rgb(0x14572a), rgb(0x6f4200), rgb(0x8f1a14),
                       rgb(0x075566), rgb(0x5f3590), rgb(0x004b8d), rgb(0x111418)}};

// The background and the panels are black. Raised panels have an outline, which is brighter than in
// the dark theme.
constexpr Theme high_contrast = [] {
    Theme theme = dark;
    theme.kind = ThemeKind::high_contrast;
    const auto set = [&theme](Role role, std::uint32_t hex) {
        theme.colours[static_cast<int>(role)] = rgb(hex);
    };
    set(Role::ground, 0x000000);
    set(Role::panel, 0x000000);
    set(Role::raised, 0x1a1a1a);
    set(Role::line, 0x8c8c8c);
    set(Role::ink, 0xffffff);
    set(Role::dim, 0xe0e0e0);
    set(Role::hatch, 0xb0b0b0);
    return theme;
}();

// The theme for printing: light, without panels.
constexpr Theme print = [] {
    Theme theme = light;
    theme.kind = ThemeKind::print;
    for (const Role role : {Role::panel, Role::raised})
        theme.colours[static_cast<int>(role)] = rgb(0xffffff);
    return theme;
}();

// --- contrast

// Returns the linear light of every sRGB byte, as a table, because it is needed for millions of
// cells.
const std::array<double, 256>& linear_light() {
    static const std::array<double, 256> table = [] {
        std::array<double, 256> light{};
        for (int k = 0; k < 256; ++k) {
            const double c = k / 255.0;
            light[k] = c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
        }
        return light;
    }();
    return table;
}

double luminance(Colour c) {
    const auto& light = linear_light();
    return 0.2126 * light[c.r] + 0.7152 * light[c.g] + 0.0722 * light[c.b];
}

// --- maps: knots at equal distances, linear in between

// viridis, magma and cividis are in the public domain (CC0): 20, 20 and 10 of their colours.
constexpr std::array viridis_knots{rgb(0x440154), rgb(0x481567), rgb(0x482677), rgb(0x453781),
                                   rgb(0x404788), rgb(0x39568c), rgb(0x33638d), rgb(0x2d708e),
                                   rgb(0x287d8e), rgb(0x238a8d), rgb(0x1f968b), rgb(0x20a387),
                                   rgb(0x29af7f), rgb(0x3cbb75), rgb(0x55c667), rgb(0x73d055),
                                   rgb(0x95d840), rgb(0xb8de29), rgb(0xdce319), rgb(0xfde725)};
constexpr std::array magma_knots{rgb(0x000004), rgb(0x07071d), rgb(0x160f3b), rgb(0x29115a),
                                 rgb(0x400f73), rgb(0x56147d), rgb(0x6b1d81), rgb(0x802582),
                                 rgb(0x952c80), rgb(0xab337c), rgb(0xc03a76), rgb(0xd6456c),
                                 rgb(0xe85362), rgb(0xf4695c), rgb(0xfa815f), rgb(0xfd9b6b),
                                 rgb(0xfeb47b), rgb(0xfecd90), rgb(0xfde5a7), rgb(0xfcfdbf)};
constexpr std::array cividis_knots{rgb(0x00224e), rgb(0x123570), rgb(0x3b496c), rgb(0x575d6d),
                                   rgb(0x707173), rgb(0x8a8678), rgb(0xa59c74), rgb(0xc3b369),
                                   rgb(0xe1cc55), rgb(0xfee838)};
// Darker is more, like ink on paper; neither end is the background of a theme.
constexpr std::array grey_knots{rgb(0xf2f2f2), rgb(0xb4b4b4), rgb(0x7a7a7a), rgb(0x464646),
                                rgb(0x1c1c1c)};
// Blue below 0, red above: equally dark at equal distance, nearly white at 0.
constexpr std::array diverging_knots{rgb(0x0a3566), rgb(0x1f62a5), rgb(0x4690c5), rgb(0x8cbedd),
                                     rgb(0xcce1ed), rgb(0xf7f7f7), rgb(0xfcdac8), rgb(0xf3a687),
                                     rgb(0xd8644e), rgb(0xb12231), rgb(0x690b22)};

// Diverging colours on paper: white at 0, darker away from it; grey above, a lighter blue below, so
// that both can be told apart when printed in grey.
constexpr std::array print_diverging_knots{rgb(0x5d83ad), rgb(0x8fadcb), rgb(0xc6d6e6),
                                           rgb(0xfafafa), rgb(0xb4b4b4), rgb(0x696969),
                                           rgb(0x262626)};

std::span<const Colour> knots_of(ColourMap map) {
    switch (map) {
        case ColourMap::viridis:
            return viridis_knots;
        case ColourMap::cividis:
            return cividis_knots;
        case ColourMap::magma:
            return magma_knots;
        case ColourMap::grey:
            return grey_knots;
        case ColourMap::diverging:
            return diverging_knots;
        case ColourMap::print_diverging:
            return print_diverging_knots;
    }
    return viridis_knots;
}

std::uint8_t between(std::uint8_t a, std::uint8_t b, double t) {
    return static_cast<std::uint8_t>(std::lround(a + (b - a) * t));
}

}  // namespace

const Theme& theme(ThemeKind kind) {
    switch (kind) {
        case ThemeKind::light:
            return light;
        case ThemeKind::dark:
            return dark;
        case ThemeKind::high_contrast:
            return high_contrast;
        case ThemeKind::print:
            return print;
    }
    return dark;
}

Role variant_role(int variant) {
    return static_cast<Role>(static_cast<int>(Role::variant_a) + (variant % 4 + 4) % 4);
}

double contrast(Colour a, Colour b) {
    const double one = luminance(a) + 0.05, other = luminance(b) + 0.05;
    return std::max(one, other) / std::min(one, other);
}

Colour ink_on(Colour fill) {
    const Colour black = rgb(0x000000), white = rgb(0xffffff);
    return contrast(black, fill) >= contrast(white, fill) ? black : white;
}

Colour mix(Colour a, Colour b, double share) {
    const double t = share > 0 ? std::min(share, 1.0) : 0;
    return {between(a.r, b.r, t), between(a.g, b.g, t), between(a.b, b.b, t), between(a.a, b.a, t)};
}

ColourMap shown_map(ColourMap map, const Theme& theme) {
    if (theme.kind != ThemeKind::print) return map;
    return map == ColourMap::diverging ? ColourMap::print_diverging : ColourMap::grey;
}

Colour map_colour(ColourMap map, double t) {
    const auto knots = knots_of(map);
    const double at = (t > 0 ? std::min(t, 1.0) : 0) * static_cast<double>(knots.size() - 1);
    const auto left = std::min(static_cast<std::size_t>(at), knots.size() - 2);
    return mix(knots[left], knots[left + 1], at - static_cast<double>(left));
}

}  // namespace maskscope
