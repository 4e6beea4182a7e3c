// Writes a variant of a translator: the whole model, of which one attention follows the variant.

#include <fmt/format.h>

#include "app/pytorch/parts.h"
#include "core/scene/model.h"
#include "core/scene/names.h"

namespace maskscope::python {

namespace {

std::string sentences(const std::vector<std::vector<std::string>>& all) {
    std::vector<std::string> lines;
    for (const auto& sentence : all) lines.push_back(strings(sentence));
    return fmt::format("[{}]", fmt::join(lines, ",\n     "));
}

// Writes one of the three attentions as a function of q, k and v, each [b, h, n, d].
std::string rule(const Scene& scene, ModelAttention attention, const Variant& variant,
                 std::string_view says) {
    const bool of_source = attention == ModelAttention::encoder;
    std::vector<Index> starts;
    if (attention == ModelAttention::cross && model_of(scene)->attention == attention)
        for (const Sequence& sequence : scene.sequences) starts.push_back(sequence.start);
    LayerScript layer{scene.inputs, variant, scene.pad_token, {}, {}, shape_of(scene), starts};
    layer.grows = !of_source && generates(scene);
    std::string body = fmt::format(
        "dtype = torch.{}\n\ndef rounded(x):\n    return x.to(dtype).double()\n\n"
        "b, h, n_q, n_k = *q.shape[:3], k.shape[2]\n"
        "i = torch.arange(n_q)[:, None]  # queries\nj = torch.arange(n_k)[None, :]  # keys\n",
        name(variant.dtype));
    if (is_shifted(layer))
        body += fmt::format("p = i + torch.tensor({})[:, None, None, None]  # positions\n",
                            indices(starts));
    body += "q, k, v = rounded(q), rounded(k), rounded(v)\n" + mask_lines(layer) +
            attention_lines(layer) + "return weights, output\n";
    return fmt::format("\n\ndef {}(q, k, v, queries, keys):  # {}\n{}", name(attention), says,
                       indented(body));
}

std::string rules(const Scene& scene, const Variant& variant) {
    const ModelInputs& inputs = *model_of(scene);
    std::string text;
    for (const ModelAttention attention :
         {ModelAttention::encoder, ModelAttention::decoder, ModelAttention::cross}) {
        Variant own;
        own.mask = own_mask(*inputs.loaded, attention);
        if (variant.dtype == Dtype::float64) own.dtype = Dtype::float64;
        const bool shown = attention == inputs.attention;
        text += rule(scene, attention, shown ? variant : own,
                     shown ? "as the variant says" : "as the model was trained");
    }
    return text;
}

std::string expected_words(const ModelRun& run) {
    std::vector<std::string> all;
    for (const auto& said : run.said) all.push_back(said ? string_literal(joined(*said)) : "None");
    return fmt::format("[{}]", fmt::join(all, ", "));
}

}  // namespace

std::string model_lines(const Result& result, int index) {
    const Scene& scene = result.scene;
    const ModelInputs& inputs = *model_of(scene);
    const Variant& variant = scene.variants[index];
    const std::string file =
        inputs.model.ends_with(".safetensors") ? inputs.model : inputs.model + ".safetensors";
    std::vector<std::vector<std::string>> sources, targets;
    std::size_t longest = 0;
    for (const Sequence& sequence : scene.sequences) {
        sources.push_back(source_tokens(sequence));
        longest = std::max(longest, sources.back().size());
        if (sequence.target) targets.push_back(*sequence.target);
    }
    for (auto& source : sources) source.resize(longest, std::string(pad_word));
    const bool of_encoder = inputs.attention == ModelAttention::encoder;
    std::string text = fmt::format(
        "model_file = {}  # beside this script\nwide = torch.{}  # of the pass\n"
        "shown, heads_off = \"{}.{}.{}\", {}\nsources = \\\n    {}\n",
        string_literal(file), variant.dtype == Dtype::float64 ? "float64" : "float32",
        of_encoder ? "enc" : "dec", inputs.layer,
        inputs.attention == ModelAttention::cross ? "ca" : "sa", indices(variant.heads_off),
        sentences(sources));
    if (!targets.empty()) text += fmt::format("targets = \\\n    {}\n", sentences(targets));
    text += "\n\n" + part("model") + "\n" + rules(scene, variant) + "\n\n" + part("pass") +
            "\n\n\n" + part(targets.empty() ? "generating" : "forced");
    text +=
        "weights, output = kept[\"weights\"], kept[\"output\"]\n"
        "translation = [None if words is None else \" \".join(words) for words in said]\n"
        "n_k = weights.shape[-1]\n";
    text += fmt::format("assert translation == {}\n", expected_words(*result.variants[index].run));
    return text;
}

}  // namespace maskscope::python
