#pragma once
// The mask: which keys a query may attend to, what is added to the scores before the softmax, and
// what the weights are multiplied by afterwards.
//   allowed [n_q, n_k]   scores, scaled, logits, softmax, weights [rows, n_k]

#include <string>
#include <vector>

#include "core/attention/precision.h"
#include "core/base/matrix.h"
#include "core/scene/mask_rules.h"
#include "core/scene/scene.h"

namespace maskscope {

// Returns whether each key is allowed for sequence b and head h: every rule that holds for h allows
// the key, or an `allowed` rule allows it. [n_q, n_k], padded sizes. Biases block nothing.
Allowed allowed_cells(const Scene& scene, const std::vector<MaskLayer>& layers, Index b, Index h);

// Does the same for queries and keys that need not be all of the scene's.
Allowed allowed_cells(const Scene& scene, const std::vector<MaskLayer>& layers,
                      const HeadPositions& attending);
// Returns the allowed cells of `rows` of these queries, from `first` on: [rows, n_k].
Allowed allowed_cells(const Scene& scene, const std::vector<MaskLayer>& layers,
                      const HeadPositions& attending, Index first, Index rows);

// Returns the sum of the biases (alibi, bias, formula_bias) that hold for the head, for `rows` of
// the queries from `first` on: [rows, n_k], or empty if there are none. Not rounded.
Matrix biases(const Scene& scene, const std::vector<MaskLayer>& layers,
              const HeadPositions& attending, Index first, Index rows);

// Returns the mask value as the dtype holds it: -inf, its lowest number, or a number.
double blocked_value(const BlockedValue& value, Dtype dtype);

struct Logits {
    Matrix numbers;  // rounded
    Matrix slope;  // the softcap's derivative at each cell, 1 − tanh²(x/c), 0 at infinities; empty
                   // without a softcap
};

// Applies the mask before the softmax. With scale_then_mask it acts on scaled + bias; with
// mask_then_scale on the scores, which are then scaled, and the bias is added last. bias may be
// empty. A softcap acts on scaled, or at the end. scales: one factor for each row, in place of
// scale; may be empty.
Logits mask_before_softmax(const Variant& variant, const Matrix& scores, const Matrix& scaled,
                           double scale, const Matrix& bias, const Allowed& allowed,
                           const std::vector<double>& scales = {});

// Returns the weights before empty rows are zeroed, rounded: softmax × (1 or 0), each row divided
// by its sum if renormalized, or the softmax itself.
Matrix mask_after_softmax(Apply apply, Dtype dtype, const Matrix& softmax, const Allowed& allowed);

// Returns the mask as it acts: rows without an allowed key allow every key if the variant says so.
Allowed acting_mask(const Variant& variant, const Allowed& allowed);

// Multiplies numbers by the scale of all rows, or by that of each row.
Matrix times_scale(const Matrix& numbers, double scale, const std::vector<double>& scales);

// True if the policy changes row i. It does so only if no key is allowed and the mask is applied.
bool is_mended(const Mask& mask, EmptyRows policy, const Allowed& allowed, Index i);

// Returns the weights, with rows in which no key is allowed set to 0 if the policy says so.
Matrix zero_empty_rows(const Mask& mask, EmptyRows policy, Matrix weights, const Allowed& allowed);

}  // namespace maskscope
