// Draws the section for inputs, and the picker of heads.

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "app/window/panels/parts.h"
#include "app/window/panels/sidebar/sidebar.h"
#include "app/window/panels/words.h"
#include "core/attention/scoring.h"
#include "core/base/number_text.h"
#include "core/scene/model.h"
#include "core/scene/names.h"

namespace maskscope {

namespace {

const LabelOptions dim{.role = Role::dim};

void row(Gui& gui, const std::string& name, const std::string& value) {
    label_pair(gui, name, value, dim);
}

// Returns the origin of given numbers: a file's reference, or the scene itself.
std::string source_of(const Array& array) {
    return array.file.empty() ? "in the scene" : array.file;
}

std::string source_of(const Inputs& inputs) {
    if (const auto* tensors = std::get_if<TensorsInputs>(&inputs))
        return source_of(tensors->queries);
    if (const auto* scores = std::get_if<ScoresInputs>(&inputs)) return source_of(scores->scores);
    if (const auto* weights = std::get_if<WeightsInputs>(&inputs))
        return source_of(weights->weights);
    return model_name(inputs);
}

// Draws a field for an integer. slides: the upper end of its slider; 0 = no slider.
std::optional<double> whole_field(Gui& gui, const std::string& name, double number, double low,
                                  double high, double slides = 0) {
    NumberOptions options{.low = low, .high = high, .whole = true, .width = 72};
    if (slides > 0) options.slides = SliderRange{low, slides, true, slides > 64};
    return number_row(gui, fmt::format("inputs/{}", name), name, number, options);
}

// Draws the choice of how query heads share KV heads, if there are fewer KV heads.
void draw_kv_map(Gui& gui, Session& session, const Inputs& inputs, KvMap map) {
    if (kv_heads_of(inputs) == heads_of(inputs)) return;
    const auto pressed = segments(gui, "kv_map", {"interleave", "tile"}, static_cast<int>(map));
    tooltip_beside(gui, explanation("kv_map"));
    if (pressed)
        session.edit("change which KV head a head uses",
                     [&](Scene& scene) { set_kv_map(scene, static_cast<KvMap>(*pressed)); });
}

void draw_heads_of_embedding(Gui& gui, Session& session, const EmbeddingInputs& embedding) {
    if (const auto typed =
            whole_field(gui, "Heads", static_cast<double>(embedding.heads), 1, 1024, 16))
        session.edit("change the heads",
                     [&](Scene& scene) { set_heads(scene, static_cast<Index>(*typed)); });
    if (embedding.heads < 2) return;
    const Index g = embedding.kv_heads.value_or(embedding.heads);
    const auto typed = whole_field(gui, "KV heads", static_cast<double>(g), 1,
                                   static_cast<double>(embedding.heads));
    tooltip_beside(gui, explanation("KV heads"));
    if (typed)
        session.edit("change the KV heads",
                     [&](Scene& scene) { set_kv_heads(scene, static_cast<Index>(*typed)); });
    draw_kv_map(gui, session, embedding, embedding.kv_map);
}

void draw_embedding(Gui& gui, Session& session, const EmbeddingInputs& embedding) {
    const auto field = [&](const std::string& name, const std::string& what, auto member,
                           double low, double high, double slides = 0) {
        const auto typed =
            whole_field(gui, name, static_cast<double>(embedding.*member), low, high, slides);
        if (!typed) return;
        session.edit("change the " + what, [member, typed](Scene& scene) {
            if (auto* inputs = std::get_if<EmbeddingInputs>(&scene.inputs))
                inputs->*member = static_cast<std::decay_t<decltype(inputs->*member)>>(*typed);
        });
    };
    field("Seed", "seed", &EmbeddingInputs::seed, 0, 9007199254740991.0);
    draw_heads_of_embedding(gui, session, embedding);
    field("Width of a key d", "width of a key", &EmbeddingInputs::d_k, 1, 65536, 1024);
    field("Width of a value", "width of a value", &EmbeddingInputs::d_v, 1, 65536);
}

void change_pattern(Session& session, std::size_t h, const std::string& what,
                    const PatternHead& head) {
    session.edit(what, [h, head](Scene& scene) {
        if (auto* patterns = std::get_if<PatternsInputs>(&scene.inputs))
            patterns->heads.at(h) = head;
    });
}

void draw_patterns(Gui& gui, Session& session, const PatternsInputs& patterns) {
    constexpr std::size_t most = 12;
    std::vector<std::string> choices;
    for (const std::string_view word : names<Pattern>()) choices.emplace_back(word);
    for (std::size_t h = 0; h < std::min(most, patterns.heads.size()); ++h) {
        PatternHead head = patterns.heads[h];
        const std::string id = fmt::format("inputs/pattern/{}", h);
        if (const auto picked = combo(gui, id, choices, static_cast<int>(head.pattern),
                                      {.name = fmt::format("Head {}", h + 1)})) {
            head.pattern = static_cast<Pattern>(*picked);
            return change_pattern(session, h, "change a pattern", head);
        }
        if (const auto strength =
                number_row(gui, id + "/strength", "Strength", head.strength, {.width = 90})) {
            head.strength = *strength;
            return change_pattern(session, h, "change a strength", head);
        }
    }
}

// Draws the width of a key: as a field for given scores, which do not imply it, otherwise as text.
void draw_d_k(Gui& gui, Session& session, const Inputs& inputs) {
    const auto d_k = d_k_of(inputs);
    if (!d_k) return;
    if (!std::holds_alternative<ScoresInputs>(inputs))
        return row(gui, "Width of a key d", std::to_string(*d_k));
    const auto typed = whole_field(gui, "Width of a key d", static_cast<double>(*d_k), 1, 65536);
    if (!typed) return;
    session.edit("change the width of a key", [typed](Scene& scene) {
        if (auto* scores = std::get_if<ScoresInputs>(&scene.inputs))
            scores->d_k = static_cast<Index>(*typed);
    });
}

void draw_given(Gui& gui, Session& session, const Inputs& inputs) {
    draw_model(gui, session);
    row(gui, "Heads", std::to_string(heads_of(inputs)));
    if (kv_heads_of(inputs) < heads_of(inputs))
        row(gui, "KV heads", std::to_string(kv_heads_of(inputs)));
    if (const auto* tensors = std::get_if<TensorsInputs>(&inputs))
        draw_kv_map(gui, session, inputs, tensors->kv_map);
    draw_d_k(gui, session, inputs);
    if (const auto d_v = d_v_of(inputs)) row(gui, "Width of a value", std::to_string(*d_v));
    const bool made = std::holds_alternative<OutputInputs>(inputs) || is_trained(inputs);
    if (!made && button(gui, "Use seeded vectors", {.outlined = true, .width = -1}))
        session.edit("use seeded vectors", [](Scene& scene) { use_embedding(scene); });
}

// Draws the scale with a slider if all shown variants have the same one, otherwise "differs".
void draw_scale(Gui& gui, Session& session) {
    const Scene& scene = session.scene();
    if (std::holds_alternative<WeightsInputs>(scene.inputs)) return;
    const std::vector<int> variants = shown_variants(session.view(), scene);
    const auto scale_of = [&](int variant) { return scene.variants[variant].scale; };
    const bool equal = std::ranges::all_of(
        variants, [&](int variant) { return scale_of(variant) == scale_of(variants.front()); });
    const Scale scale = scale_of(variants.front());
    if (!equal) return row(gui, "Scale", "differs");
    row(gui, "Scale", in_words(scale));
    const double factor = scale_factor(scale, d_k_of(scene.inputs), shape_of(scene).n_k);
    const auto number = slider(gui, "scale/slider", factor, {0.01, 10, false, true});
    if (number)
        session.edit("drag the scale", [&](Scene& s) {
            for (const int variant : variants)
                s.variants[variant].scale = {ScaleKind::number, *number};
        });
}

void pick_head(Gui& gui, Session& session) {
    const Shape shape = shape_of(session.scene());
    Show& show = session.view().show;
    if (shape.h < 2 || (show.heads && show.heads->size() > 1)) return;
    const Index shown = shown_heads(session.view(), shape).front();
    if (const auto picked = picker(gui, "Head", shown, shape.h))
        show.heads = std::vector<Index>{*picked};
}

}  // namespace

void draw_inputs(Gui& gui, Session& session, Ui& ui) {
    heading(gui, "Inputs");
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing,
                        {static_cast<float>(points(gui, 8)), static_cast<float>(points(gui, 4))});
    // A copy, because an edit below replaces the scene.
    const Inputs inputs = session.scene().inputs;
    row(gui, std::string(label_inputs(inputs)), source_of(inputs));
    if (const auto* embedding = std::get_if<EmbeddingInputs>(&inputs)) {
        draw_embedding(gui, session, *embedding);
    } else {
        if (const auto* patterns = std::get_if<PatternsInputs>(&inputs))
            draw_patterns(gui, session, *patterns);
        draw_given(gui, session, inputs);
    }
    if (shows_tensors(session, ui.opened_tensors) &&
        button(gui, "Another layer…",
               {.outlined = true,
                .width = -1,
                .tip = "Choose another layer, sequence or tensors of the file"}))
        ui.commands.push_back(reopen_tensors);
    draw_scale(gui, session);
    pick_head(gui, session);
    ImGui::PopStyleVar();
}

}  // namespace maskscope
