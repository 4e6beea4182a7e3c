#pragma once
// The parts that the palette's list is made of, a file each by what they are about.

#include "app/window/context/app.h"
#include "app/window/context/palette.h"

namespace maskscope {

using Entries = std::vector<PaletteEntry>;

inline constexpr const char* already_so = "already so";

void add_keys(Entries& entries, const App& app);     // what has a key
void add_views(Entries& entries, const App& app);    // tabs, stages, colours, theme, backend
void add_lanes(Entries& entries, const App& app);    // lanes, and settings of the chosen one
void add_layers(Entries& entries, const App& app);   // of the chosen lane's mask
void add_lessons(Entries& entries, const App& app);  // steps, lessons, scenes

}  // namespace maskscope
