#pragma once
// Ends the window if it cannot continue: keeps unsaved work, writes one line that says why, and
// exits with status 1.

#include <functional>
#include <string>

namespace maskscope {

// While one exists, failing assertions (ours, ImGui's or another library's) and SIGABRT call keep()
// before the program ends. keep() is called only in the thread that made this object, so that a
// document is not read while it changes. In other threads, what was kept before remains.
class LastWords {
public:
    explicit LastWords(std::function<void()> keep);
    ~LastWords();
    LastWords(const LastWords&) = delete;
    LastWords& operator=(const LastWords&) = delete;

private:
    void (*on_abort_before_)(int);
};

// Ends the program. Without LastWords, it only writes the line.
[[noreturn]] void end_with(const std::string& why) noexcept;

}  // namespace maskscope
