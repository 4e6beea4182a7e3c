// The bench in the window: the figure that a file would show, filling its room, and over it what
// only a window has: the pointer's frames, the ring, the pinned cell.

#include <imgui.h>

#include <algorithm>

#include "app/figure/layout/lay_out_batch.h"
#include "app/figure/plots/lay_out_view.h"
#include "app/figure/style/text_rect.h"
#include "app/show/views/views.h"
#include "app/window/actions/actions.h"
#include "app/window/actions/bench_tensors.h"
#include "app/window/paint/painter.h"
#include "app/window/panels/bench/bench_marks.h"
#include "app/window/panels/bench/bench_number.h"
#include "app/window/panels/bench/bench_panel.h"
#include "app/window/panels/bench/bench_tools.h"
#include "app/window/panels/bench/plots.h"
#include "app/window/panels/parts.h"
#include "app/window/widgets/widgets.h"
#include "core/scene/names.h"

namespace maskscope {

namespace {

LayoutOptions options_of(const App& app, double width, double height) {
    LayoutOptions options = room_options(app, width, height);
    options.zoom = app.session.view().zoom;
    options.hovered = app.session.view().hovered;
    options.picked = app.session.view().picked;
    return options;
}

double lowest_heatmap(const Figure& figure) {
    double lowest = 1e9;
    for (const Heatmap& map : figure.heatmaps) lowest = std::min(lowest, map.rect.h);
    return lowest;
}

bool shows_numbers(const Figure& figure) {
    return std::any_of(figure.heatmaps.begin(), figure.heatmaps.end(), [](const Heatmap& map) {
        return map.cells->stage != StageKind::allowed && map.number_size > 0;
    });
}

// The figure in its room; where its heatmaps would be lower than `least`, it is higher, and the
// panel scrolls.
Figure lay_out_at_least(const App& app, double width, double height, double least) {
    const auto lay_out_at = [&](double h) {
        return lay_out_view(app.session.shown(), app.session.bench(), app.session.view(),
                            options_of(app, width, h));
    };
    Figure figure = lay_out_at(height);
    const double highest = 40 * height;
    while (lowest_heatmap(figure) < least && height < highest) {
        const bool has_room = figure.height <= height + 0.5;
        height = std::max(1.25 * height, figure.height);
        Figure higher = lay_out_at(height);
        // the width is what lacks
        if (has_room && lowest_heatmap(higher) <= lowest_heatmap(figure)) break;
        figure = std::move(higher);
    }
    return figure;
}

// Never too low to see; of few tokens so high that their numbers fit, where the width allows it.
Figure lay_out_to_read(const App& app, double width, double height) {
    const double rows = double(app.session.bench().blocks.front().tokens.queries.size());
    if (shows_all_heads(app.session)) return lay_out_at_least(app, width, height, 0);
    const double least = points(app, std::clamp(16 * rows, 64.0, 140.0));
    Figure figure = lay_out_at_least(app, width, height, least);
    if (rows > 12 || shows_numbers(figure)) return figure;
    Figure higher = lay_out_at_least(app, width, height, points(app, 17 * rows));
    return shows_numbers(higher) ? higher : figure;
}

// The figure of this frame; that of the frame before where nothing changed that it is made from.
const Figure& laid_out(App& app, double width, double height) {
    LaidOut key{app.session.bench().made, app.session.view(), options_of(app, width, height)};
    key.view.show.focus.reset();
    key.view.show.ring.reset();
    const ViewKind kind = shown_view(app.session.view(), app.session.shown().scene);
    const bool of_bench = kind == ViewKind::pipeline || kind == ViewKind::heads;
    if (!of_bench || app.laid_out != key) {
        app.figure = lay_out_to_read(app, width, height);
        app.laid_out = of_bench ? std::optional(std::move(key)) : std::nullopt;
    }
    return app.figure;
}

// A token that had no room is told whole.
void explain_cut_text(App& app, const Figure& figure, Point origin) {
    const Point at{app.now.pointer.x - origin.x, app.now.pointer.y - origin.y};
    for (const Text& text : figure.texts)
        if (text.max_width > 0 && text_rect(text).contains(at) && is_cut(text))
            return tooltip_here(app, text.text);
}

// All sequences of the batch at the left; the width that they take.
double draw_batch(App& app, Point origin, bool over) {
    View& view = app.session.view();
    if (app.session.bench().batch.empty()) return 0;
    const Shape shape = app.session.shown().variants.front().shape;
    const BatchStrip strip =
        lay_out_batch(app.session.bench(), shown_sequences(view, shape), app.ui_scale);
    paint(app, panel_list(), strip.figure, origin);
    const Point at{app.now.pointer.x - origin.x, app.now.pointer.y - origin.y};
    if (over && ImGui::IsMouseClicked(0))
        for (std::size_t k = 0; k < strip.rows.size(); ++k)
            if (strip.rows[k].contains(at))
                view.show.sequences = std::vector<Index>{app.session.bench().batch[k].b};
    ImGui::Dummy({0, static_cast<float>(strip.figure.height)});
    ImGui::SetCursorScreenPos({static_cast<float>(origin.x), static_cast<float>(origin.y)});
    return strip.figure.width + points(app, 24);
}

// A press takes the cell cursor along; a double click on a number types another, everywhere but in
// the mask.
void press_numbers(App& app, const BenchPointer& pointer) {
    const auto& cell = app.session.view().hovered;
    if (!pointer.pressed || !cell || shows_all_heads(app.session)) return;
    take_cursor_to(app, *cell);
    const bool plain = pointer.double_clicked && !pointer.ctrl && !pointer.alt;
    if (plain && cell->stage != StageKind::allowed) ask_for_number(app, *cell);
}

// A tab for each view that the scene has.
void draw_tabs(App& app) {
    const Scene& scene = app.session.shown().scene;
    const ViewKind shown = shown_view(app.session.view(), scene);
    bool first = true;
    for (const ViewKind kind : views_of(scene)) {
        if (!first) ImGui::SameLine(0, static_cast<float>(points(app, 18)));
        first = false;
        if (tab(app, std::string(label(kind)), kind == shown)) show_view(app, kind);
    }
}

}  // namespace

void draw_bench(App& app) {
    const bool zooms = app.session.view().hovered.has_value() && !shows_all_heads(app.session);
    begin_panel(app, "bench", app.panels.bench,
                {.ground = Role::ground, .padding = 18, .wheel_scrolls = !zooms});
    draw_tabs(app);
    if (shows_plots(app)) {
        draw_plot_tools(app);
        gap(app, 6);
        draw_plots(app);
        return end_panel();
    }
    draw_bench_tools(app);
    gap(app, 6);
    const ImVec2 at = ImGui::GetCursorScreenPos(), room = ImGui::GetContentRegionAvail();
    const bool over = ImGui::IsWindowHovered() && !app.ui.question && !app.ui.path_line;
    const double batch = draw_batch(app, {at.x, at.y}, over);
    const Point origin{at.x + batch, at.y};
    const double width = std::max(1.0, room.x - batch);

    const bool over_field = is_over_number_field(app, app.figure, app.figure_at);
    const BenchPointer pointer = bench_pointer(app, origin, over && !over_field);
    use_pointer(app.session, app.ui.drag, laid_out(app, width, room.y), pointer, app.ui_scale);
    press_numbers(app, pointer);
    keep_cursor_within(app);
    laid_out(app, width, room.y);
    app.figure_at = origin;
    paint(app, panel_list(), app.figure, origin);
    draw_bench_marks(app, app.figure, origin);
    if (over) explain_cut_text(app, app.figure, origin);
    draw_number_field(app, app.figure, origin);
    ImGui::Dummy({room.x, static_cast<float>(app.figure.height)});
    end_panel();
}

}  // namespace maskscope
