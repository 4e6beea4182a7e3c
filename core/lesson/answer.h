#pragma once
// Judges answers to a step's question before the correct one is shown, and how near they are to it.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace maskscope {

struct Cover;
struct Step;

// Returns what a step hides until its question is answered; nullopt if it asks none.
std::optional<Cover> hidden_by(const Step& step);

struct GivenAnswer {
    std::string text;
    int hands = 0;  // hands counted in a class; 0 = one person answers
    bool operator==(const GivenAnswer&) const = default;
};

// Reads an answer as typed: "columns", or with a count of hands "columns: 12". nullopt if it is
// empty.
std::optional<GivenAnswer> read_said(std::string_view typed);

// Adds an answer. It replaces an earlier one without hands, or the earlier count for the same
// words.
void say(std::vector<GivenAnswer>& all, GivenAnswer said);

// True if the words are the answer. A number is right if it equals what `answer` shows, rounded in
// the same way: .3 and 30% are both right for "30%". Words are compared without case, quotes, final
// punctuation, and "in", "the", "variant" and "lane" at the beginning.
bool is_answer(std::string_view said, std::string_view answer);

// The answers, compared with the correct one.
struct Judgement {
    // "You said “rows”. The answer is columns.", "You said 50%, 15 points too much. …", "You said
    // 40%: close. …" (within a tenth) or "columns 12, rows 23. The answer is columns."
    std::string words;
    bool right = false;  // true if the single answer, or that of most hands, is right
    bool operator==(const Judgement&) const = default;
};
// Judges the answers. said: not empty. answers: those of the step, filled in; if empty, the correct
// answer is not named.
Judgement judge_answers(const std::vector<GivenAnswer>& said,
                        const std::vector<std::string>& answers);

}  // namespace maskscope
