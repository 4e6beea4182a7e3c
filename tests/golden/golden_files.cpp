#include "tests/golden/golden_files.h"

#include <zip.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "core/base/build.h"
#include "core/format/scene_json.h"

namespace maskscope::golden {
namespace {

const std::filesystem::path folder = source_folder() + "/tests/data/golden";

std::string bytes_of(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    if (!in) throw std::runtime_error("missing: " + file.string());
    std::ostringstream bytes;
    bytes << in.rdbuf();
    return bytes.str();
}

std::filesystem::path variant_folder(const std::string& name, int variant) {
    return folder / name / ("variant-" + std::to_string(variant));
}

// Returns the .npy file of a stage, from the archive of the variant's stages; "" if there is none.
std::string npy_of(const std::string& name, int variant, const std::string& stage) {
    const std::string file = variant_folder(name, variant) / "stages.npz";
    int error = 0;
    zip_t* archive = zip_open(file.c_str(), ZIP_RDONLY, &error);
    if (archive == nullptr) throw std::runtime_error("no archive: " + file);
    std::string bytes;
    zip_stat_t entry;
    if (zip_stat(archive, (stage + ".npy").c_str(), 0, &entry) == 0) {
        bytes.resize(entry.size);
        zip_file_t* reader = zip_fopen_index(archive, entry.index, 0);
        zip_fread(reader, bytes.data(), bytes.size());
        zip_fclose(reader);
    }
    zip_discard(archive);
    return bytes;
}

// Returns the four numbers in "'shape': (1, 2, 6, 6), }".
std::vector<Index> shape_in(const std::string& header) {
    std::istringstream text(header.substr(header.find("'shape': (") + 10));
    std::vector<Index> axes(4);
    char comma = 0;
    for (Index& axis : axes)
        if (!(text >> axis >> comma)) throw std::runtime_error("not four axes: " + header);
    return axes;
}

void flatten(const nlohmann::json& json, std::vector<double>& numbers) {
    if (json.is_array())
        for (const nlohmann::json& part : json) flatten(part, numbers);
    else if (json.is_null())
        numbers.push_back(std::numeric_limits<double>::quiet_NaN());
    else
        numbers.push_back(json.is_boolean() ? double(json.get<bool>()) : json.get<double>());
}

}  // namespace

std::vector<std::string> scene_names() {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
        if (entry.is_directory()) names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
}

Scene read_golden_scene(const std::string& name) {
    return read_scene(bytes_of(folder / name / "scene.json"), folder / name);
}

Matrix Golden::head(Index at_b, Index at_h) const {
    return Eigen::Map<const Matrix>(numbers.data() + (at_b * h + at_h) * rows * columns, rows,
                                    columns);
}

bool has_golden(const std::string& name, int variant, const std::string& stage) {
    return !npy_of(name, variant, stage).empty();
}

// Reads .npy of version 1, in C order and little-endian, as NumPy wrote these files.
Golden read_golden(const std::string& name, int variant, const std::string& stage) {
    const std::string bytes = npy_of(name, variant, stage);
    const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(bytes.at(at)); };
    const std::size_t start = 10U + byte(8) + 256U * byte(9);
    const std::string header = bytes.substr(10, start - 10);
    const std::vector<Index> axes = shape_in(header);
    Golden golden{axes[0], axes[1], axes[2], axes[3], {}};
    const auto count = static_cast<std::size_t>(axes[0] * axes[1] * axes[2] * axes[3]);
    if (header.find("'|b1'") != std::string::npos) {
        for (std::size_t k = 0; k < count; ++k) golden.numbers.push_back(byte(start + k));
    } else {
        golden.numbers.resize(count);
        if (bytes.size() != start + 8 * count) throw std::runtime_error("size of " + name);
        std::memcpy(golden.numbers.data(), bytes.data() + start, 8 * count);
    }
    return golden;
}

namespace {

nlohmann::json summary_of(const std::string& name, int variant) {
    return nlohmann::json::parse(bytes_of(variant_folder(name, variant) / "summary.json"));
}

}  // namespace

bool has_figure(const std::string& name, int variant, const std::string& figure) {
    return summary_of(name, variant).contains(figure);
}

std::vector<double> read_figure(const std::string& name, int variant, const std::string& figure) {
    std::vector<double> numbers;
    flatten(summary_of(name, variant).at(figure), numbers);
    return numbers;
}

}  // namespace maskscope::golden
