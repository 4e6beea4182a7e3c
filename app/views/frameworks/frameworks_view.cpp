#include "app/views/frameworks/frameworks_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/compute/plain.h"
#include "core/edit/edit.h"
#include "core/frameworks/framework.h"
#include "core/scene/mask_rules.h"

namespace maskscope {

namespace {

// Half a step of the last decimal that a cell shows.
constexpr double looks_equal = 5e-3;

bool has_rule(const Variant& variant) {
    return std::ranges::any_of(variant.mask.layers,
                               [](const MaskLayer& layer) { return !is_bias(layer); });
}

int base_of(const Result& result, const View& view) {
    const std::vector<int> lanes = shown_lanes(view, result.scene);
    const auto found = std::ranges::find_if(
        lanes, [&](int lane) { return has_rule(result.scene.variants[lane]); });
    return found == lanes.end() ? lanes.front() : *found;
}

struct Settings {
    int framework = 0;
    Variant variant;
};

// Returns the settings of all frameworks, except those that the scene cannot have.
std::vector<Settings> settings_of(Scene scene, int base) {
    scene.variants = {scene.variants[base]};
    scene.show.reset();
    std::vector<Settings> all;
    for (int k = 0; k < std::ssize(frameworks()); ++k) try {
            Scene one = scene;
            set_framework(one, 0, frameworks()[k]);
            all.push_back({k, one.variants.front()});
        } catch (const Error&) {}
    return all;
}

// True if both look alike; they must have the same shape.
bool look_alike(const Cells& x, const Cells& y) {
    const auto differ = [](double a, double b) {
        return std::isnan(a) != std::isnan(b) || std::abs(a - b) > looks_equal;
    };
    for (Index i = 0; i < x.rows; ++i) {
        const CellRow a = row_of(x, i), b = row_of(y, i);
        if (a.signs != b.signs || !std::ranges::equal(a.values, b.values, std::not_fn(differ)))
            return false;
    }
    return true;
}

EmptyRow kind_of_row(const CellRow& row) {
    const auto all = [&](auto is) { return std::ranges::all_of(row.values, is); };
    if (all([](double w) { return std::isnan(w); })) return EmptyRow::nan;
    if (all([](double w) { return w == 0; })) return EmptyRow::zeros;
    const double share = 1 / static_cast<double>(row.values.size());
    if (all([&](double w) { return std::abs(w - share) <= looks_equal * share; }))
        return EmptyRow::uniform;
    return EmptyRow::other;
}

EmptyRow kind_of(const BenchLane& lane) {
    std::optional<EmptyRow> kind;
    for (Index i = 0; i < std::ssize(lane.sums.rows); ++i) {
        if (!lane.sums.rows[i].figures.empty) continue;
        const EmptyRow own = kind_of_row(row_of(*lane.stages.front().cells, i));
        kind = kind.value_or(own) == own ? own : EmptyRow::other;
    }
    return kind.value_or(EmptyRow::none);
}

std::vector<int> lanes_with(const Scene& scene, Variant variant) {
    std::vector<int> lanes;
    for (int lane = 0; lane < std::ssize(scene.variants); ++lane) {
        variant.name = scene.variants[lane].name;
        if (scene.variants[lane] == variant) lanes.push_back(lane);
    }
    return lanes;
}

void note_empty_rows(std::vector<bool>& empty, const BenchLane& lane) {
    empty.resize(lane.sums.rows.size());
    for (std::size_t i = 0; i < empty.size(); ++i)
        empty[i] = empty[i] || lane.sums.rows[i].figures.empty;
}

FrameworkColumn& column_of(FrameworksView& made, const BenchLane& lane) {
    const EmptyRow kind = kind_of(lane);
    const auto like = std::ranges::find_if(made.columns, [&](const FrameworkColumn& column) {
        return column.kind == kind &&
               look_alike(*column.lane.stages.front().cells, *lane.stages.front().cells);
    });
    if (like != made.columns.end()) return *like;
    return made.columns.emplace_back(FrameworkColumn{kind, {}, lane});
}

std::string names_of(const FrameworkColumn& column) {
    std::string names;
    for (const FrameworkEntry& entry : column.entries)
        names += (names.empty() ? "" : "; ") + frameworks()[entry.framework].name;
    return names;
}

}  // namespace

std::string_view words(EmptyRow kind) {
    switch (kind) {
        case EmptyRow::nan:
            return "NaN";
        case EmptyRow::uniform:
            return "Uniform";
        case EmptyRow::zeros:
            return "Zeros";
        case EmptyRow::other:
            return "Other";
        case EmptyRow::none:
            return "No empty row";
    }
    return "";
}

FrameworksView make_frameworks_view(const Result& result, const View& view, Progress& progress) {
    FrameworksView made;
    made.base = base_of(result, view);
    Scene scene = scene_of_lane(result, made.base);
    const std::vector<Settings> settings = settings_of(scene, made.base);
    const Shape shape = shape_of(scene);
    made.b = shown_sequences(view, shape).front();
    made.h = shown_heads(view, shape).front();
    scene.variants.clear();
    scene.show.reset();
    for (const Settings& each : settings) scene.variants.push_back(each.variant);
    Request request;
    request.stages.reset();
    request.stages.set(static_cast<std::size_t>(StageKind::weights));
    const Result all = PlainBackend().compute(scene, request, nullptr, progress);
    View one;
    one.show.sequences = {made.b};
    one.show.heads = {made.h};
    const Bench bench = single_heatmaps(all, one, StageKind::weights);
    const BenchBlock& block = bench.blocks.front();
    made.tokens = block.tokens;
    std::vector<bool> empty;
    for (std::size_t k = 0; k < settings.size(); ++k) {
        const BenchLane& lane = block.lanes[k];
        note_empty_rows(empty, lane);
        column_of(made, lane)
            .entries.push_back(
                {settings[k].framework, lanes_with(result.scene, settings[k].variant)});
    }
    for (std::size_t i = 0; i < empty.size(); ++i)
        if (empty[i]) made.empty_rows.push_back(made.tokens->queries[i]);
    std::ranges::stable_sort(made.columns, {}, &FrameworkColumn::kind);
    return made;
}

std::string summary_of(const FrameworksView& view) {
    const std::vector<std::string>& rows = view.empty_rows;
    if (rows.empty() && view.columns.size() < 2)
        return "Every row may attend to some key, and all frameworks agree. Block a whole row to "
               "see them differ.";
    if (rows.empty()) return "Frameworks place a causal mask differently.";
    const std::string who = rows.size() == 1 ? fmt::format("“{}”", rows.front())
                                             : fmt::format("{} of the rows", rows.size());
    return fmt::format("{} may attend to no key. Each framework decides what becomes of {}.", who,
                       rows.size() == 1 ? "its row" : "them");
}

std::string text_of(const FrameworksView& view) {
    std::string text = summary_of(view);
    for (const FrameworkColumn& column : view.columns)
        text += fmt::format(" {}: {}.", words(column.kind), names_of(column));
    return text;
}

void add_framework_variant(Scene& scene, int base, int framework) {
    duplicate_variant(scene, base);
    set_framework(scene, static_cast<int>(scene.variants.size()) - 1, frameworks()[framework]);
}

}  // namespace maskscope
