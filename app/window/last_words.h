#pragma once
// Ends the program if the window cannot continue: keeps unsaved work, writes one line that says
// why, and exits with status 1.

#include <functional>
#include <string>

namespace maskscope {

// While one exists, failing assertions (ours, ImGui's or another library's) and SIGABRT call keep()
// before the program ends. keep() is called only for failures in the thread that made this object.
// In another thread, the document may be changing meanwhile; then what was kept before remains.
class LastWords {
public:
    explicit LastWords(std::function<void()> keep);
    ~LastWords();
    LastWords(const LastWords&) = delete;
    LastWords& operator=(const LastWords&) = delete;

private:
    void (*on_abort_before_)(int);
};

// Keeps unsaved work as above and ends the program. why: the reason in the line. Without LastWords,
// nothing is kept.
[[noreturn]] void end_with(const std::string& why) noexcept;

}  // namespace maskscope
