#include "core/lesson/answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/lesson/lesson.h"
#include "core/scene/names.h"

namespace maskscope {

std::optional<Cover> hidden_by(const Step& step) {
    return step.ask.empty() ? std::nullopt : std::optional(step.covers.value_or(Cover()));
}

namespace {

// Reduces an answer to what different wordings of it have in common.
std::string core_of(std::string_view words) {
    std::string text(words);
    for (char& c : text)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    for (const char* quote : {"“", "”", "\"", "'", "’", "‘"}) replace_all(text, quote, "");
    replace_all(text, "−", "-");
    replace_all(text, "infinity", "∞");
    replace_all(text, "inf", "∞");
    while (!text.empty() && std::string_view(".!? ").find(text.back()) != std::string_view::npos)
        text.pop_back();
    std::string_view core = trimmed(text);
    for (const std::string_view opening : {"in ", "the ", "variant ", "lane "})
        if (core.starts_with(opening)) core.remove_prefix(opening.size());
    return std::string(trimmed(core));
}

// A number as it is shown or typed.
struct Number {
    double value = 0;
    double rounding = 0;  // half of its last digit
    bool percent = false;
    char limit = 0;  // '<' or '>': shown if rounding would give 0 or 1
};

int exponent_of(const std::string& digits) {
    int exponent = 0;
    const char* const begin = digits.data() + (digits.starts_with('+') ? 1 : 0);
    std::from_chars(begin, digits.data() + digits.size(), exponent);
    return exponent;
}

std::optional<Number> number_of(std::string_view words) {
    std::string text = core_of(words);
    std::erase(text, ' ');
    std::ranges::replace(text, ',', '.');
    for (const char* below : {"lessthan", "below", "under"}) replace_all(text, below, "<");
    for (const char* above : {"morethan", "above", "over"}) replace_all(text, above, ">");
    Number number;
    if (!text.empty() && (text[0] == '<' || text[0] == '>')) {
        number.limit = text[0];
        text.erase(0, 1);
    }
    if (text.ends_with('%')) {
        number.percent = true;
        text.pop_back();
    }
    if (text.starts_with('+')) text.erase(0, 1);
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number.value);
    if (text.empty() || error != std::errc() || stop != end || !std::isfinite(number.value))
        return std::nullopt;
    const auto point = text.find('.'), exponent = text.find('e');
    const auto digits_end = exponent == std::string::npos ? text.size() : exponent;
    const double decimals = point == std::string::npos ? 0 : double(digits_end - point - 1);
    double scale = number.percent ? 0.01 : 1;
    if (exponent != std::string::npos)
        scale *= std::pow(10, exponent_of(text.substr(exponent + 1)));
    number.rounding = scale * std::pow(10, -decimals) / 2;
    if (number.percent) number.value /= 100;
    return number;
}

struct Numbers {
    Number said, truth;
};

bool agree(const Numbers& numbers) {
    const auto& [said, truth] = numbers;
    if (truth.limit == '<') return said.value <= truth.value;
    if (truth.limit == '>') return said.value >= truth.value;
    return std::abs(said.value - truth.value) <= truth.rounding * (1 + 1e-9);
}

// True if the number is within a tenth of the answer, or if it is a bound that holds and differs
// from the answer by a factor of at most 10.
bool is_close(const Numbers& numbers) {
    const auto& [said, truth] = numbers;
    if (said.limit == '<') return truth.value < said.value && said.value <= 10 * truth.value;
    if (said.limit == '>') return truth.value > said.value && truth.value <= 10 * said.value;
    return std::abs(said.value - truth.value) <= std::abs(truth.value) / 10;
}

// Reads both as numbers; nullopt if one of them is not a number. If the answer is a percentage, a
// number typed without % may be one, too: 30 means 30%, and 0.6 means 0.6% if that is nearer.
std::optional<Numbers> numbers_of(std::string_view said, std::string_view answer) {
    const auto truth = number_of(answer);
    const auto typed = number_of(said);
    if (!truth || !typed) return std::nullopt;
    Numbers in_percent{*typed, *truth};
    in_percent.said.value /= 100;
    const auto off = [&](double value) { return std::abs(value - truth->value); };
    const bool reads_so = truth->percent && !typed->percent &&
                          (std::abs(typed->value) > 1 || agree(in_percent) ||
                           off(in_percent.said.value) < off(typed->value));
    return reads_so ? in_percent : Numbers{*typed, *truth};
}

std::string off_by(const Numbers& numbers) {
    const auto& [said, truth] = numbers;
    const double off = said.value - truth.value;
    return fmt::format("{:.3g}{} too {}", std::abs(truth.percent ? 100 * off : off),
                       truth.percent ? " points" : "", off > 0 ? "much" : "little");
}

// Returns "“cat”", "30%", "B 12".
std::string quoted(const GivenAnswer& said) {
    if (said.hands > 0) return fmt::format("{} {}", said.text, said.hands);
    return number_of(said.text) ? said.text : fmt::format("“{}”", said.text);
}

}  // namespace

std::optional<GivenAnswer> read_said(std::string_view typed) {
    typed = trimmed(typed);
    const auto colon = typed.rfind(':');
    if (colon != std::string_view::npos) {
        const std::string_view words = trimmed(typed.substr(0, colon)),
                               count = trimmed(typed.substr(colon + 1));
        int hands = 0;
        const char* const end = count.data() + count.size();
        const auto [stop, error] = std::from_chars(count.data(), end, hands);
        if (!words.empty() && !count.empty() && error == std::errc() && stop == end && hands > 0)
            return GivenAnswer{std::string(words), hands};
    }
    if (typed.empty()) return std::nullopt;
    return GivenAnswer{std::string(typed), 0};
}

void say(std::vector<GivenAnswer>& all, GivenAnswer said) {
    std::erase_if(all, [&](const GivenAnswer& former) {
        return core_of(former.text) == core_of(said.text) || (former.hands == 0 && said.hands == 0);
    });
    all.push_back(std::move(said));
}

bool is_answer(std::string_view said, std::string_view answer) {
    if (const auto numbers = numbers_of(said, answer)) return agree(*numbers);
    return core_of(said) == core_of(answer);
}

Judgement judge_answers(const std::vector<GivenAnswer>& said,
                        const std::vector<std::string>& answers) {
    const auto is_right = [&](const GivenAnswer& one) {
        return std::ranges::any_of(
            answers, [&](const std::string& answer) { return is_answer(one.text, answer); });
    };
    const GivenAnswer& most = *std::ranges::max_element(said, {}, &GivenAnswer::hands);
    const bool alone = said.size() == 1 && most.hands == 0;
    Judgement answered{.words = alone ? "You said " : "", .right = is_right(most)};
    for (const GivenAnswer& one : said)
        answered.words += (&one == said.data() ? "" : ", ") + quoted(one);
    if (answers.empty()) {
        answered.words += ".";
        return answered;
    }
    if (alone && answered.right) {
        answered.words += ": right.";
        return answered;
    }
    if (alone)
        if (const auto numbers = numbers_of(most.text, answers.front()))
            answered.words += is_close(*numbers) ? ": close" : ", " + off_by(*numbers);
    answered.words += fmt::format(". The answer is {}.", answers.front());
    return answered;
}

}  // namespace maskscope
