#include "core/dump/dump_scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/base/error.h"
#include "core/base/utf8.h"
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

// The dump's tensor as a scene needs it: [b, h, n, d] or [b, h, n_q, n_k].
Array read_whole(const DumpPlan& plan, TensorRole role) {
    Array part = read_part(plan.of(role)->tensor, part_of(plan, role));
    std::vector<Index> axes = part.axes;
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

// The name that a tensor has in a file of copies.
std::string short_name(TensorRole role) {
    switch (role) {
        case TensorRole::queries:
            return "q";
        case TensorRole::keys:
            return "k";
        case TensorRole::values:
            return "v";
        default:
            return within_sentence(label(role));
    }
}

std::vector<TensorRole> input_roles(const DumpPlan& plan) {
    std::vector<TensorRole> roles{plan.way};
    if (plan.way == TensorRole::queries) roles.push_back(TensorRole::keys);
    if (plan.gives(TensorRole::values)) roles.push_back(TensorRole::values);
    return roles;
}

bool can_be_referred_to(const Dump& dump, const DumpPlan& plan, TensorRole role) {
    const ListedTensor& tensor = plan.of(role)->tensor;
    const std::string reference = reference_to(tensor);
    const bool repeated = role != plan.way && plan.key_heads < plan.shape.h;
    return part_of(plan, role).empty() && !comes_positions_first(plan, role) && !repeated &&
           tensor.file.parent_path() == dump.file.parent_path() &&
           printable(reference) == reference && is_utf8(reference);
}

// A name for the copies that tells, beside a scene, what they are of: "gpt2-layer-3".
std::string copies_name(const Dump& dump, const DumpPlan& plan) {
    std::string text = dump.file.stem().string();
    text = text.substr(0, text.find(".safetensors"));  // of an index
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

// The arrays as references to the dump's files; nothing if one cannot be.
std::optional<Arrays> referred(const Dump& dump, const DumpPlan& plan) {
    Arrays arrays;
    for (const TensorRole role : input_roles(plan)) {
        if (!can_be_referred_to(dump, plan, role)) return std::nullopt;
        try {
            arrays[role] =
                read_tensor(reference_to(plan.of(role)->tensor), dump.file.parent_path());
        } catch (const InputError&) {  // through a link, for example
            return std::nullopt;
        }
    }
    return arrays;
}

Arrays copied(const Dump& dump, const DumpPlan& plan, const fs::path& copies) {
    const std::string file = copies_name(dump, plan);
    std::vector<std::pair<std::string, Array>> tensors;
    Arrays arrays;
    for (const TensorRole role : input_roles(plan)) {
        Array array = read_whole(plan, role);
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

// What no other token is called.
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

// Keys that no query may see, as pads: where the tokens call them so, or have no names.
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
    } else if (!plan.has_tokens || !alike) {
        rename_pads(scene, pads, elsewhere);
    } else {
        layer.kind = LayerKind::blocked;
        layer.columns = pads.front();
    }
    mask.layers.push_back(std::move(layer));
}

Mask mask_of(const DumpPlan& plan, Scene& scene) {
    Mask mask;
    if (plan.way == TensorRole::weights) mask.apply = Apply::none;
    if (!plan.gives(TensorRole::mask)) return mask;
    const ListedTensor& tensor = plan.of(TensorRole::mask)->tensor;
    const bool added = tensor.numbers == ListedTensor::Numbers::floats;
    const std::vector<Index> part = part_of(plan, TensorRole::mask);
    Array numbers = read_part(tensor, part);
    if (!std::equal(tensor.axes.begin() + std::ssize(part), tensor.axes.end(), numbers.axes.begin(),
                    numbers.axes.end()))
        throw InputError("", "the mask has changed since the file was looked at");
    numbers.axes = plan.mask_axes;
    if (plan.sequence) numbers.axes.front() = 1;
    const DumpedMask read = read_mask(numbers, plan.shape, added ? std::nullopt : plan.true_blocks);
    MaskLayers found = layers_of(read);
    mask.layers = std::move(found.layers);
    if (plan.way != TensorRole::weights) mask.value = read.value;
    hide_pads(scene, plan, found.pads, mask);
    return mask;
}

std::string title_of(const Dump& dump, const DumpPlan& plan) {
    std::string title = dump.file.filename().string();
    if (!is_utf8(title)) title = "tensors";
    title = title.substr(0, title.find_first_of('.'));
    if (!plan.group.empty()) title += ", " + plan.group;
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
    Variant variant;
    variant.mask = mask_of(plan, scene);
    variant.name = label(variant.mask.apply);
    made.folder = dump.file.parent_path().empty() ? "." : dump.file.parent_path();
    auto arrays = referred(dump, plan);
    if (!arrays) {
        made.folder = copies;
        arrays = copied(dump, plan, copies);
    }
    scene.inputs = inputs_of(plan, std::move(*arrays));
    variant.scale = plan.scale.value_or(default_scale(scene.inputs, variant.score));
    scene.variants = {std::move(variant)};
    return made;
}

}  // namespace maskscope
