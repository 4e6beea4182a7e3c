#pragma once
// Makes files of tensors like those recorded from models.

#include <gtest/gtest.h>

#include <bit>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/dump/dump_scene.h"
#include "core/files/file.h"
#include "tests/support/folder.h"

namespace maskscope {

namespace fs = std::filesystem;

struct MadeTensor {
    std::string dtype;  // F32, I64 or BOOL
    std::vector<Index> axes;
    std::vector<double> numbers{};  // empty: 0, 0.25, … 1.5, repeated
};

inline Index count_in(const std::vector<Index>& axes) {
    Index count = 1;
    for (const Index axis : axes) count *= axis;
    return count;
}

// Returns the bytes of a .safetensors file that contains `tensors` in this order.
inline std::string dump_bytes(const std::vector<std::pair<std::string, MadeTensor>>& tensors,
                              const std::map<std::string, std::string>& metadata = {}) {
    Json header = Json::object();
    if (!metadata.empty()) header["__metadata__"] = metadata;
    std::string numbers;
    for (const auto& [name, made] : tensors) {
        const std::size_t begin = numbers.size();
        for (Index k = 0; k < count_in(made.axes); ++k) {
            const double x =
                made.numbers.empty() ? static_cast<double>(k % 7) / 4 : made.numbers.at(k);
            const std::size_t size = made.dtype == "F32" ? 4 : made.dtype == "I64" ? 8 : 1;
            const std::uint64_t bits =
                size == 4 ? std::bit_cast<std::uint32_t>(static_cast<float>(x))
                          : static_cast<std::uint64_t>(static_cast<std::int64_t>(x));
            for (std::size_t b = 0; b < size; ++b)
                numbers += static_cast<char>(bits >> (8 * b) & 0xff);
        }
        header[name] = {
            {"dtype", made.dtype}, {"shape", made.axes}, {"data_offsets", {begin, numbers.size()}}};
    }
    const std::string text = header.dump();
    std::string bytes;
    for (std::size_t b = 0; b < 8; ++b) bytes += static_cast<char>(text.size() >> (8 * b) & 0xff);
    return bytes + text + numbers;
}

// Returns a causal rule for queries that are the last of the tokens, or all of them.
inline MaskLayer causal_layer() {
    MaskLayer layer;
    layer.align = Align::bottom_right;
    return layer;
}

class DumpFiles : public ::testing::Test {
protected:
    const Dump& open(const std::string& file, const std::string& bytes) {
        replace_file(folder / file, bytes);
        dump = read_dump(folder / file);
        return dump;
    }
    const Dump& open(const std::vector<std::pair<std::string, MadeTensor>>& tensors,
                     const std::map<std::string, std::string>& metadata = {}) {
        return open("a.safetensors", dump_bytes(tensors, metadata));
    }
    DumpPlan plan() const { return plan_of(dump, choice); }
    TensorRole guess(const std::string& name) const {
        for (const DumpTensor& tensor : dump.tensors)
            if (tensor.tensor.name == name) return tensor.guess;
        ADD_FAILURE() << "there is no " << name;
        return TensorRole::none;
    }
    const DumpTensor& tensor(const std::string& name) const {
        for (const DumpTensor& one : dump.tensors)
            if (one.tensor.name == name) return one;
        throw std::logic_error("there is no " + name);
    }
    DumpScene made() const { return scene_of(dump, plan(), copies); }

    Folder folder, copies;
    Dump dump;
    DumpChoice choice;
};

}  // namespace maskscope
