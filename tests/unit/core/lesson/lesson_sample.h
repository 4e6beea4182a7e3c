#pragma once
// A lesson of one step and two variants: a causal mask that is added, and one that is multiplied.

#include "core/lesson/lesson_edit.h"

namespace maskscope {

inline Scene two_variant_scene() {
    Scene scene;
    scene.sequences = {{{"a", "b", "c"}, std::nullopt}};
    scene.inputs = EmbeddingInputs{7, 1, 4, 2, 8};
    Variant variant;
    variant.name = "added";
    variant.mask.layers.emplace_back();  // causal
    scene.variants = {variant, variant};
    scene.variants[1].name = "multiplied";
    scene.variants[1].mask.apply = Apply::multiply_weights;
    return scene;
}

// Returns the fact that the first row of B keeps less than 90% of its weight.
inline Fact row_keeps_less() {
    Fact fact;
    fact.address = {1, {}, "sum", {AddressEntry{}, AddressEntry{}, AddressEntry{}}, {}, {}};
    fact.is = Relation::less;
    fact.than = Comparand{0.9, {}, {}};
    fact.fails_with = {{"/variants/1/mask/apply", "\"additive\""}};
    return fact;
}

inline Lesson two_variant_lesson() {
    Lesson lesson = lesson_of(two_variant_scene());
    lesson.steps[0].title = "One";
    lesson.steps[0].caption = "It keeps {B.sum[0,0,0]}.";
    lesson.steps[0].facts = {row_keeps_less()};
    return lesson;
}

}  // namespace maskscope
