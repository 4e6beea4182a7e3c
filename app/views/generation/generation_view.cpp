#include "app/views/generation/generation_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "app/figure/plots/lay_out_view.h"
#include "app/session/session.h"
#include "app/show/bench/alternative_text.h"
#include "app/show/cells/cell_rows.h"
#include "app/show/views/view_entry.h"
#include "core/attention/head_inputs.h"
#include "core/attention/mask.h"
#include "core/base/number_text.h"
#include "core/compute/decode.h"
#include "core/scene/scene.h"

namespace maskscope {

namespace {

constexpr Index most_cached_heads = 8;  // the most heads that are drawn

// Returns which of the first t + 1 keys step t computes weights for; all if no mask is applied.
Allowed computed_keys(const Scene& scene, const Mask& mask, Index b, Index h, Index t) {
    if (mask.apply == Apply::none) return Allowed::Constant(1, t + 1, true);
    return allowed_cells(scene, mask.layers, decoding(scene, b, h, t));
}

// Returns row t of `decode` with its own mask.
SharedCells row_alone(const Result& result, const Stage& decode, int variant, Index b, Index h,
                      Index t) {
    const Scene& scene = result.scene;
    const VariantResult& computed = result.variants[variant];
    const Allowed allowed =
        allowed_cells(scene, scene.variants[variant].mask.layers, decoding(scene, b, h, t));
    auto cells = std::make_shared<Cells>();
    cells->stage = StageKind::weights;
    cells->rows = 1;
    cells->columns = t + 1;
    for (Index j = 0; j <= t; ++j) {
        const double weight = decode.at(b, h, t, j);
        std::uint8_t signs = sign_of_number(weight);
        if (!allowed(0, j)) signs |= sign::blocked;
        if ((!allowed(0, j) || computed.is_pad(b, j)) && weight >= least_leak) signs |= sign::leaks;
        cells->values.push_back(weight);
        cells->signs.push_back(signs);
    }
    return cells;
}

// Returns the difference that counts as rounding: backends may round float32 slightly differently.
double rounding_of(Dtype dtype) { return std::max(1e-5, tolerance_of(dtype)); }

double apart_in_row(const Stage& at_once, const Stage& decode, Index b, Index h, Index t) {
    double apart = 0;
    bool both_nan = false;  // true: NaN at a later key is not a difference either
    for (Index j = 0; j < at_once.columns(); ++j) {
        const double x = at_once.at(b, h, t, j), y = decode.at(b, h, t, j);
        if (j <= t) both_nan |= std::isnan(x) && std::isnan(y);
        if (std::isnan(x) && (std::isnan(y) || (j > t && both_nan))) continue;
        if (std::isnan(x) || std::isnan(y)) return not_a_number;
        apart = std::max(apart, std::abs(x - y));
    }
    return apart;
}

// Returns why row t of the full pass differs from the same row step by step, in words. If no reason
// is known, says only where.
std::string why_row_differs(const Result& result, int variant, const Stage& decode, Index b,
                            Index h, Index t) {
    const Scene& scene = result.scene;
    const Variant& settings = scene.variants[variant];
    const Stage& at_once = result.variants[variant].stage(StageKind::weights);
    double later = 0;
    bool nan_at_once = false, nan_alone = false;
    for (Index j = 0; j < at_once.columns(); ++j) {
        const double weight = at_once.at(b, h, t, j);
        nan_at_once |= std::isnan(weight);
        nan_alone |= j <= t && std::isnan(decode.at(b, h, t, j));
        if (j > t) later += weight;
    }
    const auto why = [&](const std::string& reason) {
        return fmt::format("{} differs most: {}", in_quotes(query_tokens(scene, b)[t]), reason);
    };
    if (nan_at_once != nan_alone)
        return why(nan_alone ? "NaN only step by step" : "NaN only in the full pass");
    if (later > 0)
        return why(exact_share(later) + " of its weight in the full pass is on later tokens");
    if (settings.mask.apply != Apply::none) {
        const Allowed keys = computed_keys(scene, settings.mask, b, h, t);
        for (Index j = 0; j <= t; ++j)
            if (keys(0, j) != result.variants[variant].is_allowed(b, h, t, j))
                return why("step by step, its mask rules are aligned to the tokens so far");
    }
    if (settings.scale.kind == ScaleKind::sqrt_n_k)
        return why("step by step, √n counts only the tokens so far");
    if (masks_weights(settings.mask.apply))
        return why("in the full pass, its softmax also counts later tokens");
    return fmt::format("{} differs most", in_quotes(query_tokens(scene, b)[t]));
}

Index bytes_of(Dtype dtype) {
    return dtype == Dtype::float64 ? 8 : dtype == Dtype::float32 ? 4 : 2;
}

void count_pairs(GenerationVariant& made, const Result& result, Index b, Index h) {
    const Scene& scene = result.scene;
    const Mask& mask = scene.variants[made.index].mask;
    const Index n = shape_of(scene).n_q;
    const bool masks = mask.apply != Apply::none;
    for (Index t = 0; t < n; ++t) {
        for (Index j = 0; j < n; ++j)
            made.pairs += !masks || result.variants[made.index].is_allowed(b, h, t, j) ? 1 : 0;
        made.pairs_with_cache += computed_keys(scene, mask, b, h, t).count();
        made.pairs_without += made.pairs_with_cache;  // as every row so far is computed again
    }
}

// Returns for each step the number of its cached keys to which some later row attends in any head.
std::vector<Index> needed_keys(const Scene& scene, const Mask& mask, Index b) {
    const Shape shape = shape_of(scene);
    std::vector<Index> needed(shape.n_q);
    std::vector<bool> seen(shape.n_q);
    for (Index t = shape.n_q - 1; t >= 0; --t) {
        needed[t] = std::count(seen.begin(), seen.begin() + t + 1, true);
        for (Index h = 0; h < shape.h; ++h) {
            const Allowed keys = computed_keys(scene, mask, b, h, t);
            for (Index j = 0; j <= t; ++j)
                if (keys(0, j)) seen[j] = true;
        }
    }
    return needed;
}

GenerationVariant variant_of(const Result& result, const View& view, int index, Index b, Index h,
                             Progress& progress) {
    const Scene& scene = result.scene;
    const Variant& variant = scene.variants[index];
    const Stage& at_once = result.variants[index].stage(StageKind::weights);
    const Stage decode = decode_of(scene, *result.inputs, index, progress);
    GenerationVariant made;
    made.index = index;
    made.name = variant_title(view, scene, index);
    made.at_once = cells_of(source_of(result, index, StageKind::weights), b, h);
    for (Index t = 0; t < at_once.rows(); ++t) {
        made.alone.push_back(row_alone(result, decode, index, b, h, t));
        const double apart = apart_in_row(at_once, decode, b, h, t);
        const bool matches = apart <= rounding_of(variant.dtype);
        made.apart.push_back(matches ? 0 : apart);
        made.why.push_back(matches ? "" : why_row_differs(result, index, decode, b, h, t));
    }
    count_pairs(made, result, b, h);
    made.needed = needed_keys(scene, variant.mask, b);
    made.bytes = bytes_of(variant.dtype);
    return made;
}

// --- the cache

// Returns the first query head that uses this KV head.
Index reader_of(const Inputs& inputs, Index key_head) {
    Index h = 0;
    while (kv_head_of(inputs, h) != key_head) ++h;
    return h;
}

// Returns K or V of every KV head; null if the inputs have none.
SharedSource cached(const Result& result, InputPart part, Index key_heads) {
    const BatchInputs& inputs = *result.inputs;
    const auto [rows, columns] = inputs.size_of(part);
    if (rows == 0) return nullptr;
    const Shape shape{inputs.shape.b, key_heads, rows, columns};
    Stage numbers(shape.b, shape.h, shape.n_q, shape.n_k, true);
    for (Index b = 0; b < shape.b; ++b)
        for (Index h = 0; h < key_heads; ++h)
            numbers.set_head(b, h, inputs.part(b, reader_of(result.scene.inputs, h), part));
    return std::make_shared<CellSource>(StageKind::output, numbers, shape);
}

// Returns the query heads of a KV head: "heads 1–2", or "heads 1, 3".
std::string readers_of(const Inputs& inputs, Index key_head) {
    std::vector<Index> readers;
    for (Index h = 0; h < heads_of(inputs); ++h)
        if (kv_head_of(inputs, h) == key_head) readers.push_back(h + 1);
    if (readers.size() == 1) return fmt::format("head {}", readers.front());
    const bool is_run = readers.back() - readers.front() + 1 == std::ssize(readers);
    std::string text = fmt::format("heads {}", readers.front());
    if (is_run) return text + fmt::format("–{}", readers.back());
    for (std::size_t k = 1; k < readers.size(); ++k) text += fmt::format(", {}", readers[k]);
    return text;
}

void fill_cache(GenerationView& made, const Result& result) {
    const Inputs& inputs = result.scene.inputs;
    made.key_heads = kv_heads_of(inputs);
    const SharedSource keys = cached(result, &HeadInputs::keys, made.key_heads);
    const SharedSource values = cached(result, &HeadInputs::values, made.key_heads);
    std::vector<SharedSource> both;
    if (keys) both.push_back(keys), made.d_k = keys->columns;
    if (values) both.push_back(values), made.d_v = values->columns;
    if (both.empty()) return;
    made.cache_limits = limits_of_sources(both, StageKind::output);
    for (Index h = 0; h < made.key_heads; ++h) {
        const bool is_own = h == kv_head_of(inputs, made.h);
        if (made.key_heads > most_cached_heads && !is_own) continue;
        made.cache.push_back({made.key_heads > 1 ? readers_of(inputs, h) : "",
                              keys ? cells_of(keys, made.b, h) : nullptr,
                              values ? cells_of(values, made.b, h) : nullptr});
    }
}

}  // namespace

std::string why_no_generation(const Scene& scene) {
    if (std::holds_alternative<WeightsInputs>(scene.inputs))
        return "These inputs are weights, so there is nothing to compute step by step.";
    if (std::holds_alternative<OutputInputs>(scene.inputs))
        return "These inputs come from an earlier layer. Generation is shown only for a single "
               "layer.";
    if (is_trained(scene.inputs))
        return "A translator generates word by word in its own view, Translator.";
    if (!has_decode(scene))
        return "Queries and keys are different tokens. Generation is shown only for "
               "self-attention.";
    const Index n = shape_of(scene).n_q;
    if (n > most_generated)
        return fmt::format("Generation is shown for up to {} tokens; this scene has {}.",
                           most_generated, n);
    return "";
}

GenerationView make_generation(const Result& result, const View& view, Progress& progress) {
    const Scene& scene = result.scene;
    const Shape shape = shape_of(scene);
    GenerationView made;
    made.missing = why_no_generation(scene);
    if (!made.missing.empty()) return made;
    made.b = shown_sequences(view, shape).front();
    made.h = shown_heads(view, shape).front();
    made.heads = shape.h;
    made.tokens = query_tokens(scene, made.b);
    std::vector<SharedSource> weights;
    for (const int variant : shown_variants(view, scene)) {
        made.variants.push_back(variant_of(result, view, variant, made.b, made.h, progress));
        weights.push_back(made.variants.back().at_once->source);
    }
    made.limits = limits_of_sources(weights, StageKind::weights, view.colouring.logarithmic);
    made.map = view.colouring.map.value_or(map_of(StageKind::weights, ThemeKind::dark));
    fill_cache(made, result);
    return made;
}

// --- words

std::string apart_words(double apart) {
    if (std::isnan(apart)) return "NaN in one";
    return apart == 0 ? "matches" : "differs by " + cell_text(apart, true);
}

std::string why_apart(const GenerationVariant& variant, Index t) {
    const auto distance = [](double apart) { return std::isnan(apart) ? infinity : apart; };
    const auto last = variant.apart.begin() + t + 1;
    const auto worst = std::ranges::max_element(variant.apart.begin(), last, {}, distance);
    return variant.why[worst - variant.apart.begin()];
}

std::string pairs_words(const GenerationVariant& variant, Index tokens, bool in_short) {
    std::string text =
        fmt::format("Query–key pairs: {} of {} in a full pass", variant.pairs, tokens * tokens);
    if (in_short) return text;
    return text + fmt::format("; step by step {} with a KV cache, {} without",
                              variant.pairs_with_cache, variant.pairs_without);
}

Index cached_numbers(const GenerationView& view, Index t) {
    return (t + 1) * view.key_heads * (view.d_k + view.d_v);
}

std::string cache_words(const GenerationView& view, const GenerationVariant& variant, Index t) {
    const Index cached = t + 1, numbers = cached_numbers(view, t);
    if (numbers == 0) return "";
    std::string text = fmt::format("{} token{}", cached, cached == 1 ? "" : "s");
    if (view.key_heads > 1) text += fmt::format(" × {} heads", view.key_heads);
    if (view.d_k > 0 && view.d_v > 0)
        text += fmt::format(" × ({} + {})", view.d_k, view.d_v);
    else
        text += fmt::format(" × {}", view.d_k + view.d_v);
    text += fmt::format(" = {} numbers, {} bytes", numbers, numbers * variant.bytes);
    if (cached == Index(view.tokens.size())) return text;
    const Index needed = variant.needed[t];
    if (needed == cached) return text + (cached == 1 ? "; still needed" : "; all still needed");
    if (needed == 0) return text + "; none is needed any more";
    return text + fmt::format("; {} {} still needed", needed, needed == 1 ? "is" : "are");
}

// --- the user's actions in the view: to go from token to token

namespace {

void adapt_key(ViewKey& key, const View& view) {
    const auto& [map, logarithmic] = view.colouring;
    key.rest = fmt::format("{} {}", map ? int(*map) : -1, logarithmic ? int(*logarithmic) : -1);
}

ViewContent make(const Result& result, const View& view, Progress& progress) {
    return std::make_shared<const GenerationView>(make_generation(result, view, progress));
}

ViewContent limited(const void* content, const ViewEntry::Limit& limit) {
    auto data = std::make_shared<GenerationView>(*static_cast<const GenerationView*>(content));
    limit(data->limits, "the weights");
    limit(data->cache_limits, "the KV cache");
    return data;
}

Figure lay_out(const void* content, const Result& result, const Bench& bench, const View& view,
               const LayoutOptions& options) {
    return lay_out_generation(*static_cast<const GenerationView*>(content), bench, view,
                              row_in_view(view, shape_of(result.scene)), options);
}

// Returns a description: "Step by step, up to token 4 of 6, “is”; variant A: every row matches the
// full pass; variant B: 2 of 4 rows differ by up to 0.12."
std::string generation_text(const Result& result, const View& view) {
    Progress progress;
    const GenerationView data = make_generation(result, view, progress);
    if (!data.missing.empty()) return data.missing;
    const Index t = row_in_view(view, shape_of(result.scene));
    std::string text = fmt::format("Step by step, up to token {} of {}, {}", t + 1,
                                   data.tokens.size(), in_quotes(data.tokens[t]));
    for (const GenerationVariant& variant : data.variants) {
        const std::span rows(variant.apart.data(), static_cast<std::size_t>(t + 1));
        const Index off = t + 1 - std::ranges::count(rows, 0);
        const bool nan = std::ranges::any_of(rows, [](double apart) { return std::isnan(apart); });
        text += fmt::format("; variant {}: ", variant_letter(variant.index));
        text += off == 0 ? "every row matches the full pass"
                         : rows_are(off, t + 1, "differs", "differ");
        if (off > 0 && !nan)
            text += " by up to " + cell_text(*std::ranges::max_element(rows), true);
    }
    return text + ".";
}

// Generates the sequence up to token t.
void generate_up_to(Session& session, Index t) {
    auto& focus = session.view().show.focus;
    const Index last = shape_of(session.shown().scene).n_q - 1;
    t = std::clamp<Index>(t, 0, last);
    focus = Cell{t, std::min(t, focus ? focus->j : 0)};
}

bool step(Session& session, Index steps, bool) {
    const Index t = row_in_view(session.view(), shape_of(session.shown().scene));
    generate_up_to(session, t + steps);
    return session.view().show.focus->i != t;
}

bool move(Session& session, std::optional<Spot>&, Index down, Index right) {
    step(session, down + right, true);
    return true;
}

// Returns the cell of the weights at a point; nullopt if there is none. row: the row at the point,
// because each row computed step by step is its own heatmap.
std::optional<CellRef> generated_cell(const Figure& figure, Point at, const Spot& row) {
    for (const Heatmap& map : figure.heatmaps)
        if (const auto cell = cell_at(map, at); cell && map.variant >= 0)
            return CellRef{map.variant, StageKind::weights, map.b, map.h, row.row, cell->j};
    return std::nullopt;
}

// Handles a press on a row, which generates up to its token.
void use_pointer(Session& session, const Figure& figure, const PlotPointer& pointer) {
    const Spot* row = pointer.inside ? spot_at(figure.spots, pointer.at) : nullptr;
    session.view().hovered =
        row != nullptr ? generated_cell(figure, pointer.at, *row) : std::nullopt;
    if (row != nullptr && pointer.pressed) generate_up_to(session, row->row);
}

}  // namespace

const ViewEntry generation_entry = {.kind = ViewKind::generation,
                                    .label = "Generation",
                                    .unavailable_reason = why_no_generation,
                                    .explains_absence = true,
                                    .adapt_key = adapt_key,
                                    .make = make,
                                    .limited = limited,
                                    .lay_out = lay_out,
                                    .text = generation_text,
                                    .use_pointer = use_pointer,
                                    .move = move,
                                    .step = step};

}  // namespace maskscope
