#pragma once
// The pieces of a script. Each returns whole lines.

#include <string>
#include <vector>

#include "core/result/result.h"

namespace maskscope::python {

// What one layer of attention works on: a variant over inputs, between these tokens [b][n].
struct LayerScript {
    const Inputs& inputs;
    const Variant& variant;
    const std::string& pad_token;
    std::vector<std::vector<std::string>> queries, keys;
    Shape shape;
    std::vector<Index> starts = {};  // [b]: the position of the first query; empty = 0
    Index depth = 0;                 // 0 = the last layer
    bool grows = false;  // sizes differ from step to step: what lies beyond n_q, n_k is not read
};

// Do queries of some sequence begin behind its first key? Then `p` holds positions, else `i` does.
bool is_shifted(const LayerScript& layer);

// The functions that the inputs and the variant need: seeded numbers, readers of tensor files.
std::string helpers(const Inputs& inputs, const Variant& variant);

// Tokens, sizes, and q, k, v, or scores, or softmax; the layers before are computed first.
std::string inputs_lines(const LayerScript& layer);

// `allowed`, and `bias` if a layer adds one.
std::string mask_lines(const LayerScript& layer);

// From q, k, v, scores or softmax to weights and output.
std::string attention_lines(const LayerScript& layer);

// inputs_lines, mask_lines, attention_lines.
std::string layer_lines(const LayerScript& layer);

// Where frameworks disagree, as comments.
std::string notes(const LayerScript& layer, bool has_empty_row);

// An array of the scene, rounded to `dtype`; and a seeded one in float64.
std::string array(const Array& array, Dtype dtype);
std::string seeded(std::uint64_t seed, const std::string& stream, const std::string& shape);

bool has_bias(const Mask& mask);

}  // namespace maskscope::python
