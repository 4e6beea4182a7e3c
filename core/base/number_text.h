#pragma once
// Writes numbers for a cell, the inspector or a caption. They are the same in window, figures and
// command line, whatever the locale. The minus is U+2212, except within an exponent (3.7e-6).

#include <string>

namespace maskscope {

// Writes a number for a cell, with two decimals: "0", "<.01", "0.00" below 0, ">.99", "−∞", "NaN";
// whole from 1000 on, two digits and an exponent from 1e5 on: "−1e9". is_share: a softmax output or
// a weight, for which ">.99" stands for a number that would round to 1 from below.
std::string cell_text(double value, bool is_share);

// Shorter ways to write the same numbers, for narrower cells.
enum class NumberForm {
    two_decimals,  // "0.49": cell_text()
    no_zero,       // ".49", "−.42": without the zero before the point, and whole numbers as "1"
    // ".5", "1.5", "1", whole from 10 on, "2.3e3" from 1000 on; "<.1", ".0" and ">.9" if one
    // decimal would give 0 or 1
    one_decimal
};
std::string cell_text(double value, bool is_share, NumberForm form);

// Writes a number with `digits` decimals for the inspector: "3.307". A number that would round to 0
// has two digits and an exponent: "3.7e-6"; from 1e5 on "1.235e5". Exact zero is "0".
std::string exact_text(double value, int digits = 3);

// Writes a softmax output or a weight in the same way, but ">.999" for a number that would round to
// 1 from below.
std::string exact_share(double value);

// Writes a number as typed, with all its digits: "0.125", "−1e9", "−1e4", "12345".
std::string typed_text(double value);

// Writes a share as a percentage with two digits: "60%", "6.2%", "0.62%", ">99%" (below 1, but
// would round to it), "0%", "100%"; above 1 without decimals: "123%".
std::string percent_text(double value);

}  // namespace maskscope
