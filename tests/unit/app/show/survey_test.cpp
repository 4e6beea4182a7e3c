// After a survey, a variant whose rows are computed when they are read looks like one that keeps
// them.

#include "app/show/cells/survey.h"

#include <gtest/gtest.h>

#include <cmath>

#include "app/show/bench/bench_survey.h"
#include "app/show/cells/cell_texels.h"
#include "core/compute/backend.h"
#include "core/cpu/cpu_backend.h"
#include "core/edit/edit.h"
#include "core/large/large_backend.h"
#include "tests/support/random_scene.h"
#include "tests/support/surveys.h"

namespace maskscope {
namespace {

Result computed_by(Backend&& backend, const Scene& scene, const Result* before = nullptr) {
    Progress progress;
    return backend.compute(scene, Request(), before, progress);
}

TEST(Survey, OfRandomVariantsShowsWhatKeptVariantsShow) {
    for (std::uint64_t seed = 0; seed < 200 && !HasFatalFailure(); ++seed) {
        const Scene scene = random_scene(seed);
        const Result kept = computed_by(CpuBackend(1), scene),
                     read = computed_by(LargeBackend(1, 0), scene);
        for (std::size_t variant = 0; variant < kept.variants.size(); ++variant) {
            SCOPED_TRACE(testing::Message() << "seed " << seed << " variant " << variant);
            expect_like_kept(read.variants[variant], kept.variants[variant]);
        }
    }
}

TEST(Survey, OfVariantsWithAReferenceShowsWhatKeptVariantsShow) {
    for (std::uint64_t seed = 0; seed < 60 && !HasFatalFailure(); ++seed) {
        Scene scene = random_scene(seed);
        if (scene.variants.size() < 2) continue;
        scene.variants[0].reference = 1;
        const Result kept = computed_by(CpuBackend(1), scene),
                     read = computed_by(LargeBackend(1, 0), scene);
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        VariantSurvey survey(read.variants[0], {StageKind::allowed, StageKind::weights}, 9, false,
                             two_threads(), reference_of(read, 0));
        see_all(survey);
        for (const StageKind stage : {StageKind::allowed, StageKind::weights})
            expect_like_kept(survey, source_of(kept, 0, stage), 2);
    }
}

Scene long_scene(Index n) {
    Scene scene;
    scene.sequences = {{std::vector<std::string>(std::size_t(n), "a"), std::nullopt}};
    scene.inputs = EmbeddingInputs{7, 1, 8, 4, 4};
    scene.variants.resize(1);
    scene.variants[0].mask.layers.emplace_back();  // causal
    scene.variants[0].mask.apply = Apply::multiply_weights;
    return scene;
}

// Expects that one place of each level, 2^level cells wide and high, shows the only leak in n x n
// cells. The mask blocks only that cell, too weakly.
void expect_one_leak_is_shown(Index n, Cell at, int first_level, int last_level) {
    Scene scene = long_scene(n);
    MaskLayer one;
    one.kind = LayerKind::blocked;
    one.cells = std::vector<Cell>{at};
    scene.variants[0].mask.layers = {one};
    scene.variants[0].mask.apply = Apply::additive;
    scene.variants[0].mask.value = {ValueKind::number, -1};
    const Result read = computed_by(LargeBackend(2, 0), scene);
    VariantSurvey survey(read.variants[0], {StageKind::weights}, 64 * 64, false, two_threads());
    see_all(survey);
    const SharedCells cells = cells_of(survey.source(StageKind::weights, 1), 0, 0);
    EXPECT_EQ(signs_of_any(*cells) & sign::leaks, sign::leaks);
    for (int level = first_level; level <= last_level; ++level) {
        const auto words = texels_of(*cells, places_of(*cells, level));
        const auto columns = static_cast<Index>(places_of(*cells, level).columns.size());
        for (Index k = 0; k < std::ssize(words); ++k) {
            const bool here = k / columns == at.i >> level && k % columns == at.j >> level;
            ASSERT_EQ((words[std::size_t(k)] & word::leaks) != 0, here) << level << " " << k;
        }
    }
}

TEST(Survey, NeverLosesOneLeakingCell) { expect_one_leak_is_shown(1000, {777, 13}, 4, 10); }

TEST(SurveyOfLargeScenes, NeverLosesOneLeakingCellOfABillion) {
    expect_one_leak_is_shown(32'768, {30'001, 12'345}, 9, 15);
}

// These blocks have so many cells that they are computed in parts.
TEST(Survey, OfManyKeysShowsWhatKeptVariantsShow) {
    Scene scene = long_scene(70);  // a block of 64 rows, and one of 6
    scene.sequences[0].keys = std::vector<std::string>(20'000, "b");
    const Result kept = computed_by(CpuBackend(2), scene),
                 read = computed_by(LargeBackend(2, 0), scene);
    VariantSurvey survey(read.variants[0], all_drawn, 9, false, two_threads());
    see_all(survey);
    for (const StageKind stage : all_drawn) {
        const SharedSource seen = survey.source(stage, 1), all = source_of(kept.variants[0], stage);
        ASSERT_EQ(seen->looks(0, 0), all->looks(0, 0));
        const SharedCells x = cells_of(seen, 0, 0), y = cells_of(all, 0, 0);
        for (const int level : {13, 14, 15})
            EXPECT_EQ(texels_of(*x, places_of(*x, level)), texels_of(*y, places_of(*y, level)));
    }
}

TEST(Survey, FillsRowsThatItHasNotSeenFromThoseAbove) {
    const Result read = computed_by(LargeBackend(2, 0), long_scene(1024));
    VariantSurvey survey(read.variants[0], {StageKind::weights}, 64 * 64, true, two_threads());
    Progress progress;
    const SharedCells blank = cells_of(survey.source(StageKind::weights, 0), 0, 0);
    texels_of(*blank, places_of(*blank, 0));
    EXPECT_FALSE(survey.is_asked());  // the pass over all rows comes first
    EXPECT_EQ(survey.seen(0), 0);
    for (int block = 0; block < 4; ++block) ASSERT_TRUE(survey.next(0, progress));
    EXPECT_EQ(survey.seen(0), 4.0 / 64);  // blocks of 16 rows: 0, 32, 16, 48
    const SharedSource source = survey.source(StageKind::weights, survey.seen(0));
    EXPECT_EQ(source->seen, 4.0 / 64);
    const auto& looks = source->looks(0, 0);
    EXPECT_EQ(looks[17], looks[0]);
    EXPECT_EQ(looks[300], looks[256]);
    EXPECT_NE(looks[256], looks[0]);
    const SharedCells cells = cells_of(source, 0, 0);
    const auto words = texels_of(*cells, places_of(*cells, 4));
    for (std::size_t k = 0; k < 64; ++k) EXPECT_EQ(words[64 + k], words[k]);
    // Then neighbouring blocks are computed together, without those that were computed before.
    ASSERT_TRUE(survey.next(0, progress));
    EXPECT_EQ(survey.seen(0), (4.0 + 15) / 64);
}

TEST(Survey, LooksCloserWhereAPictureAsks) {
    const Scene scene = long_scene(256);
    const Result kept = computed_by(CpuBackend(1), scene),
                 read = computed_by(LargeBackend(2, 0), scene);
    VariantSurvey survey(read.variants[0], {StageKind::weights}, 256, true, two_threads());
    see_all(survey);
    Progress progress;
    EXPECT_FALSE(survey.is_asked());
    CellPlaces places{0, {}, {}};
    for (Index i = 100; i < 130; ++i) places.rows.push_back({i, i + 1});
    for (Index j = 40; j < 90; ++j) places.columns.push_back({j, j + 1});
    const SharedCells coarse = cells_of(survey.source(StageKind::weights, 1), 0, 0);
    const SharedCells exact = cells_of(kept.variants[0], StageKind::weights, 0, 0);
    EXPECT_NE(texels_of(*coarse, places), texels_of(*exact, places));
    EXPECT_TRUE(survey.is_asked());
    const SharedSource meanwhile = survey.source(StageKind::weights, 1);
    EXPECT_TRUE(survey.is_asked());  // making another source meanwhile does not drop the request
    EXPECT_TRUE(survey.look_closer(progress));
    EXPECT_FALSE(survey.is_asked());
    const SharedCells closer = cells_of(survey.source(StageKind::weights, 1), 0, 0);
    EXPECT_EQ(texels_of(*closer, places), texels_of(*exact, places));
    EXPECT_FALSE(survey.is_asked());
}

// The output of all heads is one heatmap, whichever of them was seen.
TEST(Survey, LooksCloserAtAnOutputOfAllHeads) {
    Scene scene = long_scene(200);
    std::get<EmbeddingInputs>(scene.inputs).heads = 2;
    scene.variants[0].output.kind = OutputKind::projected;
    const Result kept = computed_by(CpuBackend(1), scene),
                 read = computed_by(LargeBackend(2, 0), scene);
    VariantSurvey survey(read.variants[0], {StageKind::output}, 256, true, two_threads());
    see_all(survey);
    Progress progress;
    const CellPlaces places{0, {{10, 11}, {11, 12}}, {{0, 1}, {1, 2}, {2, 3}}};
    const SharedCells coarse = cells_of(survey.source(StageKind::output, 1), 0, 1);
    texels_of(*coarse, places);
    EXPECT_TRUE(survey.look_closer(progress));
    const SharedCells closer = cells_of(survey.source(StageKind::output, 1), 0, 1);
    EXPECT_EQ(texels_of(*closer, places),
              texels_of(*cells_of(kept.variants[0], StageKind::output, 0, 1), places));
    EXPECT_FALSE(survey.is_asked());
}

// Areas that were zoomed into before an edit are computed first.
TEST(Survey, LooksFirstWhereThePicturesBeforeAnEditLooked) {
    Scene scene = long_scene(256);
    LargeBackend backend(2, 0);
    Progress progress;
    const Result before = backend.compute(scene, Request(), nullptr, progress);
    const std::vector<StageKind> stages = {StageKind::scaled, StageKind::weights};
    VariantSurvey old(before.variants[0], stages, 256, true, two_threads());
    old.next(0, progress);
    const CellPlaces places{0, {{100, 101}, {101, 102}}, {{7, 8}, {8, 9}, {9, 10}}};
    const SharedSource scaled = old.source(StageKind::scaled, 0.1),
                       weights = old.source(StageKind::weights, 0.1);
    for (const SharedSource& source : {scaled, weights}) texels_of(*cells_of(source, 0, 0), places);
    EXPECT_TRUE(old.look_closer(progress));
    scene.variants[0].scale = {ScaleKind::number, 0.3};
    const Result after = backend.compute(scene, Request(), &before, progress),
                 kept = computed_by(CpuBackend(1), scene);
    VariantSurvey survey(after.variants[0], stages, 256, true, two_threads());
    survey.look_where(old);
    EXPECT_TRUE(survey.look_closer(progress));
    EXPECT_FALSE(survey.look_closer(progress));
    survey.next(0, progress);
    for (const StageKind stage : stages)
        EXPECT_EQ(texels_of(*cells_of(survey.source(stage, 0.1), 0, 0), places),
                  texels_of(*cells_of(kept.variants[0], stage, 0, 0), places));
    EXPECT_FALSE(survey.is_asked());
}

// After zooming out again nothing is computed more closely, neither now nor after an edit.
TEST(Survey, LooksNoCloserThanThePictureThatIsDrawn) {
    Scene scene = long_scene(256);
    LargeBackend backend(2, 0);
    Progress progress;
    const Result before = backend.compute(scene, Request(), nullptr, progress);
    const std::vector<StageKind> stages = {StageKind::weights};
    VariantSurvey survey(before.variants[0], stages, 256, true, two_threads());
    see_all(survey);
    const CellPlaces near{0, {{100, 101}, {101, 102}}, {{7, 8}, {8, 9}, {9, 10}}};
    const auto draw = [&](const CellPlaces& places) {
        const SharedSource source = survey.source(StageKind::weights, 1);
        texels_of(*cells_of(source, 0, 0), places);
        return source;
    };
    const auto is_looked_at_after_an_edit = [&] {
        VariantSurvey edited(before.variants[0], stages, 256, true, two_threads());
        edited.look_where(survey);
        return edited.look_closer(progress);
    };
    SharedSource shown = draw(near);
    EXPECT_TRUE(survey.is_asked());
    const CellPlaces whole = places_of(*cells_of(shown, 0, 0), 4);
    shown = draw(whole);
    EXPECT_FALSE(survey.is_asked());
    EXPECT_FALSE(is_looked_at_after_an_edit());
    shown = draw(near);
    EXPECT_TRUE(survey.look_closer(progress));
    shown = draw(near);
    EXPECT_TRUE(is_looked_at_after_an_edit());
    shown = draw(whole);
    EXPECT_FALSE(is_looked_at_after_an_edit());
}

View view_of(const std::vector<StageKind>& stages) {
    View view;
    view.show.stages = stages;
    return view;
}

// Heads whose pictures are drawn are computed completely before others, of which there is a sample
// by then.
TEST(BenchSurvey, SeesTheHeadsInSightFirst) {
    Scene scene = long_scene(1024);
    std::get<EmbeddingInputs>(scene.inputs).heads = 5;
    const Result read = computed_by(LargeBackend(2, 0), scene);
    View view = view_of({StageKind::weights});
    view.show.view = ViewKind::heads;
    Progress progress;
    BenchSurvey survey(read, view, nullptr);
    Sources sources;
    const auto seen = [&](Index h) {
        const auto& slot = sources.at({0, StageKind::weights})->levels(0, h);
        const std::lock_guard lock(slot->mutex);
        return slot->surveyed != nullptr;
    };
    const auto share_of = [&](Index h) {
        Index known = 0;
        for (Index i = 0; i < 1024; ++i)
            known += read.variants[0].computed->known_figures(0, h, i).has_value() ? 1 : 0;
        return double(known) / 1024;
    };
    const auto draw = [&](const std::vector<Index>& in_sight) {
        sources = survey.sources();
        for (const Index h : in_sight) {
            const SharedCells cells = cells_of(sources.at({0, StageKind::weights}), 0, h);
            texels_of(*cells, places_of(*cells, 8));
        }
    };
    draw({3, 4});
    survey.go_on(std::chrono::milliseconds(0), progress);  // a block at a time
    draw({3, 4});
    EXPECT_TRUE(seen(3));
    EXPECT_FALSE(seen(0));
    const SharedSource& weights = sources.at({0, StageKind::weights});
    EXPECT_EQ(weights->looks(0, 3).size(), 1024U);
    EXPECT_TRUE(weights->looks(0, 0).empty()) << "no rows are kept for a head that was never shown";
    EXPECT_EQ(signs_of_row(*cells_of(weights, 0, 0), 5), 0);
    while (share_of(2) < 1.0 / 64) {
        ASSERT_TRUE(survey.go_on(std::chrono::milliseconds(0), progress));
        draw({3, 4});
    }
    for (const Index h : {0, 1, 2, 3, 4}) EXPECT_TRUE(seen(h)) << h;
    // From now on two of the five are computed completely before another gets more than its sample.
    double before = survey.seen();
    while (share_of(3) < 1 || share_of(4) < 1) {
        ASSERT_TRUE(survey.go_on(std::chrono::milliseconds(0), progress));
        EXPECT_GT(survey.seen(), before);
        before = survey.seen();
        draw({3, 4});
    }
    for (const Index h : {0, 1, 2}) EXPECT_LT(share_of(h), 0.1) << h;
    // After scrolling, others are visible.
    draw({1});
    while (share_of(1) < 1) {
        survey.go_on(std::chrono::milliseconds(0), progress);
        draw({1});
    }
    for (const Index h : {0, 2}) EXPECT_LT(share_of(h), 0.1) << h;
    while (survey.go_on(std::chrono::seconds(10), progress)) {}
    EXPECT_EQ(survey.seen(), 1);
}

// After a click on a mask cell only its row is computed again; everything else is still right.
TEST(BenchSurvey, SeesOnlyTheRowsOfAnEditedCellAgain) {
    Scene scene = long_scene(300);
    scene.variants[0].mask.apply = Apply::additive;
    LargeBackend backend(2, 0);
    Progress progress;
    const View view = view_of({StageKind::allowed, StageKind::weights});
    const Result before = backend.compute(scene, Request(), nullptr, progress);
    BenchSurvey first(before, view, nullptr, PictureSize{});
    while (first.go_on(std::chrono::seconds(10), progress)) {}
    EXPECT_EQ(first.seen(), 1);
    set_allowed(scene, {0}, 0, 0, {200, 100}, false);
    const Result after = backend.compute(scene, Request(), &before, progress);
    BenchSurvey second(after, view, &first, PictureSize{});
    EXPECT_GT(second.seen(), 0.99);
    EXPECT_LT(second.seen(), 1);
    while (second.go_on(std::chrono::seconds(10), progress)) {}
    BenchSurvey afresh(after, view, nullptr, PictureSize{});
    while (afresh.go_on(std::chrono::seconds(10), progress)) {}
    for (const StageKind stage : {StageKind::allowed, StageKind::weights}) {
        const SharedSource x = second.sources().at({0, stage}), y = afresh.sources().at({0, stage});
        EXPECT_EQ(x->looks(0, 0), y->looks(0, 0));
        const SharedCells p = cells_of(x, 0, 0), q = cells_of(y, 0, 0);
        EXPECT_EQ(texels_of(*p, places_of(*p, 0)), texels_of(*q, places_of(*q, 0)));
    }
    scene.variants[0].scale = {ScaleKind::number, 2};
    const Result other = backend.compute(scene, Request(), &after, progress);
    EXPECT_EQ(BenchSurvey(other, view, &second, PictureSize{}).seen(), 0);
}

TEST(BenchSurvey, MakesTheBenchOfAResultThatKeepsItsStages) {
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        SCOPED_TRACE(seed);
        const Scene scene = random_scene(seed);
        const Result kept = computed_by(CpuBackend(1), scene),
                     read = computed_by(LargeBackend(1, 0), scene);
        const View view = view_of({StageKind::allowed, StageKind::logits, StageKind::weights});
        BenchSurvey survey(read, view, nullptr, PictureSize{});
        Progress progress;
        while (survey.go_on(std::chrono::seconds(10), progress)) {}
        const Bench x = make_bench(read, view, survey.sources()), y = make_bench(kept, view);
        ASSERT_EQ(x.blocks.size(), y.blocks.size());
        for (std::size_t k = 0; k < x.blocks.size(); ++k) {
            ASSERT_EQ(x.blocks[k].variants.size(), y.blocks[k].variants.size());
            for (std::size_t variant = 0; variant < x.blocks[k].variants.size(); ++variant) {
                const auto &p = x.blocks[k].variants[variant].sums.rows,
                           &q = y.blocks[k].variants[variant].sums.rows;
                ASSERT_EQ(p.size(), q.size());
                for (std::size_t row = 0; row < p.size(); ++row) {
                    if (std::isnan(q[row].figures.sum)) {
                        EXPECT_TRUE(std::isnan(p[row].figures.sum));
                        continue;
                    }
                    EXPECT_EQ(p[row].figures.sum, q[row].figures.sum);
                }
            }
        }
        // Colours are based on the heads that were shown: here one.
        if (shape_of(scene).b * shape_of(scene).h == 1) {
            EXPECT_EQ(x.signs, y.signs);
        }
    }
}

// --- the layers before

Result with_layers(Backend&& backend, const Scene& scene) {
    Progress progress;
    auto layers = layers_before(scene, backend, nullptr, progress);
    Result result = backend.compute(scene, Request(), nullptr, progress);
    result.layers_before = std::move(layers);
    return result;
}

TEST(BenchSurvey, SeesTheWeightsOfEarlierLayersAsKeptOnes) {
    int layers = 0;
    for (std::uint64_t seed = 0; seed < 1000 && !testing::Test::HasFatalFailure(); ++seed) {
        const Scene scene = random_scene(seed);
        if (!std::holds_alternative<OutputInputs>(scene.inputs)) continue;
        SCOPED_TRACE(seed);
        const Result kept = with_layers(CpuBackend(1), scene),
                     read = with_layers(LargeBackend(1, 0), scene);
        const View view = view_of({StageKind::weights});
        Progress progress;
        const Sources sources = surveyed_sources(read, view, {}, progress);
        const Bench x = make_bench(read, view, sources), y = make_bench(kept, view);
        ASSERT_EQ(x.blocks.size(), y.blocks.size());
        for (std::size_t block = 0; block < x.blocks.size(); ++block)
            for (std::size_t k = 0; k < y.blocks[block].earlier.size(); ++k) {
                const BenchStage &p = x.blocks[block].earlier[k], &q = y.blocks[block].earlier[k];
                ASSERT_EQ(p.cells->source,
                          sources.at({foreign_variant - int(k), StageKind::weights}));
                EXPECT_EQ(p.note, q.note);
                EXPECT_EQ(p.title, q.title);
                ASSERT_EQ(p.cells->rows, q.cells->rows);
                for (Index i = 0; i < q.cells->rows; ++i) {
                    const CellRow own = row_of(*p.cells, i), other = row_of(*q.cells, i);
                    ASSERT_EQ(own.signs, other.signs) << "row " << i;
                    for (std::size_t j = 0; j < own.values.size(); ++j)
                        ASSERT_TRUE(own.values[j] == other.values[j] ||
                                    (std::isnan(own.values[j]) && std::isnan(other.values[j])));
                }
                EXPECT_EQ(signs_of_any(*p.cells), signs_of_any(*q.cells));
                const bool scaled = q.cells->source->numbers.is_float64();  // so are its texels
                for (int level = 0; level < 4 && !scaled; ++level)
                    EXPECT_EQ(texels_of(*p.cells, places_of(*p.cells, level)),
                              texels_of(*q.cells, places_of(*q.cells, level)));
                ++layers;
            }
    }
    EXPECT_GT(layers, 50);
}

TEST(BenchSurvey, TakesOverAnEarlierLayerThatAnEditDidNotChange) {
    Scene scene = long_scene(300);
    Variant first;
    first.mask.layers.emplace_back();
    scene.inputs = OutputInputs{SharedValue<LayerBefore>(LayerBefore{scene.inputs, first}), {}};
    Result before = with_layers(LargeBackend(2, 0), scene);
    const View view = view_of({StageKind::weights});
    Progress progress;
    BenchSurvey old(before, view, nullptr);
    EXPECT_TRUE(old.sources().contains({foreign_variant, StageKind::weights}));
    while (old.go_on(std::chrono::seconds(10), progress)) {}
    EXPECT_TRUE(old.is_of(before, view));
    scene.variants[0].scale = {ScaleKind::number, 0.3};
    LargeBackend backend(2, 0);
    Result after = backend.compute(scene, Request(), &before, progress);
    after.layers_before = before.layers_before;
    EXPECT_FALSE(old.is_of(after, view));
    const BenchSurvey seen(after, view, &old);
    EXPECT_EQ(seen.seen(), 0.5);  // the earlier layer is known, the variant is not
    after.layers_before.clear();
    EXPECT_FALSE(seen.is_of(after, view));
}

// --- the difference of two variants

View view_of_difference() {
    View view = view_of({StageKind::softmax, StageKind::weights, StageKind::output});
    view.show.difference = Difference{0, 1};
    return view;
}

void expect_equal_cells(const Cells& x, const Cells& y) {
    ASSERT_TRUE(x.difference && y.difference);
    ASSERT_EQ(x.rows, y.rows);
    ASSERT_EQ(x.columns, y.columns);
    for (Index i = 0; i < x.rows; ++i) {
        const CellRow p = row_of(x, i), q = row_of(y, i);
        ASSERT_EQ(p.signs, q.signs) << "row " << i;
        for (std::size_t j = 0; j < p.values.size(); ++j)
            ASSERT_TRUE(p.values[j] == q.values[j] || std::isnan(q.values[j])) << i << ", " << j;
    }
    EXPECT_EQ(largest_magnitude(x), largest_magnitude(y));
    EXPECT_EQ(signs_of_any(x), signs_of_any(y));
    for (int level = 0; level < 4; ++level)
        EXPECT_EQ(texels_of(x, places_of(x, level), 1), texels_of(y, places_of(y, level), 1));
}

// Expects surveyed differences to equal those of kept results: of two variants in the pipeline, or
// of two heads in the view of heads.
void expect_differences_like_kept(const View& view) {
    int compared = 0;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        SCOPED_TRACE(seed);
        const Scene scene = random_scene(seed);
        const Result kept = computed_by(CpuBackend(1), scene),
                     read = computed_by(LargeBackend(1, 0), scene);
        Progress progress;
        const Bench x = make_bench(read, view, surveyed_sources(read, view, {}, progress)),
                    y = make_bench(kept, view);
        ASSERT_EQ(x.blocks.size(), y.blocks.size());
        for (std::size_t k = 0; k < x.blocks.size(); ++k) {
            const BenchVariant &p = x.blocks[k].variants.back(), &q = y.blocks[k].variants.back();
            ASSERT_EQ(p.index, q.index);
            if (q.index != difference_variant) continue;  // one variant, or one head
            for (const BenchStage& stage : q.stages) {
                const auto same = std::ranges::find(p.stages, stage.stage, &BenchStage::stage);
                if (same == p.stages.end()) continue;  // softmax: equal by chance, not by the rules
                expect_equal_cells(*same->cells, *stage.cells);
                ++compared;
                if (testing::Test::HasFatalFailure()) return;
            }
        }
    }
    EXPECT_GT(compared, 100);
}

TEST(BenchSurvey, MakesTheDifferencesOfVariantsThatKeepTheirStages) {
    expect_differences_like_kept(view_of_difference());
}

TEST(BenchSurvey, MakesTheDifferencesOfHeadsOfVariantsThatKeepTheirStages) {
    for (const StageKind stage : {StageKind::logits, StageKind::weights}) {
        View view = view_of({stage});
        view.show.view = ViewKind::heads;
        view.picked = {1, 0};
        expect_differences_like_kept(view);
    }
}

TEST(BenchSurvey, SeesTheDifferenceOfTheHeadsThatArePicked) {
    Scene scene = long_scene(64);
    std::get<EmbeddingInputs>(scene.inputs).heads = 3;
    const Result read = computed_by(LargeBackend(2, 0), scene);
    View view = view_of({StageKind::weights});
    view.show.view = ViewKind::heads;
    view.picked = {0, 2};
    Progress progress;
    BenchSurvey first(read, view, nullptr, PictureSize{});
    while (first.go_on(std::chrono::seconds(10), progress)) {}
    EXPECT_EQ(first.seen(), 1);
    view.picked = {0, 1};
    EXPECT_FALSE(first.is_of(read, view));
    BenchSurvey second(read, view, &first, PictureSize{});
    EXPECT_LT(second.seen(), 1);  // the heads are known, their difference is not
    EXPECT_GT(second.seen(), 0.7);
}

TEST(BenchSurvey, KeepsADifferenceWhoseVariantsDidNotChange) {
    Scene scene = long_scene(300);
    scene.variants.push_back(scene.variants[0]);
    scene.variants[1].mask.apply = Apply::additive;
    LargeBackend backend(2, 0);
    Progress progress;
    View view = view_of_difference();
    const Result before = backend.compute(scene, Request(), nullptr, progress);
    BenchSurvey first(before, view, nullptr, PictureSize{});
    while (first.go_on(std::chrono::seconds(10), progress)) {}
    EXPECT_TRUE(first.is_of(before, view));
    EXPECT_EQ(BenchSurvey(before, view, &first, PictureSize{}).seen(), 1);
    set_allowed(scene, {0}, 0, 0, {200, 100}, false);  // in one of the two
    const Result after = backend.compute(scene, Request(), &before, progress);
    EXPECT_FALSE(first.is_of(after, view));
    BenchSurvey second(after, view, &first, PictureSize{});
    EXPECT_GT(second.seen(), 0.99);
    EXPECT_LT(second.seen(), 1);
    while (second.go_on(std::chrono::seconds(10), progress)) {}
    const Bench seen = make_bench(after, view, second.sources()),
                kept = make_bench(computed_by(CpuBackend(1), scene), view);
    expect_equal_cells(*seen.blocks[0].variants.back().stages.back().cells,
                       *kept.blocks[0].variants.back().stages.back().cells);
    view.show.difference = Difference{1, 0};
    EXPECT_FALSE(second.is_of(after, view));
    EXPECT_LT(BenchSurvey(after, view, &second, PictureSize{}).seen(), 1);
}

}  // namespace
}  // namespace maskscope
