#include "app/views/frameworks/frameworks_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/figure/plots/lay_out_view.h"
#include "app/session/session.h"
#include "core/base/error.h"
#include "core/compute/plain.h"
#include "core/edit/edit.h"
#include "core/frameworks/framework.h"
#include "core/scene/mask_rules.h"

namespace maskscope {

namespace {

// Half a step of the last decimal that a cell shows; smaller differences do not show.
constexpr double looks_equal = 5e-3;

bool has_rule(const Variant& variant) {
    return std::ranges::any_of(variant.mask.layers,
                               [](const MaskLayer& layer) { return !is_bias(layer); });
}

int base_of(const Result& result, const View& view) {
    const std::vector<int> variants = shown_variants(view, result.scene);
    const auto found = std::ranges::find_if(
        variants, [&](int variant) { return has_rule(result.scene.variants[variant]); });
    return found == variants.end() ? variants.front() : *found;
}

struct Settings {
    int framework = 0;
    Variant variant;
};

// Returns the settings of every framework, except of those whose settings the scene cannot have.
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

// True if x and y look alike: see FrameworkColumn. They must have the same shape.
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

EmptyRow kind_of(const BenchVariant& variant) {
    std::optional<EmptyRow> kind;
    for (Index i = 0; i < std::ssize(variant.sums.rows); ++i) {
        if (!variant.sums.rows[i].figures.empty) continue;
        const EmptyRow own = kind_of_row(row_of(*variant.stages.front().cells, i));
        kind = kind.value_or(own) == own ? own : EmptyRow::other;
    }
    return kind.value_or(EmptyRow::none);
}

std::vector<int> variants_with(const Scene& scene, Variant variant) {
    std::vector<int> variants;
    for (int index = 0; index < std::ssize(scene.variants); ++index) {
        variant.name = scene.variants[index].name;
        if (scene.variants[index] == variant) variants.push_back(index);
    }
    return variants;
}

void note_empty_rows(std::vector<bool>& empty, const BenchVariant& variant) {
    empty.resize(variant.sums.rows.size());
    for (std::size_t i = 0; i < empty.size(); ++i)
        empty[i] = empty[i] || variant.sums.rows[i].figures.empty;
}

FrameworkColumn& column_of(FrameworksView& made, const BenchVariant& variant) {
    const EmptyRow kind = kind_of(variant);
    const auto like = std::ranges::find_if(made.columns, [&](const FrameworkColumn& column) {
        return column.kind == kind &&
               look_alike(*column.variant.stages.front().cells, *variant.stages.front().cells);
    });
    if (like != made.columns.end()) return *like;
    return made.columns.emplace_back(FrameworkColumn{kind, {}, variant});
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
    Scene scene = scene_of_variant(result, made.base);
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
        const BenchVariant& variant = block.variants[k];
        note_empty_rows(empty, variant);
        column_of(made, variant)
            .entries.push_back(
                {settings[k].framework, variants_with(result.scene, settings[k].variant)});
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
    return fmt::format("{} may not attend to any key. Frameworks differ in what they do with {}.",
                       who, rows.size() == 1 ? "its row" : "them");
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

// The user's actions in the Frameworks view: choose one, and make it a variant.

namespace {

constexpr Index most_tokens = 128;

std::string unavailable_reason(const Scene& scene) {
    if (!has_stage(scene.inputs, StageKind::logits))
        return "Given weights do not have the settings of frameworks.";
    const bool has_rule = std::ranges::any_of(scene.variants, [](const Variant& variant) {
        return std::ranges::any_of(variant.mask.layers,
                                   [](const MaskLayer& layer) { return !is_bias(layer); });
    });
    if (!has_rule) return "No variant has a mask rule.";
    const Shape shape = shape_of(scene);
    return std::max(shape.n_q, shape.n_k) > most_tokens
               ? fmt::format("Frameworks are compared for up to {} tokens.", most_tokens)
               : "";
}

ViewContent make(const Result& result, const View& view, Progress& progress) {
    return std::make_shared<const FrameworksView>(make_frameworks_view(result, view, progress));
}

Figure lay_out(const void* content, const Result&, const Bench& bench, const View& view,
               const LayoutOptions& options) {
    if (view.asks()) return lay_out_hidden(bench.title, options);
    const ColourMap map = view.colouring.map.value_or(map_of(StageKind::weights, view.theme));
    return lay_out_frameworks(*static_cast<const FrameworksView*>(content), map, bench.title,
                              options);
}

std::string text(const Result& result, const View& view) {
    Progress progress;
    return text_of(make_frameworks_view(result, view, progress));
}

const FrameworksView* shown_in(const Session& session) {
    return static_cast<const FrameworksView*>(
        session.results().bench().views.content(ViewKind::frameworks));
}

const FrameworkEntry* entry_at(const FrameworksView& view, const Spot& spot) {
    for (const FrameworkColumn& column : view.columns)
        for (const FrameworkEntry& entry : column.entries)
            if (entry.framework == spot.row) return &entry;
    return nullptr;
}

// Makes the framework a variant, or says which variant it already is.
void make_variant(Session& session, const Spot& spot) {
    const FrameworksView* view = shown_in(session);
    if (view == nullptr || spot.kind != Spot::Kind::framework) return;
    const FrameworkEntry* entry = entry_at(*view, spot);
    if (entry == nullptr) return;
    const std::string& name = frameworks()[entry->framework].name;
    if (!entry->variants.empty()) {
        session.say(fmt::format("{} is already variant {}.", name,
                                variant_letter(entry->variants.front())));
        return;
    }
    const int base = view->base, framework = entry->framework;  // copies: the view may disappear
    session.edit("as in " + name,
                 [&](Scene& scene) { add_framework_variant(scene, base, framework); });
}

void use_pointer(Session& session, const Figure& figure, const PlotPointer& pointer) {
    session.view().hovered.reset();
    if (!pointer.pressed) return;
    if (const Spot* spot = spot_at(figure.spots, pointer.at)) make_variant(session, *spot);
}

std::string explain(const Session&, const Spot& spot) {
    if (spot.kind != Spot::Kind::framework) return "";
    const Framework& one = frameworks()[spot.row];
    return fmt::format("{}\n{}, {}. Click to add it as a variant", one.says, one.name, one.version);
}

Spot spot_of(const FrameworksView& view, Index column, Index row) {
    const auto& entries = view.columns[column].entries;
    row = std::clamp<Index>(row, 0, std::ssize(entries) - 1);
    return {
        .kind = Spot::Kind::framework, .rect = {}, .row = entries[row].framework, .key = column};
}

// Moves the choice; the first press of a key chooses the first framework.
bool move(Session& session, std::optional<Spot>& chosen, Index down, Index right) {
    const FrameworksView* view = shown_in(session);
    if (view == nullptr || view->columns.empty()) return true;
    const bool known =
        chosen && chosen->kind == Spot::Kind::framework && chosen->key < std::ssize(view->columns);
    if (!known) {
        chosen = spot_of(*view, 0, 0);
        return true;
    }
    const auto& entries = view->columns[chosen->key].entries;
    const auto at = std::ranges::find(entries, int(chosen->row), &FrameworkEntry::framework);
    const Index row = at == entries.end() ? 0 : at - entries.begin();
    const Index column = std::clamp<Index>(chosen->key + right, 0, std::ssize(view->columns) - 1);
    chosen = spot_of(*view, column, row + down);
    return true;
}

}  // namespace

const ViewEntry frameworks_entry = {.kind = ViewKind::frameworks,
                                    .label = "Frameworks",
                                    .unavailable_reason = unavailable_reason,
                                    .make = make,
                                    .lay_out = lay_out,
                                    .text = text,
                                    .use_pointer = use_pointer,
                                    .explain = explain,
                                    .move = move,
                                    .act = make_variant};

}  // namespace maskscope
