// Lanes, the settings of the chosen one, and the layers of its mask.

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "app/pytorch/script.h"
#include "app/session/edits/variant_settings.h"
#include "app/window/actions/actions.h"
#include "app/window/actions/palette_parts.h"
#include "app/window/widgets/widgets.h"
#include "core/scene/names.h"

namespace maskscope {
namespace {

const Variant& variant_of(const Session& session, int lane) {
    return session.scene().variants[lane];
}

// --- settings

// One choice: what it makes of the scene; that which changes nothing is set already.
void add_setting(Entries& entries, const Session& session, const std::string& words,
                 const std::string& what, const std::function<void(Scene&)>& set) {
    Scene changed = session.scene();
    set(changed);
    const bool is_set = changed == session.scene();
    entries.push_back({words, does([what, set](Session& session) { session.edit(what, set); }), "",
                       is_set ? already_so : ""});
}

template <class T>
void add_choices(Entries& entries, const Session& session, int lane, const std::string& name,
                 const std::vector<std::string>& choices, T Variant::*member) {
    for (std::size_t k = 0; k < choices.size(); ++k)
        add_setting(entries, session, fmt::format("{}: {} {}", lane_letter(lane), name, choices[k]),
                    "change the " + name, [lane, k, member](Scene& scene) {
                        scene.variants.at(static_cast<std::size_t>(lane)).*member =
                            static_cast<T>(k);
                    });
}

// What presenting's line can turn, as words.
void add_what_if(Entries& entries, const Session& session, int lane) {
    const std::vector<WhatIfField> fields = what_if_fields(session.scene(), lane);
    for (int f = 0; f < static_cast<int>(fields.size()); ++f) {
        const WhatIfField& field = fields[f];
        for (int c = 0; c < static_cast<int>(field.choices.size()); ++c)
            entries.push_back(
                {fmt::format("{}: {} {}", lane_letter(lane), field.name, field.choices[c]),
                 does([lane, f, c](Session& session) { choose_what_if(session, lane, f, c); }), "",
                 c == field.chosen ? already_so : ""});
    }
}

void add_scores(Entries& entries, const Session& session, int lane) {
    if (!has_score(session.scene().inputs)) return;
    const auto kinds = names<ScoreKind>();
    for (std::size_t k = 0; k < kinds.size(); ++k) {
        const auto kind = static_cast<ScoreKind>(k);
        entries.push_back({fmt::format("{}: score {}", lane_letter(lane), kinds[k]),
                           does([lane, kind](Session& session) {
                               session.edit("change the score", [lane, kind](Scene& scene) {
                                   set_score_kind(scene, lane, kind);
                               });
                           }),
                           "", variant_of(session, lane).score.kind == kind ? already_so : ""});
    }
}

void add_order(Entries& entries, const Session& session, int lane) {
    const Apply apply = variant_of(session, lane).mask.apply;
    if (apply != Apply::additive && apply != Apply::replace && apply != Apply::multiply_scores)
        return;
    for (const Order order : {Order::scale_then_mask, Order::mask_then_scale})
        add_setting(
            entries, session,
            fmt::format("{}: order {}", lane_letter(lane),
                        order == Order::scale_then_mask ? "scale, then mask" : "mask, then scale"),
            "change the order", [lane, order](Scene& scene) {
                scene.variants.at(static_cast<std::size_t>(lane)).mask.order = order;
            });
    if (apply != Apply::additive) return;
    for (const int times : {1, 2})
        add_setting(entries, session,
                    fmt::format("{}: added {}", lane_letter(lane), times == 1 ? "once" : "twice"),
                    "add once or twice", [lane, times](Scene& scene) {
                        scene.variants.at(static_cast<std::size_t>(lane)).mask.times = times;
                    });
}

void add_settings(Entries& entries, const Session& session, int lane) {
    const bool over_weights = std::holds_alternative<WeightsInputs>(session.scene().inputs);
    add_what_if(entries, session, lane);
    if (over_weights) return;
    add_order(entries, session, lane);
    add_scores(entries, session, lane);
    add_choices(
        entries, session, lane, "normalizer",
        {std::string(label(Normalizer::softmax)), std::string(label(Normalizer::softmax_plus_one))},
        &Variant::normalizer);
}

// --- lanes

void open_last_lane(const Session& session, SidebarState& sidebar) {
    choose_lane(sidebar, static_cast<int>(session.scene().variants.size()) - 1);
}

void rename_lane(Gui& gui, const Session& session, SidebarState& sidebar, int lane) {
    choose_lane(sidebar, lane);
    edit_field(gui, fmt::format("name/{}", lane), variant_of(session, lane).name);
}

void copy_as_pytorch(Gui& gui, Session& session, int lane) {
    const auto& shown = session.shown().variants;
    if (lane >= static_cast<int>(shown.size())) return;  // it is being computed
    gui.clipboard.write(pytorch_script(session.shown(), lane));
    session.say(
        fmt::format("Variant {} stands on the clipboard as a PyTorch script.", lane_letter(lane)));
}

void add_lane_commands(Entries& entries, const Session& session, int lane) {
    const char letter = lane_letter(lane);
    const bool is_last = session.scene().variants.size() == 1;
    entries.push_back(
        {fmt::format("{} as PyTorch, on the clipboard", letter),
         does([lane](Gui& gui, Session& session) { copy_as_pytorch(gui, session, lane); })});
    entries.push_back({fmt::format("Rename variant {}", letter),
                       does([lane](Gui& gui, Session& session, SidebarState& sidebar) {
                           rename_lane(gui, session, sidebar, lane);
                       })});
    entries.push_back({fmt::format("Duplicate variant {}", letter),
                       does([lane](Session& session, SidebarState& sidebar) {
                           if (session.edit("duplicate a variant", [lane](Scene& scene) {
                                   duplicate_variant(scene, lane);
                               }))
                               open_last_lane(session, sidebar);
                       })});
    entries.push_back({fmt::format("Remove variant {}", letter),
                       does([lane](Session& session, SidebarState& sidebar) {
                           if (session.edit("remove a variant",
                                            [lane](Scene& scene) { remove_variant(scene, lane); }))
                               sidebar.variant.reset();
                       }),
                       "", is_last ? "it is the only one" : ""});
}

// --- layers

// The layers that an edit changes: of all lanes where theirs are equal, else of the chosen one.
std::vector<int> lanes_of_layers(const Session& session, const SidebarState& sidebar) {
    const std::vector<int> shown = shown_lanes(session.view(), session.scene());
    if (layers_are_shared(session.scene(), shown)) return shown;
    return {chosen_lane(session, sidebar)};
}

bool has_layer(const Session& session, int lane, LayerKind kind) {
    return std::ranges::any_of(
        variant_of(session, lane).mask.layers, [kind](const MaskLayer& layer) {
            const bool painted = kind == LayerKind::blocked && layer.kind == LayerKind::allowed;
            return layer.kind == kind || painted;
        });
}

void set_kind(Session& session, const std::vector<int>& lanes, LayerKind kind, bool on) {
    session.edit(on ? "add a layer" : "remove a layer", [&](Scene& scene) {
        set_layer(scene, lanes, kind, on);
        if (!on && kind == LayerKind::blocked) set_layer(scene, lanes, LayerKind::allowed, false);
    });
}

}  // namespace

void add_lanes(Entries& entries, const Session& session, const SidebarState& sidebar) {
    const int count = static_cast<int>(session.scene().variants.size());
    for (int lane = 0; lane < count; ++lane)
        entries.push_back(
            {fmt::format("Lane {}: {}", lane_letter(lane), variant_of(session, lane).name),
             does([lane](SidebarState& sidebar) { choose_lane(sidebar, lane); }), "",
             sidebar.variant == lane ? "its settings are open" : ""});
    constexpr int most = 26;
    entries.push_back({"Add a variant", does([](Session& session, SidebarState& sidebar) {
                           if (session.edit("add a variant", add_variant))
                               open_last_lane(session, sidebar);
                       }),
                       "", count < most ? "" : "there are 26, A to Z"});
    add_lane_commands(entries, session, chosen_lane(session, sidebar));
    add_settings(entries, session, chosen_lane(session, sidebar));
}

void add_layers(Entries& entries, const Session& session, const SidebarState& sidebar) {
    const std::vector<int> lanes = lanes_of_layers(session, sidebar);
    const bool over_weights = std::holds_alternative<WeightsInputs>(session.scene().inputs);
    const std::string whose =
        lanes.size() > 1 ? "" : fmt::format(" in lane {}", lane_letter(lanes.front()));
    for (std::size_t k = 0; k < names<LayerKind>().size(); ++k) {
        const auto kind = static_cast<LayerKind>(k);
        const bool biases = kind == LayerKind::alibi || kind == LayerKind::bias;
        if (kind == LayerKind::allowed || (biases && over_weights)) continue;
        const bool on = has_layer(session, lanes.front(), kind);
        entries.push_back(
            {fmt::format("{} the mask layer {}{}", on ? "Remove" : "Add", label(kind), whose),
             does([lanes, kind, on](Session& session) { set_kind(session, lanes, kind, !on); })});
    }
}

}  // namespace maskscope
