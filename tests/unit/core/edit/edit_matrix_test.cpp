// Tests edits of the matrices of variants, and of their output.

#include <gtest/gtest.h>

#include "core/base/matrix.h"
#include "core/compute/plain.h"
#include "core/edit/edit.h"
#include "core/format/scene_json.h"
#include "tests/support/set.h"

namespace maskscope {
namespace {

Scene seeded() {
    Scene scene;
    scene.sequences = {{{"a", "b", "c"}, std::nullopt}};
    scene.inputs = EmbeddingInputs{5, 2, 3, 2, 16};
    scene.variants.resize(1);
    scene.variants[0].name = "A";
    scene.variants[0].score.kind = ScoreKind::bilinear;
    return scene;
}

Matrix scores_of(const Scene& scene) {
    Progress progress;
    return PlainBackend()
        .compute(scene, {}, nullptr, progress)
        .variants[0]
        .stage(StageKind::scores)
        .head(0, 1);
}

TEST(MatrixOfAVariant, IsWrittenDownBeforeANumberIsTyped) {
    Scene scene = seeded();
    const auto before = variant_matrix(scene, 0, VariantMatrix::score);
    ASSERT_TRUE(before);
    EXPECT_FALSE(scene.variants[0].score.matrix) << "showing a matrix does not write it";
    set_matrix_number(scene, 0, VariantMatrix::score, 1, 2, (*before)(1, 2));
    EXPECT_TRUE(scene.variants[0].score.matrix);
    EXPECT_EQ(scores_of(scene), scores_of(seeded())) << "the same number changes none";
    set_matrix_number(scene, 0, VariantMatrix::score, 1, 2, 7);
    Matrix expected = *before;
    expected(1, 2) = 7;
    EXPECT_EQ(*variant_matrix(scene, 0, VariantMatrix::score), expected);
    check_scene(scene);
}

TEST(MatrixOfAVariant, IdentityIsThePlainDot) {
    Scene scene = seeded(), dot = seeded();
    set_matrix_identity(scene, 0, VariantMatrix::score);
    dot.variants[0].score = {};
    EXPECT_EQ(scores_of(scene), scores_of(dot));
}

TEST(MatrixOfAVariant, IsThereOnlyWhereTheKindHasOne) {
    Scene scene = seeded();
    EXPECT_FALSE(variant_matrix(scene, 0, VariantMatrix::output));
    EXPECT_THROW(set_matrix_number(scene, 0, VariantMatrix::output, 0, 0, 1), EditError);
    scene.variants[0].score = {};
    EXPECT_FALSE(variant_matrix(scene, 0, VariantMatrix::score));
    const Scene before = scene;
    EXPECT_THROW(set_matrix_identity(scene, 0, VariantMatrix::score), EditError);
    EXPECT_THROW(variant_matrix(scene, 3, VariantMatrix::score), EditError);
    EXPECT_EQ(scene, before);
}

TEST(MatrixOfAVariant, TakesFiniteNumbersWithin) {
    Scene scene = seeded();
    const Scene before = scene;
    for (const double x : {double(NAN), double(INFINITY)})
        EXPECT_THROW(set_matrix_number(scene, 0, VariantMatrix::score, 0, 0, x), EditError);
    EXPECT_THROW(set_matrix_number(scene, 0, VariantMatrix::score, 3, 0, 1), EditError);
    EXPECT_THROW(set_matrix_number(scene, 0, VariantMatrix::score, 0, -1, 1), EditError);
    EXPECT_EQ(scene, before);
}

TEST(OutputOfAVariant, ChangesWithItsMatrix) {
    Scene scene = seeded();
    for (const OutputKind kind :
         {OutputKind::projected, OutputKind::alternative, OutputKind::values}) {
        set(scene, 0, "output", &Output::kind, kind);
        EXPECT_EQ(scene.variants[0].output.kind, kind);
        EXPECT_FALSE(scene.variants[0].output.w) << "seeded, in the new shape";
        check_scene(scene);
        const auto w = variant_matrix(scene, 0, VariantMatrix::output);
        EXPECT_EQ(w.has_value(), kind != OutputKind::values);
        if (!w) continue;
        EXPECT_EQ(w->rows(), kind == OutputKind::projected ? 4 : 2);
        set_matrix_number(scene, 0, VariantMatrix::output, 0, 1, 3);
        check_scene(scene);
    }
}

TEST(OutputOfAVariant, NeedsValuesAndAWidth) {
    Scene scene = seeded();
    ScoresInputs inputs;
    inputs.scores = make_array({3, 3}, std::vector<double>(9, 1));
    scene.inputs = inputs;
    scene.variants[0].score = {};
    scene.variants[0].scale.kind = ScaleKind::none;
    EXPECT_THROW(set(scene, 0, "output", &Output::kind, OutputKind::projected), EditError);
    inputs.values = make_array({3, 2}, {1, 2, 3, 4, 5, 6});
    scene.inputs = inputs;
    EXPECT_THROW(set(scene, 0, "output", &Output::kind, OutputKind::alternative), EditError);
    set(scene, 0, "output", &Output::kind, OutputKind::projected);
    check_scene(scene);
}

}  // namespace
}  // namespace maskscope
