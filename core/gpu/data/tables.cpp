#include "core/gpu/data/tables.h"

#include <bit>
#include <cmath>
#include <map>

#include "core/gpu/data/mask_data.h"
#include "core/scene/mask_rules.h"

namespace maskscope::gpu {
namespace {

using Words = std::vector<std::uint32_t>;

Index append_words(Words& words, const Words& more) {
    const auto start = static_cast<Index>(words.size());
    words.insert(words.end(), more.begin(), more.end());
    return start;
}

std::uint32_t float_word(double number) {
    return std::bit_cast<std::uint32_t>(static_cast<float>(number));
}

Words slopes(const std::vector<MaskLayer>& layers, Index heads) {
    Words words;
    for (Index h = 0; h < heads; ++h) {
        const double slope =
            std::exp2(-8.0 * static_cast<double>(h + 1) / static_cast<double>(heads));
        double sum = 0;
        for (const MaskLayer& layer : layers)
            if (layer.kind == LayerKind::alibi && holds_for(layer, h)) sum += slope;
        words.push_back(float_word(sum));
    }
    return words;
}

// The layers of bias cells that hold for head h.
std::vector<bool> bias_layers(const std::vector<MaskLayer>& layers, Index h) {
    std::vector<bool> hold;
    for (const MaskLayer& layer : layers)
        hold.push_back(layer.kind == LayerKind::bias && holds_for(layer, h));
    return hold;
}

// Bias cells by row, then by column; cells that are listed twice are added up.
struct BiasCells {
    Words rows, columns, values;

    void add_group(const std::vector<MaskLayer>& layers, const std::vector<bool>& hold, Index n_q) {
        std::map<std::pair<Index, Index>, double> sums;
        for (std::size_t k = 0; k < layers.size(); ++k)
            for (const BiasCell& cell : layers[k].bias)
                if (hold[k]) sums[{cell.i, cell.j}] += cell.x;
        auto next = sums.begin();
        for (Index i = 0; i <= n_q; ++i) {
            rows.push_back(static_cast<std::uint32_t>(columns.size()));
            for (; next != sums.end() && next->first.first == i; ++next) {
                columns.push_back(static_cast<std::uint32_t>(next->first.second));
                values.push_back(float_word(next->second));
            }
        }
    }
};

void add_bias(const std::vector<MaskLayer>& layers, const Shape& shape, Tables& tables) {
    std::map<std::vector<bool>, std::uint32_t> groups;
    BiasCells cells;
    Words group_of_head;
    for (Index h = 0; h < shape.h; ++h) {
        const auto hold = bias_layers(layers, h);
        const auto [at, is_new] = groups.emplace(hold, static_cast<std::uint32_t>(groups.size()));
        if (is_new) cells.add_group(layers, hold, shape.n_q);
        group_of_head.push_back(at->second);
    }
    tables.slopes_start = append_words(tables.words, slopes(layers, shape.h));
    tables.groups_start = append_words(tables.words, group_of_head);
    tables.bias_rows_start = append_words(tables.words, cells.rows);
    tables.bias_columns_start = append_words(tables.words, cells.columns);
    tables.bias_values_start = append_words(tables.words, cells.values);
}

}  // namespace

Tables make_tables(const Scene& scene, const std::vector<MaskLayer>& layers,
                   const std::vector<std::uint32_t>& plane_of_head,
                   const std::vector<double>& factors) {
    const Shape shape = shape_of(scene);
    Tables tables;
    tables.planes_start = append_words(tables.words, plane_of_head);
    for (const MaskLayer& layer : layers) tables.biased = tables.biased || is_bias(layer);
    if (tables.biased) add_bias(layers, shape, tables);
    Words more;
    for (const double factor : factors) more.push_back(float_word(factor));
    tables.factors_start = append_words(tables.words, more);
    more.clear();
    for (Index b = 0; b < shape.b; ++b)
        append_words(more, pad_bits(key_tokens(scene, b), scene.pad_token));
    tables.pads_start = append_words(tables.words, more);
    return tables;
}

}  // namespace maskscope::gpu
