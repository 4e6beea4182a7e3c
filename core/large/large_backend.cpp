#include "core/large/large_backend.h"

#include <algorithm>
#include <chrono>

#include "core/base/matrix.h"
#include "core/cpu/cpu_backend.h"
#include "core/scene/mask_rules.h"

namespace maskscope {

namespace {

constexpr std::size_t most_cached_bytes = std::size_t(32) << 20;
constexpr Index numbers_in_block = Index{1} << 18;  // for a stage: 1 MB
constexpr Index rows_of_kernels = 8;                // the kernels compute this many together

Index rows_in_block(const Shape& shape) {
    const Index rows = std::clamp<Index>(numbers_in_block / shape.n_k, 1, 64);
    return (rows + rows_of_kernels - 1) / rows_of_kernels * rows_of_kernels;
}

std::size_t bytes_of(const VariantResult& block) {
    std::size_t bytes = block.allowed.size();
    for (const Stage& stage : block.stages)
        bytes += static_cast<std::size_t>(stage.b() * stage.h() * stage.rows() * stage.columns()) *
                 (stage.is_float64() ? 8 : 4);
    return bytes;
}

}  // namespace

LargeVariant::LargeVariant(std::shared_ptr<Backend> backend, std::shared_ptr<const Result> of,
                           int variant, std::bitset<stage_count> stages)
    : backend_(std::move(backend)),
      of_(std::move(of)),
      variant_(variant),
      stages_(stages),
      shape_(shape_of(of_->scene)),
      blocks_(most_cached_bytes),
      rows_(static_cast<std::size_t>(shape_.b * shape_.h)),
      known_(rows_.size() * static_cast<std::size_t>(shape_.n_q)) {}

VariantResult LargeVariant::compute(Index head, Rows rows, const std::bitset<stage_count>& stages,
                                    Progress& progress) const {
    Request request{stages, {variant_}, rows, {}};
    const bool joined = of_->scene.variants[variant_].output.kind == OutputKind::projected;
    if (head == all_heads) {
        request.stages = std::bitset<stage_count>().set(std::size_t(StageKind::output));
    } else {
        request.head = head;
        if (joined) request.stages.reset(std::size_t(StageKind::output));
    }
    Result result = backend_->compute(of_->scene, request, of_.get(), progress);
    return std::move(result.variants[variant_]);
}

void LargeVariant::note(Index head, Rows rows, const VariantResult& block) const {
    const std::lock_guard lock(mutex_);
    auto& of_head = rows_[static_cast<std::size_t>(head)];
    of_head.resize(static_cast<std::size_t>(shape_.n_q));
    for (Index i = 0; i < rows.count; ++i) {
        known_[static_cast<std::size_t>(head * shape_.n_q + rows.first + i)] = true;
        of_head[static_cast<std::size_t>(rows.first + i)] = block.rows[static_cast<std::size_t>(i)];
    }
}

VariantResult LargeVariant::block(Index b, Index h, Rows rows,
                                  const std::bitset<stage_count>& stages,
                                  Progress& progress) const {
    const Index head = b * shape_.h + h;
    VariantResult made = compute(head, rows, stages, progress);
    note(head, rows, made);
    const bool joined = of_->scene.variants[variant_].output.kind == OutputKind::projected;
    if (joined && stages.test(std::size_t(StageKind::output))) {
        const Stage all = compute(all_heads, rows, stages, progress).stage(StageKind::output);
        Stage& output = made.stage(StageKind::output) =
            Stage(1, 1, rows.count, all.columns(), all.is_float64());
        output.set_head(0, 0, all.head(b, 0));
    }
    return made;
}

LargeVariant::Place LargeVariant::at(Index head, Index i) const {
    const Index most = rows_in_block(shape_), first = i / most * most;
    const Key key{head, first};
    if (auto block = blocks_.find(key)) return {std::move(block), i - first};
    const Rows rows{first, std::min(most, shape_.n_q - first)};
    Progress progress;
    auto block = std::make_shared<const VariantResult>(compute(head, rows, stages_, progress));
    if (head != all_heads) note(head, rows, *block);
    blocks_.keep(key, block, bytes_of(*block));
    return {std::move(block), i - first};
}

RowFigures LargeVariant::figures(Index b, Index h, Index i) const {
    if (const auto known = known_figures(b, h, i)) return *known;
    const Place place = at(b * shape_.h + h, i);
    return place.block->rows[static_cast<std::size_t>(place.row)];
}

std::optional<RowFigures> LargeVariant::known_figures(Index b, Index h, Index i) const {
    const Index head = b * shape_.h + h;
    const std::lock_guard lock(mutex_);
    if (!known_[static_cast<std::size_t>(head * shape_.n_q + i)]) return std::nullopt;
    return rows_[static_cast<std::size_t>(head)][static_cast<std::size_t>(i)];
}

namespace {

using enum StageKind;

double numbers_kept(const Scene& scene, const Request& request) {
    const Shape shape = shape_of(scene);
    double stages = 0;
    for (int k = 1; k < stage_count; ++k)
        if (const auto kind = static_cast<StageKind>(k); kind != output)
            stages += wants(request, scene.inputs, kind);
    return double(variants_of(request, scene).size()) * stages * double(shape.b * shape.h) *
           double(shape.n_q) * double(shape.n_k);
}

// A stage of a variant, row by row.
class VariantNumbers : public RemoteNumbers {
public:
    VariantNumbers(std::shared_ptr<const LargeVariant> variant, StageKind kind, bool joined,
                   Index columns)
        : variant_(std::move(variant)), kind_(kind), joined_(joined), columns_(columns) {}
    void read(std::size_t first, std::span<float> numbers) const override { copy(first, numbers); }
    void read(std::size_t first, std::span<double> numbers) const override { copy(first, numbers); }

private:
    // Reads numbers of a stage [b, h or 1, n_q, columns].
    template <class T>
    void copy(std::size_t first, std::span<T> numbers) const {
        const auto columns = static_cast<std::size_t>(columns_);
        for (std::size_t done = 0; done < numbers.size();) {
            const std::size_t column = (first + done) % columns;
            const auto row = static_cast<Index>((first + done) / columns);
            const std::size_t count = std::min(columns - column, numbers.size() - done);
            const Index n_q = variant_->shape().n_q;
            const LargeVariant::Place place =
                variant_->at(joined_ ? LargeVariant::all_heads : row / n_q, row % n_q);
            const Stage& stage = place.block->stage(kind_);
            const Index b = joined_ ? row / n_q : 0;
            if constexpr (std::is_same_v<T, double>)
                std::copy_n(stage.float64_row(b, 0, place.row).data() + column, count,
                            numbers.data() + done);
            else
                std::copy_n(stage.float32_row(b, 0, place.row).data() + column, count,
                            numbers.data() + done);
            done += count;
        }
    }

    std::shared_ptr<const LargeVariant> variant_;
    StageKind kind_;
    bool joined_;
    Index columns_;
};

class VariantCells : public RemoteCells {
public:
    explicit VariantCells(std::shared_ptr<const LargeVariant> variant)
        : variant_(std::move(variant)) {}
    void read(std::size_t first, std::span<std::uint8_t> cells) const override {
        const auto columns = static_cast<std::size_t>(variant_->shape().n_k);
        for (std::size_t done = 0; done < cells.size();) {
            const std::size_t column = (first + done) % columns;
            const auto row = static_cast<Index>((first + done) / columns);
            const std::size_t count = std::min(columns - column, cells.size() - done);
            const Index n_q = variant_->shape().n_q;
            const LargeVariant::Place place = variant_->at(row / n_q, row % n_q);
            std::copy_n(
                place.block->allowed.from(static_cast<std::size_t>(place.row) * columns + column),
                count, cells.data() + done);
            done += count;
        }
    }

private:
    std::shared_ptr<const LargeVariant> variant_;
};

class LargeResult {
public:
    LargeResult(std::shared_ptr<Backend> backend, const Scene& scene, const Request& request,
                const Result* before, Progress& progress)
        : backend_(std::move(backend)), request_(request), before_(before), progress_(progress) {
        result_.scene = scene;
        result_.backend = backend_->name();
        result_.variants.resize(scene.variants.size());
    }

    Result make() {
        const auto start = std::chrono::steady_clock::now();
        const Scene& scene = result_.scene;
        const std::vector<int> variants = variants_of(request_, scene);
        const VariantResult labels = labelled(scene);
        // A row of the first head shows which stages exist, and brings the inputs into the
        // backend's cache.
        const bool joins =
            std::ranges::any_of(variants, [&](int variant) { return is_joined(variant); });
        const Request row{request_.stages, variants, Rows{0, 1},
                          joins ? std::nullopt : std::optional<Index>(0)};
        const Result first = backend_->compute(scene, row, before_, progress_);
        progress_.done = 0;  // the progress of a single row is not shown
        result_.inputs = first.inputs;
        auto of = std::make_shared<Result>();
        of->scene = scene;
        of->backend = backend_->name();
        of->inputs = first.inputs;
        of_ = of;
        for (const int variant : variants) {
            VariantResult& made = result_.variants[variant] = labels;
            if (!keep(variant, made)) fill(variant, first.variants[variant], made);
        }
        const std::chrono::duration<double, std::milli> time =
            std::chrono::steady_clock::now() - start;
        result_.milliseconds = time.count();
        result_.times.push_back({"inputs", time.count()});
        return std::move(result_);
    }

private:
    // True if the variant's output combines all heads.
    bool is_joined(int variant) const {
        return wants(request_, result_.scene.inputs, output) &&
               result_.scene.variants[variant].output.kind == OutputKind::projected;
    }

    // Reuses a variant of the previous result, with its known rows, if nothing in it has changed.
    // Returns false if it cannot.
    bool keep(int variant, VariantResult& made) const {
        if (!before_ || before_->backend != result_.backend ||
            variant >= std::ssize(before_->variants))
            return false;
        const VariantResult& old = before_->variants[variant];
        const Scene &then = before_->scene, &now = result_.scene;
        if (!old.computed || before_->inputs != result_.inputs ||
            then.variants[variant] != now.variants[variant] || then.sequences != now.sequences ||
            then.pad_token != now.pad_token)
            return false;
        for (int k = 1; k < stage_count; ++k)
            if (const auto kind = static_cast<StageKind>(k);
                wants(request_, result_.scene.inputs, kind) && !old.stage(kind).exists())
                return false;
        made = old;
        return true;
    }

    void fill(int index, const VariantResult& row, VariantResult& made) {
        const Shape shape = shape_of(result_.scene);
        const Variant& variant = result_.scene.variants[index];
        std::bitset<stage_count> stages;
        for (int k = 1; k < stage_count; ++k)
            stages[std::size_t(k)] = row.stage(static_cast<StageKind>(k)).exists();
        const auto rows = std::make_shared<LargeVariant>(backend_, of_, index, stages);
        made.computed = rows;
        made.by_plain_functions = row.by_plain_functions;
        for (int other = 0; other < index && made.allowed.empty(); ++other)
            if (const VariantResult& before = result_.variants[other];
                before.computed && result_.scene.variants[other].mask.layers == variant.mask.layers)
                made.allowed = before.allowed;
        if (made.allowed.empty())
            made.allowed = MaskCells(
                static_cast<std::size_t>(shape.b * shape.h * shape.n_q * shape.n_k),
                static_cast<std::size_t>(shape.n_k), std::make_shared<VariantCells>(rows));
        for (int k = 1; k < stage_count; ++k) {
            const auto kind = static_cast<StageKind>(k);
            const Stage& known = row.stage(kind);
            if (!known.exists()) continue;
            if (const Stage* same = same_stage(index, variant, kind)) {
                made.stage(kind) = *same;
                continue;
            }
            const bool joined = kind == output && is_joined(index);
            made.stage(kind) =
                Stage(shape.b, joined ? 1 : shape.h, shape.n_q, known.columns(),
                      std::make_shared<VariantNumbers>(rows, kind, joined, known.columns()),
                      known.is_float64());
        }
    }

    // Returns a stage of an earlier variant, or of this one, that is equal whatever the numbers
    // are; nullptr if there is none.
    const Stage* same_stage(int index, const Variant& variant, StageKind kind) const {
        const VariantResult& own = result_.variants[index];
        const Apply apply = variant.mask.apply;
        const bool capped = bends_scores(variant), no_layers = variant.mask.layers.empty();
        const bool unscaled =
            variant.scale.kind == ScaleKind::none || variant.scale == Scale{ScaleKind::number, 1};
        const bool as_scaled = masks_weights(apply) || apply == Apply::none;
        const bool as_softmax =
            no_layers ? apply != Apply::multiply_weights_renormalized
                      : !masks_weights(apply) && !zeroes_empty_rows(apply, variant.empty_rows);
        if (kind == scaled && unscaled && !capped && own.stage(scores).exists())
            return &own.stage(scores);
        if (kind == logits && !capped && own.stage(scaled).exists() &&
            (no_layers || (as_scaled && std::ranges::none_of(variant.mask.layers, is_bias))))
            return &own.stage(scaled);
        if (kind == weights && as_softmax && own.stage(softmax).exists())
            return &own.stage(softmax);
        if (kind != scores && kind != scaled) return nullptr;
        const auto scales_queries = [](const Variant& one) {
            return one.mask.order == Order::queries_first;
        };
        for (int other = 0; other < index; ++other) {
            const Variant& theirs = result_.scene.variants[other];
            const VariantResult& made = result_.variants[other];
            if (!made.stage(kind).exists() || theirs.score != variant.score ||
                theirs.dtype != variant.dtype || made.by_plain_functions != own.by_plain_functions)
                continue;
            if ((scales_queries(theirs) || scales_queries(variant)) &&
                (theirs.mask.order != variant.mask.order || theirs.scale != variant.scale))
                continue;
            if (kind == scores ||
                (theirs.scale == variant.scale && !capped && !bends_scores(theirs)))
                return &made.stage(kind);
        }
        return nullptr;
    }

    std::shared_ptr<Backend> backend_;
    const Request& request_;
    const Result* before_;
    Progress& progress_;
    Result result_;
    std::shared_ptr<const Result> of_;  // the scene and inputs that rows are computed from
};

}  // namespace

LargeBackend::LargeBackend(std::shared_ptr<Backend> of, double most_kept)
    : of_(std::move(of)), most_kept_(most_kept) {}

LargeBackend::LargeBackend(int threads, double most_kept)
    : LargeBackend(std::make_shared<CpuBackend>(threads), most_kept) {}

Result LargeBackend::compute_scene(const Scene& scene, const Request& request, const Result* before,
                                   Progress& progress) {
    if (request.rows || numbers_kept(scene, request) <= most_kept_)
        return of_->compute(scene, request, before, progress);
    return LargeResult(of_, scene, request, before, progress).make();
}

}  // namespace maskscope
