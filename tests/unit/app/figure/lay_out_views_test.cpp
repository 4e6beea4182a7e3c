#include "app/figure/plots/lay_out_view.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "app/figure/draw_cell.h"
#include "app/figure/layout/lay_out_parts.h"
#include "app/show/views/view_entry.h"
#include "app/style/labels.h"
#include "app/views/generation/generation_view.h"
#include "app/views/plane/plane_view.h"
#include "tests/unit/app/figure/overlap.h"
#include "tests/unit/app/show/view_scenes.h"

namespace maskscope {
namespace {

constexpr const char* scenes[] = {
    "plane-convex", "plane-alternative", "plane-projected", "plane-nan", "plane-crowd",
    "table",        "table-words",       "root-d",          "generation"};

struct ComputedView {
    Result result;
    View view;
    Bench bench;
};

// Computes each scene once, because Root d takes a second.
const ComputedView& made(const std::string& name) {
    static std::map<std::string, ComputedView> all;
    const auto [entry, is_new] = all.try_emplace(name);
    if (!is_new) return entry->second;
    const Scene scene = test::view_scene(name);
    ComputedView& m = entry->second;
    m.result = computed(scene);
    m.view = test::view_of(scene);
    m.bench.title = scene.title;
    Progress progress;
    m.bench.views = make_view_data(m.result, m.view, progress);
    return m;
}

Figure figure_of(const std::string& name, const LayoutOptions& options,
                 const std::optional<Cover>& cover = {}) {
    const ComputedView& m = made(name);
    View view = m.view;
    view.cover = cover;
    return lay_out_view(m.result, m.bench, view, options);
}

// Returns the rectangle of a text's letters, whose height is less than that of the line.
Rect ink_of(const Text& text) {
    double w = figure_text_width(text);
    if (text.max_width > 0) w = std::min(w, text.max_width);
    const double h = 0.9 * text.style.size;
    if (text.vertical) return {text.at.x - h / 2, text.at.y - w, h, w};
    const double left = text.anchor == Anchor::left ? 0 : text.anchor == Anchor::centre ? w / 2 : w;
    return {text.at.x - left, text.at.y - h / 2, w, h};
}

struct Space {
    double width, height, scale;
};

LayoutOptions options_of(const Space& space) {
    LayoutOptions options;
    options.width = space.width;
    options.height = space.height;
    options.scale = space.scale;
    return options;
}

class LayOutViews : public testing::TestWithParam<std::tuple<Space, const char*>> {};

// Runs for files, and for the space of the bench between the panels in windows of 1024 × 768 to
// 3840 × 2160.
INSTANTIATE_TEST_SUITE_P(
    Rooms, LayOutViews,
    testing::Combine(testing::Values(Space{0, 0, 1}, Space{700, 460, 1}, Space{600, 520, 1},
                                     Space{980, 700, 1}, Space{1300, 800, 1}, Space{2600, 1600, 2}),
                     testing::ValuesIn(scenes)));

TEST_P(LayOutViews, NoTextCoversAnotherOrLeavesTheFigure) {
    const auto [room, name] = GetParam();
    const Figure figure = figure_of(name, options_of(room));
    for (std::size_t k = 0; k < figure.texts.size(); ++k) {
        const Rect ink = ink_of(figure.texts[k]);
        const std::string& words = figure.texts[k].text;
        EXPECT_GE(figure.texts[k].style.size, 12 * room.scale) << words;
        EXPECT_GE(ink.x, -0.5) << words;
        EXPECT_LE(ink.right(), figure.width + 0.5) << words;
        EXPECT_LE(ink.bottom(), figure.height) << words;
        for (std::size_t other = 0; other < k; ++other)
            EXPECT_FALSE(overlap(ink, ink_of(figure.texts[other])))
                << words << " on " << figure.texts[other].text;
    }
}

TEST_P(LayOutViews, ShowsNothingWhileCovered) {
    const auto [room, name] = GetParam();
    const Figure figure = figure_of(name, options_of(room), Cover());
    EXPECT_TRUE(figure.heatmaps.empty());
    EXPECT_TRUE(figure.spots.empty());
    const auto says = [&](const std::string& part) {
        return std::ranges::any_of(figure.texts, [&](const Text& text) {
            return text.text.find(part) != std::string::npos;
        });
    };
    EXPECT_TRUE(says("?"));
    for (const char* part :
         {" of 5 outside", "NaN", "uniform", "theory", "A 64", "full pass", "pairs", "bytes"})
        EXPECT_FALSE(says(part)) << part;
}

// A figure shows no points of a variant that the cover names, and only the plot of that variant is
// covered.
TEST(LayOutViewsCover, OfAPlaneTheVariantsThatItNames) {
    const auto& plots = plane_of(made("plane-alternative").bench.views)->plots;
    ASSERT_GE(plots.size(), 2);
    const Figure figure = figure_of("plane-alternative", {}, Cover{{{plots.back().variant}}, {}});
    std::set<int> variants;
    for (const Spot& spot : figure.spots) variants.insert(spot.variant);
    EXPECT_TRUE(variants.contains(plots.front().variant));
    EXPECT_FALSE(variants.contains(plots.back().variant));
    EXPECT_EQ(std::ranges::count(figure.texts, "?", &Text::text), 1);
}

TEST(LayOutViewsCover, OfRootDTheCurvesAndMeasuresThatItNames) {
    // Each plot has a number for each variant at the marked width.
    const auto numbers = [](const Cover& cover, const std::string& letter) {
        const Figure figure = figure_of("root-d", {}, cover);
        return std::ranges::count_if(figure.texts, [&](const Text& text) {
            return text.text.starts_with(letter + " ") && std::isdigit(text.text.back()) != 0;
        });
    };
    EXPECT_EQ(numbers(Cover{{{1}}, {}}, "A"), 4);
    EXPECT_EQ(numbers(Cover{{{1}}, {}}, "B"), 0);
    EXPECT_EQ(numbers(Cover{{}, {{StageKind::sensitivity}}}, "A"), 3);
    EXPECT_EQ(numbers(Cover{{{0}}, {{StageKind::weights}}}, "A"), 2);
    EXPECT_EQ(numbers(Cover{{{0}}, {{StageKind::weights}}}, "B"), 4);
}

// The stages choose the plots if each stage has one; otherwise all plots are drawn.
TEST(LayOutRootD, StagesThatAllHaveAPlotChooseThePlots) {
    using enum StageKind;
    const auto plots = [](std::vector<StageKind> stages) {
        const ComputedView& m = made("root-d");
        View view = m.view;
        view.show.stages = std::move(stages);
        const Figure figure = lay_out_view(m.result, m.bench, view, {});
        std::vector<std::string> titles;
        for (const Text& text : figure.texts)
            for (const char* title :
                 {"Variance of q·k", "Largest weight", "Entropy", "Sensitivity"})
                if (text.text == title) titles.emplace_back(title);
        return titles;
    };
    using Titles = std::vector<std::string>;
    EXPECT_EQ(plots({scaled}), Titles{"Variance of q·k"});
    EXPECT_EQ(plots({weights}), (Titles{"Largest weight", "Entropy"}));
    EXPECT_EQ(plots({sensitivity}), Titles{"Sensitivity"});
    EXPECT_EQ(plots({scaled, weights, sensitivity}).size(), 4U);
    EXPECT_EQ(plots({scores, logits, weights}).size(), 4U) << "stages of the bench";
}

void expect_no_overlaps(const Figure& figure) {
    for (std::size_t k = 0; k < figure.texts.size(); ++k) {
        const Rect ink = ink_of(figure.texts[k]);
        const std::string& words = figure.texts[k].text;
        EXPECT_GE(figure.texts[k].style.size, 12 * figure.unit - 1e-9) << words;
        EXPECT_GE(ink.x, -0.5) << words;
        EXPECT_LE(ink.right(), figure.width + 0.5) << words;
        EXPECT_LE(ink.bottom(), figure.height + 0.5) << words;
        for (std::size_t other = 0; other < k; ++other)
            EXPECT_FALSE(overlap(ink, ink_of(figure.texts[other])))
                << words << " on " << figure.texts[other].text;
    }
}

// Returns the options for presenting, in the space that the caption leaves on a screen.
LayoutOptions hall(double width, double height, double screen) {
    LayoutOptions options;
    options.width = width;
    options.height = height;
    options.scale = screen / 384;
    options.with_title = options.with_legend = false;
    options.in_hall = true;
    return options;
}
const LayoutOptions halls[] = {hall(952, 430, 768), hall(952, 500, 768), hall(1506, 600, 1000),
                               hall(1819, 650, 1080), hall(3640, 1300, 2160)};

TEST(PresentedPlane, OneToEightPlotsStandWhereTheyAreLargest) {
    const PlaneView& one = *plane_of(made("plane-alternative").bench.views);
    for (const LayoutOptions& options : halls)
        for (std::size_t count = 1; count <= 8; ++count) {
            SCOPED_TRACE(count);
            PlaneView plane = one;
            plane.plots.clear();
            for (std::size_t k = 0; k < count; ++k) {
                plane.plots.push_back(one.plots[k % one.plots.size()]);
                plane.plots.back().title = "sentence " + std::to_string(k / 2 + 1);
            }
            const Figure figure = lay_out_plane(plane, {}, 0, "", options);
            expect_no_overlaps(figure);
            double height = 0, right = 0;
            std::size_t frames = 0;
            for (const Box& box : figure.boxes) {
                if (box.fill != Role::ground) continue;
                ++frames;
                height = std::max(height, box.rect.h);
                right = std::max(right, box.rect.right());
                EXPECT_LE(box.rect.bottom(), options.height + 0.5);
            }
            EXPECT_EQ(frames, count);
            EXPECT_LE(right, options.width + 0.5);
            if (count == 4 && options.width > 2.3 * options.height) {
                EXPECT_GT(height, 0.4 * options.height) << "two rows of two";
            }
        }
}

TEST(PresentedViews, NoTextCoversAnother) {
    for (const LayoutOptions& options : halls)
        for (const char* name :
             {"plane-convex", "plane-alternative", "plane-projected", "root-d", "generation"}) {
            SCOPED_TRACE(name);
            expect_no_overlaps(figure_of(name, options));
        }
}

TEST(PresentedRootD, OnANarrowScreenPlotsStandTwoByTwoWithEveryNumber) {
    const Figure figure = figure_of("root-d", hall(952, 540, 768));
    ASSERT_EQ(figure.spots.size(), 4U);
    EXPECT_EQ(figure.spots[0].rect.y, figure.spots[1].rect.y);
    EXPECT_EQ(figure.spots[0].rect.x, figure.spots[2].rect.x);
    EXPECT_GT(figure.spots[0].rect.w, 0.3 * figure.width);
    for (const char* variant : {"A ", "B "})
        EXPECT_EQ(
            std::ranges::count_if(figure.texts,
                                  [&](const Text& text) { return text.text.starts_with(variant); }),
            4)
            << variant;
}

TEST(LayOutPlane, AllPlotsHaveOneScaleAndShowTheOrigin) {
    const Figure figure = figure_of("plane-alternative", {});
    // The origin's dot is the first of each plot; the plots are equally large.
    std::vector<Point> origins;
    std::vector<Rect> plots;
    for (const Dot& dot : figure.dots)
        if (dot.role == Role::dim && dot.radius == 3) origins.push_back(dot.at);
    for (const Box& box : figure.boxes)
        if (box.outlined && !box.filled) plots.push_back(box.rect);
    ASSERT_EQ(origins.size(), 3U);
    ASSERT_EQ(plots.size(), 3U);
    for (std::size_t k = 0; k < 3; ++k) {
        EXPECT_TRUE(plots[k].contains(origins[k]));
        EXPECT_NEAR(origins[k].x - plots[k].x, origins[0].x - plots[0].x, 1);  // whole pixels
        EXPECT_NEAR(origins[k].y, origins[0].y, 1e-9);
    }
}

TEST(LayOutPlane, OutsideIsHollowWithALineInWrong) {
    const Figure figure = figure_of("plane-convex", {});
    const auto hollow = std::ranges::count_if(figure.dots, [](const Dot& dot) {
        return !dot.filled && dot.role == variant_role(1) && dot.radius > 5;
    });
    const auto ways = std::ranges::count_if(
        figure.strokes, [](const Stroke& stroke) { return stroke.role == Role::wrong; });
    EXPECT_EQ(hollow, 3);
    EXPECT_EQ(ways, 3 + 1);  // and one in the legend
}

TEST(LayOutPlane, ThePointedRowShowsItsHull) {
    LayoutOptions options;
    Spot spot;
    spot.row = 1;
    options.spot = spot;
    const auto words = [](const Figure& figure) {
        return std::ranges::any_of(
            figure.texts, [](const Text& text) { return text.text.starts_with("“My” at"); });
    };
    EXPECT_FALSE(words(figure_of("plane-convex", {})));
    EXPECT_TRUE(words(figure_of("plane-convex", options)));
}

TEST(LayOutTable, HasAnEntryForEachValueAndDtype) {
    const Figure figure = figure_of("table", {});
    EXPECT_EQ(figure.spots.size(), 32U);
    EXPECT_EQ(figure.heatmaps.size(), 36U);  // with the four rows without a mask
    for (const Heatmap& map : figure.heatmaps) EXPECT_GE(map.number_size, 12);
}

TEST(LayOutTable, TokensExtendOverTheRoomBesideThem) {
    for (const double width : {560.0, 600.0, 640.0, 700.0}) {
        LayoutOptions options;
        options.width = width;
        options.height = 620;
        const Figure figure = figure_of("table", options);
        for (const Text& text : figure.texts)
            if (text.text == "<sos>") {
                EXPECT_FALSE(is_cut(text)) << width;
            }
    }
}

// While presenting on 1024 × 768 pixels, a figure has 512 × 320 points, and there are no scroll
// bars.
TEST(LayOutTable, InLittleSpaceOnlyNamesAreShown) {
    LayoutOptions options;
    options.width = 1024;
    options.height = 640;
    options.scale = 2;
    const Figure figure = figure_of("table", options);
    EXPECT_EQ(figure.spots.size(), 32U);
    EXPECT_TRUE(figure.heatmaps.empty());
    EXPECT_EQ(std::ranges::count_if(figure.texts, [](const Text& t) { return t.text == "NaN"; }),
              14);
}

TEST(LayOutTable, WhereCellsAreNarrowTheNumbersStandBelow) {
    LayoutOptions options;
    options.width = 600;
    options.height = 540;
    const Figure figure = figure_of("table", options);
    EXPECT_EQ(figure.heatmaps[0].number_size, 0);
    EXPECT_TRUE(std::ranges::any_of(figure.texts, [](const Text& t) { return t.text == ".25"; }));
    options.width = 500;  // now without tokens above the numbers
    EXPECT_TRUE(std::ranges::any_of(figure_of("table", options).texts,
                                    [](const Text& t) { return t.text == ".25  .25  .25  .25"; }));
}

TEST(LayOutRootD, TheMarkedWidthStandsWhereItsAxisHasIt) {
    const Figure figure = figure_of("root-d", {});
    ASSERT_EQ(figure.spots.size(), 4U);
    const Rect& axis = figure.spots[0].rect;
    const auto handle =
        std::ranges::find_if(figure.dots, [](const Dot& dot) { return dot.role == Role::ink; });
    ASSERT_NE(handle, figure.dots.end());
    EXPECT_NEAR((handle->at.x - axis.x) / axis.w, 0.6, 1e-9);  // log 64 / log 1024
    for (const double off : {-4.0, 0.0, 4.0})                  // all of the knob can be grabbed
        EXPECT_NE(spot_at(figure.spots, {handle->at.x, handle->at.y + off}), nullptr) << off;
    EXPECT_TRUE(std::ranges::any_of(figure.texts,
                                    [](const Text& text) { return text.text == "theory 64"; }));
}

TEST(LayOutView, SaysIfItIsNotReadyYet) {
    const Scene scene = test::view_scene("root-d");
    const Result result = computed(scene);
    const Figure figure = lay_out_view(result, {}, test::view_of(scene), {});
    ASSERT_FALSE(figure.texts.empty());
    EXPECT_TRUE(figure.texts[0].text.starts_with("Sampling 1,024 random queries"));
}

// Returns a variant's heatmaps of weights: that of the full pass, then those of its finished rows.
std::vector<Heatmap> weights_of(const Figure& figure, int variant) {
    std::vector<Heatmap> maps;
    for (const Heatmap& map : figure.heatmaps)
        if (map.cells->stage == StageKind::weights && map.variant == variant) maps.push_back(map);
    return maps;
}

Figure generation_at(Index t, const LayoutOptions& options) {
    const ComputedView& m = made("generation");
    return lay_out_generation(*generation_of(m.bench.views), m.bench, m.view, t, options);
}

// The chosen row may be one of an earlier text, which was longer.
TEST(LayOutGeneration, ARowThatIsNotThereIsTheLast) {
    const Figure last = generation_at(5, {}), beyond = generation_at(6, {});
    EXPECT_EQ(beyond.texts.size(), last.texts.size());
    EXPECT_EQ(weights_of(beyond, 0).size(), weights_of(last, 0).size());
}

TEST(LayOutGeneration, ARowAStepIsComputedAndCached) {
    for (const Space& space : {Space{0, 0, 1}, Space{980, 700, 1}})
        for (const Index t : {0, 3, 5}) {
            SCOPED_TRACE(t);
            const Figure figure = generation_at(t, options_of(space));
            for (const int variant : {0, 1}) {
                const std::vector<Heatmap> maps = weights_of(figure, variant);
                ASSERT_EQ(std::ssize(maps), 1 + t + 1);
                EXPECT_EQ(maps[0].cells->rows, 6);
                for (Index i = 0; i <= t; ++i) {
                    EXPECT_EQ(maps[i + 1].cells->columns, i + 1);
                    EXPECT_EQ(maps[i + 1].rect.y, cell_rect(maps[0], i, 0).y) << "level";
                    EXPECT_EQ(maps[i + 1].number_size, maps[0].number_size);
                }
            }
            const auto is_cache = [](const Heatmap& map) {
                return map.cells->stage == StageKind::output;
            };
            EXPECT_EQ(std::ranges::count_if(figure.heatmaps, is_cache), 4) << "K and V of two";
            for (const Heatmap& map : figure.heatmaps)
                if (is_cache(map)) {
                    EXPECT_EQ(seen_cells(map).end.i, t + 1);
                    EXPECT_NEAR(cell_rect(map, 1, 0).h, cell_rect(figure.heatmaps[0], 1, 0).h,
                                0.01);
                }
            const auto is_empty = [](const Box& box) { return box.outlined && !box.filled; };
            EXPECT_EQ(std::ranges::count_if(figure.boxes, is_empty), (2 + 4) * (5 - t));
        }
}

TEST(LayOutGeneration, SteppingMovesNothing) {
    for (const LayoutOptions& options : {options_of({700, 460, 1}), halls[0], halls[3]}) {
        const Figure first = generation_at(0, options), last = generation_at(5, options);
        for (const int variant : {0, 1})
            EXPECT_EQ(weights_of(first, variant)[1].rect, weights_of(last, variant)[1].rect);
        EXPECT_EQ(first.height, last.height);
    }
}

TEST(LayOutGeneration, RowsSayWhetherTheyMatchTheFullPass) {
    const auto count = [](const Figure& figure, const std::string& start) {
        return std::ranges::count_if(
            figure.texts, [&](const Text& text) { return text.text.starts_with(start); });
    };
    const Figure figure = generation_at(3, {});
    EXPECT_EQ(count(figure, "matches"), 4 + 1);
    EXPECT_EQ(count(figure, "differs by 0."), 3);
    EXPECT_EQ(count(figure, "Query–key pairs: 15 of 36"), 1);
    EXPECT_EQ(count(figure, "KV cache: 4 tokens × 2 heads × (4 + 2)"), 2);
}

TEST(LayOutGeneration, ManyTokensFitWhilePresenting) {
    Scene scene = test::view_scene("generation");
    scene.sequences[0].queries.edit([](auto& tokens) {
        for (int k = 6; k < 64; ++k) tokens.push_back("token" + std::to_string(k));
    });
    const Result result = computed(scene);
    Bench bench;
    Progress progress;
    bench.views = make_view_data(result, test::view_of(scene), progress);
    for (const LayoutOptions& options : halls) {
        const Figure figure = lay_out_view(result, bench, test::view_of(scene), options);
        for (const Heatmap& map : figure.heatmaps) {
            EXPECT_LE(map.rect.right(), options.width + 0.5);
            EXPECT_LE(map.rect.bottom(), options.height + 0.5);
        }
        expect_no_overlaps(figure);
    }
}

TEST(LayOutGeneration, SaysWhyNotInstead) {
    Scene scene = test::view_scene("generation");
    scene.sequences[0].queries.edit([](auto& tokens) { tokens.resize(2); });
    scene.sequences[0].keys = {{"one", "two"}};
    const Result result = computed(scene);
    Bench bench;
    Progress progress;
    bench.views = make_view_data(result, test::view_of(scene), progress);
    const Figure figure = lay_out_view(result, bench, test::view_of(scene), {});
    ASSERT_FALSE(figure.texts.empty());
    EXPECT_TRUE(figure.texts[0].text.starts_with("Queries and keys are different tokens"));
}

TEST(Views, ATabForEachViewThatTheSceneHas) {
    using enum ViewKind;
    EXPECT_EQ(views_of(test::view_scene("plane-projected")),
              (std::vector{pipeline, heads, plane, table, root_d, generation, frameworks}));
    EXPECT_EQ(views_of(test::view_scene("table")),
              (std::vector{pipeline, table, root_d, frameworks}));
    Scene weights = test::view_scene("table");
    weights.inputs = WeightsInputs{make_array({1, 4}, {0.25, 0.25, 0.25, 0.25}), {}};
    weights.variants[0].mask.apply = Apply::none;
    EXPECT_EQ(views_of(weights), std::vector{pipeline});
    View view;
    view.show.view = plane;
    EXPECT_EQ(shown_view(view, weights), pipeline);
}

// If cells are too narrow for their numbers, the numbers are below them.
TEST(ValueTables, NumbersStandUnderTheirTokens) {
    LayoutOptions options;
    const double keys = double(made("table").result.variants[0].shape.n_k);
    options.width = 96 + 4 * (30 * keys + 22);  // cells of 30 points each
    options.height = 700;
    const Figure figure = figure_of("table", options);
    int below = 0;
    for (const Heatmap& map : figure.heatmaps) {
        ASSERT_EQ(map.number_size, 0);
        const double cell = map.rect.w / double(map.cells->columns);
        for (Index j = 0; j < map.cells->columns; ++j) {
            const double middle = map.rect.x + (double(j) + 0.5) * cell;
            below += std::ranges::any_of(figure.texts, [&](const Text& text) {
                return text.anchor == Anchor::centre && std::abs(text.at.x - middle) < 1e-9 &&
                       text.at.y > map.rect.bottom() && text.at.y < map.rect.bottom() + 20;
            });
        }
        below -= int(map.cells->columns);
    }
    EXPECT_GT(figure.heatmaps.size(), 30U);
    EXPECT_EQ(below, 0);
}

}  // namespace
}  // namespace maskscope
