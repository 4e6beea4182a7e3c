// Lanes, the settings of the chosen one, and the layers of its mask.

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "app/pytorch/script.h"
#include "app/session/edits/variant_settings.h"
#include "app/window/actions/actions.h"
#include "app/window/actions/palette_parts.h"
#include "app/window/widgets/widgets.h"
#include "core/scene/mask_rules.h"
#include "core/scene/names.h"

namespace maskscope {
namespace {

const Variant& variant_of(const App& app, int lane) { return app.session.scene().variants[lane]; }

// --- settings

// One choice: what it makes of the scene; that which changes nothing is set already.
void add_setting(Entries& entries, const App& app, const std::string& words,
                 const std::string& what, const std::function<void(Scene&)>& set) {
    Scene changed = app.session.scene();
    set(changed);
    const bool is_set = changed == app.session.scene();
    entries.push_back(
        {words, [what, set](App& a) { a.session.edit(what, set); }, "", is_set ? already_so : ""});
}

template <class T>
void add_choices(Entries& entries, const App& app, int lane, const std::string& name,
                 const std::vector<std::string>& choices, T Variant::*member) {
    for (std::size_t k = 0; k < choices.size(); ++k)
        add_setting(entries, app, fmt::format("{}: {} {}", lane_letter(lane), name, choices[k]),
                    "change the " + name, [lane, k, member](Scene& scene) {
                        scene.variants.at(static_cast<std::size_t>(lane)).*member =
                            static_cast<T>(k);
                    });
}

// What presenting's line can turn, as words.
void add_what_if(Entries& entries, const App& app, int lane) {
    const std::vector<WhatIfField> fields = what_if_fields(app.session.scene(), lane);
    for (int f = 0; f < static_cast<int>(fields.size()); ++f) {
        const WhatIfField& field = fields[f];
        for (int c = 0; c < static_cast<int>(field.choices.size()); ++c)
            entries.push_back(
                {fmt::format("{}: {} {}", lane_letter(lane), field.name, field.choices[c]),
                 [lane, f, c](App& a) { choose_what_if(a.session, lane, f, c); }, "",
                 c == field.chosen ? already_so : ""});
    }
}

void add_scores(Entries& entries, const App& app, int lane) {
    if (!has_score(app.session.scene().inputs)) return;
    const auto kinds = names<ScoreKind>();
    for (std::size_t k = 0; k < kinds.size(); ++k) {
        const auto kind = static_cast<ScoreKind>(k);
        entries.push_back({fmt::format("{}: score {}", lane_letter(lane), kinds[k]),
                           [lane, kind](App& a) {
                               a.session.edit("change the score", [lane, kind](Scene& scene) {
                                   set_score_kind(scene, lane, kind);
                               });
                           },
                           "", variant_of(app, lane).score.kind == kind ? already_so : ""});
    }
}

void add_order(Entries& entries, const App& app, int lane) {
    const Apply apply = variant_of(app, lane).mask.apply;
    if (apply != Apply::additive && apply != Apply::replace && apply != Apply::multiply_scores)
        return;
    for (const Order order : {Order::scale_then_mask, Order::mask_then_scale})
        add_setting(
            entries, app,
            fmt::format("{}: order {}", lane_letter(lane),
                        order == Order::scale_then_mask ? "scale, then mask" : "mask, then scale"),
            "change the order", [lane, order](Scene& scene) {
                scene.variants.at(static_cast<std::size_t>(lane)).mask.order = order;
            });
    if (apply != Apply::additive) return;
    for (const int times : {1, 2})
        add_setting(entries, app,
                    fmt::format("{}: added {}", lane_letter(lane), times == 1 ? "once" : "twice"),
                    "add once or twice", [lane, times](Scene& scene) {
                        scene.variants.at(static_cast<std::size_t>(lane)).mask.times = times;
                    });
}

void add_settings(Entries& entries, const App& app, int lane) {
    const bool over_weights = std::holds_alternative<WeightsInputs>(app.session.scene().inputs);
    add_what_if(entries, app, lane);
    if (over_weights) return;
    add_order(entries, app, lane);
    add_scores(entries, app, lane);
    add_choices(
        entries, app, lane, "normalizer",
        {std::string(label(Normalizer::softmax)), std::string(label(Normalizer::softmax_plus_one))},
        &Variant::normalizer);
}

// --- lanes

void open_last_lane(App& app) {
    choose_lane(app, static_cast<int>(app.session.scene().variants.size()) - 1);
}

void rename_lane(App& app, int lane) {
    choose_lane(app, lane);
    edit_field(app, fmt::format("name/{}", lane), variant_of(app, lane).name);
}

void copy_as_pytorch(App& app, int lane) {
    const auto& shown = app.session.shown().variants;
    if (lane >= static_cast<int>(shown.size())) return;  // it is being computed
    app.write_clipboard(pytorch_script(app.session.shown(), lane));
    app.session.say(
        fmt::format("Variant {} stands on the clipboard as a PyTorch script.", lane_letter(lane)));
}

void add_lane_commands(Entries& entries, const App& app, int lane) {
    const char letter = lane_letter(lane);
    const bool is_last = app.session.scene().variants.size() == 1;
    entries.push_back({fmt::format("{} as PyTorch, on the clipboard", letter),
                       [lane](App& a) { copy_as_pytorch(a, lane); }});
    entries.push_back(
        {fmt::format("Rename variant {}", letter), [lane](App& a) { rename_lane(a, lane); }});
    entries.push_back({fmt::format("Duplicate variant {}", letter), [lane](App& a) {
                           if (a.session.edit("duplicate a variant", [lane](Scene& scene) {
                                   duplicate_variant(scene, lane);
                               }))
                               open_last_lane(a);
                       }});
    entries.push_back({fmt::format("Remove variant {}", letter),
                       [lane](App& a) {
                           if (a.session.edit("remove a variant", [lane](Scene& scene) {
                                   remove_variant(scene, lane);
                               }))
                               a.ui.variant.reset();
                       },
                       "", is_last ? "it is the only one" : ""});
}

// --- layers

// The layers that an edit changes: of all lanes where theirs are equal, else of the chosen one.
std::vector<int> lanes_of_layers(const App& app) {
    const std::vector<int> shown = shown_lanes(app.session.view(), app.session.scene());
    if (layers_are_shared(app.session.scene(), shown)) return shown;
    return {chosen_lane(app)};
}

bool has_layer(const App& app, int lane, LayerKind kind) {
    return std::ranges::any_of(variant_of(app, lane).mask.layers, [kind](const MaskLayer& layer) {
        return row_of(layer.kind) == kind;
    });
}

void set_kind(App& app, const std::vector<int>& lanes, LayerKind kind, bool on) {
    app.session.edit(on ? "add a layer" : "remove a layer", [&](Scene& scene) {
        if (on) return set_layer(scene, lanes, kind, true);
        for (const LayerRule& rule : layer_rules())
            if (row_of(rule.kind) == kind) set_layer(scene, lanes, rule.kind, false);
    });
}

}  // namespace

void add_lanes(Entries& entries, const App& app) {
    const int count = static_cast<int>(app.session.scene().variants.size());
    for (int lane = 0; lane < count; ++lane)
        entries.push_back(
            {fmt::format("Lane {}: {}", lane_letter(lane), variant_of(app, lane).name),
             [lane](App& a) { choose_lane(a, lane); }, "",
             app.ui.variant == lane ? "its settings are open" : ""});
    constexpr int most = 26;
    entries.push_back({"Add a variant",
                       [](App& a) {
                           if (a.session.edit("add a variant", add_variant)) open_last_lane(a);
                       },
                       "", count < most ? "" : "there are 26, A to Z"});
    add_lane_commands(entries, app, chosen_lane(app));
    add_settings(entries, app, chosen_lane(app));
}

void add_layers(Entries& entries, const App& app) {
    const std::vector<int> lanes = lanes_of_layers(app);
    const bool over_weights = std::holds_alternative<WeightsInputs>(app.session.scene().inputs);
    const std::string whose =
        lanes.size() > 1 ? "" : fmt::format(" in lane {}", lane_letter(lanes.front()));
    for (const LayerRule& rule : layer_rules()) {
        const LayerKind kind = rule.kind;
        if (row_of(kind) != kind || (rule.is_bias() && over_weights)) continue;
        const bool on = has_layer(app, lanes.front(), kind);
        entries.push_back(
            {fmt::format("{} the mask layer {}{}", on ? "Remove" : "Add", label(kind), whose),
             [lanes, kind, on](App& a) { set_kind(a, lanes, kind, !on); }});
    }
}

}  // namespace maskscope
