#include "app/style/scripts.h"

#include <algorithm>
#include <array>

namespace maskscope {

namespace {

bool is_letter(char c) { return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z'); }
bool is_digit(char c) { return '0' <= c && c <= '9'; }
bool is_word(char c) { return is_letter(c) || is_digit(c) || c == '_' || (c & 0x80) != 0; }

char at(std::string_view text, std::size_t k) { return k < text.size() ? text[k] : '\0'; }

// Returns the length of the number, which may have a sign and be infinite, or of the letter at
// `from`; 0 if there is neither.
std::size_t power_length(std::string_view text, std::size_t from) {
    constexpr std::array<std::string_view, 3> signs{"-", "\u2212", "+"};
    std::size_t end = from;
    for (const std::string_view sign : signs)
        if (text.substr(end).starts_with(sign)) end += sign.size();
    for (const std::string_view whole : {"½", "∞"})
        if (text.substr(end).starts_with(whole)) return end + whole.size() - from;
    if (is_letter(at(text, end))) return is_word(at(text, end + 1)) ? 0 : end + 1 - from;
    const std::size_t digits = end;
    while (is_digit(at(text, end)) || (at(text, end) == '.' && is_digit(at(text, end + 1)))) ++end;
    if (const std::size_t power = end + (at(text, end + 1) == '-' ? 2 : 1);
        end > digits && at(text, end) == 'e' && is_digit(at(text, power)))  // as in "3.7e-6"
        for (end = power; is_digit(at(text, end));) ++end;
    return end == digits || is_word(at(text, end)) ? 0 : end - from;
}

}  // namespace

std::vector<ScriptRun> script_runs(std::string_view text) {
    using enum ScriptRun::Level;
    std::vector<ScriptRun> runs;
    std::size_t begin = 0;  // the start of the base text that is not yet in a run
    for (std::size_t k = 1; k + 1 < text.size(); ++k) {
        const bool starts = k < 2 || !is_word(text[k - 2]);
        std::size_t length = 0;
        ScriptRun::Level level = base;
        if (starts && text[k] == '_' && 'A' <= text[k - 1] && text[k - 1] <= 'Z' &&
            (is_letter(text[k + 1]) || is_digit(text[k + 1])) && !is_word(at(text, k + 2)))
            length = 1, level = sub;
        else if (starts && text[k] == '^' && text[k - 1] == 'e')
            length = power_length(text, k + 1), level = super;
        if (length == 0) continue;
        runs.push_back({std::string(text.substr(begin, k - begin)), base});
        runs.push_back({std::string(text.substr(k + 1, length)), level});
        begin = k + 1 + length;
        k = begin;
    }
    if (begin < text.size() || runs.empty())
        runs.push_back({std::string(text.substr(begin)), base});
    return runs;
}

}  // namespace maskscope
