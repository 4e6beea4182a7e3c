// Tensor files: what they hold is read to the bit, and what is broken is refused by name.

#include "core/tensor_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <numeric>
#include <random>

#include "core/error.h"
#include "core/file.h"

namespace maskscope {
namespace {

namespace fs = std::filesystem;

std::string little_endian(std::uint64_t value, std::size_t count) {
    std::string bytes;
    for (std::size_t k = 0; k < count; ++k) {
        bytes += static_cast<char>(value & 0xff);
        value >>= 8;
    }
    return bytes;
}

std::string npy(const std::string& header, const std::string& numbers, int version = 1) {
    const std::string line = header + "\n";
    return std::string("\x93NUMPY") + static_cast<char>(version) + '\0' +
           little_endian(line.size(), version == 1 ? 2 : 4) + line + numbers;
}

std::string npy(const std::string& type, const std::string& order, const std::string& shape,
                const std::string& numbers) {
    return npy(
        "{'descr': '" + type + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }",
        numbers);
}

std::string float64s(const std::vector<double>& numbers) {
    std::string bytes;
    for (const double number : numbers)
        bytes += little_endian(std::bit_cast<std::uint64_t>(number), 8);
    return bytes;
}

std::string safetensors(const std::string& header, const std::string& numbers) {
    return little_endian(header.size(), 8) + header + numbers;
}

// --- a zip archive by hand, so that it can lie

std::uint32_t crc32(const std::string& bytes) {
    std::uint32_t crc = ~0U;
    for (const char byte : bytes) {
        crc ^= static_cast<unsigned char>(byte);
        for (int k = 0; k < 8; ++k) crc = crc >> 1 ^ (0xedb88320U & (0U - (crc & 1)));
    }
    return ~crc;
}

// Deflate in stored blocks: compressed by method, not by size.
std::string deflated(const std::string& bytes) {
    const std::uint64_t length = bytes.size();
    return '\x01' + little_endian(length, 2) + little_endian(~length & 0xffff, 2) + bytes;
}

struct ZipEntry {
    std::string name, bytes;
    bool deflate = false;
    std::uint64_t declared = 0;  // the uncompressed size it claims; 0 = the true one
    std::uint32_t crc_error = 0;
};

std::string zip(const std::vector<ZipEntry>& entries) {
    std::string archive, directory;
    for (const ZipEntry& entry : entries) {
        const std::string packed = entry.deflate ? deflated(entry.bytes) : entry.bytes;
        const std::uint64_t size = entry.declared != 0 ? entry.declared : entry.bytes.size();
        const std::string common = little_endian(20, 2) + little_endian(0, 2) +
                                   little_endian(entry.deflate ? 8 : 0, 2) + little_endian(0, 4) +
                                   little_endian(crc32(entry.bytes) ^ entry.crc_error, 4) +
                                   little_endian(packed.size(), 4) + little_endian(size, 4) +
                                   little_endian(entry.name.size(), 2) + little_endian(0, 2);
        directory += "PK\x01\x02" + little_endian(20, 2) + common + little_endian(0, 10) +
                     little_endian(archive.size(), 4) + entry.name;
        archive += "PK\x03\x04" + common + entry.name + packed;
    }
    const std::string count = little_endian(entries.size(), 2);
    return archive + directory + "PK\x05\x06" + little_endian(0, 4) + count + count +
           little_endian(directory.size(), 4) + little_endian(archive.size(), 4) +
           little_endian(0, 2);
}

// As replace_file, without waiting for the disk: these tests write thousands of files.
void put(const fs::path& path, const std::string& bytes) {
    fs::remove(path);
    write_new_file(path, bytes);
}

class TensorFiles : public ::testing::Test {
protected:
    void SetUp() override {
        std::string pattern = (fs::temp_directory_path() / "maskscope-tensor-XXXXXX").string();
        ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
        root = pattern;
        folder = root / "scene";
        fs::create_directory(folder);
    }
    void TearDown() override { fs::remove_all(root); }

    Array read(const std::string& reference, const std::string& file, const std::string& bytes) {
        put(folder / file, bytes);
        return read_tensor(reference, folder);
    }
    Array read(const std::string& file, const std::string& bytes) {
        return read(file, file, bytes);
    }
    // The message without the reference before it; "none" where reading succeeds.
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

    fs::path root, folder;
};

using Numbers = std::vector<double>;
const std::string one = npy("<f8", "False", "(1, 1)", float64s({1}));

// --- npy

TEST_F(TensorFiles, NpyOfEveryVersion) {
    const std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 1), }   ";
    for (const int version : {1, 2, 3}) {
        const Array array = read("q.npy", npy(header, float64s({1.5, -2}), version));
        EXPECT_EQ(array.axes, (std::vector<Index>{2, 1}));
        EXPECT_EQ(*array.values, (Numbers{1.5, -2}));
        EXPECT_EQ(array.file, "q.npy");
    }
    EXPECT_EQ(npy_error(npy(header, float64s({1.5, -2}), 4)),
              "is of an .npy version that is not read; expected 1, 2 or 3");
}

TEST_F(TensorFiles, FortranOrderIsTurnedIntoRows) {
    // [2, 3, 4] with the number 100 i + 10 j + k at (i, j, k), first axis fastest.
    Numbers columns, rows;
    for (int k = 0; k < 4; ++k)
        for (int j = 0; j < 3; ++j)
            for (int i = 0; i < 2; ++i) columns.push_back(100 * i + 10 * j + k);
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 3; ++j)
            for (int k = 0; k < 4; ++k) rows.push_back(100 * i + 10 * j + k);
    const Array array = read("q.npy", npy("<f8", "True", "(2, 3, 4)", float64s(columns)));
    EXPECT_EQ(*array.values, rows);
}

TEST_F(TensorFiles, EveryFloat16IsReadExactly) {
    std::string bytes;
    for (std::uint64_t bits = 0; bits < 65536; ++bits) bytes += little_endian(bits, 2);
    const Array array = read("q.npy", npy("<f2", "False", "(65536,)", bytes));
    const Numbers& numbers = *array.values;
    EXPECT_EQ(numbers[0x0001], std::ldexp(1, -24));
    EXPECT_EQ(numbers[0x0400], std::ldexp(1, -14));
    EXPECT_EQ(numbers[0x3c00], 1);
    EXPECT_EQ(numbers[0xc000], -2);
    EXPECT_EQ(numbers[0x7bff], 65504);
    EXPECT_EQ(numbers[0x7c00], std::numeric_limits<double>::infinity());
    EXPECT_TRUE(std::isnan(numbers[0x7e00]));
    EXPECT_TRUE(std::signbit(numbers[0x8000]));
    for (std::size_t bits = 0; bits < 0x7c00; ++bits) {
        if (bits > 0) {
            EXPECT_LT(numbers[bits - 1], numbers[bits]);
        }
        EXPECT_EQ(numbers[bits], -numbers[bits + 0x8000]);
    }
}

TEST_F(TensorFiles, Float32AndNoAxesAndNone) {
    const std::string bytes = little_endian(std::bit_cast<std::uint32_t>(0.1F), 4);
    const Array scalar = read("q.npy", npy("<f4", "False", "()", bytes));
    EXPECT_TRUE(scalar.axes.empty());
    EXPECT_EQ(*scalar.values, Numbers{0.1F});
    const Array empty = read("q.npy", npy("<f4", "False", "(0, 3)", ""));
    EXPECT_EQ(empty.axes, (std::vector<Index>{0, 3}));
    EXPECT_TRUE(empty.values->empty());
}

TEST_F(TensorFiles, InfinitiesAndNaNAreData) {
    const double infinity = std::numeric_limits<double>::infinity();
    const Array array =
        read("q.npy", npy("<f8", "False", "(3,)", float64s({infinity, -infinity, std::nan("")})));
    EXPECT_EQ((*array.values)[0], infinity);
    EXPECT_EQ((*array.values)[1], -infinity);
    EXPECT_TRUE(std::isnan((*array.values)[2]));
}

TEST_F(TensorFiles, TheSizeMustBeThatOfTheShape) {
    const std::string two = float64s({1, 2});
    EXPECT_EQ(npy_error(npy("<f8", "False", "(3,)", two)),
              "its shape asks for 3 numbers of 8 bytes, but it holds 16 bytes of them");
    EXPECT_EQ(npy_error(npy("<f8", "False", "(2,)", two + "x")),
              "its shape asks for 2 numbers of 8 bytes, but it holds 17 bytes of them");
    EXPECT_EQ(npy_error(npy("<f8", "False", "(4294967296, 4294967296)", two)),
              "its shape is too large");
    EXPECT_EQ(npy_error(npy("<f8", "False", "(2305843009213693952,)", "")),
              "its shape asks for 2305843009213693952 numbers of 8 bytes, but it holds 0 bytes of "
              "them");
    EXPECT_EQ(npy_error(npy("<f8", "False", "(99999999999999999999,)", two)),
              "its shape is too large");
}

TEST_F(TensorFiles, OtherNumbersAreNamed) {
    for (const std::string type : {">f8", "<i8", "|b1", "=f4", "f4", "<f16", "<c8", "|O"})
        EXPECT_EQ(
            npy_error(npy(type, "False", "(1,)", float64s({1}))),
            "its numbers are of type '" + type + "'; expected little-endian '<f2', '<f4' or '<f8'");
}

TEST_F(TensorFiles, NpyHeadersAreReadExactly) {
    const std::string numbers = float64s({1});
    const auto refused = [&](const std::string& header) {
        const std::string message = npy_error(npy(header, numbers));
        EXPECT_TRUE(message.starts_with("its header is broken: ")) << header << "\n" << message;
    };
    for (const std::string shape : {"(1)", "(01,)", "(-1,)", "(1,,)", "(,)", "[1]", "(1, 1", "1",
                                    "(1.0,)", "(1L,)", "('1',)", "(0x1,)"})
        refused("{'descr': '<f8', 'fortran_order': False, 'shape': " + shape + ", }");
    refused("{'descr': '<f8', 'fortran_order': 0, 'shape': (1,), }");
    refused("{'descr': '<f8', 'fortran_order': false, 'shape': (1,), }");
    refused("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,), }");
    refused("{'descr': '<f8', 'fortran_order': False}");
    refused("{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (1,)}");
    refused("{'descr': '<f8', 'fortran_order': False, 'shape': (1,), 'more': 1}");
    refused("{'descr': '<f8', 'fortran_order': False, 'shape': (1,)} x");
    refused("{'descr': '<f8' 'fortran_order': False, 'shape': (1,)}");
    refused("{'descr': '<f8', 'fortran_order': False, 'shape': (1,)");
    refused("");
    EXPECT_EQ(npy_error(npy("{\"shape\":(1,),'fortran_order':False,'descr':'<f8'}", numbers)),
              "none");
}

TEST_F(TensorFiles, EveryTruncationAndEveryFlippedBitIsAnErrorOrNumbers) {
    const std::string bytes = npy("<f8", "False", "(1, 1)", float64s({1}));
    for (std::size_t length = 0; length < bytes.size(); ++length)
        EXPECT_NE(npy_error(bytes.substr(0, length)), "none") << length;
    for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
        std::string flipped = bytes;
        flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ 1 << bit % 8);
        npy_error(flipped);
    }
}

TEST_F(TensorFiles, ALongHeaderIsRefusedBeforeItIsRead) {
    const std::string start("\x93NUMPY\x02\0\xff\xff\xff\x7f", 12);
    EXPECT_EQ(npy_error(start), "its header is broken: it is too long");
}

TEST_F(TensorFiles, MoreThanMemoryIsRefusedBeforeItIsAllocated) {
    const std::string header = npy("<f2", "False", "(1000000000000,)", "");
    put(folder / "q.npy", header);
    if (::truncate((folder / "q.npy").c_str(),
                   static_cast<off_t>(header.size()) + 2'000'000'000'000) != 0)
        GTEST_SKIP() << "no file of 2 TB here";
    EXPECT_TRUE(error("q.npy").starts_with("work: its numbers need 7629395 MiB, and "));
}

// --- npz

TEST_F(TensorFiles, NpzStoredAndDeflatedByNameWithOrWithoutEnding) {
    const std::string other = npy("<f8", "False", "(1,)", float64s({2}));
    for (const bool deflate : {false, true})
        for (const std::string name : {"q", "q.npy"}) {
            const std::string archive = zip({{"k.npy", other, deflate}, {name, one, deflate}});
            EXPECT_EQ(*read("q.npz:q", "q.npz", archive).values, Numbers{1});
            EXPECT_EQ(*read("q.npz:k", "q.npz", archive).values, Numbers{2});
            EXPECT_EQ(error("q.npz:v"), "holds no tensor \"v\"");
        }
    EXPECT_EQ(*read("q.npz:q.npy", "q.npz", zip({{"q.npy", one}})).values, Numbers{1});
}

TEST_F(TensorFiles, ArchivesThatLieAreRefused) {
    const std::string longer = npy("<f8", "False", "(2,)", float64s({1, 2}));
    EXPECT_EQ(npz_error("PK no archive"), "is no sound zip archive");
    EXPECT_EQ(npz_error(""), "is no sound zip archive");
    EXPECT_EQ(npz_error(zip({{"q", one}, {"q.npy", one}})), "holds \"q\" twice");
    EXPECT_EQ(npz_error(zip({{"q", one, true, 4000000000U}})),
              "declares more bytes than its archive can hold");
    EXPECT_NE(npz_error(zip({{"q", one, false, one.size() + 1}})), "none");
    EXPECT_EQ(npz_error(zip({{"q", longer, true, longer.size() - 8}})),
              "its shape asks for 2 numbers of 8 bytes, but it holds 8 bytes of them");
    EXPECT_EQ(npz_error(zip({{"q", one + "more", true, one.size()}})),
              "holds more bytes than it declares");
    EXPECT_EQ(npz_error(zip({{"q", one, true, one.size() + 8}})),
              "its shape asks for 1 numbers of 8 bytes, but it holds 16 bytes of them");
    EXPECT_EQ(npz_error(zip({{"q", one, false, 0, 1}})), "its compressed bytes are broken");
    EXPECT_EQ(npz_error(zip({{"q", "no npy file"}})), "is no .npy file");
}

TEST_F(TensorFiles, EveryTruncationAndEveryFlippedBitOfAnArchiveEnds) {
    const std::string bytes = zip({{"q.npy", one, true}});
    for (std::size_t length = 0; length < bytes.size(); ++length)
        EXPECT_NE(npz_error(bytes.substr(0, length)), "none") << length;
    for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
        std::string flipped = bytes;
        flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ 1 << bit % 8);
        npz_error(flipped);
    }
}

// --- safetensors

TEST_F(TensorFiles, SafetensorsOfEveryType) {
    const std::string header =
        R"({"__metadata__": {"format": "pt"}, "a": {"dtype": "F16", "shape": [2], )"
        R"("data_offsets": [0, 4]}, "layer0.q": {"dtype": "BF16", "shape": [1, 2], )"
        R"("data_offsets": [4, 8]}, "c": {"dtype": "F32", "shape": [], "data_offsets": [8, 12]}, )"
        R"("d": {"dtype": "F64", "shape": [1], "data_offsets": [12, 20]}, )"
        R"("e": {"dtype": "I8", "shape": [1], "data_offsets": [20, 21]}}   )";
    const std::string numbers = little_endian(0xc0003c00, 4) + little_endian(0x7f80c049, 4) +
                                little_endian(std::bit_cast<std::uint32_t>(0.1F), 4) +
                                float64s({0.1}) + "x";
    put(folder / "q.safetensors", safetensors(header, numbers));
    EXPECT_EQ(*read_tensor("q.safetensors:a", folder).values, (Numbers{1, -2}));
    const Array bfloat16 = read_tensor("q.safetensors:layer0.q", folder);
    EXPECT_EQ(bfloat16.axes, (std::vector<Index>{1, 2}));
    EXPECT_EQ(*bfloat16.values, (Numbers{-3.140625, std::numeric_limits<double>::infinity()}));
    EXPECT_EQ(*read_tensor("q.safetensors:c", folder).values, Numbers{0.1F});
    EXPECT_EQ(*read_tensor("q.safetensors:d", folder).values, Numbers{0.1});
    EXPECT_EQ(error("q.safetensors:e"),
              "its numbers are of type I8; expected F16, BF16, F32 or F64");
    EXPECT_EQ(error("q.safetensors:f"), "holds no tensor \"f\"");
    EXPECT_EQ(error("q.safetensors:__metadata__"), "holds no tensor \"__metadata__\"");
}

std::string entry(const std::string& shape, const std::string& offsets) {
    return R"({"dtype": "F32", "shape": )" + shape + R"(, "data_offsets": )" + offsets + "}";
}

TEST_F(TensorFiles, SafetensorsOffsetsMustFit) {
    const std::string four = "1234";
    EXPECT_EQ(safe_error("{\"q\": " + entry("[1]", "[0, 4]") + "}", four), "none");
    EXPECT_EQ(safe_error("{\"q\": " + entry("[1]", "[0, 4]") + "}", "123"), "ends too early");
    EXPECT_EQ(safe_error("{\"q\": " + entry("[1]", "[0, 4]") + "}", "12345"),
              "holds bytes that belong to no tensor");
    const std::string broken = "its header is broken: ";
    EXPECT_EQ(safe_error("{\"q\": " + entry("[2]", "[0, 4]") + "}", four),
              broken + "shape and offsets of \"q\" do not agree");
    EXPECT_EQ(safe_error("{\"q\": " + entry("[1]", "[4, 0]") + "}", four),
              broken + "\"q\" ends before it begins");
    EXPECT_EQ(safe_error("{\"q\": " + entry("[4611686018427387904, 4]", "[0, 4]") + "}", four),
              "its shape is too large");
    EXPECT_EQ(safe_error("{\"q\": " + entry("[4611686018427387904]", "[0, 0]") + "}", four),
              broken + "shape and offsets of \"q\" do not agree");
    EXPECT_EQ(
        safe_error("{\"q\": " + entry("[1]", "[0, 4]") + ", \"k\": " + entry("[1]", "[2, 6]") + "}",
                   "123456"),
        broken + "\"k\" does not begin where another ends");
}

TEST_F(TensorFiles, SafetensorsHeadersAreReadStrictly) {
    for (const std::string header :
         {"[]", "3", "", " {}", "{\"q\": 1}", "{\"q\": {}}", "{\"__metadata__\": 1}",
          "{\"__metadata__\": {\"a\": 1}}", "{\"q\": {\"dtype\": 1}}", "{} x", "{\"a\": }",
          R"({"q": {"dtype": "F32", "shape": [1.0], "data_offsets": [0, 4]}})",
          R"({"q": {"dtype": "F32", "shape": [-1], "data_offsets": [0, 4]}})",
          R"({"q": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4, 4]}})",
          R"({"q": {"dtype": "F32", "shape": [1], "data_offsets": [0, true]}})",
          R"({"q": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4], "more": 1}})",
          R"({"q": {"dtype": "F32", "shape": [1], "offsets": [0, 4]}})"})
        EXPECT_TRUE(safe_error(header, "1234").starts_with("its header is broken: ")) << header;
    EXPECT_EQ(safe_error("{\"q\": {}, \"q\": {}}", "").find("its header is broken: line 1"), 0U);
    EXPECT_EQ(safe_error(std::string(100000, '['), "").find("its header is broken: line 1"), 0U);
}

TEST_F(TensorFiles, SafetensorsHeaderLengthsThatLie) {
    const auto refused = [&](std::uint64_t length) {
        return error("q.safetensors:q", "q.safetensors", little_endian(length, 8) + "{}");
    };
    EXPECT_EQ(refused(3), "ends within its header");
    EXPECT_EQ(refused(~0ULL), "ends within its header");
    EXPECT_TRUE(refused(0).starts_with("its header is broken: line 1, column 1: "));
    EXPECT_EQ(error("q.safetensors:q", "q.safetensors", "1234"), "ends too early");
}

// --- references and paths

TEST_F(TensorFiles, ReferencesAreFilesOrFilesAndNames) {
    EXPECT_EQ(file_of_reference("a/q.npy"), "a/q.npy");
    EXPECT_EQ(file_of_reference("qkv.npz:q"), "qkv.npz");
    EXPECT_EQ(file_of_reference("qkv.npz:q.npy"), "qkv.npz");
    EXPECT_EQ(file_of_reference("qkv.safetensors:a:b.npz:c"), "qkv.safetensors");
    const std::string expected =
        "expected \"FILE.npy\", \"FILE.npz:NAME\" or \"FILE.safetensors:NAME\"";
    for (const std::string reference : {"", "q", "q.txt", "q.npy:q", "q.NPY"})
        EXPECT_EQ(error(reference), expected) << reference;
    EXPECT_EQ(error("q.npz"), "names no tensor: expected \"q.npz:NAME\"");
    EXPECT_EQ(error("q.npz:"), "names no tensor after the colon");
}

TEST_F(TensorFiles, NoPathLeavesTheFolder) {
    fs::create_directory(folder / "below");
    put(folder / "below/q.npy", one);
    put(root / "q.npy", one);
    fs::create_symlink("../q.npy", folder / "out.npy");
    fs::create_symlink("..", folder / "up");
    fs::create_symlink("below/q.npy", folder / "in.npy");
    EXPECT_EQ(error("below/q.npy"), "none");
    EXPECT_EQ(error("./below//q.npy"), "none");
    EXPECT_EQ(error("in.npy"), "none");
    EXPECT_EQ(error((folder / "in.npy").string()), "the path must be relative");
    EXPECT_EQ(error("../q.npy"), "the path may not hold \"..\"");
    EXPECT_EQ(error("below/../in.npy"), "the path may not hold \"..\"");
    EXPECT_EQ(error("out.npy"), "a link leaves the folder of the scene");
    EXPECT_EQ(error("up/q.npy"), "a link leaves the folder of the scene");
    EXPECT_EQ(error("missing.npy"), "No such file or directory");
}

TEST_F(TensorFiles, AFolderWithASimilarNameIsAnotherFolder) {
    fs::create_directory(root / "scene2");
    put(root / "scene2/q.npy", one);
    fs::create_symlink("../scene2/q.npy", folder / "q.npy");
    EXPECT_EQ(error("q.npy"), "a link leaves the folder of the scene");
}

TEST_F(TensorFiles, FoldersPipesAndDevicesAreRefusedAtOnce) {
    fs::create_directory(folder / "folder.npy");
    ASSERT_EQ(::mkfifo((folder / "pipe.npy").c_str(), 0600), 0);
    EXPECT_EQ(error("folder.npy"), "is a directory");
    EXPECT_EQ(error("pipe.npy"), "is not a regular file");
}

// --- writing

TEST_F(TensorFiles, StagesReadBackTheSame) {
    for (const bool float64 : {false, true}) {
        Stage stage(2, 1, 3, 2, float64);
        Matrix numbers(3, 2);
        numbers << 1, -0.5, std::numeric_limits<double>::infinity(), 0, 3, 1e-3F;
        stage.set_head(1, 0, numbers);
        const std::string bytes = npy_bytes(stage);
        const std::size_t data = 2 * 3 * 2 * (float64 ? 8U : 4U);
        EXPECT_EQ((bytes.size() - data) % 64, 0U);
        const Array array = read("s.npy", bytes);
        EXPECT_EQ(array.axes, (std::vector<Index>{2, 1, 3, 2}));
        EXPECT_EQ(Numbers(array.values->begin() + 6, array.values->end()),
                  Numbers(numbers.data(), numbers.data() + numbers.size()));
    }
}

TEST_F(TensorFiles, AllowedIsWrittenAsBool) {
    const std::string bytes = npy_bytes({1, 0, 1, 1}, Shape{1, 1, 2, 2});
    EXPECT_NE(bytes.find("{'descr': '|b1', 'fortran_order': False, 'shape': (1, 1, 2, 2), }"),
              std::string::npos);
    EXPECT_EQ(bytes.substr(bytes.size() - 4), std::string("\1\0\1\1", 4));
}

}  // namespace
}  // namespace maskscope
