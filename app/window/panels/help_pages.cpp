// Reads the help's pages, with the few marks of Markdown that they need.

#include <array>
#include <sstream>

#include "app/session/files/load.h"
#include "app/window/panels/key_help_lines.h"
#include "core/base/error.h"
#include "core/files/file.h"

namespace maskscope {

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

// Parses "- `term`: what", "- what" and "1. what"; keys is "" if the line is not an item.
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
    bool goes_on = false;  // does the line before belong to an item or a paragraph?
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
        if (!item.keys.empty())
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
