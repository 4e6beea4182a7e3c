// Over random edits, incremental results equal those of a fresh computation, to the bit.

#include <gtest/gtest.h>

#include "core/attention/seeded.h"
#include "core/compute/plain.h"
#include "core/cpu/cpu_backend.h"
#include "core/edit/edit.h"
#include "core/format/scene_json.h"
#include "tests/golden/compare_results.h"
#include "tests/support/random_scene.h"

namespace maskscope::golden {
namespace {

// Makes one edit of a random kind, like those of the window.
class Editor {
public:
    explicit Editor(std::uint64_t seed) : stream_(seed, "edits") {}

    void edit(Scene& scene) {
        const Shape shape = shape_of(scene);
        const int index = int(below(Index(scene.variants.size())));
        Variant& variant = scene.variants[std::size_t(index)];
        const Cell cell{below(shape.n_q), below(shape.n_k)};
        switch (below(14)) {
            case 0:
            case 1:
            case 2:
                return set_allowed(scene, {index}, below(shape.b), below(shape.h), cell,
                                   below(2) == 0);
            case 3:
                return toggle_row(scene, {index}, below(shape.b), below(shape.h), cell.i);
            case 4:
                return toggle_column(scene, {index}, below(shape.b), below(shape.h), cell.j);
            case 5:
                return rename_token(scene, below(shape.b), Side::queries, cell.i, "new");
            case 6:
                return set_layer(scene, {index}, LayerKind::causal, below(2) == 0);
            case 7:
                return set_layer(scene, {index}, LayerKind::alibi, below(2) == 0);
            case 8:
                variant.scale = {ScaleKind::number, double(below(9)) / 4};
                return;
            case 9:
                variant.mask.apply = static_cast<Apply>(below(6));
                return;
            case 10:
                variant.empty_rows = static_cast<EmptyRows>(below(3));
                return;
            case 11:
                return rename_variant(scene, index, "another name");
            case 12:
                return below(2) == 0 ? duplicate_variant(scene, index)
                                     : remove_variant(scene, index);
            default:
                scene.title = "another title";
        }
    }

private:
    Index below(Index n) { return Index(stream_.next() % std::uint64_t(n)); }
    Stream stream_;
};

// Returns the scene after an edit, or unchanged if it cannot be made.
Scene edited(const Scene& scene, Editor& editor) {
    Scene after = scene;
    try {
        editor.edit(after);
        check_scene(after);
    } catch (const std::exception&) {
        return scene;
    }
    return after;
}

void expect_edits_as_fresh(Scene scene, std::uint64_t seed, int edits) {
    CpuBackend backend(2), fresh(1);
    Editor editor(seed);
    Result shown = computed(backend, scene);
    for (int k = 0; k < edits; ++k) {
        const Scene before = scene;
        scene = edited(scene, editor);
        shown = computed(backend, scene, &shown);
        const std::string found = first_other_bit(shown, computed(fresh, scene));
        ASSERT_EQ(found, "") << "seed " << seed << ", edit " << k << ", from\n"
                             << write_scene(before) << "to\n"
                             << write_scene(scene);
    }
}

TEST(CpuEdits, AreAsFreshOverRandomScenes) {
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
        expect_edits_as_fresh(random_scene(seed), seed, 12);
        if (testing::Test::HasFailure()) return;
    }
}

Scene sentence(Index n) {
    Scene scene;
    scene.sequences.resize(2);
    std::vector<std::string> words;
    for (Index k = 0; k < n; ++k) words.push_back("w" + std::to_string(k % 7));
    for (Sequence& sequence : scene.sequences) sequence.queries = words;
    scene.inputs = EmbeddingInputs{1, 3, 8, 4, 8};
    scene.variants.resize(2);
    scene.variants[0].name = "A";
    scene.variants[0].mask.layers.emplace_back();  // causal
    scene.variants[1] = scene.variants[0];
    scene.variants[1].output.kind = OutputKind::projected;
    return scene;
}

// With this many rows, a changed row is stored apart from the others.
TEST(CpuEdits, AreAsFreshWhereFewOfManyRowsChange) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        expect_edits_as_fresh(sentence(60), seed, 12);
        if (testing::Test::HasFailure()) return;
    }
}

TEST(CpuEdits, ACellOfTheMaskLeavesAllOtherRowsInPlace) {
    CpuBackend backend(1);
    Scene scene = sentence(40);
    const Result before = computed(backend, scene);
    set_allowed(scene, {0}, 0, 0, {20, 3}, false);
    const Result after = computed(backend, scene, &before);
    EXPECT_EQ(after.inputs, before.inputs);
    for (const StageKind kind : {StageKind::logits, StageKind::weights, StageKind::sensitivity}) {
        const Stage &x = before.variants[0].stage(kind), &y = after.variants[0].stage(kind);
        for (Index i = 0; i < 40; ++i)
            EXPECT_EQ(x.float32_row(1, 2, i).data() == y.float32_row(1, 2, i).data(), i != 20);
    }
    EXPECT_TRUE(before.variants[0]
                    .stage(StageKind::scores)
                    .shares(after.variants[0].stage(StageKind::scores)));
    for (const StageKind kind : {StageKind::scores, StageKind::weights, StageKind::output})
        EXPECT_TRUE(before.variants[1].stage(kind).shares(after.variants[1].stage(kind)));
}

// The reference implementation rounds differently, so its results are not mixed with others.
TEST(CpuEdits, NothingIsTakenFromAnotherBackend) {
    PlainBackend plain;
    CpuBackend backend(1), fresh(1);
    Scene scene = sentence(12);
    scene.inputs = EmbeddingInputs{1, 1, 33, 4, 8};
    scene.sequences.resize(1);
    computed(backend, scene);
    Progress progress;
    const Result before = plain.compute(scene, {}, nullptr, progress);
    EXPECT_EQ(first_other_bit(computed(backend, scene, &before), computed(fresh, scene)), "");
}

TEST(CpuEdits, EqualStagesOfTwoVariantsAreOne) {
    CpuBackend backend(1);
    Scene scene = sentence(10);
    scene.variants[1].mask.apply = Apply::multiply_weights;
    const Result result = computed(backend, scene);
    const VariantResult &x = result.variants[0], &y = result.variants[1];
    EXPECT_TRUE(x.stage(StageKind::scores).shares(y.stage(StageKind::scores)));
    EXPECT_TRUE(x.stage(StageKind::scaled).shares(y.stage(StageKind::scaled)));
    EXPECT_TRUE(x.stage(StageKind::softmax).shares(x.stage(StageKind::weights)));
    EXPECT_FALSE(y.stage(StageKind::softmax).shares(y.stage(StageKind::weights)));
    EXPECT_TRUE(y.stage(StageKind::scaled).shares(y.stage(StageKind::logits)));
}

}  // namespace
}  // namespace maskscope::golden
