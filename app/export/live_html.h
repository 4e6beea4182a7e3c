#pragma once
// A page that computes: the core as WebAssembly, and the lesson or the scene that it opens. It asks
// nothing of the network. app/web/calls.h is what the page asks of the core; assets/web is the
// page.

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/style/theme.h"

namespace maskscope {

// Why this build makes no live page, as a sentence; "" if it does.
std::string why_not_live();

struct LivePage {
    std::string title;
    std::string opened;  // the lesson or the scene, as its file has it
    bool is_lesson = false;
    // Tensor files and models that it names, by the names that it uses.
    std::map<std::string, std::string> files;
    // SVGs of steps whose view the page does not draw itself: of the question, "" if the step asks
    // nothing or it is `first`, and of the answer.
    struct Picture {
        std::string asks, shows;
    };
    std::map<int, Picture> pictures;  // by step
    std::string first;                // SVG: what is seen before the page has started
    std::optional<ThemeKind> theme;   // light or dark; absent: as the reader's device
};

// Where the core is: in the page, or in core.js beside it, which several pages share.
enum class CoreIn { page, script };
std::string live_html(const LivePage& page, CoreIn core);
std::string core_script();  // core.js

inline constexpr std::size_t most_live_bytes = 2'000'000;  // of tensor files
inline constexpr long most_live_tokens = 64;

// --- several pages

struct LiveEntry {
    std::string name, file, title, about;
    std::vector<std::string> steps;  // their titles
};
// With the questions of assets/help/questions.md that a step of these answers.
std::string live_index(const std::vector<LiveEntry>& entries);

}  // namespace maskscope
