#include "app/views/generation/generation_view.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "app/show/bench/alternative_text.h"
#include "app/show/views/view_entry.h"
#include "core/attention/head_inputs.h"
#include "core/format/scene_json.h"
#include "tests/unit/app/show/sentence.h"
#include "tests/unit/app/show/view_scenes.h"

namespace maskscope {
namespace {

GenerationView generated(const Scene& scene) {
    Progress progress;
    return make_generation(computed(scene), test::view_of(scene), progress);
}

Variant causal_by(Align align) {
    Variant variant = causal("", Apply::additive);
    variant.mask.layers[0].align = align;
    return variant;
}

// Returns a variant in which a row keeps the keys that are at most `left` before it.
Variant windowed(Index left) {
    Variant variant = causal_by(Align::positions);
    MaskLayer& window = variant.mask.layers.emplace_back();
    window.kind = LayerKind::window;
    window.left = left;
    window.right = 0;
    return variant;
}

TEST(Generation, ByPositionsEveryRowIsAsAtOnce) {
    for (const Dtype dtype : {Dtype::float64, Dtype::float32, Dtype::float16, Dtype::bfloat16}) {
        Variant variant = causal_by(Align::positions);
        variant.dtype = dtype;
        const GenerationView view = generated(sentence({variant}));
        EXPECT_EQ(view.variants[0].apart, std::vector<double>(6, 0)) << int(dtype);
    }
}

TEST(Generation, TopLeftAttendsOnlyToTheFirstKey) {
    const Scene scene = sentence({causal_by(Align::top_left)}, 1);
    const Result result = computed(scene);
    const Stage& weights = result.variants[0].stage(StageKind::weights);
    const GenerationVariant variant = generated(scene).variants[0];
    EXPECT_EQ(variant.apart[0], 0);
    for (Index t = 1; t < 6; ++t) {
        double expected = 1 - weights.at(0, 0, t, 0);
        for (Index j = 1; j <= t; ++j) expected = std::max(expected, weights.at(0, 0, t, j));
        EXPECT_NEAR(variant.apart[t], expected, 1e-6) << t;
        const Cells& row = *variant.alone[t];
        EXPECT_EQ(row.columns, t + 1);
        EXPECT_EQ(row.values[0], 1);
        EXPECT_NE(row.signs[t] & sign::blocked, 0) << t;
    }
}

TEST(Generation, RootNDiffersInAllButTheFirstAndTheLastRow) {
    Variant variant = causal_by(Align::positions);
    variant.scale.kind = ScaleKind::sqrt_n_k;
    const std::vector<double> apart = generated(sentence({variant}, 1)).variants[0].apart;
    EXPECT_EQ(apart.front(), 0) << "one key has all weight";
    EXPECT_EQ(apart.back(), 0) << "there n is the same";
    for (Index t = 1; t < 5; ++t) EXPECT_GT(apart[t], 1e-3) << t;
}

TEST(Generation, ARowThatIsNaNBothTimesIsTheSame) {
    Variant variant = causal_by(Align::positions);
    MaskLayer& blocked = variant.mask.layers.emplace_back();
    blocked.kind = LayerKind::blocked;
    blocked.rows = {2};
    const Scene scene = sentence({variant}, 1);
    EXPECT_TRUE(computed(scene).variants[0].row(0, 0, 2).nan);
    EXPECT_EQ(generated(scene).variants[0].apart, std::vector<double>(6, 0));
}

TEST(Generation, ARowThatIsNaNOnceSaysSo) {
    Variant variant = causal_by(Align::positions);  // inverted: only the future
    variant.mask.layers[0].invert = true;
    const std::vector<double> apart = generated(sentence({variant}, 1)).variants[0].apart;
    EXPECT_TRUE(std::isnan(apart[0]));
    EXPECT_EQ(apart_words(apart[0]), "NaN in one");
    EXPECT_EQ(apart[5], 0) << "no key either time";
}

TEST(Generation, WithoutAMaskRowsAtOnceSeeTheFuture) {
    const GenerationVariant variant = generated(sentence({causal("", Apply::none)}, 1)).variants[0];
    for (Index t = 0; t < 5; ++t) EXPECT_GT(variant.apart[t], 0) << t;
    EXPECT_EQ(variant.apart[5], 0);
    EXPECT_EQ(variant.pairs, 36) << "a mask that is not applied saves no work";
    EXPECT_EQ(variant.pairs_with_cache, 21);
}

TEST(Generation, SaysWhyARowDiffers) {
    const auto why = [](Variant variant) {
        const GenerationVariant made = generated(sentence({variant}, 1)).variants[0];
        for (std::size_t t = 0; t < made.apart.size(); ++t)
            EXPECT_EQ(made.why[t].empty(), made.apart[t] == 0) << t;
        return why_apart(made, 5);
    };
    const auto has = [](const std::string& text, const char* part) {
        return text.find(part) != std::string::npos;
    };
    Variant variant = causal_by(Align::positions);
    EXPECT_EQ(why(variant), "");
    variant.scale.kind = ScaleKind::sqrt_n_k;
    EXPECT_TRUE(has(why(variant), "√n counts only the tokens so far")) << why(variant);
    EXPECT_TRUE(
        has(why(causal("", Apply::none)), "of its weight in the full pass is on later tokens"));
    EXPECT_TRUE(has(why(causal_by(Align::top_left)), "aligned to the tokens so far"));
    variant = causal_by(Align::positions);
    variant.mask.apply = Apply::multiply_weights;
    EXPECT_TRUE(has(why(variant), "its softmax also counts later tokens")) << why(variant);
    variant.mask.apply = Apply::multiply_scores;
    EXPECT_TRUE(has(why(variant), "of its weight in the full pass is on later tokens"))
        << why(variant);
    variant = causal_by(Align::positions);
    variant.mask.layers[0].invert = true;
    EXPECT_TRUE(has(why(variant), "NaN only step by step")) << why(variant);
}

TEST(Generation, CountsPairs) {
    const GenerationVariant whole = generated(sentence({causal_by(Align::positions)})).variants[0];
    EXPECT_EQ(whole.pairs, 21);
    EXPECT_EQ(whole.pairs_with_cache, 21);
    EXPECT_EQ(whole.pairs_without, 1 + 3 + 6 + 10 + 15 + 21);
    EXPECT_EQ(
        pairs_words(whole, 6, false),
        "Query–key pairs: 21 of 36 in a full pass; step by step 21 with a KV cache, 56 without");
    const GenerationVariant window = generated(sentence({windowed(2)})).variants[0];
    EXPECT_EQ(window.pairs, 15);
    EXPECT_EQ(window.pairs_without, 1 + 3 + 6 + 9 + 12 + 15);
}

TEST(Generation, AKeyIsNeededAsLongAsALaterRowSeesIt) {
    using NeededKeys = std::vector<Index>;
    EXPECT_EQ(generated(sentence({causal_by(Align::positions)})).variants[0].needed,
              (NeededKeys{1, 2, 3, 4, 5, 0}));
    EXPECT_EQ(generated(sentence({windowed(2)})).variants[0].needed,
              (NeededKeys{1, 2, 2, 2, 2, 0}));
    Variant one_head = windowed(2);
    one_head.mask.layers[1].heads = {0};
    EXPECT_EQ(generated(sentence({one_head})).variants[0].needed, (NeededKeys{1, 2, 3, 4, 5, 0}))
        << "the other head still attends to it";
}

TEST(Generation, SaysWhatTheCacheHolds) {
    Scene scene = sentence({windowed(2)}, 4);
    scene.inputs = EmbeddingInputs{.seed = 7, .heads = 4, .d_k = 4, .d_v = 4, .kv_heads = 2};
    const GenerationView view = generated(scene);
    EXPECT_EQ(cached_numbers(view, 3), 64);
    EXPECT_EQ(cache_words(view, view.variants[0], 3),
              "4 tokens × 2 heads × (4 + 4) = 64 numbers, 256 bytes; 2 are still needed");
    EXPECT_EQ(cache_words(view, view.variants[0], 0),
              "1 token × 2 heads × (4 + 4) = 16 numbers, 64 bytes; still needed");
    EXPECT_EQ(cache_words(view, view.variants[0], 5),
              "6 tokens × 2 heads × (4 + 4) = 96 numbers, 384 bytes");
    scene.variants[0].dtype = Dtype::bfloat16;
    const GenerationView half = generated(scene);
    EXPECT_EQ(cache_words(half, half.variants[0], 1),
              "2 tokens × 2 heads × (4 + 4) = 32 numbers, 64 bytes; all still needed");
}

TEST(Generation, HeadsThatShareKeysShareACache) {
    Scene scene = sentence({causal_by(Align::positions)}, 4);
    EmbeddingInputs inputs{.seed = 7, .heads = 4, .d_k = 4, .d_v = 2, .kv_heads = 2};
    const auto titles = [&] {
        scene.inputs = inputs;
        std::vector<std::string> all;
        for (const CachedHead& head : generated(scene).cache) all.push_back(head.title);
        return all;
    };
    EXPECT_EQ(titles(), (std::vector<std::string>{"heads 1–2", "heads 3–4"}));
    const Result result = computed(scene);
    const GenerationView view = generated(scene);
    for (Index c = 0; c < 4; ++c)
        EXPECT_EQ(value_at(*view.cache[1].keys, 5, c), result.inputs->at(0, 3).keys(5, c));
    inputs.kv_map = KvMap::tile;
    EXPECT_EQ(titles(), (std::vector<std::string>{"heads 1, 3", "heads 2, 4"}));
}

TEST(Generation, ScoresHaveNoKeysToCache) {
    const Scene scene = test::view_scene("plane-convex");  // scores and values
    ASSERT_TRUE(std::holds_alternative<ScoresInputs>(scene.inputs));
    Scene bare = scene;
    std::get<ScoresInputs>(bare.inputs).values.reset();
    bare.variants[0].output = {};
    const GenerationView view = generated(bare);
    EXPECT_TRUE(view.cache.empty());
    EXPECT_EQ(cache_words(view, view.variants[0], 0), "");
    EXPECT_FALSE(generated(scene).cache.empty());
    EXPECT_EQ(generated(scene).cache[0].keys, nullptr);
}

TEST(Generation, SaysWhyItCannotBeShown) {
    const auto why = [](const Scene& scene, const std::string& part) {
        EXPECT_NE(why_no_generation(scene).find(part), std::string::npos)
            << why_no_generation(scene);
        EXPECT_FALSE(has_view(scene, ViewKind::generation));
        View view;
        EXPECT_EQ(tabs_of(view, scene), views_of(scene));
        view.show.view = ViewKind::generation;
        EXPECT_EQ(shown_view(view, scene), ViewKind::generation) << "it says why";
        EXPECT_EQ(tabs_of(view, scene).back(), ViewKind::generation);
    };
    Scene cross = sentence({causal_by(Align::positions)});
    EXPECT_EQ(why_no_generation(cross), "");
    cross.sequences[0].keys = {{"one", "two"}};
    why(cross, "different tokens");
    Scene many = sentence({causal_by(Align::positions)});
    many.sequences[0].queries = std::vector<std::string>(64, "word");
    EXPECT_EQ(why_no_generation(many), "");
    many.sequences[0].queries.edit([](auto& tokens) { tokens.push_back("more"); });
    why(many, "up to 64 tokens; this scene has 65");
    Scene weights = test::view_scene("table");
    weights.inputs = WeightsInputs{make_array({1, 4}, {0.25, 0.25, 0.25, 0.25}), {}};
    why(weights, "weights");
    EXPECT_FALSE(generated(many).missing.empty()) << "no error";
}

TEST(Generation, IsToldInWords) {
    const Scene scene = test::view_scene("generation");
    const std::string text = alternative_text(computed(scene), test::view_of(scene));
    EXPECT_NE(
        text.find(
            "Shown: the view “Generation”. Step by step, up to token 4 of 6, “is”; variant A: "
            "every row matches the full pass; variant B: 3 of 4 rows differ by up to 0.12."),
        std::string::npos)
        << text;
}

}  // namespace
}  // namespace maskscope
