#include "app/session/files/tensor_copies.h"

#include <algorithm>
#include <system_error>

#include "core/base/error.h"
#include "core/files/input_file.h"
#include "core/format/model_file.h"
#include "core/tensors/tensor_file.h"

namespace maskscope {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t piece = std::size_t{1} << 20;  // bytes that are compared at a time

// --- which files

class Files {
public:
    explicit Files(const Scene& scene) {
        std::visit([&](const auto& inputs) { add(inputs); }, scene.inputs);
        for (const Variant& variant : scene.variants) add(variant);
    }
    void add(const Array& array) {
        if (array.file.empty()) return;
        arrays.push_back(array);
        const std::string file = file_of_reference(array.file);
        if (std::ranges::find(names, file) == names.end()) names.push_back(file);
    }
    void add(const std::optional<Array>& array) {
        if (array) add(*array);
    }
    void add(const Variant& variant) {
        for (const auto* array : {&variant.score.matrix, &variant.score.w_q, &variant.score.w_k,
                                  &variant.score.w_v, &variant.output.w})
            add(*array);
    }
    void add(const LayerBefore& layer) {
        std::visit([&](const auto& inputs) { add(inputs); }, layer.inputs);
        add(layer.variant);
    }
    void add(const EmbeddingInputs&) {}
    void add(const PatternsInputs&) {}
    void add(const TensorsInputs& inputs) {
        add(inputs.queries);
        add(inputs.keys);
        add(inputs.values);
    }
    void add(const ScoresInputs& inputs) {
        add(inputs.scores);
        add(inputs.values);
    }
    void add(const WeightsInputs& inputs) {
        add(inputs.weights);
        add(inputs.values);
    }
    void add(const ModelInputs& inputs) {
        if (!inputs.model.ends_with(".safetensors")) return;
        names.push_back(inputs.model);
        models.push_back(inputs);
    }
    void add(const OutputInputs& inputs) {
        add(*inputs.of);
        if (inputs.keys) add(**inputs.keys);
    }

    std::vector<std::string> names;
    std::vector<Array> arrays;
    std::vector<ModelInputs> models;
};

// --- their bytes

[[noreturn]] void fail(const fs::path& file, const std::string& why) {
    throw at_file(file.string(), WorkError(why));
}

// Piece by piece: a file may be larger than memory.
bool same_bytes(const fs::path& x, const fs::path& y) try {
    std::error_code error;
    if (fs::equivalent(x, y, error)) return true;
    const InputFile first(x), second(y);
    if (first.size() != second.size()) return false;
    std::vector<char> a(piece), b(piece);
    for (std::uint64_t at = 0; at < first.size(); at += piece) {
        const std::size_t count = first.read(at, a.data(), piece);
        if (second.read(at, b.data(), piece) != count) return false;
        if (!std::equal(a.begin(), a.begin() + std::ptrdiff_t(count), b.begin())) return false;
    }
    return true;
} catch (const InputError&) {
    return false;
}

void rename_file(const fs::path& from, const fs::path& to) {
    std::error_code error;
    fs::rename(from, to, error);
    if (error) fail(to, error.message());
}

}  // namespace

std::vector<std::string> tensor_files(const Scene& scene) { return Files(scene).names; }

std::string changed_tensor_file(const Scene& scene, const fs::path& folder) {
    const Files files(scene);
    for (const Array& array : files.arrays) try {
            if (read_tensor(array.file, folder) != array) return file_of_reference(array.file);
        } catch (const InputError&) {
            return file_of_reference(array.file);
        }
    for (const ModelInputs& inputs : files.models) try {
            if (read_model(inputs.model, folder) != inputs.loaded) return inputs.model;
        } catch (const InputError&) {
            return inputs.model;
        }
    return "";
}

Copies::Copies(const std::vector<std::string>& files, const fs::path& from, const fs::path& to)
    : to_(to) {
    for (const std::string& file : files) {
        std::error_code none;
        Copy copy{from / file, to / file};
        if (!fs::exists(copy.source, none)) fail(copy.source, "No such file or directory");
        const bool stands =
            fs::symlink_status(copy.target, none).type() != fs::file_type::not_found;
        if (fs::is_directory(copy.target, none)) fail(copy.target, "is a directory");
        if (stands && same_bytes(copy.source, copy.target)) continue;
        copy.replaces = stands;
        copies_.push_back(std::move(copy));
    }
}

Copies::~Copies() {
    if (!kept_) take_back();
}

std::vector<std::string> Copies::conflicts() const {
    std::vector<std::string> names;
    for (const Copy& copy : copies_)
        if (copy.replaces) names.push_back(copy.target.string());
    return names;
}

fs::path Copies::staged(std::size_t k) const {
    return staging_->path() / ("new-" + std::to_string(k));
}
fs::path Copies::old(std::size_t k) const {
    return staging_->path() / ("old-" + std::to_string(k));
}

void Copies::put_in_place() {
    if (copies_.empty()) return;
    stage();
    for (std::size_t k = 0; k < copies_.size(); ++k) place(k);
}

void Copies::keep() { kept_ = true; }

// All bytes are written before any existing file is touched, so a full disk fails here.
void Copies::stage() {
    try {
        staging_.emplace(to_);
    } catch (const WorkError& error) {
        fail(to_, error.what());
    }
    for (std::size_t k = 0; k < copies_.size(); ++k) {
        std::error_code error;
        fs::copy_file(copies_[k].source, staged(k), error);
        if (!error)  // the copy of a file that may only be read is no such file
            fs::permissions(staged(k), fs::perms::owner_write, fs::perm_options::add, error);
        if (error) fail(copies_[k].target, error.message());
    }
    sync_files(staging_->path());
}

void Copies::place(std::size_t k) {
    Copy& copy = copies_[k];
    make_folders(copy.target.parent_path());
    if (copy.replaces) {
        std::error_code no_links;  // on this file system; then it is missing for a moment
        fs::create_hard_link(copy.target, old(k), no_links);
        if (no_links) rename_file(copy.target, old(k));
        copy.set_aside = true;
    }
    std::error_code no_link;
    if (!copy.replaces) fs::create_hard_link(staged(k), copy.target, no_link);
    if (no_link == std::errc::file_exists) fail(copy.target, "exists already");
    if (copy.replaces || no_link) rename_file(staged(k), copy.target);
    copy.in_place = true;
}

void Copies::make_folders(const fs::path& folder) {
    std::error_code error;
    if (folder.empty() || fs::is_directory(folder, error)) return;
    make_folders(folder.parent_path());
    fs::create_directory(folder, error);
    if (error) fail(folder, error.message());
    made_folders_.push_back(folder);
}

void Copies::take_back() noexcept {
    std::error_code none;
    for (std::size_t k = copies_.size(); k-- > 0;) {
        const Copy& copy = copies_[k];
        if (copy.set_aside)
            fs::rename(old(k), copy.target, none);
        else if (copy.in_place)
            fs::remove(copy.target, none);
    }
    std::ranges::reverse(made_folders_);  // the innermost was made last
    for (const fs::path& folder : made_folders_) fs::remove(folder, none);
}

}  // namespace maskscope
