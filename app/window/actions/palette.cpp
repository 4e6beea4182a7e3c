// Makes the list of the palette, subject by subject, and narrows it by what is typed.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <sstream>
#include <string_view>
#include <tuple>
#include <utility>

#include "app/pytorch/script.h"
#include "app/session/course.h"
#include "app/session/edits/variant_settings.h"
#include "app/session/files/load.h"
#include "app/session/files/state_files.h"
#include "app/session/keeper.h"
#include "app/show/views/view_entry.h"
#include "app/window/actions/actions.h"
#include "app/window/actions/shortcuts.h"
#include "app/window/context/ui_state.h"
#include "app/window/widgets/focus.h"
#include "app/window/widgets/widgets.h"
#include "core/base/error.h"
#include "core/files/file.h"
#include "core/frameworks/framework.h"
#include "core/scene/mask_rules.h"
#include "core/scene/names.h"

namespace maskscope {

using Entries = std::vector<PaletteEntry>;

// Makes an entry's command from the parts of App that it needs: does([](Session& session, Ui& ui) {
// … }).
template <class... Wanted>
WindowCommand does(std::function<void(Wanted...)> act) {
    return [act](App& app) { act(part<std::remove_cvref_t<Wanted>>(app)...); };
}
WindowCommand does(auto act) { return does(std::function(act)); }
// Makes a command that asks first if there is unsaved work.
WindowCommand asks(const std::string& question, auto act) {
    return [question, then = does(act)](App& app) { leave_unsaved(app, question, then); };
}

inline constexpr const char* already_so = "already chosen";

// --- entries for keys, and for opening lessons and files

namespace {

namespace fs = std::filesystem;

// True for keys that are commands. Keys that act only while presenting are not, nor are Escape,
// keys that move between controls, and the key that opens the palette.
bool is_command(const Shortcut& shortcut) {
    const bool moves_focus = shortcut.act == on<focus_next> || shortcut.act == on<focus_before> ||
                             shortcut.act == escape || shortcut.act == open_palette;
    return shortcut.when != KeyScope::presenting && !moves_focus;
}

}  // namespace

// Returns the built-in lessons, read from their files. Reads them again only if the assets folder
// has changed.
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
        } catch (const Error&) {  // there are no built-in lessons
        }
    }
    return lessons;
}

WindowCommand open_recent(const fs::path& path) {
    return [path](App& app) {
        leave_unsaved(app, "Open another file?", [path](App& a) { open_path(a, path); });
    };
}

namespace {

// Adds the commands with a key, and a few others.
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

constexpr const char* exercise_badge = "exercise";

// Returns the note at the right end of a step: "shown" or "★", and "exercise"; "" if none applies.
std::string badge(bool shown, bool star, bool exercise) {
    const std::string what = exercise ? exercise_badge : "";
    if (shown) return "shown" + (exercise ? ", " + what : "");
    return star && exercise ? "★ " + what : star ? "★" : what;
}

std::string step_words(const std::string& lesson, int step, const std::string& title) {
    return fmt::format("{}, step {}: {}", lesson, step + 1, title);
}

void add_open_steps(Entries& entries, const Session& session) {
    const Lesson& open = *session.lesson();
    for (int step = 0; step < std::ssize(open.steps); ++step)
        entries.push_back({step_words(open.title, step, open.steps[step].title),
                           does([step](Session& session) { session.go_to_step(step); }),
                           badge(step == session.document().step, open.steps[step].star,
                                 open.steps[step].exercise.has_value())});
}

// Adds the steps of lessons that are not open.
void add_other_steps(Entries& entries, const Lesson* open) {
    for (const BuiltInLesson& lesson : built_in_lessons()) {
        if (open != nullptr && open->name == lesson.name) continue;
        for (std::size_t k = 0; k < lesson.steps.size(); ++k)
            entries.push_back(
                {.words = step_words(lesson.title, static_cast<int>(k), lesson.steps[k].title),
                 .act = open_lesson(lesson.name, static_cast<int>(k)),
                 .keys = badge(false, lesson.steps[k].star, lesson.steps[k].exercise)});
    }
}

// Adds lessons, steps, recent files and scenes.
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
    const std::optional<fs::path> shown = session.document().path();
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

// --- entries for views, colours, the theme and the backend

std::string unless(bool is_so) { return is_so ? already_so : ""; }

void add_tabs(Entries& entries, const Session& session) {
    const Scene& scene = session.shown().scene;
    const ViewKind shown = shown_view(session.view(), scene);
    for (const ViewKind kind : tabs_of(session.view(), scene))
        entries.push_back(
            {fmt::format("View: {}", label(kind)),
             does([kind](Session& session, BenchState& bench) { show_view(session, bench, kind); }),
             "", unless(kind == shown)});
}

// Adds an entry that shows or hides something, and is named after what it does next.
void add_switch(Entries& entries, bool is_on, const std::string& what, WindowCommand turn) {
    entries.push_back({fmt::format("{} {}", is_on ? "Hide" : "Show", what), std::move(turn)});
}

void add_difference(Entries& entries, const Session& session) {
    const Scene& scene = session.shown().scene;
    if (scene.variants.size() < 2) return;
    const auto shown = shown_difference(session.view(), scene);
    const Difference d = shown.value_or(Difference{});
    add_switch(
        entries, shown.has_value(),
        fmt::format("the difference {} − {}", variant_letter(d.variant), variant_letter(d.minus)),
        does([shown, d](Session& session) {
            session.view().show.difference = shown ? std::nullopt : std::optional(d);
        }));
}

void add_batch(Entries& entries, const Session& session) {
    const Shape shape = shape_of(session.shown().scene);
    constexpr Index most = 32;
    if (shape.b < 2) return;
    add_switch(entries, session.view().batch, "all sequences beside the pipeline",
               does([](Session& session) { session.view().batch = !session.view().batch; }));
    for (Index b = 0; b < std::min(most, shape.b); ++b)
        entries.push_back({fmt::format("Sequence {}", b + 1), does([b](Session& session) {
                               session.view().show.sequences = std::vector<Index>{b};
                           })});
}

void add_colours(Entries& entries, const Session& session) {
    const Colouring& now = session.view().colouring;
    entries.push_back({"Colours: default",
                       does([](Session& session) { session.view().colouring.map.reset(); }), "",
                       unless(!now.map)});
    for (std::size_t k = 0; k < colour_map_names.size(); ++k) {
        const auto map = static_cast<ColourMap>(k);
        entries.push_back({fmt::format("Colours: {}", colour_map_names[k]),
                           does([map](Session& session) { session.view().colouring.map = map; }),
                           "", unless(now.map == map)});
    }
    for (const bool logarithmic : {false, true})
        entries.push_back({logarithmic ? "Colours: logarithmic scale" : "Colours: linear scale",
                           does([logarithmic](Session& session) {
                               session.view().colouring.logarithmic = logarithmic;
                           }),
                           "", unless(now.logarithmic == logarithmic)});
}

void add_themes(Entries& entries, const Ui& ui) {
    for (const auto& [name, kind] : theme_choices)
        entries.push_back({fmt::format("Theme: {}", name),
                           [theme = kind](App& app) { choose_theme(app, theme); }, "",
                           unless(ui.choices.theme == kind)});
}

void add_backends(Entries& entries, const Session& session) {
    constexpr std::array names{"the reference implementation", "CPU", "GPU",
                               "CPU or GPU, whichever is faster (auto)"};
    const ComputeWith now = session.results().backends().chosen();
    for (std::size_t k = 0; k < names.size(); ++k) {
        const auto with = static_cast<ComputeWith>(k);
        const bool missing = k >= 2 && !session.results().backends().offered().make;
        entries.push_back({fmt::format("Compute on {}", names[k]),
                           does([with](Session& session) { session.compute_with(with); }), "",
                           missing ? "this machine has no OpenGL 4.3" : unless(now == with)});
    }
}

void add_views(Entries& entries, const Session& session, const Ui& ui) {
    add_tabs(entries, session);
    entries.push_back({"Fit all heatmaps", does([](Session& session) { session.view().zoom = {}; }),
                       "", session.view().zoom == Zoom{} ? "no heatmap is zoomed in" : ""});
    add_difference(entries, session);
    add_batch(entries, session);
    add_colours(entries, session);
    add_themes(entries, ui);
    add_backends(entries, session);
}

// --- entries for settings of the chosen variant

const Variant& variant_of(const Session& session, int variant) {
    return session.scene().variants[variant];
}

// Adds the settings of a variant. They rank before the names of variants, which may contain the
// same words; the settings of the chosen variant rank first.
void add_settings(Entries& entries, const Session& session, int variant, bool is_chosen) {
    for (const Setting* setting : listed_settings()) {
        const std::vector<Choice> choices = choices_of(*setting, session.scene(), variant);
        for (int c = 0; c < std::ssize(choices); ++c)
            entries.push_back({fmt::format("{}: {} {}", variant_letter(variant), setting->label,
                                           choices[c].words),
                               does([variant, setting, c](Session& session) {
                                   choose_setting(session, variant, *setting, c);
                               }),
                               "", choices[c].is_chosen ? already_so : "", is_chosen ? 3U : 2U});
    }
}

// --- variants

void add_variant_commands(Entries& entries, const Session& session, int variant) {
    const char letter = variant_letter(variant);
    const bool is_last = session.scene().variants.size() == 1;
    entries.push_back(
        {fmt::format("Copy {} as PyTorch", letter), does([variant](Gui& gui, Session& session) {
             if (variant < std::ssize(session.shown().variants))  // otherwise it is being computed
                 copy_as_pytorch(gui, session, variant);
         })});
    entries.push_back({fmt::format("Rename variant {}", letter),
                       does([variant](Gui& gui, Session& session, SidebarState& sidebar) {
                           choose_variant(sidebar, variant);
                           edit_field(gui, fmt::format("name/{}", variant),
                                      variant_of(session, variant).name);
                       })});
    entries.push_back({fmt::format("Duplicate variant {}", letter),
                       does([variant](Session& session, SidebarState& sidebar) {
                           duplicate_variant_card(session, sidebar, variant);
                       })});
    entries.push_back({fmt::format("Remove variant {}", letter),
                       does([variant](Session& session, SidebarState& sidebar) {
                           remove_variant_card(session, sidebar, variant);
                       }),
                       "", is_last ? "it is the only variant" : ""});
}

// --- frameworks

void add_framework_commands(Entries& entries, const Session& session, int variant) {
    const bool over_weights = std::holds_alternative<WeightsInputs>(session.scene().inputs);
    const std::string why = over_weights ? "given weights do not have these settings" : "";
    for (std::size_t k = 0; k < frameworks().size(); ++k)
        entries.push_back({fmt::format("Use the settings of {} in variant {}", frameworks()[k].name,
                                       variant_letter(variant)),
                           does([variant, k](Session& session) {
                               session.edit("as in " + frameworks()[k].name, [&](Scene& scene) {
                                   set_framework(scene, variant, frameworks()[k]);
                               });
                           }),
                           "", why});
}

// --- mask rules

// Returns the variants whose rules an edit changes: all shown ones if their rules are equal,
// otherwise the chosen one.
std::vector<int> variants_of_layers(const Session& session, const SidebarState& sidebar) {
    const std::vector<int> shown = shown_variants(session.view(), session.scene());
    if (layers_are_shared(session.scene(), shown)) return shown;
    return {chosen_variant(session, sidebar)};
}

void add_variants(Entries& entries, const Session& session, const SidebarState& sidebar) {
    const int count = static_cast<int>(session.scene().variants.size());
    for (int variant = 0; variant < count; ++variant)
        entries.push_back(
            {fmt::format("Variant {}: {}", variant_letter(variant),
                         variant_title(session.view(), session.scene(), variant)),
             does([variant](SidebarState& sidebar) { choose_variant(sidebar, variant); }), "",
             sidebar.variant == variant ? "its settings are open" : ""});
    entries.push_back({"Add a variant", on<add_variant_card>, "",
                       count < most_variants ? "" : "there are already 26 variants, A to Z"});
    entries.push_back({"Test this mask",
                       does([](Session& session, Ui& ui) { open_mask_tests(session, ui); }), "",
                       std::string(why_not_yet(session))});
    const int chosen = chosen_variant(session, sidebar);
    add_variant_commands(entries, session, chosen);
    add_framework_commands(entries, session, chosen);
    add_settings(entries, session, chosen, true);
    for (int variant = 0; variant < count; ++variant)
        if (variant != chosen) add_settings(entries, session, variant, false);
}

// Adds the rules of the chosen variant's mask.
void add_layers(Entries& entries, const Session& session, const SidebarState& sidebar) {
    const std::vector<int> variants = variants_of_layers(session, sidebar);
    const bool over_weights = std::holds_alternative<WeightsInputs>(session.scene().inputs);
    const std::string whose =
        variants.size() > 1 ? "" : fmt::format(" in variant {}", variant_letter(variants.front()));
    for (const LayerRule& rule : layer_rules()) {
        const LayerKind kind = rule.kind;
        if (rule.is_bias() && over_weights) continue;
        const auto& layers = variant_of(session, variants.front()).mask.layers;
        const bool on = std::ranges::count(layers, kind, &MaskLayer::kind) > 0;
        entries.push_back(
            {fmt::format("{} the mask rule {}{}", on ? "Remove" : "Add", label(kind), whose),
             does([variants, kind, on](Session& session) {
                 session.edit(on ? "remove a mask rule" : "add a mask rule",
                              [&](Scene& scene) { set_layer(scene, variants, kind, !on); });
             })});
    }
}

// --- the whole list

void open_with(App& app, std::vector<PaletteEntry> entries, const std::string& hint) {
    app.ui.overlays.open(Palette{.entries = std::move(entries), .hint = hint});
    edit_field(app.gui, palette_field_id, "");
}

// Copies the script that `make` returns. what: "variant A as". command: writes the script to a
// file.
void copy_script(Gui& gui, Session& session, const std::string& what, const char* command,
                 const std::function<std::string()>& make) try {
    copy_text(gui.clipboard, make(), "the script is",
              fmt::format("{} writes it to a file", command));
    session.say(fmt::format("Copied {} a PyTorch script.", what));
} catch (const std::runtime_error& error) {
    session.say(fmt::format("Could not copy: {}", error.what()), true);
}

}  // namespace

void copy_as_pytorch(Gui& gui, Session& session, int variant) {
    copy_script(gui, session, fmt::format("variant {} as", variant_letter(variant)),
                "maskscope pytorch", [&] { return pytorch_script(session.shown(), variant); });
}

void copy_mask_tests(Gui& gui, Session& session, int variant) {
    copy_script(gui, session, fmt::format("the tests of {} as", variant_letter(variant)),
                "maskscope test --pytorch",
                [&] { return pytorch_tests(session.scene(), variant, {}); });
}

void open_mask_tests(const Session& session, Ui& ui) {
    ui.overlays.open(MaskCard{.variant = chosen_variant(session, ui.sidebar)});
}

std::string why_no_mask_script(const Session& session, int variant) {
    return why_no_test_script(session.scene(), variant);
}

void open_palette(App& app) { open_with(app, palette_entries(app), "Type what you want to do"); }

void open_lessons(App& app) {
    Entries entries{{"Start", open_start, "", "", 0, "lessons, your own sentence, or a model"}};
    add_lessons(entries, app.session);
    // near the top, but after the lessons
    entries.insert(entries.begin() + 1 + std::ssize(built_in_lessons()),
                   {"Open a scene or a lesson", open_file, "Ctrl+O"});
    open_with(app, std::move(entries), std::string(lessons_words) + ": type to find one");
}

std::vector<PaletteEntry> palette_entries(App& app) {
    Entries entries;
    add_keys(entries, app);
    add_views(entries, app.session, app.ui);
    add_variants(entries, app.session, app.ui.sidebar);
    add_layers(entries, app.session, app.ui.sidebar);
    add_lessons(entries, app.session);
    // Put first the entries that a newcomer looks for.
    const auto is_first = [](const PaletteEntry& entry) {
        return entry.words == lessons_words || entry.keys.starts_with("F5") ||
               entry.keys == "Ctrl+O" || entry.keys == "Ctrl+E";
    };
    std::stable_partition(entries.begin(), entries.end(), is_first);
    return entries;
}

namespace {

// Converts ASCII letters to lower case, and replaces signs that keyboards lack: "√d" becomes "root
// d".
std::string lower(std::string text) {
    for (char& c : text)
        if (c >= 'A' && c <= 'Z') c += 'a' - 'A';
    for (const auto& [sign, plain] :
         {std::pair<std::string_view, std::string_view>{"√", "root "}, {"−", "-"}})
        for (auto at = text.find(sign); at != std::string::npos; at = text.find(sign, at))
            text.replace(at, sign.size(), plain);
    return text;
}

std::vector<std::string> words_of(const std::string& text) {
    std::istringstream stream(text);
    std::vector<std::string> words;
    for (std::string word; stream >> word;) words.push_back(word);
    return words;
}

// Returns the position of a word's best match in the text, plus 1000 if it is not at the beginning
// of a word there; nullopt if there is no match.
std::optional<std::size_t> distance(const std::string& text, const std::string& word) {
    constexpr std::size_t inside = 1000;
    std::optional<std::size_t> best;
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
        const bool begins = at == 0 || text[at - 1] == ' ' || text[at - 1] == '(';
        const std::size_t here = at + (begins ? 0 : inside);
        if (!best || here < *best) best = here;
    }
    return best;
}

// Returns the sum of these distances for all typed words; nullopt if one has no match. The entry's
// note and key also match, but rank behind all matches in its words.
std::optional<std::size_t> distance(const PaletteEntry& entry,
                                    const std::vector<std::string>& all) {
    constexpr std::size_t aside = 10000;
    const std::string text = lower(entry.words);
    const std::string others = lower(entry.about + " " + entry.keys);
    std::size_t sum = 0;
    for (const std::string& word : all) {
        if (const auto in_words = distance(text, word))
            sum += *in_words - std::min(entry.ahead, *in_words);
        else if (others.find(word) != std::string::npos)
            sum += aside;
        else
            return std::nullopt;
    }
    return sum;
}

}  // namespace

std::vector<std::size_t> matching(const std::vector<PaletteEntry>& entries,
                                  const std::string& typed) {
    const std::vector<std::string> words = words_of(lower(typed));
    std::vector<std::tuple<bool, std::size_t, std::size_t>> found;  // unavailable, distance, index
    for (std::size_t k = 0; k < entries.size(); ++k)
        if (const auto far = distance(entries[k], words))
            found.emplace_back(!entries[k].why_not.empty(), *far, k);
    std::ranges::sort(found);
    std::vector<std::size_t> order;
    for (const auto& match : found) order.push_back(std::get<2>(match));
    return order;
}

}  // namespace maskscope
