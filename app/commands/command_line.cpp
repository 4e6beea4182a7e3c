#include "app/commands/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "app/figure/write/csv.h"
#include "core/base/build.h"
#include "core/base/error.h"
#include "core/compute/mask_tests.h"
#include "core/scene/names.h"

namespace maskscope {

namespace {

using Words = std::vector<std::string>;

// A command: its options, where they are stored, and how --help explains it.
struct Entry {
    CLI::App app;
    Command command;
    std::function<void()> check = [] {};  // checks combinations of options after all are read
};

[[noreturn]] void bad_usage(const std::string& command, const std::string& what) {
    throw Error(2, printable((command.empty() ? "" : command + ": ") + what));
}

bool is_option(const std::string& word) { return word.size() > 1 && word[0] == '-'; }

// --- values

// The value of an option: how --help shows it, what an error expects, and how it is read.
struct Value {
    std::string shown, expected;
    std::function<bool(const std::string&)> read;  // returns false if the text is not as expected
};

Value text(const std::string& shown, std::string& to, const std::string& expected = "",
           const std::function<bool(const std::string&)>& is_valid = {}) {
    return {shown, expected, [&to, is_valid](const std::string& value) {
                to = value;
                return !is_valid || is_valid(value);
            }};
}

template <class T>
std::optional<T> number_in(std::string_view text, T low, T high) {
    T result{};
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, result);
    const bool good = error == std::errc() && stop == end && result >= low && result <= high;
    return good ? std::optional(result) : std::nullopt;
}

template <class To, class T>
Value number(const std::string& shown, const std::string& expected, To& to, T low, T high) {
    return {shown, expected, [&to, low, high](const std::string& value) {
                const auto read = number_in<T>(value, low, high);
                if (read) to = *read;
                return read.has_value();
            }};
}

template <class To>
Value index(To& to, const std::string& shown = "I") {
    return number(shown, "an index, counted from 0", to, 0, std::numeric_limits<int>::max());
}

// Returns "a, b or c".
template <class Names>
std::string one_of(const Names& names) {
    const auto last = std::prev(std::end(names));
    return fmt::format("{} or {}", fmt::join(std::begin(names), last, ", "), *last);
}

template <class T, class To>
Value choice(To& to, const std::vector<std::pair<std::string, T>>& choices) {
    Words names;
    for (const auto& [name, meaning] : choices) names.push_back(name);
    return {fmt::format("{}", fmt::join(names, "|")), one_of(names),
            [&to, choices](const std::string& value) {
                const auto found =
                    std::ranges::find(choices, value, &std::pair<std::string, T>::first);
                if (found != choices.end()) to = found->second;
                return found != choices.end();
            }};
}

Words split(const std::string& text, char at) {
    Words parts{""};
    for (const char c : text)
        if (c == at)
            parts.emplace_back();
        else
            parts.back() += c;
    return parts;
}

// Reads names of stages, separated by commas, without repetition.
Value stages(std::vector<StageKind>& to, const std::string& expected, bool with_depends = true) {
    return {"S,S", expected, [&to, with_depends](const std::string& value) {
                to.clear();
                for (const std::string& part : split(value, ',')) {
                    const auto stage = from_name<StageKind>(part);
                    if (!stage || std::ranges::count(to, *stage) > 0 ||
                        (*stage == StageKind::depends && !with_depends))
                        return false;
                    to.push_back(*stage);
                }
                return true;
            }};
}

// Reads "A" or "A,C".
bool read_letters(const std::string& value, std::vector<int>& to) {
    to.clear();
    for (const std::string& part : split(value, ',')) {
        if (part.size() != 1 || part[0] < 'A' || part[0] > 'Z' ||
            std::ranges::count(to, part[0] - 'A') > 0)
            return false;
        to.push_back(part[0] - 'A');
    }
    return true;
}

// Reads "16:9", or "free".
Value aspect(std::optional<double>& to) {
    return {"W:H|free", "width:height such as 16:9, at most 10:1 or 1:10, or free",
            [&to](const std::string& value) {
                constexpr double most = std::numeric_limits<double>::infinity();
                const std::size_t colon = std::min(value.find(':'), value.size() - 1);
                const auto width = number_in<double>(value.substr(0, colon), 0, most);
                const auto height = number_in<double>(value.substr(colon + 1), 0, most);
                to = value == "free" ? 0 : width && height ? *width / *height : NAN;
                return value == "free" || is_aspect(*to);
            }};
}

// Reads "0:512": the first index, and the one after the last.
Value range(std::optional<Rows>& to) {
    return {"A:B", "FROM:TO, counted from 0, such as 0:512", [&to](const std::string& value) {
                constexpr Index most = std::numeric_limits<Index>::max();
                const std::size_t colon = std::min(value.find(':'), value.size() - 1);
                const auto from = number_in<Index>(value.substr(0, colon), 0, most);
                const auto end = number_in<Index>(value.substr(colon + 1), 0, most);
                if (from && end) to = Rows{*from, *end - *from};
                return from && end && *from < *end;
            }};
}

// --- declarations

CLI::Option* argument(Entry& entry, const std::string& name, const std::string& shown,
                      std::string& to) {
    const auto read = [&entry, &to, name](const Words& given) {
        if (given[0].empty()) bad_usage(entry.app.get_name(), name + " is missing");
        to = given[0];
        return true;
    };
    return entry.app.add_option(name, read)->type_name(shown)->required();
}

CLI::Option* option(Entry& entry, const std::string& name, const std::string& help,
                    const Value& value) {
    const auto read = [&entry, name, value](const Words& given) {
        if (!value.read(given.back()))
            bad_usage(entry.app.get_name(), fmt::format("{}: expected {}, got \"{}\"", name,
                                                        value.expected, given.back()));
        return true;
    };
    return entry.app.add_option(name, read, help)
        ->type_name(value.shown)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}

CLI::Option* flag(Entry& entry, const std::string& name, const std::string& help, bool& to) {
    return entry.app.add_flag(name, to, help);
}

// Adds the option --variant, an index or letters, with its synonym --lane.
void variant(Entry& entry, const std::string& help, const Value& value) {
    option(entry, "--variant", help, value);
    option(entry, "--lane", "the same as --variant", value)->excludes("--variant");
}

Value one_variant(int& to) {
    return {"I|A", "an index, counted from 0, or a letter from A to Z",
            [&to](const std::string& value) {
                std::vector<int> letters;
                auto index = number_in<int>(value, 0, std::numeric_limits<int>::max());
                if (read_letters(value, letters) && letters.size() == 1) index = letters[0];
                to = index.value_or(0);
                return index.has_value();
            }};
}

// Adds the options that apply to files of tensors.
void tensor_options(Entry& entry, TensorOptions& options) {
    constexpr double most = std::numeric_limits<double>::max();
    option(entry, "--layer", "for tensor files: the layer, by its number (default: the first)",
           index(options.layer, "N"));
    option(entry, "--take", "for tensor files: the sequence of a batch, counted from 0",
           index(options.take, "N"));
    option(entry, "--scale", "for tensor files: the factor of the scores",
           {"X|sqrt_d_k|sqrt_n_k|none", "a number, sqrt_d_k, sqrt_n_k or none",
            [&options](const std::string& value) {
                const auto factor = number_in<double>(value, -most, most);
                const auto kind = from_name<ScaleKind>(value);
                if (factor) options.scale = Scale{ScaleKind::number, *factor};
                if (kind) options.scale = Scale{*kind, 1};
                return factor || (kind && *kind != ScaleKind::number);
            }});
    option(
        entry, "--axes", "for tensor files: the order of batch, heads, tokens and d in q, k and v",
        choice<std::string>(
            options.axes,
            {{"bhnd", "bhnd"}, {"bnhd", "bnhd"}, {"hnd", "hnd"}, {"nhd", "nhd"}, {"bnd", "bnd"}}));
    option(
        entry, "--mask",
        "for tensor files: the tensor that is the mask (~NAME: true means blocked), causal or none",
        text("NAME|none", options.mask));
    option(entry, "--tokens", "for tensor files: a file with their tokens",
           text("FILE", options.tokens));
}

// --- the commands

void window(Entry& entry) {
    auto& window = entry.command.emplace<WindowOptions>();
    entry.app.description("open the window");
    argument(entry, "FILE", "SCENE|LESSON", window.file.emplace())->required(false);
    option(entry, "--ui-scale", "scale the interface by a factor of 1 to 3",
           number("X", "a number from 1 to 3", window.ui_scale, 1.0, 3.0));
    option(entry, "--theme", "the colours of the window (default: your last choice; at first dark)",
           choice<ThemeKind>(window.theme, {{"light", ThemeKind::light},
                                            {"dark", ThemeKind::dark},
                                            {"high-contrast", ThemeKind::high_contrast}}));
    entry.check = [&window] {
        if (window.file->empty()) window.file.reset();
    };
}

void compute(Entry& entry) {
    auto& [scene, options, tensors] = entry.command.emplace<ComputeCommand>();
    entry.app.name("compute")->description(
        "write the stages of every variant to DIR as .npy files, with a summary (.json)");
    argument(entry, "SCENE", "SCENE", scene);
    option(entry, "--out", "the folder to write to; it is created if needed",
           text("DIR", options.out))
        ->required();
    option(entry, "--backend", "the backend to use (default: cpu)",
           choice<BackendChoice>(options.backend, {{"cpu", BackendChoice::cpu},
                                                   {"gpu", BackendChoice::gpu},
                                                   {"auto", BackendChoice::automatic}}));
    option(entry, "--threads", "the number of CPU threads, 1 to 256 (default: all cores)",
           number("N", "an integer from 1 to 256", options.threads, 1, 256));
    const auto chosen = std::make_shared<std::vector<StageKind>>();
    option(entry, "--stages", "write only these stages (default: all except depends)",
           stages(*chosen, "different stages except depends, separated by commas", false));
    tensor_options(entry, tensors);
    entry.check = [&options, chosen] {
        if (!chosen->empty()) options.stages.reset();
        for (const StageKind stage : *chosen) options.stages.set(static_cast<std::size_t>(stage));
    };
}

void picture_options(Entry& entry, ExportOptions& options) {
    constexpr double most = std::numeric_limits<double>::max();
    const auto length = [](std::optional<double>& to) {
        return number("MM", "millimetres from 10 to 2000", to, least_millimetres, most_millimetres);
    };
    option(entry, "--dpi", "dots per inch of a .png, 10 to 1200 (default: 150)",
           number("N", "an integer from 10 to 1200", options.dpi, least_dpi, most_dpi));
    option(entry, "--theme", "the colours of the figure (default: light)",
           choice<ThemeKind>(options.theme, {{"light", ThemeKind::light},
                                             {"dark", ThemeKind::dark},
                                             {"print", ThemeKind::print}}));
    option(entry, "--width", "the width, 10 to 2000 mm", length(options.size.width));
    option(entry, "--height", "the height, 10 to 2000 mm", length(options.size.height));
    option(entry, "--aspect",
           "the ratio of width to height (default: 16:9); free: as high as the content",
           aspect(options.size.aspect));
    flag(
        entry, "--slide",
        "make the figure readable from the back row: 13.3 inches wide, with type of at least 18 pt",
        options.slide);
    flag(entry, "--transparent", "draw no background", options.transparent);
    constexpr const char* parts[] = {"the numbers of the cells", "the colour bars", "the title",
                                     "the row sums", "the legend"};
    for (std::size_t k = 0; k < std::size(part_names); ++k)
        flag(entry, fmt::format("--{0},!--no-{0}", part_names[k].first),
             fmt::format("draw or omit {} (default: draw)", parts[k]),
             options.parts.*part_names[k].second);
    std::vector<std::pair<std::string, ColourMap>> maps;
    for (std::size_t k = 0; k < colour_map_names.size(); ++k)
        maps.emplace_back(colour_map_names[k], ColourMap(k));
    option(entry, "--cmap", "the colour map of stages without negative numbers",
           choice<ColourMap>(options.map, maps));
    option(entry, "--vmin",
           "the value at the low end of the colour scale; smaller values are clamped",
           number("X", "a number", options.lowest, -most, most));
    option(entry, "--vmax",
           "the value at the high end of the colour scale; larger values are clamped",
           number("X", "a number", options.highest, -most, most));
}

void check_export(const ExportOptions& options) {
    const std::string command = "export";
    const bool table = options.format == FigureFormat::csv;
    if (options.size.height && options.size.aspect &&
        (options.size.width || *options.size.aspect == 0))
        bad_usage(command, "--aspect and --height cannot be used together");
    if (options.slide && (options.size.width || options.size.height))
        bad_usage(command, "--slide sets the size. Use it without --width and --height");
    if (table && options.slide) bad_usage(command, "--slide does not apply to .csv files");
    if (table && options.transparent)
        bad_usage(command, "--transparent does not apply to .csv files");
    if (options.lowest && options.highest && !(*options.lowest < *options.highest))
        bad_usage(command, "--vmax must be greater than --vmin");
    if (table && options.stage && !has_heads(*options.stage))
        bad_usage(command,
                  fmt::format("--stage: a .csv file has no column {}", name(*options.stage)));
}

// Refuses options that do not apply to a live page, as its reader chooses size and contents.
void check_live(const CLI::App& app, ExportCommand& command) {
    if (!command.live) return;
    const std::string to = "export";
    if (!command.out.ends_with(".html") && !command.out.ends_with('/'))
        bad_usage(to, "--live applies to .html files and to folders");
    for (const CLI::Option* option : app.get_options()) {
        const std::string name = option->get_name();
        constexpr std::array<std::string_view, 11> allowed{
            "--out",  "--live", "--theme",  "--layer", "--take", "--scale",
            "--axes", "--mask", "--tokens", "--help",  "SCENE"};
        if (option->count() > 0 && std::ranges::find(allowed, name) == allowed.end())
            bad_usage(to, fmt::format("{} does not apply to live pages", name));
    }
    if (command.options.theme == ThemeKind::print)
        bad_usage(to, "--theme: a live page is light or dark");
    if (app.get_option("--theme")->count() > 0) command.page.theme = command.options.theme;
}

void figure(Entry& entry) {
    auto& command = entry.command.emplace<ExportCommand>();
    auto& [scene, out, options, tells, tensors, live, page] = command;
    entry.app.name("export")->description(
        "draw the scene as a figure, or write its cells as a table (.csv); for a lesson, draw "
        "every step: a .pdf with a page for each step and each question, an animated .png, a .html "
        "for the browser, or numbered pictures in a folder");
    argument(entry, "SCENE", "SCENE|LESSON", scene);
    const auto read_out = [&options](const std::string& to) {
        const auto format = format_of(to);
        options.format = format.value_or(FigureFormat::png);
        return format || to.ends_with('/') || to.ends_with(".html");  // lessons: folder or .html
    };
    std::string shown, listed;
    for (const char* ending : figure_endings()) {
        shown += std::string(ending + 1) + ",";
        listed += (listed.empty() ? "" : ", ") + std::string(ending);
    }
    auto* const to = option(entry, "--out", "the file or the folder to write",
                            text("FILE.{" + shown + "html}|DIR/", out,
                                 "a file that ends with " + listed +
                                     " or .html (lessons), or a folder that ends with / (lessons)",
                                 read_out));
    to->required();
    variant(entry,
            "an index draws heatmaps of one variant (0 is the first); letters (A,C) draw the scene "
            "with these variants",
            {"I|A,C", "an index, counted from 0, or letters from A to Z, separated by commas",
             [&options](const std::string& value) {
                 options.variant = number_in<int>(value, 0, std::numeric_limits<int>::max());
                 return options.variant || read_letters(value, options.variants);
             }});
    option(entry, "--stage", "draw heatmaps of this stage (default: weights)",
           {"S", one_of(names<StageKind>()), [&options](const std::string& value) {
                options.stage = from_name<StageKind>(value);
                return options.stage.has_value();
            }});
    option(entry, "--sequence", "the sequence of a batch, counted from 0 (default: 0)",
           index(options.sequence));
    option(entry, "--head", "the head, counted from 0, or all (default: 0)",
           {"I|all", "an index, counted from 0, or all", [&options](const std::string& value) {
                options.all_heads = value == "all";
                options.head = number_in<Index>(value, 0, std::numeric_limits<int>::max());
                return options.all_heads || options.head;
            }});
    option(entry, "--rows", "draw only the queries from A to B - 1", range(options.rows));
    option(entry, "--columns", "draw only the keys from A to B - 1", range(options.columns));
    picture_options(entry, options);
    flag(entry, "--alt", "print the figure's alternative text; --out is then optional", tells)
        ->each([to](const std::string&) { to->required(false); });
    flag(entry, "--bare", "do not embed the scene in the figure", options.bare);
    flag(entry, "--live",
         "write a live page, in which readers can edit masks and tokens (.html, or a folder)",
         live);
    tensor_options(entry, tensors);
    entry.check = [&entry, &command] {
        check_live(entry.app, command);
        check_export(command.options);
    };
}

void extracted(Entry& entry) {
    auto& [figure, out, force] = entry.command.emplace<ExtractCommand>();
    entry.app.name("extract")->description(
        "write the scene that a figure (.png, .svg, .pdf) contains, and its tensor files beside "
        "it");
    argument(entry, "FIGURE", "FIGURE", figure);
    option(entry, "--out", "the file to write the scene to",
           text("FILE.json", out, "a file that ends with .json",
                [](const std::string& file) { return file.ends_with(".json"); }))
        ->required();
    flag(entry, "--force", "replace files that exist with other contents", force);
}

void page(Entry& entry) {
    auto& [scene, out, options, tensors] = entry.command.emplace<WorksheetCommand>();
    entry.app.name("worksheet")->description("draw an A4 page with numbers to fill in by hand");
    argument(entry, "SCENE", "SCENE", scene);
    option(entry, "--out", "the page to write",
           text("FILE.pdf", out, "a file that ends with .pdf",
                [](const std::string& file) { return file.ends_with(".pdf"); }))
        ->required();
    option(entry, "--blank", "the stages to fill in (default: weights)",
           stages(options.blank, "stages separated by commas"));
    flag(entry, "--solution", "draw the solution, with every number filled in", options.solution);
    tensor_options(entry, tensors);
}

void script(Entry& entry) {
    auto& [scene, chosen, tensors] = entry.command.emplace<PytorchCommand>();
    entry.app.name("pytorch")->description("print the variant as a PyTorch script");
    argument(entry, "SCENE", "SCENE", scene);
    variant(entry, "the variant: 0 or A is the first (default: 0)", one_variant(chosen));
    tensor_options(entry, tensors);
}

void mask_tests_of(Entry& entry) {
    auto& [scene, chosen, only, pytorch, tensors] = entry.command.emplace<TestCommand>();
    entry.app.name("test")->description(
        "test the mask of a variant in four ways, one line each: pass, fail or n/a, and why");
    argument(entry, "SCENE", "SCENE", scene);
    variant(entry, "the variant: 0 or A is the first (default: 0)", one_variant(chosen));
    option(
        entry, "--only", "run only these tests, separated by commas (default: all)",
        {"future,padding,cache,gradient", "future, padding, cache or gradient, separated by commas",
         [&only](const std::string& value) {
             only = split(value, ',');
             return std::ranges::all_of(only, [&](const std::string& name) {
                 return mask_test(name) && std::ranges::count(only, name) == 1;
             });
         }});
    flag(entry, "--pytorch", "print a script that runs these tests on your own attention function",
         pytorch);
    tensor_options(entry, tensors);
}

void description(Entry& entry) {
    auto& [scene, tensors] = entry.command.emplace<DescribeCommand>();
    entry.app.name("describe")
        ->description("print the scene as text: its rows with their sums, NaN and leaks");
    argument(entry, "SCENE", "SCENE", scene);
    tensor_options(entry, tensors);
}

void translation(Entry& entry) {
    auto& [scene, sentences] = entry.command.emplace<TranslateCommand>();
    entry.app.name("translate")
        ->description(
            "translate Italian sentences, or the lines of standard input, into English, one line "
            "each; with --scene, once for each variant of the scene, separated by tabs");
    option(entry, "--scene", "a scene with a translator",
           {"SCENE", "", [&scene](const std::string& value) {
                scene = value;
                return true;
            }});
    entry.app.add_option("SENTENCE", sentences)->type_name("SENTENCE ...");
}

void lesson_list(Entry& entry) {
    entry.command = LessonsCommand{};
    entry.app.name("lessons")->description(
        "list the built-in lessons, one line each: name, number of steps, title");
}

void facts(Entry& entry) {
    auto& [lesson] = entry.command.emplace<CheckCommand>();
    entry.app.name("check")->description(
        "check every fact of a lesson, one line each: step, fact, value, and whether it holds");
    argument(entry, "LESSON", "LESSON", lesson);
}

// Returns all entries in the order of --help; the window is the first.
std::vector<std::unique_ptr<Entry>> all_entries() {
    std::vector<std::unique_ptr<Entry>> all;
    for (const auto declare : {window, compute, figure, extracted, page, script, mask_tests_of,
                               description, translation, lesson_list, facts}) {
        all.push_back(std::make_unique<Entry>());
        all.back()->app.set_help_flag();
        all.back()->app.allow_extras();
        declare(*all.back());
    }
    return all;
}

// --- parsing

// Refuses options whose value is missing. CLI11 would take the next word as the value, whatever it
// is, or accept the option without a value.
void refuse_missing_values(const CLI::App& app, const Words& words) {
    for (std::size_t k = 0; k < words.size(); ++k) {
        const std::size_t equals = words[k].find('=');
        const std::string name = words[k].substr(0, equals);
        const CLI::Option* option =
            name.starts_with("--") ? app.get_option_no_throw(name) : nullptr;
        if (option == nullptr) continue;
        const bool is_flag = option->get_items_expected_max() == 0;
        const bool has_next = k + 1 < words.size() && !words[k + 1].starts_with("--");
        if (is_flag && equals != std::string::npos)
            bad_usage(app.get_name(), name + " takes no value");
        if (!is_flag && (equals == std::string::npos ? !has_next || words[k + 1].empty()
                                                     : equals + 1 == words[k].size()))
            bad_usage(app.get_name(), name + " needs a value");
    }
}

void refuse_extras(const CLI::App& app) {
    for (const std::string& word : app.remaining())
        bad_usage(app.get_name(), is_option(word)
                                      ? "unknown option " + word.substr(0, word.find('='))
                                      : "unexpected argument \"" + word + "\"");
    for (const CLI::Option* option : app.get_options()) {
        const Words& given = option->results();
        if (option->get_positional() || given.size() < 2) continue;
        const std::string name = option->get_name();
        bad_usage(app.get_name(),
                  given[0] == given[1] || option->get_fnames().empty()
                      ? name + " may be given only once"
                      : name + " and --" + option->get_fnames()[0] + " cannot be used together");
    }
}

Command parse(Entry& entry, Words words) {
    const std::string command = entry.app.get_name();
    refuse_missing_values(entry.app, words);
    std::ranges::reverse(words);  // the order in which CLI11 takes them
    try {
        entry.app.parse(std::move(words));
    } catch (const CLI::RequiredError& error) {
        refuse_extras(entry.app);
        const std::string what = error.what();  // such as "--out is required"
        bad_usage(command, what.substr(0, what.find(' ')) + " is missing");
    } catch (const CLI::ExcludesError&) {
        bad_usage(command, "--variant and --lane cannot be used together");
    } catch (const CLI::ParseError& error) {
        bad_usage(command, error.what());
    }
    refuse_extras(entry.app);
    entry.check();
    return std::move(entry.command);
}

// Refuses two leading words: unless the first names a file, it was meant as a command.
void refuse_unknown_command(const Words& arguments) {
    if (arguments.size() >= 2 && !is_option(arguments[0]) && !is_option(arguments[1]) &&
        arguments[0].find_first_of("./:") == std::string::npos)
        bad_usage("", "unknown command \"" + arguments[0] + "\"");
}

// --- help

// Appends the parts to the line, in lines of at most 100 columns.
std::string wrapped(std::string line, const Words& parts, std::size_t indent) {
    std::string text;
    for (const std::string& part : parts) {
        if (line.size() + 1 + part.size() > 100) {
            text += line + '\n';
            line = std::string(indent - 1, ' ');
        }
        line += (line.size() < indent - 1 ? std::string(indent - line.size(), ' ') : " ") + part;
    }
    return text + line + '\n';
}

std::string usage(const CLI::App& app) {
    const std::string name = "maskscope" + (app.get_name().empty() ? "" : " " + app.get_name());
    Words parts;
    for (const CLI::Option* option : app.get_options()) {
        const std::string value = option->get_type_name();
        std::string part = value;
        if (!option->get_positional())
            part = (option->get_fnames().empty() ? "" : "--[no-]") +
                   option->get_name().substr(option->get_fnames().empty() ? 0 : 2) +
                   (value.empty() ? "" : " " + value);
        parts.push_back(option->get_required() ? part : "[" + part + "]");
    }
    return wrapped(name, parts, name.size() + 1);
}

std::string explained(const CLI::App& app) {
    std::string text = usage(app) + wrapped("   ", split(app.get_description(), ' '), 4) + '\n';
    for (const CLI::Option* option : app.get_options())
        if (!option->get_positional())
            text += wrapped("    " + option->get_name(), split(option->get_description(), ' '), 20);
    return text;
}

}  // namespace

Command parse_command_line(const std::vector<std::string>& arguments) {
    const auto all = all_entries();
    const auto named = std::find_if(all.begin() + 1, all.end(), [&](const auto& entry) {
        return !arguments.empty() && entry->app.get_name() == arguments[0];
    });
    if (std::ranges::count(arguments, "--help") > 0)
        return HelpCommand{named == all.end() ? "" : arguments[0]};
    for (const std::string& word : arguments)
        if (const std::string name = word.substr(0, word.find('='));
            name == "--help" || name == "--version") {
            if (arguments.size() > 1 || word != "--version")
                bad_usage("", name + " cannot be combined with other arguments");
            return VersionCommand{};
        }
    if (named != all.end()) return parse(**named, {arguments.begin() + 1, arguments.end()});
    refuse_unknown_command(arguments);
    return parse(*all.front(), arguments);
}

std::string help_text(const std::string& command) {
    std::string text;
    for (const auto& entry : all_entries())
        if (command.empty())
            text += usage(entry->app) + wrapped("   ", split(entry->app.get_description(), ' '), 4);
        else if (entry->app.get_name() == command)
            text += explained(entry->app);
    if (command.empty())
        text =
            "Maskscope shows what an attention mask does to a Transformer's attention, number by "
            "number.\n\n" +
            text +
            "maskscope --version | --help\n"
            "    maskscope COMMAND --help explains the options of a command\n";
    return text + R"(
SCENE is a file, a figure that contains its scene, a file of tensors, lesson:NAME (its first step),
or lesson:NAME/STEP, counted from 1.
LESSON is a file, or lesson:NAME.
S is one of allowed, scores, scaled, logits, softmax, weights, output, sensitivity, depends.
Exit status: 0 done, 1 the work failed, 2 wrong usage or wrong input.
)";
}

std::string version_text() { return "maskscope " + version() + "\n"; }

}  // namespace maskscope
