#include "app/session/files/tensor_copies.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <system_error>

#include "core/base/error.h"
#include "core/files/input_file.h"
#include "core/format/model_file.h"
#include "core/tensors/tensor_file.h"

namespace maskscope {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t piece = std::size_t{1} << 20;  // bytes that are compared at once

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
        add(variant.mask.layers);
    }
    void add(const std::vector<MaskLayer>& layers) {
        for (const MaskLayer& layer : layers) {
            add(layer.tensor);
            add(layer.layers);
        }
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

bool is_same_file(const InputFile& x, const InputFile& y) {
    struct stat a {};
    struct stat b {};
    return ::fstat(x.descriptor(), &a) == 0 && ::fstat(y.descriptor(), &b) == 0 &&
           a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

// Compares the files piece by piece, because they may be larger than memory.
bool same_bytes(const fs::path& x, const FilePlace& y) try {
    const InputFile first(x), second(y);
    if (is_same_file(first, second)) return true;
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

// Returns the kind of file at a place, as in st_mode; nullopt if no file is there.
std::optional<mode_t> kind_at(const FilePlace& place) {
    struct stat status {};
    if (::fstatat(place.folder.number(), place.name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0)
        return std::nullopt;
    return status.st_mode & S_IFMT;
}

std::string last_error() { return std::generic_category().message(errno); }

}  // namespace

std::vector<std::string> tensor_files(const Scene& scene) { return Files(scene).names; }

std::string changed_tensor_file(const Scene& scene, const fs::path& folder) {
    const Files files(scene);
    for (const Array& array : files.arrays) try {
            if (read_tensor(array.file, folder, {}, true) != array)
                return file_of_reference(array.file);
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
        Copy copy{from / file, file, to / file};
        if (!fs::exists(copy.source, none)) fail(copy.source, "No such file or directory");
        const auto place = place_below(to, file);
        const auto kind = place ? kind_at(*place) : std::nullopt;
        const bool stands = kind.has_value();
        if (kind == S_IFDIR) fail(copy.target, "is a directory");
        if (stands && same_bytes(copy.source, *place)) continue;
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
fs::path Copies::replaced_path(std::size_t k) const {
    return staging_->path() / ("old-" + std::to_string(k));
}

void Copies::put_in_place() {
    if (copies_.empty()) return;
    stage();
    for (std::size_t k = 0; k < copies_.size(); ++k) place(k);
}

void Copies::keep() { kept_ = true; }

// Writes all bytes before any existing file is touched, so that a full disk fails here.
void Copies::stage() {
    try {
        staging_.emplace(to_);
    } catch (const WorkError& error) {
        fail(to_, error.what());
    }
    for (std::size_t k = 0; k < copies_.size(); ++k) {
        std::error_code error;
        fs::copy_file(copies_[k].source, staged(k), error);
        if (!error)  // otherwise copies of read-only files would be read-only
            fs::permissions(staged(k), fs::perms::owner_write, fs::perm_options::add, error);
        if (error) fail(copies_[k].target, error.message());
    }
    sync_files(staging_->path());
}

void Copies::place(std::size_t k) {
    Copy& copy = copies_[k];
    const FilePlace place = make_place_below(to_, copy.file, made_folders_);
    const int folder = place.folder.number();
    const char* name = place.name.c_str();
    const std::string made = staged(k).string(), before = replaced_path(k).string();
    if (copy.replaces) {
        // If the file system does not support links, the file is missing for a moment.
        if (::linkat(folder, name, AT_FDCWD, before.c_str(), 0) != 0 &&
            ::renameat(folder, name, AT_FDCWD, before.c_str()) != 0)
            fail(copy.target, last_error());
        copy.set_aside = true;
    }
    const bool is_new = !copy.replaces;
    if (!is_new || ::linkat(AT_FDCWD, made.c_str(), folder, name, 0) != 0) {
        if (is_new && errno == EEXIST) fail(copy.target, "already exists");
        if (::renameat(AT_FDCWD, made.c_str(), folder, name) != 0) fail(copy.target, last_error());
    }
    copy.in_place = true;
}

void Copies::take_back() noexcept try {
    for (std::size_t k = copies_.size(); k-- > 0;) {
        const Copy& copy = copies_[k];
        if (!copy.set_aside && !copy.in_place) continue;
        const auto place = place_below(to_, copy.file);
        if (!place) continue;
        if (copy.set_aside)
            ::renameat(AT_FDCWD, replaced_path(k).c_str(), place->folder.number(),
                       place->name.c_str());
        else
            ::unlinkat(place->folder.number(), place->name.c_str(), 0);
    }
    std::ranges::reverse(made_folders_);  // because the innermost was made last
    for (const fs::path& folder : made_folders_)
        if (const auto place = place_below(to_, folder))
            ::unlinkat(place->folder.number(), place->name.c_str(), AT_REMOVEDIR);
} catch (const std::exception&) {  // it has become a link, or memory has run out: leave the file
}

}  // namespace maskscope
