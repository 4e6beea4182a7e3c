#include "app/show/bench/alternative_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <span>

#include "app/show/bench/bench.h"
#include "app/show/views/view_entry.h"
#include "core/attention/row_figures.h"
#include "core/base/error.h"
#include "core/base/number_text.h"
#include "core/scene/names.h"
#include "core/scene/scene.h"

namespace maskscope {

namespace {

constexpr std::size_t most_told_tokens = 12;
constexpr std::size_t longest_told = 160;  // bytes of a title, a name or a token

bool is_inside_character(char byte) { return (static_cast<unsigned char>(byte) & 0xc0U) == 0x80; }

std::string shortened_words(const std::string& words, std::size_t longest = longest_told) {
    if (words.size() <= longest) return printable(words);
    std::size_t end = longest;
    while (end > 0 && is_inside_character(words[end])) --end;
    return printable(words.substr(0, end)) + "…";
}

}  // namespace

std::string in_quotes(const std::string& token) { return "“" + shortened_words(token, 40) + "”"; }

namespace {

std::string sentence_of(const TokenView& tokens) {
    std::string text;
    for (Index k = 0; k < Index(std::min(tokens.size(), most_told_tokens)); ++k)
        text += (k > 0 ? " " : "") + shortened_words(tokens[k], 40);
    return "“" + text + (tokens.size() > most_told_tokens ? " …”" : "”");
}

// Returns the words as a list: "mask, scores and weights".
std::string listed(const std::vector<std::string>& words) {
    std::string text;
    for (std::size_t k = 0; k < words.size(); ++k)
        text += (k == 0 ? "" : (k + 1 < words.size() ? ", " : " and ")) + words[k];
    return text;
}

}  // namespace

std::string rows_are(Index count, Index all, const std::string& one, const std::string& many) {
    if (all == 1) return "the row " + one;
    if (count == all) return "every row " + one;
    return fmt::format("{} of {} rows {}", count, all, count == 1 ? one : many);
}

namespace {

// --- the whole figure

std::string who_attends(const Scene& scene, const View& view) {
    const std::vector<Index> sequences = shown_sequences(view, shape_of(scene));
    const Index b = sequences.front();
    std::string text =
        is_self_attention(scene)
            ? fmt::format("Attention within {}", sentence_of(query_tokens(scene, b)))
            : fmt::format("Attention from {} to {}", sentence_of(query_tokens(scene, b)),
                          sentence_of(key_tokens(scene, b)));
    if (sequences.size() > 1)
        text += fmt::format(" and {} more sequence{}", sequences.size() - 1,
                            sequences.size() == 2 ? "" : "s");
    return text + ".";
}

std::string heads_told(const Shape& shape, const std::vector<Index>& heads) {
    if (shape.h == 1) return "";
    if (static_cast<Index>(heads.size()) == shape.h) return fmt::format("All {} heads.", shape.h);
    std::vector<std::string> numbers;
    for (const Index h : heads) numbers.push_back(std::to_string(h + 1));
    return fmt::format("Head{} {} of {}.", heads.size() == 1 ? "" : "s", listed(numbers), shape.h);
}

// True if the mask blocks a cell. The bench then draws the mask even if `show` leaves it out.
bool blocks_any(const Result& result, const View& view) {
    return std::ranges::any_of(shown_variants(view, result.scene), [&](int variant) {
        const VariantResult& computed = result.variants[variant];
        for (const Index b : shown_sequences(view, computed.shape))
            for (const Index h : shown_heads(view, computed.shape))
                for (Index i = 0; i < computed.shape.n_q; ++i)
                    for (Index j = 0; j < computed.shape.n_k; ++j)
                        if (!computed.is_allowed(b, h, i, j)) return true;
        return false;
    });
}

std::string what_is_drawn(const Result& result, const View& view, bool is_alone) {
    if (const ViewKind kind = shown_view(view, result.scene); kind != ViewKind::pipeline)
        return fmt::format("Shown: the view “{}”.", label(kind));
    std::vector<std::string> stages;
    for (int k = 0; k < all_stage_count; ++k)
        if (const auto stage = static_cast<StageKind>(k);
            (shows_stage(view, stage) && has_stage(result.scene, stage)) ||
            (stage == StageKind::allowed && !is_alone && blocks_any(result, view)))
            stages.push_back(within_sentence(label(stage)));
    return stages.empty() ? "" : fmt::format("Shown: {}.", listed(stages));
}

// --- a variant

// Describes the row with the smallest sum.
std::string least_row(const VariantResult& result, const std::vector<Index>& sequences,
                      const std::vector<Index>& heads, const Rows& rows) {
    std::optional<double> least;
    std::string token;
    for (const Index b : sequences)
        for (const Index h : heads)
            for (Index i = rows.first; i < rows.first + rows.count; ++i)
                if (const RowFigures row = result.row(b, h, i);
                    !row.nan && (!least || row.sum < *least)) {
                    least = row.sum;
                    token = result.queries[b][i];
                }
    if (!least) return "";
    return fmt::format("; the smallest sum is that of {}: {}", in_quotes(token),
                       cell_text(*least, true));
}

std::string rows_told(const Result& all, int variant, const std::vector<Index>& sequences,
                      const std::vector<Index>& heads, const Rows& rows) {
    const VariantResult& result = all.variants[variant];
    const RowCounts counts = count_rows(all, variant, sequences, heads, rows);
    const auto tell = [&](Index count, const std::string& one, const std::string& many) {
        return rows_are(count, counts.rows, one, many);
    };
    std::vector<std::string> found;
    if (counts.nan > 0) found.push_back(tell(counts.nan, "is NaN", "are NaN"));
    if (counts.empty > 0)
        found.push_back(tell(counts.empty, "has no allowed key", "have no allowed key"));
    if (counts.leaking > 0)
        found.push_back(tell(counts.leaking, "puts weight on blocked keys or padding",
                             "put weight on blocked keys or padding"));
    if (counts.faint > 0)
        found.push_back(tell(counts.faint, "leaks below 1e-6", "leak below 1e-6"));
    if (const auto& reference = all.scene.variants[variant].reference) {
        const char letter = variant_letter(*reference);
        if (counts.against > 0)
            found.push_back(tell(counts.against,
                                 fmt::format("puts weight on keys that {} blocks", letter),
                                 fmt::format("put weight on keys that {} blocks", letter)));
        if (counts.missing > 0)
            found.push_back(tell(counts.missing, fmt::format("blocks keys that {} allows", letter),
                                 fmt::format("block keys that {} allows", letter)));
    }
    if (counts.losing > 0)
        found.push_back(tell(counts.losing, "sums to less than 1", "sum to less than 1") +
                        least_row(result, sequences, heads, rows));
    if (counts.above > 0)
        found.push_back(tell(counts.above, "sums to more than 1", "sum to more than 1"));
    return found.empty() ? rows_are(counts.rows, counts.rows, "sums to 1", "") : listed(found);
}

// Returns a sentence on one row: "the row of “name” keeps 0.35; 3 of 6 keys are blocked".
std::string row_told(const VariantResult& result, const Variant& variant, Cell at, Index b,
                     Index h) {
    const RowFigures& row = result.row(b, h, at.i);
    Index blocked = 0;
    for (Index j = 0; j < result.shape.n_k; ++j)
        blocked += result.is_allowed(b, h, at.i, j) ? 0 : 1;
    const double tolerance = tolerance_of(variant.dtype);
    std::string does = row.nan                    ? "is NaN"
                       : row.sum < 1 - tolerance  ? "keeps " + cell_text(row.sum, true)
                       : row.sum <= 1 + tolerance ? "sums to 1"
                                                  : "sums to " + cell_text(row.sum, false);
    if (!row.nan && row.leak >= least_leak)
        does += ", " + cell_text(row.leak, true) + " on blocked keys";
    const std::string of_keys = blocked == 0
                                    ? "no key is blocked"
                                    : fmt::format("{} of {} keys {} blocked", blocked,
                                                  result.shape.n_k, blocked == 1 ? "is" : "are");
    return fmt::format("the row of {} {}; {}", in_quotes(result.queries[b][at.i]), does, of_keys);
}

// Returns "Variant B, pads, mask multiplied after the softmax"; names the mask only if the
// variant's name does not.
std::string variant_named(const Result& result, const View& view, int variant) {
    const Mask& mask = result.scene.variants[variant].mask;
    const std::string name = variant_title(view, result.scene, variant);
    std::string text = fmt::format("Variant {}", variant_letter(variant));
    if (!name.empty()) text += ", " + shortened_words(name);
    const auto says = [&](std::string_view words) {
        return within_sentence(name).find(within_sentence(words)) != std::string::npos;
    };
    if (mask.layers.empty() || says(label(mask.apply)) || says("No mask")) return text;
    return text + ", mask " + within_sentence(label(mask.apply));
}

bool shows_weights(const View& view) {
    using enum StageKind;
    const auto shows = [&](StageKind stage) { return shows_stage(view, stage); };
    return view.show.view.value_or(ViewKind::pipeline) != ViewKind::pipeline || shows(softmax) ||
           shows(weights) || shows(output) || shows(sensitivity);
}

std::string variant_told(const Result& result, const View& view, int index) {
    const VariantResult& computed = result.variants[index];
    const Variant& variant = result.scene.variants[index];
    const std::vector<Index> sequences = shown_sequences(view, computed.shape);
    const std::vector<Index> heads = drawn_heads(result.scene, view, computed.shape);
    const SeenSpan seen = seen_span(view.zoom.y0, view.zoom.y1, computed.shape.n_q);
    const Rows rows{seen.begin, seen.end - seen.begin};
    auto at = view.show.focus ? view.show.focus : view.show.ring;
    if (at && (at->i < seen.begin || at->i >= seen.end)) at.reset();
    const bool is_one_row = rows.count == 1 && sequences.size() == 1 && heads.size() == 1;
    std::vector<std::string> told;
    if (shows_weights(view)) {
        if (!at || !is_one_row) told.push_back(rows_told(result, index, sequences, heads, rows));
        const auto [b, h] = place_of_focus(view, computed.shape);
        if (at) told.push_back(row_told(computed, variant, *at, b, h));
    }
    const std::string name = variant_named(result, view, index);
    return told.empty() ? name + "." : fmt::format("{}: {}.", name, fmt::join(told, "; "));
}

}  // namespace

RowCounts count_rows(const Result& all, int variant, const std::vector<Index>& sequences,
                     const std::vector<Index>& heads, const Rows& rows) {
    const VariantResult& result = all.variants[variant];
    const Dtype dtype = all.scene.variants[variant].dtype;
    const bool has_reference = all.scene.variants[variant].reference.has_value();
    RowCounts counts;
    for (const Index b : sequences)
        for (const Index h : heads)
            for (Index i = rows.first; i < rows.first + rows.count; ++i) {
                const RowFigures row = result.row(b, h, i);
                ++counts.rows;
                counts.nan += row.nan ? 1 : 0;
                counts.empty += row.empty ? 1 : 0;
                const bool leaks = row.leak >= least_leak || row.pads >= least_leak;
                counts.leaking += leaks ? 1 : 0;
                counts.faint += !leaks && (row.leak > 0 || row.pads > 0) ? 1 : 0;
                if (has_reference && result.stage(StageKind::weights).exists()) {
                    const ReferenceFigures against = reference_figures(all, variant, b, h, i);
                    counts.against += against.leak >= least_leak ? 1 : 0;
                    counts.missing += against.missing > 0 ? 1 : 0;
                }
                counts.losing += row.sum < 1 - tolerance_of(dtype) ? 1 : 0;
                counts.above += row.sum > 1 + tolerance_of(dtype) ? 1 : 0;
            }
    return counts;
}

std::string alternative_text(const Result& result, const View& view, bool is_alone) {
    const Scene& scene = result.scene;
    std::string text = shortened_words(scene.title);
    if (!text.empty() && std::string_view(".?!").find(text.back()) == std::string_view::npos)
        text += ".";
    const auto add = [&](const std::string& sentence) {
        if (!sentence.empty()) text += (text.empty() ? "" : " ") + sentence;
    };
    const ViewEntry* wanted = view.show.view ? entry_of(*view.show.view) : nullptr;
    const bool concerns_tokens = !wanted || wanted->concerns_tokens;
    if (concerns_tokens) {
        add(who_attends(scene, view));
        add(heads_told(shape_of(scene), drawn_heads(scene, view, shape_of(scene))));
    }
    add(what_is_drawn(result, view, is_alone));
    if (!concerns_tokens) return shortened_words(text, longest_alternative);
    if (wanted && wanted->text && shown_view(view, scene) == wanted->kind)
        add(wanted->text(result, view));
    if (const auto& d = view.show.difference; d && !is_alone)
        add(fmt::format("The difference {} − {} is drawn.", variant_letter(d->variant),
                        variant_letter(d->minus)));
    const std::vector<int> variants = shown_variants(view, scene);
    constexpr std::size_t room = 40;  // bytes to say how many variants are left out
    for (std::size_t k = 0; k < variants.size(); ++k) {
        if (!result.variants[variants[k]].exists()) continue;
        const std::string told = variant_told(result, view, variants[k]);
        if (text.size() + told.size() + room > longest_alternative) {
            add(fmt::format("{} more variant{}.", variants.size() - k,
                            variants.size() - k == 1 ? "" : "s"));
            break;
        }
        add(told);
    }
    return shortened_words(text, longest_alternative);
}

}  // namespace maskscope
