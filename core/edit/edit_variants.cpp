#include <algorithm>

#include "core/edit/edit_parts.h"
#include "core/scene/names.h"

namespace maskscope {

namespace {

constexpr Index usual_width = 64;

void expect_room(const Scene& scene) {
    if (std::ssize(scene.variants) >= most_lanes)
        throw EditError("A scene has at most 26 lanes, A to Z.");
}

void append(Scene& scene, Variant variant) {
    const auto lane = static_cast<int>(scene.variants.size());
    scene.variants.push_back(std::move(variant));
    if (scene.show && scene.show->lanes) scene.show->lanes->push_back(lane);
}

// Removes the deleted lane from `show` and renumbers the lanes after it.
void renumber_lanes(Show& show, int gone) {
    if (show.lanes) {
        std::erase(*show.lanes, gone);
        for (int& lane : *show.lanes) lane -= lane > gone ? 1 : 0;
        if (show.lanes->empty()) show.lanes.reset();
    }
    if (!show.difference) return;
    Difference& difference = *show.difference;
    if (difference.lane == gone || difference.minus == gone) {
        show.difference.reset();
    } else {
        difference.lane -= difference.lane > gone ? 1 : 0;
        difference.minus -= difference.minus > gone ? 1 : 0;
    }
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

Variant& lane_of(Scene& scene, int lane) {
    expect_index(lane, static_cast<Index>(scene.variants.size()), "lane");
    return scene.variants[lane];
}

void add_variant(Scene& scene) {
    expect_room(scene);
    Variant variant;
    if (std::holds_alternative<WeightsInputs>(scene.inputs)) variant.mask.apply = Apply::none;
    variant.name = label(variant.mask.apply);
    variant.scale = default_scale(scene.inputs, variant.score);
    variant.mask.layers = scene.variants.back().mask.layers;
    append(scene, variant);
}

void duplicate_variant(Scene& scene, int lane) {
    expect_room(scene);
    append(scene, lane_of(scene, lane));
}

void remove_variant(Scene& scene, int lane) {
    lane_of(scene, lane);
    if (scene.variants.size() == 1) throw EditError("A scene needs at least one lane.");
    scene.variants.erase(scene.variants.begin() + lane);
    if (scene.show) renumber_lanes(*scene.show, lane);
}

void rename_variant(Scene& scene, int lane, const std::string& name) {
    expect_name(name, "The name of a lane");
    lane_of(scene, lane).name = name;
}

void set_apply(Scene& scene, int lane, Apply apply) {
    Variant& variant = lane_of(scene, lane);
    if (variant.name == label(variant.mask.apply)) variant.name = label(apply);
    variant.mask.apply = apply;
}

void set_score_kind(Scene& scene, int lane, ScoreKind kind) {
    Variant& variant = lane_of(scene, lane);
    if (!has_score(scene.inputs))
        throw EditError("Given scores or weights need no scoring function.");
    const bool same_widths = d_q_of(scene.inputs) == d_k_of(scene.inputs);
    if (!same_widths && (kind == ScoreKind::dot || kind == ScoreKind::gaussian))
        throw EditError(
            "A query and a key of different widths have no dot product: choose bilinear "
            "or additive.");
    if (variant.score.kind == kind) return;
    Score score;
    score.kind = kind;
    const bool usual = variant.scale == default_scale(scene.inputs, variant.score);
    if (usual) variant.scale = default_scale(scene.inputs, score);
    variant.score = score;
}

void use_embedding(Scene& scene) {
    const Inputs old = scene.inputs;
    if (std::holds_alternative<EmbeddingInputs>(old)) return;
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

void set_output_kind(Scene& scene, int lane, OutputKind kind) {
    Variant& variant = lane_of(scene, lane);
    if (kind != OutputKind::values && !d_v_of(scene.inputs))
        throw EditError("These inputs have no values, so there is no output.");
    if (kind == OutputKind::alternative && !d_k_of(scene.inputs))
        throw EditError("The alternative divides by √d_k, and these inputs have no d_k.");
    if (variant.output.kind != kind) variant.output = {kind, std::nullopt};
}

}  // namespace maskscope
