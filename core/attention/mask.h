#pragma once
// The mask: which keys a query may see, what it adds to the scores before the softmax, and what it
// multiplies the weights by after it.
//   allowed [n_q, n_k]   scores, scaled, logits, softmax, weights [rows, n_k]

#include <string>
#include <vector>

#include "core/attention/precision.h"
#include "core/base/matrix.h"
#include "core/scene/mask_rules.h"
#include "core/scene/scene.h"

namespace maskscope {

// allowed(i, j) of sequence b and head h: every layer that holds for h allows the key, or an
// `allowed` layer opens it. [n_q, n_k], padded sizes. Biases block nothing.
Allowed allowed_cells(const Scene& scene, const std::vector<MaskLayer>& layers, Index b, Index h);

// Likewise of queries and keys that need not be all of the scene's.
Allowed allowed_cells(const Scene& scene, const std::vector<MaskLayer>& layers,
                      const Attending& attending);
// The allowed cells of `rows` of these queries, from `first` on: [rows, n_k].
Allowed allowed_cells(const Scene& scene, const std::vector<MaskLayer>& layers,
                      const Attending& attending, Index first, Index rows);

// The sum of the biases (alibi, bias, formula_bias) that hold for the head, for `rows` of the
// queries from `first` on: [rows, n_k], or empty if there are none. Not rounded.
Matrix biases(const Scene& scene, const std::vector<MaskLayer>& layers, const Attending& attending,
              Index first, Index rows);

// The value that blocks a key, as the dtype holds it: -inf, its lowest number, or a number.
double blocked_value(const BlockedValue& value, Dtype dtype);

struct Logits {
    Matrix numbers;  // rounded
    Matrix
        slope;  // of the softcap at each cell, 1 − tanh²(x/c), 0 at infinities; empty without one
};

// With scale_then_mask the mask acts on scaled + bias; with mask_then_scale on the scores, which
// are then scaled, and the bias is added last. bias may be empty. A softcap acts on scaled, or
// last.
// scales: of each row, in place of scale; may be empty.
Logits mask_before_softmax(const Variant& variant, const Matrix& scores, const Matrix& scaled,
                           double scale, const Matrix& bias, const Allowed& allowed,
                           const std::vector<double>& scales = {});

// The weights before empty rows are zeroed, rounded: softmax × (1 or 0), each row divided by its
// sum if renormalized, or the softmax itself.
Matrix mask_after_softmax(Apply apply, Dtype dtype, const Matrix& softmax, const Allowed& allowed);

// The mask as it acts: rows without a key allow every key if the variant says so.
Allowed acting_mask(const Variant& variant, const Allowed& allowed);

// Numbers times the scale of all rows, or of each.
Matrix times_scale(const Matrix& numbers, double scale, const std::vector<double>& scales);

// Does the policy change row i? Only where no key is allowed and the mask is applied.
bool is_mended(const Mask& mask, EmptyRows policy, const Allowed& allowed, Index i);

// The weights with the rows in which no key is allowed set to 0, if the policy says so.
Matrix zero_empty_rows(const Mask& mask, EmptyRows policy, Matrix weights, const Allowed& allowed);

}  // namespace maskscope
