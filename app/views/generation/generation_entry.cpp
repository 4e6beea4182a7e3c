// The actions of the Generation view: go from token to token.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "app/figure/plots/lay_out_view.h"
#include "app/session/session.h"
#include "app/show/bench/alternative_text.h"
#include "app/show/views/views.h"
#include "app/views/generation/generation_view.h"
#include "core/base/number_text.h"

namespace maskscope {

namespace {

void adapt_key(ViewKey& key, const View& view) {
    const auto& [map, logarithmic] = view.colouring;
    key.rest = fmt::format("{} {}", map ? int(*map) : -1, logarithmic ? int(*logarithmic) : -1);
}

ViewContent make(const Result& result, const View& view, Progress& progress) {
    return std::make_shared<const GenerationView>(make_generation(result, view, progress));
}

ViewContent limited(const void* content, const ViewEntry::Limit& limit) {
    auto data = std::make_shared<GenerationView>(*static_cast<const GenerationView*>(content));
    limit(data->limits, "the weights");
    limit(data->cache_limits, "the KV cache");
    return data;
}

Figure lay_out(const void* content, const Result& result, const Bench& bench, const View& view,
               const LayoutOptions& options) {
    return lay_out_generation(*static_cast<const GenerationView*>(content), bench,
                              row_in_view(view, shape_of(result.scene)), options);
}

// Returns "Token 4 of 6, “is”, is the last computed step by step; A: matches the full pass; B: 2 of
// 4 rows differ by up to 0.12."
std::string generation_text(const Result& result, const View& view) {
    Progress progress;
    const GenerationView data = make_generation(result, view, progress);
    if (!data.missing.empty()) return data.missing;
    const Index t = row_in_view(view, shape_of(result.scene));
    std::string text = fmt::format("Step by step, up to token {} of {}, {}", t + 1,
                                   data.tokens.size(), in_quotes(data.tokens[t]));
    for (const GenerationLane& lane : data.lanes) {
        const std::span rows(lane.apart.data(), static_cast<std::size_t>(t + 1));
        const Index off = t + 1 - std::ranges::count(rows, 0);
        const bool nan = std::ranges::any_of(rows, [](double apart) { return std::isnan(apart); });
        text += fmt::format("; variant {}: ", lane_letter(lane.lane));
        text += off == 0 ? "every row matches the full pass"
                         : rows_are(off, t + 1, "differs", "differ");
        if (off > 0 && !nan)
            text += " by up to " + cell_text(*std::ranges::max_element(rows), true);
    }
    return text + ".";
}

// Generates up to token t of the sentence.
void generate_up_to(Session& session, Index t) {
    auto& focus = session.view().show.focus;
    const Index last = shape_of(session.shown().scene).n_q - 1;
    t = std::clamp<Index>(t, 0, last);
    focus = Cell{t, std::min(t, focus ? focus->j : 0)};
}

bool step(Session& session, Index steps, bool) {
    const Index t = row_in_view(session.view(), shape_of(session.shown().scene));
    generate_up_to(session, t + steps);
    return session.view().show.focus->i != t;
}

bool move(Session& session, std::optional<Spot>&, Index down, Index right) {
    step(session, down + right, true);
    return true;
}

// Returns a cell of the weights: rows that are computed alone are heatmaps of their own.
std::optional<CellRef> generated_cell(const Figure& figure, Point at, const Spot& row) {
    for (const Heatmap& map : figure.heatmaps)
        if (const auto cell = cell_at(map, at); cell && map.lane >= 0)
            return CellRef{map.lane, StageKind::weights, map.b, map.h, row.row, cell->j};
    return std::nullopt;
}

// Handles a press on a row, which generates up to its token.
void use_pointer(Session& session, const Figure& figure, const PlotPointer& pointer) {
    const Spot* row = pointer.inside ? spot_at(figure.spots, pointer.at) : nullptr;
    session.view().hovered =
        row != nullptr ? generated_cell(figure, pointer.at, *row) : std::nullopt;
    if (row != nullptr && pointer.pressed) generate_up_to(session, row->row);
}

}  // namespace

const ViewEntry generation_entry = {.kind = ViewKind::generation,
                                    .unavailable_reason = why_no_generation,
                                    .explains_absence = true,
                                    .adapt_key = adapt_key,
                                    .make = make,
                                    .limited = limited,
                                    .lay_out = lay_out,
                                    .text = generation_text,
                                    .use_pointer = use_pointer,
                                    .move = move,
                                    .step = step};

}  // namespace maskscope
