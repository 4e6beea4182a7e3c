#include "tests/faults/failing.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <unordered_map>

namespace {

std::atomic<long> allocations_until = 0, calls_until = 0;  // 0: none fails

bool fails(std::atomic<long>& until) {
    return until.load(std::memory_order_relaxed) > 0 && until.fetch_sub(1) == 1;
}

const char* failed = "";

bool call_fails(const char* name) {
    if (!fails(calls_until)) return false;
    failed = name;
    return true;
}

// Some libraries allocate in functions that must not throw, so that a failed allocation would end
// the program: nlohmann::json when it frees a list or an object, std::filesystem, and software
// renderers. may_not_throw() recognizes them, and no allocation fails there.
void* frames[40];  // of the last allocation that failed
int frame_count = 0;

bool has_no_throw(void* frame) {
    char** const name = backtrace_symbols(&frame, 1);
    const bool found = (std::strstr(*name, "nlohmann") && std::strstr(*name, "destroy")) ||
                       std::strstr(*name, "(_ZNSt10filesystem") ||
                       std::strstr(*name, "(_ZNKSt10filesystem") ||
                       std::strstr(*name, "/libLLVM") || std::strstr(*name, "_dri.so");
    std::free(name);
    return found;
}

bool may_not_throw() {
    static std::unordered_map<void*, bool> known;  // looking up a name takes long
    frame_count = backtrace(frames, 40);
    return std::any_of(frames, frames + frame_count, [](void* frame) {
        const auto [at, is_new] = known.try_emplace(frame);
        if (is_new) at->second = has_no_throw(frame);
        return at->second;
    });
}

void* allocate(std::size_t size, std::size_t alignment) {
    if (fails(allocations_until)) {
        failed = "allocation";
        if (!may_not_throw()) throw std::bad_alloc();
        allocations_until = 1;  // lets the next one fail instead
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

// The linker redirects these calls in the program's own code to us (--wrap).
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
FAILS(int, fstatat, (int folder, const char* path, struct stat* status, int flags),
      (folder, path, status, flags), EIO)
FAILS(int, faccessat, (int folder, const char* path, int mode, int flags),
      (folder, path, mode, flags), EIO)
FAILS(int, fchmod, (int file, mode_t mode), (file, mode), EPERM)
FAILS(int, flock, (int file, int operation), (file, operation), ENOLCK)
FAILS(int, renameat2, (int a, const char* from, int b, const char* to, unsigned flags),
      (a, from, b, to, flags), EIO)
FAILS(int, mkdir, (const char* path, mode_t mode), (path, mode), ENOSPC)
FAILS(int, mkdirat, (int folder, const char* path, mode_t mode), (folder, path, mode), ENOSPC)

int __real_open(const char* path, int flags, ...);
int __wrap_open(const char* path, int flags, ...) {
    std::va_list arguments;
    va_start(arguments, flags);
    const auto mode = (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    return call_fails("open") ? (errno = EMFILE, -1) : __real_open(path, flags, mode);
}
// Only calls that create a file fail. Read-only calls serve removals, which either happen or do
// not.
int __real_openat(int folder, const char* path, int flags, ...);
int __wrap_openat(int folder, const char* path, int flags, ...) {
    std::va_list arguments;
    va_start(arguments, flags);
    const bool makes = (flags & O_CREAT) != 0;
    const auto mode = makes ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    return makes && call_fails("openat") ? (errno = EMFILE, -1)
                                         : __real_openat(folder, path, flags, mode);
}
int __real_close(int file);
int __wrap_close(int file) {  // the file is closed even if the call fails
    const int closed = __real_close(file);
    return call_fails("close") ? (errno = EIO, -1) : closed;
}
char* __real_mkdtemp(char* name);
char* __wrap_mkdtemp(char* name) {
    return call_fails("mkdtemp") ? (errno = ENOSPC, nullptr) : __real_mkdtemp(name);
}

// The functions below are also called by the standard library.
int rename(const char* from, const char* to) noexcept {
    return call_fails("rename") ? (errno = EIO, -1) : int(syscall(SYS_rename, from, to));
}
int renameat(int a, const char* from, int b, const char* to) noexcept {
    return call_fails("renameat") ? (errno = EIO, -1) : int(syscall(SYS_renameat, a, from, b, to));
}
int pthread_create(pthread_t* thread, const pthread_attr_t* how, void* (*start)(void*),
                   void* with) {
    static const auto real =
        reinterpret_cast<decltype(&pthread_create)>(dlsym(RTLD_NEXT, "pthread_create"));
    return call_fails("pthread_create") ? EAGAIN : real(thread, how, start, with);
}
}

namespace maskscope {

bool begin_faults(int count, char** arguments) {
    std::set_terminate([] {
        print_last_failed();
        std::abort();
    });
    return count > 1 && std::strcmp(arguments[1], "all") == 0;
}

void fail_at(Fault fault, long n) {
    (fault == Fault::allocation ? allocations_until : calls_until) = n;
}

bool end_of_faults() {
    // If the counter was not used up, it is above 0.
    const bool none = std::max(allocations_until.exchange(0), calls_until.exchange(0)) > 0;
    return !none;
}

const char* last_failed() { return failed; }

void print_last_failed() {
    if (frame_count > 0) backtrace_symbols_fd(frames, frame_count, STDERR_FILENO);
}

}  // namespace maskscope
