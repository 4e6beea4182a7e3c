#pragma once
// How the window ends where nothing can go on: unsaved work is kept, one line says why, status 1.

#include <functional>
#include <string>

namespace maskscope {

// While it lives, an assertion that fails (ours, ImGui's, another library's) and SIGABRT call
// keep() before the program ends. keep() is called in the thread that made this, and in no other: a
// document is not read while it changes; what was kept before stays.
class LastWords {
public:
    explicit LastWords(std::function<void()> keep);
    ~LastWords();
    LastWords(const LastWords&) = delete;
    LastWords& operator=(const LastWords&) = delete;

private:
    void (*on_abort_before_)(int);
};

// Also without LastWords; then only the line is said.
[[noreturn]] void end_with(const std::string& why) noexcept;

}  // namespace maskscope
