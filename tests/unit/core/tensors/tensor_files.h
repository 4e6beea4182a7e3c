#pragma once
// Makes tensor files byte by byte, so that they can be wrong. Shared by the tests of tensor files.

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/files/file.h"
#include "core/tensors/tensor_file.h"
#include "tests/support/folder.h"

namespace maskscope {
namespace fs = std::filesystem;

inline std::string little_endian(std::uint64_t value, std::size_t count) {
    std::string bytes;
    for (std::size_t k = 0; k < count; ++k) {
        bytes += static_cast<char>(value & 0xff);
        value >>= 8;
    }
    return bytes;
}

inline std::string npy(const std::string& header, const std::string& numbers, int version = 1) {
    const std::string line = header + "\n";
    return std::string("\x93NUMPY") + static_cast<char>(version) + '\0' +
           little_endian(line.size(), version == 1 ? 2 : 4) + line + numbers;
}

inline std::string npy(const std::string& type, const std::string& order, const std::string& shape,
                       const std::string& numbers) {
    return npy(
        "{'descr': '" + type + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }",
        numbers);
}

inline std::string float64s(const std::vector<double>& numbers) {
    std::string bytes;
    for (const double number : numbers)
        bytes += little_endian(std::bit_cast<std::uint64_t>(number), 8);
    return bytes;
}

inline std::string safetensors(const std::string& header, const std::string& numbers) {
    return little_endian(header.size(), 8) + header + numbers;
}

// Does what replace_file does, without waiting for the disk: these tests write thousands of files.
inline void put(const fs::path& path, const std::string& bytes) {
    fs::remove(path);
    write_new_file(path, bytes);
}

class TensorFiles : public ::testing::Test {
protected:
    void SetUp() override { fs::create_directory(folder); }

    Array read(const std::string& reference, const std::string& file, const std::string& bytes) {
        put(folder / file, bytes);
        return read_tensor(reference, folder);
    }
    Array read(const std::string& file, const std::string& bytes) {
        return read(file, file, bytes);
    }
    // Returns the message without the reference before it; "none" if reading succeeds.
    std::string error(const std::string& reference) {
        try {
            read_tensor(reference, folder);
        } catch (const InputError& error) {
            EXPECT_EQ(error.place, "");
            return after(reference, error.what());
        } catch (const WorkError& error) {
            return "work: " + after(reference, error.what());
        }
        return "none";
    }
    std::string error(const std::string& reference, const std::string& file,
                      const std::string& bytes) {
        put(folder / file, bytes);
        return error(reference);
    }
    std::string npy_error(const std::string& bytes) { return error("q.npy", "q.npy", bytes); }
    std::string npz_error(const std::string& bytes) { return error("q.npz:q", "q.npz", bytes); }
    std::string safe_error(const std::string& header, const std::string& numbers) {
        return error("q.safetensors:q", "q.safetensors", safetensors(header, numbers));
    }
    static std::string after(const std::string& reference, const std::string& what) {
        EXPECT_TRUE(what.starts_with(reference + ": ")) << what;
        return what.substr(std::min(what.size(), reference.size() + 2));
    }

    const Folder root;
    const fs::path folder = root / "scene";
};

using Numbers = std::vector<double>;
inline const std::string one = npy("<f8", "False", "(1, 1)", float64s({1}));

}  // namespace maskscope
