#include "app/session/edits/mask_borders.h"

#include <algorithm>
#include <cmath>

#include "core/edit/edit.h"
#include "core/scene/mask_rules.h"

namespace maskscope {

namespace {

using Of = MaskBorder::Of;
using Layers = std::vector<MaskLayer>;

const Heatmap* mask_of(const Figure& figure, const MaskBorder& border) {
    const auto found = std::ranges::find_if(figure.heatmaps, [&](const Heatmap& map) {
        return map.cells->stage == StageKind::allowed && map.variant == border.variant &&
               map.b == border.b && map.h == border.h;
    });
    return found == figure.heatmaps.end() ? nullptr : &*found;
}

// Returns the column position of a point, in cells from the left edge.
double column_at(const Heatmap& map, Point point) {
    const Rect first = cell_rect(map, 0, 0);
    return (point.x - first.x) / first.w;
}

Index& first_keys(MaskLayer& layer) {
    return layer.kind == LayerKind::sinks ? layer.count : layer.length;
}

// Calls visit(of, at, column) for every border of a rule in the row of a query at this position.
template <class Visit>
void each_border(const MaskLayer& layer, Index position, Index n_k, const Visit& visit) {
    switch (layer.kind) {
        case LayerKind::window:
            visit(Of::left, position, position - layer.left);
            return visit(Of::right, position, position + layer.right + 1);
        case LayerKind::sinks:
            return visit(Of::first_keys, 0, layer.count);
        case LayerKind::prefix:
            return visit(Of::first_keys, 0, layer.length);
        case LayerKind::chunked:
        case LayerKind::block_causal:
            for (Index k = 1; layer.size <= n_k && k * layer.size <= n_k; ++k)
                visit(Of::size, k, k * layer.size);
            return;
        case LayerKind::documents: {
            Index end = 0;
            for (Index k = 0; k + 1 < std::ssize(layer.lengths); ++k)
                visit(Of::document, k, end += layer.lengths[k]);
            return;
        }
        default:
            return;
    }
}

// Calls visit(path, layer) for every rule that applies to head h, including those in groups.
template <class Visit>
void each_layer(const Layers& layers, Index h, LayerPath path, const Visit& visit) {
    for (std::size_t k = 0; k < layers.size(); ++k) {
        if (!holds_for(layers[k], h)) continue;
        LayerPath here = path;
        here.push_back(k);
        visit(here, layers[k]);
        each_layer(layers[k].layers, h, here, visit);
    }
}

std::optional<LayerPath> place_of(const Layers& layers, const MaskLayer& layer, Index h) {
    std::optional<LayerPath> place;
    each_layer(layers, h, {}, [&](const LayerPath& path, const MaskLayer& other) {
        if (!place && other == layer) place = path;
    });
    return place;
}

// Returns the rule with its border moved to this column.
MaskLayer moved(MaskLayer layer, const MaskBorder& border, double column) {
    const auto whole = static_cast<Index>(std::lround(column));
    switch (border.of) {
        case Of::left:
            layer.left = std::max<Index>(0, border.at - whole);
            break;
        case Of::right:
            layer.right = std::max<Index>(0, whole - 1 - border.at);
            break;
        case Of::first_keys:
            first_keys(layer) = std::max<Index>(0, whole);
            break;
        case Of::size:
            layer.size = std::max<Index>(1, std::lround(column / double(border.at)));
            break;
        case Of::document: {
            Index start = 0;
            for (Index k = 0; k < border.at; ++k) start += layer.lengths[k];
            Index &before = layer.lengths[border.at], &after = layer.lengths[border.at + 1];
            const Index both = before + after;
            before = std::clamp<Index>(whole - start, 1, both - 1);
            after = both - before;
            break;
        }
    }
    return layer;
}

bool has_border(const MaskLayer& layer, const MaskBorder& border) {
    using enum LayerKind;
    switch (border.of) {
        case Of::left:
        case Of::right:
            return layer.kind == window;
        case Of::first_keys:
            return layer.kind == sinks || layer.kind == prefix;
        case Of::size:
            return layer.kind == chunked || layer.kind == block_causal;
        case Of::document:
            return layer.kind == documents && border.at + 1 < std::ssize(layer.lengths);
    }
    return false;
}

// Returns the rule that has the border; null if a keyboard shortcut has changed the rule during the
// drag, so that the border no longer exists.
const MaskLayer* layer_of(const Scene& scene, const MaskBorder& border) {
    const int variant = border.variants.front();
    if (variant >= std::ssize(scene.variants)) return nullptr;
    const MaskLayer* layer = find_layer(scene.variants[variant].mask.layers, border.path);
    return layer && has_border(*layer, border) ? layer : nullptr;
}

}  // namespace

std::optional<MaskBorder> border_under(const Scene& scene, const Figure& figure,
                                       const std::vector<int>& shown, Point point, double scale) {
    constexpr double reach = 3.5, least_cell = 14;  // points
    const auto map = std::ranges::find_if(figure.heatmaps, [&](const Heatmap& one) {
        return one.cells->stage == StageKind::allowed && one.rect.contains(point);
    });
    if (map == figure.heatmaps.end() || shown.empty()) return std::nullopt;
    const double width = cell_rect(*map, 0, 0).w, column = column_at(*map, point);
    if (width < least_cell * scale || map->b >= std::ssize(scene.sequences)) return std::nullopt;
    // Skip it: the figure may still show the previous scene, with more variants.
    if (map->variant >= std::ssize(scene.variants)) return std::nullopt;
    const bool own = map->variant >= 0;
    const std::vector<int> variants = own ? std::vector<int>{map->variant} : shown;
    const Index position = cell_at(*map, point)->i + scene.sequences[map->b].start;
    const Index n_k = shape_of(scene).n_k;
    std::optional<MaskBorder> found;
    double nearest = reach * scale / width;
    each_layer(scene.variants[variants.front()].mask.layers, map->h, {},
               [&](const LayerPath& path, const MaskLayer& layer) {
                   each_border(layer, position, n_k, [&](Of of, Index at, Index where) {
                       const double away = std::abs(column - static_cast<double>(where));
                       if (where < 0 || where > n_k || away >= nearest) return;
                       nearest = away;
                       found = MaskBorder{of, at, path, variants, map->variant, map->b, map->h};
                   });
               });
    return found;
}

std::vector<std::pair<Point, Point>> lines_of(const Scene& scene, const Figure& figure,
                                              const MaskBorder& border) {
    std::vector<std::pair<Point, Point>> lines;
    const Heatmap* map = mask_of(figure, border);
    const MaskLayer* layer = layer_of(scene, border);
    if (!map || !layer || border.b >= std::ssize(scene.sequences)) return lines;
    const Index start = scene.sequences[border.b].start, n_k = map->cells->columns;
    const bool of_row = border.of == Of::left || border.of == Of::right;
    for (Index i = 0; i < map->cells->rows; ++i)
        each_border(*layer, i + start, n_k, [&](Of of, Index at, Index where) {
            if (of != border.of || (!of_row && at != border.at) || where < 0 || where > n_k) return;
            const Rect row = cell_rect(*map, i, 0);
            const double x = row.x + static_cast<double>(where) * row.w;
            const double top = std::max(row.y, map->rect.y);
            const double bottom = std::min(row.bottom(), map->rect.bottom());
            if (x >= map->rect.x && x <= map->rect.right() && top < bottom)
                lines.push_back({{x, top}, {x, bottom}});
        });
    return lines;
}

void drag_border(Session& session, const Figure& figure, const MaskBorder& border, Point point) {
    const Heatmap* map = mask_of(figure, border);
    const MaskLayer* found = layer_of(session.scene(), border);
    if (!map || !found) return;
    const double n_k = static_cast<double>(map->cells->columns);
    const MaskLayer layer = *found,
                    next = moved(layer, border, std::clamp(column_at(*map, point), 0.0, n_k));
    if (next == layer) return;
    session.edit(
        std::string(rule_of(layer.kind).edit),
        [&](Scene& scene) {
            for (const int variant : border.variants) {
                if (variant >= std::ssize(scene.variants))
                    continue;  // removed since the drag began
                const Layers& layers =
                    scene.variants[static_cast<std::size_t>(variant)].mask.layers;
                if (const auto path = place_of(layers, layer, border.h))
                    replace_layer(scene, {variant}, *path, next);
            }
        },
        "drag a border");
}

}  // namespace maskscope
