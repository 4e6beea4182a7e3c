// Makes entries for views, colours, the theme and the backend.

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "app/show/views/view_entry.h"
#include "app/window/actions/actions.h"
#include "app/window/actions/palette_parts.h"
#include "core/scene/names.h"

namespace maskscope {
namespace {

std::string unless(bool is_so) { return is_so ? already_so : ""; }

void add_tabs(Entries& entries, const Session& session) {
    const Scene& scene = session.shown().scene;
    const ViewKind shown = shown_view(session.view(), scene);
    for (const ViewKind kind : tabs_of(session.view(), scene))
        entries.push_back(
            {fmt::format("View: {}", label(kind)),
             does([kind](Session& session, BenchState& bench) { show_view(session, bench, kind); }),
             "", unless(kind == shown)});
}

// Adds an entry that shows or hides something, named after what it would do.
void add_switch(Entries& entries, bool is_on, const std::string& what, WindowCommand turn) {
    entries.push_back({fmt::format("{} {}", is_on ? "Hide" : "Show", what), std::move(turn)});
}

void add_difference(Entries& entries, const Session& session) {
    const Scene& scene = session.shown().scene;
    if (scene.variants.size() < 2) return;
    const auto shown = shown_difference(session.view(), scene);
    const Difference d = shown.value_or(Difference{});
    add_switch(entries, shown.has_value(),
               fmt::format("the difference {} − {}", lane_letter(d.lane), lane_letter(d.minus)),
               does([shown, d](Session& session) {
                   session.view().show.difference = shown ? std::nullopt : std::optional(d);
               }));
}

void add_batch(Entries& entries, const Session& session) {
    const Shape shape = shape_of(session.shown().scene);
    constexpr Index most = 32;
    if (shape.b < 2) return;
    add_switch(entries, session.view().batch, "all sequences beside the pipeline",
               does([](Session& session) { session.view().batch = !session.view().batch; }));
    for (Index b = 0; b < std::min(most, shape.b); ++b)
        entries.push_back({fmt::format("Sequence {}", b + 1), does([b](Session& session) {
                               session.view().show.sequences = std::vector<Index>{b};
                           })});
}

void add_colours(Entries& entries, const Session& session) {
    const Colouring& now = session.view().colouring;
    entries.push_back({"Colours: default",
                       does([](Session& session) { session.view().colouring.map.reset(); }), "",
                       unless(!now.map)});
    for (std::size_t k = 0; k < colour_map_names.size(); ++k) {
        const auto map = static_cast<ColourMap>(k);
        entries.push_back({fmt::format("Colours: {}", colour_map_names[k]),
                           does([map](Session& session) { session.view().colouring.map = map; }),
                           "", unless(now.map == map)});
    }
    for (const bool logarithmic : {false, true})
        entries.push_back({logarithmic ? "Colours: logarithmic scale" : "Colours: linear scale",
                           does([logarithmic](Session& session) {
                               session.view().colouring.logarithmic = logarithmic;
                           }),
                           "", unless(now.logarithmic == logarithmic)});
}

void add_themes(Entries& entries, const Ui& ui) {
    for (const auto& [name, kind] : theme_choices)
        entries.push_back({fmt::format("Theme: {}", name),
                           [theme = kind](App& app) { choose_theme(app, theme); }, "",
                           unless(ui.choices.theme == kind)});
}

void add_backends(Entries& entries, const Session& session) {
    constexpr std::array names{"the reference implementation", "CPU", "GPU",
                               "the faster one (auto)"};
    const ComputeWith now = session.computes_with();
    for (std::size_t k = 0; k < names.size(); ++k) {
        const auto with = static_cast<ComputeWith>(k);
        const bool missing = k >= 2 && !session.gpu().make;
        entries.push_back({fmt::format("Compute on {}", names[k]),
                           does([with](Session& session) { session.compute_with(with); }), "",
                           missing ? "this machine has no OpenGL 4.3" : unless(now == with)});
    }
}

}  // namespace

void add_views(Entries& entries, const Session& session, const Ui& ui) {
    add_tabs(entries, session);
    entries.push_back({"Fit all heatmaps", does([](Session& session) { session.view().zoom = {}; }),
                       "", session.view().zoom == Zoom{} ? "nothing is zoomed" : ""});
    add_difference(entries, session);
    add_batch(entries, session);
    add_colours(entries, session);
    add_themes(entries, ui);
    add_backends(entries, session);
}

}  // namespace maskscope
