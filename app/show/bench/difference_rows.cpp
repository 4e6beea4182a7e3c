#include "app/show/bench/difference_rows.h"

#include <algorithm>

#include "app/show/bench/bench.h"
#include "app/show/bench/bench_parts.h"
#include "app/show/cells/cell_rows.h"
#include "app/show/views/views.h"
#include "core/result/computed_rows.h"

namespace maskscope {
namespace {

using Heads = std::optional<std::array<Index, 2>>;

// The difference of a stage [b, h, rows, columns], or of two heads of it: [b, 1, rows, columns].
class DifferenceNumbers : public RemoteNumbers {
public:
    DifferenceNumbers(Stage x, Stage y, Heads heads)
        : x_(std::move(x)), y_(std::move(y)), heads_(heads) {}
    void read(std::size_t first, std::span<float> numbers) const override { copy(first, numbers); }
    void read(std::size_t first, std::span<double> numbers) const override { copy(first, numbers); }

private:
    template <class T>
    void copy(std::size_t first, std::span<T> numbers) const {
        const auto columns = static_cast<std::size_t>(x_.columns());
        LargeArray<double> x(columns), y(columns);
        for (std::size_t done = 0; done < numbers.size();) {
            const std::size_t row = (first + done) / columns, column = (first + done) % columns;
            const std::size_t count = std::min(columns - column, numbers.size() - done);
            read_numbers(x_, place_of(row, 0) + column, std::span(x).first(count));
            read_numbers(y_, place_of(row, 1) + column, std::span(y).first(count));
            for (std::size_t k = 0; k < count; ++k) numbers[done + k] = static_cast<T>(x[k] - y[k]);
            done += count;
        }
    }
    // Returns where a row begins in x (side 0) and y (side 1).
    std::size_t place_of(std::size_t row, std::size_t side) const {
        const auto columns = static_cast<std::size_t>(x_.columns());
        if (!heads_) return row * columns;
        const Index b = static_cast<Index>(row) / x_.rows(),
                    i = static_cast<Index>(row) % x_.rows();
        return static_cast<std::size_t>((b * x_.h() + (*heads_)[side]) * x_.rows() + i) * columns;
    }

    Stage x_, y_;
    Heads heads_;
};

class DifferenceRows : public ComputedRows {
public:
    DifferenceRows(std::shared_ptr<const ComputedRows> x, std::shared_ptr<const ComputedRows> y,
                   Heads heads)
        : x_(std::move(x)), y_(std::move(y)), heads_(heads) {}
    bool is_difference() const override { return true; }
    bool operator==(const DifferenceRows& other) const {
        return x_ == other.x_ && y_ == other.y_ && heads_ == other.heads_;
    }

    RowFigures figures(Index, Index, Index) const override { return {}; }
    std::optional<RowFigures> known_figures(Index, Index, Index) const override { return {}; }
    VariantResult block(Index b, Index h, Rows rows, const std::bitset<stage_count>& stages,
                        Progress& progress) const override {
        const VariantResult x = x_->block(b, heads_ ? (*heads_)[0] : h, rows, stages, progress),
                            y = y_->block(b, heads_ ? (*heads_)[1] : h, rows, stages, progress);
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
    Heads heads_;
};

}  // namespace

std::vector<Compared> differences_of(const Result& result, const View& view) {
    const auto is_read = [&](int lane) { return result.variants[lane].computed != nullptr; };
    std::vector<Compared> all;
    if (shown_view(view, result.scene) != ViewKind::heads) {
        const auto shown = shown_difference(view, result.scene);
        if (shown && is_read(shown->lane) && is_read(shown->minus)) all.push_back({*shown, {}});
    } else if (view.picked.size() == 2) {
        for (const int lane : shown_lanes(view, result.scene))
            if (is_read(lane))
                all.push_back({{lane, lane}, picked_heads(view, result.variants[lane].shape)});
    }
    return all;
}

std::shared_ptr<const ComputedRows> rows_of(const Result& result, const Compared& compared) {
    const auto& [lanes, heads] = compared;
    return std::make_shared<DifferenceRows>(result.variants[lanes.lane].computed,
                                            result.variants[lanes.minus].computed, heads);
}

VariantResult difference_rows(const Result& result, const Compared& compared) {
    const auto& [lanes, heads] = compared;
    const VariantResult &x = result.variants[lanes.lane], &y = result.variants[lanes.minus];
    VariantResult made;
    made.shape = x.shape;
    if (heads) made.shape.h = 1;
    made.computed = rows_of(result, compared);
    for (auto k = std::size_t(heads ? StageKind::scores : StageKind::softmax);
         k < made.stages.size(); ++k) {
        const Stage &p = x.stages[k], &q = y.stages[k];
        if (p.remote() && q.remote() && p.h() == q.h() && p.columns() == q.columns())
            made.stages[k] = Stage(p.b(), heads ? 1 : p.h(), p.rows(), p.columns(),
                                   std::make_shared<DifferenceNumbers>(p, q, heads), true);
    }
    return made;
}

bool is_same_rows(const ComputedRows& x, const ComputedRows& y) {
    return &x == &y ||
           (x.is_difference() && y.is_difference() &&
            static_cast<const DifferenceRows&>(x) == static_cast<const DifferenceRows&>(y));
}

}  // namespace maskscope
