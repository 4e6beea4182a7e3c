#include "core/cpu/plan.h"

#include <cstring>
#include <numeric>
#include <optional>

namespace maskscope {

namespace {

using enum StageKind;

// If at most one row in `few` changes, the others stay where they are.
constexpr std::size_t few = 16;
// A stage this large leaves the cache before it is read again.
constexpr std::size_t past_cache_bytes = std::size_t(2) << 20;

// Fills in labels, padding and masks, but no stages.
void fill_frame(VariantResult& result, const VariantResult& labels,
                const std::vector<SharedSheet>& sheets) {
    result.shape = labels.shape;
    result.queries = labels.queries;
    result.keys = labels.keys;
    result.pads = labels.pads;
    std::vector<MaskCells::Sheet> cells;
    for (const SharedSheet& sheet : sheets) cells.push_back(sheet->cells);
    result.allowed = MaskCells(std::move(cells));
    const Shape& shape = result.shape;
    result.rows.resize(static_cast<std::size_t>(shape.b * shape.h * shape.n_q));
}

class Planner {
public:
    Planner(Result& result, const Request& request, const Result* before, InputCache& known,
            Pool& pool, Progress& progress)
        : result_(result),
          scene_(result.scene),
          request_(request),
          known_(known),
          pool_(pool),
          rows_(rows_of(request, shape_of(scene_))),
          shape_(shape_of(scene_)) {
        shape_.n_q = rows_.count;
        const bool same = before && same_inputs(before->scene, scene_);
        if (same && before->backend == "cpu" && !request.rows) before_ = before;
        result.inputs = known.inputs(scene_, same ? before->inputs : nullptr, progress);
        labels_ = labels();
    }

    Plan make() {
        const std::vector<int> variants = variants_of(request_, scene_);
        plan_.tasks.reserve(variants.size());  // groups point at them
        for (const int variant : variants) add(variant);
        make_groups();
        return std::move(plan_);
    }

private:
    std::shared_ptr<const VariantResult> labels() const {
        if (!request_.rows && !request_.head) return known_.labels(scene_, result_.inputs);
        VariantResult some = request_.head ? unlabelled(scene_) : labelled(scene_, request_);
        some.shape = shape_;
        return std::make_shared<const VariantResult>(std::move(some));
    }

    bool wants(StageKind kind) const { return maskscope::wants(request_, scene_.inputs, kind); }

    void add(int index) {
        const Variant& variant = scene_.variants[index];
        VariantResult& result = result_.variants[index];
        const PreviousVariant old =
            previous_variant(scene_, static_cast<std::size_t>(index), before_, known_.sheets);
        const auto sheets = known_.sheets.of(scene_, variant.mask.layers, rows_, request_.head);
        fill_frame(result, *labels_, sheets);
        if (keep_all(variant, old, sheets, result)) return;
        if (is_for_kernels(scene_, variant)) {
            CpuTask& task = plan_.tasks.emplace_back();
            task.scene = &scene_;
            task.variant = &variant;
            task.result = &result;
            task.shape = shape_;
            task.first = rows_.first;
            task.sheets = sheets;
            task.parameters = known_.parameters(scene_, variant, result_.inputs);
            task.prepared =
                known_.prepared(variant, *task.parameters, result_.inputs, request_.head, pool_);
            if (is_in_range(variant, *task.parameters, *task.prepared, shape_)) {
                // The reference implementation rounds a sum once, but the kernels add in float32:
                // do not mix their rows.
                const bool same_sums = old && !old.result->by_plain_functions;
                return set_up(task, same_sums ? old : PreviousVariant{});
            }
            plan_.tasks.pop_back();
        }
        result.by_plain_functions = true;
        plan_.plain.push_back({&variant, &result});
    }

    bool has_all_wanted(const PreviousVariant& old) const {
        for (int k = 1; k < stage_count; ++k) {
            const auto kind = static_cast<StageKind>(k);
            if (wants(kind) && !old.result->stage(kind).exists()) return false;
            if (old.result->stage(kind).remote()) return false;
        }
        return true;
    }

    // Reuses the previous result if nothing that this variant depends on has changed.
    bool keep_all(const Variant& variant, const PreviousVariant& old,
                  const std::vector<SharedSheet>& sheets, VariantResult& result) const {
        if (!old || !same_but_layers(variant, *old.variant) || !has_all_wanted(old)) return false;
        if (!same_biases(variant, *old.variant) || !same_masks(sheets, *old.result)) return false;
        result.rows = old.result->rows;
        result.by_plain_functions = old.result->by_plain_functions;
        for (int k = 1; k < stage_count; ++k)
            if (const auto kind = static_cast<StageKind>(k); wants(kind))
                result.stage(kind) = old.result->stage(kind);
        return true;
    }

    // --- which rows

    std::size_t row_count() const {
        return static_cast<std::size_t>(shape_.b * shape_.h * shape_.n_q);
    }

    // --- one variant of the kernels

    void set_up(CpuTask& task, const PreviousVariant& old) {
        for (Index b = 0; b < shape_.b; ++b)
            task.pads.push_back(extent_of(task.result->pads.data() + b * shape_.n_k, task.n_k()));
        task.settings = row_settings(*task.variant, *task.parameters);
        for (const PreparedHead& head : task.prepared->heads)
            task.exact.push_back(blocks_exactly(task.settings, head));
        if (wants(output))
            task.mixing = mixing_of(*task.variant, *task.parameters, scene_.inputs, shape_);
        if (old && same_but_layers(*task.variant, *old.variant) && has_all_wanted(old))
            return change_rows(task, old);
        const std::size_t of_head = static_cast<std::size_t>(shape_.n_q);
        task.compact = request_.head.has_value();
        task.rows.resize(task.compact ? of_head : row_count());
        std::iota(task.rows.begin(), task.rows.end(),
                  of_head * static_cast<std::size_t>(request_.head.value_or(0)));
        if (old && old.has(scores) && same_scores(*task.variant, *old.variant))
            task.scores = old.result->stage(scores);
        make_stages(task, old);
    }

    bool softmax_is_weights(const CpuTask& task) const {
        const bool zeroed =
            task.settings.zeroes && std::ranges::any_of(task.sheets, [](const SharedSheet& sheet) {
                return sheet->has_empty_row;
            });
        return !task.settings.multiplies_weights && !zeroed;
    }
    bool logits_are_scaled(const CpuTask& task) const {
        return task.settings.mask == RowMask::none && !task.settings.has_bias;
    }

    Stage new_stage(CpuTask& task, StageKind kind) {
        const bool projected = kind == output && task.mixing.kind == OutputKind::projected;
        const Index b = request_.head ? 1 : shape_.b, h = projected || request_.head ? 1 : shape_.h;
        const std::size_t columns = kind == output ? task.mixing.d_out : task.n_k();
        auto numbers = std::make_shared<LargeArray<float>>(
            static_cast<std::size_t>(b * h * shape_.n_q) * columns);
        const bool whole_lines = columns * sizeof(float) % 64 == 0;
        task.target(kind) = {numbers->data(), columns,
                             whole_lines && numbers->size() * sizeof(float) > past_cache_bytes};
        return {b, h, shape_.n_q, static_cast<Index>(columns), numbers};
    }

    // Prepares to compute all rows: which stages are new, and which are shared with another stage
    // or variant.
    void make_stages(CpuTask& task, const PreviousVariant& old) {
        VariantResult& r = *task.result;
        const CpuTask* same = task.scores.exists() ? nullptr : task_with_scores(task);
        if (wants(scores)) {
            if (task.scores.exists())
                r.stage(scores) = task.scores;
            else
                r.stage(scores) = same ? same->result->stage(scores) : new_stage(task, scores);
        }
        if (wants(scaled)) make_scaled(task, old);
        if (wants(logits))
            r.stage(logits) = logits_are_scaled(task) && wants(scaled) ? r.stage(scaled)
                                                                       : new_stage(task, logits);
        if (softmax_is_weights(task)) {
            if (wants(softmax) || wants(weights)) {
                const Stage both = new_stage(task, softmax);
                if (wants(softmax)) r.stage(softmax) = both;
                if (wants(weights)) r.stage(weights) = both;
            }
        } else {
            if (wants(softmax)) r.stage(softmax) = new_stage(task, softmax);
            if (wants(weights)) r.stage(weights) = new_stage(task, weights);
        }
        if (wants(sensitivity)) r.stage(sensitivity) = new_stage(task, sensitivity);
        if (wants(output)) r.stage(output) = new_stage(task, output);
    }

    void make_scaled(CpuTask& task, const PreviousVariant& old) {
        VariantResult& r = *task.result;
        const double scale = task.parameters->scale;
        if (scale == 1 && wants(scores)) {
            r.stage(scaled) = r.stage(scores);
            return;
        }
        if (task.scores.exists() && old.has(scaled) && task.variant->scale == old.variant->scale) {
            r.stage(scaled) = old.result->stage(scaled);
            return;
        }
        for (const CpuTask& other : plan_.tasks)
            if (&other != &task && is_beside(task, other) && other.parameters->scale == scale) {
                r.stage(scaled) = other.result->stage(scaled);
                return;
            }
        r.stage(scaled) = new_stage(task, scaled);
    }

    // True if both variants compute all rows from the same scores, so that they belong in one
    // group.
    static bool is_beside(const CpuTask& task, const CpuTask& other) {
        return other.prepared == task.prepared && !task.scores.exists() && !other.scores.exists() &&
               task.rows.size() == other.rows.size() && !other.compact;
    }
    const CpuTask* task_with_scores(const CpuTask& task) const {
        for (const CpuTask& other : plan_.tasks)
            if (&other != &task && is_beside(task, other) && other.result->stage(scores).exists())
                return &other;
        return nullptr;
    }

    // --- only some of its rows

    void change_rows(CpuTask& task, const PreviousVariant& old) {
        task.rows = changed_rows(task, old);
        if (old.has(scores)) task.scores = old.result->stage(scores);
        VariantResult& r = *task.result;
        r.rows = old.result->rows;
        for (int k = 1; k < stage_count; ++k)
            if (const auto kind = static_cast<StageKind>(k); wants(kind))
                r.stage(kind) = old.result->stage(kind);
        const std::size_t apart =
            old.result->stage(weights).exists() ? old.result->stage(weights).changed_rows() : 0;
        task.compact = (task.rows.size() + apart) * few <= row_count();
        const bool before_softmax =
            task.settings.mask != RowMask::none || !same_biases(*task.variant, *old.variant);
        const bool both = softmax_is_weights(task);
        if (before_softmax) {
            change(task, {logits});
            change(task, both ? std::vector{softmax, weights} : std::vector{softmax});
        }
        if (!both) change(task, {weights});
        change(task, {sensitivity});
        change(task, {output});
    }

    // Makes new rows in place of the changed ones of these stages, which share their numbers.
    void change(CpuTask& task, std::vector<StageKind> kinds) {
        std::erase_if(kinds, [&](StageKind kind) { return !wants(kind); });
        if (kinds.empty() || task.rows.empty()) return;
        const StageKind kind =
            kinds.front() == weights && softmax_is_weights(task) ? softmax : kinds.front();
        const Stage old = task.result->stage(kinds.back());
        if (!task.compact) {
            const Stage made = new_stage(task, kind);
            for (const StageKind one : kinds) task.result->stage(one) = made;
            plan_.copies.push_back({old, task.target(kind)});
            return;
        }
        const bool projected = kind == output && task.mixing.kind == OutputKind::projected;
        const auto rows = projected ? task.projected_rows() : task.rows;
        auto numbers = std::make_shared<LargeArray<float>>(rows.size() *
                                                           static_cast<std::size_t>(old.columns()));
        task.target(kind) = {numbers->data(), static_cast<std::size_t>(old.columns()), false};
        plan_.changes.push_back({task.result, kinds, old, rows, numbers});
    }

    // --- variants that are computed together

    void make_groups() {
        for (CpuTask& task : plan_.tasks) {
            if (task.rows.empty()) continue;
            Group* same = nullptr;
            for (Group& group : plan_.groups)
                if (is_beside(task, *group.front()) && !task.compact &&
                    group.front()->rows.size() == row_count())
                    same = &group;
            if (same)
                same->push_back(&task);
            else
                plan_.groups.push_back({&task});
        }
    }

    Result& result_;
    const Scene& scene_;
    const Request& request_;
    const Result* before_ = nullptr;
    InputCache& known_;
    Pool& pool_;
    Rows rows_;
    Shape shape_;                                  // with the requested queries
    std::shared_ptr<const VariantResult> labels_;  // labels and padding, which all variants share
    Plan plan_;
};

}  // namespace

Plan make_plan(Result& result, const Request& request, const Result* before, InputCache& known,
               Pool& pool, Progress& progress) {
    return Planner(result, request, before, known, pool, progress).make();
}

namespace {

std::vector<MaskLayer> biases_of(const Variant& variant) {
    std::vector<MaskLayer> layers;
    std::ranges::copy_if(variant.mask.layers, std::back_inserter(layers), is_bias);
    return layers;
}

using Marks = std::vector<std::uint8_t>;  // [b, h, n_q]

void mark_bias_rows(const Variant& variant, std::size_t n_q, Marks& changed) {
    for (const MaskLayer& layer : variant.mask.layers) {
        if (layer.kind == LayerKind::alibi) std::ranges::fill(changed, 1);
        for (const BiasCell& cell : layer.bias)
            for (auto row = static_cast<std::size_t>(cell.i); row < changed.size(); row += n_q)
                changed[row] = 1;
    }
}

// True if this head has the same mask as the head before it, both now and before the edit.
bool again(const std::vector<SharedSheet>& now, const std::vector<MaskCells::Sheet>& then,
           std::size_t head) {
    return head > 0 && now[head]->cells == now[head - 1]->cells && then[head] == then[head - 1];
}

void mark_mask_rows(const CpuTask& task, const PreviousVariant& old, Marks& changed) {
    const auto n_q = static_cast<Index>(task.shape.n_q);
    const std::vector<MaskCells::Sheet>& then = old.result->allowed.sheets();
    for (std::size_t head = 0; head < task.sheets.size(); ++head) {
        const auto marks = changed.begin() + static_cast<Index>(head) * n_q;
        if (again(task.sheets, then, head)) {
            std::copy_n(marks - n_q, n_q, marks);
            continue;
        }
        for (Index i = 0; i < n_q; ++i) {
            const std::uint8_t *x = task.sheets[head]->cells->row(static_cast<std::size_t>(i)),
                               *y = then[head]->row(static_cast<std::size_t>(i));
            marks[i] = x != y && std::memcmp(x, y, task.n_k()) != 0;
        }
    }
}

void spread_over_heads(const Shape& shape, Marks& changed) {
    const auto n_q = static_cast<std::size_t>(shape.n_q);
    const std::size_t sequence = static_cast<std::size_t>(shape.h) * n_q;
    for (std::size_t row = 0; row < changed.size(); ++row) {
        if (changed[row] == 0) continue;
        const std::size_t begin = row / sequence * sequence;
        for (std::size_t other = begin + row % n_q; other < begin + sequence; other += n_q)
            changed[other] = 1;
    }
}

}  // namespace

bool PreviousVariant::has(StageKind kind) const {
    return result && result->stage(kind).exists() && !result->stage(kind).remote() &&
           !result->stage(kind).is_float64();
}

PreviousVariant previous_variant(const Scene& scene, std::size_t index, const Result* before,
                                 const MaskSheets& sheets) {
    if (!before) return {};
    const Shape shape = shape_of(scene);
    const auto usable = [&](std::size_t k) {
        if (k >= before->variants.size()) return false;
        const VariantResult& variant = before->variants[k];
        const auto heads = static_cast<std::size_t>(shape.b * shape.h);
        return !variant.rows.empty() && variant.allowed.sheets().size() == heads &&
               sheets.has(variant.allowed.sheets().front());
    };
    const auto equal = [&](std::size_t k) {
        return usable(k) && before->scene.variants[k] == scene.variants[index];
    };
    std::optional<std::size_t> found;
    for (std::size_t k = 0; k < before->variants.size() && !found; ++k)
        if (equal(k)) found = k;
    if (usable(index) && (!found || equal(index))) found = index;
    if (!found) return {};
    return {&before->scene.variants[*found], &before->variants[*found]};
}

bool same_scores(const Variant& x, const Variant& y) {
    return x.score == y.score && x.dtype == y.dtype;
}

bool same_but_layers(const Variant& x, Variant y) {
    y.name = x.name;
    y.reference = x.reference;
    y.mask.layers = x.mask.layers;
    return x == y;
}

bool same_biases(const Variant& x, const Variant& y) { return biases_of(x) == biases_of(y); }

bool same_masks(const std::vector<SharedSheet>& sheets, const VariantResult& old) {
    const std::vector<MaskCells::Sheet>& then = old.allowed.sheets();
    for (std::size_t head = 0; head < sheets.size(); ++head) {
        const MaskCells::Sheet& now = sheets[head]->cells;
        if (!again(sheets, then, head) && now != then[head] && *now != *then[head]) return false;
    }
    return true;
}

std::vector<std::size_t> changed_rows(const CpuTask& task, const PreviousVariant& old) {
    const Shape& shape = task.shape;
    Marks changed(static_cast<std::size_t>(shape.b * shape.h * shape.n_q), 0);
    mark_mask_rows(task, old, changed);
    if (!same_biases(*task.variant, *old.variant)) {
        const auto n_q = static_cast<std::size_t>(shape.n_q);
        mark_bias_rows(*task.variant, n_q, changed);
        mark_bias_rows(*old.variant, n_q, changed);
    }
    if (task.mixing.wanted && task.mixing.kind == OutputKind::projected)
        spread_over_heads(shape, changed);
    std::vector<std::size_t> rows;
    for (std::size_t row = 0; row < changed.size(); ++row)
        if (changed[row] != 0) rows.push_back(row);
    return rows;
}

}  // namespace maskscope
