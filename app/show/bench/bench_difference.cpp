// Computes differences between two variants or two heads.

#include <fmt/format.h>

#include <algorithm>

#include "app/show/bench/bench.h"
#include "app/show/bench/bench_parts.h"
#include "app/show/cells/cell_rows.h"
#include "app/show/views/view_entry.h"
#include "core/result/request.h"
#include "core/scene/names.h"
#include "core/scene/scene.h"

namespace maskscope {

namespace {

using enum StageKind;

// Returns x minus y as a heatmap. Its limits are set once all differences are known.
BenchStage minus(const BenchStage& x, const BenchStage& y, SharedCells cells) {
    BenchStage difference;
    difference.stage = x.stage;
    difference.cells = std::move(cells);
    difference.map = ColourMap::diverging;
    difference.title = x.title;
    difference.colours = "Difference";
    if (difference.cells->source && difference.cells->source->seen < 1) difference.note = x.note;
    difference.tokens =
        x.cells->rows * x.cells->columns <= y.cells->rows * y.cells->columns ? x.tokens : y.tokens;
    return difference;
}

bool are_alike(const BenchSource& d, Difference pair, StageKind stage) {
    const Stage& x = d.of(pair.variant).stage(stage);
    const Stage& y = d.of(pair.minus).stage(stage);
    // If the numbers of rows and keys differ, the difference covers those that both have.
    return x.exists() && y.exists() && x.h() == y.h() &&
           (stage != StageKind::output || x.columns() == y.columns());
}

// Returns the stages from the softmax output on that both variants draw; the softmax output only if
// it differs from the weights in both, as for a single variant.
std::vector<StageKind> stages_of_both(const BenchSource& d, Difference pair) {
    std::vector<StageKind> stages;
    const auto has_softmax_of_its_own = [&](int variant) {
        return !have_same_numbers(d.of(variant), softmax, d.of(variant), weights);
    };
    for (const StageKind stage : d.stages) {
        if (stage < softmax || !are_alike(d, pair, stage)) continue;
        if (stage == softmax &&
            !(has_softmax_of_its_own(pair.variant) && has_softmax_of_its_own(pair.minus)))
            continue;
        stages.push_back(stage);
    }
    if (stages.empty() && are_alike(d, pair, weights)) stages.push_back(weights);
    return stages;
}

// Returns the difference as far as it is known, for variants or heads whose rows are computed when
// they are read.
SharedCells seen_difference(const BenchSource& d, const ComparedRows& compared, StageKind stage,
                            Index b, Index h) {
    const VariantResult rows = compared_rows(d.result, compared);
    SharedSource& source = d.sources[{compared.key(), stage}];
    const auto known = d.before.find({compared.key(), stage});
    if (!source && known != d.before.end() && known->second->computed &&
        is_same_rows(*known->second->computed, *rows.computed))
        source = known->second;
    if (!source) source = source_of(rows, stage);
    return cells_of(source, b, h);
}

BenchVariant variant_of_head(const BenchSource& d, int variant, StageKind stage, Index b, Index h) {
    BenchVariant entry;
    entry.index = variant;
    entry.name = head_title(d.result.scene, h, {variant});
    entry.head = h;
    entry.stages = {drawn(d, variant, stage, b, h)};
    if (stage == weights) entry.sums = sums_of(d, variant, b, h);
    return entry;
}

// Returns the coarsest rounding of any variant: a smaller difference may be due to rounding.
double least_difference(const BenchSource& d) {
    double least = 0;
    for (const Variant& variant : d.result.scene.variants)
        least = std::max(least, tolerance_of(variant.dtype));
    return least;
}

}  // namespace

std::optional<Difference> shown_difference(const View& view, const Scene& scene) {
    const auto& wanted = view.show.difference;
    const int variants = int(scene.variants.size());
    const auto is_there = [&](int variant) { return variant >= 0 && variant < variants; };
    if (!wanted || !is_there(wanted->variant) || !is_there(wanted->minus) ||
        wanted->variant == wanted->minus)
        return std::nullopt;
    return wanted;
}

void show_only(Show& show, std::vector<int> variants) {
    show.variants = std::move(variants);
    show.difference.reset();
}

std::vector<int> BenchVariant::letters() const {
    if (difference) return {difference->variant, difference->minus};
    return is_compared() ? std::vector<int>() : std::vector{index};
}

void add_compared(const BenchSource& d, const View& view, BenchBlock& block) {
    const auto shown = shown_difference(view, d.result.scene);
    if (!shown) return;
    const Difference pair = *shown;
    const Index b = block.b, h = block.h;
    BenchVariant& variant = block.variants.emplace_back();
    variant.index = difference_variant;
    variant.difference = pair;
    const bool is_read = d.of(pair.variant).computed && d.of(pair.minus).computed;
    for (const StageKind stage : stages_of_both(d, pair)) {
        const BenchStage x = drawn(d, pair.variant, stage, b, h),
                         y = drawn(d, pair.minus, stage, b, h);
        variant.stages.push_back(minus(x, y,
                                       is_read ? seen_difference(d, {pair, {}}, stage, b, h)
                                               : difference_of(*x.cells, *y.cells)));
    }
}

std::array<Index, 2> picked_heads(const View& view, const Shape& shape) {
    const auto there = [&](Index h) { return std::clamp<Index>(h, 0, shape.h - 1); };
    return {there(view.picked[0]), there(view.picked[1])};
}

std::vector<BenchBlock> blocks_of_two_heads(const BenchSource& d, const View& view,
                                            StageKind stage) {
    const Index b = shown_sequences(view, d.shape()).front();
    const auto [x, y] = picked_heads(view, d.shape());
    std::vector<BenchBlock> blocks;
    for (const int variant : d.variants) {
        if (!d.of(variant).stage(stage).exists()) continue;
        BenchBlock block;
        block.b = b;
        block.h = x;
        block.tokens = d.tokens_of(b);
        block.variants = {variant_of_head(d, variant, stage, b, x),
                          variant_of_head(d, variant, stage, b, y)};
        BenchVariant difference;
        difference.index = difference_variant;
        difference.name = fmt::format("head {} − head {}", x + 1, y + 1);
        const BenchStage &one = block.variants[0].stages[0], &other = block.variants[1].stages[0];
        const ComparedRows heads{{variant, variant}, {{x, y}}};
        difference.stages = {minus(one, other,
                                   d.of(variant).computed
                                       ? seen_difference(d, heads, stage, b, 0)
                                       : difference_of(*one.cells, *other.cells))};
        block.variants.push_back(std::move(difference));
        blocks.push_back(std::move(block));
    }
    return blocks;
}

void give_compared_limits(const BenchSource& d, Bench& bench) {
    const double least = least_difference(d);
    for (int stage = 0; stage < all_stage_count; ++stage) {
        std::vector<SharedCells> differences;
        const auto is_one = [&](const BenchStage& s) {
            return s.stage == StageKind(stage) && s.cells->difference;
        };
        each_stage(bench, [&](const BenchStage& s) {
            if (is_one(s)) differences.push_back(s.cells);
        });
        if (differences.empty()) continue;
        const Limits limits = limits_of_differences(differences, least);
        each_stage(bench, [&](BenchStage& s) {
            if (is_one(s)) s.limits = limits;
        });
    }
}

namespace {

using Heads = std::optional<std::array<Index, 2>>;

// The difference of two variants at a stage, [b, h, rows, columns], or of two heads, [b, 1, rows,
// columns].
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
    // Returns the index at which a row begins in x (side 0) or y (side 1).
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

std::vector<ComparedRows> differences_of(const Result& result, const View& view) {
    const auto is_read = [&](int variant) { return result.variants[variant].computed != nullptr; };
    std::vector<ComparedRows> all;
    if (shown_view(view, result.scene) != ViewKind::heads) {
        const auto shown = shown_difference(view, result.scene);
        if (shown && is_read(shown->variant) && is_read(shown->minus)) all.push_back({*shown, {}});
    } else if (view.picked.size() == 2) {
        for (const int variant : shown_variants(view, result.scene))
            if (is_read(variant))
                all.push_back(
                    {{variant, variant}, picked_heads(view, result.variants[variant].shape)});
    }
    return all;
}

std::shared_ptr<const ComputedRows> rows_of(const Result& result, const ComparedRows& compared) {
    const auto& [pair, heads] = compared;
    return std::make_shared<DifferenceRows>(result.variants[pair.variant].computed,
                                            result.variants[pair.minus].computed, heads);
}

VariantResult compared_rows(const Result& result, const ComparedRows& compared) {
    const auto& [pair, heads] = compared;
    const VariantResult &x = result.variants[pair.variant], &y = result.variants[pair.minus];
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
