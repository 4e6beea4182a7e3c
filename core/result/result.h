#pragma once
// What a backend computed: per variant the stages, and the figures of each row.

#include <array>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "core/base/large_array.h"
#include "core/result/mask_cells.h"
#include "core/scene/scene.h"

namespace maskscope {

// Float32 numbers that stay on the GPU until somebody reads them, row-major.
class RemoteNumbers {
public:
    virtual ~RemoteNumbers() = default;
    // Copies numbers.size() of them, from the one at `first` on. In a thread whose OpenGL context
    // is, or shares with, the one that made them. Throws WorkError where the context was lost.
    virtual void read(std::size_t first, std::span<float> numbers) const = 0;
};

// One stage of one variant: [b, h, rows, columns], row-major; float64 numbers for the dtype
// float64, float32 for the others (16-bit numbers are exact in float32). Copies share their
// numbers until one of them is written to; a stage may also be another one but for some rows.
class Stage {
public:
    Stage() = default;  // a stage that does not exist
    Stage(Index b, Index h, Index rows, Index columns, bool float64);  // all 0
    // Numbers made elsewhere, as many as the shape says; not null.
    Stage(Index b, Index h, Index rows, Index columns, std::shared_ptr<LargeArray<float>> numbers);
    Stage(Index b, Index h, Index rows, Index columns, std::shared_ptr<LargeArray<double>> numbers);
    // Numbers that stand on the GPU: at() reads a row, float32s() all of them, once.
    Stage(Index b, Index h, Index rows, Index columns, std::shared_ptr<const RemoteNumbers> remote);

    bool exists() const { return rows_ > 0; }
    Index b() const { return b_; }
    Index h() const { return h_; }
    Index rows() const { return rows_; }
    Index columns() const { return columns_; }
    bool is_float64() const { return std::holds_alternative<Local<double>>(numbers_); }
    // The same numbers in the same place, here or on the GPU: equal without looking at them.
    bool shares(const Stage& other) const;

    double at(Index b, Index h, Index i, Index j) const;
    Matrix head(Index b, Index h) const;  // a copy, [rows, columns]
    void set_head(Index b, Index h, const Matrix& numbers);
    // Some rows of one head, from row `first` on; numbers [any, columns].
    void set_rows(Index b, Index h, Index first, const Matrix& numbers);
    // All numbers in one piece, put together (or read from the GPU) once: for what needs them all.
    const LargeArray<float>& float32s() const;
    const LargeArray<double>& float64s() const;
    // One row, float64 or not; of numbers that are here. Rows at one address are the same row.
    std::span<const float> float32_row(Index b, Index h, Index i) const {
        return row<float>(b, h, i);
    }
    std::span<const double> float64_row(Index b, Index h, Index i) const {
        return row<double>(b, h, i);
    }
    // This stage but for some rows, in order, counted through all heads (b·h·rows of them):
    // numbers [changed.size(), columns], float32, not null. Of numbers that are here.
    Stage with_rows(const std::vector<std::size_t>& changed,
                    const std::shared_ptr<const LargeArray<float>>& numbers) const;
    std::size_t changed_rows() const;  // how many rows stand apart from the others
    // nullptr where the numbers are here.
    const std::shared_ptr<const RemoteNumbers>& remote() const { return remote_; }

private:
    // A row, counted through all heads, that stands apart.
    template <class T>
    struct Changed {
        std::size_t row = 0;
        std::shared_ptr<const T> numbers;
        bool operator==(const Changed&) const = default;
    };
    template <class T>
    struct Local {
        std::shared_ptr<LargeArray<T>> all;  // [b, h, rows, columns]
        std::vector<Changed<T>> changed;     // by row
        bool operator==(const Local&) const = default;
        const T* row(std::size_t row, std::size_t columns) const;
    };
    struct Whole;  // what was read of `remote`, or put together

    std::size_t row_of(Index b, Index h, Index i) const {
        return static_cast<std::size_t>((b * h_ + h) * rows_ + i);
    }
    template <class T>
    std::span<const T> row(Index b, Index h, Index i) const {
        const auto columns = static_cast<std::size_t>(columns_);
        return {std::get<Local<T>>(numbers_).row(row_of(b, h, i), columns), columns};
    }
    template <class T>
    const LargeArray<T>& whole() const;
    template <class T>
    void own(Local<T>& local);
    double fetch(Index b, Index h, Index i, Index j) const;

    Index b_ = 0, h_ = 0, rows_ = 0, columns_ = 0;
    std::variant<Local<float>, Local<double>> numbers_;
    std::shared_ptr<const RemoteNumbers> remote_;
    std::shared_ptr<Whole> whole_;  // where there are changed rows, or remote numbers
};

// The figures of one row, from the rounded stages, not rounded themselves.
struct RowFigures {
    double sum = 0, max = 0;
    double entropy = 0;        // nats; NaN if a weight is negative
    double leak = 0;           // weight on blocked keys
    double gradient_leak = 0;  // sensitivity on blocked keys; NaN where there is no sensitivity
    double pads = 0;           // weight on keys that are pad tokens, whatever the mask says
    bool empty = false;        // no key allowed, whatever apply is
    bool nan = false;          // a weight is NaN
};

struct VariantResult {
    Shape shape;
    std::vector<std::vector<std::string>> queries, keys;  // [b][n]: the labels of rows and columns
    MaskCells allowed;                                    // [b, h, n_q, n_k], 1 where allowed
    // Indexed by StageKind; allowed has none here, and a stage that was not asked for, or that
    // these inputs do not have, does not exist(). output is [b, h or 1, n_q, d_out].
    std::array<Stage, stage_count> stages;
    LargeArray<RowFigures> rows;  // [b, h, n_q]

    const Stage& stage(StageKind kind) const { return stages[static_cast<std::size_t>(kind)]; }
    Stage& stage(StageKind kind) { return stages[static_cast<std::size_t>(kind)]; }
    bool is_allowed(Index b, Index h, Index i, Index j) const;
    const RowFigures& row(Index b, Index h, Index i) const;
    // Is key j of sequence b a pad token? (pad_token of the scene)
    bool is_pad(Index b, Index j) const { return pads[b * shape.n_k + j]; }
    std::vector<std::uint8_t> pads;  // [b, n_k]
};

// Of the plain version a stage each ("scores"), of the others a pass each ("weights").
struct Timing {
    std::string what;
    double milliseconds = 0;
};

// Labels, pads and shape of every variant of the scene; no numbers.
VariantResult labelled(const Scene& scene);

struct BatchInputs;  // see core/attention/head_inputs.h

struct Result {
    Scene scene;          // the scene it was made from: labels and numbers always agree
    std::string backend;  // "cpu" or "gpu"
    std::vector<VariantResult> variants;  // as in the scene; one that was not asked for is empty
    double milliseconds = 0;              // time of computing
    std::vector<Timing> times{};          // what it was spent on, in order
    // Q, K and V, or the scores or weights, that it was computed from: float64, not rounded.
    // Results of scenes with the same inputs share them.
    std::shared_ptr<const BatchInputs> inputs{};
    // Over inputs of a layer before, its weights, for who shows them (see layers_before.h): one, or
    // two where the keys have a layer of their own; empty where nobody asked.
    std::vector<std::shared_ptr<const Result>> layers_before{};
};

}  // namespace maskscope
