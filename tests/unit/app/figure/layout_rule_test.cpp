// Tests the rule of the layout over random scenes, windows and scales: everything that is requested
// is drawn, in squares of one size within limits, and nothing moves by itself.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "app/figure/layout/lay_out_parts.h"
#include "app/figure/layout/scroll.h"
#include "app/figure/style.h"
#include "app/style/labels.h"
#include "tests/support/computed.h"
#include "tests/support/random_scene.h"
#include "tests/unit/app/figure/figure_room.h"
#include "tests/unit/app/figure/overlap.h"
#include "tests/unit/app/show/sentence.h"

namespace maskscope {
namespace {

constexpr double rounding = 1;  // pixels: places are whole ones

struct WindowSize {
    double width, height;
};
constexpr WindowSize windows[] = {{800, 600}, {1366, 768}, {1920, 1080}, {3840, 2160}};

std::size_t stages_of(const Bench& bench) {
    std::size_t count = 0;
    each_stage(bench, [&](const BenchStage&) { ++count; });
    return count;
}

LayoutOptions options_of(const WindowSize& window, double scale, bool in_hall) {
    return options_in(
        {"", window.width, window.height, in_hall ? window.height / 384 : scale, in_hall});
}

Index tokens_of(const Bench& bench) {
    Index most = 0;
    each_stage(bench, [&](const BenchStage& stage) {
        most = std::max(
            {most, stage.cells->rows, stage.stage == StageKind::output ? 0 : stage.cells->columns});
    });
    return most;
}

void expect_squares(const Figure& figure) {
    for (const Heatmap& map : figure.heatmaps) {
        EXPECT_NEAR(map.rect.h, figure.cell * double(map.cells->rows), rounding);
        if (map.cells->stage == StageKind::output)
            EXPECT_LE(map.rect.w, 8 * figure.cell + rounding);
        else
            EXPECT_NEAR(map.rect.w, figure.cell * double(map.cells->columns), rounding);
    }
}

void expect_disjoint(const Figure& figure) {
    for (std::size_t k = 0; k < figure.heatmaps.size(); ++k) {
        const Rect& rect = figure.heatmaps[k].rect;
        EXPECT_LE(rect.right(), figure.width + rounding);
        EXPECT_LE(rect.bottom(), figure.height + rounding);
        for (std::size_t other = 0; other < k; ++other)
            EXPECT_FALSE(overlap(rect, figure.heatmaps[other].rect)) << k << " on " << other;
        for (const SumBar& bar : figure.sums) EXPECT_FALSE(overlap(bar.rect, rect));
    }
}

class LayoutRule : public testing::TestWithParam<std::uint64_t> {
protected:
    LayoutRule() : result(computed(random_scene(GetParam()))) {
        if (result.scene.show) view.show = *result.scene.show;
        view.show.view.reset();
        bench = make_bench(result, view);
    }

    template <class Visit>
    void in_each_window(const Visit& visit) {
        for (const WindowSize& window : windows)
            for (const double scale : {1.0, 1.5, 3.0})
                for (const bool in_hall : {false, true}) {
                    if (in_hall && scale > 1) continue;  // there, the screen sets the scale
                    SCOPED_TRACE(testing::Message()
                                 << window.width << " × " << window.height << " at " << scale
                                 << (in_hall ? ", hall" : ""));
                    visit(options_of(window, scale, in_hall));
                }
    }

    Result result;
    View view;
    Bench bench;
};

INSTANTIATE_TEST_SUITE_P(Seeds, LayoutRule, testing::Range<std::uint64_t>(0, 40));

TEST_P(LayoutRule, EveryStageIsDrawnInSquaresOfOneSizeAndNoTwoOverlap) {
    in_each_window([&](const LayoutOptions& options) {
        const Figure figure = lay_out(bench, options);
        EXPECT_EQ(figure.heatmaps.size(), stages_of(bench));
        expect_squares(figure);
        expect_disjoint(figure);
    });
}

TEST_P(LayoutRule, TheCellIsWithinItsLimits) {
    in_each_window([&](const LayoutOptions& options) {
        const double points = lay_out(bench, options).cell / options.scale;
        const double least = tokens_of(bench) > 40 ? 0 : options.in_hall ? 384.0 / 16 : 36;
        EXPECT_GE(points, least - 1e-9);
        EXPECT_LE(points, options.in_hall ? 384.0 / 9 : 64);
    });
}

TEST_P(LayoutRule, ALargerBenchHasNoSmallerCells) {
    for (const double scale : {1.0, 2.0}) {
        double before = 0;
        for (double share = 0.5; share < 4; share *= 1.13) {
            const double cell =
                lay_out(bench, options_of({800 * share, 600 * share}, scale, false)).cell;
            EXPECT_GE(cell, before - 1e-9) << share;
            before = cell;
        }
    }
}

// Returns the size of cells with which a block fits into its space.
double fitting_size(const BenchBlock& block, const LayoutOptions& options, bool abreast) {
    Table table = table_of(block, options, abreast);
    for (double size = 64 * options.scale; size > 1; --size) {
        table.take(size);
        if (table.width() <= options.width && table.height() <= options.height) return size;
    }
    return 1;
}

TEST_P(LayoutRule, OfTwoArrangementsTheLargerCellWinsThenWhatHidesLessThenUnderEachOther) {
    if (bench.blocks.size() > 1 || !bench.heads.empty() || tokens_of(bench) > most_readable) return;
    const BenchBlock& block = bench.blocks.front();
    if (block.variants.size() < 2) return;
    for (const WindowSize& window : windows) {
        LayoutOptions options = options_of(window, 1, false);
        options.with_legend = options.with_colour_bars = false;
        const double below = fitting_size(block, options, false),
                     beside = fitting_size(block, options, true);
        const Figure figure = lay_out(bench, options);
        const auto limited = [](double size) { return std::clamp(std::floor(size), 36.0, 64.0); };
        EXPECT_EQ(figure.cell, limited(std::max(below, beside)));
        const auto hidden = [&](bool abreast) {
            Table table = table_of(block, options, abreast);
            table.take(figure.cell);
            return table.width() * table.height() - std::min(table.width(), options.width) *
                                                        std::min(table.height(), options.height);
        };
        const bool is_tie = limited(beside) == limited(below);
        Table table =
            table_of(block, options, is_tie ? hidden(true) < hidden(false) - 1 : beside > below);
        table.take(figure.cell);
        table.position(0, 0);
        std::vector<Rect> expected, drawn;
        for (const PlacedHeatmap& placed : table.heatmaps) expected.push_back(placed.rect);
        for (const Heatmap& map : figure.heatmaps) drawn.push_back(map.rect);
        EXPECT_EQ(drawn, expected) << window.width;
    }
}

TEST_P(LayoutRule, AnEditOfTheMaskMovesNothing) {
    Scene edited = result.scene;
    for (Variant& variant : edited.variants) {
        MaskLayer& layer = variant.mask.layers.emplace_back();
        layer.kind = LayerKind::blocked;
        layer.cells = {Cell{0, 0}};
    }
    const Bench after = make_bench(computed(edited), view);
    // Variants that shared their scores may no longer do so once the mask acts on the scores.
    if (stages_of(after) != stages_of(bench)) return;
    in_each_window([&](const LayoutOptions& options) {
        const Figure one = lay_out(bench, options), other = lay_out(after, options);
        ASSERT_EQ(one.heatmaps.size(), other.heatmaps.size());
        for (std::size_t k = 0; k < one.heatmaps.size(); ++k)
            EXPECT_EQ(one.heatmaps[k].rect, other.heatmaps[k].rect);
    });
}

TEST_P(LayoutRule, NeitherHoverNorCoverMovesAnythingAndTwiceIsTheSame) {
    in_each_window([&](LayoutOptions options) {
        const Figure figure = lay_out(bench, options);
        const auto expect_same = [&](const Figure& other) {
            std::vector<Rect> one, two;
            for (const Heatmap& map : figure.heatmaps) one.push_back(map.rect);
            for (const auto* maps : {&other.heatmaps, &other.hidden})
                for (const Heatmap& map : *maps) two.push_back(map.rect);
            const auto order = [](const Rect& a, const Rect& b) {
                return std::pair(a.y, a.x) < std::pair(b.y, b.x);
            };
            std::ranges::sort(one, order);
            std::ranges::sort(two, order);
            EXPECT_EQ(one, two);
            EXPECT_EQ(figure.width, other.width);
        };
        expect_same(lay_out(bench, options));
        options.hovered = CellRef{};
        expect_same(lay_out(bench, options));
        options.hovered.reset();
        View asking = view;
        asking.cover = Cover{};
        expect_same(lay_out(make_bench(result, asking), options));
    });
}

// --- scrolling

Bench long_bench(const View& view, Index heads = 1) {
    Scene scene =
        sentence({causal("added", Apply::additive), causal("multiplied", Apply::multiply_weights)});
    scene.sequences[0].queries = std::vector<std::string>(12, "word");
    scene.inputs = EmbeddingInputs{.seed = 3, .heads = heads, .d_k = 4, .d_v = 4};
    return make_bench(computed(scene), view);
}

void expect_name(const Figure& seen, const std::string& name) {
    const auto found = std::ranges::find(seen.texts, name, &Text::text);
    ASSERT_NE(found, seen.texts.end()) << name;
    EXPECT_FALSE(is_cut(*found)) << name;
    for (const Text& text : seen.texts)
        EXPECT_TRUE(&text == &*found || !overlap(text_rect(text), text_rect(*found)))
            << text.text << " on " << name;
}

// Expects at every scroll position that the tokens of each visible heatmap's columns are above it,
// that the name of its variant is in view, and that no text covers a heatmap.
void expect_tokens_and_names(const Bench& bench, const LayoutOptions& options, double far = 60) {
    const Figure whole = lay_out(bench, options);
    ASSERT_GT(whole.height, options.height);
    for (double x = 0; x <= std::max(0.0, whole.width - options.width); x += 97)
        for (double y = 0; y < whole.height - options.height; y += 83) {
            SCOPED_TRACE(testing::Message() << x << ", " << y);
            const Figure seen = scrolled(whole, {x, y}, options.width, options.height);
            for (const Heatmap& map : seen.heatmaps) {
                // The last rows of a heatmap have no space for tokens above them.
                if (map.rect.h < 40 || map.rect.w < 40 || map.rect.bottom() < far) continue;
                if (map.variant >= 0 && map.rect.w > 250)
                    expect_name(seen, map.variant == 0 ? "added" : "multiplied");
                EXPECT_TRUE(std::ranges::any_of(seen.texts, [&](const Text& text) {
                    return text.at.x > map.rect.x && text.at.x < map.rect.right() &&
                           text.at.y < map.rect.y && text.at.y > map.rect.y - far;
                })) << "no key is named";
                const Rect cell = cell_rect(map, 0, 0);
                EXPECT_NEAR(cell.w, whole.cell, 1e-6) << "cells keep their size";
                EXPECT_NEAR(cell.h, whole.cell, 1e-6);
                for (const Text& text : seen.texts)
                    EXPECT_FALSE(overlap(text_rect(text), Rect{map.rect.x + 1, map.rect.y + 1,
                                                               map.rect.w - 2, map.rect.h - 2}))
                        << text.text;
            }
        }
}

TEST(Scrolled, TokensAndNamesStay) {
    for (const bool in_hall : {false, true}) {
        const LayoutOptions options = options_of({700, 500}, 1, in_hall);
        const Bench bench = long_bench({});
        EXPECT_GT(lay_out(bench, options).width, options.width);
        expect_tokens_and_names(bench, options);
    }
}

TEST(Scrolled, TokensAndNamesStayInTheViewOfHeads) {
    View view;
    view.show.view = ViewKind::heads;
    for (const double width : {500.0, 1000.0, 2400.0})
        expect_tokens_and_names(long_bench(view, 4), options_of({width, 500}, 1, false), 500);
}

TEST(Scrolled, ToWhatMatters) {
    Figure figure;
    figure.width = 1000;
    figure.height = 800;
    const auto place = [&](const std::vector<Rect>& parts, Point from = {}) {
        return place_to_see(figure, parts, {from.x, from.y, 400, 300});
    };
    EXPECT_EQ(place({}), (Point{0, 0}));
    EXPECT_EQ(place({{100, 100, 100, 100}}), (Point{0, 0})) << "it is seen already";
    EXPECT_EQ(place({{100, 100, 100, 100}}, {50, 60}), (Point{50, 60})) << "from here, too";
    EXPECT_EQ(place({{700, 0, 100, 100}}), (Point{400, 0}))
        << "it scrolls no farther than necessary";
    EXPECT_EQ(place({{700, 0, 100, 100}, {100, 700, 50, 50}}), (Point{100, 450}));
    EXPECT_EQ(place({{990, 790, 50, 50}}), (Point{600, 500})) << "never beyond the end";
}

// Neighbouring tokens never read as one: between them is more than a space.
TEST_P(LayoutRule, KeysStandApart) {
    in_each_window([&](const LayoutOptions& options) {
        const Figure figure = lay_out(bench, options);
        for (const PinnedPart& keys : figure.pinned) {
            if (keys.kind != PinnedPart::Kind::keys) continue;
            std::vector<Rect> texts;
            for (std::size_t k = keys.texts; k < keys.texts_end; ++k)
                if (figure.texts[k].anchor == Anchor::centre && !figure.texts[k].vertical)
                    texts.push_back(text_rect(figure.texts[k]));
            std::ranges::sort(texts, {}, &Rect::x);
            for (std::size_t k = 1; k < texts.size(); ++k)
                EXPECT_GE(texts[k].x - texts[k - 1].right(), key_gap * options.scale - rounding);
        }
    });
}

// Expects that every row of weights in view has its sum if the column of sums is in view, and its
// number if that is in view, too.
void expect_sums(const Figure& whole, Point from, double width, double height) {
    const Figure seen = scrolled(whole, from, width, height);
    for (const SumBar& bar : whole.sums) {
        const auto is_beside = [&](const Heatmap& map) {
            if (map.cells->stage != StageKind::weights || map.variant != bar.variant ||
                map.b != bar.b || map.h != bar.h)
                return false;
            const Rect cell = cell_rect(map, bar.row, 0);
            return cell.y >= map.rect.y - rounding && cell.bottom() <= map.rect.bottom() + rounding;
        };
        if (std::ranges::none_of(seen.heatmaps, is_beside)) continue;
        if (bar.rect.right() - from.x > width) continue;
        const bool is_whole = text_rect(style::sum_text(bar)).right() - from.x <= width;
        EXPECT_TRUE(std::ranges::any_of(seen.sums,
                                        [&](const SumBar& sum) {
                                            return sum.row == bar.row &&
                                                   sum.variant == bar.variant && sum.b == bar.b &&
                                                   sum.h == bar.h &&
                                                   (sum.text == bar.text || !is_whole);
                                        }))
            << "row " << bar.row << " of variant " << bar.variant << ": " << bar.text << ", from "
            << from.x << ", " << from.y;
    }
}

// Calls visit() with places from the first to the last, in a window.
void at_places(const Figure& figure, const LayoutOptions& options,
               const std::function<void(Point)>& visit) {
    const Point last = last_place(figure, options.width, options.height);
    for (const double x : {0.0, 0.37, 0.71, 1.0})
        for (const double y : {0.0, 0.43, 0.83, 1.0})
            visit({std::round(x * last.x), std::round(y * last.y)});
}

TEST_P(LayoutRule, EveryRowInViewHasItsSum) {
    in_each_window([&](const LayoutOptions& options) {
        const Figure whole = lay_out(bench, options);
        at_places(whole, options,
                  [&](Point from) { expect_sums(whole, from, options.width, options.height); });
        const Point last = last_place(whole, options.width, options.height);
        for (const SumBar& bar : whole.sums)
            EXPECT_LE(text_rect(style::sum_text(bar)).right(), last.x + options.width + rounding)
                << bar.text;
    });
}

// Returns how far an edge at this share of a heatmap is from the nearest edge of a cell, in cells.
double cut_share(double share, Index cells) {
    const double first = share * double(cells);
    return std::abs(first - std::round(first));
}

// Wherever the program scrolls to, the view begins with whole cells, and then stays there.
TEST_P(LayoutRule, AViewBeginsAtAnEdge) {
    in_each_window([&](const LayoutOptions& options) {
        const Figure whole = lay_out(bench, options);
        const double width = options.width, height = options.height;
        const double most = rounding / whole.cell + 0.03;  // cells: what counts as none
        const auto expect_edge = [&](Point place) {
            for (const Heatmap& map : scrolled(whole, place, width, height).heatmaps) {
                EXPECT_LT(cut_share(map.zoom.x0, map.cells->columns), most) << place.x;
                EXPECT_LT(cut_share(map.zoom.y0, map.cells->rows), most) << place.y;
            }
        };
        expect_edge({});
        expect_edge(last_place(whole, width, height));
        at_places(whole, options, [&](Point from) {
            for (const Heatmap& map : whole.heatmaps) {
                const auto scrolled_from = [&](Point at) {
                    return place_to_see(whole, {map.rect}, {at.x, at.y, width, height});
                };
                const Point place = scrolled_from(from);
                if (place.x != from.x && place.y != from.y) expect_edge(place);
                EXPECT_EQ(scrolled_from(place), place) << "it moves by itself";
            }
        });
    });
}

// The titles of a row of variants leave with it: none is left above the next one.
TEST(Scrolled, TitlesLeaveWithTheirRow) {
    View view;
    view.show.stages = std::vector<StageKind>{StageKind::weights, StageKind::output};
    for (const bool in_hall : {false, true}) {
        const LayoutOptions options = options_of({2400, 500}, 1, in_hall);
        const Figure whole = lay_out(long_bench(view), options);
        for (double y = 0; y <= whole.height - options.height; y += 41) {
            const Figure seen = scrolled(whole, {0, y}, options.width, options.height);
            std::vector<double> weights, outputs;
            for (const Text& text : seen.texts) {
                if (text.text == "Weights") weights.push_back(text.at.y);
                if (text.text == "Output") outputs.push_back(text.at.y);
            }
            EXPECT_EQ(weights, outputs) << "at " << y;
        }
    }
}

}  // namespace
}  // namespace maskscope
