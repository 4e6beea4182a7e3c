#pragma once
// Subscripts and superscripts that are typed in ASCII and drawn as such: W_q, e^x, e^−∞. Names of
// the file format (n_q, d_k) begin with a lower-case letter, and stay as typed.

#include <string>
#include <string_view>
#include <vector>

namespace maskscope {

struct ScriptRun {
    enum class Level { base, sub, super };
    std::string text;
    Level level = Level::base;
    bool operator==(const ScriptRun&) const = default;
};

// How a script is drawn: its size, and how far its baseline is above the line's, both × the size of
// the line.
inline constexpr double script_size = 0.72, sub_rise = -0.16, super_rise = 0.36;
constexpr double rise_of(ScriptRun::Level level) {
    using enum ScriptRun::Level;
    return level == sub ? sub_rise : level == super ? super_rise : 0;
}

// Returns the text as runs, without the _ or ^ before each script; a single run if there are no
// scripts.
std::vector<ScriptRun> script_runs(std::string_view text);

}  // namespace maskscope
