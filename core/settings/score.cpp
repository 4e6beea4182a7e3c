#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/settings/parts.h"

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
    if (hidden) throw InputError(hidden->place, "allowed only if w_q, w_k and w_v are left out");
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

void read_score(const Node& node, const VariantPlace& place, Variant& variant) {
    Score& score = variant.score;
    const Node kind = require(node, "kind");
    score.kind = read_name<ScoreKind>(kind);
    if (is_trained(place.inputs) && score.kind != ScoreKind::dot)
        throw InputError(kind.place, "a model's score is \"dot\"");
    expect_keys(node, keys_of(score.kind));
    const Index d_q = d_q_of(place.inputs).value();
    const Index d_k = d_k_of(place.inputs).value();
    if (const auto matrix = find(node, "matrix"))
        score.matrix = read_array(*matrix, place.reading, {{"d_q", d_q}, {"d_k", d_k}});
    if (score.kind == ScoreKind::additive) read_additive(node, d_q, d_k, place.reading, score);
}

bool fits_widths(const Inputs& inputs, ScoreKind kind) {
    const bool free = kind == ScoreKind::bilinear || kind == ScoreKind::additive;
    return free || !has_score(inputs) || d_q_of(inputs) == d_k_of(inputs);
}

// Throws unless d_q = d_k for dot and gaussian, even if the kind is left out.
void check_score(const Node& node, const VariantPlace& place, const Variant& variant) {
    const Inputs& inputs = place.inputs;
    if (fits_widths(inputs, variant.score.kind)) return;
    throw InputError(node.place + "/score/kind",
                     fmt::format("{} needs queries and keys of the same width, got {} and {}",
                                 in_quotes(name(variant.score.kind)), d_q_of(inputs).value(),
                                 d_k_of(inputs).value()));
}

Json write_score(const Variant& variant, const WriteArray& array) {
    const Score& score = variant.score;
    Json json = {{"kind", name(score.kind)}};
    const auto put = [&](const char* key, const std::optional<Array>& given) {
        if (given) json[key] = array(*given);
    };
    if (score.kind == ScoreKind::bilinear) put("matrix", score.matrix);
    if (score.kind != ScoreKind::additive) return json;
    put("w_q", score.w_q);
    put("w_k", score.w_k);
    put("w_v", score.w_v);
    if (!score.w_q) json["hidden"] = score.hidden;
    return json;
}

// Adapts a variant to another kind: it has no matrices of its own yet, and a default scale becomes
// the default of the kind.
void settle_score(const Inputs& inputs, const Variant& before, Variant& now) {
    if (now.score.kind == before.score.kind) return;
    Score score;
    score.kind = now.score.kind;
    now.score = score;
    if (now.scale == default_scale(inputs, before.score))
        now.scale = default_scale(inputs, now.score);
}

std::string conflict_of_score(const Scene& scene, const Variant& variant) {
    const ScoreKind kind = variant.score.kind;
    if (!fits_widths(scene.inputs, kind))
        return "A query and a key of different widths have no dot product. Choose bilinear or "
               "additive.";
    if (is_trained(scene.inputs) && kind != ScoreKind::dot)
        return "The model was trained with the dot product.";
    if (variant.mask.order == Order::queries_first && !is_product(scene.inputs, variant.score))
        return "Queries can be scaled first only if the score is a product. Change the order "
               "first.";
    return "";
}

}  // namespace

Setting score_setting() {
    return {
        .key = "score",
        .label = "score",
        .undo = "change the score",
        .prefix = "score ",
        .stands = has_score,
        .read = read_score,
        .check = check_score,
        .write = write_score,
        .words = [](const Variant& v) { return std::string(name(v.score.kind)); },
        .described = [](const Variant& v) { return fmt::format("score {}", name(v.score.kind)); },
        .choices = all_choices<&Score::kind, true>,
        .settle = settle_score,
        .conflict = conflict_of_score};
}

}  // namespace maskscope
