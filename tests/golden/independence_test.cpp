// Inputs that do not reach a row do not change a bit of it.

#include "core/base/matrix.h"
#include "tests/golden/properties.h"

namespace maskscope::golden {
namespace {

TEST(Independence, APaddedBatchIsEachSentenceAlone) {
    for_each_scene({.with_score = true}, [](Scene scene) {
        scene.inputs = EmbeddingInputs{5, 2, 4, 3, 8};
        MaskLayer padding;
        padding.kind = LayerKind::padding;
        Variant variant;
        variant.dtype = scene.variants[0].dtype;
        variant.mask.layers = {padding};
        scene.variants = {variant};
        const Result batch = computed(scene);
        for (std::size_t b = 0; b < scene.sequences.size(); ++b) {
            Scene alone = scene;
            alone.sequences = {scene.sequences[b]};
            const Result one = computed(alone);
            const Shape shape = one.variants[0].shape;
            for (Index h = 0; h < shape.h; ++h)
                for (const StageKind kind : {StageKind::weights, StageKind::output}) {
                    const Matrix own = one.variants[0].stage(kind).head(0, h);
                    const Matrix all = batch.variants[0].stage(kind).head(static_cast<Index>(b), h);
                    EXPECT_EQ(first_beyond(0, all.topLeftCorner(own.rows(), own.cols()), own), "");
                }
        }
    });
}

TEST(Independence, UnderACausalMaskTheFutureMovesNothing) {
    for_each_scene({.with_score = true}, [](Scene scene) {
        MaskLayer causal;
        causal.kind = LayerKind::causal;
        Variant variant = scene.variants[0];
        variant.mask = {};
        variant.mask.layers = {causal};
        variant.output = {};
        scene.sequences = {{{"a", "b", "c", "d"}, std::nullopt},
                           {{"a", "b", "x", "y"}, std::nullopt}};
        scene.inputs = EmbeddingInputs{5, 2, 4, 3, 8};
        variant.score = {};
        variant.scale = {};
        variant.softcap.reset();  // a softcap after the mask leaks
        variant.sink = 0.5;
        scene.variants = {variant};
        const VariantResult result = computed(scene).variants[0];
        for (Index h = 0; h < 2; ++h) {
            const Stage& output = result.stage(StageKind::output);
            EXPECT_EQ(first_beyond(0, output.head(0, h).topRows(2), output.head(1, h).topRows(2)),
                      "");
        }
    });
}

}  // namespace
}  // namespace maskscope::golden
