#pragma once
// Every command by its words: what a key does, and what has no key. The list is made from the App
// when the palette opens, and narrowed by what is typed.

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace maskscope {

struct App;

struct PaletteEntry {
    std::string words;  // "Theme: light"
    std::function<void(App&)> act{};
    std::string keys{};     // "Ctrl+Z", "" where it has none
    std::string why_not{};  // "no lesson is open": it cannot act now; "" where it can
};

// While it is open.
struct Palette {
    std::vector<PaletteEntry> entries;
    std::string typed{};     // what the list is narrowed by
    std::size_t chosen = 0;  // of the matching ones: that Enter runs
};

// The field in which it is typed; see edit_field() in widgets.h.
inline constexpr const char* palette_field_id = "palette";

std::vector<PaletteEntry> palette_entries(App& app);

// Those that hold each typed word, in any order and either case, as indices: what can act first,
// then by how early and how much at the beginning of words they match. All where nothing is typed.
std::vector<std::size_t> matching(const std::vector<PaletteEntry>& entries,
                                  const std::string& typed);

}  // namespace maskscope
