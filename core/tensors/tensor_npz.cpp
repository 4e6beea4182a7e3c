// .npz: a zip archive of .npy files.

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <zip.h>

#include <cerrno>
#include <memory>
#include <string_view>
#include <system_error>

#include "core/base/error.h"
#include "core/base/utf8.h"
#include "core/files/input_file.h"
#include "core/tensors/tensor_formats.h"

namespace maskscope {

namespace {

// A byte of deflate stands for at most 1032 bytes; an entry that declares more is invalid.
constexpr std::uint64_t deflate_ratio = 1032;
// Entries that unpack to more than `most_unpacked` bytes and to more than `far_packed` times their
// size, such as zeros only, are refused, so that a megabyte cannot fill gigabytes. Masks stored as
// bytes reach a ratio of 1000, weights of a narrow window one of 60.
constexpr std::uint64_t far_packed = 100, most_unpacked = std::uint64_t{64} << 20;

struct Discard {
    void operator()(zip_t* archive) const { zip_discard(archive); }
    void operator()(zip_file_t* entry) const { zip_fclose(entry); }
};
using Archive = std::unique_ptr<zip_t, Discard>;
using Entry = std::unique_ptr<zip_file_t, Discard>;

Archive open_archive(const InputFile& file) {
    const int own = ::fcntl(file.descriptor(), F_DUPFD_CLOEXEC, 0);  // zip closes it
    if (own < 0) throw TemporaryError("", std::generic_category().message(errno));
    int error = 0;
    if (Archive archive(zip_fdopen(own, ZIP_CHECKCONS, &error)); archive) return archive;
    ::close(own);
    throw InputError("", "is not a valid zip archive");
}

// Returns the index of the only entry named `name` or `name`.npy.
zip_uint64_t find_entry(zip_t* archive, const std::string& name) {
    const zip_int64_t count = zip_get_num_entries(archive, 0);
    zip_int64_t found = -1;
    for (zip_int64_t k = 0; k < count; ++k) {
        const char* entry = zip_get_name(archive, static_cast<zip_uint64_t>(k), ZIP_FL_ENC_RAW);
        if (entry == nullptr || (entry != name && entry != name + ".npy")) continue;
        if (found >= 0) throw InputError("", "holds \"" + name + "\" twice");
        found = k;
    }
    if (found < 0) throw InputError("", "holds no tensor \"" + name + "\"");
    return static_cast<zip_uint64_t>(found);
}

void check_entry(const zip_stat_t& status) {
    constexpr zip_uint64_t needed =
        ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD | ZIP_STAT_ENCRYPTION_METHOD;
    if ((status.valid & needed) != needed) throw InputError("", "is not a valid zip archive");
    if (status.encryption_method != ZIP_EM_NONE) throw InputError("", "is encrypted");
    const bool stored = status.comp_method == ZIP_CM_STORE;
    if (!stored && status.comp_method != ZIP_CM_DEFLATE)
        throw InputError("", "uses a compression method other than deflate");
    if (stored ? status.size != status.comp_size : status.size / deflate_ratio > status.comp_size)
        throw InputError("", "declares more bytes than its archive can hold");
    if (status.size > most_unpacked && status.size / far_packed > status.comp_size)
        throw InputError("", fmt::format("would grow from {} to {} MB when unpacked. Store it with "
                                         "numpy.savez instead of savez_compressed",
                                         status.comp_size >> 20, status.size >> 20));
}

class EntryReader : public ByteReader {
public:
    EntryReader(zip_t* archive, zip_uint64_t index, std::uint64_t size)
        : entry_(zip_fopen_index(archive, index, 0)), left_(size) {
        if (!entry_) throw InputError("", "is not a valid zip archive");
    }
    std::uint64_t left() const override { return left_; }
    void read(char* to, std::size_t count) override {
        std::size_t done = 0;
        while (done < count) {
            const zip_int64_t got = zip_fread(entry_.get(), to + done, count - done);
            if (got <= 0) throw InputError("", "its compressed data is damaged");
            done += static_cast<std::size_t>(got);
        }
        left_ -= count;
    }
    // Reads past the end, because the library compares the checksum only then.
    void check_end() {
        char byte = 0;
        const zip_int64_t got = zip_fread(entry_.get(), &byte, 1);
        if (got > 0) throw InputError("", "holds more bytes than it declares");
        if (got < 0) throw InputError("", "its compressed data is damaged");
    }

private:
    Entry entry_;
    std::uint64_t left_;
};

zip_stat_t status_of(zip_t* archive, zip_uint64_t index) {
    zip_stat_t status;
    if (zip_stat_index(archive, index, 0, &status) != 0)
        throw InputError("", "is not a valid zip archive");
    check_entry(status);
    return status;
}

}  // namespace

Array read_npz(const InputFile& file, const std::string& name, const JudgeAxes& judge,
               bool of_mask) {
    const Archive archive = open_archive(file);
    const zip_uint64_t index = find_entry(archive.get(), name);
    EntryReader reader(archive.get(), index, status_of(archive.get(), index).size);
    Array array = read_npy(reader, judge, of_mask);
    reader.check_end();
    return array;
}

std::vector<NpzEntry> list_npz(const InputFile& file) {
    constexpr std::string_view ending = ".npy";
    const Archive archive = open_archive(file);
    std::vector<NpzEntry> entries;
    const zip_int64_t count = zip_get_num_entries(archive.get(), 0);
    for (zip_int64_t k = 0; k < count; ++k) {
        const auto index = static_cast<zip_uint64_t>(k);
        const char* name = zip_get_name(archive.get(), index, ZIP_FL_ENC_RAW);
        if (name == nullptr || !std::string_view(name).ends_with(ending) || !is_utf8(name))
            continue;
        NpzEntry& entry = entries.emplace_back();
        entry.name = std::string_view(name).substr(0, std::string_view(name).size() - 4);
        try {
            EntryReader reader(archive.get(), index, status_of(archive.get(), index).size);
            entry.header = read_npy_header(reader);
        } catch (const InputError&) {  // the others can still be read
            entry.header = {};
        }
    }
    return entries;
}

Array read_npz_part(const InputFile& file, const std::string& name, const std::vector<Index>& at) {
    const Archive archive = open_archive(file);
    const zip_uint64_t index = find_entry(archive.get(), name);
    EntryReader reader(archive.get(), index, status_of(archive.get(), index).size);
    return read_npy_part(reader, at);
}

}  // namespace maskscope
