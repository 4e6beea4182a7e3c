#include "app/figure/layout/place.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "app/figure/layout/lay_out_parts.h"
#include "app/figure/style.h"
#include "core/base/error.h"

namespace maskscope {

namespace {

constexpr double unlimited = 20000;  // points: higher than any content

double margin_of(const FigurePlace& place) { return std::min(20.0, 0.02 * place.width); }

LayoutOptions in_room_of(const FigurePlace& place, LayoutOptions options, double scale) {
    const double margin = margin_of(place);
    options.width = place.width - 2 * margin;
    options.height = place.height <= 0 ? unlimited : place.height - 2 * margin;
    options.scale = scale;
    options.least_cell = place.least_cell;
    return options;
}

// Returns the factor by which the space is too small; at most 1 if everything fits.
double lack_of(const Figure& figure, const LayoutOptions& options) {
    constexpr double rounding = 0.5;  // points
    const Rect extent = extent_of(figure);
    return std::max((extent.right() - rounding) / options.width,
                    (extent.bottom() - rounding) / options.height);
}

// Lays out at the largest scale at which everything fits, else at the smallest. Lengths grow with
// the scale, so the first try is nearly right; another corrects for rounding.
Figure scaled_to(const FigurePlace& place, const LayoutOptions& options, const LayOut& lay_out) {
    constexpr int tries = 3;
    double scale = 1;
    for (int k = 0;; ++k) {
        const LayoutOptions in_room = in_room_of(place, options, scale);
        Figure figure = lay_out(in_room);
        const double lack = lack_of(figure, in_room);
        if (lack <= 1 || scale <= smallest_scale) return figure;
        scale = k + 1 < tries ? std::max(smallest_scale, 0.99 * scale / lack) : smallest_scale;
    }
}

// Returns a place of the same shape, larger than the figure needs.
FigurePlace grown(FigurePlace place, double lack) {
    place.width *= std::max(1.02, 1.01 * lack);
    place.height *= std::max(1.02, 1.01 * lack);
    return place;
}

// Returns the shift that centres the drawing, in whole points.
Point to_the_middle(const Rect& drawn, double width, double height, double margin) {
    return {std::round(std::max(margin, (width - drawn.w) / 2) - drawn.x),
            std::round(std::max(margin, (height - drawn.h) / 2) - drawn.y)};
}

// Throws a WorkError that names a sufficient size, after checking that the figure fits in it.
[[noreturn]] void refuse(const FigurePlace& place, const LayoutOptions& options,
                         const LayOut& lay_out) {
    FigurePlace larger = place;
    for (;;) {
        const LayoutOptions in_room = in_room_of(larger, options, smallest_scale);
        const Figure figure = lay_out(in_room);
        if (lack_of(figure, in_room) <= 1) break;
        const Rect extent = extent_of(figure);
        const double margins = 2 * margin_of(larger);
        larger.width = std::max(larger.width, std::ceil(extent.right() + margins));
        if (larger.height > 0)
            larger.height = std::max(larger.height, std::ceil(extent.bottom() + margins));
        larger.width += 1;  // because the margins grow, too
    }
    const auto size = [](const FigurePlace& of) {
        const auto millimetres = [](double points) { return std::ceil(points * 25.4 / 72); };
        return of.height > 0 ? fmt::format("{:.0f} × {:.0f} mm", millimetres(of.width),
                                           millimetres(of.height))
                             : fmt::format("{:.0f} mm wide", millimetres(of.width));
    };
    throw WorkError(
        fmt::format("the figure is too small for type of {:g} pt (expected at least "
                    "{}, got {}). Make it larger, or show fewer stages or variants.",
                    least_text, size(larger), size(place)));
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
    for (PinnedPart& pinned : below.pinned) {
        for (std::size_t* place : {&pinned.texts, &pinned.texts_end}) *place += figure.texts.size();
        for (std::size_t* place : {&pinned.chips, &pinned.chips_end}) *place += figure.chips.size();
    }
    const auto append = [](auto& all, auto& more) {
        all.insert(all.end(), std::make_move_iterator(more.begin()),
                   std::make_move_iterator(more.end()));
    };
    visit(append, figure, below);
    figure.width = std::max(figure.width, below.width);
    figure.height = below.height + dy;
    figure.skips_tokens = below.skips_tokens;
}

Figure lay_out_in_place(const FigurePlace& place, LayoutOptions options, const LayOut& lay_out) {
    options.complete = true;
    if (place.width <= 0) return lay_out(options);
    Figure figure = scaled_to(place, options, lay_out);
    const double margin = margin_of(place);
    const Rect drawn = extent_of(figure);
    const double needed_w = std::ceil(drawn.w + 2 * margin),
                 needed_h = std::ceil(drawn.h + 2 * margin);
    if (const double lack = lack_of(figure, in_room_of(place, options, figure.unit)); lack > 1) {
        if (!place.grows) refuse(place, options, lay_out);
        return lay_out_in_place(grown(place, lack), options, lay_out);
    }
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
    double scale = 1;
    for (const PageContent& page : pages) {
        options.with_mask = page.with_mask;
        if (!page.asks) scale = std::min(scale, scaled_to(place, options, page.lay_out).unit);
    }
    LayoutOptions in_room = in_room_of(place, options, scale);
    std::vector<Figure> figures;
    Rect all;
    for (const PageContent& page : pages) {
        in_room.with_mask = page.with_mask;
        const Figure& figure = figures.emplace_back(page.lay_out(in_room));
        const Rect drawn = extent_of(figure);
        if (const double lack = lack_of(figure, in_room); lack > 1) {
            if (!place.grows) refuse(place, in_room, page.lay_out);
            return lay_out_pages(grown(place, lack), options, pages);
        }
        all = {0, 0, std::max(all.right(), drawn.right()), std::max(all.bottom(), drawn.bottom())};
    }
    for (Figure& figure : figures) {
        figure.width = place.width;
        figure.height = place.height;
        move_by(figure, to_the_middle(all, place.width, place.height, margin_of(place)));
    }
    return figures;
}

}  // namespace maskscope
