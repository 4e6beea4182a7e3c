#include "core/edit/edit.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "core/format/scene_json.h"
#include "tests/support/computed.h"
#include "tests/support/set.h"
#include "tests/unit/core/edit/edit_scenes.h"

namespace maskscope {
namespace {

using Tokens = std::vector<std::string>;
using Indices = std::vector<Index>;

Scene scene_of(std::vector<Tokens> sequences) {
    Scene scene;
    for (Tokens& tokens : sequences) scene.sequences.push_back({std::move(tokens), std::nullopt});
    scene.inputs = EmbeddingInputs{7, 1, 4, 2, 8};
    Variant variant;
    variant.name = "A";
    scene.variants = {variant};
    return scene;
}

MaskLayer& add_layer(Scene& scene, LayerKind kind) {
    MaskLayer& layer = scene.variants.front().mask.layers.emplace_back();
    layer.kind = kind;
    return layer;
}

const std::vector<MaskLayer>& layers_of(const Scene& scene) {
    return scene.variants.front().mask.layers;
}

// --- sentences

TEST(Sentence, IsSplitAtWhiteSpace) {
    EXPECT_EQ(split_sentence("  My name\tis\nLuke "), (Tokens{"My", "name", "is", "Luke"}));
    EXPECT_EQ(split_sentence("日本\u3000語"), (Tokens{"日本", "語"}));
    // A no-break space does not separate tokens.
    EXPECT_EQ(split_sentence("a\u00a0b"), (Tokens{"a\u00a0b"}));
    EXPECT_EQ(split_sentence(" "), Tokens());
}

TEST(Sentence, QuotesKeepATokenTogether) {
    EXPECT_EQ(split_sentence("say \"New York\" now"), (Tokens{"say", "New York", "now"}));
    EXPECT_EQ(split_sentence("\"a \\\"b\\\" \\\\\""), (Tokens{"a \"b\" \\"}));
    EXPECT_EQ(split_sentence("don\"t \"open end"), (Tokens{"don\"t", "\"open", "end"}));
}

// --- tokens and what depends on them

TEST(Tokens, WithEmojiKeepTheirBytes) {
    Scene scene = scene_of({{"I", "👩🏽‍🚀", "see"}});
    const std::string bytes = scene.sequences[0].queries[1];
    move_token(scene, 0, Side::queries, 1, 2);
    insert_token(scene, 0, Side::queries, 0, "🙂");
    rename_token(scene, 0, Side::keys, 1, "We");
    EXPECT_EQ(scene.sequences[0].queries, (Tokens{"🙂", "We", "see", bytes}));
    EXPECT_EQ(read_scene(write_scene(scene), ".").sequences[0].queries[3], bytes);
}

TEST(Tokens, ThatNoSceneCanHoldAreRefused) {
    Scene scene = scene_of({{"a", "b"}});
    const Scene before = scene;
    EXPECT_THROW(rename_token(scene, 0, Side::queries, 0, ""), EditError);
    EXPECT_THROW(rename_token(scene, 0, Side::queries, 0, "a\nb"), EditError);
    EXPECT_THROW(rename_token(scene, 0, Side::queries, 0, "\xc2\x85"), EditError);
    EXPECT_THROW(rename_token(scene, 0, Side::queries, 0, "\xff"), EditError);
    EXPECT_THROW(rename_token(scene, 0, Side::queries, 0, "\xed\xa0\x80"), EditError);
    EXPECT_THROW(rename_token(scene, 0, Side::queries, 2, "c"), EditError);
    EXPECT_THROW(rename_token(scene, 1, Side::queries, 0, "c"), EditError);
    EXPECT_THROW(set_sentence(scene, 0, Side::queries, {}), EditError);
    EXPECT_EQ(scene, before);
    delete_token(scene, 0, Side::queries, 0);
    EXPECT_THROW(delete_token(scene, 0, Side::queries, 0), EditError);
}

// Returns what is blocked, as pairs of tokens that are all different.
std::set<std::pair<std::string, std::string>> blocked_pairs(const Scene& scene) {
    std::set<std::pair<std::string, std::string>> pairs;
    for (const MaskLayer& layer : layers_of(scene))
        for (const Cell& cell : layer.cells.value_or(std::vector<Cell>()))
            pairs.emplace(query_tokens(scene, 0)[cell.i], key_tokens(scene, 0)[cell.j]);
    return pairs;
}

// Returns the given scores by pairs of tokens, without zeros, which added tokens have.
std::map<std::pair<std::string, std::string>, double> numbers_of(const Scene& scene) {
    std::map<std::pair<std::string, std::string>, double> numbers;
    const Array& array = std::get<ScoresInputs>(scene.inputs).scores;
    std::size_t at = 0;
    for (const std::string& query : query_tokens(scene, 0))
        for (const std::string& key : key_tokens(scene, 0))
            if (const double x = (*array.values)[at++]) numbers[{query, key}] = x;
    return numbers;
}

template <class Pairs>
void forget(Pairs& pairs, const std::string& token) {
    std::erase_if(pairs, [&](const auto& entry) {
        if constexpr (requires { entry.first.first; })
            return entry.first.first == token || entry.first.second == token;
        else
            return entry.first == token || entry.second == token;
    });
}

TEST(Tokens, TakeTheirIndicesAndNumbersAlong) {
    for (unsigned seed = 0; seed < 100; ++seed) {
        SceneMaker make(seed);
        Scene scene = scene_of({{"a", "b", "c", "d", "e"}});
        scene.inputs = ScoresInputs{make.array({1, 1, 5, 5}), std::nullopt, 4};
        add_layer(scene, LayerKind::blocked).cells = {{0, 1}, {1, 3}, {4, 4}, {2, 0}};
        auto pairs = blocked_pairs(scene);
        auto numbers = numbers_of(scene);
        for (int k = 0; k < 12; ++k) {
            const Tokens& tokens = scene.sequences[0].queries;
            const auto n = Index(tokens.size());
            const Index at = make.below(n);
            const std::string token = tokens[at];
            if (make.chance()) {
                move_token(scene, 0, Side::queries, at, make.below(n));
            } else if (make.chance() || n == 1) {
                insert_token(scene, 0, Side::queries, make.below(n + 1), "new" + std::to_string(k));
            } else {
                delete_token(scene, 0, Side::queries, at);
                forget(pairs, token);
                forget(numbers, token);
            }
            ASSERT_EQ(blocked_pairs(scene), pairs);
            ASSERT_EQ(numbers_of(scene), numbers);
        }
        if (pairs.empty()) {
            EXPECT_TRUE(layers_of(scene).empty());
        }
    }
}

TEST(Tokens, OfCrossAttentionMoveOneAxis) {
    Scene scene = scene_of({{"a", "b"}});
    scene.sequences[0].keys = Tokens{"x", "y", "z"};
    add_layer(scene, LayerKind::blocked).cells = {{1, 2}};
    layers_of(scene);
    insert_token(scene, 0, Side::keys, 0, "w");
    EXPECT_EQ(layers_of(scene)[0].cells, (std::vector<Cell>{{1, 3}}));
    delete_token(scene, 0, Side::queries, 0);
    EXPECT_EQ(layers_of(scene)[0].cells, (std::vector<Cell>{{0, 3}}));
}

TEST(Documents, GrowShrinkAndGo) {
    Scene scene = scene_of({{"a", "b", "c", "d"}});
    add_layer(scene, LayerKind::documents).lengths = {2, 1, 1};
    insert_token(scene, 0, Side::queries, 1, "new");
    EXPECT_EQ(layers_of(scene)[0].lengths, (Indices{3, 1, 1}));
    delete_token(scene, 0, Side::queries, 3);
    EXPECT_EQ(layers_of(scene)[0].lengths, (Indices{3, 1}));
    move_token(scene, 0, Side::queries, 0, 1);  // within its document
    EXPECT_EQ(layers_of(scene)[0].lengths, (Indices{3, 1}));
    move_token(scene, 0, Side::queries, 0, 3);  // into the other document
    EXPECT_EQ(layers_of(scene)[0].lengths, (Indices{2, 2}));
    insert_token(scene, 0, Side::queries, 4, "end");
    EXPECT_EQ(layers_of(scene)[0].lengths, (Indices{2, 3}));
}

TEST(Documents, FollowTheKeysAndNeedOneForEachQuery) {
    Scene scene = scene_of({{"a", "b"}});
    scene.sequences[0].keys = Tokens{"x", "y"};
    add_layer(scene, LayerKind::documents).lengths = {1, 1};
    const Scene before = scene;
    EXPECT_THROW(insert_token(scene, 0, Side::queries, 0, "w"), EditError);
    EXPECT_EQ(scene, before);
    insert_token(scene, 0, Side::keys, 0, "w");
    EXPECT_EQ(layers_of(scene)[0].lengths, (Indices{2, 1}));
    delete_token(scene, 0, Side::keys, 0);
    EXPECT_EQ(layers_of(scene)[0].lengths, (Indices{1, 1}));
    move_token(scene, 0, Side::keys, 0, 1);  // into the other document
    EXPECT_EQ(layers_of(scene)[0].lengths, (Indices{2}));
}

TEST(Layers, OfKeysMoveWithThem) {
    Scene scene = scene_of({{"a", "b", "c", "d"}});
    add_layer(scene, LayerKind::groups).ids = {0, 0, -1, 3};
    add_layer(scene, LayerKind::global).tokens = {1};
    add_layer(scene, LayerKind::tree).parents = {-1, 0, 1, 1};
    const MaskLayer global = layers_of(scene)[1];
    add_layer(scene, LayerKind::any).layers = {global, MaskLayer()};
    insert_token(scene, 0, Side::queries, 1, "new");
    EXPECT_EQ(layers_of(scene)[0].ids, (Indices{0, -1, 0, -1, 3}));
    EXPECT_EQ(layers_of(scene)[1].tokens, (Indices{2}));
    EXPECT_EQ(layers_of(scene)[2].parents, (Indices{-1, 0, 0, 2, 2}));
    EXPECT_EQ(layers_of(scene)[3].layers[0].tokens, (Indices{2}));
    delete_token(scene, 0, Side::queries, 2);  // its children get its parent
    ASSERT_EQ(layers_of(scene).size(), 3U) << "a layer of one global token goes with it";
    EXPECT_EQ(layers_of(scene)[0].ids, (Indices{0, -1, -1, 3}));
    EXPECT_EQ(layers_of(scene)[1].parents, (Indices{-1, 0, 0, 0}));
    EXPECT_EQ(layers_of(scene)[2].layers.size(), 1U);
    move_token(scene, 0, Side::queries, 0, 3);  // a parent moves behind its children
    EXPECT_EQ(layers_of(scene)[1].parents, (Indices{-1, -1, -1, -1}));
}

TEST(Layers, ABiasFormulaStaysAValidOne) {
    Scene scene = scene_of({{"a", "b", "c"}});
    add_layer(scene, LayerKind::formula_bias).expression = "log(3 - j)";
    const Scene before = scene;
    EXPECT_THROW(insert_token(scene, 0, Side::queries, 1, "d");
                 insert_token(scene, 0, Side::queries, 1, "e"), EditError);
    EXPECT_EQ(shape_of(scene).n_q, 4) << "log 0 is −∞, which may be added; log(−1) may not";
    EXPECT_NE(scene, before);
}

TEST(Prefix, FollowsItsTokens) {
    Scene scene = scene_of({{"a", "b", "c"}});
    add_layer(scene, LayerKind::prefix).length = 2;
    insert_token(scene, 0, Side::queries, 2, "after");
    EXPECT_EQ(layers_of(scene)[0].length, 2);
    insert_token(scene, 0, Side::queries, 0, "in it");
    EXPECT_EQ(layers_of(scene)[0].length, 3);
    delete_token(scene, 0, Side::queries, 0);
    EXPECT_EQ(layers_of(scene)[0].length, 2);
}

// The sinks are the first positions, whichever tokens are there.
TEST(Sinks, StayWhereTheyAre) {
    Scene scene = scene_of({{"a", "b", "c"}});
    add_layer(scene, LayerKind::sinks).count = 1;
    insert_token(scene, 0, Side::queries, 0, "before");
    move_token(scene, 0, Side::queries, 0, 2);
    delete_token(scene, 0, Side::queries, 0);
    EXPECT_EQ(layers_of(scene)[0].count, 1);
    EXPECT_TRUE(is_allowed(scene, 0, 0, 0, {2, 0}));
    EXPECT_FALSE(is_allowed(scene, 0, 0, 0, {2, 1}));
}

TEST(Batch, IsAsLongAsItsLongestSequence) {
    Scene scene = scene_of({{"a", "b", "c"}, {"x"}});
    add_layer(scene, LayerKind::blocked).columns = {2};
    scene.inputs = ScoresInputs{SceneMaker(1).array({2, 1, 3, 3}), std::nullopt, 4};
    delete_token(scene, 0, Side::queries, 0);
    EXPECT_EQ(shape_of(scene).n_k, 2);
    EXPECT_EQ(layers_of(scene)[0].columns, (Indices{1}));
    EXPECT_EQ(std::get<ScoresInputs>(scene.inputs).scores.axes, (Indices{2, 1, 2, 2}));
    rename_token(scene, 1, Side::queries, 1, "y");  // padding at the end becomes a token
    EXPECT_EQ(scene.sequences[1].queries, (Tokens{"x", "y"}));
    toggle_pad(scene, 1, Side::queries, 1);
    EXPECT_EQ(scene.sequences[1].queries, (Tokens{"x", "<pad>"}));
    toggle_pad(scene, 1, Side::queries, 1);
    EXPECT_EQ(scene.sequences[1].queries, (Tokens{"x", "token"}));
    EXPECT_NO_THROW(check_scene(scene));
}

TEST(Batch, AnEditOfAShortSequenceLeavesTheLongOneAlone) {
    Scene scene = scene_of({{"a", "b", "c", "d"}, {"x", "y"}});
    scene.inputs = TensorsInputs{SceneMaker(1).array({2, 1, 4, 1}),
                                 SceneMaker(2).array({2, 1, 4, 1}), std::nullopt};
    const auto old = *std::get<TensorsInputs>(scene.inputs).keys.values;
    insert_token(scene, 1, Side::queries, 0, "w");
    const auto keys = *std::get<TensorsInputs>(scene.inputs).keys.values;
    EXPECT_EQ(keys,
              (std::vector<double>{old[0], old[1], old[2], old[3], 0, old[4], old[5], old[7]}));
}

TEST(GivenNumbers, KeepTheirLength) {
    Scene scene = scene_of({{"a", "b"}});
    scene.inputs = WeightsInputs{SceneMaker(1).array({2, 2}), std::nullopt};
    const Inputs before = scene.inputs;
    set_sentence(scene, 0, Side::queries, {"x", "y"});
    EXPECT_EQ(scene.inputs, before);
    EXPECT_THROW(set_sentence(scene, 0, Side::queries, {"x"}), EditError);
    use_embedding(scene);
    set_sentence(scene, 0, Side::queries, {"x"});
    EXPECT_NO_THROW(check_scene(scene));
}

TEST(GivenNumbers, OfAFileThatAreNotFiniteStayInTheFile) {
    Scene scene = scene_of({{"a", "b"}});
    Array scores = make_array({2, 2}, {0, std::numeric_limits<double>::quiet_NaN(), 1, 2});
    scores.file = "scores.npy";
    scene.inputs = ScoresInputs{scores, std::nullopt, 4};
    const Scene before = scene;
    EXPECT_THROW(delete_token(scene, 0, Side::queries, 0), EditError);
    EXPECT_EQ(scene, before);
    rename_token(scene, 0, Side::queries, 0, "c");
    EXPECT_EQ(std::get<ScoresInputs>(scene.inputs).scores.file, "scores.npy");
}

TEST(TypedSentence, KeepsTheIndicesOfWhatStays) {
    Scene scene = scene_of({{"My", "name", "is", "Luke"}});
    add_layer(scene, LayerKind::blocked).columns = {0, 3};
    set_sentence(scene, 0, Side::queries, {"My", "own", "first", "name", "is", "Luke"});
    EXPECT_EQ(layers_of(scene)[0].columns, (Indices{0, 5}));
    set_sentence(scene, 0, Side::queries, {"is", "Luke"});
    EXPECT_EQ(layers_of(scene)[0].columns, (Indices{1}));
}

// --- numbers that are typed

// Expects equal bits: rounding a number to float32 a second time does not change it.
void expect_same_weights(const Result& x, const Result& y) {
    for (std::size_t variant = 0; variant < x.variants.size(); ++variant)
        for (const StageKind stage : {StageKind::weights, StageKind::output})
            EXPECT_EQ(x.variants[variant].stage(stage).float32s(),
                      y.variants[variant].stage(stage).float32s());
}

TEST(TypedNumber, TurnsEmbeddingIntoTensorsThatAreTheSame) {
    Scene scene = scene_of({{"a", "b", "c"}});
    scene.variants[0].score.kind = ScoreKind::bilinear;
    scene.variants[0].output.kind = OutputKind::projected;
    const Scene before = scene;
    set_number(scene, Tensor::queries, 0, 0, 0, 0, 1.5);
    const auto& tensors = std::get<TensorsInputs>(scene.inputs);
    EXPECT_EQ((*tensors.queries.values)[0], 1.5);
    EXPECT_NO_THROW(check_scene(scene));
    // Typing the same number changes nothing.
    const Array queries = tensors.queries;
    set_number(scene, Tensor::queries, 0, 0, 0, 0, 0);
    Scene same = before;
    set_number(same, Tensor::keys, 0, 0, 0, 0, (*tensors.keys.values)[0]);
    expect_same_weights(computed(same), computed(before));
}

TEST(TypedScore, TurnsTheInputsIntoTheScoresThatWereShown) {
    Scene scene = scene_of({{"a", "b", "c"}});
    duplicate_variant(scene, 0);
    scene.variants[1].mask.apply = Apply::multiply_weights;
    const Result before = computed(scene);
    const double shown = before.variants[0].stage(StageKind::scores).at(0, 0, 1, 2);
    set_score(scene, before, 0, 0, {1, 2}, shown);
    EXPECT_EQ(std::get<ScoresInputs>(scene.inputs).d_k, 4);
    EXPECT_NO_THROW(check_scene(scene));
    expect_same_weights(computed(scene), before);
}

TEST(TypedScore, NeedsScoresThatAllVariantsShare) {
    Scene scene = scene_of({{"a", "b", "c"}});
    duplicate_variant(scene, 0);
    set(scene, 1, "score", &Score::kind, ScoreKind::gaussian);
    const Scene before = scene;
    EXPECT_THROW(set_score(scene, computed(scene), 0, 0, {0, 0}, 1), EditError);
    EXPECT_THROW(set_score(scene, computed(scene_of({{"z"}})), 0, 0, {0, 0}, 1), EditError);
    EXPECT_EQ(scene, before);
}

// --- variants

TEST(Variants, AreAddedWhereQueriesAndKeysHaveOtherWidths) {
    Scene scene;
    TensorsInputs inputs;
    inputs.queries = make_array({2, 2}, {1, 2, 3, 4});
    inputs.keys = make_array({2, 3}, {1, 2, 3, 4, 5, 6});
    scene.sequences = {{std::vector<std::string>{"a", "b"}, std::nullopt}};
    scene.inputs = inputs;
    scene.variants = {Variant{}};
    scene.variants[0].name = "bilinear";
    scene.variants[0].score.kind = ScoreKind::bilinear;
    check_scene(scene);
    add_variant(scene);
    check_scene(scene);
    EXPECT_EQ(scene.variants[1].score, scene.variants[0].score);
}

TEST(Variants, ThatGoLeaveTheVariantsThatAreShown) {
    Scene scene = scene_of({{"a", "b"}});
    duplicate_variant(scene, 0);
    add_variant(scene);
    scene.show = Show{};
    scene.show->variants = {0, 1, 2};
    scene.show->difference = Difference{2, 0};
    remove_variant(scene, 1);
    EXPECT_EQ(scene.show->variants, (std::vector<int>{0, 1}));
    EXPECT_EQ(scene.show->difference, (Difference{1, 0}));
    add_variant(scene);
    EXPECT_EQ(scene.show->variants, (std::vector<int>{0, 1, 2}));
    remove_variant(scene, 0);
    EXPECT_EQ(scene.show->difference, std::nullopt);
    remove_variant(scene, 0);
    // True if the message uses the window's word for a variant.
    const auto says_variant = [](const auto& edit) {
        try {
            edit();
        } catch (const EditError& error) {
            return std::string(error.what()).find(" variant") != std::string::npos;
        }
        return false;
    };
    EXPECT_TRUE(says_variant([&] { remove_variant(scene, 0); }));
    EXPECT_TRUE(says_variant([&] { rename_variant(scene, 0, ""); }));
    while (scene.variants.size() < 26) add_variant(scene);
    EXPECT_TRUE(says_variant([&] { add_variant(scene); }));
}

// --- clicks on the mask

TEST(MaskClick, GoesToTheLayerThatListsTheCell) {
    Scene scene = scene_of({{"a", "b", "c"}});
    add_layer(scene, LayerKind::causal);
    set_allowed(scene, {0}, 0, 0, {0, 2}, true);  // allows what causal blocks
    ASSERT_EQ(layers_of(scene).size(), 2U);
    EXPECT_EQ(layers_of(scene)[1].kind, LayerKind::allowed);
    set_allowed(scene, {0}, 0, 0, {0, 2}, false);
    EXPECT_EQ(layers_of(scene).size(), 1U);
    set_allowed(scene, {0}, 0, 0, {2, 0}, false);
    ASSERT_EQ(layers_of(scene).size(), 2U);
    EXPECT_EQ(layers_of(scene)[1].kind, LayerKind::blocked);
    set_allowed(scene, {0}, 0, 0, {2, 0}, true);
    EXPECT_EQ(layers_of(scene).size(), 1U);
}

TEST(MaskHeader, GivesBackWhatItBlocked) {
    Scene scene = scene_of({{"a", "b", "c"}});
    add_layer(scene, LayerKind::causal);
    const Scene before = scene;
    toggle_column(scene, {0}, 0, 0, 1);
    EXPECT_EQ(layers_of(scene)[1].columns, (Indices{1}));
    toggle_column(scene, {0}, 0, 0, 1);
    EXPECT_EQ(scene, before);
}

TEST(Layers, AreSensible) {
    for (const LayerRule& rule : layer_rules()) {
        Scene scene = scene_of({{"a", "b", "c"}});
        set_layer(scene, {0}, rule.kind, true);
        EXPECT_EQ(layers_of(scene).size(), 1U);
        EXPECT_NO_THROW(check_scene(scene));
        set_layer(scene, {0}, rule.kind, false);
        EXPECT_TRUE(layers_of(scene).empty());
    }
}

}  // namespace
}  // namespace maskscope
