#include "core/cpu/block.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/attention/mask.h"
#include "core/attention/row_figures.h"

namespace maskscope {

namespace {

using enum StageKind;

// Returns the query, within its head, of a row that is counted across all heads.
std::size_t query_of(const CpuTask& task, std::size_t head, std::size_t row) {
    return row - head * static_cast<std::size_t>(task.shape.n_q);
}

// One row of one variant.
struct Row {
    std::size_t at = 0;                     // the row in the targets
    RowExtent extent;                       // the extent of the allowed keys
    bool blocked = false;                   // true if the mask blocks a key
    bool opened = false;                    // true if no key is allowed, so the row attends to all
    std::size_t begin = 0, end = 0;         // the columns whose logit may exceed −inf
    const std::uint8_t* allowed = nullptr;  // [stride], only if a key is blocked
    const float* scores = nullptr;
    float* numbers = nullptr;  // logits, then exponentials, then weights
    bool nan = false;          // true if a weight is NaN before empty rows are zeroed
    float top = 0;             // subtracted from every logit
    Exponentials sums{};
    double total = 0;  // Σ e^t, with a sink plus e^(s − top)
    double lse = not_a_number;
    float factor = 0;
};

class RowMaker {
public:
    RowMaker(const CpuTask& task, std::size_t head, Scratch& scratch)
        : task_(task),
          s_(task.settings),
          scratch_(scratch),
          head_(head),
          prepared_(task.prepared->heads[head]),
          sink_(sink_of(*task.variant, static_cast<Index>(h()))),
          n_k_(task.n_k()),
          plain_(s_.dtype == RowDtype::float32 && !sink_ && !s_.multiplies_weights &&
                 !s_.has_bias && !task.target(scaled) && !task.target(logits) &&
                 !task.target(sensitivity) && !(task.target(softmax) && task.target(weights))) {
        if (has_pads())
            std::copy_n(task.result->pads.data() + b() * n_k_, n_k_, scratch.pads.data());
    }

    // Computes these rows, counted across all heads, from scratch.rows_of_scores. first: the index
    // of the first of them among the variant's rows.
    void make(std::span<const std::size_t> rows, std::size_t first) {
        // Short rows are computed together. A long row is computed alone, so that its numbers stay
        // in the nearest cache.
        const std::size_t together = n_k_ <= 256 ? rows_in_block : 1;
        const Target& target = task_.target(task_.target(softmax) ? softmax : weights);
        PlainRow plain[rows_in_block];
        PlainResult found[rows_in_block];
        std::size_t places[rows_in_block], count = 0;  // the plain ones among `rows`
        const auto at = [&](std::size_t k) { return task_.compact ? first + k : rows[k]; };
        for (std::size_t k = 0; k < rows.size(); ++k) {
            if (const RowExtent& extent = extent_of(rows[k]); is_plain(extent)) {
                plain[count] = {scratch_.rows_of_scores[k], numbers_row(k, count), extent.begin,
                                extent.end, target.row(at(k))};
                places[count++] = k;
            } else {
                make_row(rows[k], at(k), k);
            }
            if (count < together && k + 1 < rows.size()) continue;
            kernels().plain(
                {plain, found, count, n_k_, s_.scale, task_.mixing.wanted, target.past_cache});
            for (std::size_t p = 0; p < count; ++p) {
                const std::size_t place = places[p];
                if (found[p].left_out)
                    make_row(rows[place], at(place), place);
                else
                    finish_plain(plain[p], found[p], task_.result->rows[rows[place]]);
            }
            count = 0;
        }
    }

    // Return the range of columns that the output needs: those in which finished rows have weight,
    // or all if a value is not finite.
    std::size_t begin() const { return prepared_.finite_values ? std::min(begin_, end_) : 0; }
    std::size_t end() const { return prepared_.finite_values ? end_ : n_k_; }

private:
    const RowExtent& pads() const { return task_.pads[b()]; }
    bool has_pads() const { return pads().count > 0; }
    std::size_t b() const { return head_ / static_cast<std::size_t>(task_.shape.h); }
    std::size_t h() const { return head_ % static_cast<std::size_t>(task_.shape.h); }

    // True if every blocked logit is −inf.
    bool is_exact(const Row& r) const { return !r.blocked || task_.exact[head_] != 0; }

    std::size_t query(std::size_t row) const { return query_of(task_, head_, row); }
    const RowExtent& extent_of(std::size_t row) const {
        return task_.sheets[head_]->rows[query(row)];
    }
    // Returns where the weights of row k go. With outputs, which use the weights of all rows, each
    // row has its own place; without, the place is `otherwise`.
    float* numbers_row(std::size_t k, std::size_t otherwise) const {
        return scratch_.weights.data() + (task_.mixing.wanted ? k : otherwise) * scratch_.stride;
    }

    // True if the row is so simple that the kernels need only the extent of its allowed keys.
    bool is_plain(const RowExtent& extent) const {
        const bool with_pads = extent.begin < pads().end && pads().begin < extent.end;
        return plain_ && extent.count > 0 && extent.is_dense() && !with_pads &&
               (extent.count == n_k_ || task_.exact[head_] != 0);
    }

    void finish_plain(const PlainRow& row, const PlainResult& found, RowFigures& figures) {
        figures = simple_figures(found.sums, found.factor, false);
        figures.lse = static_cast<double>(found.largest) + std::log(found.sums.sum);
        begin_ = std::min(begin_, row.begin);
        end_ = std::max(end_, row.end);
    }

    // Computes row `row`, counted across all heads, from row k of the scores in scratch.
    void make_row(std::size_t row, std::size_t at, std::size_t k) {
        Row r = describe(row, at, k);
        store_scaled(r);
        make_logits(r);
        const bool simple = is_simple(r);
        make_softmax(r, simple);
        RowFigures& figures = task_.result->rows[row];
        if (simple) {
            figures = simple_figures(r.sums, r.factor, r.extent.count == 0);
            figures.lse = r.lse;
            if (const Target& target = task_.target(weights))
                kernels().store(r.numbers, n_k_, target.row(r.at), target.past_cache);
        } else {
            finish(r, figures);
        }
        begin_ = std::min(begin_, r.nan || !is_exact(r) ? 0 : r.begin);
        end_ = std::max(end_, r.nan || !is_exact(r) ? n_k_ : r.end);
    }

    Row describe(std::size_t row, std::size_t at, std::size_t k) const {
        Row r;
        r.at = at;
        r.extent = extent_of(row);
        r.opened = s_.opens_empty && r.extent.count == 0;
        r.blocked = r.extent.count < n_k_ && !r.opened;
        r.end = n_k_;
        if (r.blocked && is_exact(r)) r.begin = r.extent.begin, r.end = r.extent.end;
        if (r.blocked && !(is_exact(r) && r.extent.is_dense() && is_simple(r))) {
            std::memcpy(scratch_.allowed.data(), task_.sheets[head_]->cells->row(query(row)), n_k_);
            r.allowed = scratch_.allowed.data();
        }
        r.scores = scratch_.rows_of_scores[k];
        r.numbers = numbers_row(k, 0);
        if (s_.has_bias) make_bias(task_.first + static_cast<Index>(query(row)));
        return r;
    }

    void make_bias(Index i) const {
        const Matrix bias = biases(*task_.scene, task_.variant->mask.layers,
                                   head_positions(*task_.scene, task_.shape,
                                                  static_cast<Index>(b()), static_cast<Index>(h())),
                                   i, 1);
        std::ranges::fill(scratch_.bias, 0.0F);
        std::transform(bias.data(), bias.data() + bias.size(), scratch_.bias.data(),
                       [](double x) { return static_cast<float>(x); });
    }

    void store_scaled(const Row& r) const {
        if (const Target& target = task_.target(scaled))
            kernels().normalize({r.scores, s_.scale, 0, n_k_, n_k_, s_.dtype, nullptr,
                                 target.row(r.at), target.past_cache});
    }

    void make_logits(Row& r) const {
        RowMask mask = r.blocked ? s_.mask : RowMask::none;
        float value = s_.value;
        if (r.blocked && is_exact(r)) {
            mask = r.extent.is_dense() ? RowMask::none : RowMask::select;
            value = -infinity;
        }
        // With RowMask::select, the mask value replaces scaled + bias, or replaces the score and is
        // then scaled.
        const LargestNumber largest = kernels().logits(
            {r.scores, r.numbers, s_.has_bias ? scratch_.bias.data() : nullptr, r.allowed, r.begin,
             r.end, s_.scale, value, mask, s_.twice, s_.scale_first, s_.dtype});
        r.nan = largest.nan;
        if (!largest.nan) r.lse = log_sum_exp(r, largest.number);
        r.top = sink_ ? std::max(largest.number, static_cast<float>(*sink_)) : largest.number;
        r.nan = r.nan || !std::isfinite(r.top);
        if (const Target& target = task_.target(logits)) {
            std::fill(r.numbers, r.numbers + r.begin, -infinity);
            std::fill(r.numbers + r.end, r.numbers + n_k_, -infinity);
            kernels().store(r.numbers, n_k_, target.row(r.at), target.past_cache);
        }
    }

    // Returns the log-sum-exp of the logits; without a sink only the largest logit, to which
    // make_softmax() adds the rest.
    double log_sum_exp(const Row& r, float largest) const {
        if (!std::isfinite(largest) || !sink_) return static_cast<double>(largest);
        double sum = 0;  // with a sink that is far larger, the exponentials would be 0
        for (std::size_t j = r.begin; j < r.end; ++j)
            sum += std::exp(static_cast<double>(r.numbers[j]) - static_cast<double>(largest));
        return static_cast<double>(largest) + std::log(sum);
    }

    // True if the weights are just the exponentials divided by their sum. This does not depend on
    // what else is requested, so a row's statistics are always the same.
    bool is_simple(const Row& r) const {
        const bool with_pads = r.begin < pads().end && pads().begin < r.end;
        return s_.dtype == RowDtype::float32 && !r.nan && is_exact(r) && !sink_ && !r.opened &&
               !s_.multiplies_weights && !with_pads && !(s_.zeroes && r.extent.count == 0);
    }

    void fill(float* numbers, float x) const {
        std::fill(numbers, numbers + n_k_, x);
        std::fill(numbers + n_k_, numbers + scratch_.stride, 0.0F);
    }

    void make_softmax(Row& r, bool simple) const {
        const Target& target = task_.target(softmax);
        if (r.nan) {
            fill(r.numbers, not_a_number);
            if (target) kernels().store(r.numbers, n_k_, target.row(r.at), target.past_cache);
            return;
        }
        r.sums = kernels().exponentials(r.numbers, r.begin, r.end, r.top);
        if (!sink_) r.lse += std::log(r.sums.sum);
        r.total = r.sums.sum + (sink_ ? std::exp(*sink_ - static_cast<double>(r.top)) : 0);
        r.factor = static_cast<float>(1 / r.total);
        const bool keep = !simple || task_.mixing.wanted || task_.target(weights);
        const Target& gradient = task_.target(sensitivity);
        // Blocked keys of a simple row have a weight of 0, and so a sensitivity of 0.
        if (keep || target || gradient)
            kernels().normalize({r.numbers, r.factor, r.begin, r.end, n_k_, s_.dtype,
                                 keep ? r.numbers : nullptr, target.row(r.at),
                                 (target ? target : gradient).past_cache,
                                 simple ? gradient.row(r.at) : nullptr});
    }

    // Computes statistics from w = e^t / S: Σ w = 1, −Σ w ln w = ln S − Σ e^t t / S; the largest
    // has t = 0.
    static RowFigures simple_figures(const Exponentials& sums, float factor, bool empty) {
        RowFigures f;
        f.sum = sums.sum * static_cast<double>(factor);
        f.max = static_cast<double>(factor);
        f.entropy = std::max(0.0, std::log(sums.sum) - sums.times / sums.sum);
        f.empty = empty;
        return f;
    }

    void finish(Row& r, RowFigures& figures) {
        const float* softmax_row = r.numbers;
        if (s_.multiplies_weights) {
            std::copy_n(r.numbers, scratch_.stride, scratch_.softmax.data());
            softmax_row = scratch_.softmax.data();
            multiply_weights(r);
        }
        const bool zeroed = s_.zeroes && r.extent.count == 0;
        const bool wants = static_cast<bool>(task_.target(sensitivity));
        if (wants || r.blocked || r.opened) make_sensitivity(r, softmax_row, zeroed);
        if (zeroed) fill(r.numbers, 0), r.nan = false;
        if (const Target& target = task_.target(weights))
            kernels().store(r.numbers, n_k_, target.row(r.at), target.past_cache);
        if (const Target& target = task_.target(sensitivity))
            kernels().store(scratch_.sensitivity.data(), n_k_, target.row(r.at), target.past_cache);
        figures = general_figures(r);
    }

    void multiply_weights(Row& r) const {
        if (!r.blocked && !s_.renormalizes) return;
        double sum = 0;
        if (r.blocked)
            sum = kernels().multiply(scratch_.softmax.data(), r.allowed, n_k_, r.numbers);
        else
            sum = kernels().sum(r.numbers, n_k_);
        if (!s_.renormalizes) return;
        kernels().divide(r.numbers, n_k_, static_cast<float>(sum), s_.dtype);
        std::fill(r.numbers + n_k_, r.numbers + scratch_.stride, 0.0F);
        r.nan = r.nan || sum == 0;
    }

    void make_sensitivity(const Row& r, const float* softmax_row, bool zeroed) const {
        float* to = scratch_.sensitivity.data();
        if (zeroed && s_.zeroes_before) return fill(to, 0);
        if (r.nan) return fill(to, not_a_number);
        const bool factor = s_.multiplies_weights && !s_.renormalizes;
        kernels().sensitivity({softmax_row, r.numbers, factor ? r.allowed : nullptr,
                               s_.cuts_gradient ? r.allowed : nullptr, s_.renormalizes, n_k_, to});
    }

    RowFigures general_figures(const Row& r) const {
        const bool blocked = r.blocked || r.opened;  // according to the mask itself
        if (r.opened) std::fill_n(scratch_.allowed.data(), scratch_.stride, std::uint8_t{0});
        const Figures f =
            kernels().figures({r.numbers, blocked ? scratch_.sensitivity.data() : nullptr,
                               r.opened ? scratch_.allowed.data() : r.allowed,
                               has_pads() ? scratch_.pads.data() : nullptr, n_k_});
        RowFigures figures{
            f.sum, static_cast<double>(f.max), f.entropy, f.leak, f.gradient_leak, f.pads, false,
            f.nan};
        figures.empty = r.extent.count == 0;
        figures.lse = r.lse;
        if (f.nan) figures.sum = figures.max = figures.entropy = not_a_number;
        if (f.nan && blocked) figures.leak = figures.gradient_leak = not_a_number;
        if (f.nan && has_pads()) figures.pads = not_a_number;
        return figures;
    }

    const CpuTask& task_;
    const RowSettings& s_;
    Scratch& scratch_;
    std::size_t head_;
    const PreparedHead& prepared_;
    std::optional<double> sink_;
    std::size_t n_k_;
    bool plain_;  // true if a row may be plain: see is_plain()
    std::size_t begin_ = std::numeric_limits<std::size_t>::max(), end_ = 0;
};

// --- scores

struct Range {
    std::size_t begin = 0, end = 0;
};

// Returns the columns whose scores are needed.
Range columns_wanted(const Group& group, std::size_t head, std::span<const std::size_t> rows) {
    const std::size_t n_k = group.front()->n_k();
    Range range{n_k, 0};
    for (const CpuTask* task : group) {
        if (task->exact[head] == 0 || task->target(scores) || task->target(scaled)) return {0, n_k};
        for (const std::size_t row : rows) {
            const RowExtent& extent = task->sheets[head]->rows[query_of(*task, head, row)];
            if (extent.count == 0 && task->settings.opens_empty) return {0, n_k};
            if (extent.count == 0) continue;
            range.begin = std::min<std::size_t>(range.begin, extent.begin);
            range.end = std::max<std::size_t>(range.end, extent.end);
        }
    }
    return range;
}

void compute_scores(const CpuTask& task, std::size_t head, std::span<const std::size_t> rows,
                    Range range, Scratch& scratch) {
    const PreparedInputs& prepared = *task.prepared;
    const auto first_query = static_cast<std::size_t>(task.first);
    const float* q[rows_in_block];
    for (std::size_t k = 0; k < rows.size(); ++k) {
        q[k] = prepared.heads[head].q.data() +
               (first_query + query_of(task, head, rows[k])) * prepared.d;
        scratch.rows_of_scores[k] = scratch.scores.data() + k * scratch.stride;
    }
    kernels().scores({prepared.kind, q, rows.size(), prepared.heads[head].panels.data(),
                      prepared.w_v.data(), prepared.d, range.begin, range.end,
                      scratch.scores.data(), scratch.stride});
    if (task.settings.dtype == RowDtype::float32) return;
    const std::size_t first = range.begin / row_step * row_step;
    for (std::size_t k = 0; k < rows.size() && first < range.end; ++k)
        kernels().round(scratch.scores.data() + k * scratch.stride + first, range.end - first, 1,
                        task.settings.dtype);
}

// Sets scratch.rows_of_scores to known scores; copies those that are not aligned and padded as the
// kernels need.
void find_scores(const CpuTask& task, std::size_t head, std::span<const std::size_t> rows,
                 Scratch& scratch) {
    const auto h = static_cast<std::size_t>(task.shape.h);
    const std::size_t n_k = task.n_k();
    for (std::size_t k = 0; k < rows.size(); ++k) {
        const std::size_t i = query_of(task, head, rows[k]);
        const float* from =
            task.scores.exists()
                ? task.scores
                      .float32_row(static_cast<Index>(head / h), static_cast<Index>(head % h),
                                   static_cast<Index>(i))
                      .data()
                : task.prepared->heads[head].scores.data() +
                      (static_cast<std::size_t>(task.first) + i) * n_k;
        scratch.rows_of_scores[k] = from;
        if (n_k % row_step == 0 && reinterpret_cast<std::uintptr_t>(from) % 64 == 0) continue;
        float* to = scratch.scores.data() + k * scratch.stride;
        std::copy_n(from, n_k, to);
        std::fill(to + n_k, to + scratch.stride, 0.0F);
        scratch.rows_of_scores[k] = to;
    }
}

void make_scores(const Group& group, std::size_t head, std::span<const std::size_t> rows,
                 std::size_t first, Scratch& scratch) {
    const CpuTask& task = *group.front();
    if (task.scores.exists() || task.prepared->d == 0)
        find_scores(task, head, rows, scratch);
    else
        compute_scores(task, head, rows, columns_wanted(group, head, rows), scratch);
    for (const CpuTask* one : group)
        if (const Target& target = one->target(scores))
            for (std::size_t k = 0; k < rows.size(); ++k)
                kernels().store(scratch.rows_of_scores[k], one->n_k(),
                                target.row(one->compact ? first + k : rows[k]), target.past_cache);
}

// --- output

void store_output(const CpuTask& task, std::span<const std::size_t> rows, std::size_t first,
                  float* numbers, std::size_t stride, float factor) {
    const Target& target = task.target(output);
    for (std::size_t k = 0; k < rows.size(); ++k) {
        float* row = numbers + k * stride;
        kernels().round(row, task.mixing.d_out, factor, task.settings.dtype);
        std::copy_n(row, task.mixing.d_out, target.row(task.compact ? first + k : rows[k]));
    }
}

void make_output(const CpuTask& task, std::size_t head, std::span<const std::size_t> rows,
                 std::size_t first, const RowMaker& made, Scratch& scratch) {
    const Mixing& m = task.mixing;
    const PreparedInputs& prepared = *task.prepared;
    kernels().mix({scratch.weights.data(), rows.size(), scratch.stride,
                   prepared.heads[head].values.data(), prepared.value_columns, made.begin(),
                   made.end(), scratch.mixed.data()});
    if (m.kind == OutputKind::values) {
        store_output(task, rows, first, scratch.mixed.data(), prepared.value_columns, 1);
    } else if (m.kind == OutputKind::alternative) {
        kernels().mix({scratch.mixed.data(), rows.size(), prepared.value_columns, m.w.data(),
                       m.w_columns, 0, m.d_v, scratch.output.data()});
        store_output(task, rows, first, scratch.output.data(), m.w_columns, m.root);
    } else {
        const auto h = static_cast<std::size_t>(task.shape.h);
        const auto n_q = static_cast<std::size_t>(task.shape.n_q);
        for (std::size_t k = 0; k < rows.size(); ++k) {
            const std::size_t b_i = head / h * n_q + query_of(task, head, rows[k]);
            float* to = m.joined->data() + (b_i * h + head % h) * m.d_v;
            std::copy_n(scratch.mixed.data() + k * prepared.value_columns, m.d_v, to);
        }
    }
}

}  // namespace

void Scratch::make_room(const std::vector<CpuTask>& tasks) {
    std::size_t n_k = 1, width = 16;
    for (const CpuTask& task : tasks) {
        n_k = std::max(n_k, task.n_k());
        width = std::max(width, task.mixing.w_columns);
        if (task.prepared) width = std::max(width, task.prepared->value_columns);
    }
    // The stride is not a power of two, so that rows do not compete for the same cache lines.
    stride = (n_k + row_step - 1) / row_step * row_step + 16;
    for (auto* block : {&scores, &weights})
        if (block->size() < rows_in_block * stride) block->resize(rows_in_block * stride);
    for (auto* row : {&softmax, &sensitivity, &bias}) row->assign(stride, 0.0F);
    for (auto* block : {&mixed, &output})
        if (block->size() < rows_in_block * width) block->resize(rows_in_block * width);
    for (auto* row : {&allowed, &pads}) row->assign(stride, 0);
}

void make_rows(const Group& group, std::size_t first, std::size_t count, Scratch& scratch) {
    const CpuTask& task = *group.front();
    const std::span<const std::size_t> rows(task.rows.data() + first, count);
    const std::size_t head = rows.front() / static_cast<std::size_t>(task.shape.n_q);
    make_scores(group, head, rows, first, scratch);
    for (const CpuTask* one : group) {
        RowMaker made(*one, head, scratch);
        made.make(rows, first);
        if (one->mixing.wanted) make_output(*one, head, rows, first, made, scratch);
    }
}

void project_row(const CpuTask& task, std::size_t b_i, std::size_t at, Scratch& scratch) {
    const Mixing& m = task.mixing;
    const std::size_t joined = static_cast<std::size_t>(task.shape.h) * m.d_v;
    kernels().mix({m.joined->data() + b_i * joined, 1, joined, m.w.data(), m.w_columns, 0, joined,
                   scratch.output.data()});
    kernels().round(scratch.output.data(), m.d_out, 1, task.settings.dtype);
    std::copy_n(scratch.output.data(), m.d_out, task.target(output).row(at));
}

namespace {

class PlainTaskMaker {
public:
    PlainTaskMaker(const Scene& scene, const Request& request, const BatchInputs& inputs,
                   const PlainTask& task, Pool& pool)
        : scene_(scene),
          request_(request),
          inputs_(inputs),
          variant_(*task.variant),
          result_(*task.result),
          pool_(pool),
          parameters_(parameters_of(scene, variant_)),
          asked_(rows_of(request, inputs.shape)),
          first_head_(request.head.value_or(0)),
          heads_(request.head ? 1 : static_cast<std::size_t>(inputs.shape.b * inputs.shape.h)),
          parts_(heads_.size()) {
        const Shape shape = shape_of_stages();
        for (const RowStage& kept : row_stages)
            if (wants(request, scene.inputs, kept.kind))
                result_.stage(kept.kind) =
                    Stage(shape.b, shape.h, shape.n_q, shape.n_k, variant_.dtype == Dtype::float64);
    }

    void make(const std::function<void(Index)>& rows_done) {
        pool_.run(heads_.size(), Pool::Shares::next, [&](std::size_t head, int) {
            const Index one = first_head_ + static_cast<Index>(head), h = inputs_.shape.h;
            heads_[head] = round_inputs(inputs_.at(one / h, one % h, asked_.first, asked_.count),
                                        Rounding(variant_.dtype));
        });
        mixes_ = wants(request_, scene_.inputs, StageKind::output);
        const Shape& shape = result_.shape;
        const Index at_once = rows_at_once(shape.n_k);
        const auto blocks = static_cast<std::size_t>((shape.n_q + at_once - 1) / at_once);
        for (Matrix& part : parts_)
            if (mixes_) part.resize(shape.n_q, mixed_columns());
        pool_.run(heads_.size() * blocks, Pool::Shares::next, [&](std::size_t part, int) {
            const Index first = static_cast<Index>(part % blocks) * at_once;
            const Index rows = std::min(at_once, shape.n_q - first);
            attend_block(part / blocks, first, rows);
            rows_done(rows);
        });
        if (mixes_) make_output();
    }

private:
    Index mixed_columns() const {
        return variant_.output.kind == OutputKind::alternative ? parameters_.w.rows()
                                                               : heads_.front().values.cols();
    }

    // Returns the shape of the stages; that of one head if only one was requested.
    Shape shape_of_stages() const {
        Shape shape = result_.shape;
        if (request_.head) shape.b = shape.h = 1;
        return shape;
    }

    // Computes one block. May be called from any thread: every block writes rows of its own. `part`
    // and `first` count from the first requested head and row.
    void attend_block(std::size_t part, Index first, Index rows) {
        const Shape& shape = result_.shape;
        const Index head = first_head_ + static_cast<Index>(part);
        const Index b = head / shape.h, h = head % shape.h;
        const Index row = head * shape.n_q + first;
        const Index query = asked_.first + first;
        const MaskRows& mask = *result_.allowed.sheets()[static_cast<std::size_t>(head)];
        Allowed allowed(rows, shape.n_k);
        for (Index i = 0; i < rows; ++i)
            std::copy_n(mask.row(static_cast<std::size_t>(first + i)), shape.n_k,
                        allowed.row(i).data());
        const HeadPositions seen = head_positions(scene_, inputs_.shape, b, h);
        const Matrix bias = biases(scene_, variant_.mask.layers, seen, query, rows);
        StageTimes times;
        const Stages stages = attend(variant_, parameters_, rows_of(heads_[part], first, rows),
                                     allowed, bias, sink_of(variant_, h), times,
                                     row_scales(scene_, variant_.scale, seen, query, rows));
        const Shape made = shape_of_stages();
        for (const RowStage& kept : row_stages)
            if (Stage& stage = result_.stage(kept.kind); stage.exists())
                stage.set_rows(Index(part) / made.h, Index(part) % made.h, first,
                               stages.*kept.stage);
        const std::uint8_t* pads = result_.pads.data() + b * shape.n_k;
        for (Index i = 0; i < rows; ++i)
            result_.rows[row + i] =
                row_figures(stages.weights, stages.sensitivity, stages.logits, allowed, pads, i);
        if (mixes_)
            parts_[part].middleRows(first, rows) =
                mix(variant_.output.kind, parameters_, stages.weights, heads_[part].values);
    }

    void make_output() {
        const Rounding rounded(variant_.dtype);
        const Shape shape = shape_of_stages();
        const bool projected = variant_.output.kind == OutputKind::projected;
        const Index h = projected ? 1 : shape.h;
        const Index columns = projected ? parameters_.w.cols() : mixed_columns();
        Stage& stage = result_.stage(StageKind::output) =
            Stage(shape.b, h, shape.n_q, columns, variant_.dtype == Dtype::float64);
        pool_.run(
            static_cast<std::size_t>(shape.b * h), Pool::Shares::next, [&](std::size_t part, int) {
                const Index b = static_cast<Index>(part) / h;
                const auto first = parts_.begin() + b * shape.h;
                const Matrix mixed =
                    projected ? project({first, first + shape.h}, parameters_.w) : parts_[part];
                stage.set_head(b, static_cast<Index>(part) % h, rounded(mixed));
            });
    }

    const Scene& scene_;
    const Request& request_;
    const BatchInputs& inputs_;
    const Variant& variant_;
    VariantResult& result_;
    Pool& pool_;
    const Parameters parameters_;
    const Rows asked_;
    const Index first_head_;
    std::vector<HeadInputs> heads_;  // the requested heads, rounded
    std::vector<Matrix> parts_;      // for each of these heads: weights · V, not rounded
    bool mixes_ = false;
};

}  // namespace

void compute_plain(const Scene& scene, const Request& request, const BatchInputs& inputs,
                   const PlainTask& task, Pool& pool, const std::function<void(Index)>& rows_done) {
    PlainTaskMaker(scene, request, inputs, task, pool).make(rows_done);
}

}  // namespace maskscope
