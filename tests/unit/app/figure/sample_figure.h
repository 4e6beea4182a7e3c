#pragma once
// A figure with every kind of element, made by hand; png_test draws it.

#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "app/figure/figure.h"

namespace maskscope::sample {

inline constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// Returns the numbers of a head, with a causal mask if `causal`, and the flags that cells_of would
// give the cells.
inline SharedCells cells(StageKind stage, Index n, bool causal, double (*number)(Index, Index)) {
    auto cells = std::make_shared<Cells>();
    cells->stage = stage;
    cells->rows = cells->columns = n;
    for (Index i = 0; i < n; ++i) {
        for (Index j = 0; j < n; ++j) {
            const double x = number(i, j);
            const bool blocked = causal && j > i;
            std::uint8_t signs = blocked ? sign::blocked : 0;
            if (std::isnan(x)) signs |= sign::nan;
            if (std::isinf(x)) signs |= x > 0 ? sign::plus_infinity : sign::minus_infinity;
            if (x == 0) signs |= sign::zero;
            if (stage == StageKind::weights && blocked && x > 0) signs |= sign::leaks;
            cells->values.push_back(x);
            cells->signs.push_back(signs);
        }
    }
    return cells;
}

inline double wave(Index i, Index j) {
    return 2.6 * std::sin(1.7 * static_cast<double>(i) + 0.9 * static_cast<double>(j * j));
}
inline double score(Index i, Index j) { return wave(i, j); }
inline double logit(Index i, Index j) {
    if (i == 0 && j == 0) return infinity;
    if (j == i + 2) return -1e9;
    return j > i ? -infinity : wave(i, j);
}
inline double one(Index i, Index j) { return j > i ? 0 : 1; }
inline double share(Index i, Index j) {
    return j > i ? 0 : std::exp(wave(i, j)) / (1 + std::exp(wave(i, j)));
}
inline double leaking(Index i, Index j) {
    if (i == 2) return nan;
    if (i == 4 && j == 5) return 0;
    return std::exp(wave(i, j)) / (1 + std::exp(wave(i, j)));
}

inline Figure figure() {
    Figure f;
    f.width = 640;
    f.height = 420;
    const double side = 6 * 30;
    const auto heatmap = [&f, side](double x, double y, SharedCells cells, ColourMap map) {
        const bool is_signed = map == ColourMap::diverging;
        Heatmap h;
        h.rect = {x, y, side, side};
        h.cells = std::move(cells);
        h.limits = {is_signed ? -3.0 : 0.0, is_signed ? 3.0 : 1.0};
        h.map = map;
        h.number_size = 9.5;
        f.heatmaps.push_back(h);
    };
    heatmap(20, 40, cells(StageKind::scaled, 6, false, score), ColourMap::diverging);
    heatmap(20, 235, cells(StageKind::allowed, 6, true, one), ColourMap::viridis);
    heatmap(240, 40, cells(StageKind::logits, 6, true, logit), ColourMap::diverging);
    heatmap(240, 235, cells(StageKind::weights, 6, true, leaking), ColourMap::viridis);
    heatmap(450, 40, cells(StageKind::weights, 6, true, share), ColourMap::viridis);

    f.boxes.push_back({{445, 300, 185, 80}, 8, true, true});
    f.hatches.push_back({{455, 345, 22, 22}});
    f.hatches.push_back({{485, 345, 22, 22}, true});
    const auto sum = [&f](double x, double y, double kept, double leaked, SumBar::Mark mark,
                          Role status, const char* text) {
        SumBar bar;
        bar.rect = {x, y, 28, 15};
        bar.kept = kept;
        bar.leaked = leaked;
        bar.mark = mark;
        bar.status = status;
        bar.text = text;
        bar.text_size = 9.5;
        f.sums.push_back(bar);
    };
    using Mark = SumBar::Mark;
    sum(450, 235, 1, 0, Mark::none, Role::right, "1");
    sum(510, 235, 0.32, 0, Mark::none, Role::odd, "0.32");
    sum(570, 235, 0.4, 0.6, Mark::none, Role::wrong, "1");
    sum(450, 258, 0, 1, Mark::none, Role::wrong, "1");
    sum(510, 258, 0, 0, Mark::nan, Role::wrong, "NaN");
    sum(570, 258, 0, 0, Mark::empty, Role::dim, "empty");
    sum(450, 280, 1, 0, Mark::above_one, Role::odd, "1.40");
    sum(510, 280, 0.7, 0, Mark::by_design, Role::right, "0.70 by design");
    f.colour_bars.push_back({{520, 350, 40, 10}, {-3, 3}, ColourMap::diverging});
    f.colour_bars.push_back({{570, 350, 40, 10}, {0, 1}, ColourMap::viridis});
    f.connectors.push_back({{{204, 130}, {236, 130}}});
    f.connectors.push_back({{{204, 145}, {216, 145}, {216, 325}, {236, 325}}, true});
    f.connectors.push_back({{{424, 130}, {446, 130}}});
    f.chips.push_back({{201, 224, 48, 16}, 4, true, true, Role::ground});
    f.chips.push_back({{240, 8, 16, 16}, 4, true, false, Role::variant_a});
    f.texts.push_back({{225, 232}, "softmax", {9.5, Weight::semibold}, Role::ink, Anchor::centre});
    f.texts.push_back({{248, 16}, "A", {10, Weight::bold}, Role::ground, Anchor::centre});
    f.texts.push_back({{262, 16}, "Added before the softmax", {11, Weight::semibold}});
    f.texts.push_back(
        {{455, 320}, "Ein Satz, العربية, 日本語, 🙂 123", {10}, Role::dim});
    Text cut{{20, 30}, "a token that is too long for its column", {9.5}, Role::dim};
    cut.max_width = 90;
    f.texts.push_back(cut);
    Text upright{{12, 215}, "upwards", {9.5}};
    upright.vertical = true;
    f.texts.push_back(upright);
    return f;
}

}  // namespace maskscope::sample
