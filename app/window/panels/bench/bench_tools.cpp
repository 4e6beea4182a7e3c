#include "app/window/panels/bench/bench_parts.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>

#include "app/session/edits/bench_input.h"
#include "app/show/views/views.h"
#include "app/window/actions/bench_tensors.h"
#include "app/window/panels/words.h"
#include "app/window/widgets/widgets.h"
#include "core/scene/names.h"

namespace maskscope {

namespace {

// Tools are laid out in lines, each as full as the panel is wide.
class Line {
public:
    explicit Line(Gui& gui) : gui_(gui) {}
    void next(double width) {
        if (!is_first_) {
            same_line(gui_, 6);
            if (room_width() < width) ImGui::NewLine();
        }
        is_first_ = false;
    }
    ChipEvents chip(const std::string& text, bool selected, const std::string& tip = "",
                    bool dimmed = false) {
        next(chip_width(gui_, text));
        const ChipEvents events =
            maskscope::chip(gui_, text, {.selected = selected, .dimmed = dimmed || !selected});
        tooltip_below(gui_, tip);
        return events;
    }

private:
    Gui& gui_;
    bool is_first_ = true;
};

bool exists(const Session& session, StageKind stage) {
    return session.shown().variants.front().stage(stage).exists();
}

// A mask that blocks nothing takes no room; here it can be shown, to click and paint its cells.
void draw_mask_chip(Session& session, Line& line) {
    View& view = session.view();
    bool stands = false, blocks = false;
    each_stage(session.bench(), [&](const BenchStage& stage) {
        if (stage.stage != StageKind::allowed) return;
        stands = true;
        blocks |= (signs_of_any(*stage.cells) & sign::blocked) != 0;
    });
    const bool is_asked = view.mask || names_mask(view.show);
    if (stands && (blocks || !is_asked)) return;
    const bool clicked = line.chip(stands ? "Mask" : "+ mask", stands,
                                   "It blocks nothing. Show it to click or paint its cells.")
                             .clicked;
    if (!clicked) return;
    view.mask = false;
    std::vector<StageKind> stages = shown_stages(view);
    if (stands)
        std::erase(stages, StageKind::allowed);
    else
        stages.insert(stages.begin(), StageKind::allowed);
    view.show.stages = stages;
}

// Why a stage that was asked for is not on the bench; "" if it is, or nothing is laid out yet.
std::string why_not_drawn(const Session& session, const BenchState& bench, StageKind stage) {
    const auto is_stage = [stage](const BenchStage& drawn) { return drawn.stage == stage; };
    const auto made = [&](const BenchBlock& block) {
        return std::ranges::any_of(block.shared, is_stage) ||
               std::ranges::any_of(block.lanes, [&](const BenchLane& lane) {
                   return std::ranges::any_of(lane.stages, is_stage);
               });
    };
    const std::vector<Heatmap>& drawn = bench.figure.heatmaps;
    const bool covered = session.covered();
    if (drawn.empty() || covered ||
        shown_view(session.view(), session.shown().scene) != ViewKind::pipeline)
        return "";
    if (std::ranges::none_of(session.bench().blocks, made))
        return "Not drawn: equal to the stage before it.";
    const bool there = std::ranges::any_of(
        drawn, [stage](const Heatmap& map) { return map.cells->stage == stage; });
    return there ? "" : "Not drawn: too narrow. Hide a panel with Ctrl+1 or Ctrl+2.";
}

// Which stages are drawn: one chip for each that the inputs have.
void draw_stages(Session& session, const BenchState& bench, Line& line) {
    View& view = session.view();
    std::vector<StageKind> shown = shown_stages(view);
    for (int k = 1; k < stage_count; ++k) {
        const auto stage = static_cast<StageKind>(k);
        if (!exists(session, stage)) continue;
        const auto found = std::find(shown.begin(), shown.end(), stage);
        const bool is_shown = found != shown.end();
        const std::string name(label(stage));
        const std::string why = is_shown ? why_not_drawn(session, bench, stage) : "";
        const std::string tip = (why.empty() ? "" : why + "\n") + explanation(name);
        if (!line.chip(name, is_shown, tip, !why.empty()).clicked) continue;
        if (is_shown)
            shown.erase(found);
        else
            shown.insert(std::upper_bound(shown.begin(), shown.end(), stage), stage);
        view.show.stages = shown;
        return;
    }
}

void draw_tensors(Session& session, BenchState& bench, Line& line) {
    const auto why = why_no_tensors(session.scene());
    const std::string tip = why.value_or("Show Q, K and V (Q). Double-click a number to edit it.");
    if (line.chip("Q K V", session.view().tensors && !why, tip).clicked)
        fold_tensors(session, bench);
}

// One stage for all heads.
void draw_stage_of_heads(Session& session, Line& line) {
    const StageKind shown = stage_of_heads(session.shown(), session.view());
    for (int k = 1; k < stage_count; ++k) {
        const auto stage = static_cast<StageKind>(k);
        if (stage == StageKind::output || !exists(session, stage)) continue;
        const std::string name(label(stage));
        if (line.chip(name, stage == shown, explanation(name)).clicked)
            session.view().show.stages = std::vector<StageKind>{stage};
    }
}

std::optional<int> letter_of(Gui& gui, Line& line, const std::string& id,
                             const std::vector<int>& lanes, int chosen) {
    std::vector<std::string> letters;
    for (const int lane : lanes) letters.emplace_back(1, lane_letter(lane));
    const auto at = std::find(lanes.begin(), lanes.end(), chosen);
    constexpr double width = 52;
    line.next(points(gui, width));
    const auto picked =
        combo(gui, id, letters, static_cast<int>(at - lanes.begin()), {.width = width});
    return picked ? std::optional<int>(lanes[*picked]) : std::nullopt;
}

// A − B, on and off; with more than two lanes the letters can be chosen.
void draw_difference(Gui& gui, Session& session, Line& line) {
    Show& show = session.view().show;
    std::vector<int> lanes(session.shown().scene.variants.size());
    for (std::size_t k = 0; k < lanes.size(); ++k) lanes[k] = static_cast<int>(k);
    if (lanes.size() < 2) return;
    const auto shown = shown_difference(session.view(), session.shown().scene);
    const Difference d = shown.value_or(Difference{});
    const std::string text =
        fmt::format("{} − {}##difference", lane_letter(d.lane), lane_letter(d.minus));
    if (line.chip(text, shown.has_value(), "One lane minus another, in a lane of its own")
            .clicked) {
        show.difference = shown ? std::nullopt : std::optional(d);
        return;
    }
    if (!shown || lanes.size() < 3) return;
    // The same letter twice would be no difference, so the two swap.
    if (const auto lane = letter_of(gui, line, "minuend", lanes, d.lane))
        show.difference =
            *lane == d.minus ? Difference{d.minus, d.lane} : Difference{*lane, d.minus};
    if (const auto minus = letter_of(gui, line, "subtrahend", lanes, d.minus))
        show.difference =
            *minus == d.lane ? Difference{d.minus, d.lane} : Difference{d.lane, *minus};
}

// "‹ head 3 of 8 ›": steps through the heads.
void draw_heads(Session& session, Line& line) {
    const Shape shape = session.shown().variants.front().shape;
    View& view = session.view();
    if (view.enlarged && line.chip("‹ all heads", false, "Escape").clicked) {
        back_to_heads(session);
        return;
    }
    if (shape.h < 2) return;
    const Index h = shown_heads(view, shape).front();
    if (line.chip("‹##head", false, "the head before").clicked && h > 0)
        view.show.heads = std::vector<Index>{h - 1};
    const std::string text = fmt::format("head {} of {}", h + 1, shape.h);
    line.chip(text, true, "keys 1 to 9 jump to a head");
    if (line.chip("›##head", false, "the next head").clicked && h + 1 < shape.h)
        view.show.heads = std::vector<Index>{h + 1};
}

void draw_batch(Session& session, Line& line) {
    View& view = session.view();
    const Shape shape = session.shown().variants.front().shape;
    if (shape.b < 2) return;
    const std::string text = fmt::format("batch of {}", shape.b);
    if (line.chip(text, view.batch, "All sequences in a row each; a click selects one").clicked)
        view.batch = !view.batch;
}

constexpr double map_width = 140;  // points

// How numbers become colours.
void draw_colours(Gui& gui, Session& session, Line& line) {
    Colouring& colouring = session.view().colouring;
    const std::vector<std::string> maps{"default colours", "viridis", "cividis", "magma", "grey"};
    const int chosen = colouring.map ? static_cast<int>(*colouring.map) + 1 : 0;
    line.next(points(gui, map_width));
    if (const auto picked = combo(gui, "colours", maps, chosen, {.width = map_width}))
        colouring.map =
            *picked == 0 ? std::nullopt : std::optional(static_cast<ColourMap>(*picked - 1));
    const bool by_itself = session.shown().variants.front().shape.n_k >= many_keys;
    const bool logarithmic = colouring.logarithmic.value_or(by_itself);
    if (line.chip("logarithmic", logarithmic, "Equal ratios of weights are equal steps of colour")
            .clicked)
        colouring.logarithmic =
            logarithmic != by_itself ? std::nullopt : std::optional(!logarithmic);
}

// At the right end of the line of tabs; below it if there is no room.
void draw_colours_by_tabs(Gui& gui, Session& session) {
    const double width = points(gui, map_width + 6) + chip_width(gui, "logarithmic");
    same_line(gui, 18);
    const double room = room_width();
    if (room < width)
        ImGui::NewLine();
    else
        ImGui::SetCursorPosX(ImGui::GetCursorPosX() + static_cast<float>(room - width));
    Line line(gui);
    draw_colours(gui, session, line);
}

}  // namespace

void draw_bench_tools(Gui& gui, Session& session, BenchState& bench) {
    const ViewKind kind = shown_view(session.view(), session.shown().scene);
    if (kind != ViewKind::heads && kind != ViewKind::pipeline) return;
    draw_colours_by_tabs(gui, session);
    Line line(gui);
    if (kind == ViewKind::heads) {
        if (!session.view().picked.empty() && line.chip("‹ all heads", false, "Escape").clicked)
            back_to_heads(session);
        draw_stage_of_heads(session, line);
    } else {
        draw_tensors(session, bench, line);
        draw_mask_chip(session, line);
        draw_stages(session, bench, line);
        draw_difference(gui, session, line);
        draw_heads(session, line);
        draw_batch(session, line);
    }
}

}  // namespace maskscope
