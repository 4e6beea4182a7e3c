#pragma once
// What the cells of one heatmap say: number, blocked, leaking, NaN, ±∞, exact 0; and how.

#include <memory>
#include <string>
#include <vector>

#include "app/figure/theme.h"
#include "core/number_text.h"
#include "core/result.h"

namespace maskscope {

// Bits of Cells::signs. A number and whether it is blocked are told apart.
namespace sign {
inline constexpr std::uint8_t blocked = 1, leaks = 2, nan = 4, plus_infinity = 8,
                              minus_infinity = 16, zero = 32;
}

// One heatmap's numbers: one stage of one variant, sequence and head. Immutable and shared, so
// that a texture is remade only when the pointer changed.
struct Cells {
    StageKind stage = StageKind::weights;
    bool difference = false;  // of two lanes or heads: signed, never blocked, every 0 is a number
    Index rows = 0, columns = 0;
    std::vector<double> values;           // [rows, columns]; of the mask 1 and 0
    std::vector<std::uint8_t> signs;      // [rows, columns]
    bool operator==(const Cells&) const;  // bitwise: NaN equals NaN
};
using SharedCells = std::shared_ptr<const Cells>;

SharedCells cells_of(const VariantResult& result, StageKind stage, Index b, Index h);
// x − y, both [rows, columns]; NaN where either is (−∞ − −∞ is, too).
SharedCells difference_of(const Cells& x, const Cells& y);

// The limits of colour of a stage, from the allowed finite cells of all lanes and heads.
struct Limits {
    double low = 0, high = 1;
    bool logarithmic = false;  // equal ratios are equal steps of colour; 0 < low then
    bool operator==(const Limits&) const = default;
};
// weights and softmax: 0 to 1; sensitivity: 0 to its largest; signed stages: symmetric about 0.
// logarithmic (of unsigned stages alone): from the power of ten at or below the smallest number
// above 0, 8 powers at most; what lies below it takes the end colour.
Limits limits_of(const std::vector<const VariantResult*>& lanes, StageKind stage,
                 bool logarithmic = false);
bool is_signed(StageKind stage);  // its colours diverge from 0
// Symmetric about 0, from the finite numbers of all of them; at least `least` at either side, so
// that what is rounding alone stays pale.
Limits limits_of_differences(const std::vector<SharedCells>& differences, double least);
ColourMap map_of(StageKind stage, ThemeKind theme);
// Alpha 0 where a number has no colour: NaN, ±∞, and the mask's 1 and 0.
Colour fill_of(double value, StageKind stage, Limits limits, ColourMap map);

}  // namespace maskscope
