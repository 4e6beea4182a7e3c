// Makes entries for variants, the settings of the chosen one, and the rules of its mask.

#include <fmt/format.h>

#include <algorithm>

#include "app/pytorch/script.h"
#include "app/session/edits/variant_settings.h"
#include "app/window/actions/actions.h"
#include "app/window/actions/palette_parts.h"
#include "app/window/widgets/widgets.h"
#include "core/frameworks/framework.h"
#include "core/scene/mask_rules.h"
#include "core/scene/names.h"

namespace maskscope {
namespace {

const Variant& variant_of(const Session& session, int lane) {
    return session.scene().variants[lane];
}

// Adds settings before the names of variants, which may be the same words; those of the chosen
// variant first.
void add_settings(Entries& entries, const Session& session, int lane, bool is_chosen) {
    for (const Setting* setting : listed_settings()) {
        const std::vector<Choice> choices = choices_of(*setting, session.scene(), lane);
        for (int c = 0; c < std::ssize(choices); ++c)
            entries.push_back(
                {fmt::format("{}: {} {}", lane_letter(lane), setting->label, choices[c].words),
                 does([lane, setting, c](Session& session) {
                     choose_setting(session, lane, *setting, c);
                 }),
                 "", choices[c].is_chosen ? already_so : "", is_chosen ? 3U : 2U});
    }
}

// --- lanes

void add_lane_commands(Entries& entries, const Session& session, int lane) {
    const char letter = lane_letter(lane);
    const bool is_last = session.scene().variants.size() == 1;
    entries.push_back(
        {fmt::format("Copy {} as PyTorch", letter), does([lane](Gui& gui, Session& session) {
             if (lane < std::ssize(session.shown().variants))  // otherwise it is being computed
                 copy_as_pytorch(gui, session, lane);
         })});
    entries.push_back({fmt::format("Rename variant {}", letter),
                       does([lane](Gui& gui, Session& session, SidebarState& sidebar) {
                           choose_lane(sidebar, lane);
                           edit_field(gui, fmt::format("name/{}", lane),
                                      variant_of(session, lane).name);
                       })});
    entries.push_back({fmt::format("Duplicate variant {}", letter),
                       does([lane](Session& session, SidebarState& sidebar) {
                           duplicate_lane(session, sidebar, lane);
                       })});
    entries.push_back({fmt::format("Remove variant {}", letter),
                       does([lane](Session& session, SidebarState& sidebar) {
                           remove_lane(session, sidebar, lane);
                       }),
                       "", is_last ? "it is the only variant" : ""});
}

// --- frameworks

void add_framework_commands(Entries& entries, const Session& session, int lane) {
    const bool over_weights = std::holds_alternative<WeightsInputs>(session.scene().inputs);
    const std::string why = over_weights ? "given weights do not have these settings" : "";
    for (std::size_t k = 0; k < frameworks().size(); ++k)
        entries.push_back(
            {fmt::format("Framework {} in variant {}", frameworks()[k].name, lane_letter(lane)),
             does([lane, k](Session& session) {
                 session.edit("as in " + frameworks()[k].name,
                              [&](Scene& scene) { set_framework(scene, lane, frameworks()[k]); });
             }),
             "", why});
}

// --- layers

// Returns the variants whose rules an edit changes: all if their rules are equal, else the chosen
// one.
std::vector<int> lanes_of_layers(const Session& session, const SidebarState& sidebar) {
    const std::vector<int> shown = shown_lanes(session.view(), session.scene());
    if (layers_are_shared(session.scene(), shown)) return shown;
    return {chosen_lane(session, sidebar)};
}

}  // namespace

void copy_as_pytorch(Gui& gui, Session& session, int lane) {
    try {
        copy_text(gui.clipboard, pytorch_script(session.shown(), lane), "the script is",
                  "maskscope pytorch writes it to a file");
        session.say(fmt::format("Copied variant {} as a PyTorch script.", lane_letter(lane)));
    } catch (const std::runtime_error& error) {
        session.say(fmt::format("Could not copy: {}", error.what()), true);
    }
}

void open_mask_tests(const Session& session, Ui& ui) {
    ui.mask_card.emplace().lane = chosen_lane(session, ui.sidebar);
}

void copy_mask_tests(Gui& gui, Session& session, int lane) {
    try {
        copy_text(gui.clipboard, pytorch_tests(session.scene(), lane, {}), "the script is",
                  "maskscope test --pytorch writes it to a file");
        session.say(fmt::format("Copied the tests of {} as a PyTorch script.", lane_letter(lane)));
    } catch (const std::runtime_error& error) {
        session.say(fmt::format("Could not copy: {}", error.what()), true);
    }
}

std::string why_no_mask_script(const Session& session, int lane) {
    return why_no_test_script(session.scene(), lane);
}

void add_lanes(Entries& entries, const Session& session, const SidebarState& sidebar) {
    const int count = static_cast<int>(session.scene().variants.size());
    for (int lane = 0; lane < count; ++lane)
        entries.push_back({fmt::format("Variant {}: {}", lane_letter(lane),
                                       lane_title(session.view(), session.scene(), lane)),
                           does([lane](SidebarState& sidebar) { choose_lane(sidebar, lane); }), "",
                           sidebar.variant == lane ? "its settings are open" : ""});
    entries.push_back({"Add a variant", on<add_lane>, "",
                       count < most_lanes ? "" : "there are already 26, A to Z"});
    entries.push_back({"Test this mask",
                       does([](Session& session, Ui& ui) { open_mask_tests(session, ui); }), "",
                       std::string(why_not_yet(session))});
    const int chosen = chosen_lane(session, sidebar);
    add_lane_commands(entries, session, chosen);
    add_framework_commands(entries, session, chosen);
    add_settings(entries, session, chosen, true);
    for (int lane = 0; lane < count; ++lane)
        if (lane != chosen) add_settings(entries, session, lane, false);
}

void add_layers(Entries& entries, const Session& session, const SidebarState& sidebar) {
    const std::vector<int> lanes = lanes_of_layers(session, sidebar);
    const bool over_weights = std::holds_alternative<WeightsInputs>(session.scene().inputs);
    const std::string whose =
        lanes.size() > 1 ? "" : fmt::format(" in variant {}", lane_letter(lanes.front()));
    for (const LayerRule& rule : layer_rules()) {
        const LayerKind kind = rule.kind;
        if (rule.is_bias() && over_weights) continue;
        const auto& layers = variant_of(session, lanes.front()).mask.layers;
        const bool on = std::ranges::count(layers, kind, &MaskLayer::kind) > 0;
        entries.push_back(
            {fmt::format("{} the mask rule {}{}", on ? "Remove" : "Add", label(kind), whose),
             does([lanes, kind, on](Session& session) {
                 session.edit(on ? "remove a mask rule" : "add a mask rule",
                              [&](Scene& scene) { set_layer(scene, lanes, kind, !on); });
             })});
    }
}

}  // namespace maskscope
