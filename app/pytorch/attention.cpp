#include <fmt/format.h>

#include <cmath>

#include "app/pytorch/parts.h"
#include "core/scene/mask_rules.h"
#include "core/scene/names.h"

namespace maskscope::python {

namespace {

std::string seeded_or(const std::optional<Array>& given, const LayerScript& layer,
                      const std::string& stream, const std::string& shape,
                      const std::string& factor) {
    if (given) return fmt::format("rounded({})", array(*given, layer.variant.dtype));
    const std::string numbers = seeded(seed_of(layer.inputs), stream, shape);
    return factor.empty() ? fmt::format("rounded({})", numbers)
                          : fmt::format("rounded({} * (1 / math.sqrt({})))", numbers, factor);
}

std::string additive_score(const LayerScript& layer) {
    const Score& score = layer.variant.score;
    const std::string hidden = std::to_string(score.hidden);
    return fmt::format(
               "w_q = {}\nw_k = {}\nw_v = {}\n",
               seeded_or(score.w_q, layer, "additive_w_q", hidden + ", q.shape[-1]", "q.shape[-1]"),
               seeded_or(score.w_k, layer, "additive_w_k", hidden + ", k.shape[-1]", "k.shape[-1]"),
               seeded_or(score.w_v, layer, "additive_w_v", hidden, "")) +
           "scores = rounded(torch.tanh((q @ w_q.T)[..., :, None, :] + (k @ w_k.T)[..., None, :, "
           ":]) @ w_v)\n";
}

std::string score_lines(const LayerScript& layer) {
    if (!has_score(layer.inputs)) return "";
    switch (layer.variant.score.kind) {
        case ScoreKind::dot:
            return "scores = rounded(q @ k.transpose(-2, -1))\n";
        case ScoreKind::gaussian:
            return "scores = rounded(-0.5 * ((q[..., :, None, :] - k[..., None, :, :]) ** "
                   "2).sum(-1))\n";
        case ScoreKind::bilinear:
            return fmt::format("matrix = {}\n",
                               seeded_or(layer.variant.score.matrix, layer, "matrix",
                                         "q.shape[-1], k.shape[-1]", "q.shape[-1]")) +
                   "scores = rounded(q @ matrix @ k.transpose(-2, -1))\n";
        case ScoreKind::additive:
            return additive_score(layer);
    }
    return "";
}

std::string scale_text(const Scale& scale, const Inputs& inputs) {
    switch (scale.kind) {
        case ScaleKind::sqrt_d_k:
            return has_score(inputs) ? "1 / math.sqrt(k.shape[-1])" : "1 / math.sqrt(d_k)";
        case ScaleKind::sqrt_n_k:
            return "1 / math.sqrt(n_k)";
        case ScaleKind::none:
            return "1.0";
        case ScaleKind::number:
            return number(scale.number);
        case ScaleKind::formula:
            break;
    }
    return "";
}

std::string scale_line(const LayerScript& layer) {
    const Scale& scale = layer.variant.scale;
    const bool formula = scale.kind == ScaleKind::formula;
    return fmt::format(
        "scale = {}{}\n",
        formula ? expression_text(layer, scale.expression) : scale_text(scale, layer.inputs),
        formula ? "  # " + scale.expression : "");
}

// Writes the lines that compute scores and scaled scores from q and k.
std::string scaled_lines(const LayerScript& layer) {
    if (layer.variant.mask.order == Order::queries_first)
        return scale_line(layer) + "q = rounded(q * scale)\n" + score_lines(layer) +
               "scaled = scores\n";
    return score_lines(layer) + scale_line(layer) + "scaled = rounded(scores * scale)\n";
}

std::string value_line(const BlockedValue& value) {
    switch (value.kind) {
        case ValueKind::minus_infinity:
            return "value = -inf\n";
        case ValueKind::lowest:
            return "value = torch.finfo(dtype).min\n";
        case ValueKind::number:
            return fmt::format("value = rounded(torch.tensor({}, dtype=torch.float64))\n",
                               number(value.number));
    }
    return "";
}

// Writes the masked scores as an expression of `before` ("scaled" or "scores").
std::string masked(const Mask& mask, const std::string& before) {
    const std::string added = mask.times == 2
                                  ? fmt::format("rounded(rounded({} + value) + value)", before)
                                  : before + " + value";
    switch (mask.apply) {
        case Apply::additive:
            return fmt::format("torch.where(allowed, {}, {})", before, added);
        case Apply::replace:
            return fmt::format("torch.where(allowed, {}, torch.full_like({}, value))", before,
                               before);
        case Apply::multiply_scores:
            return before + " * allowed";
        case Apply::multiply_weights:
        case Apply::multiply_weights_renormalized:
        case Apply::none:
            break;
    }
    return before;
}

// Writes a softcap. x: the name of the tensor that is capped.
std::string capped(const Softcap& softcap, const std::string& x) {
    const std::string cap = number(softcap.cap);
    return fmt::format("{} * torch.tanh({} / {})", cap, x, cap);
}

std::string logits_lines(const Variant& variant) {
    const Mask& mask = variant.mask;
    const auto& softcap = variant.softcap;
    const std::string value = uses_value(mask.apply) ? value_line(mask.value) : "";
    const std::string bias = has_bias(mask) ? " + bias" : "";
    if (mask.order == Order::mask_then_scale)
        return value +
               fmt::format("logits = rounded(({}) * scale{})\n", masked(mask, "scores"), bias);
    std::string lines = value, before = "scaled";
    const auto becomes = [&](const std::string& name, const std::string& expression) {
        lines += fmt::format("{} = {}\n", name, expression);
        before = name;
    };
    if (softcap && softcap->order == CapOrder::before_mask)
        becomes("capped", capped(*softcap, before));
    if (!bias.empty()) becomes("biased", before + bias);
    if (!softcap || softcap->order == CapOrder::before_mask)
        return lines + fmt::format("logits = rounded({})\n", masked(mask, before));
    becomes("uncapped", masked(mask, before));
    return lines + fmt::format("logits = rounded({})\n", capped(*softcap, before));
}

std::string softmax_lines(const Variant& variant) {
    const Normalizer normalizer = variant.normalizer;
    if (normalizer == Normalizer::softmax)
        return "softmax = rounded(torch.softmax(logits, dim=-1))\n";
    if (normalizer == Normalizer::sigmoid) return "softmax = rounded(torch.sigmoid(logits))\n";
    if (normalizer == Normalizer::softmax_sink) {
        const auto* each = std::get_if<std::vector<double>>(&variant.sink);
        std::string sink = each ? "" : number(std::get<double>(variant.sink));
        for (std::size_t h = 0; each && h < each->size(); ++h)
            sink += (h == 0 ? "[" : ", ") + number((*each)[h]);
        return fmt::format("sink = torch.tensor({}, dtype=torch.float64){}\n",
                           each ? sink + "]" : sink, each ? "[:, None, None]" : "") +
               "largest = torch.maximum(logits.amax(-1, keepdim=True), sink)\n"
               "e = (logits - largest).exp()\n"
               "softmax = rounded(e / ((sink - largest).exp() + e.sum(-1, keepdim=True)))\n";
    }
    return "largest = logits.amax(-1, keepdim=True).clamp(min=0.0)  # softmax plus one\n"
           "e = (logits - largest).exp()\n"
           "softmax = rounded(e / ((-largest).exp() + e.sum(-1, keepdim=True)))\n";
}

std::string weights_lines(const Variant& variant) {
    std::string lines = "weights = softmax\n";
    if (variant.mask.apply == Apply::multiply_weights)
        lines = "weights = rounded(softmax * allowed)\n";
    if (variant.mask.apply == Apply::multiply_weights_renormalized)
        lines = "kept = softmax * allowed\nweights = rounded(kept / kept.sum(-1, keepdim=True))\n";
    if (zeroes_empty_rows(variant.mask.apply, variant.empty_rows))
        lines += "weights = weights.masked_fill(~allowed.any(-1, keepdim=True), 0.0)\n";
    return lines;
}

std::string output_lines(const LayerScript& layer) {
    if (!d_v_of(layer.inputs)) return "output = None\n";
    const Output& output = layer.variant.output;
    switch (output.kind) {
        case OutputKind::values:
            return "output = rounded(weights @ v)\n";
        case OutputKind::projected:
            return fmt::format("w_o = {}\n",
                               seeded_or(output.w, layer, "w", "h * v.shape[-1], h * v.shape[-1]",
                                         "h * v.shape[-1]")) +
                   "side_by_side = (weights @ v).transpose(1, 2).flatten(2)  # [b, n_q, h d_v]\n"
                   "output = rounded(side_by_side @ w_o)[:, None]\n";
        case OutputKind::alternative:
            return fmt::format("w = {}\n", seeded_or(output.w, layer, "w",
                                                     "v.shape[-1], v.shape[-1]", "v.shape[-1]")) +
                   fmt::format("output = rounded((weights @ v) @ w.T * ({}))\n",
                               scale_text({ScaleKind::sqrt_d_k, 1}, layer.inputs));
    }
    return "";
}

}  // namespace

std::string attention_lines(const LayerScript& layer) {
    const Variant& variant = layer.variant;
    std::string lines = "\n";
    if (opens_empty_rows(variant.mask.apply, variant.empty_rows))
        lines +=
            "allowed = allowed | ~allowed.any(-1, keepdim=True)  # rows without an allowed key\n";
    if (!std::holds_alternative<WeightsInputs>(layer.inputs))
        lines += scaled_lines(layer) + logits_lines(variant) + softmax_lines(variant);
    return lines + weights_lines(variant) + output_lines(layer);
}

std::string layer_lines(const LayerScript& layer) {
    return inputs_lines(layer) + mask_lines(layer) + attention_lines(layer);
}

}  // namespace maskscope::python
