// Tests properties that must hold for every scene, over seeded random scenes of every kind.

#include <cmath>

#include "core/attention/seeded.h"
#include "core/base/matrix.h"
#include "core/scene/mask_rules.h"
#include "tests/golden/properties.h"

namespace maskscope::golden {
namespace {

bool is_nan_row(const ComputedVariant& computed, Index b, Index h, Index i) {
    return computed.result.row(b, h, i).nan;
}

// --- every stage follows from the one before it, in every kind of scene

void expect_stages_follow(const ComputedVariant& computed, Index b, Index h) {
    const Head head = computed.head(b, h);
    const Dtype dtype = computed.variant.dtype;
    const auto stage = [&](StageKind kind) { return computed.stage(kind, b, h); };
    const auto step = [&](StageKind kind, const Matrix& expected) {
        EXPECT_EQ(first_beyond_one_unit(dtype, stage(kind), expected), "")
            << "stage " << static_cast<int>(kind);
    };
    if (computed.has(StageKind::scores)) {
        step(StageKind::scores, expected_scores(head));
        step(StageKind::scaled, expected_scaled(head, stage(StageKind::scores)));
        step(StageKind::logits,
             expected_logits(head, stage(StageKind::scores), stage(StageKind::scaled)));
        step(StageKind::softmax, expected_softmax(head, stage(StageKind::logits)));
        const Dtype stored = dtype == Dtype::float64 ? Dtype::float64 : Dtype::float32;
        EXPECT_EQ(first_beyond_one_unit(stored, stage(StageKind::sensitivity),
                                        expected_sensitivity(head, stage(StageKind::scaled),
                                                             stage(StageKind::softmax))),
                  "");
    } else {
        step(StageKind::softmax, head.inputs.weights);
    }
    step(StageKind::weights, expected_weights(head, stage(StageKind::softmax)));
}

void expect_outputs_follow(const ComputedVariant& computed) {
    const Stage& output = computed.result.stage(StageKind::output);
    for (Index b = 0; b < output.b(); ++b) {
        std::vector<Head> heads;
        std::vector<Matrix> weights;
        for (Index h = 0; h < computed.result.shape.h; ++h) {
            heads.push_back(computed.head(b, h));
            weights.push_back(computed.stage(StageKind::weights, b, h));
        }
        const std::vector<Matrix> expected = expected_outputs(heads, weights);
        for (Index h = 0; h < output.h(); ++h)
            EXPECT_EQ(first_beyond_one_unit(computed.variant.dtype, output.head(b, h), expected[h]),
                      "");
    }
}

void expect_all_follows(const Scene& scene) {
    for_each_variant(scene, [](const ComputedVariant& computed) {
        for (Index b = 0; b < computed.result.shape.b; ++b)
            for (Index h = 0; h < computed.result.shape.h; ++h)
                expect_stages_follow(computed, b, h);
        expect_outputs_follow(computed);
    });
}

TEST(Properties, EveryStageFollowsFromTheOneBefore) { for_each_scene({}, expect_all_follows); }

// Puts an infinity, a NaN or a number beyond float16 into a given array, as a file may.
Array with_bad_numbers(const Array& array, Stream& stream) {
    std::vector<double> values = array.values->float64s();
    const double bad[] = {infinity, -infinity, std::nan(""), 1e5, -1e39};
    values[stream.next() % values.size()] = bad[stream.next() % 5];
    return make_array(array.axes, values);
}

TEST(Properties, SoItDoesWhereNumbersAreNotFinite) {
    Stream stream(1, "spoil");
    for_each_scene({}, [&](Scene scene) {
        if (auto* tensors = std::get_if<TensorsInputs>(&scene.inputs)) {
            Array& array = stream.next() % 2 == 0 ? tensors->queries : tensors->keys;
            array = with_bad_numbers(array, stream);
            if (tensors->values) tensors->values = with_bad_numbers(*tensors->values, stream);
        }
        if (auto* scores = std::get_if<ScoresInputs>(&scene.inputs)) {
            scores->scores = with_bad_numbers(scores->scores, stream);
            if (scores->values) scores->values = with_bad_numbers(*scores->values, stream);
        }
        if (auto* weights = std::get_if<WeightsInputs>(&scene.inputs))
            weights->weights = with_bad_numbers(weights->weights, stream);
        expect_all_follows(scene);
    });
}

TEST(Properties, TheMaskIsWhatItsLayersSay) {
    for_each_scene({}, [](const Scene& scene) {
        for_each_row(scene, [](const ComputedVariant& computed, Index b, Index h, Index i) {
            const Head head = computed.head(b, h);
            for (Index j = 0; j < head.allowed.cols(); ++j) {
                EXPECT_EQ(head.allowed(i, j), allowed_at(head, i, j));
                EXPECT_EQ(head.allowed(i, j), computed.result.is_allowed(b, h, i, j));
            }
        });
    });
}

bool near_or_same(double a, double b, double tolerance) {
    return same(a, b) || std::abs(a - b) <= tolerance * std::max(1.0, std::abs(b));
}

TEST(Properties, StatisticsFollowFromTheStages) {
    // The statistics were summed before the sensitivity was stored as float32, which changes each
    // number by up to 2^-24 of it.
    constexpr double stored = 6e-8;
    for_each_scene({}, [](const Scene& scene) {
        for_each_row(scene, [](const ComputedVariant& computed, Index b, Index h, Index i) {
            Matrix sensitivity;
            if (computed.has(StageKind::sensitivity))
                sensitivity = computed.stage(StageKind::sensitivity, b, h);
            Matrix logits;
            if (computed.has(StageKind::logits)) logits = computed.stage(StageKind::logits, b, h);
            const RowFigures& row = computed.result.row(b, h, i);
            const RowFigures expected =
                expected_figures(computed.head(b, h), computed.stage(StageKind::weights, b, h),
                                 sensitivity, logits, i);
            EXPECT_TRUE(near_or_same(row.sum, expected.sum, order_tolerance));
            EXPECT_TRUE(near_or_same(row.max, expected.max, order_tolerance));
            EXPECT_TRUE(near_or_same(row.entropy, expected.entropy, order_tolerance));
            EXPECT_TRUE(near_or_same(row.leak, expected.leak, order_tolerance));
            EXPECT_TRUE(near_or_same(row.pads, expected.pads, order_tolerance));
            EXPECT_TRUE(near_or_same(row.gradient_leak, expected.gradient_leak, stored));
            EXPECT_EQ(row.empty, expected.empty);
            EXPECT_EQ(row.nan, expected.nan);
            EXPECT_TRUE(near_or_same(row.lse, expected.lse, order_tolerance));
        });
    });
}

// --- rows and blocked weights

// Returns the tolerance of a sum: each weight is rounded to a unit of at most 1, so half a unit for
// each key.
double sum_tolerance(Dtype dtype, Index n_k) {
    return unit_in_last_place(dtype, 1) * static_cast<double>(n_k) + order_tolerance;
}

TEST(Properties, RowsSumToOne) {
    int rows = 0;
    for_each_scene({.with_stages = true}, [&](const Scene& scene) {
        for_each_row(scene, [&](const ComputedVariant& computed, Index b, Index h, Index i) {
            const Variant& variant = computed.variant;
            const RowFigures& row = computed.result.row(b, h, i);
            const bool emptied =
                zeroes_empty_rows(variant.mask.apply, variant.empty_rows) && row.empty;
            const double tolerance = sum_tolerance(variant.dtype, computed.result.shape.n_k);
            if (row.nan) return;
            if (emptied) {
                EXPECT_EQ(row.sum, 0);
            } else if (variant.mask.apply == Apply::multiply_weights_renormalized ||
                       (variant.mask.apply != Apply::multiply_weights &&
                        variant.normalizer == Normalizer::softmax)) {
                EXPECT_NEAR(row.sum, 1, tolerance);
                ++rows;
            } else if (variant.normalizer != Normalizer::sigmoid) {
                EXPECT_LE(row.sum, 1 + tolerance);
            }
        });
    });
    EXPECT_GT(rows, scenes);  // the property was really tested, not skipped
}

// True if blocked keys get a weight of exactly 0: if the mask multiplies the weights, or if −inf is
// added to the score or replaces it and is still −inf at the softmax.
bool blocks_exactly(const Variant& variant) {
    const Mask& mask = variant.mask;
    if (mask.apply == Apply::multiply_weights || mask.apply == Apply::multiply_weights_renormalized)
        return true;
    if (mask.apply != Apply::additive && mask.apply != Apply::replace) return false;
    // −∞ becomes −c
    if (variant.softcap && variant.softcap->order == CapOrder::after_mask) return false;
    const bool turned = mask.order == Order::mask_then_scale &&
                        ((variant.scale.kind == ScaleKind::number && variant.scale.number <= 0) ||
                         variant.scale.kind == ScaleKind::formula);
    return blocked_value(mask.value, variant.dtype) == -infinity && !turned;
}

TEST(Properties, BlockedWeightsAreExactlyZero) {
    int cells = 0;
    for_each_scene({}, [&](const Scene& scene) {
        for_each_row(scene, [&](const ComputedVariant& computed, Index b, Index h, Index i) {
            if (!blocks_exactly(computed.variant) || is_nan_row(computed, b, h, i)) return;
            const RowFigures& row = computed.result.row(b, h, i);
            if (row.empty && computed.variant.empty_rows == EmptyRows::all)
                return;  // blocked keys get weight, as intended
            EXPECT_EQ(row.leak, 0);
            for (Index j = 0; j < computed.result.shape.n_k; ++j) {
                if (computed.result.is_allowed(b, h, i, j)) continue;
                EXPECT_EQ(computed.result.stage(StageKind::weights).at(b, h, i, j), 0);
                ++cells;
            }
        });
    });
    EXPECT_GT(cells, scenes);
}

// --- one computation against another

// Returns a scene whose given scores are the scaled scores of the first variant, with scale 1, in
// float64, and with only this variant.
Scene from_scaled(const Scene& scene) {
    Scene plain = scene;
    plain.variants.resize(1);
    plain.variants[0].dtype = Dtype::float64;
    plain.variants[0].output = {};
    const Stage scaled = computed(plain).variants[0].stage(StageKind::scaled);
    plain.inputs =
        ScoresInputs{make_array({scaled.b(), scaled.h(), scaled.rows(), scaled.columns()},
                                {scaled.float64s().begin(), scaled.float64s().end()}),
                     std::nullopt, std::nullopt};
    plain.variants[0].scale = {ScaleKind::none, 1};
    if (plain.variants[0].mask.order == Order::queries_first) plain.variants[0].mask.order = {};
    plain.variants[0].reference.reset();
    return plain;
}

TEST(Properties, AddedIsRenormalisedWhereNothingUnderflows) {
    int rows = 0;
    for_each_scene({.with_stages = true}, [&](const Scene& drawn) {
        Scene scene = from_scaled(drawn);
        scene.variants[0].normalizer = Normalizer::softmax;
        scene.variants[0].softcap.reset();
        scene.variants[0].mask.value = {};
        scene.variants[0].mask.apply = Apply::additive;
        scene.variants.push_back(scene.variants[0]);
        scene.variants[1].mask.apply = Apply::multiply_weights_renormalized;
        const Result result = computed(scene);
        const VariantResult &added = result.variants[0], &divided = result.variants[1];
        const Shape shape = added.shape;
        for (Index b = 0; b < shape.b; ++b)
            for (Index h = 0; h < shape.h; ++h)
                for (Index i = 0; i < shape.n_q; ++i) {
                    const Matrix softmax = divided.stage(StageKind::softmax).head(b, h);
                    const bool underflows = softmax.row(i).minCoeff() < 1e-300;
                    if (added.row(b, h, i).empty || underflows) continue;
                    if (added.row(b, h, i).nan && divided.row(b, h, i).nan) continue;
                    ++rows;
                    for (Index j = 0; j < shape.n_k; ++j)
                        EXPECT_NEAR(added.stage(StageKind::weights).at(b, h, i, j),
                                    divided.stage(StageKind::weights).at(b, h, i, j),
                                    order_tolerance);
                }
    });
    EXPECT_GT(rows, scenes);
}

// The error of central differences of weights that change by at most ε is ε² from the method and
// 1e-16/ε from rounding, or 1e-14/ε if a mask value of −100 takes two digits away.
constexpr double epsilon = 1e-5, difference_tolerance = 5e-9;

Matrix weights_with(Scene scene, std::size_t place, double change) {
    auto& scores = std::get<ScoresInputs>(scene.inputs).scores;
    std::vector<double> values = scores.values->float64s();
    values[place] += change;
    scores = make_array(scores.axes, values);
    const Stage weights = computed(scene).variants[0].stage(StageKind::weights);
    return Eigen::Map<const Matrix>(weights.float64s().data(), 1,
                                    static_cast<Index>(weights.float64s().size()));
}

TEST(Properties, SensitivityIsTheSumOfFiniteDifferences) {
    Stream stream(1, "cells");
    int cells = 0;
    for_each_scene({.with_stages = true}, [&](const Scene& drawn) {
        const Scene scene = from_scaled(drawn);
        const BlockedValue& value = scene.variants[0].mask.value;
        const bool coarse = value.kind == ValueKind::lowest ||
                            (value.kind == ValueKind::number && std::abs(value.number) > 100);
        if (coarse) return;  // the digits of the score are lost, so differences cannot be measured
        const VariantResult result = computed(scene).variants[0];
        const Shape shape = result.shape;
        const auto size = static_cast<std::size_t>(shape.b * shape.h * shape.n_q * shape.n_k);
        for (int draw = 0; draw < 3; ++draw) {
            const std::size_t place = stream.next() % size;
            const RowFigures& row = result.rows[place / static_cast<std::size_t>(shape.n_k)];
            if (row.empty && scene.variants[0].empty_rows == EmptyRows::zero_after) continue;
            const Matrix change =
                weights_with(scene, place, epsilon) - weights_with(scene, place, -epsilon);
            double sum = 0;  // of the row alone: others may be NaN
            const Index first = static_cast<Index>(place) / shape.n_k * shape.n_k;
            // A NaN of a sigmoid stays in its cell.
            const bool by_cell = scene.variants[0].normalizer == Normalizer::sigmoid;
            for (Index j = first; j < first + shape.n_k; ++j)
                if (!by_cell || !std::isnan(change(0, j)) || j == static_cast<Index>(place))
                    sum += std::abs(change(0, j)) / (2 * epsilon);
            const double sensitivity = result.stage(StageKind::sensitivity).float64s()[place];
            EXPECT_TRUE(same(sensitivity, sum) ||
                        std::abs(sensitivity - sum) <= difference_tolerance)
                << sensitivity << ", differences " << sum;
            ++cells;
        }
    });
    EXPECT_GT(cells, scenes / 2);
}

TEST(Properties, ALargerScaleLowersTheEntropy) {
    for_each_scene({.with_stages = true}, [&](const Scene& drawn) {
        Scene scene = from_scaled(drawn);
        Variant variant = scene.variants[0];
        variant.normalizer = Normalizer::softmax;
        variant.softcap.reset();
        variant.mask = {};
        for (const double scale : {0.0, 0.25, 1.0, 4.0}) {
            variant.scale = {ScaleKind::number, scale};
            scene.variants.push_back(variant);
        }
        const Result result = computed(scene);
        for (std::size_t row = 0; row < result.variants[0].rows.size(); ++row)
            for (std::size_t index = 2;
                 index < result.variants.size() && !result.variants[1].rows[row].nan; ++index)
                EXPECT_LE(result.variants[index].rows[row].entropy,
                          result.variants[index - 1].rows[row].entropy + order_tolerance);
    });
}

TEST(Properties, RandomScenesCoverEveryKind) {
    std::vector<int> inputs(6), applies(6), layers(layer_rules().size()), dtypes(4), score_kinds(4),
        outputs(3), normalizers(4), caps(3), inverted(2), fewer_heads(2), starts(2);
    for_each_scene({}, [&](const Scene& scene) {
        ++inputs[scene.inputs.index()];
        ++starts[scene.sequences.front().start > 0];
        ++fewer_heads[kv_heads_of(scene.inputs) < heads_of(scene.inputs)];
        for (const Variant& variant : scene.variants) {
            ++applies[static_cast<std::size_t>(variant.mask.apply)];
            ++dtypes[static_cast<std::size_t>(variant.dtype)];
            ++score_kinds[static_cast<std::size_t>(variant.score.kind)];
            ++outputs[static_cast<std::size_t>(variant.output.kind)];
            ++normalizers[static_cast<std::size_t>(variant.normalizer)];
            ++caps[variant.softcap ? 1 + static_cast<std::size_t>(variant.softcap->order) : 0];
            for (const MaskLayer& layer : variant.mask.layers)
                ++layers[static_cast<std::size_t>(layer.kind)], ++inverted[layer.invert];
        }
    });
    for (const auto& counts : {inputs, applies, layers, dtypes, score_kinds, outputs, normalizers,
                               caps, inverted, fewer_heads, starts})
        for (const int count : counts) EXPECT_GE(count, 10);
}

}  // namespace
}  // namespace maskscope::golden
