// Views, colours, the theme, what computes: what is looked at, and how.

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "app/show/views/views.h"
#include "app/window/actions/actions.h"
#include "app/window/actions/palette_parts.h"
#include "core/scene/names.h"

namespace maskscope {
namespace {

std::string unless(bool is_so) { return is_so ? already_so : ""; }

void add_tabs(Entries& entries, const App& app) {
    const Scene& scene = app.session.shown().scene;
    const ViewKind shown = shown_view(app.session.view(), scene);
    for (const ViewKind kind : views_of(scene))
        entries.push_back({fmt::format("View: {}", label(kind)),
                           [kind](App& a) { show_view(a, kind); }, "", unless(kind == shown)});
}

// On and off, in the words of what it would do.
void add_switch(Entries& entries, bool is_on, const std::string& what,
                std::function<void(App&)> turn) {
    entries.push_back({fmt::format("{} {}", is_on ? "Hide" : "Show", what), std::move(turn)});
}

void add_difference(Entries& entries, const App& app) {
    const Scene& scene = app.session.shown().scene;
    if (scene.variants.size() < 2) return;
    const auto shown = shown_difference(app.session.view(), scene);
    const Difference d = shown.value_or(Difference{});
    add_switch(entries, shown.has_value(),
               fmt::format("the difference {} − {}", lane_letter(d.lane), lane_letter(d.minus)),
               [shown, d](App& a) {
                   a.session.view().show.difference = shown ? std::nullopt : std::optional(d);
               });
}

void add_batch(Entries& entries, const App& app) {
    const Shape shape = shape_of(app.session.shown().scene);
    constexpr Index most = 32;
    if (shape.b < 2) return;
    add_switch(entries, app.session.view().batch, "the batch beside the pipeline",
               [](App& a) { a.session.view().batch = !a.session.view().batch; });
    for (Index b = 0; b < std::min(most, shape.b); ++b)
        entries.push_back({fmt::format("Sequence {}", b + 1), [b](App& a) {
                               a.session.view().show.sequences = std::vector<Index>{b};
                           }});
}

void add_colours(Entries& entries, const App& app) {
    constexpr std::array maps{"viridis", "cividis", "magma", "grey"};
    const Colouring& now = app.session.view().colouring;
    entries.push_back({"Colours: usual", [](App& a) { a.session.view().colouring.map.reset(); }, "",
                       unless(!now.map)});
    for (std::size_t k = 0; k < maps.size(); ++k) {
        const auto map = static_cast<ColourMap>(k);
        entries.push_back({fmt::format("Colours: {}", maps[k]),
                           [map](App& a) { a.session.view().colouring.map = map; }, "",
                           unless(now.map == map)});
    }
    for (const bool logarithmic : {false, true})
        entries.push_back(
            {logarithmic ? "Colours: logarithmic scale" : "Colours: linear scale",
             [logarithmic](App& a) { a.session.view().colouring.logarithmic = logarithmic; }, "",
             unless(now.logarithmic == logarithmic)});
}

void add_themes(Entries& entries, const App& app) {
    constexpr std::array<std::pair<ThemeKind, const char*>, 3> themes{
        {{ThemeKind::dark, "dark"},
         {ThemeKind::light, "light"},
         {ThemeKind::high_contrast, "high contrast"}}};
    for (const auto& [kind, name] : themes)
        entries.push_back({fmt::format("Theme: {}", name),
                           [theme = kind](App& a) { a.session.view().theme = theme; }, "",
                           unless(app.session.view().theme == kind)});
}

void add_backends(Entries& entries, const App& app) {
    constexpr std::array names{"Plain", "CPU", "GPU"};
    const ComputeWith now = app.session.computes_with();
    for (std::size_t k = 0; k < names.size(); ++k) {
        const auto with = static_cast<ComputeWith>(k);
        const bool missing = with == ComputeWith::gpu && !app.session.gpu().make;
        entries.push_back({fmt::format("Compute on {}", names[k]),
                           [with](App& a) { a.session.compute_with(with); }, "",
                           missing ? "there is no OpenGL 4.3 here" : unless(now == with)});
    }
    add_switch(entries, app.ui.timings_open, "what takes how long, and whether CPU and GPU agree",
               [](App& a) { a.ui.timings_open = !a.ui.timings_open; });
}

}  // namespace

void add_views(Entries& entries, const App& app) {
    add_tabs(entries, app);
    entries.push_back({"Fit: the whole of all heatmaps", [](App& a) { a.session.view().zoom = {}; },
                       "", app.session.view().zoom == Zoom{} ? "nothing is zoomed" : ""});
    add_difference(entries, app);
    add_batch(entries, app);
    add_colours(entries, app);
    add_themes(entries, app);
    add_backends(entries, app);
}

}  // namespace maskscope
