#include "app/views/value_table/value_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/figure/plots/lay_out_view.h"
#include "app/session/session.h"
#include "app/show/views/view_entry.h"
#include "core/attention/attention.h"
#include "core/attention/mask.h"
#include "core/base/number_text.h"
#include "core/edit/edit.h"
#include "core/scene/mask_rules.h"
#include "core/scene/names.h"

namespace maskscope {

namespace {

// Half a step of the last decimal that a cell shows, as a share of the row's largest weight. This
// is more than the tolerance of every dtype, so that −1e4 in float32, which keeps scores to 1/1024,
// gets the name of the row that it looks like.
constexpr double looks_equal = 5e-3;

constexpr std::array dtypes{Dtype::float64, Dtype::float32, Dtype::float16, Dtype::bfloat16};

struct ValueTimes {
    BlockedValue value;
    int times = 1;
};

constexpr std::array<ValueTimes, table_values> blockings{{{{ValueKind::minus_infinity, 0}, 1},
                                                          {{ValueKind::minus_infinity, 0}, 2},
                                                          {{ValueKind::number, -1e9}, 1},
                                                          {{ValueKind::number, -1e9}, 2},
                                                          {{ValueKind::number, -1e4}, 1},
                                                          {{ValueKind::number, -1e4}, 2},
                                                          {{ValueKind::lowest, 0}, 1},
                                                          {{ValueKind::lowest, 0}, 2}}};

bool is_close(const std::vector<double>& row, const std::vector<double>& other) {
    const double room = looks_equal * *std::ranges::max_element(other);
    for (std::size_t j = 0; j < row.size(); ++j)
        if (!(std::abs(row[j] - other[j]) <= room)) return false;
    return true;
}

bool is_even(const std::vector<double>& row) {
    return is_close(row, std::vector<double>(row.size(), 1 / static_cast<double>(row.size())));
}

bool is_zero(const std::vector<double>& row) {
    return std::ranges::all_of(row, [](double w) { return w == 0; });
}

// The row to be computed, without its mask.
struct Row {
    const Scene& scene;
    const HeadInputs& inputs;  // the inputs of the whole head, before rounding
    Index b = 0, h = 0, row = 0;
};

// Returns the inputs of the row's query, with all keys.
HeadInputs inputs_of(const Row& row, Dtype dtype) {
    const auto one = [&](const Matrix& all) -> Matrix {
        return all.size() > 0 ? Matrix(all.middleRows(row.row, 1)) : Matrix();
    };
    return round_inputs({one(row.inputs.queries), row.inputs.keys, {}, one(row.inputs.scores), {}},
                        Rounding(dtype));
}

std::vector<double> to_vector(const Matrix& row) { return {row.data(), row.data() + row.size()}; }

// Returns the cells without the flags of blocked and leaking cells: every cell would have both, and
// their marks would make numbers hard to read.
SharedCells cells_of(const std::vector<double>& weights) {
    auto cells = std::make_shared<Cells>();
    cells->stage = StageKind::weights;
    cells->rows = 1;
    cells->columns = static_cast<Index>(weights.size());
    cells->values = weights;
    for (const double w : weights)
        cells->signs.push_back(std::isnan(w) ? sign::nan : w == 0 ? sign::zero : std::uint8_t{0});
    return cells;
}

TableRow compute(const Row& row, const Variant& variant, bool allowed) {
    const Shape shape = shape_of(row.scene);
    const HeadPositions seen = head_positions(row.scene, row.b, row.h);
    const Matrix bias = biases(row.scene, variant.mask.layers, seen, row.row, 1);
    StageTimes times;
    const Stages stages =
        attend(variant, parameters_of(row.scene, variant), inputs_of(row, variant.dtype),
               Allowed::Constant(1, shape.n_k, allowed), bias, sink_of(variant, row.h), times,
               row_scales(row.scene, variant.scale, seen, row.row, 1));
    TableRow made{to_vector(stages.logits), to_vector(stages.weights), nullptr};
    made.cells = cells_of(made.weights);
    return made;
}

bool is_entry(const Variant& variant, const TableEntry& entry) {
    return variant.mask.value == entry.value && variant.mask.times == entry.times &&
           variant.dtype == entry.dtype;
}

TableEntry entry_of(const Row& row, Variant variant, const ValueTimes& blocking,
                    const TableRow& unmasked) {
    variant.mask.value = blocking.value;
    variant.mask.times = blocking.times;
    TableEntry entry{.value = blocking.value,
                     .times = blocking.times,
                     .dtype = variant.dtype,
                     .row = compute(row, variant, false),
                     .variants = {}};
    entry.name = name_of(entry.row.weights, unmasked.weights);
    return entry;
}

void fill(ValueTable& table, const Row& row, const Scene& scene, Progress& progress) {
    Variant variant = scene.variants[table.variants.front()];
    for (std::size_t column = 0; column < table_dtypes; ++column) {
        variant.dtype = dtypes[column];
        table.unmasked[column] = compute(row, variant, true);
        table.is_even[column] = is_even(table.unmasked[column].weights);
        for (std::size_t k = 0; k < table_values; ++k) {
            if (progress.cancel) throw Cancellation{};
            TableEntry& entry = table.entries[k][column];
            entry = entry_of(row, variant, blockings[k], table.unmasked[column]);
            for (const int index : table.variants)
                if (is_entry(scene.variants[index], entry)) entry.variants.push_back(index);
        }
    }
}

// Returns what the variants of one table have in common: resets name, mask value, times, dtype and
// output, and removes the rules that block, because the table blocks every key.
Variant base_of(Variant variant) {
    variant.name.clear();
    variant.mask.value = {};
    variant.mask.times = 1;
    variant.dtype = Dtype::float32;
    std::erase_if(variant.mask.layers, [](const MaskLayer& layer) { return !is_bias(layer); });
    variant.output = {};
    return variant;
}

std::vector<std::vector<int>> groups_of(const Scene& scene, const std::vector<int>& variants) {
    std::vector<std::vector<int>> groups;
    const auto base = [&](int variant) { return base_of(scene.variants[variant]); };
    for (const int variant : variants) {
        if (!uses_value(scene.variants[variant].mask.apply)) continue;
        const auto like = std::ranges::find_if(
            groups, [&](const auto& group) { return base(group.front()) == base(variant); });
        if (like == groups.end())
            groups.push_back({variant});
        else
            like->push_back(variant);
    }
    return groups;
}

bool is_blocked_whole(const Scene& scene, int variant, Index b, Index h, Index i) {
    const auto& layers = scene.variants[variant].mask.layers;
    return !allowed_cells(scene, layers, head_positions(scene, b, h), i, 1).any();
}

}  // namespace

std::string_view words(RowName name) {
    switch (name) {
        case RowName::nan:
            return "NaN";
        case RowName::zero:
            return "zero";
        case RowName::even:
            return "uniform";
        case RowName::unmasked:
            return "unmasked";
        case RowName::neither:
            return "other";
    }
    return "";
}

std::string value_words(const BlockedValue& value, int times) {
    std::string text = value.kind == ValueKind::minus_infinity ? "−∞"
                       : value.kind == ValueKind::lowest       ? "lowest"
                                                               : typed_text(value.number);
    return times == 2 ? text + " twice" : text;
}

RowName name_of(const std::vector<double>& weights, const std::vector<double>& unmasked) {
    if (std::ranges::any_of(weights, [](double w) { return std::isnan(w); })) return RowName::nan;
    if (is_zero(weights)) return RowName::zero;
    if (is_close(weights, unmasked)) return RowName::unmasked;
    return is_even(weights) ? RowName::even : RowName::neither;
}

ValueTables make_value_tables(const Result& result, const View& view, Progress& progress) {
    ValueTables made;
    const auto groups = groups_of(result.scene, shown_variants(view, result.scene));
    if (groups.empty())
        made.missing =
            "This table needs a variant that adds its mask or replaces scores. The ones shown "
            "multiply, or apply no mask.";
    if (groups.empty()) return made;
    for (const std::vector<int>& variants : groups) {
        const Scene& scene = scene_of_variant(result, variants.front());
        const VariantResult& first = result.variants[variants.front()];
        const Shape& shape = first.shape;
        ValueTable table;
        table.variants = variants;
        for (const int variant : variants)
            table.names.push_back(variant_title(view, scene, variant));
        table.b = shown_sequences(view, shape).front();
        table.h = shown_heads(view, shape).front();
        table.row = row_in_view(view, shape);
        table.query = first.queries[table.b][table.row];
        table.keys = first.keys[table.b];
        fill(table,
             {scene, inputs_of(result, variants.front())->at(table.b, table.h), table.b, table.h,
              table.row},
             scene, progress);
        made.tables.push_back(std::move(table));
    }
    return made;
}

void make_variant(Scene& scene, const ValueTable& table, const TableEntry& entry) {
    const int base = table.variants.front();
    duplicate_variant(scene, base);
    const int index = static_cast<int>(scene.variants.size()) - 1;
    Variant& variant = scene.variants.back();
    variant.mask.value = entry.value;
    variant.mask.times = entry.times;
    variant.dtype = entry.dtype;
    variant.name = fmt::format("{}, {}", value_words(entry.value, entry.times), name(entry.dtype));
    if (!is_blocked_whole(scene, index, table.b, table.h, table.row))
        toggle_row(scene, {index}, table.b, table.h, table.row);
}

// The user's actions in the table: choose an entry, and make it a variant.

namespace {

std::string unavailable_reason(const Scene& scene) {
    const bool has_table = has_stage(scene.inputs, StageKind::logits) &&
                           std::ranges::any_of(scene.variants, [](const Variant& variant) {
                               return uses_value(variant.mask.apply);
                           });
    return has_table ? "" : "No variant adds its mask or replaces scores.";
}

void adapt_key(ViewKey& key, const View& view) {
    key.rest = std::to_string(row_in_view(view, shape_of(key.result->scene)));
}

ViewContent make(const Result& result, const View& view, Progress& progress) {
    return std::make_shared<const ValueTables>(make_value_tables(result, view, progress));
}

Figure lay_out(const void* content, const Result&, const Bench& bench, const View& view,
               const LayoutOptions& options) {
    return lay_out_value_tables(*static_cast<const ValueTables*>(content), view, bench.title,
                                options);
}

const ValueTable* table_of(const Session& session, const Spot& spot) {
    const ValueTables* data = tables_of(session.results().bench().views);
    if (!data || spot.kind != Spot::Kind::entry) return nullptr;
    const auto found = std::ranges::find(
        data->tables, spot.variant, [](const ValueTable& one) { return one.variants.front(); });
    return found == data->tables.end() ? nullptr : &*found;
}

// Makes the entry a variant, or says which variant it already is.
void make_entry_variant(Session& session, const Spot& spot) {
    const ValueTable* table = table_of(session, spot);
    if (table == nullptr) return;
    const TableEntry entry = table->entries[spot.row][spot.key];
    if (!entry.variants.empty()) {
        session.say(fmt::format("This is variant {}.", variant_letter(entry.variants.front())));
        return;
    }
    const ValueTable copy = *table;  // copied, because the edit may remove the shown table
    session.edit("make it a variant", [&](Scene& scene) { make_variant(scene, copy, entry); });
}

void use_pointer(Session& session, const Figure& figure, const PlotPointer& pointer) {
    session.view().hovered.reset();
    if (!pointer.pressed) return;
    if (const Spot* spot = spot_at(figure.spots, pointer.at)) make_entry_variant(session, *spot);
}

// Moves the choice; the first press of a key chooses the first entry.
bool move(Session& session, std::optional<Spot>& chosen, Index down, Index right) {
    const ValueTables* data = tables_of(session.results().bench().views);
    if (!data || data->tables.empty()) return true;
    if (!chosen || table_of(session, *chosen) == nullptr) {
        chosen = Spot{
            .kind = Spot::Kind::entry, .rect = {}, .variant = data->tables.front().variants[0]};
        return true;
    }
    chosen->row = std::clamp<Index>(chosen->row + down, 0, Index(table_values) - 1);
    chosen->key = std::clamp<Index>(chosen->key + right, 0, Index(table_dtypes) - 1);
    return true;
}

}  // namespace

const ViewEntry value_table_entry = {.kind = ViewKind::table,
                                     .label = "Mask values",
                                     .unavailable_reason = unavailable_reason,
                                     .adapt_key = adapt_key,
                                     .make = make,
                                     .lay_out = lay_out,
                                     .use_pointer = use_pointer,
                                     .move = move,
                                     .act = make_entry_variant};

}  // namespace maskscope
