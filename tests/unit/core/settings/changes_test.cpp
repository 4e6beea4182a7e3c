#include <gtest/gtest.h>

#include "core/edit/edit.h"
#include "core/scene/names.h"
#include "tests/support/set.h"

namespace maskscope {
namespace {

Scene two_variants() {
    Scene scene;
    scene.sequences = {{{"a", "b"}, std::nullopt}};
    scene.inputs = EmbeddingInputs{};
    Variant variant;
    variant.name = "No mask";
    variant.mask.layers = {MaskLayer{}};
    variant.mask.apply = Apply::none;
    scene.variants = {variant, variant};
    scene.variants[1].mask.apply = Apply::multiply_weights;
    scene.variants[1].name = label(Apply::multiply_weights);
    return scene;
}

std::string note(const Scene& scene, int variant) {
    return changes_since(two_variants(), scene, variant);
}

TEST(VariantNames, ChangesFollowTheName) {
    EXPECT_EQ(with_changes("No mask", "float16"), "No mask (changed: float16)");
    EXPECT_EQ(with_changes("No mask", ""), "No mask");
}

TEST(VariantNames, AnUneditedVariantHasNoNote) {
    for (const int variant : {0, 1}) EXPECT_EQ(note(two_variants(), variant), "");
}

TEST(VariantNames, WhatWasChangedStandsBesideTheName) {
    Scene scene = two_variants();
    set(scene, 0, "mask.apply", &Mask::apply, Apply::additive);
    EXPECT_EQ(scene.variants[0].name, "No mask");
    EXPECT_EQ(note(scene, 0), "added");
    scene.variants[0].mask.value = {ValueKind::number, -2};
    scene.variants[0].dtype = Dtype::float16;
    EXPECT_EQ(note(scene, 0), "added, mask value −2, float16");
}

TEST(VariantNames, ANameThatSaysHowTheMaskIsAppliedFollowsIt) {
    Scene scene = two_variants();
    for (const Apply apply : {Apply::additive, Apply::multiply_weights_renormalized, Apply::none,
                              Apply::replace, Apply::multiply_weights}) {
        set(scene, 1, "mask.apply", &Mask::apply, apply);
        EXPECT_EQ(scene.variants[1].name, label(apply));
        EXPECT_EQ(note(scene, 1), "");
    }
    set(scene, 1, "mask.apply", &Mask::apply, Apply::additive);
    scene.variants[1].scale = {ScaleKind::none, 1};
    EXPECT_EQ(note(scene, 1), "scale none");
}

TEST(VariantNames, AVariantThatWasRenamedSpeaksForItself) {
    Scene scene = two_variants();
    scene.variants[0].name = "Mine";
    set(scene, 0, "mask.apply", &Mask::apply, Apply::additive);
    EXPECT_EQ(note(scene, 0), "");
}

TEST(VariantNames, OneOfTheSameNameSaysWhatSetsItApart) {
    Scene scene = two_variants();
    for (const int index : {0, 1}) EXPECT_EQ(changes_from_namesake(scene, index), "");
    duplicate_variant(scene, 1);
    EXPECT_EQ(changes_from_namesake(scene, 1), "") << "the first of the name";
    EXPECT_EQ(with_changes("Mine", changes_from_namesake(scene, 2)), "Mine (same as B)");
    scene.variants[2].dtype = Dtype::float16;
    EXPECT_EQ(with_changes("Mine", changes_from_namesake(scene, 2)), "Mine (changed: float16)");
    set(scene, 2, "mask.apply", &Mask::apply, Apply::additive);
    EXPECT_EQ(changes_from_namesake(scene, 2), "") << "it has a name of its own";
    for (Variant& variant : scene.variants) variant.name.clear();
    EXPECT_EQ(changes_from_namesake(scene, 2), "") << "a variant without a name is not mentioned";
}

TEST(VariantNames, LayersAreNamed) {
    Scene scene = two_variants();
    scene.variants[0].mask.layers[0].kind = LayerKind::padding;
    EXPECT_EQ(note(scene, 0), "no causal, with padding");
    scene = two_variants();
    scene.variants[0].mask.layers[0].align = Align::bottom_right;
    EXPECT_EQ(note(scene, 0), "causal");
    scene = two_variants();
    set_allowed(scene, {0}, 0, 0, {0, 1}, true);  // painted: the mask shows it
    EXPECT_EQ(note(scene, 0), "");
}

TEST(VariantNames, AVariantKeepsItsNoteWhenAnotherIsDeleted) {
    Scene scene = two_variants();
    scene.variants[1].dtype = Dtype::float16;
    remove_variant(scene, 0);
    EXPECT_EQ(note(scene, 0), "float16");
    add_variant(scene);
    EXPECT_EQ(note(scene, 1), "") << "a new variant is not the step's";
}

}  // namespace
}  // namespace maskscope
