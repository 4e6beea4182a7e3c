#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/format/scene_read.h"
#include "core/scene/mask_rules.h"

namespace maskscope {

namespace {

void read_additive(const Node& node, Index d_q, Index d_k, const Reading& reading, Score& score) {
    const auto hidden = find(node, "hidden");
    if (!find(node, "w_q") && !find(node, "w_k") && !find(node, "w_v")) {
        if (hidden) score.hidden = read_count(*hidden, 1, largest_width);
        return;
    }
    const Node w_q = require(node, "w_q");
    const Node w_k = require(node, "w_k");
    const Node w_v = require(node, "w_v");
    score.w_q = read_array(w_q, reading, {{"hidden"}, {"d_q", d_q}});
    const Size rows = {"hidden", score.w_q->axes[0]};
    score.w_k = read_array(w_k, reading, {rows, {"d_k", d_k}});
    score.w_v = read_array(w_v, reading, {rows});
    if (hidden) throw InputError(hidden->place, "only where w_q, w_k and w_v are left out");
}

std::vector<std::string_view> keys_of(ScoreKind kind) {
    switch (kind) {
        case ScoreKind::bilinear:
            return {"kind", "matrix"};
        case ScoreKind::additive:
            return {"kind", "w_q", "w_k", "w_v", "hidden"};
        default:
            return {"kind"};
    }
}

bool is_model(const Inputs& inputs) { return std::holds_alternative<ModelInputs>(inputs); }

Score read_score(const Node& node, const Inputs& inputs, const Reading& reading) {
    Score score;
    const Node kind = require(node, "kind");
    score.kind = read_name<ScoreKind>(kind);
    if (is_model(inputs) && score.kind != ScoreKind::dot)
        throw InputError(kind.place, "a model's score is \"dot\"");
    expect_keys(node, keys_of(score.kind));
    const Index d_q = d_q_of(inputs).value();
    const Index d_k = d_k_of(inputs).value();
    const auto matrix = find(node, "matrix");
    if (matrix) score.matrix = read_array(*matrix, reading, {{"d_q", d_q}, {"d_k", d_k}});
    if (score.kind == ScoreKind::additive) read_additive(node, d_q, d_k, reading, score);
    return score;
}

// dot and gaussian need d_q = d_k, whether they are written or left out.
void expect_like_widths(const Node& variant, const Score& score, const Inputs& inputs) {
    const bool free = score.kind == ScoreKind::bilinear || score.kind == ScoreKind::additive;
    if (free || !has_score(inputs) || d_q_of(inputs) == d_k_of(inputs)) return;
    throw InputError(
        variant.place + "/score/kind",
        fmt::format("{} needs queries and keys of one width, got {} and {}",
                    in_quotes(name(score.kind)), d_q_of(inputs).value(), d_k_of(inputs).value()));
}

// {"formula": "0.125 * (1 + i)"}: finite in every row.
Scale read_scale_formula(const Node& node, const Inputs& inputs, const Tokens& tokens) {
    expect_keys(node, {"formula"});
    const Node formula = require(node, "formula");
    if (is_model(inputs)) throw InputError(formula.place, "a model's scale is not a formula");
    const Scale scale{ScaleKind::formula, 1, read_expression(formula)};
    const Expression expression(scale.expression);
    using enum Expression::Name;
    for (const auto& [name, word] : {std::pair(j, "j"), std::pair(pad_j, "pad_j")})
        if (expression.reads(name))
            throw InputError(
                formula.place,
                fmt::format("a scale is one factor for each row: it cannot use {}", word));
    if (const std::string bad = bad_scale(*tokens.scene, scale, heads_of(inputs)); !bad.empty())
        throw InputError(formula.place, "expected finite numbers, got " + bad);
    return scale;
}

Scale read_scale(const Node& node, const Inputs& inputs, const Tokens& tokens) {
    if (node.json.is_number()) return {ScaleKind::number, read_number(node)};
    if (node.json.is_object()) return read_scale_formula(node, inputs, tokens);
    const auto* word = node.json.get_ptr<const std::string*>();
    const auto kind = word ? from_name<ScaleKind>(*word) : std::nullopt;
    if (!kind) fail(node, alternatives(names<ScaleKind>(), "a number"));
    if (kind == ScaleKind::sqrt_d_k && !d_k_of(inputs))
        throw InputError(node.place, "\"sqrt_d_k\" needs a d_k, and these inputs have none");
    return {*kind, 1};
}

Softcap read_softcap(const Node& node) {
    expect_keys(node, {"cap", "order"});
    const Node cap = require(node, "cap");
    Softcap softcap;
    softcap.cap = read_number(cap);
    if (softcap.cap < 1e-3 || softcap.cap > 1e6) fail(cap, "a number from 0.001 to 1000000");
    softcap.order = read_or(node, "order", read_name<CapOrder>, softcap.order);
    return softcap;
}

double read_sink(const Node& node) {
    const double sink = read_number(node);
    if (std::abs(sink) > 1e9) fail(node, "a number from -1000000000 to 1000000000");
    return sink;
}

// "sigmoid", or {"kind": "softmax_sink", "sink": s}.
void read_normalizer(const Node& node, Index heads, Variant& variant) {
    constexpr std::string_view sink_kind[] = {"softmax_sink"};
    if (!node.json.is_object()) {
        constexpr std::string_view words[] = {"softmax", "softmax_plus_one", "sigmoid"};
        const auto* word = node.json.get_ptr<const std::string*>();
        if (!word || std::ranges::find(words, *word) == std::end(words))
            fail(node, alternatives(words, "{\"kind\": \"softmax_sink\", \"sink\": …}"));
        variant.normalizer = *from_name<Normalizer>(*word);
        return;
    }
    read_word(require(node, "kind"), sink_kind);
    expect_keys(node, {"kind", "sink"});
    variant.normalizer = Normalizer::softmax_sink;
    const Node sink = require(node, "sink");
    if (!sink.json.is_array()) {
        variant.sink = read_sink(sink);
        return;
    }
    std::vector<double> each;
    for (const Node& item : read_list_of(sink, static_cast<std::size_t>(heads)))
        each.push_back(read_sink(item));
    variant.sink = std::move(each);
}

void expect_output(const Node& kind, OutputKind output, const Inputs& inputs) {
    if (output == OutputKind::values) return;
    if (is_model(inputs)) throw InputError(kind.place, "a model's output is \"values\"");
    const std::string word = in_quotes(name(output));
    if (!d_v_of(inputs))
        throw InputError(kind.place, word + " needs values, and these inputs have none");
    if (output == OutputKind::alternative && !d_k_of(inputs))
        throw InputError(kind.place, word + " needs a d_k, and these inputs have none");
}

Output read_output(const Node& node, const Inputs& inputs, const Reading& reading) {
    Output output;
    const Node kind = require(node, "kind");
    output.kind = read_name<OutputKind>(kind);
    expect_output(kind, output.kind, inputs);
    if (output.kind == OutputKind::values) {
        expect_keys(node, {"kind"});
        return output;
    }
    expect_keys(node, {"kind", "w"});
    const Index d_v = d_v_of(inputs).value();
    const Size rows = {"h·d_v", heads_of(inputs) * d_v};
    const bool projected = output.kind == OutputKind::projected;
    const std::vector<Size> shape =
        projected ? std::vector<Size>{rows, {"d_out"}} : std::vector<Size>{{"d_out"}, {"d_v", d_v}};
    if (const auto w = find(node, "w")) output.w = read_array(*w, reading, shape);
    return output;
}

// Only scores that are products can be made of scaled queries.
void expect_order(const Node& variant, const Variant& read, const Inputs& inputs) {
    if (read.mask.order != Order::queries_first) return;
    const bool products = has_score(inputs) && (read.score.kind == ScoreKind::dot ||
                                                read.score.kind == ScoreKind::bilinear);
    if (!products)
        throw InputError(
            variant.place + "/mask/order",
            "\"queries_first\" needs scores \"dot\" or \"bilinear\" over queries and keys");
    if (read.scale.kind == ScaleKind::formula)
        throw InputError(variant.place + "/scale", "with \"queries_first\" it cannot be a formula");
}

std::vector<std::string_view> keys_of(const Inputs& inputs) {
    if (std::holds_alternative<WeightsInputs>(inputs))
        return {"name", "mask", "empty_rows", "dtype", "output", "reference"};
    std::vector<std::string_view> keys = {"name",  "scale",      "softcap",
                                          "mask",  "normalizer", "empty_rows",
                                          "dtype", "output",     "reference"};
    if (has_score(inputs)) keys.emplace_back("score");
    if (is_model(inputs)) keys.emplace_back("heads_off");
    return keys;
}

}  // namespace

Variant read_variant(const Node& node, const Inputs& inputs, const Tokens& tokens,
                     Reading& reading) {
    expect_keys(node, keys_of(inputs));
    Variant variant;
    variant.name = read_label(require(node, "name"));
    if (const auto score = find(node, "score")) variant.score = read_score(*score, inputs, reading);
    expect_like_widths(node, variant.score, inputs);
    variant.scale = default_scale(inputs, variant.score);
    if (const auto scale = find(node, "scale")) variant.scale = read_scale(*scale, inputs, tokens);
    const Json no_mask = Json::object();
    variant.mask =
        read_mask(find(node, "mask").value_or(Node{no_mask, ""}), inputs, tokens, reading);
    expect_order(node, variant, inputs);
    if (const auto softcap = find(node, "softcap")) {
        variant.softcap = read_softcap(*softcap);
        if (variant.mask.order == Order::mask_then_scale)
            throw InputError(softcap->place, "cannot stand with \"mask_then_scale\"");
    }
    if (const auto normalizer = find(node, "normalizer"))
        read_normalizer(*normalizer, heads_of(inputs), variant);
    variant.empty_rows = read_or(node, "empty_rows", read_name<EmptyRows>, variant.empty_rows);
    variant.dtype = read_or(node, "dtype", read_name<Dtype>, variant.dtype);
    if (const auto heads = find(node, "heads_off"))
        variant.heads_off = read_distinct(*heads, heads_of(inputs));
    if (const auto output = find(node, "output"))
        variant.output = read_output(*output, inputs, reading);
    return variant;
}

}  // namespace maskscope
