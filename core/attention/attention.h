#pragma once
// Attention as in a lecture: computes the stages in order, and keeps each of them.
//   q [n_q, d_q]   k [n_k, d_k]   v [n_k, d_v]   allowed, bias [n_q, n_k]

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <vector>

#include "core/attention/head_inputs.h"
#include "core/attention/scoring.h"
#include "core/result/request.h"

namespace maskscope {

// The numbers of a variant other than its inputs, in its dtype.
struct Parameters {
    double scale = 1;  // not rounded; 1 if it is a formula, see row_scales()
    ScoreMatrices score;
    Matrix w;         // the matrix of the output; empty for `values`
    double root = 1;  // 1/√d_k for the output `alternative`
};

Parameters parameters_of(const Scene& scene, const Variant& variant);

// The stages of some rows of one head; a stage that the inputs do not have is empty.
struct Stages {
    Matrix scores, scaled, logits, softmax, weights, sensitivity;  // [rows, n_k]
};

// The stages that have rows of n_k numbers, by name.
struct RowStage {
    StageKind kind;
    const Matrix Stages::*stage;
};
inline constexpr RowStage row_stages[] = {
    {StageKind::scores, &Stages::scores},   {StageKind::scaled, &Stages::scaled},
    {StageKind::logits, &Stages::logits},   {StageKind::softmax, &Stages::softmax},
    {StageKind::weights, &Stages::weights}, {StageKind::sensitivity, &Stages::sensitivity}};

// The time spent in each stage so far, in milliseconds.
class StageTimes {
public:
    // Adds the time since the last lap() or start() to this stage.
    void lap(StageKind stage);
    void start() { last_ = Clock::now(); }
    double of(StageKind stage) const { return milliseconds_[static_cast<std::size_t>(stage)]; }

private:
    using Clock = std::chrono::steady_clock;
    Clock::time_point last_ = Clock::now();
    std::array<double, stage_count> milliseconds_{};
};

// Computes the stages of some rows. The queries of `inputs`, `allowed` and `bias` (which may be
// empty) are those of the same rows; `inputs` are already rounded. sink: see sink_of(). scales: see
// row_scales(). The sensitivity is not rounded.
Stages attend(const Variant& variant, const Parameters& parameters, const HeadInputs& inputs,
              const Allowed& allowed, const Matrix& bias, std::optional<double> sink,
              StageTimes& times, const std::vector<double>& scales = {});

// Returns weights · V, or for `alternative` weights · V · Wᵀ/√d_k: [rows, d_v or d_out], not
// rounded. The heads of `projected` are joined later.
Matrix mix(OutputKind kind, const Parameters& parameters, const Matrix& weights, const Matrix& v);

// --- all heads, in blocks of rows, so that a large head can be cancelled and needs little memory

// Returns the number of rows in a block for n_k keys. Each of its stages takes at most half a
// megabyte, unless 8 rows take more, because fresh pages of memory cost more than the arithmetic.
constexpr Index rows_at_once(Index n_k) { return std::clamp<Index>(65536 / n_k, 8, 128); }

// Returns one head with only `rows` of its queries, from `first` on, and with all keys and values.
HeadInputs rows_of(const HeadInputs& head, Index first, Index rows);

// Joins the heads' parts side by side and multiplies them by `w`, W_o: [n_q, d_out]. Not rounded.
Matrix project(const std::vector<Matrix>& parts, const Matrix& w);

// The result of attending for the rows from `first` on.
struct Block {
    Index b, h, first;
    const Stages& stages;
    const Allowed& allowed;  // [rows, n_k]
};

// Attends with every head of every sequence and passes each block to `keep`. If `request` names
// rows or a head, only these are computed, and blocks and outputs are numbered from the first of
// them. Returns the outputs, rounded: [b, h] of [n_q, d_out], or [b] for `projected`, unless one
// head is requested; none if the inputs have no values. Adds the time taken to `times`. Throws
// Cancellation.
std::vector<Matrix> attend_all(const Scene& scene, const Variant& variant,
                               const BatchInputs& inputs, Progress& progress, StageTimes& times,
                               const std::function<void(const Block&)>& keep,
                               const Request& request = {});

}  // namespace maskscope
