#pragma once
// The words of a step: text with expressions in braces that follow every edit of the scene. "{{" is
// a literal opening brace; a closing brace outside an expression is literal.
//
//   {B.sum[0,0,2]}, {B.sum[0,0,2]:%}  a number, or the same as a percentage
//   {A.scaled[0,0,2,1]:exp}           e to the power of the number
//   {B.test.future}   a test of the variant's mask: pass, fail or n/a
//   {count(B.sum[0,0,all] < 1)}  how many of the entries have this relation to a number
//   {q[2]}, {q[1,2]}  the token of query 2 (of sequence 1); {k[4]} that of a key
//   {pad[5]}          the token of key 5, which must be a pad token
//   {n_q}, {n_k}      the number of queries and of keys
//   {B.name}          the variant's name, and what was changed since the step
//   {B.mask.value}    a setting in the words of its menu: see settings()

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/lesson/lesson.h"

namespace maskscope {

struct NumberPart {
    Address address;                            // has only indices and sums
    bool percent = false, exponential = false;  // at most one of them
    bool operator==(const NumberPart&) const = default;
};

struct TallyPart {
    Address address;               // has at least one "all", and no "any"
    Relation is = Relation::less;  // neither near nor nan
    double than = 0;
    bool operator==(const TallyPart&) const = default;
};

struct TokenPart {
    enum class Of { query, key, pad };
    Of of = Of::query;
    Index b = 0, index = 0;
    bool operator==(const TokenPart&) const = default;
};

struct CountPart {
    bool of_keys = false;
    bool operator==(const CountPart&) const = default;
};

struct SettingPart {
    int variant = 0;
    std::string of;  // "name", or a setting of a variant
    bool operator==(const SettingPart&) const = default;
};

using CaptionPart =
    std::variant<std::string, NumberPart, TallyPart, TokenPart, CountPart, SettingPart>;

// Parses a caption. Throws InputError (empty place).
std::vector<CaptionPart> parse_caption(std::string_view caption);
// Returns the addresses that a text reads; none if it is not valid because it is still being typed.
std::vector<Address> addresses_in(std::string_view text);

// Throws InputError (empty place) if the text names something that the scene does not have.
void check_caption(std::string_view caption, const Scene& scene);

// Returns the text with everything filled in; nullopt if something that it names no longer exists.
// A number for which there is not enough memory becomes "—". draws = false: a root_d number that
// needs a new draw, or depends that the result does not hold, becomes "…". step: the scene as the
// lesson has it. Throws InputError.
std::optional<std::string> fill_caption(std::string_view caption, const Result& result,
                                        const Scene& step, bool draws = true);

// Writes a part: "{B.sum[0,0,2]:%}", "{q[2]}"; literal text with its braces doubled.
std::string expression_text(const CaptionPart& part);

// A step's words as shown. "" = there are none, or they name something that no longer exists; the
// caption and the question are then own_bench.
struct StepWords {
    std::string caption{}, ask{}, claim{}, try_this{};
    std::vector<std::string>
        answers{};  // without answers that name something that no longer exists
    std::string notes{};
    StepTable table{};  // also empty if a cell names something that no longer exists
    bool operator==(const StepWords&) const = default;
};
// Returns "Answer: 16"; "" if the step has no answer.
std::string answer_line(const StepWords& words);
// The text in place of a caption or question that names something that no longer exists. The fact
// and the Try of the step are removed with the caption.
inline constexpr std::string_view own_bench = "You have changed this step. Press R to restore it.";

// Fills in the words. The claim is the text of the step's first fact. Text that is not valid is
// shown as typed.
StepWords fill_words(const Step& step, const Result& result, bool draws = true);

}  // namespace maskscope
