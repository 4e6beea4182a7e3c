#pragma once
// The formula of a mask rule: arithmetic over the positions of a query and a key, as typed.
//
//   || then && then one comparison (< <= == != >= >, not chained) then + - then * / // % then - !
//   numbers as in JSON, without a sign; names; min max pow abs floor exp log; ( )
//
// Everything is float64 and follows IEEE 754, each operation rounded on its own. A comparison, !,
// && and || give 1 or 0; every number except 0 is true, including NaN. a // b is ⌊a / b⌋, a % b is
// a − b · ⌊a / b⌋.

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/shape.h"

namespace maskscope {

inline constexpr std::size_t most_expression_bytes = 200;

// The values of an expression's names in the row of one query.
struct ExpressionRow {
    double i = 0;  // the query's position
    double n_q = 0, n_k = 0, h = 0, heads = 0, b = 0;
    double pad_i = 0;                  // 1 if the query is a pad token, else 0
    std::span<const double> j, pad_j;  // [n_k]
};

class Expression {
public:
    enum class Name : std::uint8_t { i, j, n_q, n_k, h, heads, b, pad_i, pad_j };

    // Throws InputError (empty place) that gives the column, in characters from 1, of the first
    // part that is not allowed there: `column 6: expected a name, a number or "(", got "<"`.
    explicit Expression(std::string_view text);

    bool reads(Name name) const;
    // Computes the expression for every key: n_k numbers.
    void evaluate(const ExpressionRow& row, std::span<double> values) const;

    enum class Operation : std::uint8_t {
        number,
        name,
        logical_or,
        logical_and,
        less,
        less_equal,
        equal,
        not_equal,
        greater_equal,
        greater,
        add,
        subtract,
        multiply,
        divide,
        divide_down,
        remainder,
        negate,
        logical_not,
        min,
        max,
        pow,
        abs,
        floor,
        exp,
        log
    };
    struct Step {  // operands first
        Operation operation;
        double number = 0;
        Name name = Name::i;
    };

    std::span<const Step> steps() const { return steps_; }

private:
    std::vector<Step> steps_;
};

bool takes_two(Expression::Operation operation);  // true for two operands, not one or none

// Returns the names and calls that an expression may use, for help.
std::span<const std::string_view> expression_names();
std::span<const std::string_view> expression_calls();

}  // namespace maskscope
