// Makes random edits of random scenes: whatever is done, the scene stays valid and reads back.

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/edit/edit.h"
#include "core/format/scene_json.h"
#include "tests/support/set.h"
#include "tests/unit/core/edit/edit_scenes.h"

namespace maskscope {
namespace {

constexpr unsigned scenes_of_a_kind = 60;
constexpr int edits_of_a_scene = 25;

Side any_side(SceneMaker& make) { return make.chance() ? Side::queries : Side::keys; }

// Makes one edit, with arguments that may be a little out of range.
void edit_at_random(SceneMaker& make, Scene& scene) {
    const Shape s = shape_of(scene);
    const Side side = any_side(make);
    const Index b = make.below(s.b);
    const Index n = std::max(s.n_q, s.n_k) + 1;
    const std::vector<int> variants = {static_cast<int>(make.below(Index(scene.variants.size())))};
    const Index h = make.below(s.h);
    const Cell cell{make.below(n), make.below(n)};
    switch (make.below(18)) {
        case 0:
            return set_sentence(scene, b, side, split_sentence(make.token() + " " + make.token()));
        case 1:
            return rename_token(scene, b, side, make.below(n), make.token());
        case 2:
        case 3:
        case 4:
            return insert_token(scene, b, side, make.below(n + 1), make.token());
        case 5:
        case 6:
        case 7:
            return delete_token(scene, b, side, make.below(n));
        case 8:
        case 9:
            return move_token(scene, b, side, make.below(n), make.below(n));
        case 10:
            return toggle_pad(scene, b, side, make.below(n));
        case 11:
            return set_allowed(scene, variants, b, h, cell, make.chance());
        case 12:
            return make.chance() ? toggle_row(scene, variants, b, h, cell.i)
                                 : toggle_column(scene, variants, b, h, cell.j);
        case 13:
            return set_layer(
                scene, variants,
                layer_rules()[make.below(static_cast<Index>(layer_rules().size()))].kind,
                make.chance());
        case 14:
            return make.chance() ? add_variant(scene) : duplicate_variant(scene, variants.front());
        case 15:
            return remove_variant(scene, variants.front());
        case 16:
            if (make.below(8) == 0) use_embedding(scene);
            return;
        default:
            return make.chance()
                       ? set_number(scene, static_cast<Tensor>(make.below(3)), b, h, cell.i, 0, 1)
                       : set(scene, variants.front(), "score", &Score::kind,
                             static_cast<ScoreKind>(make.below(4)));
    }
}

class RandomEdits : public testing::TestWithParam<std::size_t> {};

TEST_P(RandomEdits, LeaveAValidSceneThatReadsBack) {
    for (unsigned seed = 0; seed < scenes_of_a_kind; ++seed) {
        SceneMaker make(seed * 7 + 1);
        Scene scene = make.scene_with(GetParam());
        ASSERT_NO_THROW(check_scene(scene)) << write_scene(scene);
        int done = 0;
        for (int k = 0; k < edits_of_a_scene; ++k) {
            const Scene before = scene;
            try {
                edit_at_random(make, scene);
                ++done;
            } catch (const EditError& error) {
                EXPECT_EQ(scene, before) << error.what();
            }
            if (scene == before) continue;
            try {
                check_scene(scene);
            } catch (const InputError& error) {
                FAIL() << error.place << ": " << error.what() << "\n"
                       << write_scene(before) << write_scene(scene);
            }
            ASSERT_EQ(read_scene(write_scene(scene), "."), scene) << write_scene(scene);
        }
        EXPECT_GT(done, 0);
    }
}

INSTANTIATE_TEST_SUITE_P(OfEveryKind, RandomEdits, testing::Range<std::size_t>(0, 6));

TEST(MaskClick, LeavesTheCellAsAsked) {
    for (unsigned seed = 0; seed < 400; ++seed) {
        SceneMaker make(seed);
        Scene scene = make.scene();
        const Shape s = shape_of(scene);
        std::vector<int> variants(scene.variants.size());
        for (std::size_t variant = 0; variant < variants.size(); ++variant)
            variants[variant] = static_cast<int>(variant);
        for (int k = 0; k < 8; ++k) {
            const Index b = make.below(s.b), h = make.below(s.h);
            const Cell cell{make.below(s.n_q), make.below(s.n_k)};
            const bool allow = make.chance();
            set_allowed(scene, variants, b, h, cell, allow);
            for (const int variant : variants)
                ASSERT_EQ(is_allowed(scene, variant, b, h, cell), allow) << seed << "\n"
                                                                         << write_scene(scene);
        }
        EXPECT_NO_THROW(check_scene(scene));
    }
}

// A click changes only the cell, in the head that is shown.
TEST(MaskClick, LeavesOtherCellsAlone) {
    for (unsigned seed = 0; seed < 300; ++seed) {
        SceneMaker make(seed);
        Scene scene = make.scene();
        const Shape s = shape_of(scene);
        const Scene before = scene;
        const Index b = make.below(s.b), h = make.below(s.h);
        const Cell cell{make.below(s.n_q), make.below(s.n_k)};
        set_allowed(scene, {0}, b, h, cell, !is_allowed(scene, 0, b, h, cell));
        for (Index i = 0; i < s.n_q; ++i)
            for (Index j = 0; j < s.n_k; ++j)
                if (i != cell.i || j != cell.j) {
                    ASSERT_EQ(is_allowed(scene, 0, b, h, {i, j}),
                              is_allowed(before, 0, b, h, {i, j}))
                        << write_scene(before) << write_scene(scene);
                }
    }
}

TEST(MaskHeader, BlocksOrAllowsTheLine) {
    for (unsigned seed = 0; seed < 400; ++seed) {
        SceneMaker make(seed);
        Scene scene = make.scene();
        const Shape s = shape_of(scene);
        const bool row = make.chance();
        const Index b = make.below(s.b), h = make.below(s.h);
        const Index at = make.below(row ? s.n_q : s.n_k);
        const auto allowed = [&] {
            int count = 0;
            for (Index k = 0; k < (row ? s.n_k : s.n_q); ++k)
                count += is_allowed(scene, 0, b, h, row ? Cell{at, k} : Cell{k, at}) ? 1 : 0;
            return count;
        };
        for (int k = 0; k < 3; ++k) {
            const int before = allowed();
            row ? toggle_row(scene, {0}, b, h, at) : toggle_column(scene, {0}, b, h, at);
            EXPECT_EQ(allowed() == 0, before > 0) << write_scene(scene);
        }
        EXPECT_NO_THROW(check_scene(scene));
    }
}

}  // namespace
}  // namespace maskscope
