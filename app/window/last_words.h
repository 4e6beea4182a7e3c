#pragma once
// Ends the window if it cannot continue: unsaved work is kept, one line says why, status 1.

#include <functional>
#include <string>

namespace maskscope {

// While one exists, an assertion that fails (ours, ImGui's, another library's) and SIGABRT call
// keep() before the program ends. keep() is called only in the thread that made this object, so
// that a document is not read while it changes; what was kept before stays.
class LastWords {
public:
    explicit LastWords(std::function<void()> keep);
    ~LastWords();
    LastWords(const LastWords&) = delete;
    LastWords& operator=(const LastWords&) = delete;

private:
    void (*on_abort_before_)(int);
};

// Ends the program. It also works without LastWords; then it only writes the line.
[[noreturn]] void end_with(const std::string& why) noexcept;

}  // namespace maskscope
