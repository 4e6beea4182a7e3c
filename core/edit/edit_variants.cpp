#include <fmt/format.h>

#include <algorithm>

#include "core/edit/edit_parts.h"
#include "core/scene/mask_rules.h"
#include "core/scene/names.h"
#include "core/settings/setting.h"

namespace maskscope {

namespace {

constexpr Index usual_width = 64;

void expect_room(const Scene& scene) {
    if (std::ssize(scene.variants) >= most_variants)
        throw EditError("A scene has at most 26 variants, A to Z.");
}

void append(Scene& scene, Variant variant) {
    const auto index = static_cast<int>(scene.variants.size());
    scene.variants.push_back(std::move(variant));
    if (scene.show && scene.show->variants) scene.show->variants->push_back(index);
}

// Drops matrices that don't fit the new inputs; they are then seeded.
void drop_misfits(Variant& variant, const Inputs& inputs) {
    const Index d_q = *d_q_of(inputs), d_k = *d_k_of(inputs), d_v = *d_v_of(inputs);
    Score& score = variant.score;
    if (score.matrix && score.matrix->axes != std::vector<Index>{d_q, d_k}) score.matrix.reset();
    if (score.w_q && (score.w_q->axes.back() != d_q || score.w_k->axes.back() != d_k)) {
        score.hidden = score.w_v->axes.back();
        score.w_q = score.w_k = score.w_v = std::nullopt;
    }
    std::optional<Array>& w = variant.output.w;
    const bool projected = variant.output.kind == OutputKind::projected;
    if (w && (projected ? w->axes.front() != heads_of(inputs) * d_v : w->axes.back() != d_v))
        w.reset();
}

}  // namespace

Variant& variant_of(Scene& scene, int variant) {
    expect_index(variant, static_cast<Index>(scene.variants.size()), "variant");
    return scene.variants[variant];
}

void add_variant(Scene& scene) {
    expect_room(scene);
    Variant variant = default_variant(scene.inputs);
    variant.name = label(variant.mask.apply);
    if (d_q_of(scene.inputs) != d_k_of(scene.inputs)) {  // a dot product is impossible
        variant.score = scene.variants.back().score;
        variant.scale = default_scale(scene.inputs, variant.score);
    }
    variant.mask.layers = scene.variants.back().mask.layers;
    append(scene, variant);
}

void duplicate_variant(Scene& scene, int variant) {
    expect_room(scene);
    append(scene, variant_of(scene, variant));
}

void remove_variant(Scene& scene, int index) {
    variant_of(scene, index);
    if (scene.variants.size() == 1) throw EditError("A scene needs at least one variant.");
    scene.variants.erase(scene.variants.begin() + index);
    for (Variant& variant : scene.variants) {
        if (variant.reference == index) variant.reference.reset();
        if (variant.reference && *variant.reference > index) --*variant.reference;
    }
    if (scene.show) renumber_variants(*scene.show, index);
}

void rename_variant(Scene& scene, int variant, const std::string& name) {
    expect_name(name, "The name of a variant");
    variant_of(scene, variant).name = name;
}

void set_setting(Scene& scene, int variant, const Setting& setting,
                 const std::function<void(Variant&)>& put) {
    const Variant& before = variant_of(scene, variant);
    if (!setting.stands(scene.inputs))
        throw EditError(fmt::format("These inputs have no {}.", setting.label));
    Variant now = before;
    put(now);
    if (setting.settle) setting.settle(scene.inputs, before, now);
    if (setting.conflict)
        if (const std::string why = setting.conflict(scene, now); !why.empty())
            throw EditError(why);
    scene.variants[variant] = std::move(now);
}

void type_setting(Scene& scene, int variant, const Setting& setting, const std::string& text) {
    Variant typed = variant_of(scene, variant);
    if (const std::string expected = setting.typed(text, typed); !expected.empty())
        throw EditError(
            fmt::format("\"{}\" is not a {}", without_middle(printable(text), 60), expected));
    set_setting(scene, variant, setting, [&](Variant& changed) { changed = std::move(typed); });
}

void use_embedding(Scene& scene) {
    const Inputs old = scene.inputs;
    if (std::holds_alternative<EmbeddingInputs>(old)) return;
    expect_given(old, ScenePart::vectors);
    EmbeddingInputs embedding;
    embedding.seed = seed_of(old);
    embedding.heads = heads_of(old);
    embedding.d_k = d_k_of(old).value_or(usual_width);
    embedding.d_v = d_v_of(old).value_or(usual_width);
    for (Variant& variant : scene.variants) {
        const bool usual = variant.scale == default_scale(old, variant.score);
        if (usual) variant.scale = default_scale(embedding, variant.score);
        drop_misfits(variant, embedding);
    }
    scene.inputs = embedding;
}

// --- heads

namespace {

EmbeddingInputs& embedding_of(Scene& scene) {
    auto* embedding = std::get_if<EmbeddingInputs>(&scene.inputs);
    if (!embedding) throw EditError("The number of heads follows from the inputs.");
    return *embedding;
}

// Removes the heads from index `heads` on from a list. Returns false if none is left.
bool keep_heads(std::optional<std::vector<Index>>& list, Index heads) {
    if (!list) return true;
    std::erase_if(*list, [heads](Index h) { return h >= heads; });
    return !list->empty();
}

// Adapts a tensor that has numbers for each head: a new head gets those of the last head.
void fit_tensor(MaskLayer& layer, Index heads) {
    for (MaskLayer& inner : layer.layers) fit_tensor(inner, heads);
    if (!layer.tensor || layer.tensor->axes.size() < 3) return;
    const Array& old = *layer.tensor;
    std::vector<Index> axes = old.axes;
    Index& h = axes[axes.size() - 3];
    if (h == 1 || h == heads) return;
    const std::vector<double> numbers = finite_numbers(old);
    const auto size = static_cast<std::size_t>(axes[axes.size() - 2] * axes.back());
    std::vector<double> fitting;
    for (std::size_t b = 0; b < numbers.size() / size / static_cast<std::size_t>(h); ++b)
        for (Index head = 0; head < heads; ++head) {
            const auto from =
                static_cast<std::ptrdiff_t>((b * static_cast<std::size_t>(h) +
                                             static_cast<std::size_t>(std::min(head, h - 1))) *
                                            size);
            fitting.insert(fitting.end(), numbers.begin() + from,
                           numbers.begin() + from + static_cast<std::ptrdiff_t>(size));
        }
    h = heads;
    const bool truths = old.truths;
    layer.tensor = make_array(std::move(axes), std::move(fitting));
    layer.tensor->truths = truths;
}

// Keeps rules and sinks of existing heads only; a new head gets the sink of the last one.
void fit_heads(Variant& variant, Index heads) {
    std::erase_if(variant.mask.layers,
                  [heads](MaskLayer& layer) { return !keep_heads(layer.heads, heads); });
    for (MaskLayer& layer : variant.mask.layers) fit_tensor(layer, heads);
    if (auto* sinks = std::get_if<std::vector<double>>(&variant.sink))
        sinks->resize(static_cast<std::size_t>(heads), sinks->back());
}

}  // namespace

void set_heads(Scene& scene, Index heads) {
    if (heads < 1) throw EditError("A scene needs at least one head.");
    Scene next = scene;
    EmbeddingInputs& embedding = embedding_of(next);
    embedding.heads = heads;
    const Index g = embedding.kv_heads.value_or(heads);
    if (g >= heads || heads % g != 0) {
        embedding.kv_heads.reset();
        embedding.kv_map = KvMap::interleave;
    }
    for (Variant& variant : next.variants) {
        fit_heads(variant, heads);
        drop_misfits(variant, next.inputs);
    }
    if (next.show && !keep_heads(next.show->heads, heads)) next.show->heads.reset();
    expect_fitting_layers(next);
    scene = std::move(next);
}

void set_kv_heads(Scene& scene, Index kv_heads) {
    EmbeddingInputs& embedding = embedding_of(scene);
    if (kv_heads < 1 || embedding.heads % kv_heads != 0)
        throw EditError(
            fmt::format("{} heads cannot share {} KV heads equally. The number must divide {}.",
                        embedding.heads, kv_heads, embedding.heads));
    embedding.kv_heads.reset();
    if (kv_heads < embedding.heads)
        embedding.kv_heads = kv_heads;
    else
        embedding.kv_map = KvMap::interleave;
}

void set_kv_map(Scene& scene, KvMap map) {
    if (kv_heads_of(scene.inputs) == heads_of(scene.inputs))
        throw EditError("Every head has its own KV head.");
    if (auto* embedding = std::get_if<EmbeddingInputs>(&scene.inputs)) embedding->kv_map = map;
    if (auto* tensors = std::get_if<TensorsInputs>(&scene.inputs)) tensors->kv_map = map;
}

}  // namespace maskscope
