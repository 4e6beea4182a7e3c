#include "app/figure/plots/lay_out_view.h"

#include <algorithm>

#include "app/figure/layout/lay_out_parts.h"
#include "app/figure/plots/plot.h"
#include "app/show/views/view_entry.h"

namespace maskscope {

double draw_figure_title(Figure& figure, const std::string& title, const LayoutOptions& options) {
    const double u = options.scale, margin = options.width > 0 ? 0 : 20 * u;
    if (!options.with_title || title.empty()) return margin;
    figure.texts.push_back({.at = {margin, margin + 12 * u},
                            .text = title,
                            .style = {18 * u, Weight::semibold},
                            .max_width = options.width});
    figure.width = margin + figure_text_width(figure.texts.back());
    return margin + 36 * u;
}

Figure lay_out_sentence(const std::string& sentence, const std::string& title,
                        const LayoutOptions& options) {
    Figure figure;
    figure.unit = options.scale;
    const double u = options.scale, margin = options.width > 0 ? 0 : 20 * u;
    const double top = draw_figure_title(figure, title, options) + 12 * u;
    const double width = options.width > 0 ? options.width : 460 * u;
    const double height = draw_paragraph(
        figure, {.at = {margin, top}, .text = sentence, .style = {14 * u}, .role = Role::dim},
        width);
    figure.width =
        options.width > 0 ? options.width : std::max(figure.width, margin + width) + margin;
    figure.height = options.height > 0 ? options.height : top + height + margin;
    return figure;
}

Figure lay_out_hidden(const std::string& title, const LayoutOptions& options) {
    Figure figure;
    figure.unit = options.scale;
    const double u = options.scale, margin = options.width > 0 ? 0 : 20 * u;
    const double top = draw_figure_title(figure, title, options);
    const double w = options.width > 0 ? options.width : 640 * u;
    const double h = options.width > 0 ? std::max(1.0, options.height - top) : 360 * u;
    draw_hidden(figure, true, {margin, top, w, h}, u);
    figure.width = std::max(figure.width, w + 2 * margin);
    figure.height = top + h + margin;
    return figure;
}

Figure lay_out_view(const Result& result, const Bench& bench, const View& view,
                    const LayoutOptions& options) {
    const ViewData& data = bench.views;
    const ViewKind kind = shown_view(view, result.scene);
    if (kind == ViewKind::pipeline || kind == ViewKind::heads) return lay_out(bench, options);
    const ViewEntry& entry = *entry_of(kind);
    if (!data.failure.empty()) return lay_out_sentence(data.failure, bench.title, options);
    const void* content = data.content(kind);
    if (!content) return lay_out_sentence(std::string(entry.waiting), bench.title, options);
    return entry.lay_out(content, result, bench, view, options);
}

}  // namespace maskscope
