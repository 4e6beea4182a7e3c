#include "app/window/panels/key_help_lines.h"

#include <GLFW/glfw3.h>

#include <algorithm>

#include "app/window/actions/shortcuts.h"

namespace maskscope {
namespace {

// Returns "Ctrl+Shift+" for "Ctrl+Shift+Z".
std::string modifiers_of(const std::string& keys) {
    const std::size_t plus = keys.rfind('+');
    return plus == std::string::npos ? "" : keys.substr(0, plus + 1);
}

// Makes one line from the rows of a family, beginning at `at`, which moves behind them.
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
        return listed && row.when != When::bench;
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

}  // namespace maskscope
