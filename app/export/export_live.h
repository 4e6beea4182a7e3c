#pragma once
// Writes a live page: the core as WebAssembly, and the lesson or scene that it opens. The page
// makes no network requests. Its source is in assets/web; app/web/calls.h declares what it asks of
// the core.

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/session/files/load.h"
#include "app/style/theme.h"

namespace maskscope {

// Returns why this build cannot make live pages, as a sentence; "" if it can.
std::string why_not_live();

struct LiveOptions {
    std::optional<ThemeKind> theme;  // nullopt = that of the reader's device
    bool questions = true;           // a step asks its question before it shows the answer
    bool mask = true, tokens = true, settings = true;  // parts that the reader may change
    bool operator==(const LiveOptions&) const = default;
};

struct LivePage {
    std::string title;
    std::string opened;  // the text of the lesson or scene, as in its file
    bool is_lesson = false;
    // Contents of the tensor files and models that the text names, by these names.
    std::map<std::string, std::string> files;
    // SVGs of steps whose view the page does not draw itself: one of the question ("" if the step
    // asks nothing, or if it is `first`), and one of the answer.
    struct Picture {
        std::string asks, shows;
    };
    std::map<int, Picture> pictures;  // by the step's index
    std::string first;                // SVG that is shown until the page has started
    LiveOptions options;
};

// The place of the core: in the page, or in core.js beside it, which several pages share.
enum class CoreIn { page, script };
std::string live_html(const LivePage& page, CoreIn core);
std::string core_script();  // the contents of core.js

inline constexpr std::size_t most_live_bytes = 2'000'000;  // the limit for tensor files

// --- lists of pages

struct LiveEntry {
    std::string name, file, title, about;
    std::vector<std::string> steps;  // the titles of its steps
};
// Writes the list of pages, with those questions of assets/help/questions.md that a step of one of
// them answers.
std::string live_index(const std::vector<LiveEntry>& entries);

// --- pages of a scene or a lesson, and a folder of them

// The argument that stands for all built-in lessons, for a folder of live pages.
inline constexpr const char* all_lessons = "lesson:all";

// Writes a page. If `out` ends with /, writes a folder: a page for each lesson, a list of them, and
// the core, which all pages share. Throws Error.
void export_live(const SceneArgument& argument, const std::string& out, const LiveOptions& options);

// Return the bytes of one page. Throw Error.
std::string live_lesson(const LoadedLesson& lesson, const LiveOptions& options);
std::string live_scene(const LoadedScene& scene, const LiveOptions& options);

}  // namespace maskscope
