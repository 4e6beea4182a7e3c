#include "app/session/document.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/session/files/tensor_copies.h"
#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/format/scene_json.h"
#include "core/scene/names.h"
#include "core/tensors/tensor_file.h"

namespace maskscope {

namespace fs = std::filesystem;
namespace {

constexpr std::size_t most_steps = 1000;      // the most steps that can be undone
constexpr std::size_t most_numbers = 10'000;  // the most numbers written into the text of unsaved
                                              // work; more go to a file
constexpr std::string_view apart = "apart:";  // a mark that cannot be the name of a tensor file

void push_step(std::deque<HistoryStep>& steps, HistoryStep step) {
    steps.push_back(std::move(step));
    if (steps.size() > most_steps) steps.pop_front();
}

// --- unsaved work

Json path_to_json(const std::optional<fs::path>& path) {
    return path ? Json(fs::absolute(*path).string()) : Json();
}

std::optional<fs::path> path_from_json(const Json& json) {
    if (json.is_null() || json == "") return std::nullopt;
    return fs::path(json.get<std::string>());
}

FileStamp stamp_from_json(const Json& json) {
    const auto number = [&](std::size_t k) {
        if (!json.at(k).is_number_integer()) throw InputError("", "cannot be read");
        return json[k].get<std::int64_t>();
    };
    const auto whole = [&](std::size_t k) { return static_cast<std::uint64_t>(number(k)); };
    return {whole(0), whole(1), whole(2), number(3), number(4)};
}

}  // namespace

fs::path folder_of(const fs::path& file) {
    const fs::path folder = file.parent_path();
    return folder.empty() ? "." : folder;
}

bool same_place(const fs::path& x, const fs::path& y) {
    std::error_code error;
    return x.lexically_normal() == y.lexically_normal() || fs::equivalent(x, y, error);
}

bool same_but_show(const Scene& x, const Scene& y) {
    return x.title == y.title && x.pad_token == y.pad_token && x.sequences == y.sequences &&
           x.inputs == y.inputs && x.variants == y.variants;
}

std::vector<StageKind> first_stages() { return {StageKind::weights}; }

Document Document::first() {
    Document document;
    Scene& scene = document.scene;
    scene.sequences = {{{"The", "cat", "sat", "down"}, std::nullopt}};
    EmbeddingInputs inputs;
    inputs.seed = 1;
    inputs.d_k = inputs.d_v = 64;
    scene.inputs = inputs;
    Variant variant;
    variant.name = label(variant.mask.apply);
    variant.mask.layers.emplace_back();  // the default rule: causal
    scene.variants = {variant};
    scene.show.emplace().stages = first_stages();
    document.saved = scene;
    return document;
}

Document Document::of(std::shared_ptr<const Lesson> lesson, const fs::path& folder, int step,
                      std::optional<fs::path> path) {
    Document document;
    const int last = static_cast<int>(lesson->steps.size()) - 1;
    document.set_lesson(std::move(lesson), std::clamp(step, 0, last));
    document.saved_lesson = document.lesson;
    document.lesson_path = std::move(path);
    document.folder = folder.empty() ? "." : folder;
    document.solving = document.lesson_step().exercise.has_value();
    document.scene = document.original();
    return document;
}

void Document::ask() {
    if (lesson) answered[step] = false;
}

void Document::show_answer() {
    if (lesson) answered[step] = true;
}

Scene Document::original() const {
    if (!lesson) return saved;
    return solving ? scene_to_begin(lesson_step()) : lesson_step().scene;
}

std::optional<fs::path> Document::file_to_save() const {
    if (!path() && !saves_lesson()) return copy_path;
    const bool reads_elsewhere =
        path() && !same_place(folder, folder_of(*path())) && !tensor_files_to_save().empty();
    return reads_elsewhere ? std::nullopt : path();
}

bool Document::is_saved() const {
    if (lesson && !lesson_is_saved()) return false;
    return same_but_show(scene, original()) || (copy_path && same_but_show(scene, saved)) ||
           follows_try();
}

bool Document::follows_try() const {
    if (!lesson || lesson_step().try_sets.empty()) return false;
    if (tried_.lesson != lesson || tried_.step != step) {
        tried_ = {lesson, step, std::nullopt};
        try {
            tried_.scene = scene_after_try(lesson_step(), folder);
        } catch (const Error&) {}
    }
    return tried_.scene && same_but_show(scene, *tried_.scene);
}

bool Document::lesson_is_saved() const {
    return lesson == saved_lesson || (lesson && saved_lesson && *lesson == *saved_lesson);
}

std::vector<std::string> Document::tensor_files_to_save() const {
    if (!saves_lesson()) return tensor_files(scene);
    std::vector<std::string> files;
    for (const Step& one : lesson->steps)
        for (const std::string& file : tensor_files(one.scene))
            if (std::ranges::find(files, file) == files.end()) files.push_back(file);
    return files;
}

std::string Document::changed_tensor_file_to_save() const {
    if (!saves_lesson()) return changed_tensor_file(scene, folder);
    for (const Step& one : lesson->steps)
        if (std::string changed = changed_tensor_file(one.scene, folder); !changed.empty())
            return changed;
    return "";
}

Scene Document::scene_to_save(const Show& show) const {
    Scene written = scene;
    const bool shows = original().show.has_value() || show != Show{};
    written.show.reset();
    if (shows) written.show = valid_show(show, written);
    return written;
}

Scene Document::with_solution(Scene bench) const {
    if (!solving) return bench;
    const auto variant = static_cast<std::size_t>(lesson_step().exercise->variant);
    if (variant < bench.variants.size())
        bench.variants[variant].mask = lesson_step().scene.variants.at(variant).mask;
    return bench;
}

std::optional<UnsavedWork> Document::unsaved(const Show& show) const {
    if (is_saved()) return std::nullopt;
    UnsavedWork work{folder, path(), scene_to_save(show), lesson, step, lesson_is_saved(),
                     asks(), solving};
    for (const auto& [file, stamp] : known)
        if (file == path()) work.known = stamp;
    return work;
}

// --- edits, which are made completely or not at all, even if memory runs out

namespace {

std::optional<std::string> last_name(const std::deque<HistoryStep>& steps) {
    return steps.empty() ? std::nullopt : std::optional(steps.back().what);
}

}  // namespace

std::optional<std::string> Document::undo_name() const { return last_name(undone); }
std::optional<std::string> Document::redo_name() const { return last_name(redone); }

bool Document::merges(const std::string& merge) const {
    return !merge.empty() && !undone.empty() && undone.back().merge == merge;
}

bool Document::edit(const std::string& what, const std::function<void(Scene&)>& change,
                    const std::string& merge, Show& show) {
    Scene next = scene;
    next.show = show;
    change(next);
    try {
        check_scene(next);
    } catch (const InputError& error) {
        throw EditError("This edit would make the scene invalid: " + error.place + ": " +
                        error.what());
    }
    Show shows = next.show.value_or(Show{});
    next.show = scene.show;
    if (shows == show && next == scene) return false;
    std::optional<Show> before;
    if (shows != show) before = show;
    if (!merges(merge)) push_step(undone, {what, merge, now()});
    std::optional<Show>& showed = undone.back().snapshot.show;
    if (!showed) showed = std::move(before);
    redone.clear();
    show = std::move(shows);
    scene = std::move(next);
    return true;
}

void Document::change_lesson(const std::string& what, std::shared_ptr<const Lesson> next,
                             int shown_step, const std::string& merge, const Show& show) {
    answered.reserve(next->steps.size());
    const Step& shown = next->steps[static_cast<std::size_t>(shown_step)];
    const bool same_mask = solving && has_solution_of(shown);
    const bool keeps = same_mask && shown.exercise == lesson_step().exercise;
    // Set if the step still has the mask of the solution, but is no longer the same exercise.
    std::optional<Scene> solved;
    if (same_mask && !keeps) solved = with_solution(scene);
    if (!merges(merge)) {
        Snapshot before = now();
        before.show = show;
        push_step(undone, {what, merge, std::move(before)});
    }
    redone.clear();
    set_lesson(std::move(next), shown_step);
    solving = keeps;
    if (solved) scene = std::move(*solved);
}

// True if `step` has the mask that solves the exercise of the document's step.
bool Document::has_solution_of(const Step& step) const {
    const auto variant = static_cast<std::size_t>(lesson_step().exercise->variant);
    return variant < step.scene.variants.size() &&
           step.scene.variants[variant].mask == lesson_step().scene.variants.at(variant).mask;
}

void Document::set_lesson(std::shared_ptr<const Lesson> next, int shown_step) {
    if (next != lesson) {
        lesson = std::move(next);
        answered.assign(lesson ? lesson->steps.size() : 0, false);
        solving = false;
    }
    step = shown_step;
}

void Document::end_merge() {
    if (!undone.empty()) undone.back().merge.clear();
}

// Restores the last snapshot of `from` and appends the current state to `to`.
void Document::travel(std::deque<HistoryStep>& from, std::deque<HistoryStep>& to, Show& show) {
    Snapshot& restored = from.back().snapshot;
    const bool steps = step != restored.step;
    Show shows = restored.show              ? *restored.show
                 : steps && restored.lesson ? restored.scene.show.value_or(Show{})
                                            : show;
    Snapshot present = now();
    if (restored.show) present.show = show;
    if (restored.lesson) answered.reserve(restored.lesson->steps.size());
    push_step(to, {from.back().what, "", std::move(present)});
    scene = std::move(restored.scene);
    folder.swap(restored.folder);
    set_lesson(std::move(restored.lesson), restored.step);
    solving = restored.solving;
    from.pop_back();
    show = std::move(shows);
    if (steps) copy_path.reset();
}

void Document::undo(Show& show) {
    end_merge();
    travel(undone, redone, show);
    end_merge();
}

void Document::redo(Show& show) { travel(redone, undone, show); }

void Document::enter_step(int to, Show& show) {
    const Step& entered = lesson->steps[to];
    const bool solves = entered.exercise.has_value();
    Scene begun = solves ? scene_to_begin(entered) : entered.scene;
    Show shows = begun.show.value_or(Show{});
    if (!same_but_show(scene, original()))
        push_step(undone, {"leave the edited step", "", now()});
    else
        end_merge();
    redone.clear();
    copy_path.reset();
    step = to;
    solving = solves;
    scene = std::move(begun);
    show = std::move(shows);
}

// --- its file

std::optional<KnownFile> known_file(const fs::path& file) {
    const auto stamp = stamp_of(file);
    return stamp ? std::optional(KnownFile{file, *stamp}) : std::nullopt;
}

void Document::know(const std::optional<KnownFile>& file) {
    if (!file) return;
    std::erase_if(known, [&](const KnownFile& one) { return one.file == file->file; });
    known.push_back(*file);
}

bool Document::changed_outside() const {
    const auto file = file_to_save();
    if (!file) return false;
    const auto one = std::ranges::find(known, *file, &KnownFile::file);
    const auto stamp = stamp_of(*file);
    return one != known.end() && stamp && *stamp != one->stamp;
}

// --- after saving

void Document::scene_was_saved(const Scene& written, const fs::path& file) {
    saved = written;
    if (lesson) {
        copy_path = file;
        return;
    }
    scene = written;
    scene_path = file;
    folder = folder_of(file);
}

void Document::lesson_was_saved(std::shared_ptr<const Lesson> written, const fs::path& file) {
    lesson = saved_lesson = std::move(written);
    lesson_path = file;
    folder = folder_of(file);
}

// --- unsaved work

namespace {

std::string write_with_numbers_apart(const Scene& scene, std::vector<Array>& arrays) {
    return write_scene(scene, [&](const Array& array) -> std::string {
        const bool small = array.values->size() <= most_numbers;
        if (!array.file.empty() || small || array.truths) return "";
        arrays.push_back(array);
        return fmt::format("{}{}", apart, arrays.size() - 1);
    });
}

Array read_apart(const std::string& name, const fs::path& folder, const fs::path& numbers) {
    if (!name.starts_with(apart)) return read_tensor(name, folder, {}, true);
    Array array =
        read_tensor(fmt::format("{}:{}", numbers.filename().string(), name.substr(apart.size())),
                    numbers.parent_path());
    array.file.clear();
    return array;
}

}  // namespace

std::vector<Array> numbers_apart(const UnsavedWork& work) {
    std::vector<Array> arrays;
    write_with_numbers_apart(work.scene, arrays);
    return arrays;
}

std::string unsaved_bytes(const UnsavedWork& work, const std::string& numbers) {
    std::vector<Array> arrays;
    Json json{{"folder", path_to_json(work.folder)},
              {"path", path_to_json(work.path)},
              {"scene", numbers.empty() ? write_scene(work.scene)
                                        : write_with_numbers_apart(work.scene, arrays)}};
    if (!numbers.empty()) json["numbers"] = numbers;
    if (const auto& known = work.known)
        json["known"] = {known->device, known->inode, known->size, known->seconds,
                         known->nanoseconds};
    if (work.lesson) {
        json["lesson"] = write_lesson(*work.lesson);
        json["step"] = work.step;
        json["lesson_is_saved"] = work.lesson_is_saved;
        json["asks"] = work.asks;
        json["solving"] = work.solving;
    }
    return write_json(json);
}

bool is_damaged_work(const std::string& bytes) {
    try {
        const Json json = parse_json(bytes);
        return !json.at("scene").is_string() || !json.contains("folder") || !json.contains("path");
    } catch (const InputError&) {
    } catch (const Json::exception&) {}
    return true;
}

Document read_unsaved(const std::string& bytes, const fs::path& kept_in) {
    try {
        Document document;
        const Json json = parse_json(bytes);
        const auto path = path_from_json(json.at("path"));
        document.folder = path_from_json(json.at("folder")).value_or(".");
        const fs::path numbers = kept_in / json.value("numbers", "");
        try {
            document.scene = read_scene(json.at("scene").get<std::string>(), document.folder,
                                        [&](const std::string& name) {
                                            return read_apart(name, document.folder, numbers);
                                        });
        } catch (const InputError&) {
            if (std::error_code none; fs::exists(document.folder, none)) throw;
            throw InputError("", without_middle(document.folder.string(), 100) +
                                     " no longer exists, so its tensors cannot be loaded. Open the "
                                     "file or figure again, then recover");
        }
        if (path && json.contains("known"))
            document.know(KnownFile{*path, stamp_from_json(json.at("known"))});
        if (!json.contains("lesson")) {
            document.scene_path = path;
            return document;
        }
        document.lesson = std::make_shared<const Lesson>(
            read_draft(json.at("lesson").get<std::string>(), document.folder));
        const double last = double(document.lesson->steps.size()) - 1;
        document.step = int(std::clamp(json.at("step").get<double>(), 0.0, last));
        document.lesson_path = path;
        if (json.at("lesson_is_saved").get<bool>()) document.saved_lesson = document.lesson;
        document.solving = document.lesson_step().exercise && json.value("solving", false);
        document.answered.assign(document.lesson->steps.size(), false);
        if (!json.value("asks", true)) document.show_answer();
        return document;
    } catch (const Json::exception&) {
        throw InputError("", "cannot be read");
    }
}

}  // namespace maskscope
