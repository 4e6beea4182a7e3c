#include "core/scene/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>

#include "core/base/error.h"

namespace maskscope {
namespace {

using Operation = Expression::Operation;
using Step = Expression::Step;

constexpr int most_open = 32;  // nested brackets, calls and signs

constexpr std::string_view row_names[] = {"i",     "j", "n_q",   "n_k",  "h",
                                          "heads", "b", "pad_i", "pad_j"};
constexpr std::string_view calls[] = {"min", "max", "pow", "abs", "floor", "exp", "log"};

struct Operator {
    std::string_view word;
    Operation operation;
};
// The operators, from the loosest to the tightest.
const std::vector<std::vector<Operator>> levels = {
    {{"||", Operation::logical_or}},
    {{"&&", Operation::logical_and}},
    {{"<=", Operation::less_equal},
     {"==", Operation::equal},
     {"!=", Operation::not_equal},
     {">=", Operation::greater_equal},
     {"<", Operation::less},
     {">", Operation::greater}},
    {{"+", Operation::add}, {"-", Operation::subtract}},
    {{"*", Operation::multiply},
     {"//", Operation::divide_down},
     {"/", Operation::divide},
     {"%", Operation::remainder}}};
constexpr std::size_t comparisons = 2;  // the index of a level

// --- reading

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool begins_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

// Returns the length of the number at the beginning of the text, as in JSON but without a sign; 0 =
// no number.
std::size_t number_length(std::string_view text) {
    const auto digits_from = [&](std::size_t at) {
        while (at < text.size() && is_digit(text[at])) ++at;
        return at;
    };
    if (text.empty() || !is_digit(text[0])) return 0;
    std::size_t end = text[0] == '0' ? 1 : digits_from(0);
    if (end < text.size() && text[end] == '.' && digits_from(end + 1) > end + 1)
        end = digits_from(end + 1);
    if (end < text.size() && (text[end] == 'e' || text[end] == 'E')) {
        const bool sign = end + 1 < text.size() && (text[end + 1] == '+' || text[end + 1] == '-');
        const std::size_t exponent = end + (sign ? 2 : 1);
        if (digits_from(exponent) > exponent) end = digits_from(exponent);
    }
    return end;
}

// Returns the part that the text begins with: a number, a name, an operator, a bracket, or one
// character.
std::string_view first_part(std::string_view text) {
    if (text.empty()) return text;
    if (const std::size_t length = number_length(text)) return text.substr(0, length);
    if (begins_name(text[0])) {
        std::size_t end = 1;
        while (end < text.size() && (begins_name(text[end]) || is_digit(text[end]))) ++end;
        return text.substr(0, end);
    }
    for (const auto& level : levels)
        for (const Operator& one : level)
            if (one.word.size() == 2 && text.starts_with(one.word)) return one.word;
    std::size_t end = 1;
    while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) ++end;
    return text.substr(0, end);
}

// A parser that reads from left to right, with a function for each level, and appends the steps.
class Reader {
public:
    Reader(std::string_view text, std::vector<Step>& steps) : text_(text), steps_(steps) { skip(); }

    void read_all() {
        read_level(0);
        if (!part_.empty()) fail("an operator or the end");
    }

private:
    void skip() {
        while (at_ < text_.size() && text_[at_] == ' ') ++at_;
        part_ = first_part(text_.substr(at_));
    }
    void advance() {
        at_ += part_.size();
        skip();
    }
    bool accept(std::string_view word) {
        if (part_ != word) return false;
        advance();
        return true;
    }
    void expect(std::string_view word, const std::string& expected) {
        if (!accept(word)) fail(expected);
    }
    [[noreturn]] void fail(const std::string& expected) const {
        fail_with(fmt::format("expected {}, got {}", expected,
                              part_.empty() ? "the end" : fmt::format("\"{}\"", part_)));
    }
    [[noreturn]] void fail_with(const std::string& message) const {
        const auto before = text_.substr(0, at_);
        const auto column = 1 + std::ranges::count_if(before, [](char c) {
                                return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
                            });
        throw InputError("", fmt::format("column {}: {}", column, message));
    }

    // Counts one more bracket, call or sign; each is closed by --open_.
    void open() {
        if (++open_ > most_open)
            fail_with(
                fmt::format("nested too deeply; expected at most {} brackets, calls and signs "
                            "inside each other",
                            most_open));
    }

    const Operator* operator_at(std::size_t level) const {
        for (const Operator& one : levels[level])
            if (one.word == part_) return &one;
        return nullptr;
    }

    void read_level(std::size_t level) {
        if (level == levels.size()) return read_unary();
        read_level(level + 1);
        while (const Operator* one = operator_at(level)) {
            advance();
            read_level(level + 1);
            steps_.push_back({one->operation});
            if (level == comparisons && operator_at(level))
                fail("\"&&\", \"||\" or the end after a comparison");
        }
    }

    void read_unary() {
        for (const auto& [word, operation] :
             {Operator{"-", Operation::negate}, Operator{"!", Operation::logical_not}}) {
            if (part_ != word) continue;
            open();
            advance();
            read_unary();
            --open_;
            steps_.push_back({operation});
            return;
        }
        read_operand();
    }

    void read_operand() {
        if (part_ == "(") {
            open();
            advance();
            read_level(0);
            expect(")", "an operator or \")\"");
            --open_;
        } else if (number_length(part_) > 0) {
            read_number();
        } else if (const auto name = std::ranges::find(row_names, part_);
                   name != std::end(row_names)) {
            steps_.push_back(
                {Operation::name, 0, static_cast<Expression::Name>(name - std::begin(row_names))});
            advance();
        } else if (const auto call = std::ranges::find(calls, part_); call != std::end(calls)) {
            read_call(call - std::begin(calls));
        } else {
            fail(!part_.empty() && begins_name(part_[0])
                     ? fmt::format("one of {}, or {}", fmt::join(row_names, ", "),
                                   fmt::join(calls, ", "))
                     : "a name, a number or \"(\"");
        }
    }

    void read_number() {
        // Use strtod, because from_chars does not say whether a number is too large or too small.
        const double number = std::strtod(std::string(part_).c_str(), nullptr);
        if (std::isinf(number)) fail("a number that float64 can hold");
        steps_.push_back({Operation::number, number});
        advance();
    }

    void read_call(std::ptrdiff_t call) {
        open();
        const bool two = call < 3;
        advance();
        expect("(", "\"(\"");
        read_level(0);
        if (two) {
            expect(",", "an operator or \",\"");
            read_level(0);
        }
        expect(")", "an operator or \")\"");
        --open_;
        steps_.push_back({static_cast<Operation>(static_cast<int>(Operation::min) + call)});
    }

    std::string_view text_, part_;  // the part begins at at_; empty at the end
    std::vector<Step>& steps_;
    std::size_t at_ = 0;
    int open_ = 0;
};

// --- evaluating

double truth(bool x) { return x ? 1 : 0; }

// One number for all keys of the row, or one for each key.
struct Value {
    double number = 0;
    std::vector<double> numbers;
    double at(std::size_t j) const { return numbers.empty() ? number : numbers[j]; }
};

template <class F>
void change(Value& x, F f) {
    if (x.numbers.empty())
        x.number = f(x.number);
    else
        for (double& number : x.numbers) number = f(number);
}

// Replaces x with f(x, y).
template <class F>
void combine(Value& x, Value& y, F f) {
    if (x.numbers.empty() && y.numbers.empty()) {
        x.number = f(x.number, y.number);
    } else if (x.numbers.empty()) {
        for (double& number : y.numbers) number = f(x.number, number);
        x.numbers.swap(y.numbers);
    } else {
        for (std::size_t j = 0; j < x.numbers.size(); ++j) x.numbers[j] = f(x.numbers[j], y.at(j));
    }
}

void apply(Operation operation, Value& x) {
    switch (operation) {
        case Operation::negate:
            return change(x, [](double a) { return -a; });
        case Operation::logical_not:
            return change(x, [](double a) { return truth(a == 0); });
        case Operation::abs:
            return change(x, [](double a) { return std::abs(a); });
        case Operation::floor:
            return change(x, [](double a) { return std::floor(a); });
        case Operation::exp:
            return change(x, [](double a) { return std::exp(a); });
        default:
            return change(x, [](double a) { return std::log(a); });
    }
}

void apply(Operation operation, Value& x, Value& y) {
    switch (operation) {
        case Operation::logical_or:
            return combine(x, y, [](double a, double b) { return truth(a != 0 || b != 0); });
        case Operation::logical_and:
            return combine(x, y, [](double a, double b) { return truth(a != 0 && b != 0); });
        case Operation::less:
            return combine(x, y, [](double a, double b) { return truth(a < b); });
        case Operation::less_equal:
            return combine(x, y, [](double a, double b) { return truth(a <= b); });
        case Operation::equal:
            return combine(x, y, [](double a, double b) { return truth(a == b); });
        case Operation::not_equal:
            return combine(x, y, [](double a, double b) { return truth(a != b); });
        case Operation::greater_equal:
            return combine(x, y, [](double a, double b) { return truth(a >= b); });
        case Operation::greater:
            return combine(x, y, [](double a, double b) { return truth(a > b); });
        case Operation::add:
            return combine(x, y, [](double a, double b) { return a + b; });
        case Operation::subtract:
            return combine(x, y, [](double a, double b) { return a - b; });
        case Operation::multiply:
            return combine(x, y, [](double a, double b) { return a * b; });
        case Operation::divide:
            return combine(x, y, [](double a, double b) { return a / b; });
        case Operation::divide_down:
            return combine(x, y, [](double a, double b) { return std::floor(a / b); });
        case Operation::remainder:
            return combine(x, y, [](double a, double b) { return a - b * std::floor(a / b); });
        case Operation::min:
            return combine(x, y, [](double a, double b) {
                return std::isnan(a) || std::isnan(b) ? not_a_number : std::min(a, b);
            });
        case Operation::max:
            return combine(x, y, [](double a, double b) {
                return std::isnan(a) || std::isnan(b) ? not_a_number : std::max(a, b);
            });
        default:
            return combine(x, y, [](double a, double b) { return std::pow(a, b); });
    }
}

Value value_of(Expression::Name name, const ExpressionRow& row) {
    const auto each = [](std::span<const double> numbers) {
        return Value{0, {numbers.begin(), numbers.end()}};
    };
    switch (name) {
        case Expression::Name::i:
            return {row.i, {}};
        case Expression::Name::j:
            return each(row.j);
        case Expression::Name::n_q:
            return {row.n_q, {}};
        case Expression::Name::n_k:
            return {row.n_k, {}};
        case Expression::Name::h:
            return {row.h, {}};
        case Expression::Name::heads:
            return {row.heads, {}};
        case Expression::Name::b:
            return {row.b, {}};
        case Expression::Name::pad_i:
            return {row.pad_i, {}};
        case Expression::Name::pad_j:
            return each(row.pad_j);
    }
    return {};
}

}  // namespace

Expression::Expression(std::string_view text) { Reader(text, steps_).read_all(); }

bool takes_two(Operation operation) {
    return operation != Operation::negate && operation != Operation::logical_not &&
           operation > Operation::name && operation < Operation::abs;
}

bool Expression::reads(Name name) const {
    return std::ranges::any_of(steps_, [&](const Step& step) {
        return step.operation == Operation::name && step.name == name;
    });
}

void Expression::evaluate(const ExpressionRow& row, std::span<double> values) const {
    std::vector<Value> stack;
    for (const Step& step : steps_) {
        if (step.operation == Operation::number) {
            stack.push_back({step.number, {}});
        } else if (step.operation == Operation::name) {
            stack.push_back(value_of(step.name, row));
        } else if (!takes_two(step.operation)) {
            apply(step.operation, stack.back());
        } else {
            Value last = std::move(stack.back());
            stack.pop_back();
            apply(step.operation, stack.back(), last);
        }
    }
    for (std::size_t j = 0; j < values.size(); ++j) values[j] = stack.back().at(j);
}

std::span<const std::string_view> expression_names() { return row_names; }
std::span<const std::string_view> expression_calls() { return calls; }

}  // namespace maskscope
