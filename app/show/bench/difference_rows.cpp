#include "app/show/bench/difference_rows.h"

#include "core/result/computed_rows.h"

namespace maskscope {
namespace {

LargeArray<double> read(const Stage& stage, std::size_t first, std::size_t count) {
    LargeArray<double> numbers(count);
    if (stage.is_float64()) {
        stage.remote()->read(first, std::span<double>(numbers));
    } else {
        LargeArray<float> rounded(count);
        stage.remote()->read(first, std::span<float>(rounded));
        std::ranges::copy(rounded, numbers.begin());
    }
    return numbers;
}

class DifferenceNumbers : public RemoteNumbers {
public:
    DifferenceNumbers(Stage x, Stage y) : x_(std::move(x)), y_(std::move(y)) {}
    void read(std::size_t first, std::span<float> numbers) const override { copy(first, numbers); }
    void read(std::size_t first, std::span<double> numbers) const override { copy(first, numbers); }

private:
    template <class T>
    void copy(std::size_t first, std::span<T> numbers) const {
        const auto x = maskscope::read(x_, first, numbers.size()),
                   y = maskscope::read(y_, first, numbers.size());
        for (std::size_t k = 0; k < numbers.size(); ++k) numbers[k] = static_cast<T>(x[k] - y[k]);
    }

    Stage x_, y_;
};

class DifferenceRows : public ComputedRows {
public:
    DifferenceRows(std::shared_ptr<const ComputedRows> x, std::shared_ptr<const ComputedRows> y)
        : x_(std::move(x)), y_(std::move(y)) {}
    bool is_difference() const override { return true; }
    bool operator==(const DifferenceRows& other) const { return x_ == other.x_ && y_ == other.y_; }

    RowFigures figures(Index, Index, Index) const override { return {}; }
    std::optional<RowFigures> known_figures(Index, Index, Index) const override { return {}; }
    VariantResult block(Index b, Index h, Rows rows, const std::bitset<stage_count>& stages,
                        Progress& progress) const override {
        const VariantResult x = x_->block(b, h, rows, stages, progress),
                            y = y_->block(b, h, rows, stages, progress);
        VariantResult made;
        made.shape = x.shape;
        for (std::size_t kind = 0; kind < stages.size(); ++kind) {
            if (!stages.test(kind)) continue;
            const Stage &p = x.stages[kind], &q = y.stages[kind];
            Matrix difference(p.rows(), p.columns());
            for (Index i = 0; i < p.rows(); ++i)
                for (Index j = 0; j < p.columns(); ++j)
                    difference(i, j) = p.at(0, 0, i, j) - q.at(0, 0, i, j);
            made.stages[kind] = Stage(1, 1, p.rows(), p.columns(), true);
            made.stages[kind].set_head(0, 0, difference);
        }
        return made;
    }

private:
    std::shared_ptr<const ComputedRows> x_, y_;
};

}  // namespace

VariantResult difference_rows(const Result& result, Difference lanes) {
    const VariantResult &x = result.variants[lanes.lane], &y = result.variants[lanes.minus];
    VariantResult made;
    made.shape = x.shape;
    made.computed = std::make_shared<DifferenceRows>(x.computed, y.computed);
    for (auto k = std::size_t(StageKind::softmax); k < made.stages.size(); ++k) {
        const Stage &p = x.stages[k], &q = y.stages[k];
        if (p.remote() && q.remote() && p.h() == q.h() && p.columns() == q.columns())
            made.stages[k] = Stage(p.b(), p.h(), p.rows(), p.columns(),
                                   std::make_shared<DifferenceNumbers>(p, q), true);
    }
    return made;
}

bool is_same_rows(const ComputedRows& x, const ComputedRows& y) {
    return &x == &y ||
           (x.is_difference() && y.is_difference() &&
            static_cast<const DifferenceRows&>(x) == static_cast<const DifferenceRows&>(y));
}

}  // namespace maskscope
