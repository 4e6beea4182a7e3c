// Encodes as words what shaders read besides numbers: the mask rules, and tables of each variant.

#include "core/gpu/data/mask_data.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <map>
#include <tuple>

#include "core/attention/mask.h"
#include "core/gl/program.h"
#include "core/scene/mask_rules.h"

namespace maskscope::gpu {

namespace {

using Words = std::vector<std::uint32_t>;

void append(Words& words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
}

std::uint32_t word(Index number) {
    return static_cast<std::uint32_t>(static_cast<std::int32_t>(number));
}

// True if sequences may differ in what the rule allows.
bool by_sequence(const Scene& scene, const MaskLayer& layer) {
    const RuleDependencies reads = reads_of(layer);
    const auto places = [](const Sequence& sequence) {
        return std::tie(sequence.start, sequence.positions, sequence.key_positions);
    };
    const bool places_differ =
        std::ranges::adjacent_find(scene.sequences, std::ranges::not_equal_to(), places) !=
        scene.sequences.end();
    return reads.keys || reads.queries || reads.sequence || places_differ;
}

// True if mask.comp can compute the rule; otherwise the shader is given the cells.
bool is_in_shader(const Scene& scene, const MaskLayer& layer) {
    const LayerRule& rule = rule_of(layer.kind);
    const auto starts_later = [](const Sequence& sequence) { return sequence.start > 0; };
    const bool shifted =
        (rule.by_position || layer.align == Align::positions) &&
        (std::ranges::any_of(scene.sequences, starts_later) || lists_positions(scene));
    return rule.in_shader && !layer.invert && !shifted && layer.lengths_each.empty();
}

// --- the lists of a rule

Words padding(const Scene& scene, bool of_queries) {
    Words bits;
    const Shape shape = shape_of(scene);
    for (Index b = 0; b < shape.b; ++b)
        append(bits, pad_bits(of_queries ? query_tokens(scene, b, shape.n_q)
                                         : key_tokens(scene, b, shape.n_k)));
    return bits;
}

Words documents(const std::vector<Index>& lengths) {
    Words borders;
    Index start = 0;
    for (const Index length : lengths) {
        for (Index k = 0; k < length; ++k) append(borders, {word(start), word(start + length)});
        start += length;
    }
    return borders;
}

Words indices(const std::optional<std::vector<Index>>& listed, Index n) {
    std::vector<bool> numbers(static_cast<std::size_t>(n));
    for (const Index k : listed.value_or(std::vector<Index>())) numbers[k] = true;
    return bits_of(numbers);
}

// Returns the cells that the rule lists in the requested rows, sorted.
Words places_of(const MaskLayer& layer, const Shape& shape, const Slice& asked) {
    Words places;
    if (!layer.cells) return places;
    for (const Cell& cell : *layer.cells)
        if (cell.i >= asked.first_row && cell.i < asked.end_row())
            places.push_back(word((cell.i - asked.first_row) * shape.n_k + cell.j));
    std::ranges::sort(places);
    return places;
}

Words listed(const MaskLayer& layer, const Shape& shape, const Words& places) {
    Words words = indices(layer.rows, shape.n_q);
    append(words, indices(layer.columns, shape.n_k));
    append(words, places);
    return words;
}

// Returns the cells that the rule allows, one word for every 32 keys; once for each sequence if
// sequences may differ.
Words cells_of(const Scene& scene, const MaskLayer& layer, const Shape& shape, const Slice& asked) {
    const Index h = layer.heads ? layer.heads->front() : 0;  // the others have the same cells
    Words words;
    for (Index b = 0; b < (by_sequence(scene, layer) ? shape.b : 1); ++b) {
        const Allowed allowed = allowed_cells(scene, {layer}, head_positions(scene, shape, b, h),
                                              asked.first_row, asked.rows);
        for (Index i = 0; i < asked.rows; ++i)
            append(words, bits_of({allowed.row(i).begin(), allowed.row(i).end()}));
    }
    return words;
}

// A rule with its list, whose place is not known yet.
struct MaskCode {
    std::int64_t first = 0, second = 0, count = 0;
    Words list;
};

MaskCode encode(const Scene& scene, const MaskLayer& layer, const Slice& asked) {
    const Shape shape = shape_of(scene);
    const Index far = shape.n_q + shape.n_k;  // windows may be wider than an int can hold
    if (!is_in_shader(scene, layer))
        return {by_sequence(scene, layer) ? asked.rows : 0, 0, 0,
                cells_of(scene, layer, shape, asked)};
    switch (layer.kind) {
        case LayerKind::causal:
            return {layer.align == Align::bottom_right ? shape.n_k - shape.n_q : 0, 0, 0, {}};
        case LayerKind::padding:
        case LayerKind::padding_queries:
            return {0, 0, 0, padding(scene, layer.kind == LayerKind::padding_queries)};
        case LayerKind::window:
            return {std::min(layer.left, far), std::min(layer.right, far), 0, {}};
        case LayerKind::prefix:
            return {std::min(layer.length, shape.n_k), 0, 0, {}};
        case LayerKind::documents:
            return {0, 0, 0, documents(layer.lengths)};
        case LayerKind::blocked:
        case LayerKind::allowed: {
            const Words places = places_of(layer, shape, asked);
            return {0, 0, std::ssize(places), listed(layer, shape, places)};
        }
        default:
            return {};
    }
}

// Splits a rule whose formula reads the head into one rule for each head.
std::vector<MaskLayer> split_by_head(const std::vector<MaskLayer>& layers, Index heads) {
    std::vector<MaskLayer> split;
    for (const MaskLayer& layer : layers) {
        const bool reads_head = !is_bias(layer) && reads_of(layer).head;
        for (Index h = 0; reads_head && h < heads; ++h)
            if (holds_for(layer, h)) {
                split.push_back(layer);
                split.back().heads = {h};
            }
        if (!reads_head) split.push_back(layer);
    }
    return split;
}

// --- sheets

// The sequence (0 if no rule depends on it) and the rules that hold.
using Sheet = std::pair<Index, Words>;

Sheet sheet_of(const Scene& scene, const std::vector<MaskLayer>& layers, Index b, Index h) {
    std::vector<bool> holds(std::max<std::size_t>(layers.size(), 1));
    bool own = false;  // true if the sequence needs a sheet of its own
    for (std::size_t k = 0; k < layers.size(); ++k) {
        holds[k] = !is_bias(layers[k]) && holds_for(layers[k], h);
        own = own || (holds[k] && by_sequence(scene, layers[k]));
    }
    return {own ? b : 0, bits_of(holds)};
}

// Returns the sheets in the order in which heads need them.
std::vector<Sheet> find_sheets(const Scene& scene, const std::vector<MaskLayer>& layers,
                               const Slice& asked, Words& sheet_of_head) {
    const Shape shape = shape_of(scene);
    sheet_of_head.resize(static_cast<std::size_t>(shape.b * shape.h));
    std::vector<Sheet> sheets;
    std::map<Sheet, std::uint32_t> known;
    for (Index head = asked.first_head; head < asked.end_head(); ++head) {
        const Sheet sheet = sheet_of(scene, layers, head / shape.h, head % shape.h);
        const auto [at, is_new] = known.emplace(sheet, static_cast<std::uint32_t>(sheets.size()));
        if (is_new) sheets.push_back(sheet);
        sheet_of_head[static_cast<std::size_t>(head)] = at->second;
    }
    return sheets;
}

}  // namespace

std::vector<std::uint32_t> bits_of(const std::vector<bool>& numbers) {
    Words bits((numbers.size() + 31) / 32);
    for (std::size_t k = 0; k < numbers.size(); ++k)
        bits[k / 32] |= std::uint32_t{numbers[k]} << (k % 32);
    return bits;
}

std::vector<std::uint32_t> pad_bits(const TokenView& tokens) {
    std::vector<bool> pads(tokens.size());
    for (std::size_t k = 0; k < tokens.size(); ++k) pads[k] = tokens.is_pad(static_cast<Index>(k));
    return bits_of(pads);
}

MaskData mask_data(const Scene& scene, const std::vector<MaskLayer>& all, const Slice& asked) {
    const std::vector<MaskLayer> layers = split_by_head(all, shape_of(scene).h);
    MaskData made;
    const auto sheets = find_sheets(scene, layers, asked, made.sheet_of_head);
    made.layers = static_cast<Index>(layers.size());
    made.sheets = static_cast<Index>(sheets.size());
    made.sheets_start = made.layers * layer_size;
    made.sheet_size = 1 + static_cast<Index>(sheets.front().second.size());
    Words lists;
    const Index lists_start = made.sheets_start + made.sheets * made.sheet_size;
    for (const MaskLayer& layer : layers) {
        const MaskCode encoded = encode(scene, layer, asked);
        append(made.data,
               {word(static_cast<Index>(is_in_shader(scene, layer) ? layer.kind : LayerKind::all)),
                word(encoded.first), word(encoded.second),
                word(lists_start + static_cast<Index>(lists.size())), word(encoded.count)});
        append(lists, encoded.list);
    }
    for (const auto& [b, holds] : sheets) {
        made.data.push_back(word(b));
        append(made.data, holds);
    }
    append(made.data, lists);
    return made;
}

namespace {

Index append_words(Words& words, const Words& more) {
    const auto start = static_cast<Index>(words.size());
    words.insert(words.end(), more.begin(), more.end());
    return start;
}

std::uint32_t float_word(double number) {
    // Round first, so that a number that is too large becomes an infinity.
    return std::bit_cast<std::uint32_t>(static_cast<float>(Rounding(Dtype::float32)(number)));
}

// Returns alibi's slopes. If positions are listed, these are 0, and alibi is given as cells
// instead.
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

// The key of a head's bias cells: the rules that apply; the sequence, if such a rule has a number
// for every cell; the head, if that rule depends on it.
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
                 const HeadPositions& attending, const Slice& asked) {
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
                cells.add_all(scene, some, head_positions(scene, shape, b, h), asked);
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
        const HeadPositions seen = head_positions(scene, shape, head / shape.h, head % shape.h);
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
