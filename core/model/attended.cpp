#include "core/model/attended.h"

#include <algorithm>
#include <chrono>

#include "core/model/pass.h"

namespace maskscope {

namespace {

// --- mask rules, cut to the sizes of a pass

template <class List, class Is>
void drop(List& list, const Is& is) {
    std::erase_if(list, is);
}

void trim_lengths(std::vector<Index>& lengths, Index left) {
    for (Index& length : lengths) {
        length = std::min(length, left);
        left -= length;
    }
    drop(lengths, [](Index length) { return length == 0; });
}

void trim(MaskLayer& layer, Index n_q, Index n_k) {
    const auto cell_beyond = [&](const auto& cell) { return cell.i >= n_q || cell.j >= n_k; };
    if (layer.cells) drop(*layer.cells, cell_beyond);
    if (layer.rows) drop(*layer.rows, [&](Index i) { return i >= n_q; });
    if (layer.columns) drop(*layer.columns, [&](Index j) { return j >= n_k; });
    drop(layer.bias, cell_beyond);
    drop(layer.tokens, [&](Index j) { return j >= n_k; });
    const auto keys = static_cast<std::size_t>(n_k);
    if (layer.ids.size() > keys) layer.ids.resize(keys);
    if (layer.parents.size() > keys) layer.parents.resize(keys);
    for (std::vector<Index>& ids : layer.ids_each)
        if (ids.size() > keys) ids.resize(keys);
    trim_lengths(layer.lengths, n_k);
    for (std::vector<Index>& lengths : layer.lengths_each) trim_lengths(lengths, n_k);
    for (MaskLayer& inner : layer.layers) trim(inner, n_q, n_k);
}

// --- tensors

// Returns one part of all heads, [b, h, n, d].
Array array_of(const BatchInputs& batch, InputPart part) {
    const auto [rows, columns] = batch.size_of(part);
    std::vector<double> numbers;
    for (const HeadInputs& head : batch.heads) {
        const Matrix& matrix = head.*part;
        numbers.insert(numbers.end(), matrix.data(), matrix.data() + matrix.size());
    }
    return make_array({batch.shape.b, batch.shape.h, rows, columns}, std::move(numbers));
}

// --- a variant

void turn_off(const std::vector<Index>& heads, Stage& output) {
    if (heads.empty() || !output.exists()) return;
    Stage left(output.b(), output.h(), output.rows(), output.columns(), output.is_float64());
    for (Index b = 0; b < output.b(); ++b)
        for (Index h = 0; h < output.h(); ++h)
            if (std::ranges::find(heads, h) == heads.end()) left.set_head(b, h, output.head(b, h));
    output = std::move(left);
}

bool has_all(const VariantResult& result, const Request& request) {
    for (int k = 1; k < stage_count; ++k)
        if (request.stages.test(static_cast<std::size_t>(k)) && !result.stages[k].exists())
            return false;
    return true;
}

// Returns a variant that this backend computed before, from the same words and settings.
const VariantResult* known_variant(const Result* before, const Scene& scene, const Request& request,
                                   const Variant& variant) {
    if (before == nullptr || !same_inputs(before->scene, scene)) return nullptr;
    for (std::size_t k = 0; k < before->variants.size(); ++k) {
        Variant renamed = before->scene.variants[k];
        renamed.name = variant.name;
        const VariantResult& result = before->variants[k];
        if (renamed == variant && result.run && has_all(result, request)) return &result;
    }
    return nullptr;
}

double milliseconds_from(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
        .count();
}

}  // namespace

Scene attended_scene(const Scene& scene, const BatchInputs& batch,
                     const std::vector<Sequence>& sequences) {
    Scene attended;
    attended.title = scene.title;
    attended.sequences = sequences;
    attended.inputs =
        TensorsInputs{array_of(batch, &HeadInputs::queries), array_of(batch, &HeadInputs::keys),
                      array_of(batch, &HeadInputs::values)};
    attended.variants = scene.variants;
    for (Variant& variant : attended.variants)
        for (MaskLayer& layer : variant.mask.layers) trim(layer, batch.shape.n_q, batch.shape.n_k);
    return attended;
}

Result compute_model(const Scene& scene, const Request& request, const Result* before,
                     Progress& progress, const ComputeAttended& compute) {
    const auto start = std::chrono::steady_clock::now();
    Result result;
    result.scene = scene;
    result.variants.resize(scene.variants.size());
    double passes = 0;
    for (const int index : variants_of(request, scene)) {
        const Variant& variant = scene.variants[index];
        VariantResult& made = result.variants[index];
        if (const VariantResult* known = known_variant(before, scene, request, variant)) {
            made = *known;
            result.backend = before->backend;
            continue;
        }
        const auto pass_start = std::chrono::steady_clock::now();
        auto run = std::make_shared<ModelRun>(run_model(scene, index, progress));
        passes += milliseconds_from(pass_start);
        Request one = request;
        one.variants = {index};
        Result attended = compute(run->attended, one);
        made = std::move(attended.variants[index]);
        made.queries = TokenLabels({run->labels.begin(), run->labels.end()}, std::string(pad_word),
                                   std::ssize(run->labels.front()));
        turn_off(variant.heads_off, made.stage(StageKind::output));
        made.run = std::move(run);
        result.backend = attended.backend;
    }
    for (const VariantResult& made : result.variants)
        if (made.run && !result.inputs) result.inputs = made.run->inputs;
    result.times.push_back({"the model", passes});
    result.milliseconds = milliseconds_from(start);
    result.times.push_back({"its attention", result.milliseconds - passes});
    return result;
}

}  // namespace maskscope
