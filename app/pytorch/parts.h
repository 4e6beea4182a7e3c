#pragma once
// The pieces of a script. Each function returns whole lines unless it says otherwise.

#include <string>
#include <string_view>
#include <vector>

#include "core/result/result.h"
#include "core/scene/scene.h"

namespace maskscope::python {

// The input for writing one layer of attention: a variant and its inputs, with tokens as [b][n].
struct LayerScript {
    const Inputs& inputs;
    const Variant& variant;
    const std::string& pad_token;
    std::vector<std::vector<std::string>> queries, keys;
    Shape shape;
    std::vector<Index> starts = {};  // [b]: the position of the first query; empty = 0
    Index depth = 0;                 // 0 = the last layer
    // [b][n]: the listed positions of queries and keys, if any; and whether mask rules use them.
    std::vector<std::vector<Index>> positions = {}, key_positions = {};
    bool rules_see_lists = false;
    bool grows = false;  // sizes differ from step to step: read nothing beyond n_q, n_k
};

// True if the queries of some sequence begin after its first key, or have listed positions. Then
// `p` holds their positions, otherwise `i` does.
bool is_shifted(const LayerScript& layer);
// True if `r` holds the positions of keys; otherwise `j` does.
bool lists_keys(const LayerScript& layer);

// Returns a part that is the same in all scripts: assets/python/parts/NAME.py. Throws Error.
std::string part(std::string_view name);
// Indents lines by four spaces; empty lines stay empty.
std::string indented(const std::string& lines);

// Writes the functions that the inputs and the variant need: seeded numbers, readers of tensor
// files.
std::string helpers(const Inputs& inputs, const Variant& variant);

// Writes tokens and sizes; then q, k and v, or scores, or the softmax output, after the earlier
// layers.
std::string inputs_lines(const LayerScript& layer);

// Writes a formula as calls on tensors of float64.
std::string expression_text(const LayerScript& layer, const std::string& expression);

// Writes `allowed`, and `bias` if a rule adds one.
std::string mask_lines(const LayerScript& layer);

// Writes the lines that lead from q, k and v, scores, or the softmax output to weights and output.
std::string attention_lines(const LayerScript& layer);

// Writes inputs_lines(), mask_lines() and attention_lines().
std::string layer_lines(const LayerScript& layer);

// Writes comments on where frameworks disagree.
std::string notes(const LayerScript& layer, bool has_empty_row);

// Writes an expression for the array as [b, h, n, d]; missing leading axes have size 1.
std::string with_four_axes(const Array& array, const std::string& text);
// Writes a list of lists of numbers.
std::string lists(const std::vector<std::vector<Index>>& lists);

// Write an array of the scene, rounded to `dtype`, and a seeded array in float64.
std::string array(const Array& array, Dtype dtype);
std::string seeded(std::uint64_t seed, const std::string& stream, const std::string& shape);

bool has_bias(const Mask& mask);

// Returns the input for a variant without a model. labels: the result with its tokens and shape.
LayerScript layer_script(const Scene& scene, int variant, const VariantResult& labels);

// Writes the title, `what` the script is (comment lines, without their first "# "), imports, and
// the functions that the inputs and the variant need.
std::string script_head(const Scene& scene, int variant, const std::string& what);

// Writes a whole pass of a model, beginning with the definition of `inf`. The pass reads the
// model's file beside the script, and defines weights, output and translation.
std::string model_lines(const Result& result, int variant);

// Write Python expressions.

std::string string_literal(std::string_view text);  // "…", with \ and " escaped
// Writes the shortest text that is read back as the same double; nan, inf and -inf as the script
// names them.
std::string number(double value);
std::string indices(const std::vector<Index>& values);        // [0, 2]
std::string strings(const std::vector<std::string>& values);  // ["a", "b"]
// Writes [[1, 2], [3, 4]]. Numbers that are rounded to float32 anyway get the shortest texts that
// round to the same float32.
std::string nested(const double* values, const std::vector<Index>& axes, Dtype dtype);

}  // namespace maskscope::python
