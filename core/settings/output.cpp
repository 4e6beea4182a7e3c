#include <nlohmann/json.hpp>

#include "core/settings/parts.h"

namespace maskscope {

namespace {

bool has_values(const Inputs& inputs, const Variant&) { return d_v_of(inputs).has_value(); }

void expect_output(const Node& kind, OutputKind output, const Inputs& inputs) {
    if (output == OutputKind::values) return;
    if (is_trained(inputs)) throw InputError(kind.place, "a model's output is \"values\"");
    const std::string word = in_quotes(name(output));
    if (!d_v_of(inputs))
        throw InputError(kind.place, word + " needs values, but these inputs have none");
    if (output == OutputKind::alternative && !d_k_of(inputs))
        throw InputError(kind.place, word + " needs a d_k, but these inputs have none");
}

void read_output(const Node& node, const VariantPlace& place, Variant& variant) {
    Output& output = variant.output;
    const Node kind = require(node, "kind");
    output.kind = read_name<OutputKind>(kind);
    expect_output(kind, output.kind, place.inputs);
    if (output.kind == OutputKind::values) return expect_keys(node, {"kind"});
    expect_keys(node, {"kind", "w"});
    const Index d_v = d_v_of(place.inputs).value();
    const Size rows = {"h·d_v", heads_of(place.inputs) * d_v};
    const bool projected = output.kind == OutputKind::projected;
    const std::vector<Size> shape =
        projected ? std::vector<Size>{rows, {"d_out"}} : std::vector<Size>{{"d_out"}, {"d_v", d_v}};
    if (const auto w = find(node, "w")) output.w = read_array(*w, place.reading, shape);
}

Json write_output(const Variant& variant, const WriteArray& array) {
    const Output& output = variant.output;
    Json json = {{"kind", name(output.kind)}};
    if (output.kind != OutputKind::values && output.w) json["w"] = array(*output.w);
    return json;
}

// True if W is the identity. The setting's words then leave it out, and name only the division.
bool is_identity(const std::optional<Array>& w) {
    if (!w || w->axes.size() != 2 || w->axes[0] != w->axes[1]) return false;
    const Index side = w->axes[0];
    for (Index i = 0; i < side; ++i)
        for (Index j = 0; j < side; ++j)
            if ((*w->values)[static_cast<std::size_t>(i * side + j)] != (i == j ? 1 : 0))
                return false;
    return true;
}

std::vector<Operation> output_operations(const Variant& variant) {
    std::vector<Operation> operations{{StageKind::output, 0, "· V"}};
    if (variant.output.kind == OutputKind::projected)
        operations.push_back({StageKind::output, 1, "W"});
    if (variant.output.kind == OutputKind::alternative)
        operations.push_back(
            {StageKind::output, 1, is_identity(variant.output.w) ? "× 1/√d" : "· Wᵀ/√d"});
    return operations;
}

std::string conflict_of_output(const Scene& scene, const Variant& variant) {
    const OutputKind kind = variant.output.kind;
    if (kind == OutputKind::values) return "";
    if (!d_v_of(scene.inputs)) return "These inputs have no values, so there is no output.";
    if (kind == OutputKind::alternative && !d_k_of(scene.inputs))
        return "The alternative divides by √d_k, but these inputs have no d_k.";
    return is_trained(scene.inputs)
               ? "This model's output cannot be changed; it is always the weighted values."
               : "";
}

}  // namespace

Setting output_setting() {
    return {
        .key = "output",
        .label = "output",
        .undo = "change the output",
        .prefix = "output ",
        .has_effect = has_values,
        .read = read_output,
        .write = write_output,
        .words = [](const Variant& v) { return std::string(name(v.output.kind)); },
        .described = [](const Variant& v) { return "output " + std::string(name(v.output.kind)); },
        .operations = output_operations,
        .choices = all_choices<&Output::kind, true>,
        .settle =
            [](const Inputs&, const Variant& before, Variant& now) {
                if (now.output.kind != before.output.kind)
                    now.output = {now.output.kind, std::nullopt};
            },
        .conflict = conflict_of_output};
}

}  // namespace maskscope
