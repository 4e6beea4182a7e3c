// Makes the results of ms_compute() and ms_card(): see calls.h.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/show/arithmetic/arithmetic.h"
#include "app/show/bench/alternative_text.h"
#include "app/web/handout.h"
#include "core/base/number_text.h"
#include "core/scene/names.h"

namespace maskscope {

namespace {

// The FNV-1a hash of what is drawn.
class Hash {
public:
    void add(const void* bytes, std::size_t count) {
        for (std::size_t k = 0; k < count; ++k)
            hash_ = (hash_ ^ static_cast<const unsigned char*>(bytes)[k]) * 1099511628211U;
    }
    void add(const std::string& text) { add(text.c_str(), text.size() + 1); }
    template <class T>
    void add(const std::vector<T>& numbers) {
        add(numbers.data(), numbers.size() * sizeof(T));
    }
    std::string text() const { return fmt::format("{:016x}", hash_); }

private:
    std::uint64_t hash_ = 14695981039346656037U;
};

DrawnCells drawn_cells(const BenchStage& stage, ThemeKind kind) {
    const Cells& cells = *stage.cells;
    const ColourMap map = shown_map(stage.map, theme(kind));
    DrawnCells drawn;
    drawn.share = cells.has_shares();
    for (Index i = 0; i < cells.rows; ++i) {
        const CellRow row = row_of(cells, i);
        drawn.values.insert(drawn.values.end(), row.values.begin(), row.values.end());
        drawn.signs.insert(drawn.signs.end(), row.signs.begin(), row.signs.end());
    }
    for (double& value : drawn.values) {
        if (std::isnan(value)) value = not_a_number;  // ignores the sign of NaN
        const Colour fill = fill_of(value, cells.stage, stage.limits, map);
        const bool has_fill = fill.a > 0;
        drawn.fills.insert(drawn.fills.end(), {fill.r, fill.g, fill.b, fill.a});
        drawn.light.push_back(has_fill && ink_on(fill).r > 127 ? 1 : 0);
    }
    return drawn;
}

// The place of a heatmap on the bench.
struct Place {
    Index b = 0, h = 0;
    const BenchVariant* variant = nullptr;  // nullptr: shared by all variants
    const BenchTokens* tokens = nullptr;
    std::string name;  // replaces the variant's letter: "shared", "earlier0"
};

std::string letters_of(const BenchVariant& entry) {
    std::string letters;
    for (const int variant : entry.letters())
        letters += (letters.empty() ? "" : " − ") + std::string(1, variant_letter(variant));
    return letters;
}

Json heatmap(Handout& handout, const BenchStage& stage, const Place& place) {
    DrawnCells drawn = drawn_cells(stage, handout.view().theme);
    const BenchTokens& tokens = stage.tokens ? *stage.tokens : *place.tokens;
    Hash hash;
    hash.add(drawn.values);
    hash.add(drawn.signs);
    hash.add(drawn.fills);
    for (const auto* texts : {&tokens.queries, &tokens.keys, &stage.operations})
        for (const std::string& text : *texts) hash.add(text);
    hash.add(stage.title + "\n" + stage.note + (stage.hidden ? "?" : ""));
    const bool own = place.variant && !place.variant->is_compared();
    Json json = {
        {"id", handout.drawn.size()},
        {"key", fmt::format("{}.{}.{}.{}", place.name, name(stage.stage), place.b, place.h)},
        {"hash", hash.text()},
        {"stage", name(stage.stage)},
        {"lane", own ? Json(place.variant->index) : Json()},
        {"title", stage.title},
        {"note", stage.note},
        {"operations", stage.operations},
        {"column", stage.column},
        {"rows", stage.cells->rows},
        {"columns", stage.cells->columns}};
    if (stage.tokens) {
        json["queries"] = stage.tokens->queries;
        json["keys"] = stage.tokens->keys;
    }
    if (is_tensor_variant(stage.variant))
        json["of"] = stage.variant == queries_variant ? "queries" : "keys";
    json["values"] = address_of(drawn.values.data());
    json["signs"] = address_of(drawn.signs.data());
    json["fills"] = address_of(drawn.fills.data());
    json["light"] = address_of(drawn.light.data());
    json["share"] = drawn.share;
    json["covered"] = stage.hidden;
    handout.drawn.push_back(std::move(drawn));  // moving keeps its numbers at their address
    return json;
}

Json sum_json(const RowSum& sum) {
    const RowFigures& row = sum.figures;
    return {{"sum", number(row.sum)},    {"text", cell_text(row.sum, false)},
            {"max", number(row.max)},    {"entropy", number(row.entropy)},
            {"leak", number(row.leak)},  {"pads", number(row.pads)},
            {"empty", row.empty},        {"nan", row.nan},
            {"zeroed", sum.zeroed},      {"is_one", std::abs(row.sum - 1) <= sum.tolerance},
            {"by_design", sum.by_design}};
}

Json heatmaps(Handout& handout, const std::vector<BenchStage>& stages, Place place,
              const std::string& numbered = "") {
    Json list = Json::array();
    for (std::size_t k = 0; k < stages.size(); ++k) {
        if (!numbered.empty()) place.name = numbered + std::to_string(k);
        list.push_back(heatmap(handout, stages[k], place));
    }
    return list;
}

Json variant_json(Handout& handout, const BenchVariant& variant, Place place) {
    place.variant = &variant;
    place.name = letters_of(variant);
    Json json = {{"lane", variant.index}, {"letter", place.name},
                 {"name", variant.name},  {"changes", changes_note(variant.changes)},
                 {"difference", Json()},  {"stages", heatmaps(handout, variant.stages, place)},
                 {"sums", Json::array()}, {"loses_weight", variant.sums.loses_weight}};
    if (variant.difference) {
        json["lane"] = Json();
        json["difference"] = {{"lane", variant.difference->variant},
                              {"minus", variant.difference->minus}};
    }
    for (const RowSum& sum : variant.sums.rows) json["sums"].push_back(sum_json(sum));
    return json;
}

Json pads_of(const Result& result, int variant, Index b) {
    const VariantResult& of = result.variants[static_cast<std::size_t>(variant)];
    Json pads = Json::array();
    for (Index j = 0; j < of.shape.n_k; ++j) pads.push_back(of.is_pad(b, j));
    return pads;
}

// True if the mask is drawn: always for a scene; in a lesson, as in the window, only if a rule
// blocks keys or the step names the mask.
bool shows_mask(Handout& handout) {
    return !handout.is_lesson() || needs_mask(handout.view(), handout.scene());
}

Json block_json(Handout& handout, const BenchBlock& block) {
    const Place place{block.b, block.h, nullptr, block.tokens.get(), "shared"};
    Json json = {{"b", block.b},
                 {"h", block.h},
                 {"title", block.title},
                 {"queries", block.tokens->queries},
                 {"keys", block.tokens->keys},
                 {"pads", pads_of(handout.result(), handout.variants().front(), block.b)},
                 {"earlier", heatmaps(handout, block.earlier, place, "earlier")},
                 {"tensors", heatmaps(handout, block.tensors, place, "tensor")},
                 {"shared", heatmaps(handout, block.shared, place)},
                 {"source", block.source},
                 {"mask", Json()},
                 {"lanes", Json::array()}};
    const bool with_mask = shows_mask(handout);
    if (block.mask && with_mask) json["mask"] = heatmap(handout, *block.mask, place);
    for (BenchVariant variant : block.variants) {
        if (!with_mask)
            std::erase_if(variant.stages, [](const BenchStage& stage) {
                return stage.stage == StageKind::allowed;
            });
        json["lanes"].push_back(variant_json(handout, variant, place));
    }
    return json;
}

}  // namespace

Json number(double x) {
    if (std::isfinite(x)) return x;
    return std::isnan(x) ? "NaN" : x > 0 ? "Infinity" : "-Infinity";
}

std::size_t address_of(const void* numbers) { return reinterpret_cast<std::size_t>(numbers); }

Json shown(Handout& handout) {
    const Bench& bench = handout.bench();
    handout.drawn.clear();
    const ViewKind view = handout.view().show.view.value_or(ViewKind::pipeline);
    Json json = {{"milliseconds", handout.result().milliseconds},
                 {"title", bench.title},
                 {"view", name(view)},
                 {"alternative", alternative_text(handout.result(), handout.fork_view())},
                 {"columns", bench.columns},
                 {"blocks", Json::array()}};
    for (const BenchBlock& block : bench.blocks)
        json["blocks"].push_back(block_json(handout, block));
    return json;
}

namespace {

Json lines_json(const std::vector<ArithmeticLine>& lines) {
    Json list = Json::array();
    for (const ArithmeticLine& line : lines)
        list.push_back({{"operation", line.operation},
                        {"result", line.result},
                        {"strong", line.strong},
                        {"in_words", line.in_words}});
    return list;
}

}  // namespace

Json card(Handout& handout, Index b, Index h, Cell cell) {
    const Arithmetic arithmetic = make_arithmetic(handout.result(), handout.variants(), b, h, cell);
    Json json = {{"query", arithmetic.query},
                 {"key", arithmetic.key},
                 {"shared", lines_json(arithmetic.shared)},
                 {"lanes", Json::array()},
                 {"row", Json::array()}};
    for (const VariantArithmetic& variant : arithmetic.variants)
        json["lanes"].push_back({{"lane", variant.index},
                                 {"letter", std::string(1, variant_letter(variant.index))},
                                 {"lines", lines_json(variant.lines)},
                                 {"chain", chain_text(variant)}});
    for (const RowLine& line : arithmetic.figures) {
        Json texts = Json::array();
        for (const RowNumber& figure : line.numbers) texts.push_back(figure.text);
        json["row"].push_back({{"name", line.name}, {"texts", std::move(texts)}});
    }
    return json;
}

}  // namespace maskscope
