// Decides which part of a figure that is larger than its space is shown first.

#include "app/figure/layout/scroll.h"
#include "app/window/panels/bench/bench_parts.h"
#include "core/scene/names.h"

namespace maskscope {

namespace {

// Returns the address of the number that the shown fact is about; nullptr if there is none.
const Address* claimed_address(const Session& session) {
    const Lesson* lesson = session.lesson();
    if (lesson == nullptr || lesson->steps[session.document().step].facts.empty()) return nullptr;
    return &lesson->steps[session.document().step].facts.front().address;
}

std::optional<StageKind> claimed_stage(const Session& session) {
    const Address* address = claimed_address(session);
    return address ? from_name<StageKind>(address->of) : std::nullopt;
}

// Returns the sequence and head that the fact names, otherwise those of the cell cursor.
std::pair<Index, Index> claimed_place(const Session& session) {
    auto place = place_of_focus(session.view(), session.shown().variants.front().shape);
    const Address* claim = claimed_address(session);
    const auto name = [&](std::size_t axis, Index& index) {
        if (claim && claim->at.size() > axis && claim->at[axis].kind == AddressEntry::Kind::index)
            index = claim->at[axis].index;
    };
    name(0, place.first);
    name(1, place.second);
    return place;
}

}  // namespace

Point place_of_claim(const Session& session, const Figure& figure, const Rect& room) {
    const Address* claim = claimed_address(session);
    if (!claim) return {};  // begin where reading begins
    const auto claimed = claimed_stage(session);
    const bool has_difference = session.view().show.difference.has_value();
    const auto is_claimed = [&](int variant) {
        if (claim->minus && has_difference) return variant == difference_variant;
        return variant == claim->variant || variant == claim->minus;
    };
    const auto& focus = session.view().show.focus;
    const auto [b, h] = claimed_place(session);
    std::vector<Rect> parts;
    std::optional<Rect> cell;
    for (const bool of_claim : {false, true})
        for (const auto* maps : {&figure.heatmaps, &figure.hidden})
            for (const Heatmap& map : *maps) {
                const StageKind stage = map.cells->stage;
                const bool matters = stage == StageKind::weights || stage == claimed ||
                                     (of_claim && stage == StageKind::allowed);
                const bool is_own = (map.variant >= 0 || map.variant == difference_variant) &&
                                    map.b == b && map.h == h;
                if (!is_own || !matters || is_claimed(map.variant) != of_claim) continue;
                parts.push_back({map.rect.x, map.rect.y, map.rect.w + map.sums_width, map.rect.h});
                if (of_claim && stage == StageKind::weights && focus &&
                    focus->i < map.cells->rows && focus->j < map.cells->columns)
                    cell = cell_rect(map, focus->i, focus->j);
            }
    if (cell) parts.push_back(*cell);
    return place_to_see(figure, parts, {0, 0, room.w, room.h});
}

}  // namespace maskscope
