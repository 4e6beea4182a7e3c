#include "app/window/panels/key_help_lines.h"

#include <GLFW/glfw3.h>

#include <algorithm>
#include <array>
#include <sstream>

#include "app/session/files/load.h"
#include "app/window/actions/shortcuts.h"
#include "core/base/error.h"
#include "core/files/file.h"

namespace maskscope {

namespace {

// Returns the modifiers of a key: "Ctrl+Shift+" for "Ctrl+Shift+Z".
std::string modifiers_of(const std::string& keys) {
    const std::size_t plus = keys.rfind('+');
    return plus == std::string::npos ? "" : keys.substr(0, plus + 1);
}

// Makes one line from the rows of a family. at: index of the first row; moves to the one after the
// last.
KeyHelpLine line_from(const std::vector<Shortcut>& rows, std::size_t& at) {
    const Shortcut& first = rows[at];
    std::vector<std::string> keys{std::string(first.keys)};
    while (++at < rows.size() && !first.family.empty() && rows[at].family == first.family)
        keys.emplace_back(rows[at].keys);
    const std::string_view what = first.family.empty() ? first.what : first.family;
    return {keys_together(keys), std::string(what)};
}

}  // namespace

std::string keys_together(const std::vector<std::string>& keys) {
    constexpr std::size_t most = 4;
    const std::string shared = modifiers_of(keys.front());
    const bool all_share = std::ranges::all_of(
        keys, [&](const std::string& key) { return modifiers_of(key) == shared; });
    const auto own = [&](const std::string& key) {
        return all_share ? key.substr(shared.size()) : key;
    };
    std::string text = keys.front();
    if (keys.size() > most) return text + " … " + own(keys.back());
    for (std::size_t k = 1; k < keys.size(); ++k) text += ", " + own(keys[k]);
    return text;
}

std::vector<KeyHelpLine> presenting_key_lines() {
    std::vector<Shortcut> rows;
    std::ranges::copy_if(shortcuts(), std::back_inserter(rows), [](const Shortcut& row) {
        const bool listed = row.group == Group::lesson || row.group == Group::presenting ||
                            row.key == GLFW_KEY_ESCAPE || row.key == GLFW_KEY_SPACE;
        return listed && row.when != KeyScope::bench;
    });
    std::vector<KeyHelpLine> lines;
    for (std::size_t at = 0; at < rows.size();) lines.push_back(line_from(rows, at));
    return lines;
}

std::vector<KeyHelpBlock> key_help_blocks() {
    std::vector<KeyHelpBlock> blocks;
    for (int k = 0; k < group_count; ++k) {
        const auto group = static_cast<Group>(k);
        std::vector<Shortcut> rows;
        std::ranges::copy_if(shortcuts(), std::back_inserter(rows),
                             [group](const Shortcut& row) { return row.group == group; });
        KeyHelpBlock& block = blocks.emplace_back(std::string(heading_of(group)));
        for (std::size_t at = 0; at < rows.size();) block.lines.push_back(line_from(rows, at));
    }
    KeyHelpBlock mouse{"Mouse", {}};
    for (const Gesture& gesture : gestures())
        mouse.lines.push_back({std::string(gesture.how), std::string(gesture.what)});
    blocks.push_back(std::move(mouse));
    return blocks;
}

// Reads the pages of the help, with the few parts of Markdown that they use.

namespace {

constexpr std::array page_names{"tour",    "lessons",    "questions", "minutes", "scenes",
                                "figures", "presenting", "models",    "terms"};

std::string without_marks(const std::string& text) {
    std::string plain;
    for (std::size_t k = 0; k < text.size(); ++k)
        if (text.compare(k, 2, "**") == 0)
            ++k;
        else if (text[k] != '`')
            plain += text[k];
    return plain;
}

// Parses "- `term`: what", "- what" and "1. what". `keys` is "" if the line is not an item.
KeyHelpLine item_of(const std::string& line) {
    if (line.starts_with("- `"))
        if (const auto end = line.find("`: "); end != std::string::npos) {
            const std::string term = line.substr(3, end - 3), what = line.substr(end + 3);
            if (term.starts_with("lesson:")) return {"→", what, term};
            return {without_marks(term), what};
        }
    if (line.starts_with("- ")) return {"•", line.substr(2)};
    const auto digits = line.find_first_not_of("0123456789");
    const bool numbered =
        digits != std::string::npos && digits > 0 && line.compare(digits, 2, ". ") == 0;
    return numbered ? KeyHelpLine{line.substr(0, digits), line.substr(digits + 2)} : KeyHelpLine{};
}

HelpPage page_named(const std::string& name) {
    const auto path = assets_folder() / "help" / (name + ".md");
    try {
        HelpPage page = read_help_page(read_file(path));
        page.name = name;
        return page;
    } catch (const Error& error) {
        return {name, name, {{"", {{"", path.string() + ": " + error.what()}}}}};
    }
}

}  // namespace

HelpPage read_help_page(const std::string& markdown) {
    HelpPage page;
    std::istringstream text(markdown);
    bool goes_on = false;  // the line before belongs to an item or a paragraph
    for (std::string line; std::getline(text, line);) {
        line.erase(0, line.find_first_not_of(' '));
        if (line.empty()) {
            goes_on = false;
            continue;
        }
        if (line.starts_with("# ")) {
            page.title = line.substr(2);
            continue;
        }
        if (line.starts_with("## ")) {
            page.blocks.push_back({line.substr(3)});
            goes_on = false;
            continue;
        }
        if (page.blocks.empty()) page.blocks.emplace_back();
        std::vector<KeyHelpLine>& lines = page.blocks.back().lines;
        const KeyHelpLine item = item_of(line);
        if (line.starts_with("![](") && line.ends_with(')'))
            lines.push_back({.picture = line.substr(4, line.size() - 5)});
        else if (!item.keys.empty())
            lines.push_back(item);
        else if (goes_on)
            lines.back().what += " " + line;
        else
            lines.push_back({"", line});
        goes_on = true;
    }
    for (KeyHelpBlock& block : page.blocks)
        for (KeyHelpLine& line : block.lines) line.what = without_marks(line.what);
    return page;
}

const std::vector<HelpPage>& help_pages() {
    static const std::vector<HelpPage> pages = [] {
        std::vector<HelpPage> read;
        for (const char* name : page_names) read.push_back(page_named(name));
        return read;
    }();
    return pages;
}

}  // namespace maskscope
