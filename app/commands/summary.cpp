// Writes summary.json as text: backend, shape, and the statistics of each row.

#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>

#include "app/commands/compute.h"
#include "core/base/json_text.h"
#include "core/scene/names.h"

namespace maskscope {

namespace {

// Returns "[a, b]" from `count` texts.
std::string list(Index count, const std::function<std::string(Index)>& text) {
    std::string result = "[";
    for (Index k = 0; k < count; ++k) result += (k > 0 ? ", " : "") + text(k);
    return result + "]";
}

std::string number(double value) { return std::isfinite(value) ? shortest(value) : "null"; }
std::string truth(bool value) { return value ? "true" : "false"; }

std::string text(const std::string& words) { return Json(words).dump(); }

// Returns lists [b][n].
std::string words_lists(const std::vector<std::vector<std::string>>& lists) {
    return list(std::ssize(lists), [&](Index b) {
        return list(std::ssize(lists[b]), [&](Index k) { return text(lists[b][k]); });
    });
}

// Returns one statistic of all rows as [b][h][n_q] lists.
std::string rows(const VariantResult& variant,
                 const std::function<std::string(const RowFigures&)>& text) {
    const Shape& shape = variant.shape;
    return list(shape.b, [&](Index b) {
        return list(shape.h, [&](Index h) {
            return list(shape.n_q, [&](Index i) { return text(variant.row(b, h, i)); });
        });
    });
}

}  // namespace

std::string summary_json(const VariantResult& variant, const std::string& backend,
                         const std::vector<ReferenceFigures>& reference) {
    const Shape& shape = variant.shape;
    const auto numbers = [&](double RowFigures::*figure) {
        return rows(variant, [=](const RowFigures& row) { return number(row.*figure); });
    };
    const auto truths = [&](bool RowFigures::*figure) {
        return rows(variant, [=](const RowFigures& row) { return truth(row.*figure); });
    };
    std::string json = "{\n  \"backend\": \"" + backend + "\"";
    const auto add = [&](const std::string& key, const std::string& value) {
        json += ",\n  \"" + key + "\": " + value;
    };
    const Index axes[] = {shape.b, shape.h, shape.n_q, shape.n_k};
    add("shape", list(4, [&](Index k) { return std::to_string(axes[k]); }));
    if (variant.run) {
        add("queries", words_lists(variant.queries.all()));
        add("keys", words_lists(variant.keys.all()));
        const auto numbers_of = [](const std::vector<double>& values) {
            return list(std::ssize(values), [&](Index b) { return number(values[b]); });
        };
        add("translation", list(shape.b, [&](Index b) {
                const auto& said = variant.run->said[b];
                return said ? text(joined(*said)) : "null";
            }));
        if (!variant.run->loss.empty()) {
            add("loss", numbers_of(variant.run->loss));
            add("accuracy", numbers_of(variant.run->accuracy));
        }
    }
    add("sum", numbers(&RowFigures::sum));
    add("max", numbers(&RowFigures::max));
    add("entropy", numbers(&RowFigures::entropy));
    add("leak", numbers(&RowFigures::leak));
    add("gradient_leak", numbers(&RowFigures::gradient_leak));
    add("pads", numbers(&RowFigures::pads));
    add("empty", truths(&RowFigures::empty));
    add("nan", truths(&RowFigures::nan));
    add("lse", numbers(&RowFigures::lse));
    if (!reference.empty()) {
        std::size_t row = 0, next = 0;
        add("leak_to_reference",
            rows(variant, [&](const RowFigures&) { return number(reference[row++].leak); }));
        add("missing_to_reference", rows(variant, [&](const RowFigures&) {
                return std::to_string(reference[next++].missing);
            }));
    }
    return json + "\n}\n";
}

}  // namespace maskscope
