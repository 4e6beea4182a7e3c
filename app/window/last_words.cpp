#include "app/window/last_words.h"

#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstring>
#include <string_view>
#include <utility>

#include "core/base/error.h"

namespace maskscope {

namespace {

struct KeepTask {
    std::function<void()> keep;
    pthread_t thread{};
};
KeepTask& keeping() {
    static KeepTask all;
    return all;
}

void say(std::string_view text) {
    while (!text.empty()) {
        const ssize_t done = ::write(STDERR_FILENO, text.data(), text.size());
        if (done <= 0) return;
        text.remove_prefix(static_cast<std::size_t>(done));
    }
}

std::string line_if_not_kept;

[[noreturn]] void end_without_keeping() {
    say(line_if_not_kept);
    ::_exit(1);
}

// Keeps unsaved work, or says why it could not. Memory may be corrupted, or a lock held; then
// saving fails, too, or waits for ever.
void keep_or_say_so(const KeepTask& owner, const std::string& why) {
    constexpr unsigned longest = 60;  // seconds, enough to save large arrays
    line_if_not_kept = "maskscope: " + why + "; could not keep unsaved work\n";
    for (const int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGALRM})
        std::signal(signal, [](int) { end_without_keeping(); });
    ::alarm(longest);
    owner.keep();
    ::alarm(0);
}

void on_abort(int) { end_with("a library ended the program (SIGABRT)"); }

}  // namespace

LastWords::LastWords(std::function<void()> keep) {
    keeping() = {std::move(keep), ::pthread_self()};
    on_abort_before_ = std::signal(SIGABRT, on_abort);
}

LastWords::~LastWords() {
    std::signal(SIGABRT, on_abort_before_);
    keeping() = {};
}

void end_with(const std::string& told) noexcept {
    static std::atomic_flag ends;  // threads may fail at the same time
    static thread_local bool ends_here = false;
    if (std::exchange(ends_here, true)) end_without_keeping();
    while (ends.test_and_set()) ::pause();
    constexpr std::string_view offers = "; unsaved work is kept for the next start";
    const std::string why = without_middle(printable(told), longest_error - offers.size());
    const KeepTask& owner = keeping();
    if (owner.keep && ::pthread_equal(owner.thread, ::pthread_self()) != 0)
        keep_or_say_so(owner, why);
    say("maskscope: " + why + std::string(owner.keep ? offers : "") + '\n');
    ::_exit(1);
}

}  // namespace maskscope

namespace {

[[noreturn]] void end_by_assertion(const char* assertion, const char* file,
                                   unsigned line) noexcept {
    const char* slash = file != nullptr ? std::strrchr(file, '/') : nullptr;
    const std::string name = slash != nullptr ? slash + 1 : file != nullptr ? file : "?";
    maskscope::end_with("an assertion failed at " + name + ":" + std::to_string(line) + ": " +
                        (assertion != nullptr ? assertion : "?"));
}

}  // namespace

// Replaces the C library's function, which prints a line and aborts. Dear ImGui in Debian is built
// with assertions.
extern "C" void __assert_fail(const char* assertion, const char* file, unsigned line,
                              const char* /*function*/) noexcept {
    end_by_assertion(assertion, file, line);
}

// Replaces the handler of the standard library's index checks (-D_GLIBCXX_ASSERTIONS).
namespace std {
void __glibcxx_assert_fail(const char* file, int line, const char* /*function*/,
                           const char* condition) noexcept {
    end_by_assertion(condition, file, static_cast<unsigned>(line));
}
}  // namespace std
