// Tests dumps as libraries make them, from public reports, against the correct weights. The sources
// of the reports and the numbers are in tests/data/dumps/expected.json.

#include <fmt/format.h>

#include <cmath>

#include "core/base/build.h"
#include "core/format/scene_json.h"
#include "tests/support/computed.h"
#include "tests/unit/core/dump/dump_files.h"

namespace maskscope {
namespace {

class FieldCases : public DumpFiles {
protected:
    const fs::path data = fs::path(source_folder()) / "tests/data/dumps";

    // Checks the weights of the first variant. The expected ones have 5 decimals.
    void expect_weights(const std::string& name, const std::string& file) {
        dump = read_dump(data / file);
        ASSERT_EQ(plan().missing, "");
        opened = made();
        check_scene(opened.scene);
        const Json all = Json::parse(read_file(data / "expected.json"));
        const Json& wanted = all.at(name).at("expected");
        const VariantResult result = computed(opened.scene).variants[0];
        const Stage& weights = result.stage(StageKind::weights);
        const Json& rows = wanted.at("weights");
        ASSERT_EQ(std::ssize(rows), weights.b());
        for (Index b = 0; b < weights.b(); ++b)
            for (Index h = 0; h < weights.h(); ++h)
                for (Index i = 0; i < weights.rows(); ++i)
                    for (Index j = 0; j < weights.columns(); ++j)
                        EXPECT_NEAR(weights.at(b, h, i, j), rows.at(b).at(h).at(i).at(j), 6e-6)
                            << b << h << i << j;
    }
    bool notes(const std::string& part) const {
        return std::ranges::any_of(plan().notes, [&](const std::string& note) {
            return note.find(part) != std::string::npos;
        });
    }
    DumpScene opened;
};

TEST_F(FieldCases, ScoresAndPatternGiveTheMaskOfACache) {
    expect_weights("01-transformerlens-cache", "01-transformerlens-cache.safetensors");
    EXPECT_EQ(opened.scene.variants[0].mask.layers, std::vector{causal_layer()}) << "causal";
    EXPECT_TRUE(notes("The mask is what blocks.0.attn.hook_attn_scores blocks."));
    EXPECT_NE(agreement(plan(), opened.scene).find("agree with blocks.0.attn.hook_pattern to"),
              std::string::npos);
    choice.mask = "none";
    EXPECT_NE(agreement(plan(), made().scene).find("differ from"), std::string::npos);
}

TEST_F(FieldCases, FlashAttentionsAxesAreAskedFor) {
    dump = read_dump(data / "02-flash-layout.safetensors");
    EXPECT_EQ(plan().missing,
              "Choose whether k [1, 6, 2, 4] has heads or tokens first; the file does not say.");
    EXPECT_EQ(plan().settled_by, "--axes bhnd or --axes bnhd");
    EXPECT_TRUE(notes("No mask in the file"));
    choice.axes = "bnhd";
    expect_weights("02-flash-layout", "02-flash-layout.safetensors");
    choice.axes = "nhd";
    EXPECT_EQ(plan().missing, "k has 4 axes, not nhd.");
}

TEST_F(FieldCases, PackedTokensAreDocuments) {
    expect_weights("04-varlen", "04-varlen.safetensors");
    EXPECT_EQ(opened.scene.variants[0].mask.layers[0].lengths, (std::vector<Index>{3, 2, 5}));
}

TEST_F(FieldCases, NoMaskIsNoDocumentsEither) {
    dump = read_dump(data / "04-varlen.safetensors");
    choice.mask = "none";
    EXPECT_TRUE(made().scene.variants[0].mask.layers.empty());
    EXPECT_TRUE(notes("Not used: cu_seqlens_q."));
    EXPECT_TRUE(notes("No mask is used: every key is allowed."));
}

TEST_F(FieldCases, AveragedWeightsAreOfSequences) {
    expect_weights("06-averaged-weights", "attn_output_weights.npy");
    EXPECT_EQ(shape_of(opened.scene), (Shape{2, 1, 3, 3}));
}

TEST_F(FieldCases, ABiasIsAdded) {
    expect_weights("07-alibi-tensor", "07-alibi-tensor.safetensors");
}

TEST_F(FieldCases, SlopesOfAlibiAreAdded) {
    const auto with_slopes = [&](const MadeTensor& slopes) {
        open({{"layer.0.q", {"F32", {1, 2, 1, 2}}},
              {"layer.0.k", {"F32", {1, 2, 3, 2}}},
              {"layer.0.alibi_slopes", slopes}},
             {{"layer.0.scale", "1"}});
    };
    with_slopes({"F32", {2}, {0.5, 0.25}});
    const auto layers = made().scene.variants[0].mask.layers;
    ASSERT_EQ(layers.size(), 2U);
    EXPECT_EQ(layers[0].bias, (std::vector<BiasCell>{{0, 0, -1}, {0, 1, -0.5}}));
    EXPECT_EQ(layers[1].bias, (std::vector<BiasCell>{{0, 0, -0.5}, {0, 1, -0.25}}));
    with_slopes({"F32", {3}, {0.5, 0.25, 1}});
    EXPECT_THROW(made(), InputError);
}

TEST_F(FieldCases, MergedHeadsAreSplitWhereTheirNumberIsSaid) {
    expect_weights("09-merged-heads", "09-merged-heads.safetensors");
    dump = read_dump(data / "09-merged-heads-named-q.safetensors");
    EXPECT_EQ(
        plan().missing,
        "Choose whether k [2, 5, 8] has heads, tokens or sequences first; the file does not say. "
        "Merged heads, [b, n, h·d], need num_attention_heads in the metadata.");
}

TEST_F(FieldCases, OlderKeysOfAStepAreNotPads) {
    expect_weights("12-step-of-a-window", "12-step-of-a-window.safetensors");
    EXPECT_EQ(key_tokens(opened.scene, 0)[0], "0");
}

TEST_F(FieldCases, AMaskAloneOpens) {
    dump = read_dump(data / "13-mask-alone.npy");
    ASSERT_EQ(plan().missing, "");
    EXPECT_EQ(plan().opens, "A mask: 1 head, 8 tokens.");
    opened = made();
    check_scene(opened.scene);
    EXPECT_EQ(opened.scene.title, "13-mask-alone: block causal 4; 48 of 64 cells allowed");
    EXPECT_EQ(opened.scene.show->stages, std::vector<StageKind>{StageKind::allowed});
}

// --- files that the tests make

const std::map<std::string, std::string> of_script{{"layer.0.scale", "0.5"}};

TEST_F(FieldCases, SinksAndSoftcapAreUsed) {
    auto metadata = of_script;
    metadata["layer.0.softcap"] = "50.0";
    open({{"layer.0.q", {"F32", {1, 2, 3, 4}}},
          {"layer.0.k", {"F32", {1, 2, 3, 4}}},
          {"layer.0.sinks", {"F32", {2}, {0.5, -1}}}},
         metadata);
    const Variant variant = made().scene.variants[0];
    EXPECT_EQ(variant.softcap, (Softcap{50, CapOrder::before_mask}));
    EXPECT_EQ(variant.normalizer, Normalizer::softmax_sink);
    EXPECT_EQ(variant.sink, Sink(std::vector<double>{0.5, -1}));
    metadata["layer.0.sinks"] = "[0.25, 2]";
    open({{"layer.0.q", {"F32", {1, 2, 3, 4}}}, {"layer.0.k", {"F32", {1, 2, 3, 4}}}}, metadata);
    EXPECT_EQ(made().scene.variants[0].sink, Sink(std::vector<double>{0.25, 2}));
    metadata["layer.0.sinks"] = "true";
    open({{"layer.0.q", {"F32", {1, 2, 3, 4}}}, {"layer.0.k", {"F32", {1, 2, 3, 4}}}}, metadata);
    EXPECT_EQ(made().scene.variants[0].normalizer, Normalizer::softmax);
    EXPECT_TRUE(notes("The sinks in the file are ignored"));
}

// There are two documents: 2 queries over 3 keys, and 1 query over 1 key. The causal rule is
// aligned at the end of each.
TEST_F(FieldCases, PackedQueriesMayHaveOtherKeys) {
    const auto with_ends = [&](const std::vector<double>& of_keys) {
        open({{"q", {"F32", {3, 1, 2}}},
              {"k", {"F32", {4, 1, 2}}},
              {"cu_seqlens_q", {"I64", {3}, {0, 2, 3}}},
              {"cu_seqlens_k", {"I64", {std::ssize(of_keys)}, of_keys}}},
             {{"scale", "1"}});
    };
    const auto truths = [&] {
        return made().scene.variants[0].mask.layers.at(0).tensor->values->float64s();
    };
    with_ends({0, 3, 4});
    EXPECT_EQ(plan().missing, "");
    EXPECT_EQ(truths(), (std::vector<double>{1, 1, 1, 0, 1, 1, 1, 0, 0, 0, 0, 1}));
    choice.mask = "causal";
    EXPECT_EQ(truths(), (std::vector<double>{1, 1, 0, 0, 1, 1, 1, 0, 0, 0, 0, 1}));
    const auto problem = [&]() -> std::string {
        try {
            made();
        } catch (const InputError& error) {
            return error.what();
        }
        return "";
    };
    with_ends({0, 4});
    EXPECT_EQ(problem(), "cu_seqlens_q has 2 documents, but cu_seqlens_k has 1. Use --mask none");
    with_ends({0, 3, 5});
    EXPECT_EQ(problem(), "cu_seqlens_k ends at 5, but there are 4 keys. Use --mask none");
    with_ends({0, 5, 4});
    EXPECT_EQ(problem(),
              "cu_seqlens_k does not ascend from 0, but there are 4 keys. Use --mask none");
    choice.mask = "none";
    EXPECT_EQ(problem(), "");
}

TEST_F(FieldCases, TheBiasOfT5HoldsItsMask) {
    open({{"layer.0.q", {"F32", {1, 1, 2, 4}}},
          {"layer.0.k", {"F32", {1, 1, 2, 4}}},
          {"layer.0.position_bias", {"F32", {1, 1, 2, 2}, {0.5, -3e38, 0.25, 0.5}}}},
         of_script);
    const auto layers = made().scene.variants[0].mask.layers;
    ASSERT_EQ(layers.size(), 2U);
    EXPECT_EQ(layers[0], causal_layer()) << "causal";
    EXPECT_EQ(layers[1].bias, (std::vector<BiasCell>{{0, 0, 0.5}, {1, 0, 0.25}, {1, 1, 0.5}}));
}

// The file has a pattern of weights of 1 GB, which is sparse on the disk. It is not read to find
// out what was blocked.
TEST_F(FieldCases, APatternThatIsTooLargeGivesNoMask) {
    Json header = {{"__metadata__", {{"scale", "1"}}}};
    std::size_t at = 0;
    const auto add = [&](const std::string& name, const std::vector<Index>& axes) {
        const std::size_t end = at + static_cast<std::size_t>(count_in(axes)) * 4;
        header[name] = {{"dtype", "F32"}, {"shape", axes}, {"data_offsets", {at, end}}};
        at = end;
    };
    add("hook_q", {1, 4096, 16, 8});
    add("hook_k", {1, 4096, 16, 8});
    add("hook_pattern", {1, 16, 4096, 4096});
    std::string text = header.dump(), length;
    for (std::size_t b = 0; b < 8; ++b) length += static_cast<char>(text.size() >> (8 * b) & 0xff);
    write_new_file(folder / "large.safetensors", length + text);
    fs::resize_file(folder / "large.safetensors", 8 + text.size() + at);
    dump = read_dump(folder / "large.safetensors");
    EXPECT_EQ(plan().missing, "Choose a mask. hook_pattern is too large to derive one from.");
    EXPECT_EQ(plan().settled_by, "--mask causal or --mask none");
    choice.mask = "causal";
    EXPECT_EQ(plan().missing, "");
}

TEST_F(FieldCases, OptionsChooseLayerSequenceAndMask) {
    const MadeTensor two{"F32", {2, 1, 3, 4}};
    open({{"layer.3.q", two},
          {"layer.3.k", two},
          {"layer.7.q", two},
          {"layer.7.k", two},
          {"layer.7.extra", two}},
         of_script);
    choice.layer = 7;
    choice.sequence = 1;
    choice.mask = "causal";
    choice.scale = Scale{ScaleKind::none, 1};
    EXPECT_EQ(plan().group, "layer 7");
    EXPECT_EQ(plan().missing, "");
    EXPECT_TRUE(notes("Not used: layer.7.extra."));
    EXPECT_EQ(made().scene.variants[0].mask.layers, std::vector{causal_layer()});
    choice.layer = 4;
    EXPECT_EQ(plan().missing, "There is no layer 4: the file has layer 3, layer 7.");
    choice.layer = 0;
    EXPECT_EQ(plan().missing, "There is no layer 0: the file has layer 3, layer 7.");
    choice.layer = 3;
    choice.sequence = 2;
    EXPECT_EQ(plan().missing, "There is no sequence 2: the file has 2 sequences, counted from 0.");
    choice.sequence.reset();
    choice.mask = "absent";
    EXPECT_EQ(plan().missing, "There is no tensor absent for a mask.");
}

}  // namespace
}  // namespace maskscope
