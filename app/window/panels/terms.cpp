// Every term that the window draws, explained: a sentence, its formula, and the file's word.

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "app/window/panels/words.h"

namespace maskscope {

namespace {

struct Term {
    std::vector<std::string_view> names;  // as they are drawn
    std::string_view sentence, formula{}, file{};
};

const std::vector<Term>& all_terms() {
    static const std::vector<Term> terms{
        // --- stages
        {{"Mask"},
         "Which keys each query may look at: 1 where a key is allowed, hatched where it is "
         "blocked.",
         "m = 1 or 0; added, M = 0 or the value",
         "allowed; made by mask.layers"},
        {{"Scores", "score"},
         "How well each key answers each query, before anything is done to it.",
         "s = q · k",
         "scores"},
        {{"Scaled scores"},
         "The scores times the lane's scale, so that they stay about as large however wide "
         "the vectors are.",
         "s / √d",
         "scaled"},
        {{"Into the softmax", "logit"},
         "What the softmax receives, also called logits: the scaled scores, with biases and any "
         "mask before the softmax.",
         "x = s / √d + M",
         "logits"},
        {{"Softmax", "softmax"},
         "Every number that goes in becomes a share of the row: e to its power, divided by the sum "
         "over the row.",
         "eˣ / Σ eˣ",
         "softmax; normalizer: softmax"},
        {{"Weights", "weights"},
         "How much each query takes of each key. They are the softmax, unless a mask multiplies it "
         "afterwards.",
         "w = softmax(x), or softmax(x) × m",
         "weights"},
        {{"Output"},
         "What each query carries on: the values of all keys, each times its weight.",
         "w · V",
         "output"},
        {{"Sensitivity", "sensitivity"},
         "How much the row's weights depend on the score of one key. 0: nothing can be learnt "
         "through it.",
         "Σₖ |∂wₖ / ∂sⱼ|",
         "sensitivity"},
        {{"Depends on"},
         "How much the query's output changes, at most, when the token of the key is replaced by "
         "another: the largest change of a component, over all heads. 0: it cannot see the token, "
         "not even through a sum.",
         "max |Δ output|",
         "depends"},
        {{"Q"}, "The queries: what each token asks for, a row each.", "q = x W_q", "inputs"},
        {{"K"}, "The keys: what each token answers to, a row each.", "k = x W_k", "inputs"},
        {{"V"}, "The values: what each token hands over, a row each.", "v = x W_v", "inputs"},
        {{"First layer", "Second layer", "Third layer", "Queries’ layer", "Keys’ layer"},
         "The weights of an earlier layer: its output is what this layer reads.",
         "",
         "inputs.of"},
        {{"queries ↓"}, "A row for each query: the token that looks.", "", "queries"},
        {{"keys →", "keys ↓"}, "A column or row for each key: a token looked at.", "", "keys"},
        {{"d →"}, "A column for each component of the vectors.", "", "d_k, d_v"},
        // --- operations
        {{"QKᵀ"},
         "Each score is the dot product of a query and a key.",
         "s = Σ qc kc",
         "score: dot"},
        {{"score(Q, K)"},
         "Each score is made of a query and a key by the lane's score.",
         "",
         "score"},
        {{"× 1/√d", "1/√d", "QKᵀ/√d"},
         "Divided by the square root of a key's width d, which keeps the scores' spread near 1.",
         "s / √d",
         "scale: sqrt_d_k"},
        {{"× 1/√n", "1/√n", "QKᵀ/√n"},
         "Divided by the square root of the number of keys n.",
         "s / √n",
         "scale: sqrt_n_k"},
        {{"scale"},
         "Divided by the square root of a key's width, unless the lane says otherwise, so that "
         "scores stay about as large however wide the vectors are.",
         "s / √d",
         "scale"},
        {{"+ M", "S + M"},
         "The mask is added to the scores before the softmax: 0 where a key is allowed, the value, "
         "such as −∞, where it is blocked.",
         "x = s + M",
         "mask.apply: additive"},
        {{"+ M + M", "S + M + M"},
         "The mask is added twice: a finite value counts double.",
         "x = s + M + M",
         "mask.times: 2"},
        {{"M where blocked"},
         "Where a key is blocked the value takes the place of the score; elsewhere the score "
         "stays.",
         "x = M where blocked, else s",
         "mask.apply: replace"},
        {{"× m", "S × m"},
         "Multiplied by 1 where a key is allowed, by 0 where it is blocked. After the softmax the "
         "row loses that weight; before it, a score of 0 still gets e⁰ = 1.",
         "w × m, or s × m",
         "mask.apply: multiply_weights, multiply_scores"},
        {{"÷ Σ"},
         "Each row is divided by its sum after the mask, so that it adds up to 1 again.",
         "w / Σ w",
         "mask.apply: multiply_weights_renormalized"},
        {{"+ bias"},
         "Biases are added to the scores: ALiBi, or a number for a cell.",
         "x = s + B",
         "mask.layers: alibi, bias"},
        {{"softmax + 1", "Softmax plus one"},
         "A softmax with one more key of score 0 that nobody reads: a row may give less than all "
         "of its weight.",
         "eˣ / (1 + Σ eˣ)",
         "normalizer: softmax_plus_one"},
        {{"· V"}, "The values of all keys, each times its weight, added up.", "Σ w v", "output"},
        {{"· Wᵀ/√d"},
         "A fourth matrix turns the mixed values, and √d divides them once more.",
         "w · V Wᵀ / √d",
         "output: alternative"},
        {{"W", "Projected"},
         "The heads' outputs side by side, times a matrix.",
         "[o₁ … oₕ] W",
         "output: projected"},
        // --- rows
        {{"Row sums", "sum"},
         "The weights of one row added up. The softmax makes it 1; a mask that multiplies after it "
         "takes some away.",
         "Σ w",
         "sum"},
        {{"sum 1"}, "This row's weights add up to 1, all on allowed keys.", "Σ w = 1", "sum"},
        {{"sum below 1", "weight lost"},
         "The row's weights add up to less than 1. A mask that multiplies after the softmax loses "
         "what it multiplies by 0.",
         "Σ w < 1",
         "sum"},
        {{"sum above 1"},
         "The row's weights add up to more than 1: no softmax made them.",
         "Σ w > 1",
         "sum"},
        {{"sum leaks", "leaks", "leak"},
         "Weight on a blocked key, or on a pad, where it should be 0. Hatched: the share of the "
         "row that leaks.",
         "Σ w over blocked keys",
         "leak, pads"},
        {{"sum NaN", "NaN"},
         "Not a number: the arithmetic gave 0/0 or ∞ − ∞, as in a row whose keys are all blocked "
         "by −∞.",
         "0/0",
         "nan"},
        {{"sum empty"},
         "No key of this row is allowed, and the lane sets such rows to 0.",
         "w = 0",
         "empty_rows: zero, zero_after"},
        {{"sum by design"},
         "Not 1 by design: the rest went to a key that nobody reads (softmax plus one, a sink), or "
         "each cell is by itself (sigmoid).",
         "Σ eˣ / (eˢ + Σ eˣ); Σ 1 / (1 + e⁻ˣ)",
         "normalizer"},
        {{"blocked"},
         "The mask does not allow this key, whatever the arithmetic made of it.",
         "m = 0",
         "allowed"},
        {{"entropy"},
         "How widely the row spreads its weight, in nats: 0 on one key, ln n on n keys alike. Only "
         "for rows that sum to 1.",
         "−Σ w ln w",
         "entropy"},
        {{"sensitivity, blocked"},
         "How much the row's weights still depend on the scores of keys that the mask hides. 0: "
         "nothing can be learnt through them.",
         "Σ |∂w / ∂s| over blocked keys",
         "gradient_leak"},
        {{"mask on the weights"},
         "The mask multiplies the finished weight by 1 or 0; what it takes away, the row has lost.",
         "w × m",
         "mask.apply: multiply_weights"},
        // --- layers of the mask
        {{"Causal"}, "A query may look at itself and at what came before.", "j ≤ i", "causal"},
        {{"Padding"}, "No query may look at a pad.", "key j is no pad", "padding"},
        {{"Block padded queries"},
         "A pad may look at nothing: a classic mistake, since whole rows are then blocked.",
         "query i is no pad",
         "padding_queries"},
        {{"Window"}, "A query may look only at its neighbours.", "−left ≤ j − i ≤ right", "window"},
        {{"Prefix"},
         "The first keys are open to all queries, the others as in a causal mask.",
         "j < length or j ≤ i",
         "prefix"},
        {{"Documents"},
         "Several texts in one row: a query may look within its own.",
         "i and j in one document",
         "documents"},
        {{"Blocked cells"}, "Cells, rows and columns that are blocked one by one.", "", "blocked"},
        {{"Allowed cells"},
         "Cells, rows and columns that are open, whatever the other layers say.",
         "",
         "allowed"},
        {{"Sinks"},
         "The first keys are allowed: many heads rest their weight there.",
         "j < count",
         "sinks"},
        {{"Chunks"},
         "The tokens are cut into chunks of one size: a query may look within its own.",
         "⌊j / size⌋ = ⌊i / size⌋",
         "chunked"},
        {{"Causal by block"},
         "A query may look at all of its own block and at the blocks before it.",
         "⌊j / size⌋ ≤ ⌊i / size⌋",
         "block_causal"},
        {{"Global tokens"},
         "The listed tokens see all keys, and all queries see them; the others see nothing else.",
         "i or j is listed",
         "global"},
        {{"Tensor"},
         "The mask is given, cell by cell: a list in the scene, or a tensor of a file.",
         "",
         "tensor"},
        {{"Groups"},
         "A number for each token: a query may look at the tokens of its own group; – is in none.",
         "g(i) = g(j) ≥ 0",
         "groups"},
        {{"Tree"},
         "A parent for each token, – for a root: a query may look at itself and its ancestors, as "
         "where several guesses are checked at once.",
         "j = i, or j is an ancestor of i",
         "tree"},
        {{"Formula"},
         "A key is allowed where the formula is not 0: i is the query's position, j the key. Also: "
         "n_q, n_k, h, heads, b, pad_i, pad_j, min, max, abs, floor, exp, log, &&, ||, !, //, %.",
         "j <= i && i - j < 4",
         "formula"},
        {{"Any of"}, "A key is allowed if one of the layers in it allows it.", "A or B", "any"},
        {{"All of"}, "A key is allowed if every layer in it allows it.", "A and B", "all"},
        {{"Bias formula"},
         "Not a mask: the value of the formula is added to the score; −1/0 is −∞.",
         "x = s + f(i, j)",
         "formula_bias"},
        {{"all but"},
         "Inverted: the layer blocks what it allows, and the other way round.",
         "not A",
         "invert: true"},
        {{"Aligned"},
         "With more keys than queries: whether the first query is beside the first key, the last "
         "beside the last, or each where its position says.",
         "j ≤ i; j ≤ i + n_k − n_q; j ≤ position of i",
         "align: top_left, bottom_right, positions"},
        {{"ALiBi"},
         "Not a mask but a bias: the farther the key, the lower its score.",
         "x = s − m |i − j|",
         "alibi"},
        {{"Bias"}, "Not a mask: a number added to single cells.", "x = s + B", "bias"},
        // --- settings of a lane
        {{"apply"}, "What the mask does to the numbers.", "", "mask.apply"},
        {{"Added before the softmax"},
         "The mask is added to the scores: 0 where a key is allowed, the value where it is "
         "blocked. With −∞ blocked keys get exactly 0, and the others share all of the weight.",
         "softmax(s + M)",
         "mask.apply: additive"},
        {{"Replaced before the softmax"},
         "The value takes the place of blocked scores.",
         "softmax(M where blocked, else s)",
         "mask.apply: replace"},
        {{"Multiplied before the softmax"},
         "Blocked scores become 0, which still get e⁰ = 1: as much as any key with score 0.",
         "softmax(s × m)",
         "mask.apply: multiply_scores"},
        {{"Multiplied after the softmax"},
         "Blocked weights become 0, and their share is lost to the row.",
         "softmax(s) × m",
         "mask.apply: multiply_weights"},
        {{"Multiplied, then renormalized"},
         "Blocked weights become 0, then each row is divided by what is left.",
         "w × m / Σ (w × m)",
         "mask.apply: multiply_weights_renormalized"},
        {{"Not applied"},
         "The mask is drawn and reported, but changes no number.",
         "",
         "mask.apply: none"},
        {{"value"},
         "What is added to a blocked key's score, or takes its place: −∞, the lowest number of the "
         "dtype, or a finite number, which may let a little weight leak.",
         "M = value where blocked",
         "mask.value"},
        {{"added"},
         "How often the mask is added: twice where two parts of a program both add it.",
         "s + M + M",
         "mask.times"},
        {{"order"},
         "Whether the scores are scaled before the mask or after it; after, the value is scaled "
         "too.",
         "s / √d + M, or (s + M) / √d",
         "mask.order"},
        {{"softcap"},
         "Holds scores between −c and c. Before the mask it does no harm; after it a blocked −∞ "
         "becomes −c, and leaks.",
         "cap(x) = c tanh(x / c)",
         "softcap"},
        {{"Softmax with a sink", "sink", "softmax + eˢ"},
         "A softmax with one more key of a score s that is learned and that nobody reads: what it "
         "takes leaves the row.",
         "eˣ / (eˢ + Σ eˣ)",
         "normalizer: softmax_sink"},
        {{"Sigmoid", "sigmoid"},
         "Each cell by itself, not a row: the weights need not sum to 1, and a mask after it does "
         "what −∞ before it does.",
         "1 / (1 + e⁻ˣ)",
         "normalizer: sigmoid"},
        {{"Heads of keys"},
         "Fewer heads of keys and values than of queries: several heads share one.",
         "heads / heads of keys share one",
         "inputs.kv_heads"},
        {{"kv_map"},
         "Which keys a head reads: neighbours share one (interleave), or every g-th does (tile), "
         "the mistake that crashes nothing.",
         "⌊a g / h⌋, or a mod g",
         "inputs.kv_map"},
        {{"start"},
         "The keys before it are a cache: query i is at position start + i.",
         "p = start + i",
         "start"},
        {{"normalizer"}, "What turns a row of scores into weights.", "eˣ / Σ eˣ", "normalizer"},
        {{"empty rows"}, "What becomes of a row in which no key is allowed.", "", "empty_rows"},
        {{"As computed (NaN)"},
         "A row without an allowed key stays as the arithmetic gives it: 0/0 = NaN for −∞, an even "
         "spread for −1e9.",
         "0/0",
         "empty_rows: nan"},
        {{"Zero, before the softmax"},
         "A row without an allowed key gets the weights 0, and its gradient is 0.",
         "w = 0",
         "empty_rows: zero"},
        {{"Zero, after the softmax"},
         "A row without an allowed key is set to 0 after the softmax: its gradient is NaN all the "
         "same.",
         "w = 0",
         "empty_rows: zero_after"},
        {{"Attend to all keys"},
         "A row without an allowed key attends to all keys, as if its mask were not there.",
         "",
         "empty_rows: all"},
        {{"reference"},
         "The variant whose mask is the right one: what leaks is measured against it.",
         "",
         "reference"},
        {{"dtype"}, "The number format that every stage is rounded to.", "", "dtype"},
        {{"float64"}, "64 bits: about 16 digits.", "", "dtype: float64"},
        {{"float32"}, "32 bits: about 7 digits, up to 3.4e38.", "", "dtype: float32"},
        {{"float16"},
         "16 bits: about 3 digits, up to 65504. −1e9 is −∞ here.",
         "",
         "dtype: float16"},
        {{"bfloat16"}, "16 bits: about 2 digits, up to 3.4e38.", "", "dtype: bfloat16"},
        {{"Dot product"}, "How alike query and key point.", "s = q · k", "score: dot"},
        {{"Gaussian"}, "How near query and key are.", "s = −½ ‖q − k‖²", "score: gaussian"},
        {{"Bilinear"}, "A dot product through a matrix.", "s = qᵀ W k", "score: bilinear"},
        {{"Additive (tanh)"},
         "A small network over query and key; it has nothing to do with a mask that is added.",
         "s = wᵀ tanh(W_q q + W_k k)",
         "score: additive"},
        {{"output"}, "What the weighted values become.", "w · V", "output"},
        {{"Values"}, "The values, each times its weight, added up.", "w · V", "output: values"},
        {{"Alternative"},
         "Scaled by 1/√d and through a matrix.",
         "(1/√d) w · V Wᵀ",
         "output: alternative"},
    };
    return terms;
}

std::string text_of(const Term& term) {
    std::string text(term.sentence);
    if (!term.formula.empty()) text += fmt::format("\n{}", term.formula);
    if (!term.file.empty()) text += fmt::format("\nIn the file: {}", term.file);
    return text;
}

}  // namespace

std::string explanation(const std::string& term) {
    for (const Term& known : all_terms())
        if (std::ranges::find(known.names, term) != known.names.end()) return text_of(known);
    // "softmax, × m": of a connector that is drawn as one line
    if (const auto comma = term.find(", "); comma != std::string::npos) {
        const std::string first = explanation(term.substr(0, comma));
        const std::string rest = explanation(term.substr(comma + 2));
        return first.empty() || rest.empty() ? first + rest : first + "\n" + rest;
    }
    if (term.starts_with("cap ")) return explanation("softcap");
    if (term.starts_with("(S "))  // "(S + M) × 1/√d"
        return "The mask comes before the scale, which then scales the value too.\n(s + M) / √d\n"
               "In the file: mask.order: mask_then_scale";
    const bool number = term.starts_with("× ") || term.ends_with(" · QKᵀ");
    return number ? "Every score times this number.\nIn the file: scale" : "";
}

}  // namespace maskscope
