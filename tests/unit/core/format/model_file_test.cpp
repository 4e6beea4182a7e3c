// Tests that a wrong model file is refused, and that the message names the tensor or key.

#include "core/format/model_file.h"

#include <nlohmann/json.hpp>

#include "core/base/build.h"
#include "core/base/json_text.h"
#include "tests/unit/core/tensors/tensor_files.h"

namespace maskscope {
namespace {

class ModelFile : public TensorFiles {
protected:
    ModelFile() {
        bytes_ =
            read_file(source_folder() + "/assets/models/italian-english-no-causal.safetensors");
        std::uint64_t length = 0;
        for (std::size_t k = 8; k-- > 0;)
            length = length << 8 | static_cast<unsigned char>(bytes_[k]);
        header_ = parse_json(bytes_.substr(8, length));
        numbers_ = bytes_.substr(8 + length);
    }
    std::string error_of(const Json& header, const std::string& numbers) {
        put(folder / "x.safetensors", safetensors(header.dump(), numbers));
        try {
            read_model("x.safetensors", folder);
        } catch (const InputError& error) {
            EXPECT_EQ(error.place, "");
            return error.what();
        }
        return "none";
    }
    // Returns the error with a key of the metadata set, or removed if it is "".
    std::string error_with(const std::string& key, const std::string& value) {
        Json header = header_;
        header["__metadata__"][key] = value;
        if (value.empty()) header["__metadata__"].erase(key);
        return error_of(header, numbers_);
    }

    std::string bytes_, numbers_;
    Json header_;
};

TEST_F(ModelFile, IsReadAsTheBuiltInOneIs) {
    put(folder / "x.safetensors", bytes_);
    const SharedValue<Model> read = read_model("x.safetensors", folder);
    EXPECT_TRUE(read == read_model("italian-english-no-causal", ""));
    EXPECT_EQ(read->source.words.size(), 250U);
    EXPECT_EQ(read->target.words.size(), 140U);
    EXPECT_EQ(read->decoder.layers.at(0).kind, LayerKind::padding);
    EXPECT_EQ(read->max_source, 12);
    EXPECT_EQ(error_with("else", "3"), "none");
}

TEST_F(ModelFile, WithABadKeyIsRefused) {
    const auto error = [&](const char* key, const char* value) {
        return error_with(key, value).substr(std::string("x.safetensors: ").size());
    };
    for (const char* key :
         {"maskscope_model", "source", "target", "heads", "max_source", "max_target", "masks"})
        EXPECT_EQ(error(key, ""), key + std::string(": missing key"));
    EXPECT_EQ(error("maskscope_model", "2"), "maskscope_model: expected \"1\"");
    EXPECT_EQ(error("heads", "0"), "heads: expected an integer from 1 to 1024, got 0");
    EXPECT_EQ(error("heads", "3"), "heads: expected a divisor of the width 64, got 3");
    EXPECT_TRUE(error("heads", "four").starts_with("heads: line 1, column "));
    EXPECT_EQ(error("max_target", "65"), "max_target: expected an integer from 1 to 64, got 65");
    EXPECT_EQ(error("target", "[\"<pad>\", \"<bos>\", \"<eos>\"]"),
              "target: expected 4 to 65536 words, got 3");
    EXPECT_EQ(error("target", "[\"<pad>\", \"<bos>\", \"a\", \"<eos>\"]"),
              "target: /2: expected \"<eos>\", got \"a\"");
    EXPECT_EQ(error("target", "[\"<pad>\", \"<bos>\", \"<eos>\", \"a\", \"a\"]"),
              "target: /4: repeats an earlier entry");
    EXPECT_EQ(error("masks", R"({"encoder": {}, "decoder": {}})"), "masks: /cross: missing key");
    EXPECT_EQ(error("masks", R"({"encoder": {}, "decoder": {"layers": [{"kind": "sinks"}]},
                                 "cross": {}})"),
              "masks: /decoder/layers/0/kind: expected \"padding\" or \"causal\", got \"sinks\"");
    EXPECT_EQ(error("alignment", "[1, 0]"), "alignment: /0: expected 0, got 1");
}

TEST_F(ModelFile, WithABadTensorIsRefused) {
    const auto named = [](const std::string& rest) { return "x.safetensors: " + rest; };
    Json header = header_;
    header["dec.0.ca.q.weight"]["shape"] = {32, 128};
    EXPECT_EQ(error_of(header, numbers_),
              named("dec.0.ca.q.weight: expected [64, 64], got [32, 128]"));
    header = header_;
    header["dec.0.ca.q.weigth"] = header["dec.0.ca.q.weight"];
    header.erase("dec.0.ca.q.weight");
    EXPECT_EQ(error_of(header, numbers_), named("dec.0.ca.q.weight: missing tensor"));
    header = header_;
    header["dec.8.n1.bias"] = header["ne.bias"];
    header.erase("ne.bias");
    EXPECT_EQ(error_of(header, numbers_), named("dec.8.n1.bias: expected 1 to 8 layers"));
    header = header_;
    const std::size_t end = numbers_.size();
    header["more"] = {{"dtype", "F16"}, {"shape", {1}}, {"data_offsets", {end, end + 2}}};
    EXPECT_EQ(error_of(header, numbers_ + "ab"), named("more: unknown tensor"));
    header = header_;
    header["b"]["dtype"] = "I16";
    EXPECT_EQ(error_of(header, numbers_),
              named("b: its numbers are of type I16; expected F16, BF16, F32 or F64"));
    std::string numbers = numbers_;
    const auto at = header_["ne.weight"]["data_offsets"][0].get<std::size_t>();
    numbers.replace(at, 2, std::string("\x00\x7e", 2));
    EXPECT_EQ(error_of(header_, numbers), named("ne.weight: holds NaN"));
    numbers.replace(at, 2, std::string("\x00\xfc", 2));
    EXPECT_EQ(error_of(header_, numbers), named("ne.weight: holds an infinite number"));
    EXPECT_EQ(error_of(header_, numbers_.substr(2)), named("ends too early"));
}

}  // namespace
}  // namespace maskscope
