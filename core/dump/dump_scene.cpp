#include "core/dump/dump_scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "core/base/error.h"
#include "core/base/number_text.h"
#include "core/base/utf8.h"
#include "core/compute/plain.h"
#include "core/dump/dump_mask.h"
#include "core/files/file.h"
#include "core/scene/names.h"
#include "core/tensors/tensor_file.h"

namespace maskscope {

namespace {

namespace fs = std::filesystem;

// --- numbers

bool is_vectors(TensorRole role) {
    return role == TensorRole::queries || role == TensorRole::keys || role == TensorRole::values;
}

bool comes_positions_first(const DumpPlan& plan, TensorRole role) {
    return is_vectors(role) && plan.positions_first && plan.of(role)->tensor.axes.size() >= 3;
}

bool is_merged(const DumpPlan& plan, TensorRole role) {
    return is_vectors(role) && plan.merged_heads > 0 && plan.of(role)->tensor.axes.size() == 3;
}

// Returns the dump's tensor as a scene needs it: [b, h, n, d] or [b, h, n_q, n_k].
Array read_whole(const DumpPlan& plan, TensorRole role) {
    Array part = read_part(plan.of(role)->tensor, part_of(plan, role));
    std::vector<Index> axes = part.axes;
    if (is_averaged(plan, role)) axes.insert(axes.end() - 2, 1);
    if (is_merged(plan, role)) {
        const Index d = plan.of(TensorRole::queries)->tensor.axes.back() / plan.merged_heads;
        axes.back() /= d;
        axes.push_back(d);
    }
    while (axes.size() < 4) axes.insert(axes.begin(), 1);
    const bool swaps = comes_positions_first(plan, role);
    const bool repeats =
        (role == TensorRole::keys || role == TensorRole::values) && plan.key_heads < plan.shape.h;
    if (!swaps && !repeats) return {axes, part.values, ""};
    const Index heads = swaps ? axes[2] : axes[1], rows = swaps ? axes[1] : axes[2], d = axes[3];
    const Index times = repeats ? plan.shape.h / plan.key_heads : 1;
    std::vector<double> numbers(part.values->size() * static_cast<std::size_t>(times));
    double* to = numbers.data();
    for (Index b = 0; b < axes[0]; ++b)
        for (Index h = 0; h < heads * times; ++h)
            for (Index i = 0; i < rows; ++i) {
                const Index head = h / times;
                const Index row =
                    swaps ? (b * rows + i) * heads + head : (b * heads + head) * rows + i;
                part.values->copy(static_cast<std::size_t>(row * d),
                                  {to, static_cast<std::size_t>(d)});
                to += d;
            }
    return make_array({axes[0], heads * times, rows, d}, std::move(numbers));
}

// Returns the name that a tensor gets in a file of copies.
std::string short_name(TensorRole role) {
    switch (role) {
        case TensorRole::queries:
            return "q";
        case TensorRole::keys:
            return "k";
        case TensorRole::values:
            return "v";
        case TensorRole::mask:
            return "scores";  // all 0: a mask on its own has no scores
        default:
            return within_sentence(label(role));
    }
}

bool can_be_referred_to(const Dump& dump, const DumpPlan& plan, TensorRole role) {
    const ListedTensor& tensor = plan.of(role)->tensor;
    const std::string reference = reference_to(tensor);
    const bool repeated = role != plan.way && plan.key_heads < plan.shape.h;
    return part_of(plan, role).empty() && !comes_positions_first(plan, role) &&
           !is_averaged(plan, role) && !repeated &&
           tensor.file.parent_path() == dump.file.parent_path() &&
           printable(reference) == reference && is_utf8(reference);
}

// Returns a name for the file of copies that says what it contains: "gpt2-layer-3".
std::string copies_name(const Dump& dump, const DumpPlan& plan) {
    std::string text = dump.file.stem().string();
    text = text.substr(0, text.find(".safetensors"));  // the extension of an index
    if (!plan.group.empty()) text += "-" + plan.group;
    if (plan.layers > 1) text += fmt::format("-layer-{}", plan.layer);
    if (plan.sequence) text += fmt::format("-sequence-{}", *plan.sequence);
    for (char& c : text) {
        const bool fine = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.' || c < 0;
        if (!fine) c = '-';
    }
    constexpr std::size_t longest = 100;
    return (is_utf8(text) && text.size() <= longest ? text : "tensors") + ".safetensors";
}

using Arrays = std::map<TensorRole, Array>;

std::size_t count_of(const Shape& s) { return static_cast<std::size_t>(s.b * s.h * s.n_q * s.n_k); }

// Returns the arrays as references to the dump's files; nullopt if an array cannot be referred to.
std::optional<Arrays> referred(const Dump& dump, const DumpPlan& plan) {
    if (plan.way == TensorRole::mask) return std::nullopt;
    Arrays arrays;
    for (const TensorRole role : opened_roles(plan)) {
        if (!can_be_referred_to(dump, plan, role)) return std::nullopt;
        try {
            arrays[role] =
                read_tensor(reference_to(plan.of(role)->tensor), dump.file.parent_path());
        } catch (const InputError&) {  // outside the folder, through a link for example
            return std::nullopt;
        }
    }
    return arrays;
}

Arrays copied(const Dump& dump, const DumpPlan& plan, const fs::path& copies) {
    const std::string file = copies_name(dump, plan);
    std::vector<std::pair<std::string, Array>> tensors;
    Arrays arrays;
    for (const TensorRole role : opened_roles(plan)) {
        const Shape& s = plan.shape;
        Array array = role == TensorRole::mask
                          ? make_array({s.b, s.h, s.n_q, s.n_k}, std::vector<double>(count_of(s)))
                          : read_whole(plan, role);
        tensors.emplace_back(short_name(role), array);
        array.file = file + ":" + short_name(role);
        arrays[role] = std::move(array);
    }
    replace_file(copies / file, safetensors_bytes(tensors));
    return arrays;
}

Inputs inputs_of(const DumpPlan& plan, Arrays arrays) {
    std::optional<Array> values;
    if (plan.gives(TensorRole::values)) values = std::move(arrays[TensorRole::values]);
    if (plan.way == TensorRole::scores)
        return ScoresInputs{std::move(arrays[TensorRole::scores]), std::move(values), std::nullopt};
    if (plan.way == TensorRole::mask)
        return ScoresInputs{std::move(arrays[TensorRole::mask]), std::nullopt, std::nullopt};
    if (plan.way == TensorRole::weights)
        return WeightsInputs{std::move(arrays[TensorRole::weights]), std::move(values)};
    return TensorsInputs{std::move(arrays[TensorRole::queries]),
                         std::move(arrays[TensorRole::keys]), std::move(values)};
}

// --- mask

struct KeyTokens {
    std::set<std::string> at_pads, elsewhere;
};

KeyTokens tokens_by(const Scene& scene, const std::vector<std::vector<Index>>& pads) {
    KeyTokens found;
    for (std::size_t b = 0; b < pads.size(); ++b) {
        const auto tokens = key_tokens(scene, static_cast<Index>(b));
        for (Index j = 0; j < std::ssize(tokens); ++j)
            (std::ranges::count(pads[b], j) > 0 ? found.at_pads : found.elsewhere)
                .insert(tokens[j]);
    }
    return found;
}

// Renames pad tokens to a name that no other token has.
void rename_pads(Scene& scene, const std::vector<std::vector<Index>>& pads,
                 const std::set<std::string>& others) {
    for (int k = 2; others.count(scene.pad_token) > 0; ++k)
        scene.pad_token = fmt::format("<pad{}>", k);
    for (std::size_t b = 0; b < pads.size(); ++b) {
        Sequence& sequence = scene.sequences[b];
        TokenList& keys = sequence.keys ? *sequence.keys : sequence.queries;
        keys.edit([&](auto& tokens) {
            for (const Index j : pads[b]) tokens[j] = scene.pad_token;
        });
    }
}

// Adds a rule for keys that no query may attend to: `padding` if the names of the tokens say so, if
// the keys differ between sequences, or if tokens have no names (except in a decoding step of one
// sequence); otherwise `blocked` with columns.
void hide_pads(Scene& scene, const DumpPlan& plan, const std::vector<std::vector<Index>>& pads,
               Mask& mask) {
    if (std::ranges::all_of(pads, &std::vector<Index>::empty)) return;
    const bool alike = std::ranges::count(pads, pads.front()) == std::ssize(pads);
    const auto [at_pads, elsewhere] = tokens_by(scene, pads);
    const bool named =
        at_pads.size() == 1 && !at_pads.begin()->empty() && elsewhere.count(*at_pads.begin()) == 0;
    MaskLayer layer;
    layer.kind = LayerKind::padding;
    if (named && plan.has_tokens) {
        scene.pad_token = *at_pads.begin();
    } else if ((!plan.has_tokens && !(std::ssize(pads) == 1 && plan.shape.n_q < plan.shape.n_k)) ||
               !alike) {  // these are not the older keys of a decoding step
        rename_pads(scene, pads, elsewhere);
    } else {
        layer.kind = LayerKind::blocked;
        layer.columns = pads.front();
    }
    mask.layers.push_back(std::move(layer));
}

// Reads which keys are blocked, from the mask or from another tensor that shows it.
DumpedMask read_dumped(const DumpPlan& plan, TensorRole from) {
    const ListedTensor& tensor = plan.of(from)->tensor;
    const std::vector<Index> part = part_of(plan, from);
    Array numbers = read_part(tensor, part);
    if (!std::equal(tensor.axes.begin() + std::ssize(part), tensor.axes.end(), numbers.axes.begin(),
                    numbers.axes.end()))
        throw InputError("", "the mask has changed since the file was opened");
    numbers.axes = plan.mask_axes;
    if (from == TensorRole::bias) {
        numbers.axes = tensor.axes;
        while (numbers.axes.size() < 4) numbers.axes.insert(numbers.axes.begin(), 1);
    }
    if (plan.sequence) numbers.axes.front() = 1;
    if (from == TensorRole::mask) {
        const bool added = tensor.numbers == ListedTensor::Numbers::floats;
        return read_mask(numbers, plan.shape, added ? std::nullopt : plan.true_blocks);
    }
    if (from == TensorRole::weights) return read_mask(numbers, plan.shape, false);
    std::vector<double> blocked;
    for (const double x : numbers.values->view()) blocked.push_back(x <= blocking ? x : 0);
    return read_mask(make_array(numbers.axes, std::move(blocked)), plan.shape, std::nullopt);
}

DumpedMask read_dumped(const DumpPlan& plan) {
    DumpedMask read = read_dumped(plan, plan.mask_from);
    const bool shown = plan.mask_from != TensorRole::scores || !plan.gives(TensorRole::weights) ||
                       std::ranges::count(read.allowed, false) > 0;
    return shown ? read : read_dumped(plan, TensorRole::weights);
}

MaskLayer causal_of(const DumpPlan& plan) {
    MaskLayer layer;
    layer.align = plan.shape.n_q > plan.shape.n_k ? Align::top_left : Align::bottom_right;
    return layer;
}

// Returns the lengths of packed documents, which cover all `count` tokens.
std::vector<Index> lengths_of(const DumpPlan& plan, TensorRole role, Index count) {
    const ListedTensor& tensor = plan.of(role)->tensor;
    const Array ends = read_part(tensor, {});
    std::vector<Index> lengths;
    Index sum = 0;
    bool descends = (*ends.values)[0] != 0;
    for (std::size_t k = 1; k < ends.values->size(); ++k) {
        lengths.push_back(static_cast<Index>((*ends.values)[k] - (*ends.values)[k - 1]));
        sum += lengths.back();
        descends = descends || lengths.back() < 0;
    }
    if (sum != count || descends)
        throw InputError(
            "", fmt::format("{} {}, but there are {} {}. Use --mask none", tensor.name,
                            descends ? "does not ascend from 0" : fmt::format("ends at {}", sum),
                            count, count == plan.shape.n_k ? "keys" : "queries"));
    return lengths;
}

// Returns the document of each token.
std::vector<Index> documents_in(const std::vector<Index>& lengths) {
    std::vector<Index> documents;
    for (std::size_t k = 0; k < lengths.size(); ++k)
        documents.insert(documents.end(), static_cast<std::size_t>(lengths[k]),
                         static_cast<Index>(k));
    return documents;
}

// Returns, as a tensor, the mask of documents that have other lengths in queries than in keys. A
// causal mask is aligned at the last token of each document, as in FlashAttention.
MaskLayer documents_of_both(const DumpPlan& plan, const std::vector<Index>& of_queries,
                            const std::vector<Index>& of_keys) {
    if (of_queries.size() != of_keys.size())
        throw InputError(
            "", fmt::format("{} has {} documents, but {} has {}. Use --mask none",
                            plan.of(TensorRole::documents)->tensor.name, of_queries.size(),
                            plan.of(TensorRole::key_documents)->tensor.name, of_keys.size()));
    constexpr Index most_numbers = 1'000'000;
    const Index n_q = plan.shape.n_q, n_k = plan.shape.n_k;
    if (n_q * n_k > most_numbers)
        throw InputError("",
                         "packed documents with other keys need a mask of at most 1000000 "
                         "cells. Use --mask none");
    const std::vector<Index> queries = documents_in(of_queries), keys = documents_in(of_keys);
    std::vector<double> truths;
    for (Index i = 0; i < n_q; ++i) {
        const Index document = queries[i];
        const auto end = [&](const std::vector<Index>& lengths) {
            return std::accumulate(lengths.begin(), lengths.begin() + document + 1, Index{0});
        };
        const Index behind = end(of_queries) - i, last = end(of_keys) - behind;
        for (Index j = 0; j < n_k; ++j)
            truths.push_back(keys[j] == document && (!plan.causal || j <= last) ? 1 : 0);
    }
    MaskLayer layer;
    layer.kind = LayerKind::tensor;
    layer.tensor = make_array({n_q, n_k}, std::move(truths));
    layer.tensor->truths = true;
    return layer;
}

// Returns the mask of packed documents, causal if the user chose that.
std::vector<MaskLayer> documents_of(const DumpPlan& plan) {
    const Shape& s = plan.shape;
    const std::vector<Index> of_queries = lengths_of(plan, TensorRole::documents, s.n_q);
    const bool has_own = plan.gives(TensorRole::key_documents);
    const std::vector<Index> of_keys =
        lengths_of(plan, has_own ? TensorRole::key_documents : TensorRole::documents, s.n_k);
    if (of_queries != of_keys) return {documents_of_both(plan, of_queries, of_keys)};
    std::vector<MaskLayer> layers;
    if (plan.causal) layers.push_back(causal_of(plan));
    MaskLayer& layer = layers.emplace_back();
    layer.kind = LayerKind::documents;
    std::ranges::remove_copy(of_queries, std::back_inserter(layer.lengths), 0);
    return layers;
}

// Returns a number that is added to a score; 0 in place of one that blocks, because the mask blocks
// the key.
double added_number(const std::string& name, double x) {
    if (std::isnan(x) || x == infinity)
        throw InputError(
            "", fmt::format("{} holds {}, which cannot be added to a score", name, typed_text(x)));
    return x <= blocking ? 0 : x;
}

// A bias as a scene holds it: [b or 1, h or 1, n_q, n_k].
struct Bias {
    Index b = 1, h = 1;
    std::vector<double> numbers{};
};

// Returns the ALiBi bias with these slopes, one for each head. The last query is at the position of
// the last key, as in FlashAttention.
Bias bias_of_slopes(const DumpPlan& plan, const Array& slopes) {
    const Shape& s = plan.shape;
    const std::string& name = plan.of(TensorRole::bias)->tensor.name;
    if (slopes.axes[0] != s.h)
        throw InputError("", fmt::format("{} holds {} numbers, but there are {} heads", name,
                                         slopes.axes[0], s.h));
    Bias bias{1, s.h, {}};
    for (Index h = 0; h < s.h; ++h)
        for (Index i = 0; i < s.n_q; ++i)
            for (Index j = 0; j < s.n_k; ++j) {
                const auto apart = static_cast<double>(std::abs(i + s.n_k - s.n_q - j));
                bias.numbers.push_back(added_number(name, -(*slopes.values)[h] * apart));
            }
    return bias;
}

// Reads the bias of all sequences that are opened, with rows and columns repeated if there is one
// for all. The bias of BLOOM has the heads of all sequences in one axis.
Bias read_bias(const DumpPlan& plan) {
    const ListedTensor& tensor = plan.of(TensorRole::bias)->tensor;
    const Array given = read_part(tensor, part_of(plan, TensorRole::bias));
    if (given.axes.size() == 1) return bias_of_slopes(plan, given);
    std::vector<Index> axes = given.axes;
    while (axes.size() < 4) axes.insert(axes.begin(), 1);
    const Shape& s = plan.shape;
    const bool of_all_heads = axes[0] == 1 && axes[1] != s.h && axes[1] == plan.sequences * s.h;
    if (of_all_heads) axes = {plan.sequences, s.h, axes[2], axes[3]};
    const bool of_one = of_all_heads && plan.sequence.has_value();
    if (axes.size() > 4 || (axes[0] != 1 && axes[0] != s.b && !of_one) ||
        (axes[1] != 1 && axes[1] != s.h) || (axes[2] != 1 && axes[2] != s.n_q) ||
        (axes[3] != 1 && axes[3] != s.n_k))
        throw InputError(
            "", fmt::format("{} [{}] does not fit {} heads, {} queries and {} keys", tensor.name,
                            fmt::join(tensor.axes, ", "), s.h, s.n_q, s.n_k));
    Bias bias{of_one ? 1 : axes[0], axes[1], {}};
    const Index first = of_one ? *plan.sequence * axes[1] : 0;
    for (Index of_head = first; of_head < first + bias.b * bias.h; ++of_head)
        for (Index i = 0; i < s.n_q; ++i)
            for (Index j = 0; j < s.n_k; ++j) {
                const Index row = of_head * axes[2] + (axes[2] == 1 ? 0 : i);
                bias.numbers.push_back(added_number(
                    tensor.name, (*given.values)[row * axes[3] + (axes[3] == 1 ? 0 : j)]));
            }
    return bias;
}

// Returns the bias of each head in cells.
std::vector<MaskLayer> bias_in_cells(const Bias& bias, const Shape& s) {
    std::vector<MaskLayer> layers;
    for (Index h = 0; h < bias.h; ++h) {
        MaskLayer layer;
        layer.kind = LayerKind::bias;
        for (Index i = 0; i < s.n_q; ++i)
            for (Index j = 0; j < s.n_k; ++j)
                if (const double x = bias.numbers[(h * s.n_q + i) * s.n_k + j]; x != 0)
                    layer.bias.push_back({i, j, x});
        if (layer.bias.empty()) continue;
        if (bias.h > 1) layer.heads = std::vector<Index>{h};
        layers.push_back(std::move(layer));
    }
    return layers;
}

// Returns the bias as cells if there are few, else as a tensor.
std::vector<MaskLayer> bias_of(const DumpPlan& plan) {
    constexpr std::ptrdiff_t most_cells = 100'000, most_numbers = 1'000'000;
    const Bias bias = read_bias(plan);
    const Shape& s = plan.shape;
    const auto zeros = std::ranges::count(bias.numbers, 0.0);
    if (bias.b == 1 && std::ssize(bias.numbers) - zeros <= most_cells)
        return bias_in_cells(bias, s);
    if (std::ssize(bias.numbers) > most_numbers)
        throw InputError(
            "", fmt::format("{} has {} numbers; a scene can hold at most {}{}",
                            plan.of(TensorRole::bias)->tensor.name, bias.numbers.size(),
                            most_numbers, bias.b > 1 ? ". Choose one sequence (--take 0)" : ""));
    MaskLayer layer;
    layer.kind = LayerKind::bias;
    layer.tensor = make_array({bias.b, bias.h, s.n_q, s.n_k}, bias.numbers);
    return {layer};
}

// Returns "causal; 36 of 64 cells allowed".
std::string kind_of(const DumpedMask& mask, const MaskLayers& found) {
    std::vector<std::string> rules;
    bool is_rule = true;
    for (const MaskLayer& layer : found.layers) {
        is_rule = is_rule && layer.kind != LayerKind::blocked && layer.kind != LayerKind::tensor;
        std::string rule{name(layer.kind)};
        std::ranges::replace(rule, '_', ' ');
        if (layer.kind == LayerKind::window)
            rule += layer.right == 0
                        ? fmt::format(" {}", layer.left + 1)
                        : fmt::format(" of {} before and {} after", layer.left, layer.right);
        if (layer.kind == LayerKind::chunked || layer.kind == LayerKind::block_causal)
            rule += fmt::format(" {}", layer.size);
        if (layer.kind == LayerKind::prefix) rule += fmt::format(" {}", layer.length);
        if (layer.kind == LayerKind::documents)
            rule += fmt::format(" of {}", fmt::join(layer.lengths, ", "));
        rules.push_back(std::move(rule));
    }
    if (!std::ranges::all_of(found.pads, &std::vector<Index>::empty)) rules.emplace_back("padding");
    std::string text = !is_rule        ? "no rule"
                       : rules.empty() ? "all keys allowed"
                                       : fmt::format("{}", fmt::join(rules, " and "));
    text += fmt::format("; {} of {} cells allowed", std::ranges::count(mask.allowed, true),
                        mask.allowed.size());
    std::vector<Index> empty;
    for (Index i = 0; i < mask.own.n_q; ++i) {
        const auto row = mask.allowed.begin() + i * mask.own.n_k;
        if (std::find(row, row + mask.own.n_k, true) == row + mask.own.n_k) empty.push_back(i);
    }
    return text + (empty.empty() ? "" : fmt::format("; empty rows: {}", fmt::join(empty, ", ")));
}

Mask mask_of(const DumpPlan& plan, Scene& scene) {
    Mask mask;
    if (plan.way == TensorRole::weights) mask.apply = Apply::none;
    if (plan.mask_from != TensorRole::none) {
        const DumpedMask read = read_dumped(plan);
        MaskLayers found = layers_of(read);
        if (plan.way == TensorRole::mask) {
            scene.title += ": " + kind_of(read, found);
            scene.show = Show{};
            scene.show->stages = {StageKind::allowed};
        }
        mask.layers.insert(mask.layers.end(), found.layers.begin(), found.layers.end());
        if (plan.way != TensorRole::weights) mask.value = read.value;
        if (found.start > 0)
            for (Sequence& sequence : scene.sequences) sequence.start = found.start;
        hide_pads(scene, plan, found.pads, mask);
    } else if (plan.gives(TensorRole::documents)) {
        mask.layers = documents_of(plan);
    } else if (plan.causal) {
        mask.layers.push_back(causal_of(plan));
    }
    if (plan.gives(TensorRole::bias) && plan.way != TensorRole::weights)
        for (MaskLayer& layer : bias_of(plan)) mask.layers.push_back(std::move(layer));
    return mask;
}

std::vector<double> sinks_of(const DumpPlan& plan) {
    const Array numbers = read_part(plan.of(TensorRole::sinks)->tensor, {});
    std::vector<double> sinks;
    for (std::size_t k = 0; k < numbers.values->size(); ++k) sinks.push_back((*numbers.values)[k]);
    if (std::ssize(sinks) != plan.shape.h)
        throw InputError(
            "", fmt::format("{} holds {} numbers, but there are {} heads",
                            plan.of(TensorRole::sinks)->tensor.name, sinks.size(), plan.shape.h));
    return sinks;
}

std::string title_of(const Dump& dump, const DumpPlan& plan) {
    std::string title = dump.file.filename().string();
    if (!is_utf8(title)) title = "tensors";
    title = title.substr(0, title.find_first_of('.'));
    if (!plan.group.empty() && plan.way != TensorRole::mask) title += ", " + plan.group;
    if (plan.layers > 1) title += fmt::format(", layer {}", plan.layer + 1);
    if (plan.sequence) title += fmt::format(", sequence {}", *plan.sequence + 1);
    return printable(title);
}

}  // namespace

DumpScene scene_of(const Dump& dump, const DumpPlan& plan, const fs::path& copies) {
    DumpScene made;
    Scene& scene = made.scene;
    scene.title = title_of(dump, plan);
    scene.pad_token = plan.pad_token;
    scene.sequences = plan.tokens;
    Variant variant = plan.variant;
    variant.mask = mask_of(plan, scene);
    variant.name = label(variant.mask.apply);
    made.folder = dump.file.parent_path().empty() ? "." : dump.file.parent_path();
    auto arrays = referred(dump, plan);
    if (!arrays) {
        made.folder = copies;
        arrays = copied(dump, plan, copies);
    }
    scene.inputs = inputs_of(plan, std::move(*arrays));
    if (plan.gives(TensorRole::sinks) && plan.way != TensorRole::weights) {
        variant.normalizer = Normalizer::softmax_sink;
        variant.sink = sinks_of(plan);
    }
    variant.scale = plan.scale.value_or(default_scale(scene.inputs, variant.score));
    scene.variants = {std::move(variant)};
    return made;
}

std::string agreement(const DumpPlan& plan, const Scene& scene) {
    if (plan.way != TensorRole::queries || !plan.gives(TensorRole::weights)) return "";
    constexpr double most = 1 << 26;  // multiplications: well below a second
    const Shape& s = plan.shape;
    const std::string named = printable(plan.of(TensorRole::weights)->tensor.name);
    if (static_cast<double>(count_of(s)) * static_cast<double>(plan.d_k.value_or(1)) > most)
        return named + " is too large to be compared.";
    const Array theirs = read_whole(plan, TensorRole::weights);
    if (theirs.axes != std::vector<Index>{s.b, s.h, s.n_q, s.n_k})
        return named + " has another shape and is not compared.";
    Request request;
    request.stages.reset();
    request.stages.set(static_cast<std::size_t>(StageKind::weights));
    Progress progress;
    const Stage ours = PlainBackend()
                           .compute(scene, request, nullptr, progress)
                           .variants[0]
                           .stage(StageKind::weights);
    double worst = 0;
    std::size_t at = 0;
    for (Index b = 0; b < s.b; ++b)
        for (Index h = 0; h < s.h; ++h)
            for (Index i = 0; i < s.n_q; ++i)
                for (const double x : ours.row_at(b, h, i)) {
                    const double apart = std::abs(x - (*theirs.values)[at++]);
                    worst = std::isnan(apart) ? worst : std::max(worst, apart);
                }
    constexpr double of_sixteen_bits = 0.01;
    return worst <= of_sixteen_bits
               ? fmt::format("The weights agree with {} to {:.1g}.", named, worst)
               : fmt::format(
                     "The weights differ from {} by up to {:.2g}: the scale, the mask or a "
                     "bias is not the model's.",
                     named, worst);
}

}  // namespace maskscope
