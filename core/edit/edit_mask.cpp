#include <fmt/format.h>

#include <algorithm>

#include "core/attention/mask.h"
#include "core/edit/edit_parts.h"
#include "core/scene/mask_rules.h"
#include "core/scene/names.h"

namespace maskscope {

namespace {

using Layers = std::vector<MaskLayer>;

void expect_variants(Scene& scene, const std::vector<int>& variants) {
    for (const int variant : variants) variant_of(scene, variant);
}

enum class Line { row, column };

template <class T>
bool contains(const std::optional<std::vector<T>>& list, const T& entry) {
    return list && std::ranges::find(*list, entry) != list->end();
}

template <class T>
bool take(std::optional<std::vector<T>>& list, const T& entry) {
    return list && std::erase(*list, entry) > 0;
}

template <class T>
void put(std::optional<std::vector<T>>& list, const T& entry) {
    if (!list) list.emplace();
    if (!contains(list, entry)) list->push_back(entry);
}

// True if clicks may edit the rule. The cells of an inverted rule mean the opposite, so it is left
// alone.
bool is_painted(const MaskLayer& layer, LayerKind kind) {
    return layer.kind == kind && !layer.invert;
}

// Applies `change` to the rules of one kind that hold for head h; `change` returns whether it
// removed something. Rules left without entries are removed.
template <class Change>
void change_layers(Layers& layers, LayerKind kind, Index h, const Change& change) {
    std::erase_if(layers, [&](MaskLayer& layer) {
        return is_painted(layer, kind) && holds_for(layer, h) && change(layer) &&
               !tidy_listed(layer);
    });
}

// Returns the rule of this kind that holds for all heads, created if missing.
MaskLayer& layer_for_all_heads(Layers& layers, LayerKind kind) {
    const auto found = std::ranges::find_if(
        layers, [&](const MaskLayer& layer) { return is_painted(layer, kind) && !layer.heads; });
    if (found != layers.end()) return *found;
    MaskLayer& layer = layers.emplace_back();
    layer.kind = kind;
    return layer;
}

std::optional<std::vector<Index>>& lines(MaskLayer& layer, Line line) {
    return line == Line::row ? layer.rows : layer.columns;
}

// Replaces a listed row or column with its cells.
void spell_out(MaskLayer& layer, Line line, Index at, Index length) {
    if (!take(lines(layer, line), at)) return;
    if (!layer.cells) layer.cells.emplace();
    for (Index across = 0; across < length; ++across)
        layer.cells->push_back(line == Line::row ? Cell{at, across} : Cell{across, at});
}

// The rules of one variant being edited, and the mask they give in head h of sequence b.
struct VariantMask {
    Scene& scene;
    Layers& layers;
    Index b, h;
    Shape shape;

    VariantMask(Scene& scene, int variant, Index b, Index h)
        : scene(scene),
          layers(variant_of(scene, variant).mask.layers),
          b(b),
          h(h),
          shape(shape_of(scene)) {
        expect_index(b, shape.b, "sequence");
        expect_index(h, shape.h, "head");
    }

    // Computes only some queries, because all of them may have a billion cells.
    Allowed allowed_rows(Index first, Index count) const {
        return allowed_cells(scene, layers, head_positions(scene, shape, b, h), first, count);
    }
    bool allows(Cell cell) const { return allowed_rows(cell.i, 1)(0, cell.j); }
    bool any_allowed(Line line, Index at) const {
        if (line == Line::row) return allowed_rows(at, 1).any();
        constexpr Index at_once = 64;
        for (Index first = 0; first < shape.n_q; first += at_once)
            if (allowed_rows(first, std::min(at_once, shape.n_q - first)).col(at).any())
                return true;
        return false;
    }
};

// Blocks a cell. An `allowed` rule overrides all others, so the cell is first removed from it.
void block_cell(const VariantMask& mask, Cell cell) {
    change_layers(mask.layers, LayerKind::allowed, mask.h, [&](MaskLayer& layer) {
        const bool in_row = contains(layer.rows, cell.i);
        const bool in_column = contains(layer.columns, cell.j);
        if (in_row) spell_out(layer, Line::row, cell.i, mask.shape.n_k);
        if (in_column) spell_out(layer, Line::column, cell.j, mask.shape.n_q);
        return take(layer.cells, cell);
    });
    if (mask.allows(cell)) put(layer_for_all_heads(mask.layers, LayerKind::blocked).cells, cell);
}

void allow_cell(const VariantMask& mask, Cell cell) {
    change_layers(mask.layers, LayerKind::blocked, mask.h,
                  [&](MaskLayer& layer) { return take(layer.cells, cell); });
    if (!mask.allows(cell)) put(layer_for_all_heads(mask.layers, LayerKind::allowed).cells, cell);
}

bool take_cells_of_line(MaskLayer& layer, Line line, Index at) {
    if (!layer.cells) return false;
    return std::erase_if(*layer.cells, [&](const Cell& cell) {
               return (line == Line::row ? cell.i : cell.j) == at;
           }) > 0;
}

void block_line(const VariantMask& mask, Line line, Index at) {
    const bool row = line == Line::row;
    change_layers(mask.layers, LayerKind::allowed, mask.h, [&](MaskLayer& layer) {
        const Line other = row ? Line::column : Line::row;
        const std::vector<Index> crossing = lines(layer, other).value_or(std::vector<Index>());
        for (const Index k : crossing)
            spell_out(layer, other, k, row ? mask.shape.n_q : mask.shape.n_k);
        const bool took = take(lines(layer, line), at);
        return take_cells_of_line(layer, line, at) || took || !crossing.empty();
    });
    if (mask.any_allowed(line, at))
        put(lines(layer_for_all_heads(mask.layers, LayerKind::blocked), line), at);
}

void allow_line(const VariantMask& mask, Line line, Index at) {
    change_layers(mask.layers, LayerKind::blocked, mask.h,
                  [&](MaskLayer& layer) { return take(lines(layer, line), at); });
    if (mask.any_allowed(line, at)) return;
    change_layers(mask.layers, LayerKind::blocked, mask.h,
                  [&](MaskLayer& layer) { return take_cells_of_line(layer, line, at); });
    if (!mask.any_allowed(line, at))
        put(lines(layer_for_all_heads(mask.layers, LayerKind::allowed), line), at);
}

void toggle_line(Scene& scene, const std::vector<int>& variants, Index b, Index h, Line line,
                 Index at) {
    const Shape shape = shape_of(scene);
    expect_index(at, line == Line::row ? shape.n_q : shape.n_k, "token");
    expect_variants(scene, variants);
    const bool block = std::ranges::any_of(variants, [&](int variant) {
        return VariantMask(scene, variant, b, h).any_allowed(line, at);
    });
    for (const int variant : variants) {
        const VariantMask mask(scene, variant, b, h);
        block ? block_line(mask, line, at) : allow_line(mask, line, at);
    }
}

}  // namespace

void set_allowed(Scene& scene, const std::vector<int>& variants, Index b, Index h, Cell cell,
                 bool allow) {
    const Shape shape = shape_of(scene);
    expect_index(cell.i, shape.n_q, "query");
    expect_index(cell.j, shape.n_k, "key");
    expect_variants(scene, variants);
    for (const int variant : variants) {
        const VariantMask mask(scene, variant, b, h);
        if (mask.allows(cell) == allow) continue;
        allow ? allow_cell(mask, cell) : block_cell(mask, cell);
    }
}

bool is_allowed(const Scene& scene, int variant, Index b, Index h, Cell cell) {
    const Shape shape = shape_of(scene);
    const bool there = variant >= 0 && variant < static_cast<int>(scene.variants.size()) &&
                       b >= 0 && b < shape.b && h >= 0 && h < shape.h && cell.i >= 0 &&
                       cell.i < shape.n_q && cell.j >= 0 && cell.j < shape.n_k;
    if (!there) return false;
    const auto& layers = scene.variants[variant].mask.layers;
    return allowed_cells(scene, layers, head_positions(scene, shape, b, h), cell.i, 1)(0, cell.j);
}

void toggle_row(Scene& scene, const std::vector<int>& variants, Index b, Index h, Index i) {
    toggle_line(scene, variants, b, h, Line::row, i);
}

void toggle_column(Scene& scene, const std::vector<int>& variants, Index b, Index h, Index j) {
    toggle_line(scene, variants, b, h, Line::column, j);
}

void set_layer(Scene& scene, const std::vector<int>& variants, LayerKind kind, bool on) {
    const Shape shape = shape_of(scene);
    if (on && rule_of(kind).needs_key && last_position(scene) >= shape.n_k)
        throw EditError(fmt::format("{}: a query is at position {}, where there is no key.",
                                    label(kind), last_position(scene)));
    if (on) expect_small_tensor(kind, shape);
    const MaskLayer layer = new_layer(kind, shape);
    if (on && is_bias(layer) && std::holds_alternative<WeightsInputs>(scene.inputs))
        throw EditError("Given weights take no biases, as they have no softmax input.");
    expect_variants(scene, variants);
    for (const int variant : variants) {
        Layers& layers = variant_of(scene, variant).mask.layers;
        const auto same = [&](const MaskLayer& other) { return other.kind == kind; };
        if (!on)
            std::erase_if(layers, same);
        else if (std::ranges::none_of(layers, same))
            layers.push_back(layer);
    }
}

}  // namespace maskscope
