#include "core/cpu/plain_lanes.h"

#include "core/attention/mask.h"
#include "core/attention/row_figures.h"

namespace maskscope {
namespace {

class PlainLaneMaker {
public:
    PlainLaneMaker(const Scene& scene, const Request& request, const BatchInputs& inputs,
                   const PlainLane& lane, Pool& pool)
        : scene_(scene),
          request_(request),
          inputs_(inputs),
          variant_(*lane.variant),
          result_(*lane.result),
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

    // Computes one block. Any thread; every block writes rows of its own. `part` and `first` count
    // from the first requested head and row.
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
        const Attending seen = attending(scene_, inputs_.shape, b, h);
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
    std::vector<HeadInputs> heads_;  // the requested part of them, rounded
    std::vector<Matrix> parts_;      // for each of them: weights · V, not rounded
    bool mixes_ = false;
};

}  // namespace

void compute_plain(const Scene& scene, const Request& request, const BatchInputs& inputs,
                   const PlainLane& lane, Pool& pool, const std::function<void(Index)>& rows_done) {
    PlainLaneMaker(scene, request, inputs, lane, pool).make(rows_done);
}

}  // namespace maskscope
