// faults [all]: the n-th allocation fails, then the n-th call that writes or reads a file, for
// every n until none is left, over loading, computing, exporting, saving, starting, and what the
// program notes for itself (without "all" the first hundred of each, then ever fewer). Whatever
// fails, the work ends with an exception that is told, or goes on; the file or folder is the old
// one or the new one; nothing else is left.

#include <execinfo.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <iostream>
#include <new>

#include "app/commands/compute.h"
#include "app/export/export.h"
#include "app/export/export_choices.h"
#include "app/session/course.h"
#include "app/session/files/carried.h"
#include "app/session/files/load.h"
#include "app/session/files/recent_files.h"
#include "app/session/keeper.h"
#include "app/session/session.h"
#include "core/base/build.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/compute/plain.h"
#include "core/cpu/cpu_backend.h"
#include "core/format/scene_json.h"

// --- what fails

namespace {

std::atomic<long> allocations_until = 0, calls_until = 0;  // 0: none fails

bool fails(std::atomic<long>& until) {
    return until.load(std::memory_order_relaxed) > 0 && until.fetch_sub(1) == 1;
}

// Two libraries allocate within functions that may not throw, where the program then ends:
// nlohmann::json when it frees a list or an object, and std::filesystem. There none fails here.
void* frames[40];  // of the last allocation that failed
int frame_count = 0;

bool may_not_throw() {
    frame_count = backtrace(frames, 40);
    char** const names = backtrace_symbols(frames, frame_count);
    bool found = false;
    for (int k = 0; k < frame_count; ++k)
        found |= (std::strstr(names[k], "nlohmann") && std::strstr(names[k], "destroy")) ||
                 std::strstr(names[k], "(_ZNSt10filesystem") ||
                 std::strstr(names[k], "(_ZNKSt10filesystem");
    std::free(names);
    return found;
}

void* allocate(std::size_t size, std::size_t alignment) {
    if (fails(allocations_until)) {
        if (!may_not_throw()) throw std::bad_alloc();
        allocations_until = 1;  // the next one
    }
    const std::size_t whole = (size + alignment - 1) / alignment * alignment;
    void* const block = alignment <= alignof(std::max_align_t)
                            ? std::malloc(size > 0 ? size : 1)
                            : std::aligned_alloc(alignment, whole);
    if (block == nullptr) throw std::bad_alloc();
    return block;
}

}  // namespace

void* operator new(std::size_t size) { return allocate(size, 1); }
void* operator new(std::size_t size, std::align_val_t alignment) {
    return allocate(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* block) noexcept { std::free(block); }
void operator delete(void* block, std::size_t) noexcept { std::free(block); }
void operator delete(void* block, std::align_val_t) noexcept { std::free(block); }
void operator delete(void* block, std::size_t, std::align_val_t) noexcept { std::free(block); }

// The linker gives us these calls of the program's own code (--wrap).
extern "C" {
int __real_open(const char* path, int flags, ...);
ssize_t __real_write(int file, const void* bytes, std::size_t count);
ssize_t __real_pread(int file, void* bytes, std::size_t count, off_t at);
int __real_fsync(int file);
int __real_rename(const char* from, const char* to);
int __real_renameat2(int, const char* from, int, const char* to, unsigned flags);
int __real_mkdir(const char* path, mode_t mode);

int __wrap_open(const char* path, int flags, ...) {
    std::va_list arguments;
    va_start(arguments, flags);
    const auto mode = (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    return fails(calls_until) ? (errno = EMFILE, -1) : __real_open(path, flags, mode);
}
ssize_t __wrap_write(int file, const void* bytes, std::size_t count) {
    return fails(calls_until) ? (errno = ENOSPC, -1) : __real_write(file, bytes, count);
}
ssize_t __wrap_pread(int file, void* bytes, std::size_t count, off_t at) {
    return fails(calls_until) ? (errno = EIO, -1) : __real_pread(file, bytes, count, at);
}
int __wrap_fsync(int file) { return fails(calls_until) ? (errno = EIO, -1) : __real_fsync(file); }
int __wrap_rename(const char* from, const char* to) {
    return fails(calls_until) ? (errno = EIO, -1) : __real_rename(from, to);
}
int __wrap_renameat2(int a, const char* from, int b, const char* to, unsigned flags) {
    return fails(calls_until) ? (errno = EIO, -1) : __real_renameat2(a, from, b, to, flags);
}
int __wrap_mkdir(const char* path, mode_t mode) {
    return fails(calls_until) ? (errno = ENOSPC, -1) : __real_mkdir(path, mode);
}
}

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
    for (const auto& entry : fs::directory_iterator(folder))
        if (entry.path().filename().string().starts_with(".maskscope-")) return true;
    return false;
}

struct Work {
    const char* name;
    fs::path target;                // what it replaces; "" if it writes nothing
    std::function<void(bool)> run;  // from one input or from another
};

// What it replaces holds, made from the one input and from the other.
using Contents = std::array<std::string, 2>;

// Returns whether something failed, i.e. whether there may be more to fail.
bool try_one(const Work& work, const Contents& whole_ones, std::atomic<long>& until, long n,
             bool other) {
    std::string told;
    until = n;
    try {
        work.run(other);
    } catch (const std::exception& error) {
        until = 0;
        told = error.what();
    }
    const bool failed = until.exchange(0) <= 0;
    const std::string after = content(work.target);
    const bool whole = std::ranges::count(whole_ones, after) > 0;
    if (!whole || leaves_a_rest(".")) {
        fmt::print(stderr, "{}, {} {}: {} ({})\n", work.name,
                   &until == &calls_until ? "call" : "allocation", n,
                   whole ? "something is left" : "torn", told);
        std::exit(1);
    }
    return failed;
}

long try_all(const Work& work, std::atomic<long>& until, bool every) {
    Contents whole_ones;
    for (int k = 0; k < 4; ++k) {  // twice: notes grow until all is noted
        work.run(k % 2 == 0);
        whole_ones[k % 2] = content(work.target);
    }
    long tried = 0;
    for (long n = 1;; n += every ? 1 : 1 + n / 60, ++tried)
        if (!try_one(work, whole_ones, until, n, tried % 2 == 0)) return tried;
}

}  // namespace

int main(int count, char** arguments) {
    std::set_terminate([] {
        backtrace_symbols_fd(frames, frame_count, STDERR_FILENO);
        std::abort();
    });
    const bool every = count > 1 && std::strcmp(arguments[1], "all") == 0;
    std::string folder = fs::temp_directory_path() / "maskscope-faults-XXXXXX";
    if (mkdtemp(folder.data()) == nullptr) return 1;
    setenv("XDG_STATE_HOME", folder.c_str(), 1);
    setenv("XDG_CACHE_HOME", folder.c_str(), 1);
    const fs::path golden = fs::path(source_folder()) / "tests/data/golden";
    fs::copy(fs::path(source_folder()) / "assets/scenes", folder);
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
    Session session(std::make_unique<PlainBackend>());
    session.new_scene();
    session.keeper().keep_in(fs::path(folder) / "state");
    for (const std::string& file : {one, other}) remember_file(state_folder(), file);
    remember_choices(state_folder(), {});
    Session opened[] = {Session(std::make_unique<PlainBackend>()),
                        Session(std::make_unique<PlainBackend>())};
    for (int k = 0; k < 2; ++k) {
        const LoadedLesson lesson = load_lesson("lesson:" + lesson_names().at(k));
        opened[k].open_lesson(lesson.lesson, lesson.folder, 1);
        remember_course(state_folder(), opened[k]);
    }
    const Work works[] = {
        {"load", "",
         [](bool second) { load_scene(second ? "transformer-heads.json" : "cross.json"); }},
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
        {"keep", "",
         [&](bool second) {
             session.edit("rename", [&](Scene& s) { s.title = second ? "one" : "other"; });
             session.keeper().keep_now(session);
         }},
        // What the program notes for itself is there after a start, and after one more thing is
        // noted.
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
             Keeper::left_behind(state_folder());
         }},
        {"list", state_folder(),
         [&](bool second) { remember_file(state_folder(), second ? one : other); }},
        {"course", state_folder(),
         [&](bool second) { remember_course(state_folder(), opened[second ? 1 : 0]); }},
    };
    for (const Work& work : works) {
        const long allocations = try_all(work, allocations_until, every);
        const long calls = try_all(work, calls_until, every);
        fmt::print("{}: {} allocations and {} calls failed, none did harm\n", work.name,
                   allocations, calls);
    }
    session.keeper().end();
    fs::current_path("/");
    fs::remove_all(folder);
}
