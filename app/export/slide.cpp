#include "app/export/export.h"

#include <algorithm>
#include <cmath>

#include "core/scene/names.h"

namespace maskscope {

namespace {

constexpr double width = slide_inches * 72, margin = 0.02 * width;  // points
constexpr double smallest_text = 12;                                // of any layout, × its scale

double height_of(const FigureSize& size) {
    const double aspect = size.aspect.value_or(0) > 0 ? *size.aspect : 16.0 / 9;
    return std::round(width / aspect);
}

bool has_numbers(const Figure& figure) {
    return std::ranges::all_of(figure.heatmaps, [](const Heatmap& map) {
        return map.cells->stage == StageKind::allowed || map.number_size > 0;
    });
}

struct Attempt {
    Figure figure;
    bool fits = false, numbered = false;
    bool is_good() const { return fits && numbered; }
};

Attempt attempt(const Result& result, const View& view, const ExportOptions& options,
                const ComputedParts& known, double scale, bool with_mask = true) {
    const double height = height_of(options.size), rounding = 0.5;
    const double room_w = width - 2 * margin, room_h = height - 2 * margin;
    LayoutOptions layout = layout_options(options.parts);
    layout.complete = layout.in_hall = true;
    layout.with_mask = with_mask;
    layout.scale = scale;
    layout.width = room_w;
    layout.height = room_h;
    const LayOut lay_out = content_of(result, view, options, known).lay_out;
    Attempt made;
    made.figure = lay_out(layout);
    Rect drawn = extent_of(made.figure);
    // The number of a row sum may be wider than its column.
    if (const double beyond = drawn.w - room_w; beyond > rounding && beyond < margin) {
        layout.width -= beyond;
        made.figure = lay_out(layout);
        drawn = extent_of(made.figure);
    }
    made.fits = drawn.w <= room_w + rounding && drawn.h <= room_h + rounding;
    made.numbered = !options.parts.numbers || has_numbers(made.figure);
    made.figure.width = width;
    made.figure.height = height;
    move_by(made.figure, {std::round(std::max(margin, (width - drawn.w) / 2) - drawn.x),
                          std::round(std::max(margin, (height - drawn.h) / 2) - drawn.y)});
    return made;
}

// Lists the shown stages in the order in which they are spared: as they are computed, but last the
// mask and the weights.
std::vector<StageKind> spared_of(const Result& result, const View& view) {
    std::vector<StageKind> stages, last;
    for (int k = 0; k < all_stage_count; ++k) {
        const auto stage = static_cast<StageKind>(k);
        if (!shows_stage(view, stage) || !has_stage(result.scene, stage)) continue;
        const bool stays = stage == StageKind::allowed || stage == StageKind::weights;
        (stays ? last : stages).push_back(stage);
    }
    stages.insert(stages.end(), last.begin(), last.end());
    return stages;
}

View with_stages(View view, const std::vector<StageKind>& stages) {
    view.show.stages = stages;
    std::ranges::sort(*view.show.stages);
    return view;
}

}  // namespace

std::optional<double> smallest_type(const Figure& figure) {
    std::optional<double> least;
    const auto see = [&](double size) {
        if (size > 0) least = std::min(least.value_or(size), size);
    };
    for (const Text& text : figure.texts)
        if (!text.text.empty()) see(text.style.size);
    for (const Heatmap& map : figure.heatmaps) see(map.number_size);
    for (const SumBar& bar : figure.sums)
        if (!bar.text.empty()) see(bar.text_size);
    return least;
}

Figure slide_figure(const Result& result, const View& view, const ExportOptions& asked,
                    const ComputedParts& known) {
    constexpr double scale = slide_type / smallest_text, shrinks = 0.9;
    constexpr double least_scale = least_text / smallest_text;
    ExportOptions options = asked;
    options.parts.legend = options.parts.colour_bars = false;
    std::vector<StageKind> stages = spared_of(result, view);
    View shown = view;
    Attempt made = attempt(result, shown, options, known, scale);
    while (!made.is_good() && stages.size() > 1) {
        stages.erase(stages.begin());
        shown = with_stages(view, stages);
        made = attempt(result, shown, options, known, scale);
    }
    if (!made.is_good()) made = attempt(result, shown, options, known, scale, false);
    if (!made.is_good()) {
        options.parts.numbers = false;
        made = attempt(result, shown, options, known, scale);
    }
    if (!made.fits) made = attempt(result, shown, options, known, scale, false);
    for (double smaller = shrinks * scale; !made.fits && smaller >= least_scale; smaller *= shrinks)
        made = attempt(result, shown, options, known, smaller, false);
    return std::move(made.figure);
}

}  // namespace maskscope
