// Tests .npz and .safetensors: wrong names, offsets and lengths are refused.

#include <bit>
#include <limits>
#include <string_view>

#include "tests/unit/core/tensors/tensor_files.h"

namespace maskscope {
namespace {

// --- a zip archive made byte by byte, so that it can be wrong

std::uint32_t crc32(const std::string& bytes) {
    std::uint32_t crc = ~0U;
    for (const char byte : bytes) {
        crc ^= static_cast<unsigned char>(byte);
        for (int k = 0; k < 8; ++k) crc = crc >> 1 ^ (0xedb88320U & (0U - (crc & 1)));
    }
    return ~crc;
}

// Returns a deflate stream of stored blocks, which is not smaller than the bytes.
std::string deflated(std::string_view bytes) {
    std::string packed;
    while (true) {
        const std::string_view block = bytes.substr(0, 0xffff);
        bytes.remove_prefix(block.size());
        packed += bytes.empty() ? '\x01' : '\0';
        packed += little_endian(block.size(), 2) + little_endian(~block.size() & 0xffff, 2);
        packed += block;
        if (bytes.empty()) return packed;
    }
}

struct ZipEntry {
    std::string name, bytes;
    bool deflate = false;
    std::uint64_t declared = 0;  // the stated uncompressed size; 0 = the true one
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

TEST_F(TensorFiles, NpzThatWouldGrowAHundredfoldIsRefusedWithItsSize) {
    constexpr std::uint64_t megabyte = std::uint64_t{1} << 20;
    const auto refusal = [&](std::size_t bytes, std::uint64_t declared) {
        return npz_error(zip({{"q", std::string(bytes, '\0'), true, declared}}));
    };
    const std::string refused =
        "would grow from 1 to 1000 MB when unpacked. Store it with numpy.savez instead of "
        "savez_compressed";
    EXPECT_EQ(refusal(megabyte, 1000 * megabyte), refused);
    EXPECT_EQ(refusal(megabyte, 60 * megabyte), "is not a valid .npy file");       // below 64 MB
    EXPECT_EQ(refusal(2 * megabyte, 180 * megabyte), "is not a valid .npy file");  // only 90-fold
}

TEST_F(TensorFiles, ArchivesThatLieAreRefused) {
    const std::string longer = npy("<f8", "False", "(2,)", float64s({1, 2}));
    EXPECT_EQ(npz_error("PK no archive"), "is not a valid zip archive");
    EXPECT_EQ(npz_error(""), "is not a valid zip archive");
    EXPECT_EQ(npz_error(zip({{"q", one}, {"q.npy", one}})), "holds \"q\" twice");
    EXPECT_EQ(npz_error(zip({{"q", one, true, 4000000000U}})),
              "declares more bytes than its archive can hold");
    EXPECT_NE(npz_error(zip({{"q", one, false, one.size() + 1}})), "none");
    EXPECT_EQ(npz_error(zip({{"q", longer, true, longer.size() - 8}})),
              "its shape needs 2 numbers of 8 bytes, but it holds 8 bytes");
    EXPECT_EQ(npz_error(zip({{"q", one + "more", true, one.size()}})),
              "holds more bytes than it declares");
    EXPECT_EQ(npz_error(zip({{"q", one, true, one.size() + 8}})),
              "its shape needs 1 numbers of 8 bytes, but it holds 16 bytes");
    EXPECT_EQ(npz_error(zip({{"q", one, false, 0, 1}})), "its compressed data is damaged");
    EXPECT_EQ(npz_error(zip({{"q", "no npy file"}})), "is not a valid .npy file");
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

}  // namespace
}  // namespace maskscope
