#pragma once
// Computes the inspector's arithmetic as plain data: how one weight is computed, line by line, from
// the score to the weight; and its row. Every result is a number of the Result, or follows from its
// stages within one stage; the last line of each variant is the weight.

#include <string>
#include <string_view>
#include <vector>

#include "app/style/theme.h"
#include "core/result/result.h"

namespace maskscope {

// A line such as "× 1/√8" and "1.169": operands left, result right.
struct ArithmeticLine {
    std::string operation, result;
    bool strong = false;      // for shares of the row: softmax and weights
    std::string_view term{};  // what it is about, see explanation(): "score", "scale", "logit", …
    bool in_words = false;    // no operator: "in float16", "empty row, left out"
    bool operator==(const ArithmeticLine&) const = default;
};

struct LaneArithmetic {
    int lane = 0;  // variant, A = 0
    std::vector<ArithmeticLine> lines;
    bool operator==(const LaneArithmetic&) const = default;
};

// The weight that one variant gives to one key of the row.
struct KeyShare {
    double weight = 0;  // including NaN and infinities
    bool blocked = false,
         leaks = false;  // leaks: a weight of at least least_leak on a blocked key or a pad token
};

// One key of the row as bars, one bar for each variant.
struct KeyBars {
    std::string key;
    bool focused = false;          // the key of the cell itself
    std::vector<KeyShare> shares;  // in the order of Arithmetic::lanes
    bool is_blocked() const;  // blocked and without weight in every variant: labelled so, no bars
};

// All keys of a short row; for a long row the largest weights and the cell's own key, in order.
struct Bars {
    std::vector<KeyBars> keys;
    Index more = 0;      // keys of the row without bars
    double longest = 1;  // the weight of the longest bar: 1, but in a long row, whose weights are
                         // small, the largest
};

// A statistic of the row, one number for each variant.
struct RowNumber {
    std::string text;       // "0.325", "—"
    Role role = Role::ink;  // ink = calm, odd, wrong
};
struct RowLine {
    std::string name;  // "sum", "entropy", "sensitivity, blocked"
    std::vector<RowNumber> numbers;
};

struct Arithmetic {
    std::string query, key;              // the two tokens; "not / him" if lanes have others
    std::vector<ArithmeticLine> shared;  // what all variants begin with: score and scale
    std::vector<LaneArithmetic> lanes;
    Bars bars;
    std::vector<RowLine> figures;
};

// Computes the arithmetic of cell (i, j) of sequence b and head h in these variants. Variants that
// the result does not have are left out; for an invalid cell the lists are empty.
Arithmetic make_arithmetic(const Result& result, const std::vector<int>& lanes, Index b, Index h,
                           Cell cell);

// Returns the variant's shares of the row in one line, with every operator: "3.220 / 4.901 × 1 =
// 0.657", "0.956 / 27.620 × 1 = 0.035, 0.035 / 0.666 = 0.052". "" if it has none.
std::string chain_text(const LaneArithmetic& lane);

// Returns how near to 1 a row sum counts as 1: 1e-6, 1e-3 for float16, 4e-3 for bfloat16.
double sum_tolerance(Dtype dtype);

}  // namespace maskscope
