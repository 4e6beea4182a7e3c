#include "app/show/bench/bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <iterator>
#include <map>

#include "app/show/bench/bench_parts.h"
#include "app/show/views/view_entry.h"
#include "app/style/labels.h"
#include "core/base/error.h"
#include "core/scene/mask_rules.h"
#include "core/scene/names.h"

namespace maskscope {

namespace {

// Makes spaces at either end of a token visible. Cuts out the middle of a token that is too wide
// for any place.
std::string with_seen_blanks(const std::string& whole) {
    constexpr std::size_t longest = 1000;
    if (!whole.empty() && whole.size() <= longest && whole.front() != ' ' && whole.back() != ' ')
        return whole;
    const std::string token = without_middle(whole, longest);
    const std::size_t first = std::min(token.find_first_not_of(' '), token.size());
    const std::size_t end = first == token.size() ? first : token.find_last_not_of(' ') + 1;
    std::string seen;
    for (std::size_t k = 0; k < token.size(); ++k)
        seen += k < first || k >= end ? "␣" : token.substr(k, 1);
    return seen;
}

double ems_of(const std::string& text) {
    constexpr double size = 100;
    return measure(text, {size}).width / size;
}

// Estimates the width as the sum of the letters' widths, each measured once, because measuring
// thousands of tokens would take long, and only few are drawn.
double about_ems_of(const std::string& token) {
    static thread_local std::map<std::string, double, std::less<>> known;
    double ems = 0;
    for (std::size_t begin = 0, end = 0; begin < token.size(); begin = end) {
        end = begin + 1;
        while (end < token.size() && (static_cast<unsigned char>(token[end]) & 0xc0U) == 0x80U)
            ++end;
        const std::string_view letter(token.data() + begin, end - begin);
        auto found = known.find(letter);
        if (found == known.end()) found = known.emplace(letter, ems_of(std::string(letter))).first;
        ems += found->second;
    }
    return ems;
}

std::vector<double> widths_of(const std::vector<std::string>& tokens) {
    constexpr std::size_t most_measured = 1024;
    std::vector<double> ems;
    std::ranges::transform(tokens, std::back_inserter(ems),
                           tokens.size() > most_measured ? about_ems_of : ems_of);
    return ems;
}

double longest_of(const std::vector<double>& ems) {
    return ems.empty() ? 0 : std::ranges::max(ems);
}

BenchTokens tokens_of(const VariantResult& result, Index b) {
    BenchTokens tokens;
    std::ranges::transform(result.queries[b], std::back_inserter(tokens.queries), with_seen_blanks);
    std::ranges::transform(result.keys[b], std::back_inserter(tokens.keys), with_seen_blanks);
    tokens.query_ems = widths_of(tokens.queries);
    tokens.key_ems = tokens.keys == tokens.queries ? tokens.query_ems : widths_of(tokens.keys);
    if (result.run && result.run->read[b].size() == tokens.queries.size() &&
        result.run->labels[b] == result.run->predicted[b]) {
        tokens.reads = result.run->read[b];
        tokens.read_ems = widths_of(tokens.reads);
        tokens.said = result.run->loss.empty();
    }
    find_longest(tokens);
    return tokens;
}

}  // namespace

void find_longest(BenchTokens& tokens) {
    tokens.longest_label = longest_of(tokens.query_ems);
    for (std::size_t k = 0; k < tokens.read_ems.size(); ++k)
        tokens.longest_label =
            std::max(tokens.longest_label, tokens.query_ems[k] + 0.85 * tokens.read_ems[k] + 0.5);
    tokens.longest_key = longest_of(tokens.key_ems);
}

SharedTokens KnownTokens::of(const VariantResult& result, Index b, const KnownTokens& before) {
    // A translator has few words, so make them again and compare them, instead of keeping them.
    std::shared_ptr<const BenchTokens> made;
    if (result.run) made = std::make_shared<const BenchTokens>(tokens_of(result, b));
    const auto is_same = [&](const Entry& known) {
        if (known.b != b || known.queries != result.queries || known.keys != result.keys)
            return false;
        return !made || *known.tokens == *made;
    };
    if (const auto own = std::ranges::find_if(known_, is_same); own != known_.end())
        return own->tokens;
    if (const auto old = std::ranges::find_if(before.known_, is_same); old != before.known_.end())
        return known_.emplace_back(*old).tokens;
    if (!made) made = std::make_shared<const BenchTokens>(tokens_of(result, b));
    known_.push_back({result.queries, result.keys, b, made});
    return made;
}

// Makes small heatmaps: every head of a sequence, and every sequence of a batch.

namespace {

using enum StageKind;

// The most cells of all small heatmaps. For a larger batch only lengths are shown, to avoid another
// copy of the numbers.
constexpr Index most_small_cells = 4'000'000;

}  // namespace

std::vector<Index> drawn_heads(const Scene& scene, const View& view, const Shape& shape) {
    std::vector<Index> listed = shown_heads(view, shape);
    const bool lists_several =
        listed.size() > 1 && scene.show && scene.show->view == ViewKind::heads;
    if (shown_view(view, scene) != ViewKind::heads || lists_several) return listed;
    std::vector<Index> all;
    for (Index h = 0; h < shape.h; ++h) all.push_back(h);
    return all;
}

StageKind stage_of_heads(const Result& result, const View& view) {
    StageKind found = weights;
    for (const StageKind stage : shown_stages(view.show))
        if (has_heads(stage) && result.variants.front().stage(stage).exists()) found = stage;
    return found;
}

std::vector<HeadsOfVariant> heads_of_variants(const BenchSource& d, const View& view,
                                              StageKind stage) {
    const Index b = shown_sequences(view, d.shape()).front();
    std::vector<HeadsOfVariant> variants;
    for (const int variant : d.variants) {
        if (!d.of(variant).stage(stage).exists()) continue;
        HeadsOfVariant entry{variant, d.variant(variant).name, d.changes[variant], {}};
        for (const Index h : drawn_heads(d.result.scene, view, d.shape()))
            entry.heads.push_back({h, shared_keys(d.result.scene.inputs, h),
                                   head_title(d.result.scene, h, {variant}),
                                   drawn(d, variant, stage, b, h)});
        variants.push_back(std::move(entry));
    }
    return variants;
}

std::vector<BatchRow> rows_of_batch(const BenchSource& d, Index h) {
    const Shape shape = d.shape();
    const bool small =
        shape.b * shape.n_q * shape.n_k * Index(d.variants.size()) <= most_small_cells;
    std::vector<BatchRow> rows;
    for (Index b = 0; b < shape.b; ++b) {
        const VariantResult& first = d.of(d.variants.front());
        BatchRow row{b, first.queries[b].without_pads(), first.keys[b].without_pads(), {}};
        for (const int variant : d.variants) {
            BenchVariant entry;
            entry.index = variant;
            if (small && d.of(variant).stage(weights).exists()) {
                entry.stages = {drawn(d, variant, weights, b, h)};
                entry.sums = sums_of(d, variant, b, h);
            }
            row.variants.push_back(std::move(entry));
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

namespace {

BenchBlock block_of(const BenchSource& d, const View& view, Index b, Index h) {
    BenchBlock block;
    block.b = b;
    block.h = h;
    block.tokens = d.tokens_of(b);
    block.earlier = earlier_of(d, b, h);
    const std::vector<StageKind> shared = shared_stages(d);
    block.shared = shared_of(d, shared, b, h);
    const bool one_mask =
        layers_are_shared(d.result.scene, d.variants) && variants_have_one_labelling(d);
    if (one_mask) block.mask = drawn(d, d.variants.front(), allowed, b, h);
    const auto add_variants = [&](std::optional<StageKind> from) {
        block.variants.clear();
        for (int variant : d.variants)
            block.variants.push_back(variant_of(d, variant, shared, !one_mask, b, h, from));
    };
    add_variants({});
    const bool part = d.variants.size() > 1 && block.shared.empty() && !shared.empty();
    if (part && !is_side_by_side(block)) {  // the variants branch at a stage that is not drawn
        add_variants(shared.back());
        const std::string note =
            stage_note(d.result.scene, d.variant(d.variants.front()), shared.back());
        block.source = note.empty() ? "S" : note;
    }
    add_compared(d, view, block);
    return block;
}

// Collects the flags for the legend once, rather than in every frame.
void gather_signs(Bench& bench) {
    each_stage(bench, [&](const BenchStage& stage) { bench.signs |= signs_of_any(*stage.cells); });
    for (const BenchBlock& block : bench.blocks)
        for (const BenchVariant& variant : block.variants)
            bench.loses_weight |= variant.sums.loses_weight;
}

// Makes a block for each shown sequence and head with make_block(b, h).
template <class MakeBlock>
Bench blocks_of(const Result& result, const View& view, MakeBlock make_block) {
    Bench bench;
    bench.title = result.scene.title;
    const Shape shape = result.variants.front().shape;
    const auto sequences = shown_sequences(view, shape), heads = shown_heads(view, shape);
    const std::vector<int> variants = shown_variants(view, result.scene);
    for (Index b : sequences)
        for (Index h : heads) {
            BenchBlock block = make_block(b, h);
            if (sequences.size() > 1) block.title = fmt::format("sequence {}", b + 1);
            if (heads.size() > 1)
                block.title +=
                    (block.title.empty() ? "" : " · ") + head_title(result.scene, h, variants);
            bench.blocks.push_back(std::move(block));
        }
    return bench;
}

Bench finished(Bench bench, const BenchSource& d, const View& view) {
    static std::atomic<std::uint64_t> made = 0;
    for (BenchBlock& block : bench.blocks) give_columns(block, bench);
    give_compared_limits(d, bench);
    gather_signs(bench);
    hide_covered(bench, view);
    bench.made = ++made;
    bench.sources = d.sources;
    bench.tokens = d.tokens;
    return bench;
}

// Makes all heads as a grid, or two of them and their difference.
Bench bench_of_heads(const Result& result, const View& view, const Sources& before,
                     const KnownTokens& tokens) {
    const StageKind stage = stage_of_heads(result, view);
    const BenchSource d = bench_source_of(result, view, {stage}, before, tokens);
    Bench bench;
    bench.title = result.scene.title;
    if (view.picked.size() == 2) {
        bench.blocks = blocks_of_two_heads(d, view, stage);
    } else {
        bench.heads = heads_of_variants(d, view, stage);
        BenchBlock labels;  // the names of the sequence's rows and columns
        labels.b = shown_sequences(view, d.shape()).front();
        labels.tokens = d.tokens_of(labels.b);
        bench.blocks.push_back(std::move(labels));
    }
    return finished(std::move(bench), d, view);
}

}  // namespace

bool is_side_by_side(const BenchBlock& block) {
    return block.variants.size() > 1 && block.shared.empty() &&
           std::ranges::all_of(block.variants, [](const BenchVariant& variant) {
               return variant.stages.size() == 1;
           });
}

namespace {

// Writes "same_token" as "same token".
std::string in_words(std::string_view name) {
    std::string words(name);
    std::ranges::replace(words, '_', ' ');
    return words;
}

// Returns the kinds of those rules of these variants that apply to this head, but not to all heads.
std::vector<LayerKind> own_layers(const Scene& scene, Index h, const std::vector<int>& variants) {
    std::vector<LayerKind> kinds;
    for (const int variant : variants)
        for (const MaskLayer& layer : scene.variants[variant].mask.layers)
            if (layer.heads && holds_for(layer, h) &&
                std::ranges::find(kinds, layer.kind) == kinds.end())
                kinds.push_back(layer.kind);
    return kinds;
}

bool are_alike(const std::vector<PatternHead>& heads) {
    return std::ranges::all_of(
        heads, [&](const PatternHead& head) { return head.pattern == heads.front().pattern; });
}

}  // namespace

std::string head_title(const Scene& scene, Index h, const std::vector<int>& variants) {
    std::string title = fmt::format("head {}", h + 1);
    const std::vector<LayerKind> layers = own_layers(scene, h, variants);
    const auto* patterns = std::get_if<PatternsInputs>(&scene.inputs);
    if (patterns && !(are_alike(patterns->heads) && !layers.empty()))
        title += " · " + in_words(name(patterns->heads.at(static_cast<std::size_t>(h)).pattern));
    if (const auto keys = shared_keys(scene.inputs, h))
        title += fmt::format(" · KV head {}", *keys + 1);
    for (const LayerKind kind : layers) title += " · " + in_words(name(kind));
    return title;
}

std::optional<Index> shared_keys(const Inputs& inputs, Index h) {
    if (kv_heads_of(inputs) >= heads_of(inputs) || h >= heads_of(inputs)) return std::nullopt;
    return kv_head_of(inputs, h);
}

bool layers_are_shared(const Scene& scene, const std::vector<int>& variants) {
    const auto masks = [](const Scene& s, int variant) {
        std::vector<MaskLayer> layers;
        for (const MaskLayer& layer : s.variants[variant].mask.layers)
            if (!is_bias(layer)) layers.push_back(layer);
        return layers;
    };
    return std::ranges::all_of(variants, [&](int variant) {
        return masks(scene, variant) == masks(scene, variants.front());
    });
}

bool is_drawn_as_weights(const VariantResult& variant, StageKind stage) {
    return stage == StageKind::softmax &&
           variant.stage(stage).shares(variant.stage(StageKind::weights));
}

SharedSource BenchSource::source(int variant, StageKind stage) const {
    SharedSource& made = sources[{variant, stage}];
    if (made) return made;
    const auto old = before.find({variant, stage});
    made = source_of(result, variant, stage, old != before.end() ? old->second : nullptr);
    return made;
}

BenchSource bench_source_of(const Result& result, const View& view, std::vector<StageKind> stages,
                            const Sources& before, const KnownTokens& tokens) {
    BenchSource d{.result = result,
                  .variants = shown_variants(view, result.scene),
                  .stages = std::move(stages),
                  .heads = {},
                  .limits = {},
                  .colouring = view.colouring,
                  .focus = {},
                  .changes = {},
                  .before = before,
                  .sources = {},
                  .tokens_before = tokens,
                  .tokens = {}};
    d.heads = shown_heads(view, d.shape());
    if (view.show.focus && !view.asks()) d.focus = view.show.focus->i;
    for (int variant = 0; variant < std::ssize(result.scene.variants); ++variant)
        d.changes.push_back(variant_changes(view, result.scene, variant));
    std::vector<StageKind> limited = d.stages;
    limited.insert(limited.end(), {allowed, weights});
    for (const StageKind stage : limited) {
        std::vector<SharedSource> variants;
        for (const int variant : d.variants)
            variants.push_back(
                d.source(variant, is_drawn_as_weights(d.of(variant), stage) ? weights : stage));
        d.limits[std::size_t(stage)] =
            limits_of_sources(variants, stage, view.colouring.logarithmic);
    }
    return d;
}

std::string noted(std::string note, const Cells& cells) {
    const double seen = cells.source->seen;
    return seen < 1 ? fmt::format("sampled, {:.0f}%", std::floor(100 * seen)) : std::move(note);
}

BenchStage drawn(const BenchSource& d, int variant, StageKind stage, Index b, Index h) {
    BenchStage s;
    s.stage = stage;
    s.cells = cells_of(d.source(variant, stage), b, h);
    s.limits = d.limits[std::size_t(stage)];
    s.map = map_of(stage, ThemeKind::dark);
    if (d.colouring.map && !is_signed(stage)) s.map = *d.colouring.map;
    s.title = label(stage);
    if (stage == allowed) s.marks = marks_of(d, variant, b, h);
    s.note = noted(stage_note(d.result.scene, d.variant(variant), stage), *s.cells);
    const VariantResult &own = d.of(variant), &first = d.of(d.variants.front());
    if (own.run && (own.queries[b] != first.queries[b] || own.keys[b] != first.keys[b]))
        s.tokens = d.tokens_of(own, b);
    return s;
}

Bench make_bench(const Result& result, const View& view, const Sources& before,
                 const KnownTokens& tokens) {
    if (shown_view(view, result.scene) == ViewKind::heads)
        return bench_of_heads(result, view, before, tokens);
    const BenchSource d = bench_source_of(result, view, shown_stages(view.show), before, tokens);
    Bench bench =
        blocks_of(result, view, [&](Index b, Index h) { return block_of(d, view, b, h); });
    if (view.show.vectors)
        for (BenchBlock& block : bench.blocks) add_tensors(d, block);
    if (view.batch) bench.batch = rows_of_batch(d, bench.blocks.front().h);
    return finished(std::move(bench), d, view);
}

Bench single_heatmaps(const Result& result, const View& view, StageKind stage,
                      const Sources& before) {
    const BenchSource d = bench_source_of(result, view, {stage}, before);
    return finished(blocks_of(result, view,
                              [&](Index b, Index h) {
                                  BenchBlock block;
                                  block.b = b;
                                  block.h = h;
                                  block.tokens = d.tokens_of(b);
                                  for (int variant : d.variants) {
                                      BenchVariant l =
                                          variant_of(d, variant, {}, stage == allowed, b, h);
                                      if (!l.stages.empty()) block.variants.push_back(std::move(l));
                                  }
                                  return block;
                              }),
                    d, view);
}

namespace {

bool is_before_weights(const BenchStage& stage) { return stage.stage < StageKind::weights; }

auto stages_before_weights(const BenchVariant& variant) {
    return std::ranges::count_if(variant.stages, is_before_weights);
}

// Assigns columns from `fork` on to the stages of one variant. No stage is to the left of the same
// stage on the longest connector, and neither the weights nor later stages are to the left of
// weights_column. Returns the next free column.
int give_columns(BenchVariant& variant, const BenchVariant& longest, int fork, int weights_column) {
    int next = fork;
    for (BenchStage& stage : variant.stages) {
        const auto like = std::ranges::find_if(
            longest.stages, [&](const BenchStage& other) { return other.stage == stage.stage; });
        if (!is_before_weights(stage)) next = std::max(next, weights_column);
        if (like != longest.stages.end())
            next = std::max(next, fork + int(like - longest.stages.begin()));
        stage.column = next++;
    }
    return next;
}

}  // namespace

void give_columns(BenchBlock& block, Bench& bench) {
    // Earlier layers are one below the other, but side by side if there are several blocks, because
    // the blocks are already one below the other.
    const bool abreast = bench.blocks.size() > 1;
    int column = 0;
    for (BenchStage& stage : block.earlier) stage.column = abreast ? column++ : 0;
    if (!block.earlier.empty()) column = block.earlier.back().column + 1;
    for (BenchStage& stage : block.tensors) stage.column = column;
    if (!block.tensors.empty()) ++column;
    for (BenchStage& stage : block.shared) stage.column = column++;
    if (block.mask) block.mask->column = block.shared.empty() ? column++ : column - 1;
    bench.columns = std::max(bench.columns, column);
    if (block.variants.empty()) return;
    const BenchVariant longest =
        *std::ranges::max_element(block.variants, [](const BenchVariant& x, const BenchVariant& y) {
            return stages_before_weights(x) < stages_before_weights(y);
        });
    const int weights_column = column + int(stages_before_weights(longest));
    for (BenchVariant& variant : block.variants)
        bench.columns =
            std::max(bench.columns, give_columns(variant, longest, column, weights_column));
}

}  // namespace maskscope
