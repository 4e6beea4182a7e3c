#pragma once
// Computes the inspector's arithmetic as plain data: one weight, line by line from the score to the
// weight, and its row. Every result is a number of the Result, or follows from one stage of it; the
// last line of each variant is the weight.

#include <string>
#include <string_view>
#include <vector>

#include "app/style/theme.h"
#include "core/result/result.h"

namespace maskscope {

// A line of arithmetic: the operation on the left ("× 1/√8"), the result on the right ("1.169").
struct ArithmeticLine {
    std::string operation, result;
    bool strong = false;      // softmax output and weights: shares of the row
    std::string_view term{};  // the term explained, see explanation(): "score", "scale", "logit", …
    bool in_words = false;    // words instead of an operator: "in float16", "empty row, skipped"
    bool operator==(const ArithmeticLine&) const = default;
};

struct VariantArithmetic {
    int index = 0;  // index of the variant
    std::vector<ArithmeticLine> lines;
    bool operator==(const VariantArithmetic&) const = default;
};

// The weight that one variant gives to one key of the row.
struct KeyShare {
    double weight = 0;  // may be NaN or infinite
    // leaks: the weight is at least least_leak on a blocked key or a pad token.
    bool blocked = false, leaks = false;
};

// One key of the row as bars, one bar for each variant.
struct KeyBars {
    std::string key;
    bool focused = false;          // the key of the pinned cell
    std::vector<KeyShare> shares;  // in the order of Arithmetic::variants
    bool is_blocked() const;  // blocked and without weight in every variant: has a label, no bars
};

// All keys of a short row; of a long row, those with the largest weights and the cell's own key, in
// the order of the row.
struct Bars {
    std::vector<KeyBars> keys;
    Index more = 0;      // the number of keys without bars
    double longest = 1;  // the weight of the longest bar: 1, or in a long row, whose weights are
                         // small, the largest weight
};

// A statistic of the row for one variant.
struct RowNumber {
    std::string text;       // such as "0.325" or "—"
    Role role = Role::ink;  // ink = normal, odd, wrong
};
struct RowLine {
    std::string name;  // such as "sum", "entropy" or "sensitivity, blocked"
    std::vector<RowNumber> numbers;
};

struct Arithmetic {
    std::string query, key;              // the two tokens, or "not / him" if variants differ
    std::vector<ArithmeticLine> shared;  // the lines with which all variants begin: score and scale
    std::vector<VariantArithmetic> variants;
    Bars bars;
    std::vector<RowLine> figures;
};

// Computes the arithmetic of cell (i, j) of sequence b and head h in these variants. Omits variants
// that the result does not have; if the cell is invalid, all lists are empty.
Arithmetic make_arithmetic(const Result& result, const std::vector<int>& variants, Index b, Index h,
                           Cell cell);

// Returns how the variant's softmax output and weight were computed, as one line: "3.220 / 4.901 ×
// 1 = 0.657" or "0.956 / 27.620 × 1 = 0.035, 0.035 / 0.666 = 0.052"; "" if there are none.
std::string chain_text(const VariantArithmetic& variant);

// Returns how much a row sum may differ from 1 and still count as 1: 1e-6, 1e-3 for float16, 4e-3
// for bfloat16.
double sum_tolerance(Dtype dtype);

}  // namespace maskscope
