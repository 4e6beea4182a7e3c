#pragma once
// Shared by the files of arithmetic: one cell of one variant.

#include <cstdint>
#include <string>
#include <vector>

#include "app/show/arithmetic/arithmetic.h"
#include "core/scene/mask_rules.h"
#include "core/scene/scene.h"

namespace maskscope {

// One cell of one variant, and what was computed for it.
struct Place {
    const Scene& scene;
    const Variant& variant;
    const VariantResult& result;
    Index b, h;
    Cell cell;

    bool has(StageKind stage) const { return result.stage(stage).exists(); }
    double at(StageKind stage) const { return result.stage(stage).at(b, h, cell.i, cell.j); }
    bool allowed() const { return allowed_row()[cell.j] != 0; }
    // Returns the numbers of all keys, [n_k].
    std::vector<double> row(StageKind stage) const {
        return result.stage(stage).row_at(b, h, cell.i);
    }
    // Returns the mask as it acts: a row without an allowed key may allow all.
    std::vector<std::uint8_t> allowed_row() const {
        std::vector<std::uint8_t> row = mask_row();
        const bool opens = opens_empty_rows(variant.mask.apply, variant.empty_rows);
        if (opens && result.row(b, h, cell.i).empty) row.assign(row.size(), 1);
        return row;
    }
    std::vector<std::uint8_t> mask_row() const { return result.allowed_row(b, h, cell.i); }
};

using Places = std::vector<Place>;  // the lanes of one cell; not empty

// True if the policy for rows without an allowed key has set this row to 0.
bool is_emptied(const Place& place);

Bars bars_of(const Places& places);
std::vector<RowLine> figures_of(const Places& places);

// Writes the numbers of the inspector's lines.

// Writes a typed number without its sign: 2, 0.125, 1e9, ∞; a dtype's lowest number in few digits.
std::string typed_magnitude(double value);
std::string signed_text(double value);  // the same with its sign
// Writes "a − b" or "a + b", depending on the sign of b.
std::string sum_text(double a, double b, const std::string& magnitude_of_b);
std::string in_brackets(double value);  // "3.000", "(−3.000)"
// True if rounding to the dtype has changed more than the last digit: by overflow, underflow, or a
// lost summand.
bool is_drastic(double exact, double rounded, Dtype dtype);

}  // namespace maskscope
