// The bench in the window: the figure as in a file, filling its room, and over it what only the
// window has: the pointer's frames, the ring, the pinned cell.

#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "app/figure/layout/lay_out_batch.h"
#include "app/figure/plots/lay_out_view.h"
#include "app/show/views/view_entry.h"
#include "app/style/labels.h"
#include "app/window/actions/actions.h"
#include "app/window/actions/bench_tensors.h"
#include "app/window/paint/painter.h"
#include "app/window/panels/bench/bench_parts.h"
#include "app/window/panels/parts.h"
#include "app/window/panels/sentence.h"
#include "app/window/panels/words.h"
#include "app/window/widgets/widgets.h"
#include "core/edit/edit.h"
#include "core/scene/names.h"

namespace maskscope {

namespace {

constexpr double panel_padding = 18;  // points

double tools_height(const Gui& gui, const Session& session, const Rect& bench) {
    if (entry_above(session)) return points(gui, 58 + sentence_height);
    return points(gui, has_low_tools(gui, bench) ? 58 : 97);
}

LayoutOptions options_of(const Gui& gui, const Session& session, double width, double height) {
    LayoutOptions options = room_options(gui, session, width, height);
    options.zoom = session.view().zoom;
    options.hovered = named_cell(session);
    options.picked = session.view().picked;
    return options;
}

double lowest_heatmap(const Figure& figure) {
    double lowest = 1e9;
    for (const Heatmap& map : figure.heatmaps)
        if (map.lane != earlier_lane) lowest = std::min(lowest, map.rect.h);
    return lowest;
}

bool shows_numbers(const Figure& figure) {
    return std::any_of(figure.heatmaps.begin(), figure.heatmaps.end(), [](const Heatmap& map) {
        return map.cells->stage != StageKind::allowed && map.number_size > 0;
    });
}

// The figure in its room, with all its columns; if its heatmaps would be lower than `least`, it is
// made higher, and the panel scrolls.
Figure lay_out_at_least(const Gui& gui, const Session& session, const BenchState& bench,
                        double width, double height, double least) {
    const auto lay_out_at = [&](double h) {
        LayoutOptions options = options_of(gui, session, width, h);
        options.economy = Economy{.low = bench.economy.low, .mask_first = bench.economy.mask_first};
        return lay_out_view(session.shown(), session.bench(), session.view(), options);
    };
    Figure figure = lay_out_at(height);
    const double highest = 40 * height;
    while (lowest_heatmap(figure) < least && height < highest) {
        const bool has_room = figure.height <= height + 0.5;
        height = std::max(1.06 * height, figure.height);
        Figure higher = lay_out_at(height);
        // the width is the limit
        if (has_room && lowest_heatmap(higher) <= lowest_heatmap(figure)) break;
        figure = std::move(higher);
    }
    return figure;
}

Arranged arranged_in(const Gui& gui, const Session& session, double width, double height) {
    Arranged now{width, height, gui.scale, session.shown().scene.title, session.step(), {}, {}};
    const auto stages_of = [&](int lane, const std::vector<BenchStage>& stages) {
        for (const BenchStage& stage : stages) now.stages.emplace_back(lane, stage.stage);
    };
    for (const BenchBlock& block : session.bench().blocks) {
        now.tokens.push_back(block.tokens);
        if (block.mask) now.stages.emplace_back(shared_lane, StageKind::allowed);
        stages_of(earlier_lane, block.earlier);
        stages_of(queries_lane, block.tensors);
        stages_of(shared_lane, block.shared);
        for (const BenchLane& lane : block.lanes) stages_of(lane.variant, lane.stages);
    }
    return now;
}

// Never too low to see; with few tokens, high enough for their numbers if the width allows it.
Figure lay_out_to_read(const Gui& gui, const Session& session, BenchState& bench, double width,
                       double height) {
    const double rows = double(session.bench().blocks.front().tokens->queries.size());
    if (shows_all_heads(session)) return lay_out_at_least(gui, session, bench, width, height, 0);
    LayoutOptions options = options_of(gui, session, width, height);
    Arranged now = arranged_in(gui, session, width, height);
    const bool arranged = bench.arranged == now;
    if (arranged) options.economy = bench.economy;
    Figure read = lay_out_view(session.shown(), session.bench(), session.view(), options);
    if (!arranged) {
        bench.arranged = std::move(now);
        bench.economy = read.economy;
        bench.reading = read.reading;
    }
    if (bench.reading != Reading::none) return read;
    const double least = points(gui, std::clamp(16 * rows, 64.0, 140.0));
    Figure figure = lay_out_at_least(gui, session, bench, width, height, least);
    if (rows > 12 || shows_numbers(figure)) return figure;
    Figure higher = lay_out_at_least(gui, session, bench, width, height, points(gui, 17 * rows));
    return shows_numbers(higher) ? higher : figure;
}

// The figure of this frame; the previous one if nothing that it is made from has changed.
const Figure& laid_out(const Gui& gui, const Session& session, BenchState& bench, double width,
                       double height) {
    LaidOut key{session.bench().made, session.view(), options_of(gui, session, width, height)};
    key.view.show.focus.reset();
    key.view.show.ring.reset();
    const ViewKind kind = shown_view(session.view(), session.shown().scene);
    const bool of_bench = entry_of(kind) == nullptr;
    if (!of_bench || bench.laid_out != key) {
        bench.figure = lay_out_to_read(gui, session, bench, width, height);
        bench.laid_out = of_bench ? std::optional(std::move(key)) : std::nullopt;
    }
    return bench.figure;
}

bool is_token(const Bench& bench, const std::string& text) {
    return std::ranges::any_of(bench.blocks, [&](const BenchBlock& block) {
        return std::ranges::count(block.tokens->queries, text) > 0 ||
               std::ranges::count(block.tokens->keys, text) > 0;
    });
}

// The term for how a row's sum is drawn.
std::string term_of(const SumBar& bar) {
    switch (bar.mark) {
        case SumBar::Mark::above_one:
            return "sum above 1";
        case SumBar::Mark::nan:
            return "sum NaN";
        case SumBar::Mark::empty:
            return "sum empty";
        case SumBar::Mark::by_design:
            return "sum by design";
        case SumBar::Mark::none:
            break;
    }
    if (bar.leaked > 0) return "sum leaks";
    return bar.status == Role::odd ? "sum below 1" : "sum 1";
}

// Shows a shortened token in full, and explains every term that is drawn.
void explain_figure(Gui& gui, const Bench& shown, const BenchState& bench) {
    const Point origin = bench.figure_at;
    const Point at{gui.now.pointer.x - origin.x, gui.now.pointer.y - origin.y};
    for (const Text& text : bench.figure.texts) {
        if (!text_rect(text).contains(at)) continue;
        if (is_cut(text)) return tooltip_here(gui, text.text);
        if (is_token(shown, text.text)) continue;
        if (const std::string words = explanation(text.text); !words.empty())
            return tooltip_here(gui, words);
    }
    for (const SumBar& bar : bench.figure.sums) {
        Rect rect = bar.rect;
        rect.w += points(gui, 8) + measure(bar.text, {.size = bar.text_size}).width;
        if (rect.contains(at)) return tooltip_here(gui, explanation(term_of(bar)));
    }
}

// All sequences of the batch on the left; returns the width that they take.
double draw_batch(Gui& gui, Session& session, Point origin, bool over) {
    View& view = session.view();
    if (session.bench().batch.empty()) return 0;
    const Shape shape = session.shown().variants.front().shape;
    BatchStrip strip = lay_out_batch(session.bench(), shown_sequences(view, shape), gui.scale);
    if (session.covered()) {
        strip.figure.heatmaps.clear();
        strip.figure.sums.clear();
    }
    paint(gui, panel_list(), strip.figure, origin);
    const Point at{gui.now.pointer.x - origin.x, gui.now.pointer.y - origin.y};
    if (over && ImGui::IsMouseClicked(0))
        for (std::size_t k = 0; k < strip.rows.size(); ++k)
            if (strip.rows[k].contains(at))
                view.show.sequences = std::vector<Index>{session.bench().batch[k].b};
    take_room(0, strip.figure.height);
    set_cursor(origin.x, origin.y);
    return strip.figure.width + points(gui, 24);
}

// A press moves the cell cursor; a double click on a number types another, everywhere but in the
// mask.
void press_numbers(const Session& session, BenchState& bench, const BenchPointer& pointer) {
    const auto& cell = session.view().hovered;
    if (!pointer.pressed || !cell || shows_all_heads(session)) return;
    take_cursor_to(bench, *cell);
    const bool plain = pointer.double_clicked && !pointer.ctrl && !pointer.alt;
    if (plain && cell->stage != StageKind::allowed) ask_for_number(bench, *cell);
}

// Closer to each other where room is short.
void draw_tabs(Gui& gui, Session& session, BenchState& bench) {
    const Scene& scene = session.shown().scene;
    const ViewKind shown = shown_view(session.view(), scene);
    const std::vector<ViewKind> tabs = tabs_of(session.view(), scene);
    double spare = room_width();
    for (const ViewKind kind : tabs)
        spare -= tab_width(gui, std::string(label(kind)), kind == shown);
    const double between = std::max(1.0, double(tabs.size()) - 1) * gui.scale;
    const double gap = std::clamp(std::floor(spare / between), 2.0, 18.0);
    for (const ViewKind kind : tabs) {
        if (kind != tabs.front()) same_line(gui, gap);
        if (tab(gui, std::string(label(kind)), kind == shown)) show_view(session, bench, kind);
    }
}

}  // namespace

const ViewEntry* entry_above(const Session& session) {
    const ViewEntry* entry = shown_entry(session);
    return entry && entry->lay_out_above ? entry : nullptr;
}

Reading bench_reading(const Gui& gui, const Session& session, const Rect& rect) {
    const ViewKind kind = shown_view(session.view(), session.shown().scene);
    if (kind != ViewKind::pipeline && !entry_above(session)) return Reading::none;
    if (session.view().batch) return Reading::none;
    const double width = rect.w - points(gui, 2 * panel_padding);
    const double height =
        rect.h - points(gui, 2 * panel_padding) - tools_height(gui, session, rect);
    if (width <= 0 || height <= 0) return Reading::none;
    return lay_out_view(session.shown(), session.bench(), session.view(),
                        options_of(gui, session, width, height))
        .reading;
}

void draw_bench(Gui& gui, Session& session, BenchState& bench, const Rect& rect) {
    const bool zooms = session.view().hovered.has_value() && !shows_all_heads(session);
    const std::tuple place{rect, session.document(), session.step()};
    begin_panel(gui, "bench", rect,
                {.ground = Role::ground,
                 .padding = panel_padding,
                 .wheel_scrolls = !zooms,
                 .has_bar = bench.scrolled_in == place});
    if (session.opening()) {
        bench.figure = {};
        bench.laid_out.reset();
        label(gui, opening_text(session), {.role = Role::dim});
        return end_panel();
    }
    if (!bench.calm) draw_tabs(gui, session, bench);
    if (shows_plots(session)) {
        if (!bench.calm) draw_plot_tools(gui, session);
        gap(gui, 6);
        draw_plots(gui, session, bench);
        return end_panel();
    }
    if (!bench.calm) draw_bench_tools(gui, session, bench, has_low_tools(gui, rect));
    gap(gui, 6);
    if (entry_above(session) && is_trained(session.scene().inputs)) draw_sentence(gui, session);
    const ImVec2 at = ImGui::GetCursorScreenPos(), room = ImGui::GetContentRegionAvail();
    const bool over = ImGui::IsWindowHovered() && gui.focus.layer == Layer::window;
    const double batch = draw_batch(gui, session, {at.x, at.y}, over);
    const Point origin{at.x + batch, at.y};
    const double width = std::max(1.0, room.x - batch);

    const bool over_field = is_over_number_field(gui, bench, rect);
    BenchPointer pointer = bench_pointer(gui, origin, over && !over_field);
    if (bench.number) pointer.wheel = 0;  // its cell stays in sight
    use_pointer(session, bench.drag, laid_out(gui, session, bench, width, room.y), pointer,
                gui.scale);
    press_numbers(session, bench, pointer);
    if (entry_above(session) && pointer.at)
        use_view_pointer(gui, session, bench, bench.figure,
                         {.at = *pointer.at, .inside = true, .pressed = pointer.pressed});
    keep_cursor_within(session, bench);
    laid_out(gui, session, bench, width, room.y);
    bench.figure_at = origin;
    paint(gui, panel_list(), bench.figure, origin);
    draw_bench_marks(gui, session, bench);
    draw_border(gui, session, bench, pointer.at);
    if (over && !over_field && !gui.still_at) explain_figure(gui, session.bench(), bench);
    draw_number_field(gui, session, bench, rect);
    take_room(room.x, bench.figure.height);
    if (bench.figure.height > room.y + 0.5) bench.scrolled_in = place;
    end_panel();
}

}  // namespace maskscope
