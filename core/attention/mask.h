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

// Returns which keys each query of sequence b and head h may attend to: those that every rule that
// holds for h allows, and those that an `allowed` rule allows. [n_q, n_k], padded sizes. Biases
// block nothing.
Allowed allowed_cells(const Scene& scene, const std::vector<MaskLayer>& layers, Index b, Index h);

// Does the same for the queries and keys of `attending`, which need not be all of the scene's.
Allowed allowed_cells(const Scene& scene, const std::vector<MaskLayer>& layers,
                      const HeadPositions& attending);
// Returns the allowed cells of `rows` of these queries, from `first` on: [rows, n_k].
Allowed allowed_cells(const Scene& scene, const std::vector<MaskLayer>& layers,
                      const HeadPositions& attending, Index first, Index rows);

// Returns the sum of the biases (alibi, bias, formula_bias) that hold for the head, for `rows` of
// the queries from `first` on: [rows, n_k], or empty if there are none. Not rounded.
Matrix biases(const Scene& scene, const std::vector<MaskLayer>& layers,
              const HeadPositions& attending, Index first, Index rows);

// Returns the mask value: −inf, the lowest number of the dtype, or a number rounded to the dtype.
double blocked_value(const BlockedValue& value, Dtype dtype);

struct Logits {
    Matrix numbers;  // rounded
    Matrix slope;  // the softcap's derivative at each cell, 1 − tanh²(x/c), 0 at infinities; empty
                   // without a softcap
};

// Applies the mask before the softmax. With mask_then_scale it acts on the scores, which are then
// scaled, and the bias is added last; otherwise it acts on scaled + bias. bias may be empty. A
// softcap acts on scaled, or at the end. scales: one factor for each row, in place of scale; may be
// empty.
Logits mask_before_softmax(const Variant& variant, const Matrix& scores, const Matrix& scaled,
                           double scale, const Matrix& bias, const Allowed& allowed,
                           const std::vector<double>& scales = {});

// Returns the weights before empty rows are zeroed, rounded: softmax × (1 or 0), each row divided
// by its sum if renormalized, or the softmax itself.
Matrix mask_after_softmax(Apply apply, Dtype dtype, const Matrix& softmax, const Allowed& allowed);

// Returns the mask as it acts: rows without an allowed key allow every key if the variant says so.
Allowed acting_mask(const Variant& variant, const Allowed& allowed);

// Multiplies all numbers by `scale`, or, if `scales` is not empty, each row by its own factor.
Matrix times_scale(const Matrix& numbers, double scale, const std::vector<double>& scales);

// True if the policy sets row i to 0. It does so only if no key is allowed and the mask is applied.
bool is_mended(const Mask& mask, EmptyRows policy, const Allowed& allowed, Index i);

// Returns the weights, with rows in which no key is allowed set to 0 if the policy says so.
Matrix zero_empty_rows(const Mask& mask, EmptyRows policy, Matrix weights, const Allowed& allowed);

}  // namespace maskscope
