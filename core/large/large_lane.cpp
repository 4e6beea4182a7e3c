#include "core/large/large_lane.h"

#include <algorithm>

#include "core/base/matrix.h"

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

LargeLane::LargeLane(std::shared_ptr<Backend> backend, std::shared_ptr<const Result> of, int lane,
                     std::bitset<stage_count> stages)
    : backend_(std::move(backend)),
      of_(std::move(of)),
      lane_(lane),
      stages_(stages),
      shape_(shape_of(of_->scene)),
      blocks_(most_cached_bytes),
      rows_(static_cast<std::size_t>(shape_.b * shape_.h)),
      known_(rows_.size() * static_cast<std::size_t>(shape_.n_q)) {}

VariantResult LargeLane::compute(Index head, Rows rows, const std::bitset<stage_count>& stages,
                                 Progress& progress) const {
    Request request{stages, {lane_}, rows, {}};
    const bool joined = of_->scene.variants[lane_].output.kind == OutputKind::projected;
    if (head == all_heads) {
        request.stages = std::bitset<stage_count>().set(std::size_t(StageKind::output));
    } else {
        request.head = head;
        if (joined) request.stages.reset(std::size_t(StageKind::output));
    }
    Result result = backend_->compute(of_->scene, request, of_.get(), progress);
    return std::move(result.variants[lane_]);
}

void LargeLane::note(Index head, Rows rows, const VariantResult& block) const {
    const std::lock_guard lock(mutex_);
    auto& of_head = rows_[static_cast<std::size_t>(head)];
    of_head.resize(static_cast<std::size_t>(shape_.n_q));
    for (Index i = 0; i < rows.count; ++i) {
        known_[static_cast<std::size_t>(head * shape_.n_q + rows.first + i)] = true;
        of_head[static_cast<std::size_t>(rows.first + i)] = block.rows[static_cast<std::size_t>(i)];
    }
}

VariantResult LargeLane::block(Index b, Index h, Rows rows, const std::bitset<stage_count>& stages,
                               Progress& progress) const {
    const Index head = b * shape_.h + h;
    VariantResult made = compute(head, rows, stages, progress);
    note(head, rows, made);
    const bool joined = of_->scene.variants[lane_].output.kind == OutputKind::projected;
    if (joined && stages.test(std::size_t(StageKind::output))) {
        const Stage all = compute(all_heads, rows, stages, progress).stage(StageKind::output);
        Stage& output = made.stage(StageKind::output) =
            Stage(1, 1, rows.count, all.columns(), all.is_float64());
        output.set_head(0, 0, all.head(b, 0));
    }
    return made;
}

LargeLane::Place LargeLane::at(Index head, Index i) const {
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

RowFigures LargeLane::figures(Index b, Index h, Index i) const {
    if (const auto known = known_figures(b, h, i)) return *known;
    const Place place = at(b * shape_.h + h, i);
    return place.block->rows[static_cast<std::size_t>(place.row)];
}

std::optional<RowFigures> LargeLane::known_figures(Index b, Index h, Index i) const {
    const Index head = b * shape_.h + h;
    const std::lock_guard lock(mutex_);
    if (!known_[static_cast<std::size_t>(head * shape_.n_q + i)]) return std::nullopt;
    return rows_[static_cast<std::size_t>(head)][static_cast<std::size_t>(i)];
}

}  // namespace maskscope
