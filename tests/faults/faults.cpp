// faults [all [WORK…]]: the n-th allocation fails, then the n-th call that reads or writes a file
// or starts a thread, for every n until none is left, during loading, computing, exporting, saving,
// starting, and writing state files. Without "all", it tries each of the first sixty allocations,
// then fewer and fewer of them. Whatever fails, the work ends with an exception that is reported,
// or goes on. The file or folder is the old one or the new one, nothing else is left, and no file
// stays open.

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iostream>
#include <sstream>

#include "app/commands/commands.h"
#include "app/export/export.h"
#include "app/session/course.h"
#include "app/session/files/carried.h"
#include "app/session/files/load.h"
#include "app/session/files/state_files.h"
#include "app/session/files/tensor_copies.h"
#include "app/session/keeper.h"
#include "app/session/session.h"
#include "core/base/build.h"
#include "core/base/error.h"
#include "core/compute/plain.h"
#include "core/cpu/cpu_backend.h"
#include "core/files/file.h"
#include "core/format/scene_json.h"
#include "core/tensors/tensor_file.h"
#include "core/tensors/tensor_list.h"
#include "tests/faults/failing.h"

namespace {

using namespace maskscope;
namespace fs = std::filesystem;

// --- what must hold

std::string content(const fs::path& path) {
    if (fs::is_regular_file(path)) return read_file(path);
    std::string all;
    std::vector<fs::path> files;
    if (fs::is_directory(path))
        for (const auto& entry : fs::recursive_directory_iterator(path))
            if (entry.is_regular_file()) files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    for (const fs::path& file : files) all += file.string() + '\n' + read_file(file);
    return all;
}

bool leaves_a_rest(const fs::path& folder) {
    for (const auto& entry : fs::recursive_directory_iterator(folder))
        if (entry.path().filename().string().starts_with(".maskscope-")) return true;
    return false;
}

std::ptrdiff_t open_files() {
    return std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator());
}

struct Work {
    const char* name;
    fs::path target;                          // the path it replaces; "" if it writes nothing
    std::function<void(bool)> run;            // with one of two inputs
    bool or_nothing = false;                  // the target may be missing afterwards
    std::function<std::string()> check = {};  // returns what is broken; "" if nothing is
};

// The target's contents for each of the two inputs.
using Contents = std::array<std::string, 2>;

// Runs the work with the n-th allocation or call failing, and exits if something that must hold
// does not. Returns whether something failed; if so, a larger n may fail, too.
bool try_one(const Work& work, const Contents& whole_ones, Fault fault, long n, bool other) {
    std::string told;
    const std::ptrdiff_t open_before = open_files();
    fail_at(fault, n);
    bool failed = false;
    try {
        work.run(other);
        failed = end_of_faults();
    } catch (const std::exception& error) {
        failed = end_of_faults();
        told = error.what();
    }
    std::string broken = work.check ? work.check() : "";
    const std::string after = content(work.target);
    if (std::ranges::count(whole_ones, after) == 0 && !(work.or_nothing && after.empty()))
        broken = "torn";
    if (open_files() != open_before) broken = "a file stays open";
    if (leaves_a_rest(".")) broken = "something is left";
    if (!broken.empty()) {
        fmt::print(stderr, "{}, {} {}: {} ({})\n", work.name, last_failed(), n, broken, told);
        print_last_failed();
        std::exit(1);
    }
    return failed;
}

long try_all(const Work& work, Fault fault, bool every) {
    Contents whole_ones;
    for (int k = 0; k < 4; ++k) {  // twice: state files grow until everything is in them
        work.run(k % 2 == 0);
        whole_ones[k % 2] = content(work.target);
    }
    long tried = 0;
    for (long n = 1;; n += every || fault == Fault::call ? 1 : 1 + n / 60, ++tried) {
        const bool other =  // run the input that changes the target
            work.target.empty() ? tried % 2 == 0 : content(work.target) != whole_ones[0];
        if (!try_one(work, whole_ones, fault, n, other)) return tried;
    }
}

// --- a session

Variant second_variant(const Scene& scene) {
    Variant variant = scene.variants.front();
    variant.name = "Second";
    return variant;
}

// Makes two edits, undoes one, and shows the result.
void edit_and_undo(Session& session, bool other) {
    session.edit("a title", [&](Scene& scene) { scene.title = other ? "Other" : "One"; });
    session.wait();
    session.edit("a variant",
                 [](Scene& scene) { scene.variants.push_back(second_variant(scene)); });
    session.wait();
    session.undo();
    session.wait();
}

// Returns "" if the session shows the current scene, at the latest after one more edit; otherwise
// what is wrong.
std::string still_shows(Session& session) {
    session.wait();
    if (const auto& message = session.message(); message && message->wrong) {
        session.edit("again", [](Scene& scene) { scene.title += '!'; });
        session.wait();
        session.undo();
        session.wait();
    }
    if (write_scene(session.shown().scene) != write_scene(session.scene()))
        return "another scene is shown";
    Progress progress;
    const Result fresh = PlainBackend().compute(session.scene(), {}, nullptr, progress);
    if (summary_json(fresh.variants[0], "plain") !=
        summary_json(session.shown().variants[0], "plain"))
        return "other numbers are shown";
    return "";
}

// Returns "" if undoing everything gives the scene that was opened; otherwise what is wrong.
std::string still_undoes(Session& session, const std::string& opened) {
    while (session.document().undo_name()) session.undo();
    if (write_scene(session.scene()) != opened) return "undone, it is another scene";
    return still_shows(session);
}

// Goes to the first step of a lesson, calls next() four times, which also shows answers, and saves
// the bench to the step.
void teach(Session& session) {
    session.go_to_step(0);
    for (int k = 0; k < 4; ++k) {
        session.wait();
        session.next();
    }
    take_bench_into_step(session);
    session.wait();
}

}  // namespace

int main(int count, char** arguments) {
    const bool every = begin_faults(count, arguments);
    std::string folder = fs::temp_directory_path() / "maskscope-faults-XXXXXX";
    if (mkdtemp(folder.data()) == nullptr) return 1;
    setenv("XDG_STATE_HOME", folder.c_str(), 1);
    setenv("XDG_CACHE_HOME", folder.c_str(), 1);
    const fs::path golden = fs::path(source_folder()) / "tests/data/golden";
    fs::copy(fs::path(source_folder()) / "assets/scenes", folder);
    fs::copy(fs::path(source_folder()) / "tests/data/translator.npz", folder);
    fs::current_path(folder);
    const std::string one = golden / "six-ways/scene.json",
                      other = golden / "batch-padding/scene.json";
    const auto computed = [](const std::string& file) {
        Progress progress;
        return CpuBackend(2).compute(load_scene(file).scene, {}, nullptr, progress);
    };
    const Result results[] = {computed(one), computed(other)};
    const auto draw = [&](FigureFormat format, const char* file) {
        return [&results, format, file](bool second) {
            const Result& result = results[second ? 1 : 0];
            ExportOptions options;
            options.format = format;
            options.dpi = 30;
            write_export(file, result, {}, options, packed(carried_of(result.scene, ".")));
        };
    };
    for (const bool second : {false, true}) {
        const fs::path in = second ? "other" : "one";
        fs::create_directories(in / "sub");
        for (const char* tensors : {"t.npy", "sub/u.npy"})
            replace_file(in / tensors, "what " + in.string() + " holds");
        const Array scores{{1, 1, 1, 1}, ArrayNumbers(std::vector<double>{second ? 1.5 : 0.5}), ""};
        replace_file(in / "scores.safetensors", safetensors_bytes({{"s", scores}}));
        replace_file(in / "scores.json",
                     R"({"maskscope": 1, "sequences": [{"queries": ["a"]}],
                         "inputs": {"kind": "scores", "scores": "scores.safetensors:s"},
                         "variants": [{"name": "x"}]})");
        const Scene scene = load_scene((in / "scores.json").string()).scene;
        write_export(in.string() + ".png", results[0], {}, {.dpi = 30},
                     packed(carried_of(scene, in)));
    }
    fs::create_directory("copies");
    fs::create_directory("moved");
    Session session(std::make_unique<PlainBackend>());
    session.new_scene();
    session.wait();
    session.keeper().keep_in(fs::path(folder) / "state");
    for (const std::string& file : {one, other}) remember_file(state_folder(), file);
    remember_choices(state_folder(), {});
    Session edited(std::make_unique<PlainBackend>());
    edited.open("cross.json");
    edited.wait();
    const std::string edited_first = write_scene(edited.scene());
    Session opened[] = {Session(std::make_unique<PlainBackend>()),
                        Session(std::make_unique<PlainBackend>())};
    for (int k = 0; k < 2; ++k) {
        const LoadedLesson lesson = load_lesson("lesson:" + lesson_names().at(k));
        opened[k].open_lesson(lesson.lesson, lesson.folder, 1);
        opened[k].wait();  // so that nothing else runs while something fails
        remember_course(state_folder(), opened[k]);
    }
    const Work works[] = {
        {"load", "",
         [](bool second) { load_scene(second ? "transformer-heads.json" : "cross.json"); }},
        {"npz", "", [](bool) { read_tensor("translator.npz:0", "."); }},
        {"compute", "", [&](bool second) { computed(second ? one : other); }},
        {"write", "out", [&](bool second) { write_result(results[second ? 1 : 0], "out"); }},
        {"save", "saved.json",
         [&](bool second) {
             replace_file("saved.json", write_scene(results[second ? 1 : 0].scene));
         }},
        {"PNG", "x.png", draw(FigureFormat::png, "x.png")},
        {"SVG", "x.svg", draw(FigureFormat::svg, "x.svg")},
        {"PDF", "x.pdf", draw(FigureFormat::pdf, "x.pdf")},
        {"CSV", "x.csv", draw(FigureFormat::csv, "x.csv")},
        {"new PNG", "new.png",
         [&](bool second) {
             fs::remove("new.png");
             write_export("new.png", results[second ? 1 : 0], {}, {.dpi = 30}, "", {},
                          ExistingFile::refused);
         },
         true},
        {"copy tensors", "copies",
         [](bool second) {
             Copies copies({"t.npy", "sub/u.npy"}, second ? "one" : "other", "copies");
             copies.put_in_place();
             copies.keep();
         }},
        {"save as", "moved",
         [](bool second) {
             Session moving(std::make_unique<PlainBackend>());
             moving.open(second ? "other/scores.json" : "one/scores.json");
             moving.wait();
             if (moving.document().path()) moving.save_as("moved/scores.json", true);
         }},
        {"extract", "extracted",
         [](bool second) {
             fs::remove_all("extracted");
             fs::create_directory("extracted");
             std::ostringstream notes;
             extract(second ? "one.png" : "other.png", "extracted/scene.json", false, notes);
         },
         true},
        {"edit", "", [&](bool second) { edit_and_undo(edited, second); }, false,
         [&] { return still_undoes(edited, edited_first); }},
        {"open", "",
         [&](bool second) {
             edited.open(second ? "decoder.json" : "encoder.json");
             edited.wait();
         },
         false, [&] { return still_shows(edited); }},
        {"lesson", "", [&](bool) { teach(opened[0]); }, false,
         [&] { return still_shows(opened[0]); }},
        {"keep", fs::path(folder) / "state",
         [&](bool second) {
             session.edit("rename", [&](Scene& s) { s.title = second ? "one" : "other"; });
             session.keeper().keep_now(session);
         }},
        // State files are complete after a start, and after one more entry.
        {"start", state_folder(),
         [&](bool) {
             Session started(std::make_unique<PlainBackend>());
             open_as_left(state_folder(), started);
             started.wait();
             for (const auto& set_aside :
                  {set_damaged_list_aside, set_damaged_course_aside, set_damaged_choices_aside})
                 set_aside(state_folder());
             remembered_choices(state_folder());
             recent_files(state_folder());
             Keeper::tidy(state_folder());
             Keeper::left_behind(state_folder());
         }},
        {"list", state_folder(),
         [&](bool second) { remember_file(state_folder(), second ? one : other); }},
        {"course", state_folder(),
         [&](bool second) { remember_course(state_folder(), opened[second ? 1 : 0]); }},
    };
    const std::vector<std::string> chosen(arguments + std::min(count, 2), arguments + count);
    for (const Work& work : works) {
        if (!chosen.empty() && std::ranges::find(chosen, work.name) == chosen.end()) continue;
        const long allocations = try_all(work, Fault::allocation, every);
        const long calls = try_all(work, Fault::call, every);
        fmt::print("{}: {} allocations and {} calls failed, none did harm\n", work.name,
                   allocations, calls);
    }
    session.keeper().end();
    fs::current_path("/");
    fs::remove_all(folder);
}
