// Tests masks and biases whose cells are in tensor files: of Booleans, integers or floats.

#include "core/attention/mask.h"
#include "core/format/scene_json.h"
#include "tests/unit/core/tensors/tensor_files.h"

namespace maskscope {
namespace {

class MaskFiles : public ::testing::Test {
protected:
    Scene scene_with(const std::string& layer) const {
        return read_scene(R"({"maskscope": 1, "sequences": [{"queries": ["a", "b"]}], "inputs":
            {"kind": "embedding", "seed": 1, "heads": 2, "d_k": 2, "d_v": 2}, "variants": [
            {"name": "v", "mask": {"layers": [)" +
                              layer + "]}}]}",
                          folder);
    }
    std::string error_of(const std::string& layer) const {
        try {
            scene_with(layer);
            return "none";
        } catch (const InputError& error) {
            return error.place + ": " + error.what();
        }
    }
    // Returns the cells of head h, row by row: "1011".
    std::string cells(const Scene& scene, Index h = 0) const {
        const Allowed allowed = allowed_cells(scene, scene.variants[0].mask.layers, 0, h);
        std::string text;
        for (Index k = 0; k < allowed.size(); ++k) text += allowed.data()[k] ? '1' : '0';
        return text;
    }
    void write(const std::string& file, const std::string& type, const std::string& shape,
               const std::string& numbers) {
        put(folder / file, npy(type, "False", shape, numbers));
    }

    Folder folder;
};

constexpr const char* one_tensor = R"({"kind": "tensor", "allowed": "m.npy"})";

TEST_F(MaskFiles, HoldTruthsIntegersOrFloats) {
    using namespace std::string_literals;
    write("m.npy", "|b1", "(2, 2)", "\x01\x00\x01\x01"s);
    EXPECT_EQ(cells(scene_with(one_tensor)), "1011");
    for (const auto& [type, bytes] : std::vector<std::pair<std::string, std::size_t>>{{"|i1", 1},
                                                                                      {"|u1", 1},
                                                                                      {"<i2", 2},
                                                                                      {"<u2", 2},
                                                                                      {"<i4", 4},
                                                                                      {"<u4", 4},
                                                                                      {"<i8", 8},
                                                                                      {"<u8", 8}}) {
        write("m.npy", type, "(2, 2)",
              little_endian(5, bytes) + little_endian(0, bytes) + little_endian(~0ULL, bytes) +
                  little_endian(1, bytes));
        EXPECT_EQ(cells(scene_with(one_tensor)), "1011") << type;
    }
    write("m.npy", "<f8", "(2, 2)", float64s({0, -infinity, -0.0, -9984}));
    EXPECT_EQ(cells(scene_with(one_tensor)), "1010");
    put(folder / "m.safetensors",
        safetensors(R"({"m":{"dtype":"BOOL","shape":[2,1,2],"data_offsets":[0,4]}})",
                    "\x01\x00\x01\x01"s));
    EXPECT_EQ(error_of(R"({"kind": "tensor", "allowed": "m.safetensors:m"})"),
              "/variants/0/mask/layers/0/allowed: expected an array [2, 2], [2, 2, 2] or "
              "[1, 2, 2, 2] (1 stands for all heads or sequences), got [2, 1, 2]");
    put(folder / "m.safetensors",
        safetensors(R"({"m":{"dtype":"BOOL","shape":[2,2,2],"data_offsets":[0,8]}})",
                    "\x01\x00\x01\x01\x00\x01\x00\x00"s));
    const Scene by_head = scene_with(R"({"kind": "tensor", "allowed": "m.safetensors:m"})");
    EXPECT_EQ(cells(by_head, 0) + cells(by_head, 1), "10110100");
}

TEST_F(MaskFiles, NameTheFirstCellThatIsNeither) {
    write("m.npy", "<f8", "(2, 2)", float64s({0, -9983, 1, 0}));
    EXPECT_EQ(error_of(one_tensor),
              "/variants/0/mask/layers/0/allowed: expected 0, or at most -9984, "
              "got −9983 at [0, 0, 0, 1]");
    write("m.npy", "<f8", "(1, 2, 2)", float64s({0, 0, std::nan(""), 0}));
    EXPECT_EQ(error_of(R"({"kind": "tensor", "allowed": "m.npy", "heads": [0]})"),
              "/variants/0/mask/layers/0/allowed: expected 0, or at most -9984, got NaN at "
              "[0, 0, 1, 0]");
    EXPECT_EQ(error_of(R"({"kind": "bias", "tensor": "m.npy"})"),
              "/variants/0/mask/layers/0/tensor: expected numbers or −∞, got NaN at [0, 0, 1, 0]");
    write("m.npy", "<f8", "(1, 2, 2)", float64s({0, -infinity, infinity, 0}));
    EXPECT_EQ(error_of(R"({"kind": "bias", "tensor": "m.npy"})"),
              "/variants/0/mask/layers/0/tensor: expected numbers or −∞, got +∞ at [0, 0, 1, 0]");
}

TEST_F(MaskFiles, AreWrittenAsTheyWereNamed) {
    using namespace std::string_literals;
    write("m.npy", "|b1", "(2, 2)", "\x01\x00\x01\x01"s);
    write("b.npy", "<f8", "(2, 2)", float64s({0, -infinity, 2, 3}));
    const Scene scene =
        scene_with(std::string(one_tensor) + R"(, {"kind": "bias", "tensor": "b.npy", "heads": [1]},
        {"kind": "any", "layers": [{"kind": "tensor", "allowed": [[true, false], [false, true]],
                                    "invert": true}]})");
    const std::string text = write_scene(scene);
    EXPECT_NE(text.find(R"("allowed": "m.npy")"), std::string::npos);
    EXPECT_NE(text.find("[true, false]"), std::string::npos) << text;
    EXPECT_EQ(read_scene(text, folder), scene);
    EXPECT_NO_THROW(check_scene(scene));
    EXPECT_EQ(with_fields(scene, {{"/variants/0/name", "\"w\""}}, folder).variants[0].mask,
              scene.variants[0].mask);
    EXPECT_THROW(
        with_fields(scene, {{"/inputs", R"({"kind": "scores", "scores": "m.npy"})"}}, folder),
        InputError)
        << "truths are not numbers";
}

}  // namespace
}  // namespace maskscope
