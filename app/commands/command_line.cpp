#include "app/commands/command_line.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string_view>

#include "app/figure/write/csv.h"
#include "core/base/build.h"
#include "core/base/error.h"
#include "core/scene/names.h"

namespace maskscope {

namespace {

[[noreturn]] void bad_usage(const std::string& command, const std::string& what) {
    throw Error(2, printable((command.empty() ? "" : command + ": ") + what));
}

// The words after a command: arguments in order, options by name with their values, "" for flags.
struct Words {
    std::string command;  // "" for the window
    std::vector<std::string> arguments;
    std::map<std::string, std::string, std::less<>> options;
};

bool is_option(const std::string& word) { return word.size() > 1 && word[0] == '-'; }

Words sort_words(const std::string& command, std::span<const std::string> rest,
                 std::span<const std::string_view> known,
                 std::span<const std::string_view> flags = {}) {
    Words words{command, {}, {}};
    for (std::size_t k = 0; k < rest.size(); ++k) {
        if (!is_option(rest[k])) {
            words.arguments.push_back(rest[k]);
            continue;
        }
        const std::size_t equals = rest[k].find('=');
        const std::string name = rest[k].substr(0, equals);
        if (name == "--help" || name == "--version") bad_usage("", name + " stands alone");
        const bool is_flag = std::ranges::find(flags, name) != flags.end();
        if (!is_flag && std::ranges::find(known, name) == known.end())
            bad_usage(command, "unknown option " + name);
        const bool in_next = equals == std::string::npos;
        if (is_flag && !in_next) bad_usage(command, name + " takes no value");
        const bool has_next = !is_flag && k + 1 < rest.size() && !rest[k + 1].starts_with("--");
        const std::string value =
            !in_next ? rest[k].substr(equals + 1) : (has_next ? rest[++k] : "");
        if (value.empty() && !is_flag) bad_usage(command, name + " needs a value");
        if (!words.options.emplace(name, value).second)
            bad_usage(command, name + " is given twice");
    }
    return words;
}

void expect_arguments(const Words& words, const std::vector<std::string>& names) {
    for (std::size_t k = 0; k < names.size(); ++k)
        if (k >= words.arguments.size() || words.arguments[k].empty())
            bad_usage(words.command, names[k] + " is missing");
    if (words.arguments.size() > names.size())
        bad_usage(words.command, "unexpected argument \"" + words.arguments[names.size()] + "\"");
}

[[noreturn]] void bad_value(const Words& words, const std::string& option,
                            const std::string& expected) {
    bad_usage(words.command, option + ": expected " + expected + ", got \"" +
                                 words.options.find(option)->second + "\"");
}

// The value of an option as written; absent if not given.
std::optional<std::string> text(const Words& words, const std::string& option) {
    const auto found = words.options.find(option);
    return found == words.options.end() ? std::nullopt : std::optional(found->second);
}

std::string required(const Words& words, const std::string& option) {
    const auto value = text(words, option);
    if (!value) bad_usage(words.command, option + " is missing");
    return *value;
}

template <class T>
std::optional<T> number(const Words& words, const std::string& option, T low, T high,
                        const std::string& expected) {
    const auto value = text(words, option);
    if (!value) return std::nullopt;
    T result{};
    const char* end = value->data() + value->size();
    const auto [stop, error] = std::from_chars(value->data(), end, result);
    if (error != std::errc() || stop != end || !(result >= low && result <= high))
        bad_value(words, option, expected);
    return result;
}

std::optional<int> index(const Words& words, const std::string& option,
                         const std::string& expected = "an index, counted from 0") {
    return number<int>(words, option, 0, std::numeric_limits<int>::max(), expected);
}

bool given(const Words& words, const std::string& flag) { return words.options.contains(flag); }

// --annot, --no-annot: absent if neither is given.
std::optional<bool> yes_or_no(const Words& words, const std::string& what) {
    const bool yes = given(words, "--" + what), no = given(words, "--no-" + what);
    if (yes && no) bad_usage(words.command, "--" + what + " contradicts --no-" + what);
    return yes || no ? std::optional(yes) : std::nullopt;
}

// One of the choices; `expected` lists them.
template <class T>
std::optional<T> choice(const Words& words, const std::string& option,
                        const std::vector<std::pair<std::string_view, T>>& choices,
                        const std::string& expected) {
    const auto value = text(words, option);
    if (!value) return std::nullopt;
    for (const auto& [name, meaning] : choices)
        if (name == *value) return meaning;
    bad_value(words, option, expected);
}

// --- the commands

// Stages with commas between, all different.
std::vector<StageKind> parse_stages(const Words& words, const std::string& option,
                                    const std::string& unless_said) {
    const std::string value = text(words, option).value_or(unless_said);
    std::vector<StageKind> stages;
    for (std::size_t at = 0; at <= value.size();) {
        const std::size_t comma = std::min(value.find(',', at), value.size());
        const auto stage = from_name<StageKind>(value.substr(at, comma - at));
        if (!stage || std::ranges::count(stages, *stage) > 0)
            bad_value(words, option, "stages, commas between");
        stages.push_back(*stage);
        at = comma + 1;
    }
    return stages;
}

Command parse_compute(const Words& words) {
    expect_arguments(words, {"SCENE"});
    ComputeOptions options;
    options.out = required(words, "--out");
    options.backend = choice<BackendChoice>(words, "--backend",
                                            {{"cpu", BackendChoice::cpu},
                                             {"gpu", BackendChoice::gpu},
                                             {"auto", BackendChoice::automatic}},
                                            "cpu, gpu or auto")
                          .value_or(options.backend);
    options.threads =
        number<int>(words, "--threads", 1, 256, "an integer from 1 to 256").value_or(0);
    if (text(words, "--stages")) {
        options.stages.reset();
        for (const StageKind stage : parse_stages(words, "--stages", "")) {
            if (stage == StageKind::depends)
                bad_value(words, "--stages", "stages that compute writes (all but depends)");
            options.stages.set(static_cast<std::size_t>(stage));
        }
    }
    return ComputeCommand{words.arguments[0], options};
}

// A folder, or a .html, which only lessons become, is of pictures.
FigureFormat parse_format(const Words& words, const std::string& out) {
    if (const auto format = format_of(out)) return *format;
    if (out.ends_with('/') || out.ends_with(".html")) return FigureFormat::png;
    bad_value(words, "--out",
              "a file that ends with .png, .svg, .pdf, .tex, .csv or .html (lessons), or a folder "
              "that ends with / (lessons)");
}

void check_table(const Words& words, const ExportOptions& options) {
    if (options.format == FigureFormat::csv && options.stage && !has_column(*options.stage))
        bad_usage(words.command,
                  "--stage: a .csv has no column " + std::string(name(*options.stage)));
}

StageKind parse_stage(const Words& words, const std::string& name) {
    if (const auto stage = from_name<StageKind>(name)) return *stage;
    std::string expected;
    const auto all = names<StageKind>();
    for (std::size_t k = 0; k < all.size(); ++k)
        expected += (k == 0 ? "" : (k + 1 < all.size() ? ", " : " or ")) + std::string(all[k]);
    bad_value(words, "--stage", expected);
}

// "A" or "A,C".
std::vector<int> parse_lanes(const Words& words) {
    std::vector<int> lanes;
    const std::string value = text(words, "--lane").value_or("");
    for (std::size_t k = 0; k < value.size(); k += 2) {
        const int lane = value[k] - 'A';
        const bool ends = k + 1 == value.size(), goes_on = !ends && value[k + 1] == ',';
        if (lane < 0 || lane > 25 || !(ends || (goes_on && k + 2 < value.size())) ||
            std::ranges::find(lanes, lane) != lanes.end())
            bad_value(words, "--lane", "letters from A to Z, commas between");
        lanes.push_back(lane);
    }
    return lanes;
}

// "16:9", or "free".
std::optional<double> parse_aspect(const Words& words) {
    const auto value = text(words, "--aspect");
    if (!value) return std::nullopt;
    if (*value == "free") return 0;
    const auto colon = value->find(':');
    double sides[2] = {};
    for (const int side : {0, 1}) {
        const std::string part = side == 0                    ? value->substr(0, colon)
                                 : colon == std::string::npos ? ""
                                                              : value->substr(colon + 1);
        const char* end = part.data() + part.size();
        const auto [stop, error] = std::from_chars(part.data(), end, sides[side]);
        if (error != std::errc() || stop != end || !(sides[side] > 0)) sides[side] = 0;
    }
    const double aspect = sides[0] / sides[1];
    if (!is_aspect(aspect))
        bad_value(words, "--aspect", "width:height such as 16:9, at most 10:1 or 1:10, or free");
    return aspect;
}

FigureSize parse_size(const Words& words) {
    const std::string length = "millimetres from 10 to 2000";
    const FigureSize size{
        number<double>(words, "--width", least_millimetres, most_millimetres, length),
        number<double>(words, "--height", least_millimetres, most_millimetres, length),
        parse_aspect(words)};
    if (size.height && size.aspect && (size.width || *size.aspect == 0))
        bad_usage(words.command, "--aspect contradicts --height");
    return size;
}

void parse_picture(const Words& words, ExportOptions& options) {
    options.size = parse_size(words);
    options.transparent = given(words, "--transparent");
    if (options.transparent && options.format == FigureFormat::csv)
        bad_usage(words.command, "--transparent: a .csv has no ground");
    for (const auto& [name, part] : part_names)
        options.parts.*part = yes_or_no(words, name).value_or(true);
    std::vector<std::pair<std::string_view, ColourMap>> maps;
    for (std::size_t k = 0; k < colour_map_names.size(); ++k)
        maps.emplace_back(colour_map_names[k], ColourMap(k));
    options.map = choice(words, "--cmap", maps, "viridis, cividis, magma or grey");
    constexpr double most = std::numeric_limits<double>::max();
    options.lowest = number<double>(words, "--vmin", -most, most, "a number");
    options.highest = number<double>(words, "--vmax", -most, most, "a number");
    if (options.lowest && options.highest && !(*options.lowest < *options.highest))
        bad_usage(words.command, "--vmax: expected more than --vmin");
}

// "0:512": from, and to the one before the other.
std::optional<Rows> part(const Words& words, const std::string& option) {
    const auto value = text(words, option);
    if (!value) return std::nullopt;
    const auto expected = "FROM:TO, counted from 0, such as 0:512";
    const auto colon = value->find(':');
    if (colon == std::string::npos) bad_value(words, option, expected);
    Index ends[2] = {};
    const std::string parts[2] = {value->substr(0, colon), value->substr(colon + 1)};
    for (const int k : {0, 1}) {
        const char* end = parts[k].data() + parts[k].size();
        const auto [stop, error] = std::from_chars(parts[k].data(), end, ends[k]);
        if (error != std::errc() || stop != end || ends[k] < 0) bad_value(words, option, expected);
    }
    if (ends[0] >= ends[1]) bad_value(words, option, expected);
    return Rows{ends[0], ends[1] - ends[0]};
}

Command parse_export(const Words& words) {
    expect_arguments(words, {"SCENE"});
    const bool tells = given(words, "--alt");
    const std::string out = tells ? text(words, "--out").value_or("") : required(words, "--out");
    ExportOptions options;
    if (!out.empty()) options.format = parse_format(words, out);
    options.bare = given(words, "--bare");
    options.variant = index(words, "--variant");
    if (const auto name = text(words, "--stage")) options.stage = parse_stage(words, *name);
    options.sequence = index(words, "--sequence");
    options.all_heads = text(words, "--head") == "all";
    if (!options.all_heads)
        options.head = index(words, "--head", "an index, counted from 0, or all");
    options.rows = part(words, "--rows");
    options.columns = part(words, "--columns");
    options.dpi = number<int>(words, "--dpi", least_dpi, most_dpi, "an integer from 10 to 1200")
                      .value_or(options.dpi);
    options.theme =
        choice<ThemeKind>(
            words, "--theme",
            {{"light", ThemeKind::light}, {"dark", ThemeKind::dark}, {"print", ThemeKind::print}},
            "light, dark or print")
            .value_or(options.theme);
    options.lanes = parse_lanes(words);
    if (options.variant && !options.lanes.empty())
        bad_usage(words.command, "--lane contradicts --variant");
    parse_picture(words, options);
    check_table(words, options);
    return ExportCommand{words.arguments[0], out, options, tells};
}

Command parse_worksheet(const Words& words) {
    expect_arguments(words, {"SCENE"});
    const std::string out = required(words, "--out");
    if (!out.ends_with(".pdf")) bad_value(words, "--out", "a file that ends with .pdf");
    return WorksheetCommand{
        words.arguments[0],
        out,
        {parse_stages(words, "--blank", "weights"), given(words, "--solution")}};
}

Command parse_window(const Words& words) {
    if (words.arguments.size() > 1)
        bad_usage("", "unexpected argument \"" + words.arguments[1] + "\"");
    WindowOptions options;
    if (!words.arguments.empty()) options.file = words.arguments[0];
    options.ui_scale =
        number<double>(words, "--ui-scale", 1, 3, "a number from 1 to 3").value_or(1);
    options.theme = choice<ThemeKind>(words, "--theme",
                                      {{"light", ThemeKind::light},
                                       {"dark", ThemeKind::dark},
                                       {"high-contrast", ThemeKind::high_contrast}},
                                      "light, dark or high-contrast");
    return options;
}

Command parse_extract(const Words& words) {
    expect_arguments(words, {"FIGURE"});
    const std::string out = required(words, "--out");
    if (!out.ends_with(".json")) bad_value(words, "--out", "a file that ends with .json");
    return ExtractCommand{words.arguments[0], out, given(words, "--force")};
}

Command parse_pytorch(const Words& words) {
    expect_arguments(words, {"SCENE"});
    return PytorchCommand{words.arguments[0], index(words, "--variant").value_or(0)};
}

Command parse_describe(const Words& words) {
    expect_arguments(words, {"SCENE"});
    return DescribeCommand{words.arguments[0]};
}

Command parse_translate(const Words& words) {
    return TranslateCommand{text(words, "--scene"), words.arguments};
}

Command parse_lessons(const Words& words) {
    expect_arguments(words, {});
    return LessonsCommand{};
}

Command parse_check(const Words& words) {
    expect_arguments(words, {"LESSON"});
    return CheckCommand{words.arguments[0]};
}

struct CommandEntry {
    std::string_view name;
    std::vector<std::string_view> options, flags;
    Command (*parse)(const Words&);
};

const std::vector<CommandEntry>& commands() {
    static const std::vector<CommandEntry> all = {
        {"compute", {"--out", "--backend", "--threads", "--stages"}, {}, parse_compute},
        {"export",
         {"--out", "--variant", "--lane", "--stage", "--sequence", "--head", "--rows", "--columns",
          "--dpi", "--theme", "--width", "--height", "--aspect", "--cmap", "--vmin", "--vmax"},
         {"--transparent", "--annot", "--no-annot", "--cbar", "--no-cbar", "--title", "--no-title",
          "--sums", "--no-sums", "--legend", "--no-legend", "--alt", "--bare"},
         parse_export},
        {"worksheet", {"--out", "--blank"}, {"--solution"}, parse_worksheet},
        {"extract", {"--out"}, {"--force"}, parse_extract},
        {"pytorch", {"--variant"}, {}, parse_pytorch},
        {"describe", {}, {}, parse_describe},
        {"translate", {"--scene"}, {}, parse_translate},
        {"lessons", {}, {}, parse_lessons},
        {"check", {}, {}, parse_check}};
    return all;
}

// Two leading words cannot be a SCENE: the first was meant as a command, unless it names a file.
void refuse_unknown_command(const std::vector<std::string>& arguments) {
    if (arguments.size() >= 2 && !is_option(arguments[0]) && !is_option(arguments[1]) &&
        arguments[0].find_first_of("./:") == std::string::npos)
        bad_usage("", "unknown command \"" + arguments[0] + "\"");
}

}  // namespace

Command parse_command_line(const std::vector<std::string>& arguments) {
    const auto given = [&](const char* word) {
        return std::ranges::find(arguments, word) != arguments.end();
    };
    if (given("--help")) return HelpCommand{};
    if (arguments.size() == 1 && given("--version")) return VersionCommand{};
    if (!arguments.empty())
        for (const CommandEntry& command : commands())
            if (command.name == arguments[0])
                return command.parse(sort_words(std::string(command.name),
                                                std::span(arguments).subspan(1), command.options,
                                                command.flags));
    refuse_unknown_command(arguments);
    constexpr std::string_view window_options[] = {"--ui-scale", "--theme"};
    return parse_window(sort_words("", arguments, window_options));
}

std::string help_text() {
    return R"(Maskscope shows what masks and the softmax do in attention.

maskscope [SCENE|LESSON] [--ui-scale X] [--theme light|dark|high-contrast]
    open the window (X 1 to 3)
maskscope compute SCENE --out DIR [--backend cpu|gpu|auto] [--threads N] [--stages S,S]
    every stage of every variant, or these stages, as .npy, and a summary, into DIR (N 1 to 256)
maskscope export SCENE|LESSON --out FILE.{png,svg,pdf,tex,csv,html}|DIR/ [--variant I] [--stage S]
                 [--sequence I] [--head I|all] [--rows A:B] [--columns A:B] [--lane A,B] [--dpi N]
                 [--theme light|dark|print]
                 [--width MM] [--height MM] [--aspect W:H|free] [--transparent]
                 [--[no-]annot] [--[no-]cbar] [--[no-]title] [--[no-]sums] [--[no-]legend]
                 [--cmap viridis|cividis|magma|grey] [--vmin X] [--vmax X] [--alt] [--bare]
    the scene as a figure (N of .png: 10 to 1200, 150 unless said; variants, sequences and heads
    from 0; 16:9 unless said, free: as high as its content; annot: the numbers of the cells), or as
    a table with a row for each cell; all steps of a lesson as a .pdf with a page each, a .png that
    is animated, a .html for the browser, or numbered pictures in a folder; alt: in words, on
    standard output (then --out may be left out); bare: without the scene, which a figure carries
maskscope extract FIGURE --out FILE.json [--force]
    the scene that a figure (.png, .svg, .pdf) carries, and its tensor files beside it; a file there
    with other contents is replaced only with --force
maskscope worksheet SCENE --out FILE.pdf [--blank S,S] [--solution]
    an A4 page on which the stages (weights unless said) are filled in by hand
maskscope pytorch SCENE [--variant I]
    the variant as a PyTorch script, on standard output (0 unless said)
maskscope describe SCENE
    the scene, its rows, sums, NaN and leaks as text
maskscope translate [--scene SCENE] [SENTENCE ...]
    Italian sentences, or the lines of standard input, in English, a line each; of a SCENE with a
    translator: as each of its variants translates them, tabs between
maskscope lessons
    the built-in lessons, a line each: name, number of steps, title
maskscope check LESSON
    every fact of a lesson, a line each: step, claim, value, and whether it holds
maskscope --version | --help

SCENE is a file, a figure that carries its scene, lesson:NAME (its first step) or
lesson:NAME/STEP (1 first);
LESSON is a file or lesson:NAME.
S is one of allowed, scores, scaled, logits, softmax, weights, output, sensitivity, depends.
Exit status: 0 done, 1 the work failed, 2 bad usage or bad input.
)";
}

std::string version_text() { return "maskscope " + version() + "\n"; }

}  // namespace maskscope
