#include "app/session/files/load.h"

#include <glib.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <optional>
#include <ranges>
#include <string_view>
#include <tuple>

#include "app/figure/write/payload.h"
#include "app/session/files/carried.h"
#include "app/session/files/state_files.h"
#include "core/base/build.h"
#include "core/base/error.h"
#include "core/dump/dump_scene.h"
#include "core/files/file.h"
#include "core/format/scene_json.h"

namespace maskscope {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view lesson_prefix = "lesson:";
constexpr std::size_t longest_tokens = std::size_t{1} << 26;  // bytes: a large tokenizer.json

// The second part of the course is a translator that a mask breaks, to show what masks are for. The
// last two lessons are electives.
constexpr CoursePart parts[] = {{"one-row"},
                                {"break-it", 0, 1},
                                {"additive-or-multiplicative"},
                                {"padding-and-nan-rows"},
                                {"why-root-d"},
                                {"encoder-decoder-masks"},
                                {"heads"},
                                {"decoding"},
                                {"empty-rows-in-numbers"},
                                {"masks-of-models"},
                                {"break-it", 2},
                                {"casebook"},
                                {"convex-combination"},
                                {"scoring-functions"}};

// Steps that have moved within their lesson, counted from 1. An older address, beyond the lesson's
// last step, opens the step at its new place.
struct MovedStep {
    std::string_view lesson;
    std::size_t from = 0, to = 0;
};
constexpr MovedStep moved_steps[] = {
    {"casebook", 10, 7}, {"casebook", 13, 8}, {"casebook", 14, 7}, {"casebook", 15, 9}};

// The parts of lesson:NAME/STEP. step: as typed; nullopt if there is no "/".
struct LessonReference {
    std::string name;
    std::optional<std::string> step;
};

std::optional<LessonReference> lesson_reference(const std::string& argument) {
    if (!argument.starts_with(lesson_prefix)) return std::nullopt;
    const std::string rest = argument.substr(lesson_prefix.size());
    const std::size_t slash = rest.find('/');
    if (slash == std::string::npos) return LessonReference{rest, std::nullopt};
    return LessonReference{rest.substr(0, slash), rest.substr(slash + 1)};
}

bool is_lesson_name(const std::string& name) {
    constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz0123456789-";
    return !name.empty() && name.find_first_not_of(letters) == std::string::npos;
}

fs::path lesson_path(const std::string& name) {
    fs::path path = assets_folder() / "lessons" / (name + ".json");
    std::error_code unknown;
    if (is_lesson_name(name) && fs::exists(path, unknown)) return path;
    throw InputError("", "no such lesson. `maskscope lessons` lists them");
}

std::size_t moved_step(std::string_view lesson, std::size_t step) {
    for (const MovedStep& moved : moved_steps)
        if (moved.lesson == lesson && moved.from == step) return moved.to;
    return step;
}

int parse_step(const std::string& text, const Lesson& lesson) {
    const std::size_t steps = lesson.steps.size();
    std::size_t step = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, step);
    step = moved_step(lesson.name, step);
    if (error != std::errc() || stop != end || text[0] == '0' || step > steps)
        throw InputError(
            "", "expected a step from 1 to " + std::to_string(steps) + ", got \"" + text + "\"");
    return static_cast<int>(step) - 1;
}

LoadedLesson read_built_in(const LessonReference& reference) {
    const fs::path path = lesson_path(reference.name);
    LoadedLesson loaded{read_lesson(read_file(path), path.parent_path()), path.parent_path(), 0};
    if (reference.step) loaded.step = parse_step(*reference.step, loaded.lesson);
    return loaded;
}

// Runs a reader, and prefixes its errors with the argument.
template <class Read>
auto naming(const std::string& argument, Read read) {
    try {
        return read();
    } catch (const Error& error) {
        throw at_file(argument, error);
    }
}

LoadedScene scene_in(const FileText& text) {
    return {read_scene(text.json, text.folder), text.folder, text.copies, {}};
}

LoadedLesson lesson_in(const FileText& text) {
    return {read_lesson(text.json, text.folder), text.folder, 0};
}

std::shared_ptr<const ScratchFolder> new_scratch_folder() {
    std::error_code error;
    const fs::path in = fs::temp_directory_path(error);
    if (error) throw at_file(g_get_tmp_dir(), WorkError(error.message()));
    return std::make_shared<const ScratchFolder>(in);
}

// Returns a name that depends only on the contents, so that opening a figure again finds the same
// files.
fs::path folder_name(const std::string& archive) {
    const std::unique_ptr<char, void (*)(void*)> sum{
        g_compute_checksum_for_data(
            G_CHECKSUM_SHA256, reinterpret_cast<const guchar*>(archive.data()), archive.size()),
        g_free};
    return sum.get();
}

void put_files(const CarriedScene& carried, const fs::path& folder) {
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) throw at_file(folder.string(), WorkError(error.message()));
    for (const auto& [name, bytes] : carried.files) {
        std::vector<fs::path> made;
        const FilePlace place = make_place_below(folder, name, made);
        try {
            replace_file(place, bytes);
        } catch (const WorkError& failure) {
            throw at_file(place.path.string(), failure);
        }
    }
}

DumpChoice choice_of(const TensorOptions& options) {
    DumpChoice choice;
    choice.layer = options.layer;
    choice.sequence = options.take;
    choice.scale = options.scale;
    choice.axes = options.axes;
    choice.mask = options.mask;
    return choice;
}

TokenLists tokens_in(const fs::path& file, const Dump& dump, const DumpPlan& plan) {
    try {
        return tokens_for(dump, plan, read_file(file, longest_tokens));
    } catch (const Error& error) {
        throw InputError("", "--tokens " + file.string() + ": " + error.what());
    }
}

// Makes a scene from a file of tensors as the options say; by default from its first layer.
LoadedScene scene_of_tensors(const fs::path& path, const TensorOptions& options = {}) {
    const Dump dump = read_dump(path);
    DumpChoice choice = choice_of(options);
    DumpPlan plan = plan_of(dump, choice);
    if (!options.tokens.empty()) {
        choice.tokens = tokens_in(options.tokens, dump, plan);
        plan = plan_of(dump, choice);
    }
    if (!plan.missing.empty())
        throw InputError(
            "", plan.missing + (plan.settled_by.empty() ? "" : " Use " + plan.settled_by + "."));
    auto copies = new_scratch_folder();
    DumpScene made = scene_of(dump, plan, copies->path());
    check_scene(made.scene);
    if (made.folder != copies->path()) copies.reset();
    if (auto note = agreement(plan, made.scene); !note.empty())
        plan.notes.push_back(std::move(note));
    return {std::move(made.scene), std::move(made.folder), std::move(copies),
            std::move(plan.notes)};
}

// Refuses files written by torch.save: they are Python programs, and are not run.
void refuse_pickle(const fs::path& file) {
    const std::string ending = file.extension().string();
    std::error_code unknown;
    if ((ending == ".pt" || ending == ".pth" || ending == ".bin") && fs::exists(file, unknown))
        throw InputError("",
                         "was written by torch.save, which only Python reads. Convert it: python3 "
                         "-c \"import torch, safetensors.torch as s; s.save_file({k: "
                         "v.contiguous() for k, v in torch.load('" +
                             file.filename().string() + "').items()}, '" + file.stem().string() +
                             ".safetensors')\"");
}

}  // namespace

FileText read_text(const fs::path& file) {
    std::string bytes = read_file(file);
    if (!is_figure_file(bytes)) return {std::move(bytes), file.parent_path()};
    const auto archive = payload_of(bytes);
    if (!archive) throw InputError("", "contains no scene");
    CarriedScene carried = unpacked(*archive);
    if (is_lesson(carried.scene)) throw InputError("", "contains a lesson; expected a scene");
    FileText text{std::move(carried.scene), file.parent_path(), true};
    if (carried.files.empty()) return text;
    if (const fs::path cache = cache_folder(); !cache.empty()) {
        text.folder = cache / "figures" / folder_name(*archive);
    } else {
        text.copies = new_scratch_folder();
        text.folder = text.copies->path();
    }
    put_files(carried, text.folder);
    return text;
}

LoadedScene load_scene(const SceneArgument& scene) {
    const std::string& argument = scene.name;
    return naming(argument, [&]() -> LoadedScene {
        if (holds_tensors(argument)) return scene_of_tensors(argument, scene.tensors);
        if (scene.tensors != TensorOptions{})
            throw InputError("",
                             "--layer, --take, --scale, --axes, --mask and --tokens apply only to "
                             "files of tensors");
        if (const auto reference = lesson_reference(argument)) {
            const LoadedLesson loaded = read_built_in(*reference);
            return {loaded.lesson.steps[loaded.step].scene, loaded.folder};
        }
        refuse_pickle(argument);
        const FileText text = read_text(argument);
        if (is_lesson(text.json)) throw InputError("", "is a lesson; expected a scene");
        return scene_in(text);
    });
}

void tell_notes(const SceneArgument& argument, const LoadedScene& loaded) {
    for (const std::string& note : loaded.notes)
        std::cerr << "maskscope: " << printable(argument.name) << ": " << note << '\n';
}

LoadedLesson load_lesson(const std::string& argument) {
    return naming(argument, [&]() -> LoadedLesson {
        if (const auto reference = lesson_reference(argument)) {
            if (reference->step) throw InputError("", "expected a lesson without a step");
            return read_built_in(*reference);
        }
        const FileText text = read_text(argument);
        if (is_lesson(text.json)) return lesson_in(text);
        scene_in(text);  // reports invalid text
        throw InputError("", "is a scene; expected a lesson");
    });
}

std::variant<LoadedScene, LoadedLesson> load(const std::string& argument) {
    return naming(argument, [&]() -> std::variant<LoadedScene, LoadedLesson> {
        if (const auto reference = lesson_reference(argument)) return read_built_in(*reference);
        if (holds_tensors(argument)) return scene_of_tensors(argument);
        refuse_pickle(argument);
        const FileText text = read_text(argument);
        if (is_lesson(text.json)) return lesson_in(text);
        return scene_in(text);
    });
}

std::vector<std::string> lesson_names() {
    const fs::path folder = assets_folder() / "lessons";
    std::vector<std::string> names;
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error))
        if (entry->path().extension() == ".json" && is_lesson_name(entry->path().stem().string()))
            names.push_back(entry->path().stem().string());
    if (names.empty())
        throw Error(1, printable(folder.string()) +
                           ": this folder has no lessons. Set MASKSCOPE_ASSETS to the folder that "
                           "holds lessons/");
    const auto reversed = std::views::reverse(parts);
    std::ranges::sort(names, {}, [&](const std::string& name) {
        const auto ends = std::ranges::find(reversed, name, &CoursePart::lesson);
        const bool is_taught = ends != reversed.end();
        return std::tuple(!is_taught, is_taught ? reversed.end() - ends : 0, name);
    });
    return names;
}

std::span<const CoursePart> course_parts() { return parts; }

}  // namespace maskscope
