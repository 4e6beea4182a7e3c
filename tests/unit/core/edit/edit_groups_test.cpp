// Tests edits of rules, groups and brackets, and of heads, softcaps and sinks: the scene stays
// valid, and reads back unchanged.

#include <gtest/gtest.h>

#include <random>

#include "core/attention/mask.h"
#include "core/edit/edit.h"
#include "core/format/scene_json.h"
#include "core/scene/mask_rules.h"
#include "core/scene/names.h"
#include "tests/support/random_scene.h"
#include "tests/support/set.h"

namespace maskscope {
namespace {

Scene six_tokens() {
    Scene scene;
    scene.sequences = {{{"a", "b", "c", "d", "e", "f"}, std::nullopt}};
    scene.inputs = EmbeddingInputs{.seed = 0, .heads = 4, .d_k = 4, .d_v = 4, .d_model = 8};
    Variant variant;
    variant.name = "A";
    scene.variants = {variant};
    return scene;
}

std::vector<MaskLayer>& layers_in(Scene& scene, std::size_t variant = 0) {
    return scene.variants[variant].mask.layers;
}

// Returns a scene with the mask (window or sinks) and causal.
Scene bracketed() {
    Scene scene = six_tokens();
    for (const LayerKind kind : {LayerKind::window, LayerKind::sinks, LayerKind::causal})
        add_layer(scene, {0}, {}, kind);
    group_layers(scene, {0}, {{0}, {1}}, LayerKind::any);
    return scene;
}

std::string error_of(const std::function<void()>& edit) {
    try {
        edit();
    } catch (const EditError& error) {
        return error.what();
    }
    return "";
}

Matrix allowed_in(const Scene& scene, std::size_t variant) {
    return allowed_cells(scene, scene.variants[variant].mask.layers, 0, 0).cast<double>();
}

TEST(Groups, AreMadeOfLayersOfOneList) {
    Scene scene = bracketed();
    ASSERT_EQ(layers_in(scene).size(), 2u);
    EXPECT_EQ(in_words(layers_in(scene)), "(window or sinks) and causal");
    EXPECT_FALSE(error_of([&] {
                     group_layers(scene, {0}, {{1}, {0, 1}}, LayerKind::all);
                 }).empty())
        << "of two lists";
    move_layer(scene, {0}, {0, 1}, {});
    EXPECT_EQ(in_words(layers_in(scene)), "window and causal and sinks");
    EXPECT_EQ(layers_in(scene)[0].layers.size(), 1u);
    move_layer(scene, {0}, {0, 0}, {});
    EXPECT_EQ(layers_in(scene).size(), 3u) << "an empty group is removed";
}

TEST(Groups, TakeTheHeadsOfTheirLayers) {
    Scene scene = bracketed();
    std::vector<MaskLayer> layers = layers_in(scene)[0].layers;
    for (MaskLayer& layer : layers) layer.heads = std::vector<Index>{1, 2};
    layers_in(scene) = layers;
    group_layers(scene, {0}, {{0}, {1}}, LayerKind::any);
    EXPECT_EQ(layers_in(scene)[0].heads, (std::vector<Index>{1, 2}));
    EXPECT_FALSE(layers_in(scene)[0].layers[0].heads);
    EXPECT_NO_THROW(check_scene(scene));
}

TEST(Brackets, MoveThereAndBack) {
    Scene scene = bracketed();
    move_bracket(scene, 0);
    ASSERT_EQ(scene.variants.size(), 2u);
    EXPECT_EQ(scene.variants[1].name, "window or (sinks and causal)");
    EXPECT_EQ(in_words(layers_in(scene, 1)), scene.variants[1].name);
    EXPECT_NE(allowed_in(scene, 0), allowed_in(scene, 1)) << "it is another mask";
    move_bracket(scene, 1);
    EXPECT_EQ(layers_in(scene, 2), layers_in(scene, 0));
    EXPECT_EQ(error_of([] {
                  Scene plain = six_tokens();
                  move_bracket(plain, 0);
              }),
              "Nothing to regroup. This needs a group next to another rule.");
}

TEST(LayerLists, SayWhatIsWrongAndChangeNothing) {
    Scene scene = six_tokens();
    for (const LayerKind kind :
         {LayerKind::groups, LayerKind::tree, LayerKind::global, LayerKind::documents})
        add_layer(scene, {0}, {}, kind);
    const Scene before = scene;
    const auto set = [&](std::size_t at, auto member, const auto& value) {
        return error_of([&] {
            MaskLayer layer = layers_in(scene)[at];
            layer.*member = value;
            replace_layer(scene, {0}, {at}, layer);
        });
    };
    using List = std::vector<Index>;
    EXPECT_EQ(set(0, &MaskLayer::ids, List{0, 0, 1}),
              "There are 6 keys, but 3 groups. Each key needs one.");
    EXPECT_EQ(set(1, &MaskLayer::parents, List{-1, 0, 3, 0, 0, 0}),
              "The parent of token 3 must come before it, so it cannot be token 4.");
    EXPECT_EQ(set(2, &MaskLayer::tokens, List{0, 6}),
              "There is no token 7. Tokens count from 1 to 6.");
    EXPECT_EQ(set(2, &MaskLayer::tokens, List{1, 1}), "A token is listed twice.");
    EXPECT_EQ(set(3, &MaskLayer::lengths, List{3, 2}),
              "The lengths sum to 5, but there are 6 keys.");
    EXPECT_EQ(scene, before);
    EXPECT_EQ(set(1, &MaskLayer::parents, List{-1, 0, 1, 1, 0, 4}), "");
    EXPECT_EQ(layers_in(scene)[1].parents, (List{-1, 0, 1, 1, 0, 4}));
}

TEST(Heads, TakeLayersSinksAndMatricesAlong) {
    Scene scene = six_tokens();
    MaskLayer some;
    some.heads = std::vector<Index>{1, 3};
    MaskLayer last = some;
    last.heads = std::vector<Index>{3};
    layers_in(scene) = {some, last};
    set_kv_heads(scene, 2);
    set_kv_map(scene, KvMap::tile);
    scene.variants[0].normalizer = Normalizer::softmax_sink;
    set(scene, 0, "normalizer.sink", &Variant::sink, std::vector<double>{0, 1, 2, 3});
    scene.variants[0].output = {OutputKind::projected,
                                make_array({16, 2}, std::vector<double>(32))};
    EXPECT_NO_THROW(check_scene(scene));
    set_heads(scene, 3);
    EXPECT_NO_THROW(check_scene(scene));
    ASSERT_EQ(layers_in(scene).size(), 1u);
    EXPECT_EQ(layers_in(scene)[0].heads, std::vector<Index>{1});
    EXPECT_EQ(std::get<std::vector<double>>(scene.variants[0].sink),
              (std::vector<double>{0, 1, 2}));
    EXPECT_EQ(kv_heads_of(scene.inputs), 3) << "2 do not divide 3";
    EXPECT_FALSE(scene.variants[0].output.w) << "it is seeded";
    EXPECT_EQ(read_scene(write_scene(scene), "."), scene);
}

TEST(Softcap, NeedsTheScaleBeforeTheMask) {
    Scene scene = six_tokens();
    set(scene, 0, "mask.order", &Mask::order, Order::mask_then_scale);
    EXPECT_FALSE(error_of([&] { set(scene, 0, "softcap", &Variant::softcap, Softcap{}); }).empty());
    set(scene, 0, "mask.order", &Mask::order, Order::scale_then_mask);
    set(scene, 0, "softcap", &Variant::softcap, Softcap{30, CapOrder::after_mask});
    EXPECT_FALSE(error_of([&] {
                     set(scene, 0, "mask.order", &Mask::order, Order::mask_then_scale);
                 }).empty());
    EXPECT_EQ(find_setting("softcap")->words(scene.variants[0]), "30, after the mask");
    EXPECT_NO_THROW(check_scene(scene));
}

// --- random edits

struct Hand {
    std::mt19937_64 random;
    Index below(Index n) { return static_cast<Index>(random() % static_cast<std::uint64_t>(n)); }
    LayerPath path() {
        LayerPath path{static_cast<std::size_t>(below(4))};
        while (below(3) == 0) path.push_back(static_cast<std::size_t>(below(3)));
        return path;
    }
    LayerPath group() { return below(2) == 0 ? LayerPath{} : path(); }
    LayerKind kind() {
        return layer_rules()[static_cast<std::size_t>(below(std::ssize(layer_rules())))].kind;
    }
};

void change_at_random(Hand& hand, Scene& scene, int variant) {
    switch (hand.below(12)) {
        case 0:
        case 1:
            return add_layer(scene, {variant}, hand.group(), hand.kind());
        case 2:
            return remove_layer(scene, {variant}, hand.path());
        case 3:
        case 4:
            return move_layer(scene, {variant}, hand.path(), hand.group());
        case 5:
            return group_layers(scene, {variant}, {hand.path(), hand.path()},
                                hand.below(2) == 0 ? LayerKind::any : LayerKind::all);
        case 6: {
            const LayerPath path = hand.path();
            const MaskLayer* found = find_layer(scene.variants[variant].mask.layers, path);
            if (!found) return;
            MaskLayer layer = *found;
            const bool opens = rule_of(layer.kind).opens && path.size() == 1;
            if (!is_bias(layer) && !opens) layer.invert = !layer.invert;
            if (layer.kind == LayerKind::chunked) layer.size = hand.below(4);
            if (layer.kind == LayerKind::global) layer.tokens = {hand.below(5)};
            return replace_layer(scene, {variant}, path, layer);
        }
        case 7:
            if (scene.variants.size() < 4) move_bracket(scene, variant);
            return;
        case 8:
            return set_heads(scene, hand.below(5));
        case 9:
            return hand.below(2) == 0 ? set_kv_heads(scene, hand.below(4))
                                      : set_kv_map(scene, KvMap::tile);
        case 10:
            return hand.below(2) == 0
                       ? set(scene, variant, "softcap", &Variant::softcap,
                             Softcap{static_cast<double>(hand.below(60))})
                       : set(scene, variant, "mask.order", &Mask::order, Order::mask_then_scale);
        default:
            return hand.below(2) == 0 ? set(scene, variant, "normalizer", &Variant::normalizer,
                                            static_cast<Normalizer>(hand.below(4)))
                                      : set_start(scene, 0, hand.below(4));
    }
}

TEST(RandomLayerEdits, LeaveAValidSceneThatReadsBack) {
    int done = 0, refused = 0;
    for (unsigned seed = 0; seed < 150; ++seed) {
        Scene scene = random_scene(seed);
        Hand hand{std::mt19937_64(seed)};
        for (int k = 0; k < 40; ++k) {
            const Scene before = scene;
            const int variant = static_cast<int>(hand.below(std::ssize(scene.variants)));
            try {
                change_at_random(hand, scene, variant);
                ++done;
            } catch (const EditError& error) {
                EXPECT_EQ(scene, before) << error.what();
                ++refused;
            }
            if (scene == before) continue;
            try {
                ASSERT_EQ(read_scene(write_scene(scene), "."), scene) << write_scene(scene);
            } catch (const InputError& error) {
                FAIL() << error.place << ": " << error.what() << "\n"
                       << write_scene(before) << write_scene(scene);
            }
        }
    }
    EXPECT_GT(done, 1000);
    EXPECT_GT(refused, 500);
}

}  // namespace
}  // namespace maskscope
