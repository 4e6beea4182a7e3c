#include "app/commands/stage_files.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <functional>
#include <system_error>

#include "app/commands/commands.h"
#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/files/file.h"
#include "core/scene/names.h"

namespace maskscope {

namespace {

namespace fs = std::filesystem;

std::string file_name(StageKind kind) { return std::string(name(kind)) + ".npy"; }

// Adds to errors the path that the file will have.
template <class Work>
auto at_shown(const fs::path& shown, const Work& work) {
    try {
        return work();
    } catch (const WorkError& error) {
        throw at_file(shown.string(), error);
    }
}

}  // namespace

std::string variant_name(std::size_t variant) { return "variant-" + std::to_string(variant); }

StageFiles::StageFiles(fs::path folder, fs::path shown, std::bitset<stage_count> stages)
    : folder_(std::move(folder)), shown_(std::move(shown)), stages_(stages) {}

void StageFiles::make_folder(const VariantResult& like, Index n_q) {
    std::error_code error;
    fs::create_directory(folder_ / variant_name(whole_.size()), error);
    if (error) throw at_file(shown_.string(), WorkError(error.message()));
    VariantResult& whole = whole_.emplace_back();
    whole.shape = like.shape;
    whole.shape.n_q = n_q;
    whole.queries = like.queries;
    whole.keys = like.keys;
    whole.run = like.run;
    whole.rows.resize(static_cast<std::size_t>(whole.shape.b * whole.shape.h * n_q));
    reference_.emplace_back();
}

NpyFile& StageFiles::file(std::size_t variant, StageKind kind, NpyNumbers numbers,
                          const Shape& shape) {
    const auto known = files_.find({variant, kind});
    if (known != files_.end()) return known->second;
    const fs::path place = fs::path(variant_name(variant)) / file_name(kind);
    return files_.emplace(std::pair{variant, kind}, NpyFile(folder_ / place, numbers, shape))
        .first->second;
}

void StageFiles::add(std::size_t variant, const VariantResult& block, StageKind kind,
                     const Rows& rows) {
    const bool is_mask = kind == StageKind::allowed;
    const Stage& stage = block.stage(kind);
    if (!is_mask && !stage.exists()) return;
    const Index n_q = whole_[variant].shape.n_q;
    const Index h = is_mask ? block.shape.h : stage.h();
    const Index columns = is_mask ? block.shape.n_k : stage.columns();
    const NpyNumbers numbers = is_mask              ? NpyNumbers::boolean
                               : stage.is_float64() ? NpyNumbers::float64
                                                    : NpyNumbers::float32;
    NpyFile& to = file(variant, kind, numbers, {block.shape.b, h, n_q, columns});
    for (Index head = 0; head < block.shape.b * h; ++head) {
        const Index row = head * n_q + rows.first;
        const auto size = static_cast<std::size_t>(rows.count * columns);
        const std::size_t from = static_cast<std::size_t>(head) * size;
        if (is_mask)
            to.write(row, rows.count, block.allowed.some(from, size).data());
        else if (stage.is_float64())
            to.write(row, rows.count, stage.float64s().data() + from);
        else
            to.write(row, rows.count, stage.float32s().data() + from);
    }
}

void StageFiles::add(std::size_t variant, const Result& result, const Rows& rows) {
    const VariantResult& block = result.variants[variant];
    for (int k = 0; k < stage_count; ++k)
        if (const auto kind = static_cast<StageKind>(k); stages_.test(static_cast<std::size_t>(k)))
            at_shown(shown_ / variant_name(variant) / file_name(kind),
                     [&] { add(variant, block, kind, rows); });
    const Index n_q = whole_[variant].shape.n_q;
    for (Index head = 0; head < block.shape.b * block.shape.h; ++head)
        std::copy_n(block.rows.begin() + head * rows.count, rows.count,
                    whole_[variant].rows.begin() + head * n_q + rows.first);
    const auto& variants = result.scene.variants;
    if (variant >= variants.size() || !variants[variant].reference) return;
    std::vector<ReferenceFigures>& reference = reference_[variant];
    reference.resize(whole_[variant].rows.size());
    const Index h = block.shape.h;
    for (Index head = 0; head < block.shape.b * h; ++head)
        for (Index i = 0; i < rows.count; ++i)
            reference[static_cast<std::size_t>(head * n_q + rows.first + i)] = reference_figures(
                result, static_cast<int>(variant), head / h, head % h, i, rows.first);
}

void StageFiles::add(const Result& whole) {
    backend_ = whole.backend;
    for (std::size_t k = 0; k < whole.variants.size(); ++k) {
        const VariantResult& variant = whole.variants[k];
        make_folder(variant, variant.shape.n_q);
        add(k, whole, {0, variant.shape.n_q});
    }
}

void StageFiles::add(const Result& block, const Rows& rows, Index n_q) {
    backend_ = block.backend;
    for (std::size_t k = 0; k < block.variants.size(); ++k) {
        if (k == whole_.size()) make_folder(block.variants[k], n_q);
        add(k, block, rows);
    }
}

void StageFiles::finish() {
    for (auto& [place, file] : files_)
        at_shown(shown_ / variant_name(place.first) / file_name(place.second),
                 [&, &of = file] { of.close(); });
    for (std::size_t k = 0; k < whole_.size(); ++k) {
        const fs::path summary = fs::path(variant_name(k)) / "summary.json";
        at_shown(shown_ / summary, [&] {
            write_new_file(folder_ / summary, summary_json(whole_[k], backend_, reference_[k]));
        });
    }
}

double bytes_of_files(const Scene& scene, const Request& request) {
    double bytes = 0;
    const Shape shape = shape_of(scene);
    for (const Variant& variant : scene.variants)
        for (int k = 0; k < stage_count; ++k) {
            const auto kind = static_cast<StageKind>(k);
            if (!wants(request, scene.inputs, kind) || kind == StageKind::output) continue;
            bytes += npy_size(kind == StageKind::allowed        ? NpyNumbers::boolean
                              : variant.dtype == Dtype::float64 ? NpyNumbers::float64
                                                                : NpyNumbers::float32,
                              shape);
        }
    return bytes;
}

// Writes summary.json as text: backend, shape, and the statistics of each row.

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
