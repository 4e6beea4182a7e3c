#pragma once
// What the key help says: the table of shortcuts, its families as one line each, and the
// gestures of the mouse. No ImGui.

#include <string>
#include <vector>

namespace maskscope {

struct KeyHelpLine {
    std::string keys, what;  // "Alt+1 … 7", "show or hide a stage"
};
struct KeyHelpBlock {
    std::string heading;
    std::vector<KeyHelpLine> lines;
};

std::vector<KeyHelpBlock> key_help_blocks();

// Several keys in few words: "Ctrl+Left, Right", "1 … 9". What they share is said once.
std::string keys_together(const std::vector<std::string>& keys);

}  // namespace maskscope
