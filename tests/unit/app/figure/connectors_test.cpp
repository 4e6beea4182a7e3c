// Tests the fork as it is drawn: every branch is a line of its own, which reaches its target.

#include <gtest/gtest.h>

#include <cmath>

#include "app/export/export.h"
#include "app/figure/layout/lay_out.h"
#include "app/session/files/load.h"
#include "app/style/labels.h"
#include "tests/support/computed.h"
#include "tests/support/random_scene.h"
#include "tests/unit/app/figure/overlap.h"
#include "tests/unit/app/show/sentence.h"

namespace maskscope {
namespace {

struct Segment {
    std::size_t connector = 0;
    Point from, to;
    bool is_vertical() const { return from.x == to.x && from.y != to.y; }
    Rect rect() const {  // has no width or no height
        return {std::min(from.x, to.x), std::min(from.y, to.y), std::abs(to.x - from.x),
                std::abs(to.y - from.y)};
    }
};

std::vector<Segment> segments_of(const Figure& figure) {
    std::vector<Segment> segments;
    for (std::size_t c = 0; c < figure.connectors.size(); ++c) {
        const std::vector<Point>& points = figure.connectors[c].points;
        for (std::size_t k = 0; k + 1 < points.size(); ++k) {
            EXPECT_TRUE(points[k].x == points[k + 1].x || points[k].y == points[k + 1].y);
            segments.push_back({c, points[k], points[k + 1]});
        }
    }
    return segments;
}

bool touches(const Rect& line, const Rect& area) {
    return line.x < area.right() && area.x < line.right() + 1e-9 && line.y < area.bottom() &&
           area.y < line.bottom() + 1e-9;
}

Rect shrunk(const Rect& r, double by) { return {r.x + by, r.y + by, r.w - 2 * by, r.h - 2 * by}; }

// True if the end of a connector is within a few points of a heatmap, a chip, the label of a row or
// a line of another connector, or in the column of the row sums or of the marks beside a mask.
bool touches_a_thing(const Figure& figure, const std::vector<Segment>& segments, std::size_t own,
                     Point end) {
    const double reach = 4.5 * figure.unit;
    const auto near = [&](const Rect& r) {
        return end.x > r.x - reach && end.x < r.right() + reach && end.y > r.y - reach &&
               end.y < r.bottom() + reach;
    };
    const auto any = [&](const auto& things) {
        return std::ranges::any_of(things, [&](const auto& thing) { return near(thing.rect); });
    };
    const bool after_sums = std::ranges::any_of(figure.sums, [&](const SumBar& bar) {
        return end.x > bar.rect.x && end.x < bar.rect.right() + 120 * figure.unit;
    });
    const bool after_tree = std::ranges::any_of(figure.dots, [&](const Dot& dot) {
        return end.x > dot.at.x && end.x < dot.at.x + 45 * figure.unit;
    });
    const bool after_strip = std::ranges::any_of(figure.boxes, [&](const Box& box) {
        return box.fill >= Role::variant_a && std::abs(end.x - box.rect.right()) < reach;
    });
    return after_tree || after_strip || any(figure.heatmaps) || any(figure.chips) ||
           any(figure.boxes) || after_sums ||
           std::ranges::any_of(figure.texts,
                               [&](const Text& text) {
                                   return text.anchor == Anchor::right && near(text_rect(text));
                               }) ||
           std::ranges::any_of(segments, [&](const Segment& s) {
               return s.connector != own && !s.is_vertical() && std::abs(end.y - s.from.y) < 0.5 &&
                      end.x > s.from.x - 0.5 && end.x < s.to.x + 0.5;
           });
}

void expect_lines(const Figure& figure) {
    const std::vector<Segment> segments = segments_of(figure);
    for (const Segment& s : segments) {
        for (const Segment& other : segments) {
            if (other.connector <= s.connector || !s.is_vertical() || !other.is_vertical())
                continue;
            const bool beside =
                s.rect().y < other.rect().bottom() && other.rect().y < s.rect().bottom();
            EXPECT_FALSE(beside && std::abs(s.from.x - other.from.x) < 2 * figure.unit)
                << "two branches share the vertical at " << s.from.x;
        }
        for (const Segment& other : segments) {  // at a junction one of them begins or ends
            if (!s.is_vertical() || other.is_vertical() || other.connector == s.connector) continue;
            EXPECT_FALSE(other.from.y > s.rect().y + 1 && other.from.y < s.rect().bottom() - 1 &&
                         s.from.x > other.rect().x + 1 && s.from.x < other.rect().right() - 1)
                << "lines cross at " << s.from.x << ", " << other.from.y;
        }
        for (const Heatmap& map : figure.heatmaps)
            EXPECT_FALSE(touches(s.rect(), shrunk(map.rect, 1))) << "a line over a heatmap";
        for (const Text& text : figure.texts)
            EXPECT_FALSE(touches(s.rect(), shrunk(text_rect(text), 1.5 * figure.unit)))
                << "a line over " << text.text << " at " << s.from.x << ", " << s.from.y;
    }
    for (std::size_t c = 0; c < figure.connectors.size(); ++c) {
        const std::vector<Point>& points = figure.connectors[c].points;
        EXPECT_TRUE(touches_a_thing(figure, segments, c, points.front())) << "begins at nothing";
        EXPECT_TRUE(touches_a_thing(figure, segments, c, points.back()))
            << "ends in the air at " << points.back().x << ", " << points.back().y;
        EXPECT_LE(points.front().x, points.back().x);
    }
}

void expect_a_fork(const Figure& figure) {
    expect_lines(figure);
    for (std::size_t k = 0; k < figure.texts.size(); ++k)
        for (std::size_t other = 0; other < k; ++other)
            EXPECT_FALSE(overlap(shrunk(text_rect(figure.texts[k]), 0.5),
                                 shrunk(text_rect(figure.texts[other]), 0.5)))
                << figure.texts[k].text << " on " << figure.texts[other].text;
}

// Checks the layout for a file, for windows, and for presenting.
void expect_forks(const Bench& bench) {
    expect_a_fork(lay_out(bench, {}));
    LayoutOptions large;
    large.scale = 2;
    expect_a_fork(lay_out(bench, large));
    for (const Point size : {Point{1308, 764}, Point{2616, 1528}}) {
        LayoutOptions window;
        window.width = size.x;
        window.height = size.y;
        expect_a_fork(lay_out(bench, window));
    }
    for (const Point size : {Point{1826, 700}, Point{974, 440}, Point{3652, 1500}})
        for (const bool with_mask : {false, true}) {
            LayoutOptions hall;
            hall.width = size.x;
            hall.height = size.y;
            hall.scale = 1.5 * size.y / 384;
            hall.in_hall = true;
            hall.with_mask = with_mask;
            expect_lines(lay_out(bench, hall));
        }
}

constexpr Apply applies[] = {Apply::additive, Apply::replace, Apply::multiply_scores,
                             Apply::multiply_weights, Apply::multiply_weights_renormalized};

Scene variants_of(int indices) {
    std::vector<Variant> variants;
    for (int k = 0; k < indices; ++k)
        variants.push_back(causal("variant " + std::to_string(k), applies[k % 5]));
    return sentence(variants);
}

int count_words(const Figure& figure, const std::string& words) {
    return int(std::ranges::count(figure.texts, words, &Text::text));
}

TEST(Connectors, EveryBranchIsALineOfItsOwnForTwoToTwentySixVariants) {
    for (int variants = 1; variants <= 26; ++variants) {
        SCOPED_TRACE(variants);
        const Bench bench = make_bench(computed(variants_of(variants)), {});
        expect_forks(bench);
        const Figure figure = lay_out(bench, {});
        std::vector<double> middles;  // of the targets of the branches
        for (const Connector& connector : figure.connectors)
            middles.push_back(connector.points.back().y);
        for (const Heatmap& map : figure.heatmaps)
            EXPECT_TRUE(map.variant < 0 || std::ranges::count(middles, map.rect.y + map.rect.h / 2))
                << map.variant;
        EXPECT_EQ(count_words(figure, "× m"), variants / 5 * 3 + std::max(0, variants % 5 - 2));
    }
}

TEST(Connectors, VariantsWithMasksOfTheirOwnForkAsWell) {
    for (const int variants : {2, 3, 7}) {
        Scene scene = variants_of(variants);
        scene.variants[1].mask.layers.clear();
        expect_forks(make_bench(computed(scene), {}));
    }
}

TEST(Connectors, VariantsThatDifferInScaleForkAtTheScores) {
    Scene scene = variants_of(3);
    scene.variants[1].scale.kind = ScaleKind::sqrt_n_k;
    scene.variants[2].scale = {ScaleKind::number, 0.5};
    const Bench bench = make_bench(computed(scene), {});
    expect_forks(bench);
    const Figure figure = lay_out(bench, {});
    for (const std::string words : {"QKᵀ", "× 1/√d", "× 1/√n", "× 0.5"})
        EXPECT_EQ(count_words(figure, words), 1) << words;
}

// Rows of a decoder have two labels: the word that the row reads, and its own.
TEST(Connectors, EndBeforeBothLabelsOfARow) {
    const std::string step = "lesson:break-it/6";
    const Scene scene = load_scene(step).scene;
    View view;
    view.show = *scene.show;
    const Result result = compute_shown(step, scene, view);
    const Bench bench = make_bench(result, view);
    ASSERT_GT(bench.blocks.front().tokens->reads.size(), 0u);
    for (const double width : {1330.0, 1880.0}) {
        LayoutOptions window;
        window.width = width;
        window.height = 430;
        const Figure figure = lay_out(bench, window);
        EXPECT_FALSE(figure.connectors.empty());
        expect_lines(figure);
    }
}

TEST(Connectors, OfRandomScenes) {
    for (std::uint64_t seed = 1; seed <= 150; ++seed) {
        SCOPED_TRACE(seed);
        RandomOptions options;
        options.variants = 1 + int(seed % 7);
        const Scene scene = random_scene(seed, options);
        View view;
        view.show.vectors = seed % 3 == 0;
        if (seed % 2)
            view.show.stages = {StageKind::scores, StageKind::scaled, StageKind::softmax,
                                StageKind::weights, StageKind::output};
        expect_forks(make_bench(computed(scene), view));
    }
}

}  // namespace
}  // namespace maskscope
