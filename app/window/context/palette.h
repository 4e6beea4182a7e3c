#pragma once
// Every command in words, with or without a key. The list is made from the App when the palette
// opens, and narrowed by what is typed.

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace maskscope {

struct App;

// A command to the whole window from a key, a panel or the palette.
using WindowCommand = std::function<void(App&)>;

struct PaletteEntry {
    std::string words;  // "Theme: light"
    WindowCommand act{};
    std::string keys{};     // at the right end: "Ctrl+Z", or a note
    std::string why_not{};  // "no lesson is open"; "" if it can act now
    std::size_t ahead = 0;  // its words rank as if they began this many letters earlier
    std::string about{};    // drawn dimmer, after the words; matches, too, but ranks last
};

// The open palette.
struct Palette {
    std::vector<PaletteEntry> entries;
    std::string hint{};      // in the empty field
    std::string typed{};     // the list is narrowed by it
    std::size_t chosen = 0;  // among the matching entries; Enter runs it
};

// The id of its text field; see edit_field() in widgets.h.
inline constexpr const char* palette_field_id = "palette";

std::vector<PaletteEntry> palette_entries(App& app);

// Returns the indices of the entries with every typed word, in any order and either case: those
// that can act first, then by how early, and at which beginnings of words, they match. All if
// nothing is typed.
std::vector<std::size_t> matching(const std::vector<PaletteEntry>& entries,
                                  const std::string& typed);

}  // namespace maskscope
