#include "core/json/array_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/scene/expression.h"

namespace maskscope {

namespace {

constexpr std::size_t most_axes = 4;

// A reader of nested lists; pointers are built only when something is wrong.
class Lists {
public:
    explicit Lists(const Node& node, bool of_truths = false) : node_(node), truths_(of_truths) {
        for (const Json* level = &node.json; level->is_array(); level = &level->front()) {
            axes_.push_back(static_cast<Index>(level->size()));
            path_.push_back(0);
            if (level->empty()) {
                path_.pop_back();
                fail(*level, "a list that is not empty");
            }
        }
    }

    Array read() {
        if (axes_.size() > most_axes)
            throw InputError(node_.place,
                             fmt::format("expected an array of at most {} axes, got {}", most_axes,
                                         axes_.size()));
        std::vector<double> values;
        path_.clear();
        read_level(node_.json, values);
        Array array = make_array(axes_, std::move(values));
        array.truths = truths_;
        return array;
    }

private:
    // Reads the list or number at path_.
    void read_level(const Json& json, std::vector<double>& values) {
        const std::size_t depth = path_.size();
        if (depth == axes_.size()) {
            if (truths_ && !json.is_boolean())
                maskscope::fail({json, node_.place}, "nested lists of true and false");
            if (!truths_ && !json.is_number()) fail(json, "a number");
            values.push_back(truths_ ? (json.get<bool>() ? 1 : 0) : read_number({json, ""}));
            return;
        }
        const auto size = static_cast<std::size_t>(axes_[depth]);
        if (!json.is_array()) fail(json, "a list of " + std::to_string(size));
        if (json.size() != size)
            throw InputError(place(),
                             fmt::format("expected a list of {} as before, got a list of {}", size,
                                         json.size()));
        path_.push_back(0);
        for (const Json& item : json) {
            read_level(item, values);
            ++path_.back();
        }
        path_.pop_back();
    }

    [[noreturn]] void fail(const Json& json, const std::string& expected) const {
        maskscope::fail({json, place()}, expected);
    }

    std::string place() const {
        std::string pointer = node_.place;
        for (const std::size_t step : path_) pointer.append("/").append(std::to_string(step));
        return pointer;
    }

    const Node& node_;
    bool truths_;  // reads Booleans in place of numbers
    std::vector<Index> axes_;
    std::vector<std::size_t> path_;
};

std::string shape_text(const std::vector<Size>& shape) {
    std::string text;
    for (const Size& axis : shape)
        text +=
            (text.empty() ? "[" : ", ") + (axis.size ? std::to_string(*axis.size) : axis.letter);
    return text + "]";
}

std::string shape_text(const std::vector<Index>& axes) {
    return fmt::format("[{}]", fmt::join(axes, ", "));
}

bool fits(Index size, const Size& expected) { return size == expected.size.value_or(size); }

[[noreturn]] void fail_shape(const Node& node, const std::string& expected,
                             const std::vector<Index>& axes) {
    throw InputError(node.place,
                     fmt::format("expected an array {}, got {}", expected, shape_text(axes)));
}

void expect_range(const Node& node, const std::vector<Index>& axes, const Size& axis, Index size) {
    const Index high = axis.letter == "h" ? most_heads : largest_width;
    if (!axis.size && (size < 1 || size > high))
        fail_shape(node, fmt::format("with {} from 1 to {}", axis.letter, high), axes);
}

void expect_shape(const Node& node, const std::vector<Index>& axes,
                  const std::vector<Size>& shape) {
    if (!std::ranges::equal(axes, shape, fits)) fail_shape(node, shape_text(shape), axes);
    for (std::size_t k = 0; k < shape.size(); ++k) expect_range(node, axes, shape[k], axes[k]);
}

void expect_padded_shape(const Node& node, const std::vector<Index>& axes,
                         const std::vector<Size>& shape) {
    if (axes.size() < 2 || axes.size() > most_axes) fail_shape(node, "of 2 to 4 axes", axes);
    std::vector<Index> all(most_axes - axes.size(), 1);
    all.insert(all.end(), axes.begin(), axes.end());
    if (!std::ranges::equal(all, shape, fits)) fail_shape(node, shape_text(shape), axes);
    for (std::size_t k = 0; k < shape.size(); ++k) expect_range(node, axes, shape[k], all[k]);
}

Array read_judged(const Node& node, const Reading& reading, const JudgeAxes& judge,
                  bool of_mask = false) {
    if (!node.json.is_array() && !node.json.is_string())
        fail(node, fmt::format("nested lists of {} or the name of a tensor file",
                               of_mask ? "true and false" : "numbers"));
    try {
        Array array = node.json.is_array() ? Lists(node, of_mask).read()
                                           : reading.named_array(read_label(node), judge, of_mask);
        judge(array.axes);
        return array;
    } catch (const InputError& error) {
        if (!error.place.empty()) throw;
        throw InputError(node.place, error.what());
    }
}

}  // namespace

Array read_array(const Node& node, const Reading& reading, const std::vector<Size>& shape) {
    return read_judged(node, reading, [&](const auto& axes) { expect_shape(node, axes, shape); });
}

Array read_padded_array(const Node& node, const Reading& reading, const std::vector<Size>& shape) {
    return read_judged(node, reading,
                       [&](const auto& axes) { expect_padded_shape(node, axes, shape); });
}

Array read_mask_array(const Node& node, const Reading& reading, const Shape& shape, bool of_mask) {
    const auto judge = [&](const std::vector<Index>& axes) {
        const Index most[] = {shape.b, shape.h, shape.n_q, shape.n_k};
        bool fits = axes.size() >= 2 && axes.size() <= most_axes;
        for (std::size_t k = 0; fits && k < axes.size(); ++k) {
            const std::size_t axis = k + most_axes - axes.size();
            fits = axes[k] == most[axis] || (axis < 2 && axes[k] == 1);
        }
        if (!fits)
            fail_shape(node,
                       fmt::format("[{0}, {1}], [{2}, {0}, {1}] or [{3}, {2}, {0}, {1}] (1 stands "
                                   "for all heads or sequences)",
                                   shape.n_q, shape.n_k, shape.h, shape.b),
                       axes);
    };
    return read_judged(node, reading, judge, of_mask);
}

AttendedTokens tokens_of(const Scene& scene) {
    const Shape shape = shape_of(scene);
    return {shape.b, shape.n_q, shape.n_k, !is_self_attention(scene), &scene};
}

std::string read_expression(const Node& node) {
    const std::string text = read_text(node);
    if (text.size() > most_expression_bytes)
        throw InputError(node.place, fmt::format("expected at most {} bytes, got {}",
                                                 most_expression_bytes, text.size()));
    try {
        (void)Expression(text);
    } catch (const InputError& error) {
        throw InputError(node.place, error.what());
    }
    return text;
}

namespace {

// Returns the lists of axis `axis`; `next` is the index of the first number in them.
Json lists(const Array& array, std::size_t axis, std::size_t& next) {
    Json list = Json::array();
    auto& items = list.get_ref<Json::array_t&>();
    items.reserve(static_cast<std::size_t>(array.axes[axis]));
    for (Index k = 0; k < array.axes[axis]; ++k) {
        if (axis + 1 == array.axes.size() && array.truths)
            items.push_back((*array.values)[next++] != 0);
        else if (axis + 1 == array.axes.size())
            items.push_back(number_to_json((*array.values)[next++]));
        else
            items.push_back(lists(array, axis + 1, next));
    }
    return list;
}

}  // namespace

Json array_to_json(const Array& array) {
    if (!array.file.empty()) return array.file;
    std::size_t next = 0;
    return array.axes.empty() ? Json::array() : lists(array, 0, next);
}

}  // namespace maskscope
