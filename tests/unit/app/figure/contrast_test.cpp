// Tests that every text in a figure can be read: its contrast with what is behind it is at least
// 4.5 : 1 (WCAG 2, AA).

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "app/export/export.h"
#include "app/figure/draw_cell.h"
#include "app/figure/style.h"
#include "app/style/labels.h"
#include "tests/support/computed.h"
#include "tests/unit/app/show/view_scenes.h"

namespace maskscope {
namespace {

// Returns the colour that was painted last at a point, before any text. Thin lines do not count.
Colour colour_behind(const Figure& figure, const Theme& theme, Point at) {
    Colour colour = theme[Role::ground];
    const auto box = [&](const Box& one) {
        if (one.filled && one.rect.contains(at)) colour = theme[one.fill];
    };
    for (const Box& one : figure.boxes) box(one);
    for (const Hatch& hatch : figure.hatches)
        if (hatch.rect.contains(at))
            colour = hatch.crossed ? nan_background(theme) : theme[Role::panel];
    for (const Heatmap& map : figure.heatmaps)
        if (const auto cell = cell_at(map, at))
            colour = look_of(map, cell->i, cell->j, theme).background;
    for (const ColourBar& bar : figure.colour_bars)
        if (bar.rect.contains(at)) colour = map_colour(shown_map(bar.map, theme), 0.5);
    for (const Area& area : figure.areas) {
        bool inside = false;  // an odd number of edges is to the right
        for (std::size_t k = 0, l = area.points.size() - 1; k < area.points.size(); l = k++) {
            const Point &p = area.points[k], &q = area.points[l];
            if ((p.y > at.y) != (q.y > at.y) &&
                at.x < p.x + (at.y - p.y) / (q.y - p.y) * (q.x - p.x))
                inside = !inside;
        }
        if (inside) colour = mix(colour, theme[area.role], area.share);
    }
    for (const Dot& dot : figure.dots)
        if (dot.filled && std::hypot(dot.at.x - at.x, dot.at.y - at.y) < dot.radius)
            colour = theme[dot.role];
    for (const Box& one : figure.chips) box(one);
    return colour;
}

class Contrasts {
public:
    explicit Contrasts(std::string where) : where_(std::move(where)) {}
    void add(const std::string& text, Colour ink, Colour behind) {
        ++texts;
        EXPECT_GE(contrast(ink, behind), 4.5) << where_ << ": “" << text << "”";
    }
    int texts = 0;

private:
    std::string where_;
};

void check_texts(Contrasts& found, const Figure& figure, const Theme& theme) {
    const auto check = [&](const Text& text) {
        const Rect line = text_rect(text);
        for (const double part : {0.1, 0.3, 0.5, 0.7, 0.9}) {
            const Point at{line.x + (text.vertical ? 0.5 : part) * line.w,
                           line.y + (text.vertical ? part : 0.5) * line.h};
            found.add(text.text, theme[text.role], colour_behind(figure, theme, at));
        }
    };
    for (const Text& text : figure.texts)
        if (!text.text.empty()) check(text);
    for (const SumBar& bar : figure.sums)
        if (!bar.text.empty()) check(style::sum_text(bar));
}

void check_numbers(Contrasts& found, const Figure& figure, const Theme& theme) {
    for (const Heatmap& map : figure.heatmaps) {
        if (!(map.number_size > 0)) continue;
        for (Index i = 0; i < map.cells->rows; ++i)
            for (Index j = 0; j < map.cells->columns; ++j)
                if (const CellLook look = look_of(map, i, j, theme); look.numbered)
                    found.add(text_of(map, i, j), look.ink, look.background);
    }
}

void check_scene(const std::string& name, const Scene& scene) {
    const Result result = computed(scene);
    for (const ThemeKind kind :
         {ThemeKind::light, ThemeKind::dark, ThemeKind::print, ThemeKind::high_contrast}) {
        const Figure figure = export_figure(result, test::view_of(scene), {.theme = kind});
        Contrasts found(name + ", theme " + std::to_string(int(kind)));
        check_texts(found, figure, theme(kind));
        check_numbers(found, figure, theme(kind));
        EXPECT_GT(found.texts, 10) << name;
    }
}

TEST(Contrast, OfAllThatLessonsSay) {
    for (const std::string& lesson : lesson_names()) {
        const Lesson read = load_lesson("lesson:" + lesson).lesson;
        for (const std::size_t step :
             std::set<std::size_t>{0, read.steps.size() / 2, read.steps.size() - 1})
            check_scene(lesson + "/" + std::to_string(step + 1), read.steps[step].scene);
    }
}

TEST(Contrast, OfEveryView) {
    for (const char* name : {"batch", "difference", "heads", "leaks", "pipeline",
                             "plane-alternative", "plane-convex", "plane-nan", "plane-projected",
                             "root-d", "scripts", "second-layer", "table", "table-words"})
        check_scene(name, test::view_scene(name));
}

}  // namespace
}  // namespace maskscope
