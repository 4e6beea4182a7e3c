// Writes the helper functions at the top of a script that its scene needs.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/pytorch/parts.h"
#include "core/base/build.h"
#include "core/files/file.h"
#include "core/scene/names.h"
#include "core/tensors/tensor_file.h"

namespace maskscope::python {

namespace {

constexpr std::string_view folder_line =
    R"(folder = os.path.dirname(os.path.abspath(__file__)) if "__file__" in globals() else "."


)";

// Changes the helper's text to read masks, whose integers become Booleans.
std::string of_truths(std::string text) {
    replace_all(text, R"({"f2": torch.float16, "f4": torch.float32, "f8": torch.float64}[)",
                R"({"f2": torch.float16, "f4": torch.float32, "f8": torch.float64,
            "b1": torch.uint8, "u1": torch.uint8, "i1": torch.int8, "u2": torch.int16,
            "i2": torch.int16, "u4": torch.int32, "i4": torch.int32, "u8": torch.int64,
            "i8": torch.int64}[)");
    replace_all(text, "torch.finfo(kind).bits // 8", "int(header[\"descr\"][2:])");
    replace_all(text, R"("F32": torch.float32, "F64": torch.float64}[)",
                R"("F32": torch.float32, "F64": torch.float64,
            "BOOL": torch.uint8, "U8": torch.uint8, "I8": torch.int8, "U16": torch.int16,
            "I16": torch.int16, "U32": torch.int32, "I32": torch.int32, "U64": torch.int64,
            "I64": torch.int64}[)");
    return text;
}

struct Needs {
    bool seeded = false, files = false, truths = false, formulas = false;
};

bool has_formula(const std::vector<MaskLayer>& layers) {
    return std::ranges::any_of(layers, [](const MaskLayer& layer) {
        return !layer.expression.empty() || has_formula(layer.layers);
    });
}

void add_array(const std::optional<Array>& numbers, Needs& needs) {
    if (numbers && !numbers->file.empty()) needs.files = true;
}

void add_layers(const std::vector<MaskLayer>& layers, Needs& needs) {
    for (const MaskLayer& layer : layers) {
        add_array(layer.tensor, needs);
        if (layer.tensor && !layer.tensor->file.empty() && layer.tensor->truths)
            needs.truths = true;
        add_layers(layer.layers, needs);
    }
}

void add_variant(const Inputs& inputs, const Variant& variant, Needs& needs) {
    const Score& score = variant.score;
    if (has_formula(variant.mask.layers) || variant.scale.kind == ScaleKind::formula)
        needs.formulas = true;
    add_layers(variant.mask.layers, needs);
    for (const auto& given : {score.matrix, score.w_q, score.w_k, score.w_v, variant.output.w})
        add_array(given, needs);
    if (has_score(inputs)) {
        if (score.kind == ScoreKind::bilinear && !score.matrix) needs.seeded = true;
        if (score.kind == ScoreKind::additive && !score.w_q) needs.seeded = true;
    }
    if (variant.output.kind != OutputKind::values && !variant.output.w) needs.seeded = true;
}

void add_inputs(const Inputs& inputs, Needs& needs);

struct AddInputs {
    Needs& needs;
    void operator()(const EmbeddingInputs&) const { needs.seeded = true; }
    void operator()(const PatternsInputs&) const { needs.seeded = true; }
    void operator()(const TensorsInputs& inputs) const {
        add_array(inputs.queries, needs);
        add_array(inputs.keys, needs);
        add_array(inputs.values, needs);
    }
    void operator()(const ScoresInputs& inputs) const {
        add_array(inputs.scores, needs);
        add_array(inputs.values, needs);
    }
    void operator()(const WeightsInputs& inputs) const {
        add_array(inputs.weights, needs);
        add_array(inputs.values, needs);
    }
    void operator()(const auto&) const {}  // a model has its own script
    void operator()(const OutputInputs& inputs) const {
        add(*inputs.of);
        if (inputs.keys) add(**inputs.keys);
    }
    void add(const LayerBefore& layer) const {
        add_inputs(layer.inputs, needs);
        add_variant(layer.inputs, layer.variant, needs);
    }
};

void add_inputs(const Inputs& inputs, Needs& needs) { std::visit(AddInputs{needs}, inputs); }

// Writes "qkv.npz:q" as read("qkv.npz", "q").
std::string read_call(const std::string& reference) {
    const std::string file = file_of_reference(reference);
    if (file.size() == reference.size()) return fmt::format("read({})", string_literal(file));
    return fmt::format("read({}, {})", string_literal(file),
                       string_literal(reference.substr(file.size() + 1)));
}

}  // namespace

std::string part(std::string_view name) {
    return read_file(assets_folder() / fmt::format("python/parts/{}.py", name));
}

std::string indented(const std::string& lines) {
    std::string text;
    for (std::size_t at = 0; at < lines.size();) {
        const std::size_t end = std::min(lines.find('\n', at), lines.size());
        text += (end > at ? "    " : "") + lines.substr(at, end - at) + "\n";
        at = end + 1;
    }
    return text;
}

std::string helpers(const Inputs& inputs, const Variant& variant) {
    Needs needs;
    add_inputs(inputs, needs);
    add_variant(inputs, variant, needs);
    std::string lines;
    if (needs.seeded) lines += part("normal") + "\n\n";
    if (needs.formulas) lines += part("number") + "\n\n";
    if (needs.files) {
        lines += "import ast\nimport json\nimport os\nimport zipfile\n\n";
        lines += folder_line;
        for (const char* reader : {"read_npy", "read"})
            lines += (needs.truths ? of_truths(part(reader)) : part(reader)) + "\n\n";
    }
    return lines;
}

std::string array(const Array& numbers, Dtype dtype) {
    if (!numbers.file.empty()) return read_call(numbers.file);
    return fmt::format("torch.tensor(\n{}, dtype=torch.float64)",
                       nested(numbers.values->float64s().data(), numbers.axes, dtype));
}

std::string seeded(std::uint64_t seed, const std::string& stream, const std::string& shape) {
    return fmt::format("normal({}, {}, {})", seed, string_literal(stream), shape);
}

namespace {

// Appends the numbers as nested lists, axis by axis; advances `values`.
void append_nested(std::string& text, const double*& values, const Index* axis, const Index* end,
                   int depth, Dtype dtype) {
    if (axis == end) {
        const double value = *values++;
        const auto narrow = static_cast<float>(value);
        const bool shorter = dtype == Dtype::float32 && std::isfinite(narrow) && narrow == value;
        text += shorter ? fmt::format("{}", narrow) : number(value);
        return;
    }
    const bool rows = end - axis > 1;
    text += '[';
    for (Index k = 0; k < *axis; ++k) {
        if (k > 0) text += rows ? ",\n" + std::string(static_cast<std::size_t>(depth), ' ') : ", ";
        append_nested(text, values, axis + 1, end, depth + 1, dtype);
    }
    text += ']';
}

}  // namespace

std::string string_literal(std::string_view text) {
    std::string all = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') all += '\\';
        all += c;
    }
    return all + '"';
}

std::string number(double value) {
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
    return fmt::format("{}", value);
}

std::string indices(const std::vector<Index>& values) {
    return fmt::format("[{}]", fmt::join(values, ", "));
}

std::string strings(const std::vector<std::string>& values) {
    std::vector<std::string> all;
    for (const std::string& value : values) all.push_back(string_literal(value));
    return fmt::format("[{}]", fmt::join(all, ", "));
}

std::string nested(const double* values, const std::vector<Index>& axes, Dtype dtype) {
    std::string text;
    append_nested(text, values, axes.data(), axes.data() + axes.size(), 1, dtype);
    return text;
}

}  // namespace maskscope::python
