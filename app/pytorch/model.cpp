// Writes a variant of a translator: the whole model, of which one attention follows the variant.

#include <fmt/format.h>

#include "app/pytorch/parts.h"
#include "core/scene/model.h"
#include "core/scene/names.h"

namespace maskscope::python {

namespace {

constexpr std::string_view reader = R"(

def read_model(name):  # safetensors: a length, a header in JSON, numbers
    folder = os.path.dirname(os.path.abspath(__file__)) if "__file__" in globals() else "."
    with open(os.path.join(folder, name), "rb") as file:
        data = file.read()
    start = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:start])
    metadata = header.pop("__metadata__")
    kinds = {"F16": torch.float16, "BF16": torch.bfloat16, "F32": torch.float32,
             "F64": torch.float64}
    tensors = {}
    for name, entry in header.items():
        begin, end = (start + offset for offset in entry["data_offsets"])
        numbers = torch.frombuffer(bytearray(data[begin:end]), dtype=kinds[entry["dtype"]])
        tensors[name] = numbers.reshape(entry["shape"]).to(wide)
    return tensors, metadata


t, metadata = read_model(model_file)
source_words, target_words = json.loads(metadata["source"]), json.loads(metadata["target"])
heads, max_target = int(metadata["heads"]), int(metadata["max_target"])
encoder_layers, decoder_layers = (
    1 + max(int(name.split(".")[1]) for name in t if name.startswith(side))
    for side in ("enc.", "dec."))


def linear(x, name):
    return torch.nn.functional.linear(x, t[name + ".weight"], t[name + ".bias"])


def norm(x, name):
    return torch.nn.functional.layer_norm(x, x.shape[-1:], t[name + ".weight"], t[name + ".bias"])


def feed_forward(x, name):
    return linear(torch.relu(linear(x, name + ".0")), name + ".2")


def embed(sentences, words, table):  # [b, n, d]
    ids = torch.tensor([[words.index(word) for word in sentence] for sentence in sentences])
    d, n = table.shape[1], ids.shape[1]
    angle = torch.arange(n).double()[:, None] * 10000.0 ** (-torch.arange(0, d, 2).double() / d)
    positions = torch.stack([angle.sin(), angle.cos()], dim=-1).reshape(n, d)
    return math.sqrt(d) * table[ids] + positions.to(wide)

)";

constexpr std::string_view pass = R"(

kept = {}  # weights and output of the layer that is shown


def attention(name, rule, x, y, queries, keys):
    def split(numbers):  # [b, n, d] -> [b, h, n, d / h]
        return numbers.reshape(*numbers.shape[:2], heads, -1).transpose(1, 2).double()
    weights, output = rule(split(linear(x, name + ".q")), split(linear(y, name + ".k")),
                           split(linear(y, name + ".v")), queries, keys)
    if name == shown:
        output[:, heads_off] = 0.0
        kept.update(weights=weights, output=output)
    return linear(output.transpose(1, 2).flatten(2).to(wide), name + ".o")


def encode():
    x = embed(sources, source_words, t["es.weight"])
    for layer in range(encoder_layers):
        name = f"enc.{layer}."
        y = norm(x, name + "n1")
        x = x + attention(name + "sa", encoder, y, y, sources, sources)
        x = x + feed_forward(norm(x, name + "n2"), name + "ff")
    return norm(x, "ne")


def decode(read, z):  # logits [b, n, words]
    x = embed(read, target_words, t["et.weight"])
    for layer in range(decoder_layers):
        name = f"dec.{layer}."
        y = norm(x, name + "n1")
        x = x + attention(name + "sa", decoder, y, y, read, read)
        x = x + attention(name + "ca", cross, norm(x, name + "n2"), z, read, sources)
        x = x + feed_forward(norm(x, name + "n3"), name + "ff")
    return norm(x, "nd") @ t["et.weight"].T + t["b"]

)";

constexpr std::string_view generating = R"(
# Greedy decoding: each word recomputes the whole prefix. Finished sentences are padded.
z = encode()
read = [["<bos>"] for _ in sources]
said, ended = [[] for _ in sources], [False] * len(sources)
while True:
    logits = decode(read, z)[:, -1]
    for sentence, row in enumerate(logits):
        if ended[sentence]:
            continue
        if row.isnan().any():
            said[sentence], ended[sentence] = None, True
            continue
        word = target_words[int(row.argmax())]
        ended[sentence] = word == "<eos>"
        if word != "<eos>":
            said[sentence].append(word)
    if all(ended) or len(read[0]) == max_target:
        break
    for sentence, words in enumerate(read):
        words.append("<pad>" if ended[sentence] else said[sentence][-1])
)";

constexpr std::string_view forced = R"(
# Teacher-forced: the decoder reads the target, and each row predicts the next word.
longest = max(map(len, targets))
read = [["<bos>"] + target + ["<pad>"] * (longest - len(target)) for target in targets]
said = []
for target, logits in zip(targets, decode(read, encode())):
    rows = logits[:len(target) + 1]
    said.append(None if rows.isnan().any() else [target_words[i] for i in rows.argmax(-1)])
)";

std::string indented(const std::string& lines) {
    std::string text;
    for (std::size_t at = 0; at < lines.size();) {
        const std::size_t end = std::min(lines.find('\n', at), lines.size());
        text += (end > at ? "    " : "") + lines.substr(at, end - at) + "\n";
        at = end + 1;
    }
    return text;
}

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
    text += std::string(reader) + rules(scene, variant) + std::string(pass) + "\n" +
            std::string(targets.empty() ? generating : forced);
    text +=
        "weights, output = kept[\"weights\"], kept[\"output\"]\n"
        "translation = [None if words is None else \" \".join(words) for words in said]\n"
        "n_k = weights.shape[-1]\n";
    text += fmt::format("assert translation == {}\n", expected_words(*result.variants[index].run));
    return text;
}

}  // namespace maskscope::python
