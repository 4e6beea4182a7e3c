#pragma once
// Writes a live page: the core as WebAssembly, and the lesson or the scene that it opens. It makes
// no network requests. app/web/calls.h is what the page asks of the core; assets/web is the page.

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/session/files/load.h"
#include "app/style/theme.h"

namespace maskscope {

// Returns why this build makes no live page, as a sentence; "" if it does.
std::string why_not_live();

struct LiveOptions {
    std::optional<ThemeKind> theme;  // light or dark; nullopt: that of the reader's device
    bool questions = true;           // a step asks its question before it shows the answer
    bool mask = true, tokens = true, settings = true;  // what the reader may change
    bool operator==(const LiveOptions&) const = default;
};

struct LivePage {
    std::string title;
    std::string opened;  // the lesson or the scene, as in its file
    bool is_lesson = false;
    // Tensor files and models that it names, by these names.
    std::map<std::string, std::string> files;
    // SVGs of steps whose view the page does not draw itself: of the question ("" if the step asks
    // nothing or it is `first`), and of the answer.
    struct Picture {
        std::string asks, shows;
    };
    std::map<int, Picture> pictures;  // by step
    std::string first;                // SVG: what is shown until the page has started
    LiveOptions options;
};

// The place of the core: in the page, or in core.js beside it, which several pages share.
enum class CoreIn { page, script };
std::string live_html(const LivePage& page, CoreIn core);
std::string core_script();  // core.js

inline constexpr std::size_t most_live_bytes = 2'000'000;  // of tensor files

// --- several pages

struct LiveEntry {
    std::string name, file, title, about;
    std::vector<std::string> steps;  // their titles
};
// Writes the list of pages, with those questions of assets/help/questions.md that one of their
// steps answers.
std::string live_index(const std::vector<LiveEntry>& entries);

// --- pages of a scene or a lesson, and a folder of them

// Means all built-in lessons if a folder of live pages is written.
inline constexpr const char* all_lessons = "lesson:all";

// Writes a page, or if `out` ends with /, a folder: a page for each lesson, a list of them, and the
// core, which they share. Throws Error.
void export_live(const SceneArgument& argument, const std::string& out, const LiveOptions& options);

// Returns the bytes of one page. folder: the base of the tensor files' paths. Throws Error.
std::string live_lesson(const LoadedLesson& lesson, const LiveOptions& options);
std::string live_scene(const LoadedScene& scene, const LiveOptions& options);

}  // namespace maskscope
