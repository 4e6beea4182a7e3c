#pragma once
// Reads arrays from JSON, in a context that holds everything a scene needs besides its text: files,
// and the tokens of the queries and keys. All functions throw InputError.

#include <functional>

#include "core/json/json_read.h"
#include "core/scene/scene.h"
#include "core/tensors/tensor_file.h"

namespace maskscope {

// The context in which a scene is read.
struct Reading {
    // Returns the array that a string names: "qkv.npz:q". The caller checks its axes, too, but
    // checking them here avoids reading a wrong array. of_mask: Booleans and integers are read too.
    std::function<Array(const std::string&, const JudgeAxes&, bool of_mask)> named_array;
    // Returns the tokens that a string stands for; no function is set if tokens are always lists.
    std::function<TokenList(const std::string&)> named_tokens{};
    // Returns the model of this name, or in this file.
    std::function<SharedValue<Model>(const std::string&)> named_model;
    bool judge_show = true;  // check that `show` refers to things that exist
    int layers = 1;          // layers read so far, at most 4
};

// The tokens of the queries and keys: their padded numbers, and whether keys have their own.
struct AttendedTokens {
    Index b = 1, n_q = 1, n_k = 1;
    bool own_keys = false;
    const Scene* scene = nullptr;  // its sequences and pad token are read
};
AttendedTokens tokens_of(const Scene& scene);

// One axis of the shape that an array must have; without `size` any size up to a limit is allowed.
struct Size {
    std::string letter;
    std::optional<Index> size = std::nullopt;
};
// Reads nested lists or a named array with exactly these axes.
Array read_array(const Node& node, const Reading& reading, const std::vector<Size>& shape);
// Reads the same with two to four axes; missing leading ones have size 1.
Array read_padded_array(const Node& node, const Reading& reading, const std::vector<Size>& shape);
// Reads [n_q, n_k], [h, n_q, n_k] or [b, h, n_q, n_k], where h and b may be 1; of_mask: Booleans,
// and integers or floats in files.
Array read_mask_array(const Node& node, const Reading& reading, const Shape& shape, bool of_mask);

// Returns the text of a formula, which must be valid.
std::string read_expression(const Node& node);

// Returns the array as written in the file: nested lists, or the name of its tensor.
Json array_to_json(const Array& array);

}  // namespace maskscope
