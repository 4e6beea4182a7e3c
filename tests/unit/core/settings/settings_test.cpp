#include <gtest/gtest.h>

#include <set>

#include "core/attention/mask.h"
#include "core/edit/edit.h"
#include "core/format/scene_json.h"
#include "core/scene/names.h"
#include "core/settings/setting.h"
#include "tests/support/scene_samples.h"

namespace maskscope {
namespace {

Scene some_scene() {
    Scene scene;
    scene.sequences = {{{"a", "b", "c"}, std::nullopt}};
    scene.inputs = EmbeddingInputs{.heads = 2, .d_k = 4, .d_v = 4};
    scene.variants.resize(2);
    for (Variant& variant : scene.variants) {
        variant.name = "mine";
        variant.mask.value = {ValueKind::number, -1};
        variant.softcap = Softcap{};
        variant.normalizer = Normalizer::softmax_sink;
    }
    return scene;
}

TEST(Settings, AreEachNamedOnce) {
    std::set<std::string_view> keys, labels;
    for (const Setting& setting : settings()) {
        EXPECT_TRUE(keys.insert(setting.key).second) << setting.key;
        EXPECT_TRUE(labels.insert(setting.label).second) << setting.label;
        EXPECT_EQ(find_setting(setting.key), &setting);
        EXPECT_FALSE(setting.undo.empty()) << setting.key;
        EXPECT_EQ(setting.read == nullptr, setting.write == nullptr) << setting.key;
        EXPECT_EQ(setting.typed == nullptr, setting.text == nullptr) << setting.key;
        EXPECT_FALSE(setting.words && setting.words(Variant{}).empty()) << setting.key;
    }
    EXPECT_EQ(find_setting("mask"), nullptr);
    EXPECT_EQ(listed_settings().size(), settings().size());
}

// Every choice of every menu leaves a valid scene, is then the chosen one, and is read back.
TEST(Settings, WhatIsChosenIsWrittenAndReadBack) {
    std::size_t tried = 0, refused = 0;
    for (const Setting& setting : settings()) {
        const std::size_t count = choices_of(setting, some_scene(), 0).size();
        for (std::size_t k = 0; k < count; ++k) {
            Scene scene = some_scene();
            const std::vector<Choice> choices = choices_of(setting, scene, 0);
            try {
                set_setting(scene, 0, setting, choices[k].put);
            } catch (const EditError&) {
                EXPECT_EQ(scene, some_scene()) << setting.key;
                ++refused;
                continue;
            }
            ++tried;
            const std::vector<Choice> now = choices_of(setting, scene, 0);
            EXPECT_TRUE(now.empty() || now[k].is_chosen) << setting.key << " " << now[k].words;
            EXPECT_EQ(read_scene(write_scene(scene), "."), scene) << setting.key;
        }
    }
    EXPECT_GT(tried, 40U);
    EXPECT_EQ(refused, 1U) << "with a softcap the mask cannot come before the scale";
}

// The text that a field shows can be typed again.
TEST(Settings, WhatIsTypedIsWhatTheFieldShows) {
    Scene scene = some_scene();
    Variant& variant = scene.variants[0];
    const auto expect_text_back = [&](const Setting& setting) {
        Variant typed = some_scene().variants[1];
        EXPECT_EQ(setting.typed(setting.text(variant), typed), "") << setting.key;
        EXPECT_EQ(setting.text(typed), setting.text(variant)) << setting.key;
    };
    for (const double number : {0.125, -1e9, -1e4, 0.1, -123456.75}) {
        variant.mask.value = {ValueKind::number, number};
        variant.scale = {ScaleKind::number, number};
        variant.softcap = Softcap{number};
        variant.sink = std::vector<double>{number, 1};
        for (const Setting& setting : settings())
            if (setting.typed) expect_text_back(setting);
    }
    for (const ValueKind kind : {ValueKind::minus_infinity, ValueKind::lowest}) {
        variant.mask.value = {kind, 0};
        expect_text_back(*find_setting("mask.value"));
    }
    for (const ScaleKind kind : {ScaleKind::sqrt_d_k, ScaleKind::sqrt_n_k, ScaleKind::none}) {
        variant.scale = {kind, 1};
        expect_text_back(*find_setting("scale"));
    }
    variant.scale = {ScaleKind::formula, 1, "0.125 * (1 + i)"};
    expect_text_back(*find_setting("scale"));
    EXPECT_EQ(in_words(BlockedValue{ValueKind::number, -1e9}), "−1e9");
}

TEST(Settings, WhatIsNoValueIsRefusedAndChangesNothing) {
    for (const Setting& setting : settings()) {
        if (!setting.typed) continue;
        for (const char* text : {"minus", "1e999", "0x10", "1 2 x", "1,5;", "\""}) {
            Variant variant;
            EXPECT_NE(setting.typed(text, variant), "") << setting.key << " " << text;
            EXPECT_EQ(variant, Variant{}) << setting.key << " " << text;
        }
    }
}

// A formula gives one factor for each row, which must be finite.
TEST(Settings, AScaleThatIsAFormulaIsHeldToItsRows) {
    const Setting& scale = *find_setting("scale");
    const auto type = [&](const std::string& text) {
        Scene scene = some_scene();
        Variant typed = scene.variants[0];
        EXPECT_EQ(scale.typed(text, typed), "") << text;
        set_setting(scene, 0, scale, [&](Variant& variant) { variant = typed; });
        return scene;
    };
    EXPECT_EQ(type("1 / (1 + i)").variants[0].scale.expression, "1 / (1 + i)");
    EXPECT_NO_THROW(check_scene(type("1 / (1 + i)")));
    EXPECT_THROW(type("1 / i"), EditError) << "infinite in row 0";
    EXPECT_THROW(type("j"), EditError);
}

// The inspector computes the same numbers as the reference implementation.
TEST(Settings, AnOperationOnEachNumberIsThatOfTheSoftmaxInput) {
    for (const CapOrder order : {CapOrder::before_mask, CapOrder::after_mask}) {
        Variant variant;
        variant.dtype = Dtype::float64;
        variant.softcap = Softcap{3, order};
        const auto operations = operations_into(StageKind::logits, variant);
        const auto cap = std::ranges::find_if(
            operations, [](const Operation& operation) { return operation.value != nullptr; });
        ASSERT_NE(cap, operations.end());
        EXPECT_EQ(cap->formula, "3 tanh({} / 3)");
        EXPECT_EQ(cap->order > 0, order == CapOrder::after_mask);
        const Matrix x{{-40.0, -1.5, 0.0, 0.25, 7.0}};
        const Matrix none = Matrix::Zero(0, 0);
        const Matrix logits =
            mask_before_softmax(variant, x, x, 1, none, Allowed::Constant(1, 5, true)).numbers;
        for (Index j = 0; j < x.cols(); ++j)  // the same operations, so the same bits
            EXPECT_EQ(cap->value(variant, x(0, j)), logits(0, j)) << x(0, j);
    }
}

TEST(Settings, AReferenceIsAnotherVariant) {
    const Setting& reference = *find_setting("reference");
    Scene scene = some_scene();
    const std::vector<Choice> choices = choices_of(reference, scene, 1);
    ASSERT_EQ(choices.size(), 2U);
    EXPECT_EQ(choices[0].words, "none");
    EXPECT_EQ(choices[1].words, "A mine");
    set_setting(scene, 1, reference, choices[1].put);
    EXPECT_EQ(scene.variants[1].reference, 0);
    EXPECT_NO_THROW(check_scene(scene));
    scene.variants.resize(1);
    EXPECT_TRUE(choices_of(reference, scene, 0).empty());
}

// A setting's default is what it has in a variant that is read from a file with only a name.
TEST(Settings, DefaultsAreThoseOfTheFile) {
    for (const Scene& sample : {some_scene()}) {
        Scene scene = sample;
        scene.variants = {default_variant(scene.inputs)};
        scene.variants[0].name = "any";
        const Fields fields{{"/variants/0", "{\"name\": \"any\"}"}};
        EXPECT_EQ(with_fields(scene, fields, "."), scene);
    }
}

}  // namespace
}  // namespace maskscope
