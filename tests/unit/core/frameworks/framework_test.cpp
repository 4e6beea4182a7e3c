// Tests the files of assets/frameworks: each gives the same as a formula written from its source
// (tests/cli/frameworks/frameworks.py runs PyTorch itself), and whatever is not described is
// refused.

#include "core/frameworks/framework.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>

#include "core/attention/mask.h"
#include "core/base/build.h"
#include "core/base/matrix.h"
#include "core/edit/edit.h"
#include "core/files/file.h"
#include "tests/support/computed.h"

namespace maskscope {
namespace {

namespace fs = std::filesystem;

const fs::path folder = fs::path(source_folder()) / "assets/frameworks";

Framework framework_of(const std::string& file) {
    return read_framework(read_file(folder / (file + ".json")));
}

// --- the formulas: s is a row of scaled scores; m is true where a key is allowed

using Row = Eigen::ArrayXd;
using Mask = Eigen::Array<bool, Eigen::Dynamic, 1>;
using Formula = std::function<Row(const Row& s, const Mask& m)>;

constexpr double lowest_float = -3.4028234663852886e38;

Row softmax(const Row& x) {
    const Row e = (x - x.maxCoeff()).unaryExpr([](double t) { return std::exp(t); });
    return e / e.sum();
}
Row added(const Row& s, const Mask& m) { return softmax(m.select(s, s - infinity)); }
Row zero_if_none(const Row& w, const Mask& m) { return m.any() ? w : Row::Zero(w.size()).eval(); }
Formula replaced_by(double value) {
    return [value](const Row& s, const Mask& m) { return softmax(m.select(s, value)); };
}

const std::map<std::string, Formula> formulas = {
    // aten/native/transformers/attention.cpp, _safe_softmax
    {"pytorch-sdpa", [](const Row& s, const Mask& m) { return zero_if_none(added(s, m), m); }},
    {"pytorch-sdpa-before-2.5", added},
    // torch.nn.functional.multi_head_attention_forward with weights
    {"pytorch-multihead-attention", added},
    // transformers/masking_utils.py, eager_mask: the lowest number is added, in which all digits of
    // a float32 score are lost
    {"transformers-eager",
     [](const Row& s, const Mask& m) {
         return softmax(m.select(s, s.unaryExpr([](double x) {
             return static_cast<double>(static_cast<float>(x) + static_cast<float>(lowest_float));
         })));
     }},
    // transformers/masking_utils.py, sdpa_mask: rows without a key are set to true
    {"transformers-sdpa",
     [](const Row& s, const Mask& m) { return m.any() ? added(s, m) : softmax(s); }},
    // jax/_src/nn/functions.py, _get_large_negative
    {"jax", replaced_by(-0.7 * -lowest_float)},
    // flax/linen/attention.py
    {"flax", replaced_by(lowest_float)},
    // keras/src/layers/activations/softmax.py
    {"keras-softmax",
     [](const Row& s, const Mask& m) { return Row(replaced_by(-1e9)(s, m) * m.cast<double>()); }},
    // mlx: the kernel sdpa_vector visits only allowed keys
    {"mlx", [](const Row& s, const Mask& m) { return zero_if_none(added(s, m), m); }},
    // flash_attn_func: "If the row of the mask is all zero, the output will be zero"
    {"flash-attention", [](const Row& s, const Mask& m) { return zero_if_none(added(s, m), m); }},
    // onnx/reference/ops/op_attention.py
    {"onnx-attention-24", [](const Row& s, const Mask& m) { return zero_if_none(added(s, m), m); }},
    // d2l/torch.py, masked_softmax
    {"d2l", replaced_by(-1e6)},
};

// Makes four queries and keys with arbitrary scores; row 2 has no key.
Scene some_scene() {
    Scene scene;
    scene.sequences = {{{"a", "b", "c", "d"}, std::nullopt}};
    scene.inputs = ScoresInputs{make_array({4, 4}, {0.5, -1.25, 3, 0.75,  //
                                                    -2.5, 0, 1.125, 8,    //
                                                    4, 4.5, -3, 1,        //
                                                    -40, 2, 2, -0.5}),
                                std::nullopt, 1};
    Variant variant;
    variant.name = "before";
    variant.mask.value = {ValueKind::number, -3};
    variant.mask.times = 2;
    MaskLayer layer;
    layer.kind = LayerKind::blocked;
    layer.cells = {{0, 1}, {1, 3}, {3, 1}, {3, 2}};
    layer.rows = {2};
    variant.mask.layers = {layer};
    scene.variants = {variant, variant};
    return scene;
}

class FrameworkFiles : public testing::TestWithParam<std::string> {};

TEST_P(FrameworkFiles, GivesWhatItsFormulaGives) {
    Scene scene = some_scene();
    set_framework(scene, 1, framework_of(GetParam()));
    const Allowed allowed = allowed_cells(scene, scene.variants[1].mask.layers, 0, 0);
    const VariantResult result = computed(scene).variants[1];
    const Matrix scaled = result.stage(StageKind::scaled).head(0, 0);
    const Matrix weights = result.stage(StageKind::weights).head(0, 0);
    for (Index i = 0; i < 4; ++i) {
        const Row expected =
            formulas.at(GetParam())(scaled.row(i).transpose().array(), allowed.row(i).transpose());
        for (Index j = 0; j < 4; ++j)  // float32 beside float64
            EXPECT_TRUE((std::isnan(weights(i, j)) && std::isnan(expected(j))) ||
                        std::abs(weights(i, j) - expected(j)) < 2e-7)
                << i << ", " << j << ": " << weights(i, j) << ", expected " << expected(j);
    }
}

TEST_P(FrameworkFiles, LeavesNothingOfTheOneBefore) {
    Scene fresh = some_scene();
    set_framework(fresh, 0, framework_of(GetParam()));
    for (const auto& [other, formula] : formulas) {
        Scene scene = some_scene();
        set_framework(scene, 0, framework_of(other));
        set_framework(scene, 0, framework_of(GetParam()));
        EXPECT_EQ(scene, fresh) << other;
        EXPECT_EQ(scene.variants[0].name, framework_of(GetParam()).name);
        EXPECT_EQ(scene.variants[1], some_scene().variants[1]) << "another variant";
    }
}

std::vector<std::string> files() {
    std::vector<std::string> names;
    for (const auto& [file, formula] : formulas) names.push_back(file);
    return names;
}
INSTANTIATE_TEST_SUITE_P(All, FrameworkFiles, testing::ValuesIn(files()),
                         [](const testing::TestParamInfo<std::string>& info) {
                             std::string name = info.param;
                             std::erase_if(name, [](char c) { return c == '-' || c == '.'; });
                             return name;
                         });

TEST(Frameworks, AreTwelveFilesWithAFormulaEach) {
    std::size_t count = 0;
    for (const auto& entry : fs::directory_iterator(folder)) {
        EXPECT_TRUE(formulas.contains(entry.path().stem().string())) << entry.path();
        ++count;
    }
    EXPECT_EQ(count, formulas.size());
    EXPECT_EQ(count, 12U);
}

TEST(Frameworks, AlignCausalLayersInGroupsToo) {
    Scene scene = some_scene();
    MaskLayer group;
    group.kind = LayerKind::any;
    group.layers = {MaskLayer()};
    scene.variants[0].mask.layers = {MaskLayer(), group};
    const auto aligns = [&] {
        const auto& layers = scene.variants[0].mask.layers;
        return std::pair(layers[0].align, layers[1].layers[0].align);
    };
    set_framework(scene, 0, framework_of("flash-attention"));
    EXPECT_EQ(aligns(), std::pair(Align::bottom_right, Align::bottom_right));
    set_framework(scene, 0, framework_of("onnx-attention-24"));
    EXPECT_EQ(aligns(), std::pair(Align::positions, Align::positions));
    set_framework(scene, 0, framework_of("d2l"));  // has no causal mask of its own
    EXPECT_EQ(aligns(), std::pair(Align::positions, Align::positions));
}

TEST(Frameworks, DoNotActOnGivenWeights) {
    Scene scene = some_scene();
    scene.inputs = WeightsInputs{make_array({4, 4}, std::vector<double>(16, 0.25)), std::nullopt};
    EXPECT_THROW(set_framework(scene, 0, framework_of("d2l")), EditError);
}

// --- strictness

std::string error_of(std::string text, const std::string& part, const std::string& by) {
    text.replace(text.find(part), part.size(), by);
    try {
        read_framework(text);
    } catch (const InputError& error) {
        return error.place + ": " + error.what();
    }
    return "nothing is wrong";
}

TEST(Frameworks, AreReadStrictly) {
    const std::string text = read_file(folder / "d2l.json");
    const auto with = [&](const std::string& part, const std::string& by) {
        return error_of(text, part, by);
    };
    EXPECT_EQ(with("\"name\"", "\"title\""),
              "/title: unknown key (known: causal, maskscope_framework, name, says, sets, source, "
              "true_means, version)");
    EXPECT_EQ(with("\"maskscope_framework\": 1", "\"maskscope_framework\": 2"),
              "/maskscope_framework: expected 1, got 2");
    EXPECT_EQ(with("\"given\"", "\"left\""),
              "/causal: expected \"top_left\", \"bottom_right\", \"positions\" or \"given\", got "
              "\"left\"");
    EXPECT_EQ(with("\"attend\"", "\"yes\""),
              "/true_means: expected \"attend\", \"ignore\" or \"added\", got \"yes\"");
    EXPECT_TRUE(with("\"replace\"", "\"replaced\"").starts_with("/sets/~1mask~1apply: expected"));
    EXPECT_TRUE(with("/mask/times", "/mask/twice").starts_with("/sets/~1mask~1twice: "));
    EXPECT_TRUE(with("/empty_rows", "/../title").starts_with("/sets/~1..~1title: "));
}

}  // namespace
}  // namespace maskscope
