#include "app/session/edits/lesson_pick.h"

#include <algorithm>

#include "core/lesson/address.h"
#include "core/scene/names.h"

namespace maskscope {

namespace {

constexpr std::pair<const char*, const char*> figures[] = {
    {"sum", "Row sum"},
    {"max", "Largest weight"},
    {"entropy", "Entropy"},
    {"leak", "Leak"},
    {"gradient_leak", "Sensitivity to blocked keys"},
    {"pads", "Weight on padding"},
    {"kept", "Keys allowed"},
    {"outside", "Outside the hull"},
};

AddressEntry index_of(Index k) { return {AddressEntry::Kind::index, k, std::nullopt}; }
const AddressEntry every{AddressEntry::Kind::all, 0, std::nullopt};

// Returns the column of the picked cell: an output has components where weights have keys.
Index column_of(const Scene& scene, const Pick& pick, Index j) {
    if (pick.of != name(StageKind::output)) return j;
    Address address{pick.variant, pick.minus, pick.of, {}, std::nullopt, {}};
    address.at = {index_of(0), index_of(0), index_of(0), index_of(j)};
    while (address.at[3].index > 0 && !exists(scene, address)) --address.at[3].index;
    return address.at[3].index;
}

// True unless an edit has removed one of the variants.
bool has_variants(const Scene& scene, const Pick& pick) {
    const auto count = static_cast<int>(scene.variants.size());
    return pick.variant < count && pick.minus.value_or(0) < count;
}

std::vector<AddressEntry> places_of(const Pick& pick, const Scene& scene, Index b, Index h,
                                    Cell cell) {
    const bool stage = from_name<StageKind>(pick.of).has_value();
    const bool joined =
        is_depends(pick.of) || (pick.of == name(StageKind::output) &&
                                scene.variants[pick.variant].output.kind == OutputKind::projected);
    std::vector<AddressEntry> at = {index_of(b), index_of(joined ? 0 : h), index_of(cell.i)};
    if (stage) at.push_back(index_of(column_of(scene, pick, cell.j)));
    if (pick.reach == Reach::all) at[2] = every;
    if (pick.reach != Reach::one && stage) at[3] = every;
    return at;
}

}  // namespace

std::vector<Pick> variants_to_pick(const View& view, const Scene& scene, const Pick& pick) {
    std::vector<Pick> picks;
    const std::vector<int> variants = shown_variants(view, scene);
    for (const int variant : variants) {
        picks.push_back(pick);
        picks.back().variant = variant;
        picks.back().minus.reset();
    }
    std::optional<Difference> difference = view.show.difference;
    if (!difference && variants.size() == 2) difference = Difference{variants[0], variants[1]};
    const auto count = static_cast<int>(scene.variants.size());
    if (!difference || difference->variant >= count || difference->minus >= count) return picks;
    picks.push_back(pick);
    picks.back().variant = difference->variant;
    picks.back().minus = difference->minus;
    return picks;
}

std::string variant_text(const Pick& pick) {
    std::string text(1, variant_letter(pick.variant));
    if (pick.minus) text.append("−").append(1, variant_letter(*pick.minus));
    return text;
}

std::vector<Measure> measures_of(const View& view, const Scene& scene, const Pick& pick) {
    std::vector<Measure> measures;
    if (!has_variants(scene, pick)) return measures;
    const auto add = [&](const std::string& of, std::string_view text) {
        Pick one = pick;
        one.of = of;
        one.reach = Reach::one;
        Address address{pick.variant, pick.minus, of, {}, std::nullopt, {}};
        address.at = places_of(one, scene, 0, 0, {});
        if (exists(scene, address)) measures.push_back({of, std::string(text)});
    };
    for (const StageKind stage :
         {StageKind::weights, StageKind::softmax, StageKind::logits, StageKind::scaled,
          StageKind::scores, StageKind::output, StageKind::sensitivity, StageKind::allowed})
        add(std::string(name(stage)), label(stage));
    if (shows_stage(view, StageKind::depends))  // influence is computed only while it is shown
        add(std::string(name(StageKind::depends)), label(StageKind::depends));
    for (const auto& [of, text] : figures) add(of, text);
    return measures;
}

std::optional<Address> address_of(const Pick& pick, const View& view, const Scene& scene) {
    if (!view.show.focus || !has_variants(scene, pick)) return std::nullopt;
    if (is_depends(pick.of) && !shows_stage(view, StageKind::depends)) return std::nullopt;
    const Shape shape = shape_of(scene);
    Address address{pick.variant, pick.minus, pick.of, {}, std::nullopt, {}};
    const auto [b, h] = place_of_focus(view, shape);
    address.at = places_of(pick, scene, b, h, *view.show.focus);
    return exists(scene, address) ? std::optional(address) : std::nullopt;
}

Pick pick_of(const CellRef& cell, const View& view, const Scene& scene, const Pick& before) {
    Pick pick = before;
    if (cell.variant == foreign_variant) return before;
    pick.of = name(cell.stage);
    pick.minus.reset();
    if (cell.variant >= 0) {
        pick.variant = cell.variant;
    } else if (cell.variant == difference_variant && view.show.difference) {
        pick.variant = view.show.difference->variant;
        pick.minus = view.show.difference->minus;
    } else {
        pick.variant = shown_variants(view, scene).front();
    }
    return pick;
}

}  // namespace maskscope
