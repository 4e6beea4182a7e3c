#include <gtest/gtest.h>

#include "core/edit/edit.h"
#include "core/scene/names.h"
#include "tests/support/set.h"

namespace maskscope {
namespace {

Scene two_lanes() {
    Scene scene;
    scene.sequences = {{{"a", "b"}, std::nullopt}};
    scene.inputs = EmbeddingInputs{};
    Variant lane;
    lane.name = "No mask";
    lane.mask.layers = {MaskLayer{}};
    lane.mask.apply = Apply::none;
    scene.variants = {lane, lane};
    scene.variants[1].mask.apply = Apply::multiply_weights;
    scene.variants[1].name = label(Apply::multiply_weights);
    return scene;
}

std::string note(const Scene& scene, int lane) { return changes_since(two_lanes(), scene, lane); }

TEST(LaneNames, ChangesFollowTheName) {
    EXPECT_EQ(with_changes("No mask", "float16"), "No mask (changed: float16)");
    EXPECT_EQ(with_changes("No mask", ""), "No mask");
}

TEST(LaneNames, AnUneditedLaneHasNoNote) {
    for (const int lane : {0, 1}) EXPECT_EQ(note(two_lanes(), lane), "");
}

TEST(LaneNames, WhatWasChangedStandsBesideTheName) {
    Scene scene = two_lanes();
    set(scene, 0, "mask.apply", &Mask::apply, Apply::additive);
    EXPECT_EQ(scene.variants[0].name, "No mask");
    EXPECT_EQ(note(scene, 0), "added");
    scene.variants[0].mask.value = {ValueKind::number, -2};
    scene.variants[0].dtype = Dtype::float16;
    EXPECT_EQ(note(scene, 0), "added, mask value −2, float16");
}

TEST(LaneNames, ANameThatSaysHowTheMaskIsAppliedFollowsIt) {
    Scene scene = two_lanes();
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

TEST(LaneNames, ALaneThatWasRenamedSpeaksForItself) {
    Scene scene = two_lanes();
    scene.variants[0].name = "Mine";
    set(scene, 0, "mask.apply", &Mask::apply, Apply::additive);
    EXPECT_EQ(note(scene, 0), "");
}

TEST(LaneNames, OneOfTheSameNameSaysWhatSetsItApart) {
    Scene scene = two_lanes();
    for (const int lane : {0, 1}) EXPECT_EQ(changes_from_namesake(scene, lane), "");
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

TEST(LaneNames, LayersAreNamed) {
    Scene scene = two_lanes();
    scene.variants[0].mask.layers[0].kind = LayerKind::padding;
    EXPECT_EQ(note(scene, 0), "no causal, with padding");
    scene = two_lanes();
    scene.variants[0].mask.layers[0].align = Align::bottom_right;
    EXPECT_EQ(note(scene, 0), "causal");
    scene = two_lanes();
    set_allowed(scene, {0}, 0, 0, {0, 1}, true);  // painted: the mask shows it
    EXPECT_EQ(note(scene, 0), "");
}

TEST(LaneNames, ALaneKeepsItsNoteWhenAnotherIsDeleted) {
    Scene scene = two_lanes();
    scene.variants[1].dtype = Dtype::float16;
    remove_variant(scene, 0);
    EXPECT_EQ(note(scene, 0), "float16");
    add_variant(scene);
    EXPECT_EQ(note(scene, 1), "") << "a new lane is not the step's";
}

}  // namespace
}  // namespace maskscope
