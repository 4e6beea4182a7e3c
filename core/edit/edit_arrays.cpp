#include <algorithm>
#include <array>
#include <cmath>

#include "core/edit/edit_parts.h"

namespace maskscope {

namespace {

// rows, columns: how the last two axes move; nullptr for an axis that stays.
Array moved(const Array& array, const AxisEdit* rows, const AxisEdit* columns, double added = 0) {
    const bool stays = (!rows || rows->is_identity()) && (!columns || columns->is_identity());
    if (stays) return array;
    const std::vector<double> old = finite_numbers(array);
    std::array<Index, 4> sizes = {1, 1, 1, 1};
    std::copy_backward(array.axes.begin(), array.axes.end(), sizes.end());
    const auto [b, h, n, d] = sizes;
    const Index new_n = rows ? rows->new_size() : n;
    const Index new_d = columns ? columns->new_size() : d;
    std::vector<double> numbers(static_cast<std::size_t>(b * h * new_n * new_d), added);
    for (Index head = 0; head < b * h; ++head)
        for (Index i = 0; i < new_n; ++i)
            for (Index j = 0; j < new_d; ++j) {
                // Numbers that all sequences share move with the edited sequence.
                const Index from_i = rows ? rows->source_of(b > 1 ? head / h : rows->b, i) : i;
                const Index from_j =
                    columns ? columns->source_of(b > 1 ? head / h : columns->b, j) : j;
                if (from_i == AxisEdit::added || from_j == AxisEdit::added) continue;
                numbers[(head * new_n + i) * new_d + j] = old[(head * n + from_i) * d + from_j];
            }
    std::vector<Index> axes = array.axes;
    axes[axes.size() - 2] = new_n;
    axes[axes.size() - 1] = new_d;
    return make_array(std::move(axes), std::move(numbers));
}

std::optional<Array> moved_values(const std::optional<Array>& values, const AxisEdit& keys) {
    if (!values) return std::nullopt;
    return moved(*values, &keys, nullptr);
}

// Moves a previous layer, which attends among the tokens of one axis.
Shared<LayerBefore> moved(const LayerBefore& layer, const AxisEdit& axis) {
    LayerBefore next = layer;
    move_numbers(next.inputs, axis, axis);
    move_layers(next.variant.mask.layers, axis, axis);
    return next;
}

struct MoveNumbers {
    const AxisEdit& rows;
    const AxisEdit& columns;

    void operator()(auto&) const {}  // computed from the tokens
    void operator()(TensorsInputs& inputs) const {
        inputs.queries = moved(inputs.queries, &rows, nullptr);
        inputs.keys = moved(inputs.keys, &columns, nullptr);
        inputs.values = moved_values(inputs.values, columns);
    }
    void operator()(ScoresInputs& inputs) const {
        inputs.scores = moved(inputs.scores, &rows, &columns);
        inputs.values = moved_values(inputs.values, columns);
    }
    void operator()(WeightsInputs& inputs) const {
        inputs.weights = moved(inputs.weights, &rows, &columns);
        inputs.values = moved_values(inputs.values, columns);
    }
    void operator()(OutputInputs& inputs) const {
        inputs.of = moved(*inputs.of, rows);
        if (inputs.keys) inputs.keys = moved(**inputs.keys, columns);
    }
};

}  // namespace

std::vector<double> finite_numbers(const Array& array) {
    if (!std::ranges::all_of(array.values->view(), [](double x) { return std::isfinite(x); }))
        throw EditError("Numbers that are not finite can be stored only in a tensor file" +
                        (array.file.empty() ? "" : " (" + array.file + ")") +
                        ", and this edit would write them into the scene.");
    return array.values->float64s();
}

Array moved_tensor(const Array& tensor, bool is_mask, const AxisEdit& rows,
                   const AxisEdit& columns) {
    if (!is_mask) return moved(tensor, &rows, &columns);
    std::vector<double> truths;
    for (const double x : tensor.values->view())
        truths.push_back((x != 0) == tensor.truths ? 1 : 0);
    Array next = moved(make_array(tensor.axes, std::move(truths)), &rows, &columns, 1);
    next.truths = true;
    return next;
}

void move_numbers(Inputs& inputs, const AxisEdit& rows, const AxisEdit& columns) {
    std::visit(MoveNumbers{rows, columns}, inputs);
}

}  // namespace maskscope
