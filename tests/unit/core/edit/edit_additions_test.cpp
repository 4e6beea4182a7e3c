// Tests what edits do to listed positions, lists for each sequence, tensors, references and scales.

#include <gtest/gtest.h>

#include "core/edit/edit.h"
#include "core/format/scene_json.h"
#include "tests/support/set.h"

namespace maskscope {
namespace {

using Indices = std::vector<Index>;

Scene scene_of(const std::string& sequences, const std::string& variants) {
    return read_scene(R"({"maskscope": 1, "sequences": )" + sequences +
                          R"(, "inputs": {"kind": "embedding", "seed": 1, "heads": 2, "d_k": 2,
                             "d_v": 2}, "variants": )" +
                          variants + "}",
                      std::filesystem::path());
}

const std::string cross_sentence = R"([{"queries": ["a", "b", "c"], "keys": ["x", "y"],
                               "positions": [0, 4, 8], "key_positions": [3, 5]}])";

TEST(Additions, IndicesOfReferencesFollowAVariantThatIsRemoved) {
    Scene scene =
        scene_of(cross_sentence, R"([{"name": "A", "reference": 2}, {"name": "B", "reference": 0},
                                      {"name": "C", "reference": 1}])");
    remove_variant(scene, 1);
    EXPECT_EQ(scene.variants[0].reference, 1);
    EXPECT_EQ(scene.variants[1].reference, std::nullopt) << "B is gone";
    check_scene(scene);
    remove_variant(scene, 1);
    EXPECT_EQ(scene.variants[0].reference, std::nullopt);
    check_scene(scene);
}

TEST(Additions, PositionsGoWithTheirToken) {
    Scene scene = scene_of(cross_sentence, R"([{"name": "A"}])");
    insert_token(scene, 0, Side::queries, 1, "new");
    EXPECT_EQ(*scene.sequences[0].positions, (Indices{0, 1, 4, 8}));
    move_token(scene, 0, Side::queries, 0, 3);
    EXPECT_EQ(*scene.sequences[0].positions, (Indices{1, 4, 8, 0}));
    delete_token(scene, 0, Side::keys, 0);
    EXPECT_EQ(*scene.sequences[0].key_positions, Indices{5});
    check_scene(scene);
    set_start(scene, 0, 2);
    EXPECT_TRUE(scene.sequences[0].positions->empty()) << "a start takes their place";
    check_scene(scene);
}

TEST(Additions, ListsOfOtherSequencesKeepTheirEntries) {
    Scene scene = scene_of(R"([{"queries": ["a", "b", "c"]}, {"queries": ["d", "e", "f"]}])",
                           R"([{"name": "A", "mask": {"layers": [
                               {"kind": "groups", "ids": [[0, 1, 2], [3, 4, 5]]},
                               {"kind": "documents", "lengths": [[1, 2], [2, 1]]}]}}])");
    insert_token(scene, 0, Side::queries, 1, "new");
    const std::vector<MaskLayer>& layers = scene.variants[0].mask.layers;
    EXPECT_EQ(layers[0].ids_each, (std::vector<Indices>{{0, -1, 1, 2}, {3, 4, 5, -1}}));
    EXPECT_EQ(layers[1].lengths_each, (std::vector<Indices>{{1, 3}, {2, 2}}));
    check_scene(scene);
}

TEST(Additions, ATensorMovesWithItsTokens) {
    Scene scene = scene_of(R"([{"queries": ["a", "b"]}])", R"([{"name": "A", "mask": {"layers": [
        {"kind": "tensor", "allowed": [[false, true], [false, false]]},
        {"kind": "bias", "tensor": [[[1, 2], [3, 4]], [[5, 6], [7, 8]]]}]}}])");
    insert_token(scene, 0, Side::queries, 0, "new");
    const auto tensor = [&](std::size_t k) { return *scene.variants[0].mask.layers[k].tensor; };
    EXPECT_EQ(tensor(0).values->float64s(), (std::vector<double>{1, 1, 1, 1, 0, 1, 1, 0, 0}));
    EXPECT_EQ(tensor(1).axes, (Indices{2, 3, 3}));
    check_scene(scene);
    set_heads(scene, 3);
    EXPECT_EQ(tensor(1).axes, (Indices{3, 3, 3}));
    EXPECT_EQ(tensor(1).values->float64s().back(), 8) << "the last head's again";
    check_scene(scene);
}

TEST(Additions, ASettingThatCannotBeIsRefused) {
    Scene scene = scene_of(cross_sentence, R"([
        {"name": "A", "mask": {"order": "queries_first"}},
        {"name": "B", "scale": {"formula": "-log(4 - n_q) * 1"}}])");
    EXPECT_THROW(set(scene, 0, "score", &Score::kind, ScoreKind::gaussian), EditError);
    EXPECT_THROW(set(scene, 1, "mask.order", &Mask::order, Order::queries_first), EditError);
    EXPECT_THROW(insert_token(scene, 0, Side::queries, 0, "new"), EditError) << "log 0";
    set(scene, 0, "mask.order", &Mask::order, Order::scale_then_mask);
    set(scene, 0, "mask.order", &Mask::order, Order::queries_first);
    check_scene(scene);
}

}  // namespace
}  // namespace maskscope
