// faults [all]: the n-th allocation fails, then the n-th call that reads or writes a file or starts
// a thread, for every n until none is left, over loading, computing, exporting, saving, starting,
// and what the program notes for itself (without "all" the first hundred of each, then ever fewer).
// Whatever fails, the work ends with an exception that is told, or goes on; the file or folder is
// the old one or the new one; nothing else is left, no file stays open.

#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <pthread.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
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
#include <sstream>

#include "app/commands/compute.h"
#include "app/commands/extract.h"
#include "app/export/export.h"
#include "app/export/export_choices.h"
#include "app/session/course.h"
#include "app/session/files/carried.h"
#include "app/session/files/load.h"
#include "app/session/files/recent_files.h"
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

// --- what fails

namespace {

std::atomic<long> allocations_until = 0, calls_until = 0;  // 0: none fails

bool fails(std::atomic<long>& until) {
    return until.load(std::memory_order_relaxed) > 0 && until.fetch_sub(1) == 1;
}

const char* failed_call = "";

bool call_fails(const char* name) {
    if (!fails(calls_until)) return false;
    failed_call = name;
    return true;
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
#define FAILS(result, name, parameters, arguments, why)                         \
    result __real_##name parameters;                                            \
    result __wrap_##name parameters {                                           \
        return call_fails(#name) ? (errno = why, -1) : __real_##name arguments; \
    }
extern "C" {
FAILS(ssize_t, write, (int file, const void* bytes, std::size_t count), (file, bytes, count),
      ENOSPC)
FAILS(ssize_t, pwrite, (int file, const void* bytes, std::size_t count, off_t at),
      (file, bytes, count, at), ENOSPC)
FAILS(ssize_t, pread, (int file, void* bytes, std::size_t count, off_t at),
      (file, bytes, count, at), EIO)
FAILS(int, ftruncate, (int file, off_t size), (file, size), ENOSPC)
FAILS(int, fsync, (int file), (file), EIO)
FAILS(int, syncfs, (int file), (file), EIO)
FAILS(int, stat, (const char* path, struct stat* status), (path, status), EIO)
FAILS(int, fstat, (int file, struct stat* status), (file, status), EIO)
FAILS(int, access, (const char* path, int mode), (path, mode), EIO)
FAILS(int, fchmod, (int file, mode_t mode), (file, mode), EPERM)
FAILS(int, flock, (int file, int operation), (file, operation), ENOLCK)
FAILS(int, renameat2, (int a, const char* from, int b, const char* to, unsigned flags),
      (a, from, b, to, flags), EIO)
FAILS(int, mkdir, (const char* path, mode_t mode), (path, mode), ENOSPC)

int __real_open(const char* path, int flags, ...);
int __wrap_open(const char* path, int flags, ...) {
    std::va_list arguments;
    va_start(arguments, flags);
    const auto mode = (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    return call_fails("open") ? (errno = EMFILE, -1) : __real_open(path, flags, mode);
}
int __real_close(int file);
int __wrap_close(int file) {  // it is closed all the same
    const int closed = __real_close(file);
    return call_fails("close") ? (errno = EIO, -1) : closed;
}
char* __real_mkdtemp(char* name);
char* __wrap_mkdtemp(char* name) {
    return call_fails("mkdtemp") ? (errno = ENOSPC, nullptr) : __real_mkdtemp(name);
}

// And these also of the standard library.
int rename(const char* from, const char* to) noexcept {
    return call_fails("rename") ? (errno = EIO, -1) : int(syscall(SYS_rename, from, to));
}
int pthread_create(pthread_t* thread, const pthread_attr_t* how, void* (*start)(void*),
                   void* with) {
    static const auto real =
        reinterpret_cast<decltype(&pthread_create)>(dlsym(RTLD_NEXT, "pthread_create"));
    return call_fails("pthread_create") ? EAGAIN : real(thread, how, start, with);
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
    for (const auto& entry : fs::recursive_directory_iterator(folder))
        if (entry.path().filename().string().starts_with(".maskscope-")) return true;
    return false;
}

std::ptrdiff_t open_files() {
    return std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator());
}

struct Work {
    const char* name;
    fs::path target;                // what it replaces; "" if it writes nothing
    std::function<void(bool)> run;  // from one input or from another
    bool or_nothing = false;        // it begins with nothing
};

// What it replaces holds, made from the one input and from the other.
using Contents = std::array<std::string, 2>;

// Returns whether something failed, i.e. whether there may be more to fail.
bool try_one(const Work& work, const Contents& whole_ones, std::atomic<long>& until, long n,
             bool other) {
    std::string told;
    const std::ptrdiff_t open_before = open_files();
    until = n;
    try {
        work.run(other);
    } catch (const std::exception& error) {
        until = 0;
        told = error.what();
    }
    const bool failed = until.exchange(0) <= 0;
    const std::string after = content(work.target);
    const bool whole =
        std::ranges::count(whole_ones, after) > 0 || (work.or_nothing && after.empty());
    const bool closed = open_files() == open_before;
    if (!whole || !closed || leaves_a_rest(".")) {
        fmt::print(stderr, "{}, {} {}: {} ({})\n", work.name,
                   &until == &calls_until ? failed_call : "allocation", n,
                   !whole    ? "torn"
                   : !closed ? "a file stays open"
                             : "something is left",
                   told);
        if (&until == &allocations_until) backtrace_symbols_fd(frames, frame_count, STDERR_FILENO);
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
    for (long n = 1;; n += every ? 1 : 1 + n / 60, ++tried) {
        const bool other =  // than what is there
            work.target.empty() ? tried % 2 == 0 : content(work.target) != whole_ones[0];
        if (!try_one(work, whole_ones, until, n, other)) return tried;
    }
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
    Scene heads = load_scene("transformer-heads.json").scene;
    for (const std::string name : {"one", "other"}) {
        heads.title = name;
        write_export(name + ".png", results[0], {}, {}, packed(carried_of(heads, ".")));
        for (const char* tensors : {"/t.npy", "/sub/u.npy"}) {
            fs::create_directories(name + "/sub");
            replace_file(name + tensors, "what " + name + " holds");
        }
    }
    fs::create_directory("copies");
    Session session(std::make_unique<PlainBackend>());
    session.new_scene();
    session.wait();
    session.keeper().keep_in(fs::path(folder) / "state");
    for (const std::string& file : {one, other}) remember_file(state_folder(), file);
    remember_choices(state_folder(), {});
    Session opened[] = {Session(std::make_unique<PlainBackend>()),
                        Session(std::make_unique<PlainBackend>())};
    for (int k = 0; k < 2; ++k) {
        const LoadedLesson lesson = load_lesson("lesson:" + lesson_names().at(k));
        opened[k].open_lesson(lesson.lesson, lesson.folder, 1);
        opened[k].wait();  // nothing else runs while something fails
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
        {"copy tensors", "copies",
         [](bool second) {
             Copies copies({"t.npy", "sub/u.npy"}, second ? "one" : "other", "copies");
             copies.put_in_place();
             copies.keep();
         }},
        {"extract", "extracted",
         [](bool second) {
             fs::remove_all("extracted");
             fs::create_directory("extracted");
             std::ostringstream notes;
             extract(second ? "one.png" : "other.png", "extracted/scene.json", notes);
         },
         true},
        {"keep", fs::path(folder) / "state",
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
