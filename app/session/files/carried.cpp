#include "app/session/files/carried.h"

#include <zip.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>

#include "app/session/files/tensor_copies.h"
#include "core/base/error.h"
#include "core/files/file.h"
#include "core/format/scene_json.h"
#include "core/tensors/tensor_file.h"

namespace maskscope {

namespace fs = std::filesystem;

namespace {

constexpr const char* scene_name = "scene.json";
constexpr std::size_t most_scene_bytes = std::size_t{64} << 20;
constexpr std::size_t most_files = 100;
constexpr const char* damaged = "the scene that it contains is damaged";

struct CloseArchive {
    void operator()(zip_t* archive) const { zip_discard(archive); }
    void operator()(zip_file_t* entry) const { zip_fclose(entry); }
    void operator()(zip_source_t* source) const { zip_source_free(source); }
};
using ZipArchive = std::unique_ptr<zip_t, CloseArchive>;
using ZipEntry = std::unique_ptr<zip_file_t, CloseArchive>;
using ZipSource = std::unique_ptr<zip_source_t, CloseArchive>;

ZipArchive archive_in(const ZipSource& source, int flags) {
    if (!source) throw std::bad_alloc();
    zip_error_t error;
    zip_error_init(&error);
    ZipArchive archive(zip_open_from_source(source.get(), flags, &error));
    zip_error_fini(&error);
    if (archive) zip_source_keep(source.get());  // the archive now releases its own reference
    return archive;
}

void add_entry(zip_t* archive, const std::string& name, const std::string& bytes) {
    zip_source_t* entry = zip_source_buffer(archive, bytes.data(), bytes.size(), 0);
    const zip_int64_t index =
        entry == nullptr ? -1 : zip_file_add(archive, name.c_str(), entry, ZIP_FL_ENC_UTF_8);
    if (index < 0) {
        zip_source_free(entry);
        throw WorkError("the scene does not fit in memory");
    }
    constexpr zip_uint16_t first_day =
        1 << 5 | 1;  // 1 January 1980: a fixed date keeps archives reproducible
    zip_file_set_dostime(archive, static_cast<zip_uint64_t>(index), 0, first_day, 0);
}

std::string bytes_in(zip_source_t* source) {
    std::string bytes;
    std::array<char, 1 << 14> block{};
    zip_int64_t got = zip_source_open(source);
    while (got >= 0 && (got = zip_source_read(source, block.data(), block.size())) > 0)
        bytes.append(block.data(), static_cast<std::size_t>(got));
    zip_source_close(source);
    if (got < 0) throw WorkError("the scene does not fit in memory");
    return bytes;
}

std::string read_entry(zip_t* archive, zip_uint64_t index, std::size_t most) {
    const ZipEntry entry(zip_fopen_index(archive, index, 0));
    if (!entry) throw InputError("", damaged);
    std::string bytes;
    std::array<char, 1 << 14> block{};
    // Read to the end, because only then is the checksum compared.
    while (true) {
        const zip_int64_t got = zip_fread(entry.get(), block.data(), block.size());
        if (got < 0) throw InputError("", damaged);
        if (got == 0) return bytes;
        bytes.append(block.data(), static_cast<std::size_t>(got));
        if (bytes.size() > most) throw InputError("", "contains more than a figure may");
    }
}

void check_name(const std::string& name) {
    check_tensor_path(name);
    const fs::path ending = fs::path(name).extension();
    if (ending != ".npy" && ending != ".npz" && ending != ".safetensors")
        throw InputError("", "contains " + name + ", which is not a tensor file");
}

}  // namespace

CarriedScene carried_of(const Scene& scene, const fs::path& folder) {
    CarriedScene carried{write_scene(scene), {}};
    if (carried.scene.size() > most_scene_bytes) return {};
    const std::vector<std::string> names = tensor_files(scene);
    if (names.size() > most_files) return carried;
    std::size_t bytes = 0;
    try {
        for (const std::string& name : names) {
            std::string file = read_file(folder / name, most_file_bytes - bytes);
            bytes += file.size();
            carried.files.emplace(name, std::move(file));
        }
    } catch (const InputError&) {
        carried.files.clear();
    }
    if (!carried.files.empty() && !changed_tensor_file(scene, folder).empty())
        carried.files.clear();
    return carried;
}

std::string packed(const CarriedScene& carried) {
    if (carried.scene.empty()) return "";
    const ZipSource source(zip_source_buffer_create(nullptr, 0, 0, nullptr));
    ZipArchive archive = archive_in(source, ZIP_TRUNCATE);
    if (!archive) throw WorkError("the scene does not fit in memory");
    add_entry(archive.get(), scene_name, carried.scene);
    for (const auto& [name, bytes] : carried.files) add_entry(archive.get(), name, bytes);
    if (zip_close(archive.get()) != 0) throw WorkError("the scene does not fit in memory");
    static_cast<void>(archive.release());  // the archive is closed, and must not be freed again
    return bytes_in(source.get());
}

CarriedScene unpacked(std::string_view bytes) {
    const ZipSource source(zip_source_buffer_create(bytes.data(), bytes.size(), 0, nullptr));
    const ZipArchive archive = archive_in(source, ZIP_CHECKCONS | ZIP_RDONLY);
    if (!archive) throw InputError("", damaged);
    const zip_int64_t count = zip_get_num_entries(archive.get(), 0);
    if (count > static_cast<zip_int64_t>(most_files) + 1)
        throw InputError("", "contains more files than a figure may");
    CarriedScene carried;
    std::size_t left = most_file_bytes;
    for (zip_int64_t k = 0; k < count; ++k) {
        const auto index = static_cast<zip_uint64_t>(k);
        const char* raw = zip_get_name(archive.get(), index, ZIP_FL_ENC_RAW);
        const std::string name = raw == nullptr ? "" : raw;
        if (name == scene_name) {
            carried.scene = read_entry(archive.get(), index, most_scene_bytes);
            continue;
        }
        check_name(name);
        std::string file = read_entry(archive.get(), index, left);
        left -= file.size();
        carried.files.emplace(name, std::move(file));
    }
    if (carried.scene.empty()) throw InputError("", damaged);
    return carried;
}

}  // namespace maskscope
