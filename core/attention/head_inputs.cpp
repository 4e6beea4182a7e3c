#include "core/attention/head_inputs.h"

namespace maskscope {
namespace {

constexpr InputPart all_parts[] = {&HeadInputs::queries, &HeadInputs::keys, &HeadInputs::values,
                                   &HeadInputs::scores, &HeadInputs::weights};

// Returns the array of a part; null if these inputs do not have the part.
const Array* array_of(const Inputs& inputs, InputPart part) {
    const auto values = [](const auto& of) { return of.values ? &*of.values : nullptr; };
    if (const auto* tensors = std::get_if<TensorsInputs>(&inputs)) {
        if (part == &HeadInputs::queries) return &tensors->queries;
        if (part == &HeadInputs::keys) return &tensors->keys;
        return part == &HeadInputs::values ? values(*tensors) : nullptr;
    }
    if (const auto* scores = std::get_if<ScoresInputs>(&inputs)) {
        if (part == &HeadInputs::scores) return &scores->scores;
        return part == &HeadInputs::values ? values(*scores) : nullptr;
    }
    if (const auto* weights = std::get_if<WeightsInputs>(&inputs)) {
        if (part == &HeadInputs::weights) return &weights->weights;
        return part == &HeadInputs::values ? values(*weights) : nullptr;
    }
    return nullptr;
}

}  // namespace

bool gives_arrays(const Inputs& inputs) {
    return std::holds_alternative<TensorsInputs>(inputs) ||
           std::holds_alternative<ScoresInputs>(inputs) ||
           std::holds_alternative<WeightsInputs>(inputs);
}

BatchInputs::Size BatchInputs::size_of(InputPart part) const {
    if (!heads.empty()) return {(heads.front().*part).rows(), (heads.front().*part).cols()};
    const Array* array = array_of(given, part);
    if (!array) return {};
    return {array->axes[array->axes.size() - 2], array->axes.back()};
}

Matrix BatchInputs::part(Index b, Index h, InputPart part) const {
    return this->part(b, h, part, 0, size_of(part).rows);
}

Matrix BatchInputs::part(Index b, Index h, InputPart part, Index first_row, Index rows) const {
    if (!heads.empty()) return (heads[b * shape.h + h].*part).middleRows(first_row, rows);
    const auto [all_rows, columns] = size_of(part);
    Matrix matrix(rows, columns);
    if (matrix.size() == 0) return matrix;
    // An array is [b, heads, rows, columns]; leading axes of size 1 may be missing.
    const bool of_keys = part == &HeadInputs::keys || part == &HeadInputs::values;
    const Index head = of_keys ? b * kv_heads_of(given) + kv_head_of(given, h) : b * shape.h + h;
    array_of(given, part)
        ->values->copy(static_cast<std::size_t>((head * all_rows + first_row) * columns),
                       {matrix.data(), static_cast<std::size_t>(matrix.size())});
    return matrix;
}

HeadInputs BatchInputs::at(Index b, Index h) const { return at(b, h, 0, shape.n_q); }

HeadInputs BatchInputs::at(Index b, Index h, Index first_query, Index queries) const {
    HeadInputs head;
    for (const InputPart one : {&HeadInputs::queries, &HeadInputs::scores, &HeadInputs::weights})
        if (size_of(one).rows > 0) head.*one = part(b, h, one, first_query, queries);
    head.keys = part(b, h, &HeadInputs::keys);
    head.values = part(b, h, &HeadInputs::values);
    return head;
}

HeadInputs round_inputs(HeadInputs inputs, const Rounding& rounded) {
    for (const InputPart part : all_parts) inputs.*part = rounded(std::move(inputs.*part));
    return inputs;
}

}  // namespace maskscope
