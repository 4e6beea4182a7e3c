#pragma once
// The pieces of a script. Each returns whole lines.

#include <string>
#include <vector>

#include "core/result/result.h"

namespace maskscope::python {

// The input of one layer of attention: a variant over inputs, between these tokens [b][n].
struct LayerScript {
    const Inputs& inputs;
    const Variant& variant;
    const std::string& pad_token;
    std::vector<std::vector<std::string>> queries, keys;
    Shape shape;
    std::vector<Index> starts = {};  // [b]: the position of the first query; empty = 0
    Index depth = 0;                 // 0 = the last layer
    // [b][n]: where queries and keys stand, if that is listed; and whether rules see it.
    std::vector<std::vector<Index>> positions = {}, key_positions = {};
    bool rules_see_lists = false;
    bool grows = false;  // sizes differ from step to step: what lies beyond n_q, n_k is not read
};

// Do queries of some sequence begin behind its first key, or where a list says? Then `p` holds
// positions, else `i` does.
bool is_shifted(const LayerScript& layer);
// Then `r` holds those of keys, else `j` does.
bool lists_keys(const LayerScript& layer);

// The functions that the inputs and the variant need: seeded numbers, readers of tensor files.
std::string helpers(const Inputs& inputs, const Variant& variant);

// Tokens, sizes, and q, k, v, or scores, or softmax; the layers before are computed first.
std::string inputs_lines(const LayerScript& layer);

// A formula as calls on tensors of float64.
std::string expression_text(const LayerScript& layer, const std::string& expression);

// `allowed`, and `bias` if a layer adds one.
std::string mask_lines(const LayerScript& layer);

// From q, k, v, scores or softmax to weights and output.
std::string attention_lines(const LayerScript& layer);

// inputs_lines, mask_lines, attention_lines.
std::string layer_lines(const LayerScript& layer);

// Where frameworks disagree, as comments.
std::string notes(const LayerScript& layer, bool has_empty_row);

// [b, h, n, d]: missing leading axes are 1.
std::string with_four_axes(const Array& array, const std::string& text);
// A list of lists of numbers.
std::string lists(const std::vector<std::vector<Index>>& lists);

// An array of the scene, rounded to `dtype`; and a seeded one in float64.
std::string array(const Array& array, Dtype dtype);
std::string seeded(std::uint64_t seed, const std::string& stream, const std::string& shape);

bool has_bias(const Mask& mask);

// For a variant without a model. labels: those of its tokens, and its shape.
LayerScript layer_script(const Scene& scene, int variant, const VariantResult& labels);

// The title, what the script is (lines of a comment, from the second word on), imports, and the
// functions that the inputs and the variant need.
std::string script_head(const Scene& scene, int variant, const std::string& what);

}  // namespace maskscope::python
