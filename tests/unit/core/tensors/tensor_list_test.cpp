#include "core/tensors/tensor_list.h"

#include <zip.h>

#include <fstream>

#include "tests/unit/core/tensors/tensor_files.h"

namespace maskscope {
namespace {

class Lists : public TensorFiles {
protected:
    TensorList list(const std::string& file, const std::string& bytes) {
        put(folder / file, bytes);
        return list_tensors(folder / file);
    }
    std::string list_error(const std::string& file, const std::string& bytes) {
        try {
            list(file, bytes);
        } catch (const InputError& error) {
            EXPECT_EQ(error.place, "");
            return error.what();
        }
        return "none";
    }
    // Writes a .npz of stored entries.
    void put_npz(const std::string& file, const std::map<std::string, std::string>& entries) {
        fs::remove(folder / file);
        int error = 0;
        zip_t* archive = zip_open((folder / file).c_str(), ZIP_CREATE, &error);
        ASSERT_NE(archive, nullptr);
        for (const auto& [name, bytes] : entries)
            zip_file_add(archive, name.c_str(),
                         zip_source_buffer(archive, bytes.data(), bytes.size(), 0), 0);
        ASSERT_EQ(zip_close(archive), 0);
    }
};

TEST_F(Lists, ASafetensorsFileIsListedWithItsMetadata) {
    const std::string header = R"({"__metadata__":{"scale":"0.125"},)"
                               R"("q":{"dtype":"F64","shape":[1,2],"data_offsets":[0,16]},)"
                               R"("ids":{"dtype":"I64","shape":[2],"data_offsets":[16,32]},)"
                               R"("mask":{"dtype":"BOOL","shape":[1,1],"data_offsets":[32,33]},)"
                               R"("z":{"dtype":"C64","shape":[1],"data_offsets":[33,41]}})";
    const TensorList found = list("a.safetensors", safetensors(header, std::string(41, '\0')));
    EXPECT_EQ(found.metadata.at("scale"), "0.125");
    ASSERT_EQ(found.tensors.size(), 4U);
    using Kind = ListedTensor::Numbers;
    EXPECT_EQ(found.tensors[0].name, "q");
    EXPECT_EQ(found.tensors[0].dtype, "F64");
    EXPECT_EQ(found.tensors[0].axes, (std::vector<Index>{1, 2}));
    EXPECT_EQ(found.tensors[0].numbers, Kind::floats);
    EXPECT_EQ(found.tensors[1].numbers, Kind::integers);
    EXPECT_EQ(found.tensors[2].numbers, Kind::truths);
    EXPECT_EQ(found.tensors[3].numbers, Kind::other);
    EXPECT_EQ(reference_to(found.tensors[0]), "a.safetensors:q");
}

TEST_F(Lists, AnNpyAndAnNpzAreListedWithoutTheirNumbers) {
    const TensorList npy_list = list("w.npy", npy("<i4", "False", "(3, 5)", ""));
    ASSERT_EQ(npy_list.tensors.size(), 1U) << "the numbers are missing, but the header lists them";
    EXPECT_EQ(npy_list.tensors[0].name, "w");
    EXPECT_EQ(npy_list.tensors[0].axes, (std::vector<Index>{3, 5}));
    EXPECT_EQ(reference_to(npy_list.tensors[0]), "w.npy");
    put_npz("a.npz", {{"q.npy", one},
                      {"pickle.npy", npy("|O", "False", "(2,)", "")},
                      {"broken.npy", "nothing"},
                      {"readme.txt", "text"}});
    const TensorList npz = list_tensors(folder / "a.npz");
    ASSERT_EQ(npz.tensors.size(), 3U);
    for (const ListedTensor& tensor : npz.tensors)
        EXPECT_EQ(tensor.numbers == ListedTensor::Numbers::floats, tensor.name == "q")
            << tensor.name;
}

TEST_F(Lists, AnyPartIsReadAndNothingElse) {
    std::vector<double> numbers;
    for (int k = 0; k < 24; ++k) numbers.push_back(k);
    const std::string rows = npy("<f8", "False", "(2, 3, 4)", float64s(numbers));
    const ListedTensor by_rows = list("r.npy", rows).tensors[0];
    EXPECT_EQ(*read_part(by_rows, {}).values, numbers);
    EXPECT_EQ(read_part(by_rows, {1}).axes, (std::vector<Index>{3, 4}));
    EXPECT_EQ(*read_part(by_rows, {1, 2}).values, (Numbers{20, 21, 22, 23}));
    EXPECT_EQ(*read_part(by_rows, {0, 1, 3}).values, Numbers{7});
    EXPECT_THROW(read_part(by_rows, {2}), InputError);
    EXPECT_THROW(read_part(by_rows, {-1}), InputError);
    EXPECT_THROW(read_part(by_rows, {0, 0, 0, 0}), InputError);
    // The same in Fortran order, compressed or not.
    const std::string columns = npy("<f8", "True", "(2, 3)", float64s({0, 3, 1, 4, 2, 5}));
    EXPECT_EQ(*read_part(list("c.npy", columns).tensors[0], {1}).values, (Numbers{3, 4, 5}));
    put_npz("a.npz", {{"r.npy", rows}, {"c.npy", columns}});
    for (const ListedTensor& tensor : list_tensors(folder / "a.npz").tensors)
        EXPECT_EQ(
            *read_part(tensor, {1}).values,
            tensor.name == "c" ? (Numbers{3, 4, 5}) : Numbers(numbers.begin() + 12, numbers.end()));
}

TEST_F(Lists, IntegersAndTruthsAreNumbers) {
    const auto numbers = [&](const std::string& type, const std::string& bytes) {
        const std::string shape = "(" + std::to_string(bytes.size() / (type[2] - '0')) + ",)";
        return *read_part(list("a.npy", npy(type, "False", shape, bytes)).tensors[0], {}).values;
    };
    EXPECT_EQ(numbers("|b1", std::string("\1\0", 2)), (Numbers{1, 0}));
    EXPECT_EQ(numbers("|u1", "\xff"), Numbers{255});
    EXPECT_EQ(numbers("|i1", "\xff"), Numbers{-1});
    EXPECT_EQ(numbers("<i2", "\xfe\xff"), Numbers{-2});
    EXPECT_EQ(numbers("<u2", "\xfe\xff"), Numbers{65534});
    EXPECT_EQ(numbers("<i4", "\xfd\xff\xff\xff"), Numbers{-3});
    EXPECT_EQ(numbers("<u4", "\xfd\xff\xff\xff"), Numbers{4294967293});
    EXPECT_EQ(numbers("<i8", "\xfc\xff\xff\xff\xff\xff\xff\xff"), Numbers{-4});
    EXPECT_EQ(numbers("<u8", little_endian(5, 8)), Numbers{5});
}

TEST_F(Lists, ASceneStillHoldsFloatsAlone) {
    EXPECT_EQ(npy_error(npy("<i4", "False", "(1, 1)", "1234")),
              "its numbers are of type '<i4'; expected little-endian '<f2', '<f4' or '<f8'");
    EXPECT_EQ(safe_error(R"({"q":{"dtype":"I32","shape":[1],"data_offsets":[0,4]}})", "1234"),
              "its numbers are of type I32; expected F16, BF16, F32 or F64");
}

// --- sharded models

TEST_F(Lists, AnIndexListsItsShards) {
    const auto shard = [&](const std::string& name) {
        return safetensors(R"({"__metadata__":{"format":"pt"},")" + name +
                               R"(":{"dtype":"F64","shape":[1],"data_offsets":[0,8]}})",
                           float64s({4}));
    };
    put(folder / "m-1.safetensors", shard("a"));
    put(folder / "m-2.safetensors", shard("b"));
    const auto index = [&](const std::string& map) {
        return R"({"metadata":{"total_size":16},"weight_map":{)" + map + "}}";
    };
    const std::string name = "m.safetensors.index.json";
    ASSERT_TRUE(holds_tensors(folder / name));
    const TensorList found = list(name, index(R"("a":"m-1.safetensors","b":"m-2.safetensors")"));
    ASSERT_EQ(found.tensors.size(), 2U);
    EXPECT_EQ(found.tensors[1].file, folder / "m-2.safetensors");
    EXPECT_EQ(*read_part(found.tensors[1], {}).values, Numbers{4});
    for (const char* path :
         {"../m-1.safetensors", "/etc/m.safetensors", "sub/m.safetensors", "m-1.npy", "..", ""})
        EXPECT_NE(list_error(name, index(std::string(R"("a":")") + path + "\"")).find("beside it"),
                  std::string::npos)
            << path;
    EXPECT_EQ(list_error(name, index(R"("a":"gone.safetensors")")),
              "gone.safetensors: No such file or directory");
    EXPECT_EQ(list_error(name, index(R"("x":"m-1.safetensors")")),
              "m-1.safetensors: does not hold all tensors that the index names");
    EXPECT_EQ(list_error(name, index(R"("a":1)")),
              "its \"weight_map\" contains an entry that is not a string");
    EXPECT_EQ(list_error(name, "[]"), "has no object \"weight_map\"");
    put(folder / name, "{");
    EXPECT_THROW(list_tensors(folder / name), InputError);
}

TEST_F(Lists, HeadersThatLieAreRefusedInALine) {
    const std::string entry = R"("q":{"dtype":"F32","shape":[1],"data_offsets":[0,4]})";
    EXPECT_EQ(list_error("a.safetensors", little_endian(1 << 30, 8)), "ends within its header");
    EXPECT_EQ(list_error("a.safetensors", safetensors("{" + entry + "}", "")), "ends too early");
    EXPECT_EQ(list_error("a.safetensors", safetensors("{" + entry + "}", "12345")),
              "holds bytes that belong to no tensor");
    const std::string huge = R"({"q":{"dtype":"F32","shape":[4611686018427387904,4,4],)"
                             R"("data_offsets":[0,4]}})";
    EXPECT_EQ(list_error("a.safetensors", safetensors(huge, "1234")), "its shape is too large");
    EXPECT_EQ(list_error("a.npz", "no archive"), "is not a valid zip archive");
    EXPECT_EQ(list_error("a.npy", "no array"), "is not a valid .npy file");
    // A shape that the file cannot hold is listed, and refused when it is read.
    const ListedTensor lie =
        list("a.npy", npy("<f4", "False", "(1000000, 1000000)", "1234")).tensors[0];
    EXPECT_THROW(read_part(lie, {}), InputError);
    EXPECT_THROW(read_part(lie, {5}), InputError);
}

// A sparse file of 8 GB, of which the disk holds only the header and one tensor, is listed at once.
TEST_F(Lists, AFileOfGigabytesIsListedAndReadInParts) {
    constexpr std::uint64_t rest = std::uint64_t{8} << 30;
    const std::string header =
        R"({"q":{"dtype":"F64","shape":[1,2],"data_offsets":[0,16]},"rest":{"dtype":"F32","shape":[)" +
        std::to_string(rest / 4096) + ",1024],\"data_offsets\":[16," + std::to_string(16 + rest) +
        "]}}";
    const fs::path file = folder / "large.safetensors";
    put(file, safetensors(header, float64s({1, 2})));
    fs::resize_file(file, 8 + header.size() + 16 + rest);
    const TensorList found = list_tensors(file);
    ASSERT_EQ(found.tensors.size(), 2U);
    EXPECT_EQ(*read_part(found.tensors[0], {}).values, (Numbers{1, 2}));
    const Array last = read_part(found.tensors[1], {static_cast<Index>(rest / 4096) - 1});
    EXPECT_EQ(*last.values, Numbers(1024, 0));
}

TEST_F(Lists, WhatIsWrittenReadsBackTheSame) {
    const double large = 1e300;
    const Array singles = make_array({1, 4}, {0.5, infinity, -infinity, not_a_number});
    const Array doubles = make_array({3}, {0.1, large, -0.0});
    put(folder / "w.safetensors", safetensors_bytes({{"k", doubles}, {"q", singles}}));
    const TensorList found = list_tensors(folder / "w.safetensors");
    ASSERT_EQ(found.tensors.size(), 2U);
    EXPECT_EQ(found.tensors[0].dtype, "F64");
    EXPECT_EQ(found.tensors[1].dtype, "F32");
    EXPECT_EQ(read_part(found.tensors[0], {}), doubles);
    EXPECT_EQ(read_part(found.tensors[1], {}), singles);
}

}  // namespace
}  // namespace maskscope
