// Makes the entries of the palette that have a key, or that open something.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "app/session/course.h"
#include "app/session/files/load.h"
#include "app/session/files/state_files.h"
#include "app/session/keeper.h"
#include "app/window/actions/actions.h"
#include "app/window/actions/palette_parts.h"
#include "app/window/actions/shortcuts.h"
#include "app/window/widgets/focus.h"
#include "app/window/widgets/widgets.h"
#include "core/base/error.h"
#include "core/files/file.h"
#include "core/scene/names.h"

namespace maskscope {
namespace {

namespace fs = std::filesystem;

// True for commands: not for keys that move between controls, nor the one that opens the palette.
bool is_command(const Shortcut& shortcut) {
    const bool moves_focus = shortcut.act == on<focus_next> || shortcut.act == on<focus_before> ||
                             shortcut.act == escape || shortcut.act == open_palette;
    return shortcut.when != When::presenting && !moves_focus;
}

void open_named_lesson(Session& session, const std::string& name, int step) {
    try {
        const LoadedLesson loaded = load_lesson("lesson:" + name);
        session.open_lesson(loaded.lesson, loaded.folder, step);
    } catch (const Error& error) {
        session.say(error.what(), true);
    }
}

// Returns the part of the course that follows the open step; nullptr inside a part, and at its end.
const CoursePart* next_part(const Session& session) {
    const Lesson* lesson = session.lesson();
    if (lesson == nullptr || !session.leaves_step()) return nullptr;
    const auto parts = course_parts();
    const auto ended = std::ranges::find_if(parts, [&](const CoursePart& part) {
        const int last = part.last < 0 ? static_cast<int>(lesson->steps.size()) - 1 : part.last;
        return part.lesson == lesson->name && session.step() == last;
    });
    return ended == parts.end() || ended + 1 == parts.end() ? nullptr : &*(ended + 1);
}

}  // namespace

// Returns the built-in lessons, read once for each folder, because what the list says about a
// lesson is in its file.
const std::vector<BuiltInLesson>& built_in_lessons() {
    static fs::path read_from;
    static std::vector<BuiltInLesson> lessons;
    if (const fs::path folder = assets_folder(); folder != read_from) {
        read_from = folder;
        lessons.clear();
        try {
            for (const std::string& name : lesson_names()) {
                const Lesson lesson = load_lesson("lesson:" + name).lesson;
                lessons.push_back({name, lesson.title, lesson.about, {}});
                for (const Step& step : lesson.steps)
                    lessons.back().steps.push_back(
                        {step.title, step.star, step.exercise.has_value()});
            }
        } catch (const Error&) {  // no built-in lessons
        }
    }
    return lessons;
}

WindowCommand open_lesson(const std::string& name, int step) {
    return asks("Open another lesson?",
                [name, step](Session& session) { open_named_lesson(session, name, step); });
}

WindowCommand open_recent(const fs::path& path) {
    return [path](App& app) {
        leave_unsaved(app, "Open another file?", [path](App& a) { open_path(a, path); });
    };
}

std::string next_lesson_title(const Session& session) {
    const CoursePart* part = next_part(session);
    if (part == nullptr) return "";
    const auto next = std::ranges::find(built_in_lessons(), part->lesson, &BuiltInLesson::name);
    return next == built_in_lessons().end() ? "" : next->title;
}

void open_next_lesson(App& app) {
    if (const CoursePart* part = next_part(app.session))
        open_lesson(std::string(part->lesson), part->first)(app);
}

void add_keys(Entries& entries, App& app) {
    for (const Shortcut& shortcut : shortcuts()) {
        if (!is_command(shortcut)) continue;
        const std::string words = capital(shortcut.what), keys(shortcut.keys);
        const std::string_view why = shortcut.why_not != nullptr ? shortcut.why_not(app) : "";
        if (const auto same = std::ranges::find(entries, words, &PaletteEntry::words);
            same != entries.end())
            same->keys += ", " + keys;
        else
            entries.push_back({words, shortcut.act, keys, std::string(why)});
    }
    entries.push_back({lessons_words, open_lessons});
    entries.push_back({"Start page", open_start});
    entries.push_back({"Type a sentence", on<type_sentence>});
    entries.push_back(
        {"Another layer of these tensors", reopen_tensors, "", std::string(why_no_tensors(app))});
    entries.push_back({"Quit Maskscope", leave});
}

namespace {

constexpr const char* exercise_badge = "exercise";

// Returns the text at the right end: "shown", or what is special about it.
std::string badge(bool shown, bool star, bool exercise) {
    const std::string what = exercise ? exercise_badge : "";
    if (shown) return "shown" + (exercise ? ", " + what : "");
    return star && exercise ? "★ " + what : star ? "★" : what;
}

void add_open_steps(Entries& entries, const Session& session) {
    const Lesson& open = *session.lesson();
    for (int step = 0; step < std::ssize(open.steps); ++step)
        entries.push_back({fmt::format("Step {}: {}", step + 1, open.steps[step].title),
                           does([step](Session& session) { session.go_to_step(step); }),
                           badge(step == session.step(), open.steps[step].star,
                                 open.steps[step].exercise.has_value())});
}

// Adds the steps of lessons that are not open.
void add_other_steps(Entries& entries, const Lesson* open) {
    for (const BuiltInLesson& lesson : built_in_lessons()) {
        if (open != nullptr && open->name == lesson.name) continue;
        for (std::size_t k = 0; k < lesson.steps.size(); ++k)
            entries.push_back(
                {.words = fmt::format("{}, {}: {}", lesson.title, k + 1, lesson.steps[k].title),
                 .act = open_lesson(lesson.name, static_cast<int>(k)),
                 .keys = badge(false, lesson.steps[k].star, lesson.steps[k].exercise)});
    }
}

}  // namespace

void add_lessons(Entries& entries, const Session& session) {
    const Lesson* open = session.lesson();
    Course course = read_course(state_folder());
    for (const BuiltInLesson& lesson : built_in_lessons()) {
        const bool is_open = open != nullptr && open->name == lesson.name;
        const std::size_t steps = lesson.steps.size();
        const std::size_t seen = std::min(course.seen[lesson.name].size(), steps);
        entries.push_back({.words = fmt::format("Lesson: {}", lesson.title),
                           .act = open_lesson(lesson.name),
                           .keys = fmt::format("{}{} / {}", is_open ? "open, " : "", seen, steps),
                           .about = lesson.about});
    }
    const std::optional<fs::path> shown = session.path();
    for (const fs::path& path : recent_files(state_folder()))
        entries.push_back({.words = "Recent: " + printable(path.filename().string()),
                           .act = open_recent(path),
                           .keys = path == shown ? "open" : "",
                           .about = printable(path.parent_path().string())});
    if (open != nullptr) add_open_steps(entries, session);
    add_other_steps(entries, open);
    std::vector<fs::path> scenes;
    std::error_code error;
    for (fs::directory_iterator at(assets_folder() / "scenes", error), end; !error && at != end;
         at.increment(error))
        if (at->path().extension() == ".json") scenes.push_back(at->path());
    std::ranges::sort(scenes);
    for (const fs::path& path : scenes)
        entries.push_back({fmt::format("Scene: {}", path.stem().string()), open_recent(path)});
    int k = 0;
    for (const fs::path& file : Keeper::left_behind(state_folder())) {
        const std::string which = ++k == 1 ? "" : fmt::format(" ({})", k);
        entries.push_back({"Recover unsaved work" + which, recover(file)});
        entries.push_back({"Discard unsaved work" + which, discard(file)});
    }
}

namespace {

void open_with(App& app, std::vector<PaletteEntry> entries, const std::string& hint) {
    app.ui.palette = Palette{.entries = std::move(entries), .hint = hint};
    edit_field(app.gui, palette_field_id, "");
}

}  // namespace

void open_palette(App& app) { open_with(app, palette_entries(app), "Type what you want to do"); }

void open_lessons(App& app) {
    Entries entries{{"Start", open_start, "", "", 0, "lessons, your own sentence, or a model"}};
    add_lessons(entries, app.session);
    // near the top, before the recent files
    entries.insert(entries.begin() + 1 + std::ssize(built_in_lessons()),
                   {"Open a scene or a lesson", open_file, "Ctrl+O"});
    open_with(app, std::move(entries), std::string(lessons_words) + ": type to find one");
}

std::vector<PaletteEntry> palette_entries(App& app) {
    Entries entries;
    add_keys(entries, app);
    add_views(entries, app.session, app.ui);
    add_lanes(entries, app.session, app.ui.sidebar);
    add_layers(entries, app.session, app.ui.sidebar);
    add_lessons(entries, app.session);
    // Entries that a newcomer looks for come first.
    const auto is_first = [](const PaletteEntry& entry) {
        return entry.words == lessons_words || entry.keys.starts_with("F5") ||
               entry.keys == "Ctrl+O" || entry.keys == "Ctrl+E";
    };
    std::stable_partition(entries.begin(), entries.end(), is_first);
    return entries;
}

}  // namespace maskscope
