#pragma once
// Lists a file of tensors from its headers: no numbers are read, so that a file of many gigabytes
// is listed quickly. read_part() then reads any part of one tensor. All functions throw InputError
// without the name of the file (but with that of a shard), and with a place only within the JSON of
// an index.

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/scene/scene.h"

namespace maskscope {

struct ListedTensor {
    std::string name;            // for an .npy, the file's name without .npy
    std::filesystem::path file;  // for a sharded model, the shard that holds it
    std::string dtype;           // as the file writes it: "BF16", "<f4"; "" if it cannot be read
    std::vector<Index> axes;
    // The type of its numbers; those of `other` types cannot be read.
    enum class Numbers { floats, truths, integers, other } numbers = Numbers::other;
};

struct TensorList {
    std::vector<ListedTensor> tensors;            // in the order of the file
    std::map<std::string, std::string> metadata;  // for .safetensors
};

// True if list_tensors() accepts a file of this name: .npy, .npz, .safetensors, or the index of a
// sharded model, .safetensors.index.json.
bool holds_tensors(const std::filesystem::path& file);

// Lists a file. An index may name only files beside it.
TensorList list_tensors(const std::filesystem::path& file);

// Reads the numbers at these indices of the leading axes, and no others: at {3} of [12, 5, 64] is a
// [5, 64]. WorkError if they do not fit in memory.
Array read_part(const ListedTensor& tensor, const std::vector<Index>& at);

// Returns how a scene beside the tensor's file refers to it: "qkv.npz:q".
std::string reference_to(const ListedTensor& tensor);

// Returns the bytes of a .safetensors file of these tensors, each as F32 if that loses nothing,
// else as F64.
std::string safetensors_bytes(const std::vector<std::pair<std::string, Array>>& tensors);

}  // namespace maskscope
