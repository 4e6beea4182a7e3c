// Tests tensor files: contents are read to the bit, and what is broken is refused by name.

#include <sys/stat.h>

#include <cmath>
#include <limits>

#include "core/base/matrix.h"
#include "core/tensors/npy_file.h"
#include "tests/unit/core/tensors/tensor_files.h"

namespace maskscope {
namespace {

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
              "has an .npy version that is not supported; expected 1, 2 or 3");
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

// Numbers of at most 4 bytes are stored in 4, others in 8; they are equal if their values are.
TEST_F(TensorFiles, ReadTheSameInEitherWidth) {
    const std::vector<std::uint64_t> narrow = {0x3f800000, 0x7f800000, 0x7fc00000, 0x80000000};
    const std::vector<std::uint64_t> wide = {0x3ff0000000000000, 0x7ff0000000000000,
                                             0x7ff8000000000000, 0x8000000000000000};
    std::string narrow_bytes, wide_bytes;
    for (const auto bits : narrow) narrow_bytes += little_endian(bits, 4);
    for (const auto bits : wide) wide_bytes += little_endian(bits, 8);
    const Array one = read("q.npy", npy("<f4", "False", "(4,)", narrow_bytes));
    Array other = read("q.npy", npy("<f8", "False", "(4,)", wide_bytes));
    EXPECT_EQ(one, other);
    EXPECT_TRUE(std::signbit((*one.values)[3]));
    Numbers last(2);
    one.values->copy(2, last);
    EXPECT_TRUE(std::isnan(last[0]));
    other.values = ArrayNumbers(Numbers{1, infinity, 0, -0.0});
    EXPECT_NE(one, other);
}

TEST_F(TensorFiles, EveryFloat16IsReadExactly) {
    std::string bytes;
    for (std::uint64_t bits = 0; bits < 65536; ++bits) bytes += little_endian(bits, 2);
    const Array array = read("q.npy", npy("<f2", "False", "(65536,)", bytes));
    const Numbers numbers = array.values->float64s();
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
    EXPECT_TRUE(empty.values->size() == 0);
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
              "its shape needs 3 numbers of 8 bytes, but it holds 16 bytes");
    EXPECT_EQ(npy_error(npy("<f8", "False", "(2,)", two + "x")),
              "its shape needs 2 numbers of 8 bytes, but it holds 17 bytes");
    EXPECT_EQ(npy_error(npy("<f8", "False", "(4294967296, 4294967296)", two)),
              "its shape is too large");
    EXPECT_EQ(npy_error(npy("<f8", "False", "(2305843009213693952,)", "")),
              "its shape needs 2305843009213693952 numbers of 8 bytes, but it holds 0 bytes");
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
    EXPECT_TRUE(error("q.npy").starts_with("work: its numbers need 3814698 MiB, and "));
}

// --- references and paths

TEST_F(TensorFiles, TheShapeIsJudgedBeforeANumberIsRead) {
    constexpr std::uint64_t numbers = 1 << 28;  // 1 GiB, of which the disk holds only the header
    put(folder / "q.npy", npy("<f4", "False", "(16384, 16384)", ""));
    fs::resize_file(folder / "q.npy", fs::file_size(folder / "q.npy") + 4 * numbers);
    std::vector<Index> judged;
    EXPECT_THROW(read_tensor("q.npy", folder,
                             [&](const std::vector<Index>& axes) {
                                 judged = axes;
                                 throw InputError("/inputs", "too many");
                             }),
                 InputError);
    EXPECT_EQ(judged, (std::vector<Index>{16384, 16384}));
}

TEST_F(TensorFiles, ReferencesAreFilesOrFilesAndNames) {
    EXPECT_EQ(file_of_reference("a/q.npy"), "a/q.npy");
    EXPECT_EQ(file_of_reference("qkv.npz:q"), "qkv.npz");
    EXPECT_EQ(file_of_reference("qkv.npz:q.npy"), "qkv.npz");
    EXPECT_EQ(file_of_reference("qkv.safetensors:a:b.npz:c"), "qkv.safetensors");
    const std::string expected =
        "expected \"FILE.npy\", \"FILE.npz:NAME\" or \"FILE.safetensors:NAME\"";
    for (const std::string reference : {"", "q", "q.txt", "q.npy:q", "q.NPY"})
        EXPECT_EQ(error(reference), expected) << reference;
    EXPECT_EQ(error("q.npz"), "has no tensor name; expected \"q.npz:NAME\"");
    EXPECT_EQ(error("q.npz:"), "has no tensor name after the colon");
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
    EXPECT_EQ(error("../q.npy"), "the path must not contain \"..\"");
    EXPECT_EQ(error("below/../in.npy"), "the path must not contain \"..\"");
    EXPECT_EQ(error("out.npy"), "a symbolic link leads out of the scene's folder");
    EXPECT_EQ(error("up/q.npy"), "a symbolic link leads out of the scene's folder");
    EXPECT_EQ(error("missing.npy"), "No such file or directory");
}

TEST_F(TensorFiles, AFolderWithASimilarNameIsAnotherFolder) {
    fs::create_directory(root / "scene2");
    put(root / "scene2/q.npy", one);
    fs::create_symlink("../scene2/q.npy", folder / "q.npy");
    EXPECT_EQ(error("q.npy"), "a symbolic link leads out of the scene's folder");
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
        Numbers last(6);
        array.values->copy(6, last);
        EXPECT_EQ(last, Numbers(numbers.data(), numbers.data() + numbers.size()));
    }
}

TEST(NpyFile, IsWrittenInPartsInAnyOrder) {
    const Folder folder;
    NpyFile file(folder / "a.npy", NpyNumbers::boolean, {1, 2, 2, 3});
    const std::uint8_t first[] = {1, 0, 1}, last[] = {0, 1, 1, 1, 1, 0};
    file.write(2, 2, last);
    file.write(0, 1, first);
    file.close();
    const std::string bytes = read_file(folder / "a.npy");
    EXPECT_NE(bytes.find("{'descr': '|b1', 'fortran_order': False, 'shape': (1, 2, 2, 3), }"),
              std::string::npos);
    EXPECT_EQ(static_cast<double>(bytes.size()), npy_size(NpyNumbers::boolean, {1, 2, 2, 3}));
    EXPECT_EQ(bytes.substr(bytes.size() - 12), std::string("\1\0\1\0\0\0\0\1\1\1\1\0", 12));
    EXPECT_THROW(NpyFile(folder / "a.npy", NpyNumbers::float32, {1, 1, 1, 1}), WorkError);
}

}  // namespace
}  // namespace maskscope
