#pragma once
// The text of the key help: the table of shortcuts, a line for each family, and what the mouse
// does. No ImGui.

#include <string>
#include <vector>

namespace maskscope {

struct KeyHelpLine {
    std::string keys, what;  // "Alt+1 … 7", "show or hide a stage"
};
struct KeyHelpBlock {
    std::string heading;
    std::vector<KeyHelpLine> lines{};
};

std::vector<KeyHelpBlock> key_help_blocks();
// Of the keys that act while a lesson is presented.
std::vector<KeyHelpLine> presenting_key_lines();

// Several keys, with shared modifiers once: "Ctrl+Left, Right", "1 … 9".
std::string keys_together(const std::vector<std::string>& keys);

}  // namespace maskscope
