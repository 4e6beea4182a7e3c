#include "app/figure/layout/place.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <tuple>
#include <type_traits>
#include <vector>

#include "app/figure/layout/lay_out_parts.h"
#include "app/figure/style.h"

namespace maskscope {

namespace {

constexpr double smallest_text = 12;  // of any layout, × its scale
constexpr std::array scales = {1.5, 1.3, 1.15, 1.0, 0.87, 0.76, 0.66, least_text / smallest_text};
constexpr double unlimited = 20000;  // points: a height that no content reaches

struct Candidate {
    Figure figure;
    std::tuple<bool, bool, int, bool> rank;  // it fits, it is complete, its numbers, its labels
    double least_cell = 0;                   // points; the lower side of the smallest cell
};

// 2 for each heatmap with its numbers, 1 for one with one decimal.
int numbers_of(const Figure& figure) {
    int sum = 0;
    for (const Heatmap& map : figure.heatmaps) {
        if (map.cells->stage == StageKind::allowed) continue;
        const bool is_short = map.number_form == NumberForm::one_decimal;
        sum += map.number_size <= 0 ? 0 : is_short ? 1 : 2;
    }
    return sum;
}

Candidate judged(Figure figure, const LayoutOptions& options) {
    constexpr double rounding = 0.5;  // points
    Candidate candidate;
    const Rect extent = extent_of(figure);
    const bool fits =
        extent.right() <= options.width + rounding && extent.bottom() <= options.height + rounding;
    const bool complete = figure.economy.left_out == 0 && !figure.economy.weights_alone;
    const bool labelled = !figure.skips_tokens && std::ranges::none_of(figure.texts, is_cut);
    candidate.rank = {fits, complete, numbers_of(figure), labelled};
    candidate.least_cell = unlimited;
    for (const Heatmap& map : figure.heatmaps) {
        const Rect cell = cell_rect(map, 0, 0);
        candidate.least_cell = std::min({candidate.least_cell, cell.w, cell.h});
    }
    candidate.figure = std::move(figure);
    return candidate;
}

double margin_of(const FigurePlace& place) { return std::min(20.0, 0.02 * place.width); }

LayoutOptions in_room_of(const FigurePlace& place, LayoutOptions options, double scale) {
    const double margin = margin_of(place);
    options.width = place.width - 2 * margin;
    options.height = place.height <= 0 ? unlimited : place.height - 2 * margin;
    options.scale = scale;
    return options;
}

// As lay_out_in_place chooses; not yet moved to the middle.
Candidate best_of(const FigurePlace& place, const LayoutOptions& options, const LayOut& lay_out) {
    std::vector<Candidate> candidates;
    for (const double scale : scales) {
        const LayoutOptions in_room = in_room_of(place, options, scale);
        candidates.push_back(judged(lay_out(in_room), in_room));
    }
    const auto best = std::ranges::max_element(candidates, {}, &Candidate::rank)->rank;
    std::erase_if(candidates, [&](const Candidate& one) { return one.rank != best; });
    const double largest =
        std::ranges::max_element(candidates, {}, &Candidate::least_cell)->least_cell;
    const double enough = std::max(0.93 * largest, std::min(place.least_cell, largest));
    return std::move(*std::ranges::find_if(
        candidates, [&](const Candidate& one) { return one.least_cell >= enough; }));
}

// At whole points.
Point to_the_middle(const Rect& drawn, double width, double height, double margin) {
    return {std::round(std::max(margin, (width - drawn.w) / 2) - drawn.x),
            std::round(std::max(margin, (height - drawn.h) / 2) - drawn.y)};
}

}  // namespace

Rect extent_of(const Figure& figure) {
    Rect extent;
    bool any = false;
    const auto add = [&](const Rect& r) {
        const double right = any ? std::max(extent.right(), r.right()) : r.right();
        const double bottom = any ? std::max(extent.bottom(), r.bottom()) : r.bottom();
        extent.x = any ? std::min(extent.x, r.x) : r.x;
        extent.y = any ? std::min(extent.y, r.y) : r.y;
        extent.w = right - extent.x;
        extent.h = bottom - extent.y;
        any = true;
    };
    const auto add_part = [&]<class Part>(const Part& part) {
        if constexpr (requires { part.rect; }) add(part.rect);
        if constexpr (requires { part.points; })
            for (const Point& p : part.points) add({p.x, p.y, 0, 0});
        if constexpr (std::is_same_v<Part, SumBar>)
            if (!part.text.empty()) add(text_rect(style::sum_text(part)));
        if constexpr (std::is_same_v<Part, Dot>)
            add({part.at.x - part.radius, part.at.y - part.radius, 2 * part.radius,
                 2 * part.radius});
        if constexpr (std::is_same_v<Part, Text>) add(text_rect(part));
    };
    visit_drawn([&](const auto& parts) { std::ranges::for_each(parts, add_part); }, figure);
    return extent;
}

void append_below(Figure& figure, Figure below) {
    const double dy = figure.height;
    move_by(below, {0, dy});
    const auto append = [](auto& all, auto& more) {
        all.insert(all.end(), std::make_move_iterator(more.begin()),
                   std::make_move_iterator(more.end()));
    };
    visit(append, figure, below);
    figure.width = std::max(figure.width, below.width);
    figure.height = below.height + dy;
    figure.economy = below.economy;
    figure.reading = below.reading;
    figure.skips_tokens = below.skips_tokens;
}

Figure lay_out_in_place(const FigurePlace& place, LayoutOptions options, const LayOut& lay_out) {
    options.complete = true;
    if (place.width <= 0) return lay_out(options);
    Candidate best = best_of(place, options, lay_out);
    constexpr double widest = 14000;  // points; a PDF has no larger page
    const bool fits = std::get<0>(best.rank), may_grow = place.least_cell > 0;
    if (may_grow && (!fits || best.least_cell < place.least_cell) && place.width < widest) {
        constexpr double least_growth = 1.2, most_growth = 2;
        const double factor = std::clamp(1.01 * place.least_cell / best.least_cell,
                                         fits ? 1 : least_growth, most_growth);
        FigurePlace larger = place;
        larger.width *= factor;
        larger.height *= factor;
        return lay_out_in_place(larger, options, lay_out);
    }
    Figure figure = std::move(best.figure);
    const double margin = margin_of(place);
    const Rect drawn = extent_of(figure);
    const double needed_w = std::ceil(drawn.w + 2 * margin),
                 needed_h = std::ceil(drawn.h + 2 * margin);
    figure.width = place.cropped ? std::min(place.width, needed_w) : place.width;
    figure.height = place.height <= 0 ? needed_h
                    : place.cropped   ? std::min(place.height, needed_h)
                                      : place.height;
    move_by(figure, to_the_middle(drawn, figure.width, figure.height, margin));
    return figure;
}

std::vector<Figure> lay_out_pages(const FigurePlace& place, LayoutOptions options,
                                  const std::vector<PageContent>& pages) {
    options.complete = true;
    double scale = scales.front();
    for (const PageContent& page : pages) {
        if (page.covered) continue;  // arranged as it is uncovered
        const double best = best_of(place, options, page.lay_out).figure.unit;
        scale = std::min(scale, best);
    }
    options = in_room_of(place, options, scale);
    std::vector<Figure> figures;
    std::map<std::string, Economy> economies;
    Rect all;
    for (const PageContent& page : pages) {
        const auto known = economies.find(page.kind);
        options.economy = known == economies.end() ? std::nullopt : std::optional(known->second);
        options.covered = page.covered;
        Figure& figure = figures.emplace_back(page.lay_out(options));
        economies.emplace(page.kind, figure.economy);
        const Rect drawn = extent_of(figure);
        const double right = std::max(all.right(), drawn.right()),
                     bottom = std::max(all.bottom(), drawn.bottom());
        all = {0, 0, right, bottom};
    }
    for (Figure& figure : figures) {
        figure.width = place.width;
        figure.height = place.height;
        move_by(figure, to_the_middle(all, place.width, place.height, margin_of(place)));
    }
    return figures;
}

}  // namespace maskscope
