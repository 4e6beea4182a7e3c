#include "core/tensors/tensor_list.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <string_view>

#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/files/file.h"
#include "core/files/input_file.h"
#include "core/tensors/tensor_formats.h"

namespace maskscope {

namespace {

namespace fs = std::filesystem;
using Numbers = ListedTensor::Numbers;

constexpr std::string_view index_ending = ".safetensors.index.json";
constexpr std::size_t longest_index = std::size_t{1} << 26;  // bytes

std::string extension_in(const fs::path& file) { return file.extension().string(); }

Numbers numbers_of(std::optional<FileNumber> type) {
    if (!type) return Numbers::other;
    if (is_float(*type)) return Numbers::floats;
    return *type == FileNumber::boolean ? Numbers::truths : Numbers::integers;
}

ListedTensor listed(const std::string& name, const fs::path& file, const NpyHeader& header) {
    return {name, file, header.dtype, header.axes, numbers_of(npy_number(header.dtype))};
}

TensorList list_safetensors(const fs::path& path) {
    SafetensorsHeader header = read_safetensors_header(InputFile(path));
    TensorList list{{}, std::move(header.metadata)};
    for (SafetensorsEntry& entry : header.entries)
        list.tensors.push_back({std::move(entry.name), path, entry.dtype, std::move(entry.axes),
                                numbers_of(safetensors_number(entry.dtype))});
    return list;
}

// Returns the names that an index gives to each of its shards.
std::map<std::string, std::vector<std::string>> shards_in(const fs::path& index) {
    const std::string text = read_file(index, longest_index);
    const Json json = parse_json(text);
    if (!json.is_object() || !json.contains("weight_map") || !json["weight_map"].is_object())
        throw InputError("", "has no object \"weight_map\"");
    std::map<std::string, std::vector<std::string>> shards;
    for (const auto& [name, shard] : json["weight_map"].items()) {
        if (!shard.is_string())
            throw InputError("", "its \"weight_map\" contains an entry that is not a string");
        const std::string file = shard.get<std::string>();
        if (fs::path(file).filename() != file || !file.ends_with(".safetensors"))
            throw InputError("", "its \"weight_map\" names " + printable(file) +
                                     "; expected a .safetensors file beside it");
        shards[file].push_back(name);
    }
    return shards;
}

TensorList list_shard(const fs::path& path) {
    try {
        return list_safetensors(path);
    } catch (const InputError& error) {
        throw InputError("", path.filename().string() + ": " + error.what());
    }
}

TensorList list_index(const fs::path& path) {
    TensorList all;
    for (auto& [file, names] : shards_in(path)) {
        TensorList shard = list_shard(path.parent_path() / file);
        all.metadata.merge(shard.metadata);
        std::ranges::sort(names);
        std::size_t found = 0;
        for (ListedTensor& tensor : shard.tensors) {
            if (!std::ranges::binary_search(names, tensor.name)) continue;
            all.tensors.push_back(std::move(tensor));
            ++found;
        }
        if (found < names.size())
            throw InputError("", file + ": does not hold all tensors that the index names");
    }
    return all;
}

}  // namespace

bool holds_tensors(const fs::path& file) {
    const std::string extension = extension_in(file);
    return extension == ".npy" || extension == ".npz" || extension == ".safetensors" ||
           file.string().ends_with(index_ending);
}

TensorList list_tensors(const fs::path& path) {
    const std::string extension = extension_in(path);
    if (extension == ".json") return list_index(path);
    if (extension == ".safetensors") return list_safetensors(path);
    const InputFile file(path);
    TensorList list;
    if (extension == ".npz") {
        for (const NpzEntry& entry : list_npz(file))
            list.tensors.push_back(listed(entry.name, path, entry.header));
        return list;
    }
    FileReader reader(file, 0, file.size());
    list.tensors.push_back(listed(path.stem().string(), path, read_npy_header(reader)));
    return list;
}

Array read_part(const ListedTensor& tensor, const std::vector<Index>& at) {
    const std::string extension = extension_in(tensor.file);
    const InputFile file(tensor.file);
    if (extension == ".safetensors") return read_safetensors_part(file, tensor.name, at);
    if (extension == ".npz") return read_npz_part(file, tensor.name, at);
    FileReader reader(file, 0, file.size());
    return read_npy_part(reader, at);
}

std::string reference_to(const ListedTensor& tensor) {
    const std::string file = tensor.file.filename().string();
    return file.ends_with(".npy") ? file : file + ":" + tensor.name;
}

std::string safetensors_bytes(const std::vector<std::pair<std::string, Array>>& tensors) {
    static_assert(std::endian::native == std::endian::little,
                  "numbers are written in native byte order");
    const auto is_float32 = [](double x) {
        return !std::isfinite(x) || (std::abs(x) <= std::numeric_limits<float>::max() &&
                                     static_cast<double>(static_cast<float>(x)) == x);
    };
    Json header = Json::object();
    std::string numbers;
    for (const auto& [name, array] : tensors) {
        const bool short_numbers = std::ranges::all_of(array.values->view(), is_float32);
        const std::size_t begin = numbers.size(), size = short_numbers ? 4 : 8;
        numbers.resize(begin + array.values->size() * size);
        char* to = numbers.data() + begin;
        for (const double x : array.values->view()) {
            if (short_numbers) {
                const auto single = static_cast<float>(x);
                std::memcpy(to, &single, size);
            } else {
                std::memcpy(to, &x, size);
            }
            to += size;
        }
        header[name] = {{"dtype", short_numbers ? "F32" : "F64"},
                        {"shape", array.axes},
                        {"data_offsets", {begin, numbers.size()}}};
    }
    std::string text = header.dump();
    text.append((8 - text.size() % 8) % 8, ' ');  // the numbers start at a multiple of 8 bytes
    std::string bytes;
    for (std::size_t k = 0; k < 8; ++k) bytes += static_cast<char>(text.size() >> (8 * k) & 0xff);
    return bytes + text + numbers;
}

}  // namespace maskscope
