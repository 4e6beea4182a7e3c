#pragma once
// Makes the text of the help: the keys from the table of shortcuts, with a line for each family;
// what the mouse does; and the pages of assets/help. Independent of ImGui.

#include <string>
#include <vector>

namespace maskscope {

struct KeyHelpLine {
    std::string keys{}, what{};  // "Alt+1 … 7", "show or hide a stage"; keys: "" for a paragraph
    std::string leads_to{};      // the step that a press opens: "lesson:heads/3"
    std::string picture{};       // the scene whose weights are drawn, a file in assets/help
};
struct KeyHelpBlock {
    std::string heading;
    std::vector<KeyHelpLine> lines{};
};

std::vector<KeyHelpBlock> key_help_blocks();
// Returns the keys that are listed while presenting: those of the lesson and of presenting, Space
// and Escape.
std::vector<KeyHelpLine> presenting_key_lines();

// Returns several keys, with shared modifiers written once: "Ctrl+Left, Right", "1 … 9".
std::string keys_together(const std::vector<std::string>& keys);

struct HelpPage {
    std::string name;  // the name of its file
    std::string title;
    std::vector<KeyHelpBlock> blocks{};
};

// Reads a page. "# " begins its title, "## " a block, "1. " and "- " an item, "- `term`: " an item
// for a term, and "- `lesson:NAME/STEP`: " a line that opens that step; "![](SCENE.json)" is a
// picture. A line that follows an item or a paragraph continues it. Removes ** and `.
HelpPage read_help_page(const std::string& markdown);

// Returns all pages in the order of the tabs. They are read only once; a page that cannot be read
// has the reason as its text.
const std::vector<HelpPage>& help_pages();

}  // namespace maskscope
