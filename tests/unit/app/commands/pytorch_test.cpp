// Tests the text of the script. tests/cli/frameworks/pytorch.py tests that it runs and gives our
// numbers.

#include "app/pytorch/script.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <sstream>

#include "app/commands/commands.h"
#include "app/pytorch/parts.h"
#include "core/base/error.h"
#include "tests/support/computed.h"

namespace maskscope {
namespace {

Scene scene_of(Index tokens, Apply apply) {
    Scene scene;
    scene.sequences = {
        {std::vector<std::string>(static_cast<std::size_t>(tokens), "a"), std::nullopt}};
    EmbeddingInputs inputs;
    inputs.d_k = inputs.d_v = 4;
    scene.inputs = inputs;
    Variant variant;
    variant.name = "v";
    variant.mask.layers.emplace_back();  // causal
    variant.mask.apply = apply;
    scene.variants = {variant};
    return scene;
}

std::string script_of(const Scene& scene) { return pytorch_script(computed(scene), 0); }

bool says(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

TEST(Pytorch, TextsOfPython) {
    EXPECT_EQ(python::string_literal("a\"b\\c"), "\"a\\\"b\\\\c\"");
    EXPECT_EQ(python::number(0.1), "0.1");
    EXPECT_EQ(python::number(static_cast<double>(0.1F)), "0.10000000149011612");
    EXPECT_EQ(python::number(-std::numeric_limits<double>::infinity()), "-inf");
    EXPECT_EQ(python::number(std::nan("")), "nan");
    const double numbers[] = {1, 2, 3, 4};
    EXPECT_EQ(python::nested(numbers, {2, 2}, Dtype::float64), "[[1, 2],\n [3, 4]]");
}

// Returns the numbers of `name = rounded(torch.tensor(…`, as Python reads them.
std::vector<double> numbers_after(const std::string& script, const std::string& name) {
    const std::size_t begin = script.find("\n" + name + " = rounded(torch.tensor(");
    EXPECT_NE(begin, std::string::npos) << name;
    const std::size_t end = script.find(", dtype=", begin);
    std::vector<double> numbers;
    for (std::size_t at = script.find('[', begin); at < end;) {
        at = script.find_first_of("-0123456789", at);
        if (at >= end) break;
        char* rest = nullptr;
        numbers.push_back(std::strtod(script.c_str() + at, &rest));
        at = static_cast<std::size_t>(rest - script.c_str());
    }
    return numbers;
}

// The script has the scene's numbers, which are float32 as if they came from a file.
TEST(Pytorch, InputsAreTheNumbersThatTheSceneComputesWith) {
    std::vector<double> numbers;
    for (int k = 0; k < 12; ++k) numbers.push_back(std::sin(0.1F + static_cast<float>(k)));
    const Array array{{3, 4}, ArrayNumbers(numbers), ""};
    Scene scene = scene_of(3, Apply::additive);
    scene.inputs = TensorsInputs{array, array, array};
    for (const Dtype dtype : {Dtype::float64, Dtype::float32, Dtype::float16, Dtype::bfloat16}) {
        scene.variants[0].dtype = dtype;
        const std::string script = script_of(scene);
        for (const char* name : {"q", "k", "v"}) {
            const std::vector<double> read = numbers_after(script, name);
            ASSERT_EQ(read.size(), numbers.size());
            for (std::size_t k = 0; k < read.size(); ++k)
                EXPECT_EQ(dtype == Dtype::float32 ? static_cast<float>(read[k]) : read[k],
                          numbers[k])
                    << name;
        }
    }
}

TEST(Pytorch, TheCallOfTheLibraryStandsAsACommentWhereThereIsOne) {
    EXPECT_TRUE(says(script_of(scene_of(3, Apply::additive)),
                     "# output = torch.nn.functional.scaled_dot_product_attention("));
    EXPECT_TRUE(says(script_of(scene_of(3, Apply::multiply_weights)), "# No single call"));
}

TEST(Pytorch, NotesStandWhereFrameworksDisagree) {
    Scene scene = scene_of(3, Apply::additive);
    EXPECT_TRUE(says(script_of(scene), "\"ignore\" in\n# MultiheadAttention"));
    EXPECT_FALSE(says(script_of(scene), "PyTorch 2.5"));
    MaskLayer row;
    row.kind = LayerKind::blocked;
    row.rows = {1};
    scene.variants[0].mask.layers.push_back(row);
    EXPECT_TRUE(says(script_of(scene), "PyTorch 2.5"));
    EXPECT_FALSE(says(script_of(scene), "aligned top-left"));
    scene.sequences[0].keys = std::vector<std::string>{"x", "y"};
    EXPECT_TRUE(says(script_of(scene), "aligned top-left"));
}

TEST(Pytorch, ATitleIsNoEncodingOfTheFile) {
    Scene scene = scene_of(2, Apply::additive);
    EXPECT_TRUE(script_of(scene).starts_with("# A: v\n"));
    for (const char* title : {"Positional encoding: sine", "coding=rotary"}) {
        scene.title = title;
        EXPECT_TRUE(
            script_of(scene).starts_with(std::string("# -*- coding: utf-8 -*-\n# ") + title))
            << title;
    }
}

TEST(Pytorch, APadIsItselfInAFormula) {
    Scene scene = scene_of(2, Apply::additive);
    scene.pad_token = "[{}]";
    MaskLayer& layer = scene.variants[0].mask.layers[0];
    layer.kind = LayerKind::formula;
    layer.expression = "!pad_j";
    EXPECT_TRUE(says(script_of(scene), "token != \"[{}]\"")) << script_of(scene);
}

TEST(Pytorch, ATensorOfAFileIsNamedWhereItsFileEnds) {
    Scene scene = scene_of(1, Apply::additive);
    Array scores = make_array({1, 1, 1, 1}, {1});
    scores.file = "m.safetensors:l.npz:q";
    scene.inputs = ScoresInputs{scores, std::nullopt, {}};
    EXPECT_TRUE(says(script_of(scene), "read(\"m.safetensors\", \"l.npz:q\")")) << script_of(scene);
}

TEST(Pytorch, ABlockedLogitThatAScaleTurnsRoundIsNoSingleCall) {
    Scene scene = scene_of(2, Apply::additive);
    const std::string one_call = "No single call of PyTorch";
    scene.variants[0].mask.order = Order::mask_then_scale;
    EXPECT_FALSE(says(script_of(scene), one_call));
    scene.variants[0].scale = {ScaleKind::number, -1};
    EXPECT_TRUE(says(script_of(scene), one_call));
}

TEST(Pytorch, ManyWeightsAreSummedUpSoThatTheScriptStaysShort) {
    const std::string script = script_of(scene_of(80, Apply::additive));
    EXPECT_TRUE(says(script, "summed up row by row"));
    EXPECT_LT(script.size(), 8000U);
}

TEST(Pytorch, AVariantThatIsNotThereIsBadUsage) {
    std::ostringstream out;
    try {
        pytorch("lesson:additive-or-multiplicative", 9, out, out);
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.status(), 2);
        EXPECT_STREQ(error.what(), "pytorch: --variant: expected 0 to 1, got \"9\"");
    }
    EXPECT_EQ(out.str(), "");
}

TEST(Pytorch, SaysWhereABuiltInModelIs) {
    std::ostringstream out, notes;
    pytorch("lesson:break-it/1", 0, out, notes);
    EXPECT_TRUE(says(out.str(), "model_file = \"italian-english.safetensors\""));
    EXPECT_TRUE(says(notes.str(), "/models/italian-english.safetensors beside the script"));
    EXPECT_EQ(std::ranges::count(notes.str(), '\n'), 1);
    std::ostringstream none;
    pytorch("lesson:one-row", 0, out, none);
    EXPECT_EQ(none.str(), "");
}

}  // namespace
}  // namespace maskscope
