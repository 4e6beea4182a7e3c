// Tests cases that were reported for real models, against the values that the reporters found
// right. tests/data/field-cases has the cases and their sources; the settings that describe the
// model are set here.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/attention/row_figures.h"
#include "core/base/build.h"
#include "core/base/json_text.h"
#include "core/compute/plain.h"
#include "core/cpu/cpu_backend.h"
#include "core/files/file.h"
#include "core/format/scene_json.h"
#include "core/scene/mask_rules.h"
#include "core/scene/scene.h"

namespace maskscope {
namespace {

// The values have five decimals; float16 weights have three.
constexpr double five_decimals = 6e-6, of_float16 = 1e-3;

struct Case {
    std::string name;
    Fields fields;
    const char* expected = "weights";
    double tolerance = five_decimals;
};

const std::vector<Case> cases = {
    {"15-alibi-six-heads", {}},
    {"16-empty-row-sees-all", {{"/variants/0/empty_rows", "\"all\""}}},
    {"18-zigzag-positions", {{"/sequences/0/positions", "[0, 1, 6, 7]"}}},
    {"20-temperature-by-position",
     {{"/variants/0/scale", R"({"formula": "log(floor((i + 1) / 2) + 1) * 0.5 + 1"})"}}},
    {"22-overflow-float16",
     {{"/variants/0/mask/order", "\"queries_first\""}},
     "weights_scaled_first",
     of_float16},
    {"23-shifted-window-minus-100", {}},
    {"24-wrong-mask-leaks-nothing", {{"/variants/0/reference", "1"}}},
};

std::string folder() { return source_folder() + "/tests/data/field-cases"; }

Json expected_of(const Case& one) {
    return parse_json(read_file(folder() + "/" + one.name + ".expected.json"))["expected"];
}

Scene scene_of(const Case& one) {
    const Scene scene = read_scene(read_file(folder() + "/" + one.name + ".json"), folder());
    return with_fields(scene, one.fields, folder());
}

void append_numbers(const Json& json, std::vector<double>& numbers) {
    if (json.is_number()) numbers.push_back(json.get<double>());
    if (json.is_array())
        for (const Json& item : json) append_numbers(item, numbers);
}

void expect_weights(const Case& one, Backend& backend) {
    SCOPED_TRACE(one.name);
    const Scene scene = scene_of(one);
    Progress progress;
    const Result result = backend.compute(scene, {}, nullptr, progress);
    std::vector<double> expected;
    append_numbers(expected_of(one)[one.expected], expected);
    const auto& weights = result.variants[0].stage(StageKind::weights).float32s();
    ASSERT_EQ(weights.size(), expected.size());
    for (std::size_t k = 0; k < expected.size(); ++k)
        EXPECT_NEAR(weights[k], expected[k], one.tolerance) << k;
}

TEST(FieldCases, HaveTheWeightsThatWereFoundRight) {
    PlainBackend plain;
    CpuBackend cpu(1);
    for (const Case& one : cases) {
        expect_weights(one, plain);
        expect_weights(one, cpu);
    }
}

Result result_of(const Case& one) {
    Progress progress;
    return PlainBackend().compute(scene_of(one), {}, nullptr, progress);
}

TEST(FieldCases, AlibiHasTheSlopesThatAreExpected) {
    const Json slopes = expected_of(cases[0])["slopes"];
    ASSERT_EQ(slopes.size(), 6U);
    for (Index h = 0; h < 6; ++h)
        EXPECT_EQ(alibi_slope(Slopes::published, h, 6), slopes[h].get<double>());
}

// Stages are rounded, but sums within a stage are not: the weight of each of 512 equal keys is
// 1/512, as `describe` and the tooltip say. Sums that stop growing because they are kept in 16 bits
// are not imitated.
TEST(FieldCases, ASumOf16BitsIsTakenInWiderArithmetic) {
    const Case one{"21-sum-in-bfloat16", {}};
    const Json expected = expected_of(one);
    const VariantResult result = result_of(one).variants[0];
    EXPECT_EQ(result.row(0, 0, 0).sum, 1);
    EXPECT_EQ(result.stage(StageKind::weights).at(0, 0, 0, 0),
              expected["weight"].get<double>() / 2);
    EXPECT_EQ(result.row(0, 0, 0).sum, expected["row_sum"].get<double>() / 2);
}

TEST(FieldCases, ScoresOverflowInFloat16UnlessQueriesAreScaledFirst) {
    const Case one{"22-overflow-float16", {}};
    const Json expected = expected_of(one);
    const Result result = result_of(one);
    Index infinite = 0;
    double largest = 0;
    for (const float x : result.variants[0].stage(StageKind::scores).float32s())
        infinite += std::isinf(x) ? 1 : 0;
    for (const float x : result.variants[1].stage(StageKind::scaled).float32s())
        largest = std::max(largest, std::abs(static_cast<double>(x)));
    EXPECT_EQ(infinite, expected["float16_scores_infinite"].get<Index>());
    EXPECT_NEAR(largest, expected["largest_scaled_score"].get<double>(), 1e-3);
}

TEST(FieldCases, AMaskValueOfMinus100LeaksAlmostNothing) {
    const Case one{"23-shifted-window-minus-100", {}};
    const VariantResult result = result_of(one).variants[0];
    double largest = 0;
    for (const RowFigures& row : result.rows) largest = std::max(largest, row.leak);
    // The tolerance of a sum of 16 float32 numbers that are below the smallest normal one.
    EXPECT_NEAR(largest, expected_of(one)["largest_leak"].get<double>(), 16 * 1.4e-45);
    EXPECT_LT(largest, least_leak) << "no cell is framed";
}

TEST(FieldCases, AWrongMaskLeaksAgainstItsReference) {
    Progress progress;
    const Case& one = cases.back();
    const Result result = CpuBackend(1).compute(scene_of(one), {}, nullptr, progress);
    std::vector<double> expected;
    append_numbers(expected_of(one)["weight_of_A_on_keys_that_B_blocks"], expected);
    ASSERT_EQ(expected.size(), 8U);
    for (Index i = 0; i < 8; ++i) {
        EXPECT_EQ(result.variants[0].row(0, 0, i).leak, 0) << "by its own mask";
        EXPECT_NEAR(reference_figures(result, 0, 0, 0, i).leak, expected[i], five_decimals);
    }
}

}  // namespace
}  // namespace maskscope
