// What the inputs are, and the picker of heads.

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "app/window/panels/parts.h"
#include "app/window/panels/sidebar/sidebar.h"
#include "app/window/panels/words.h"
#include "core/attention/scoring.h"
#include "core/base/number_text.h"
#include "core/scene/names.h"

namespace maskscope {

namespace {

const LabelOptions dim{.role = Role::dim};

void row(App& app, const std::string& name, const std::string& value) {
    label_pair(app, name, value, dim);
}

// Where given numbers come from: a file's reference, or the scene itself.
std::string source_of(const Array& array) {
    return array.file.empty() ? "in the scene" : array.file;
}

std::string source_of(const Inputs& inputs) {
    if (const auto* tensors = std::get_if<TensorsInputs>(&inputs))
        return source_of(tensors->queries);
    if (const auto* scores = std::get_if<ScoresInputs>(&inputs)) return source_of(scores->scores);
    if (const auto* weights = std::get_if<WeightsInputs>(&inputs))
        return source_of(weights->weights);
    return "";
}

std::optional<double> whole_field(App& app, const std::string& name, double number, double low,
                                  double high) {
    return number_row(app, fmt::format("inputs/{}", name), name, number,
                      {.low = low, .high = high, .whole = true, .width = 90});
}

template <class Change>
void change_embedding(App& app, const std::string& what, const Change& change) {
    app.session.edit(what, [change](Scene& scene) {
        if (auto* embedding = std::get_if<EmbeddingInputs>(&scene.inputs)) change(*embedding);
    });
}

void draw_embedding(App& app, const EmbeddingInputs& embedding) {
    if (const auto seed =
            whole_field(app, "Seed", static_cast<double>(embedding.seed), 0, 9007199254740991.0))
        change_embedding(app, "change the seed", [seed](EmbeddingInputs& e) {
            e.seed = static_cast<std::uint64_t>(*seed);
        });
    if (const auto heads = whole_field(app, "Heads", static_cast<double>(embedding.heads), 1, 1024))
        change_embedding(app, "change the heads",
                         [heads](EmbeddingInputs& e) { e.heads = static_cast<Index>(*heads); });
    if (const auto d_k =
            whole_field(app, "Width of a key d", static_cast<double>(embedding.d_k), 1, 65536))
        change_embedding(app, "change the width of a key",
                         [d_k](EmbeddingInputs& e) { e.d_k = static_cast<Index>(*d_k); });
    if (const auto d_v =
            whole_field(app, "Width of a value", static_cast<double>(embedding.d_v), 1, 65536))
        change_embedding(app, "change the width of a value",
                         [d_v](EmbeddingInputs& e) { e.d_v = static_cast<Index>(*d_v); });
}

void change_pattern(App& app, std::size_t h, const std::string& what, const PatternHead& head) {
    app.session.edit(what, [h, head](Scene& scene) {
        if (auto* patterns = std::get_if<PatternsInputs>(&scene.inputs))
            patterns->heads.at(h) = head;
    });
}

void draw_patterns(App& app, const PatternsInputs& patterns) {
    constexpr std::size_t most = 12;
    std::vector<std::string> choices;
    for (const std::string_view word : names<Pattern>()) choices.emplace_back(word);
    for (std::size_t h = 0; h < std::min(most, patterns.heads.size()); ++h) {
        PatternHead head = patterns.heads[h];
        const std::string id = fmt::format("inputs/pattern/{}", h);
        if (const auto picked = combo(app, id, choices, static_cast<int>(head.pattern),
                                      {.name = fmt::format("head {}", h + 1)})) {
            head.pattern = static_cast<Pattern>(*picked);
            return change_pattern(app, h, "change a pattern", head);
        }
        if (const auto strength =
                number_row(app, id + "/strength", "strength", head.strength, {.width = 90})) {
            head.strength = *strength;
            return change_pattern(app, h, "change a strength", head);
        }
    }
}

// Of given scores the width of a key is said, and not seen in the numbers.
void draw_d_k(App& app, const Inputs& inputs) {
    const auto d_k = d_k_of(inputs);
    if (!d_k) return;
    if (!std::holds_alternative<ScoresInputs>(inputs))
        return row(app, "Width of a key d", std::to_string(*d_k));
    const auto typed = whole_field(app, "Width of a key d", static_cast<double>(*d_k), 1, 65536);
    if (!typed) return;
    app.session.edit("change the width of a key", [typed](Scene& scene) {
        if (auto* scores = std::get_if<ScoresInputs>(&scene.inputs))
            scores->d_k = static_cast<Index>(*typed);
    });
}

void draw_given(App& app, const Inputs& inputs) {
    row(app, "Heads", std::to_string(heads_of(inputs)));
    draw_d_k(app, inputs);
    if (const auto d_v = d_v_of(inputs)) row(app, "Width of a value", std::to_string(*d_v));
    const bool layered = std::holds_alternative<OutputInputs>(inputs);
    if (!layered && button(app, "Seeded vectors instead", {.outlined = true, .width = -1}))
        app.session.edit("use seeded vectors", [](Scene& scene) { use_embedding(scene); });
}

double three_digits(double number) {
    if (number == 0 || !std::isfinite(number)) return 0;
    const double step = std::pow(10, std::floor(std::log10(std::abs(number))) - 2);
    return std::round(number / step) * step;
}

// While the item before is held and dragged sideways: the scale of these lanes, twice as large
// every 100 points. One step of undo.
void drag_scale(App& app, const std::vector<int>& lanes, double factor) {
    constexpr double most = 1e6;
    if (ImGui::IsItemActivated()) app.ui.dragged_scale = factor;
    if (ImGui::IsItemDeactivated()) {
        app.ui.dragged_scale.reset();
        app.session.end_merge();
    }
    const ImGuiIO& io = ImGui::GetIO();
    const double moved = io.MousePos.x - io.MouseClickedPos[0].x;
    const bool dragged = io.MouseDragMaxDistanceSqr[0] > points(app, 3) * points(app, 3);
    if (!ImGui::IsItemActive() || !app.ui.dragged_scale || !dragged) return;
    const double scaled = *app.ui.dragged_scale * std::exp2(moved / points(app, 100));
    const double number = three_digits(std::clamp(scaled, -most, most));
    app.session.edit(
        "drag the scale",
        [&](Scene& scene) {
            for (const int lane : lanes) scene.variants[lane].scale = {ScaleKind::number, number};
        },
        "drag the scale");
}

// A quiet row that answers the pointer; what follows asks ImGui how it is held.
void draw_held_row(App& app, const std::string& id) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const Rect rect{at.x, at.y, std::max(1.0, room_width()), points(app, 20)};
    ImGui::InvisibleButton(id.c_str(), {static_cast<float>(rect.w), static_cast<float>(rect.h)});
    if (ImGui::IsItemHovered() || ImGui::IsItemActive())
        draw_box(app, {.rect = {rect.x - points(app, 8), rect.y, rect.w + points(app, 16), rect.h},
                       .radius = points(app, 5),
                       .filled = true,
                       .fill = Role::raised});
}

// The scale that all shown lanes have; dragged sideways it changes.
void draw_scale(App& app) {
    const Scene& scene = app.session.scene();
    if (std::holds_alternative<WeightsInputs>(scene.inputs)) return;
    const std::vector<int> lanes = shown_lanes(app.session.view(), scene);
    const auto scale_of = [&](int lane) { return scene.variants[lane].scale; };
    const bool equal = std::all_of(lanes.begin(), lanes.end(), [&](int lane) {
        return scale_of(lane) == scale_of(lanes.front());
    });
    const Scale scale = scale_of(lanes.front());
    if (!equal) return row(app, "Scale", "differs");
    const ImVec2 at = ImGui::GetCursorScreenPos();
    draw_held_row(app, "drag the scale");
    tooltip(app, "Drag sideways");
    drag_scale(app, lanes, scale_factor(scale, d_k_of(scene.inputs), shape_of(scene).n_k));
    ImGui::SetCursorScreenPos(at);
    row(app, "Scale", words(scale));
}

void pick_head(App& app) {
    const Shape shape = shape_of(app.session.scene());
    Show& show = app.session.view().show;
    if (shape.h < 2 || (show.heads && show.heads->size() > 1)) return;
    const Index shown = shown_heads(app.session.view(), shape).front();
    if (const auto picked = picker(app, "head", shown, shape.h))
        show.heads = std::vector<Index>{*picked};
}

}  // namespace

void draw_inputs(App& app) {
    heading(app, "Inputs");
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing,
                        {static_cast<float>(points(app, 8)), static_cast<float>(points(app, 4))});
    // A copy: an edit below replaces the scene.
    const Inputs inputs = app.session.scene().inputs;
    row(app, std::string(label_inputs(inputs)), source_of(inputs));
    if (const auto* embedding = std::get_if<EmbeddingInputs>(&inputs)) {
        draw_embedding(app, *embedding);
    } else {
        if (const auto* patterns = std::get_if<PatternsInputs>(&inputs))
            draw_patterns(app, *patterns);
        draw_given(app, inputs);
    }
    draw_scale(app);
    pick_head(app);
    ImGui::PopStyleVar();
}

}  // namespace maskscope
