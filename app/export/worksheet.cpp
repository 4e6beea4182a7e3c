#include "app/export/worksheet.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "app/export/export.h"
#include "app/figure/write/pdf.h"
#include "app/session/files/load.h"
#include "core/base/error.h"
#include "core/files/file.h"
#include "core/scene/names.h"

namespace maskscope {

namespace {

constexpr double short_side = 595.28, long_side = 841.89;  // points: A4
constexpr double head = 96, border = 28;                   // points, above and beside the figure
constexpr double least_cell = 14;                          // points: 5 mm, enough to write in

bool is_blank(const Heatmap& map, const WorksheetOptions& options) {
    const bool of_a_lane = map.lane >= difference_lane;
    return of_a_lane && std::ranges::count(options.blank, map.cells->stage) > 0;
}

double least_side(const Figure& figure, const WorksheetOptions& options) {
    double least = 1e9;
    for (const Heatmap& map : figure.heatmaps)
        if (is_blank(map, options)) {
            const Rect cell = cell_rect(map, 0, 0);
            least = std::min({least, cell.w, cell.h});
        }
    return least;
}

void draw_blank(Figure& figure, const Heatmap& map) {
    for (Index i = 0; i < map.cells->rows; ++i)
        for (Index j = 0; j < map.cells->columns; ++j)
            figure.boxes.push_back(
                {cell_rect(map, i, j), 0, true, true, Role::ground, Role::dim, 0.7});
}

void draw_blank(Figure& figure, const SumBar& bar) {
    const Rect box{bar.rect.x, bar.rect.y, 1.3 * bar.rect.w, bar.rect.h};
    figure.boxes.push_back({box, 0, true, true, Role::ground, Role::dim, 0.7});
}

void leave_blank(Figure& figure, const WorksheetOptions& options) {
    for (const Heatmap& map : figure.heatmaps)
        if (is_blank(map, options)) draw_blank(figure, map);
    std::erase_if(figure.heatmaps, [&](const Heatmap& map) { return is_blank(map, options); });
    if (std::ranges::count(options.blank, StageKind::weights) == 0) return;
    // a sum bar of the legend stays
    const auto is_of_a_row = [](const SumBar& bar) { return bar.row >= 0; };
    for (const SumBar& bar : figure.sums)
        if (is_of_a_row(bar)) draw_blank(figure, bar);
    std::erase_if(figure.sums, is_of_a_row);
}

void draw_head(Figure& figure, const std::string& title, const std::string& task) {
    const double left = border, right = figure.width - border;
    figure.texts.push_back({.at = {left, 40},
                            .text = title,
                            .style = {18, Weight::semibold},
                            .max_width = 0.55 * figure.width});
    figure.texts.push_back({.at = {0.62 * figure.width, 44}, .text = "Name", .style = {11}});
    figure.strokes.push_back(
        {.points = {{0.62 * figure.width + 34, 50}, {right, 50}}, .role = Role::ink, .width = 0.7});
    figure.texts.push_back(
        {.at = {left, 70}, .text = task, .style = {12}, .max_width = right - left});
}

}  // namespace

int worksheet(const SceneArgument& scene, const std::string& out, const WorksheetOptions& options) {
    const std::string& argument = scene.name;
    const LoadedScene loaded = load_scene(scene);
    View view;
    if (loaded.scene.show) view.show = *loaded.scene.show;
    const Result result =
        compute_scene(argument, loaded.scene, shows_stage(view, StageKind::depends));
    ExportOptions picture;
    picture.theme = ThemeKind::print;
    picture.parts.title = false;
    const PageContent content = content_of(result, view, picture);
    Figure best;
    for (const auto& [width, height] :
         {std::pair(short_side, long_side), std::pair(long_side, short_side)}) {
        Figure figure = lay_out_in_place({.width = width, .height = height - head},
                                         layout_options(picture.parts), content.lay_out);
        if (best.width > 0 && least_side(figure, options) <= least_side(best, options)) continue;
        best = std::move(figure);
        move_by(best, {0, head});
        best.height = height;
    }
    std::vector<std::string> titles;
    for (const StageKind stage : options.blank) {
        const auto is_drawn = [&](const Heatmap& map) {
            return is_blank(map, options) && map.cells->stage == stage;
        };
        if (std::ranges::none_of(best.heatmaps, is_drawn))
            throw Error(2, fmt::format("worksheet: --blank: this scene shows no {}", name(stage)));
        titles.emplace_back(name(stage));
    }
    if (const double side = least_side(best, options); side < least_cell)
        throw at_file(argument,
                      WorkError(fmt::format("a cell would be {:.1f} mm wide, too small to write "
                                            "in. Show fewer tokens, stages or variants",
                                            side * 25.4 / 72)));
    if (!options.solution) leave_blank(best, options);
    draw_head(best, loaded.scene.title,
              options.solution
                  ? "Solution"
                  : fmt::format("Fill in the {}, cell by cell.", fmt::join(titles, ", ")));
    try {
        replace_file(out, pdf_bytes(best, {.theme = picture.theme, .title = loaded.scene.title}));
    } catch (const WorkError& error) {
        throw at_file(out, error);
    }
    tell_notes(scene, loaded);
    return 0;
}

}  // namespace maskscope
