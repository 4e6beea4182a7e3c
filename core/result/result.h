#pragma once
// The result of a backend: the stages of each variant, and the statistics of each row.

#include <array>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "core/base/large_array.h"
#include "core/result/mask_cells.h"
#include "core/scene/scene.h"

namespace maskscope {

// Numbers that are elsewhere until they are read, row-major: on the GPU (float32), or computed
// again.
class RemoteNumbers {
public:
    virtual ~RemoteNumbers() = default;
    // Copies numbers.size() of them, starting at `first`. For numbers on the GPU, call it in a
    // thread whose OpenGL context made them, or shares objects with the context that did. Throws
    // WorkError if the context was lost, or there is no memory to compute them.
    virtual void read(std::size_t first, std::span<float> numbers) const = 0;
    virtual void read(std::size_t first, std::span<double> numbers) const;  // for a float64 stage
};

// One stage of one variant: [b, h, rows, columns], row-major; float64 numbers for the dtype
// float64, float32 for the others (16-bit numbers are exact in float32). Copies share their numbers
// until one of them is written to. A stage may also be based on another one, except for some rows.
class Stage {
public:
    Stage() = default;  // a stage that does not exist
    Stage(Index b, Index h, Index rows, Index columns, bool float64);  // all 0
    // Holds numbers made elsewhere, as many as the shape requires; not null.
    Stage(Index b, Index h, Index rows, Index columns, std::shared_ptr<LargeArray<float>> numbers);
    Stage(Index b, Index h, Index rows, Index columns, std::shared_ptr<LargeArray<double>> numbers);
    // Refers to numbers elsewhere: at() reads a row, float32s() and float64s() all of them, once.
    Stage(Index b, Index h, Index rows, Index columns, std::shared_ptr<const RemoteNumbers> remote,
          bool float64 = false);

    bool exists() const { return rows_ > 0; }
    Index b() const { return b_; }
    Index h() const { return h_; }
    Index rows() const { return rows_; }
    Index columns() const { return columns_; }
    bool is_float64() const { return std::holds_alternative<LocalNumbers<double>>(numbers_); }
    // True if these are the same numbers in the same place, in memory or elsewhere. Nothing is
    // read.
    bool shares(const Stage& other) const;

    double at(Index b, Index h, Index i, Index j) const;
    std::vector<double> row_at(Index b, Index h, Index i) const;  // a copy, [columns]
    Matrix head(Index b, Index h) const;                          // a copy, [rows, columns]
    void set_head(Index b, Index h, const Matrix& numbers);
    // Sets some rows of one head, from row `first` on; numbers [any, columns].
    void set_rows(Index b, Index h, Index first, const Matrix& numbers);
    // Returns all numbers in one piece, assembled (or read) once, for callers that need them all.
    const LargeArray<float>& float32s() const;
    const LargeArray<double>& float64s() const;
    // Return one row of numbers in memory. Rows at the same address are the same row.
    std::span<const float> float32_row(Index b, Index h, Index i) const {
        return row<float>(b, h, i);
    }
    std::span<const double> float64_row(Index b, Index h, Index i) const {
        return row<double>(b, h, i);
    }
    // Returns this stage except for some rows, in order, counted across all heads (b·h·rows of
    // them): numbers [changed.size(), columns], float32, not null. The numbers must be in memory.
    Stage with_rows(const std::vector<std::size_t>& changed,
                    const std::shared_ptr<const LargeArray<float>>& numbers) const;
    std::size_t changed_rows() const;  // how many rows are stored apart
    // Returns the source of the numbers; nullptr if they are in memory.
    const std::shared_ptr<const RemoteNumbers>& remote() const { return remote_; }

private:
    // A row stored apart, counted across all heads.
    template <class T>
    struct ChangedRow {
        std::size_t row = 0;
        std::shared_ptr<const T> numbers;
        bool operator==(const ChangedRow&) const = default;
    };
    template <class T>
    struct LocalNumbers {
        std::shared_ptr<LargeArray<T>> all;  // [b, h, rows, columns]
        std::vector<ChangedRow<T>> changed;  // sorted by row
        bool operator==(const LocalNumbers&) const = default;
        const T* row(std::size_t row, std::size_t columns) const;
    };
    struct WholeStage;  // numbers that were read from `remote`, or assembled

    std::size_t row_of(Index b, Index h, Index i) const {
        return static_cast<std::size_t>((b * h_ + h) * rows_ + i);
    }
    template <class T>
    std::span<const T> row(Index b, Index h, Index i) const {
        const auto columns = static_cast<std::size_t>(columns_);
        return {std::get<LocalNumbers<T>>(numbers_).row(row_of(b, h, i), columns), columns};
    }
    template <class T>
    const LargeArray<T>& whole() const;
    template <class T>
    void own(LocalNumbers<T>& local);
    // Both call use() with the numbers of the row, which are valid until it returns.
    template <class Use>
    auto with_row(Index b, Index h, Index i, const Use& use) const;
    template <class T, class Use>
    auto with_fetched(Index b, Index h, Index i, const Use& use) const;  // for remote numbers

    Index b_ = 0, h_ = 0, rows_ = 0, columns_ = 0;
    std::variant<LocalNumbers<float>, LocalNumbers<double>> numbers_;
    std::shared_ptr<const RemoteNumbers> remote_;
    std::shared_ptr<WholeStage> whole_;  // if there are changed rows, or remote numbers
};

// The statistics of one row, from the rounded stages, not rounded themselves.
struct RowFigures {
    double sum = 0, max = 0;
    double entropy = 0;        // nats; NaN if a weight is negative
    double leak = 0;           // weight on blocked keys
    double gradient_leak = 0;  // sensitivity on blocked keys; NaN without a sensitivity
    double pads = 0;           // weight on keys that are pad tokens, whatever the mask says
    bool empty = false;        // true if no key is allowed, whatever apply is
    bool nan = false;          // true if a weight is NaN
    // log Σ e^logit over all keys, including blocked ones and padding; NaN if weights are given
    double lse = std::numeric_limits<double>::quiet_NaN();
};

// The weights of one head of a model, in any of its attentions.
struct ModelWeights {
    ModelAttention attention = ModelAttention::cross;
    Index layer = 0, b = 0, h = 0;
    Index n_q = 0, n_k = 0;
    std::vector<float> weights;  // [n_q, n_k]
};

struct BatchInputs;  // see core/attention/head_inputs.h

// The translation of a model as one variant of a scene.
struct ModelRun {
    using Words = std::vector<std::string>;
    // The shown attention on its own: inputs `tensors`, over the words that this variant reads. Its
    // variants are those of the scene, without entries of mask rules beyond the sizes of the pass.
    Scene attended;
    std::shared_ptr<const BatchInputs> inputs;  // q, k and v of the shown attention
    std::vector<Words> labels;                  // [b][n_q], for the rows that are shown
    std::vector<Words> read, predicted;         // [b][rows of the decoder]
    // [b]: the words that were generated, without <eos>; with a target, those that its rows
    // predict, with <eos>. nullopt if a logit was NaN.
    std::vector<std::optional<Words>> said;
    std::vector<double> loss, accuracy;       // [b], with a target; NaN if a logit was
    std::vector<ModelWeights> weights;        // for every layer and head
    std::vector<std::vector<double>> logits;  // [b] of [rows of the decoder, words]
};

class ComputedRows;  // see request.h

struct VariantResult {
    Shape shape;
    TokenLabels queries, keys;  // [b][n]: the labels of rows and columns
    MaskCells allowed;          // [b, h, n_q, n_k], 1 where allowed
    // Indexed by StageKind. allowed has no entry here. A stage that was not requested, or that
    // these inputs do not have, does not exist(). output is [b, h or 1, n_q, d_out]; depends, which
    // add_depends() adds, is [b, 1, n_q, n_k].
    std::array<Stage, all_stage_count> stages;
    LargeArray<RowFigures> rows;  // [b, h, n_q]; empty if they are computed when they are read
    bool by_plain_functions =
        false;  // computed in float64, then rounded; the CPU's kernels differ in the last bit

    bool exists() const { return !rows.empty() || computed; }  // true if it was requested
    const Stage& stage(StageKind kind) const { return stages[static_cast<std::size_t>(kind)]; }
    Stage& stage(StageKind kind) { return stages[static_cast<std::size_t>(kind)]; }
    bool is_allowed(Index b, Index h, Index i, Index j) const;
    std::vector<std::uint8_t> allowed_row(Index b, Index h, Index i) const;  // a copy, [n_k]
    RowFigures row(Index b, Index h, Index i) const;
    // True if key j of sequence b is a pad token (pad_token of the scene).
    bool is_pad(Index b, Index j) const { return pads[b * shape.n_k + j]; }
    std::vector<std::uint8_t> pads;         // [b, n_k]
    std::shared_ptr<const ModelRun> run{};  // for a model, else nullptr
    // The source of stages, mask and statistics that are too large to keep; else nullptr.
    std::shared_ptr<const ComputedRows> computed{};
};

// The time of one stage of the reference implementation ("scores"), or of one pass of another
// backend ("weights").
struct Timing {
    std::string what;
    double milliseconds = 0;
};

// Returns labels, padding and shape of every variant of the scene, without numbers.
VariantResult labelled(const Scene& scene);
VariantResult unlabelled(const Scene& scene);  // padding and shape

struct Result {
    Scene scene;          // the scene it was made from: labels and numbers always agree
    std::string backend;  // "cpu" or "gpu"
    std::vector<VariantResult> variants;  // in the scene's order; one that was not requested is
                                          // empty
    double milliseconds = 0;              // time of computing
    std::vector<Timing> times{};          // the times of the parts, in order
    // Q, K and V, or the scores or weights, that it was computed from: float64, not rounded.
    // Results of scenes with the same inputs share them.
    std::shared_ptr<const BatchInputs> inputs{};
    // If the inputs come from an earlier layer, its weights, for display (see layers_before()):
    // one, or two if the keys have a layer of their own; empty unless requested.
    std::vector<std::shared_ptr<const Result>> layers_before{};
};

// Return the scene that a variant computes, and the numbers it starts from: the result's own or,
// for a model, those of the shown attention. A variant has the same index in both scenes.
const Scene& scene_of_variant(const Result& result, int variant);
const std::shared_ptr<const BatchInputs>& inputs_of(const Result& result, int variant);

}  // namespace maskscope
