#include "core/gpu/data/tables.h"

#include <bit>
#include <cmath>
#include <map>
#include <tuple>

#include "core/attention/mask.h"
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
    // Round first, so that a number that is too large becomes an infinity.
    return std::bit_cast<std::uint32_t>(static_cast<float>(Rounding(Dtype::float32)(number)));
}

// Returns alibi's slopes. If positions are listed, alibi is given as cells instead.
Words slopes(const Scene& scene, const std::vector<MaskLayer>& layers, Index heads) {
    Words words;
    for (Index h = 0; h < heads; ++h) {
        double sum = 0;
        for (const MaskLayer& layer : layers)
            if (layer.kind == LayerKind::alibi && holds_for(layer, h) && !lists_positions(scene))
                sum += alibi_slope(layer.slopes, h, heads);
        words.push_back(float_word(sum));
    }
    return words;
}

// The key of a head's bias cells: the rules that apply, and, if a formula reads more than its
// position, the sequence and head.
using GroupKey = std::tuple<std::vector<bool>, Index, Index>;

bool has_cells(const Scene& scene, const MaskLayer& layer) {
    if (layer.kind == LayerKind::alibi) return lists_positions(scene);
    return layer.kind == LayerKind::bias || layer.kind == LayerKind::formula_bias;
}

// True if every cell may have a number, not only listed ones.
bool is_full(const MaskLayer& layer) { return layer.kind != LayerKind::bias || layer.tensor; }

GroupKey group_key(const Scene& scene, const std::vector<MaskLayer>& layers, Index b, Index h) {
    GroupKey key{{}, 0, 0};
    for (const MaskLayer& layer : layers) {
        const bool holds = has_cells(scene, layer) && holds_for(layer, h);
        std::get<0>(key).push_back(holds);
        if (!holds || !is_full(layer)) continue;
        std::get<1>(key) = b;
        if (layer.kind == LayerKind::alibi || reads_of(layer).head) std::get<2>(key) = h;
    }
    return key;
}

// Bias cells by row, then by column; cells that are listed twice are added up.
struct BiasCells {
    Words rows, columns, values;
    double largest = 0;

    void add(Index column, double number) {
        if (std::isfinite(number)) largest = std::max(largest, std::abs(number));
        columns.push_back(static_cast<std::uint32_t>(column));
        values.push_back(float_word(number));
    }
    void begin_row() { rows.push_back(static_cast<std::uint32_t>(columns.size())); }

    void add_listed(const std::vector<MaskLayer>& layers, const Slice& asked) {
        std::map<std::pair<Index, Index>, double> sums;
        for (const MaskLayer& layer : layers)
            for (const BiasCell& cell : layer.bias)
                if (cell.i >= asked.first_row && cell.i < asked.end_row())
                    sums[{cell.i, cell.j}] += cell.x;
        auto next = sums.begin();
        for (Index i = asked.first_row; i <= asked.end_row(); ++i) {
            begin_row();
            for (; next != sums.end() && next->first.first == i; ++next)
                add(next->first.second, next->second);
        }
    }

    void add_all(const Scene& scene, const std::vector<MaskLayer>& layers,
                 const Attending& attending, const Slice& asked) {
        for (Index i = asked.first_row; i < asked.end_row(); ++i) {
            begin_row();
            const Matrix row = biases(scene, layers, attending, i, 1);
            for (Index j = 0; j < attending.n_k; ++j) add(j, row(0, j));
        }
        begin_row();
    }
};

void add_bias(const Scene& scene, const std::vector<MaskLayer>& layers, const Slice& asked,
              Tables& tables) {
    const Shape shape = shape_of(scene);
    std::map<GroupKey, std::uint32_t> groups;
    BiasCells cells;
    Words group_of_head, starts;
    for (Index b = 0; b < shape.b; ++b) {
        starts.push_back(float_word(static_cast<double>(scene.sequences[b].start)));
        for (Index h = 0; h < shape.h; ++h) {
            const Index head = b * shape.h + h;
            if (head < asked.first_head || head >= asked.end_head()) {
                group_of_head.push_back(0);
                continue;
            }
            const auto [at, is_new] = groups.emplace(group_key(scene, layers, b, h),
                                                     static_cast<std::uint32_t>(groups.size()));
            group_of_head.push_back(at->second);
            if (!is_new) continue;
            std::vector<MaskLayer> some;
            bool full = false;
            for (const MaskLayer& layer : layers)
                if (has_cells(scene, layer) && holds_for(layer, h)) {
                    some.push_back(layer);
                    full = full || is_full(layer);
                }
            if (full)
                cells.add_all(scene, some, attending(scene, shape, b, h), asked);
            else
                cells.add_listed(some, asked);
        }
    }
    tables.slopes_start = append_words(tables.words, slopes(scene, layers, shape.h));
    tables.starts_start = append_words(tables.words, starts);
    tables.groups_start = append_words(tables.words, group_of_head);
    tables.bias_rows_start = append_words(tables.words, cells.rows);
    tables.bias_columns_start = append_words(tables.words, cells.columns);
    tables.bias_values_start = append_words(tables.words, cells.values);
    tables.largest_bias = cells.largest;
}

Words sinks(const Variant& variant, Index heads) {
    Words words;
    for (Index h = 0; h < heads; ++h) {
        const double sink = sink_of(variant, h).value_or(0);
        words.push_back(float_word(sink));
        words.push_back(float_word(sink - static_cast<double>(static_cast<float>(sink))));
    }
    return words;
}

// Adds each row's scale in two parts: a float factor, and its remainder.
void add_row_scales(const Scene& scene, const Scale& scale, const Slice& asked, Tables& tables) {
    if (scale.kind != ScaleKind::formula) return;
    const Shape shape = shape_of(scene);
    Words words;
    for (Index head = 0; head < shape.b * shape.h; ++head) {
        if (head < asked.first_head || head >= asked.end_head()) {
            words.resize(words.size() + 2 * static_cast<std::size_t>(asked.rows));
            continue;
        }
        const Attending seen = attending(scene, shape, head / shape.h, head % shape.h);
        for (const double factor : row_scales(scene, scale, seen, asked.first_row, asked.rows)) {
            const double high = Rounding(Dtype::float32)(factor), size = std::abs(factor);
            words.push_back(float_word(factor));
            words.push_back(float_word(std::isfinite(high) ? factor - high : 0));
            tables.extreme_scale =
                tables.extreme_scale || size > largest_scale || (size != 0 && size < least_scale);
        }
    }
    tables.row_scales_start = append_words(tables.words, words);
}

}  // namespace

Tables make_tables(const Scene& scene, const Variant& variant, const Slice& asked,
                   const std::vector<std::uint32_t>& sheet_of_head,
                   const std::vector<double>& factors) {
    const Shape shape = shape_of(scene);
    const std::vector<MaskLayer>& layers = variant.mask.layers;
    Tables tables;
    tables.words.resize(2 * static_cast<std::size_t>(shape.b * shape.h));
    for (const MaskLayer& layer : layers) tables.biased = tables.biased || is_bias(layer);
    if (tables.biased) add_bias(scene, layers, asked, tables);
    Words more;
    for (const double factor : factors) more.push_back(float_word(factor));
    tables.factors_start = append_words(tables.words, more);
    const Index row_words = (shape.n_k + 31) / 32;
    for (Index b = 0; b < shape.b; ++b) {
        const Index pads = append_words(tables.words, pad_bits(key_tokens(scene, b, shape.n_k)));
        for (Index head = b * shape.h; head < (b + 1) * shape.h; ++head) {
            const Index sheet_row = Index{sheet_of_head[head]} * asked.rows - asked.first_row;
            tables.words[2 * head] = static_cast<std::uint32_t>(sheet_row * row_words);
            tables.words[2 * head + 1] = static_cast<std::uint32_t>(pads);
        }
    }
    add_row_scales(scene, variant.scale, asked, tables);
    tables.sinks_start = append_words(tables.words, sinks(variant, shape.h));
    return tables;
}

}  // namespace maskscope::gpu
