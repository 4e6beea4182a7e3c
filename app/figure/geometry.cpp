#include <algorithm>
#include <cmath>

#include "app/figure/style.h"

namespace maskscope {

Rect cell_rect(const Heatmap& heatmap, Index i, Index j) {
    const Zoom& z = heatmap.zoom;
    const double w = heatmap.rect.w / ((z.x1 - z.x0) * double(heatmap.cells->columns));
    const double h = heatmap.rect.h / ((z.y1 - z.y0) * double(heatmap.cells->rows));
    const double left = heatmap.rect.x - z.x0 * double(heatmap.cells->columns) * w;
    const double top = heatmap.rect.y - z.y0 * double(heatmap.cells->rows) * h;
    return {left + double(j) * w, top + double(i) * h, w, h};
}

std::optional<Cell> cell_at(const Heatmap& heatmap, Point point) {
    if (!heatmap.rect.contains(point)) return std::nullopt;
    const Rect first = cell_rect(heatmap, 0, 0);
    const auto i = Index(std::floor((point.y - first.y) / first.h));
    const auto j = Index(std::floor((point.x - first.x) / first.w));
    return Cell{std::clamp<Index>(i, 0, heatmap.cells->rows - 1),
                std::clamp<Index>(j, 0, heatmap.cells->columns - 1)};
}

const Spot* spot_at(const std::vector<Spot>& spots, Point point) {
    const Spot* nearest = nullptr;
    double least = 0;
    for (const Spot& spot : spots) {
        if (!spot.rect.contains(point)) continue;
        const double away = std::hypot(point.x - spot.rect.x - spot.rect.w / 2,
                                       point.y - spot.rect.y - spot.rect.h / 2);
        if (nearest == nullptr || away < least) nearest = &spot, least = away;
    }
    return nearest;
}

void move_by(Figure& figure, Point by, double scale) {
    for (double* length : {&figure.width, &figure.height, &figure.unit}) *length *= scale;
    visit(
        [&](auto& parts) {
            for (auto& part : parts) move_by(part, by, scale);
        },
        figure);
}

namespace style {

Lines lines_across(const Rect& rect, const HatchLines& hatch) {
    Lines lines;
    const int count = int(std::lround((rect.w + rect.h) / hatch.pitch));
    for (int k = 0; k < count; ++k) {
        const double x = (k + 0.5) * hatch.pitch;
        lines.push_back({{rect.x + x, rect.y}, {rect.x + x - rect.h, rect.bottom()}});
        if (hatch.crossed)
            lines.push_back(
                {{rect.right() - x, rect.y}, {rect.right() - x + rect.h, rect.bottom()}});
    }
    return lines;
}

std::vector<Point> path_of(const Connector& connector, const Tip& tip, double unit) {
    std::vector<Point> points = connector.points;
    points.back() = tip.line_end;
    if (!connector.rounded) return points;
    std::vector<Point> path{points.front()};
    const double radius = Connector::radius * unit;
    // the point at `length` from a corner towards another point
    const auto towards = [](Point corner, Point to, double length) {
        const double all = std::max(1e-9, std::hypot(to.x - corner.x, to.y - corner.y));
        const double share = std::min(1.0, length / all);
        return Point{corner.x + share * (to.x - corner.x), corner.y + share * (to.y - corner.y)};
    };
    for (std::size_t k = 1; k + 1 < points.size(); ++k) {
        const Point corner = points[k];
        const double before = std::hypot(corner.x - points[k - 1].x, corner.y - points[k - 1].y);
        const double after = std::hypot(corner.x - points[k + 1].x, corner.y - points[k + 1].y);
        const double r = std::min(
            {radius, k > 1 ? before / 2 : before, k + 2 < points.size() ? after / 2 : after});
        const Point from = towards(corner, points[k - 1], r),
                    to = towards(corner, points[k + 1], r);
        constexpr int pieces = 8;
        for (int piece = 0; piece <= pieces; ++piece) {
            const double t = double(piece) / pieces, a = (1 - t) * (1 - t), b = 2 * t * (1 - t);
            path.push_back({a * from.x + b * corner.x + t * t * to.x,
                            a * from.y + b * corner.y + t * t * to.y});
        }
    }
    path.push_back(points.back());
    return path;
}

Lines dashes_of(const Stroke& stroke) {
    const double dash = 4 * stroke.width, period = 7 * stroke.width;
    Lines dashes;
    double past = 0;  // how much of the current period the earlier segments have used
    const std::size_t count = stroke.points.size(), closing = stroke.closed ? 1 : 0;
    for (std::size_t k = 0; k + 1 < count + closing; ++k) {
        const Point from = stroke.points[k], to = stroke.points[(k + 1) % count];
        const double length = std::hypot(to.x - from.x, to.y - from.y);
        if (!(length > 0) || !(period > 0)) continue;
        const auto at = [&](double s) {
            const double t = std::clamp(s / length, 0.0, 1.0);
            return Point{from.x + t * (to.x - from.x), from.y + t * (to.y - from.y)};
        };
        double s = -past;
        while (s < length) {
            if (s + dash > 0) dashes.emplace_back(at(s), at(s + dash));
            s += period;
        }
        past = std::fmod(past + length, period);
    }
    return dashes;
}

}  // namespace style

}  // namespace maskscope
