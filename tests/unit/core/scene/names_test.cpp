#include "core/scene/names.h"

#include <gtest/gtest.h>

#include <set>

#include "core/scene/mask_rules.h"

namespace maskscope {
namespace {

// Expects each name to give its enumerator again, and other words to give none.
template <class T>
void expect_names(std::size_t count) {
    const auto all = names<T>();
    ASSERT_EQ(all.size(), count);
    for (std::size_t k = 0; k < count; ++k) {
        EXPECT_EQ(name(static_cast<T>(k)), all[k]);
        if (all[k].empty()) continue;
        EXPECT_EQ(from_name<T>(all[k]), static_cast<T>(k)) << all[k];
    }
    EXPECT_EQ(from_name<T>(""), std::nullopt);
    EXPECT_EQ(from_name<T>("another"), std::nullopt);
    EXPECT_EQ(std::set(all.begin(), all.end()).size(), count);
}

TEST(Names, LeadThereAndBack) {
    expect_names<Pattern>(9);
    expect_names<ScoreKind>(4);
    EXPECT_EQ(names<ScaleKind>().size(), 5U);  // a number and a formula have no name
    expect_names<LayerKind>(layer_rules().size());
    expect_names<Align>(3);
    expect_names<Slopes>(2);
    expect_names<KvMap>(2);
    expect_names<CapOrder>(2);
    expect_names<Apply>(6);
    expect_names<ValueKind>(3);
    expect_names<Order>(3);
    expect_names<Normalizer>(4);
    expect_names<EmptyRows>(4);
    expect_names<Dtype>(4);
    expect_names<OutputKind>(3);
    expect_names<StageKind>(all_stage_count);
    expect_names<ViewKind>(8);
    expect_names<ModelAttention>(3);
}

// Checks a few names from each end of the tables against their enumerators.
TEST(Names, AreThoseOfTheFormat) {
    EXPECT_EQ(name(Pattern::same_token), "same_token");
    EXPECT_EQ(name(Pattern::random), "random");
    EXPECT_EQ(name(ScaleKind::sqrt_n_k), "sqrt_n_k");
    EXPECT_EQ(name(LayerKind::padding_queries), "padding_queries");
    EXPECT_EQ(name(LayerKind::bias), "bias");
    EXPECT_EQ(name(Apply::multiply_weights_renormalized), "multiply_weights_renormalized");
    EXPECT_EQ(name(Apply::none), "none");
    EXPECT_EQ(name(ValueKind::minus_infinity), "-inf");
    EXPECT_EQ(name(EmptyRows::zero_after), "zero_after");
    EXPECT_EQ(name(Dtype::bfloat16), "bfloat16");
    EXPECT_EQ(name(StageKind::depends), "depends");
    EXPECT_EQ(name(ViewKind::root_d), "root_d");
    EXPECT_EQ(inputs_names()[Inputs(OutputInputs{}).index()], "output");
    EXPECT_EQ(inputs_names()[Inputs(WeightsInputs{}).index()], "weights");
}

TEST(Names, LabelsSayItInWords) {
    EXPECT_EQ(label(StageKind::logits), "Softmax input");
    EXPECT_EQ(label(StageKind::allowed), "Mask");
    EXPECT_EQ(label(LayerKind::blocked), "Blocked cells");
    EXPECT_EQ(label(LayerKind::allowed), "Allowed cells");
    EXPECT_EQ(label(ModelAttention::cross), "Cross-attention");
    EXPECT_EQ(label_inputs(TensorsInputs{}), "Given numbers");
    for (const auto kind : {Apply::additive, Apply::none}) EXPECT_FALSE(label(kind).empty());
    for (const auto kind : {Normalizer::softmax, Normalizer::softmax_plus_one})
        EXPECT_FALSE(label(kind).empty());
    EXPECT_EQ(label(ScoreKind::additive), "Additive (tanh)") << "not the mask's additive";
    EXPECT_EQ(label(OutputKind::projected), "Projected");
    for (const auto kind : {EmptyRows::nan, EmptyRows::zero_after})
        EXPECT_FALSE(label(kind).empty());
}

TEST(Names, KeepTheirCapitalsWithinASentence) {
    EXPECT_EQ(within_sentence("Causal"), "causal");
    EXPECT_EQ(within_sentence("ALiBi"), "ALiBi");
}

}  // namespace
}  // namespace maskscope
