// Tests the scenes that dumps become: their numbers, masks and tokens.

#include "core/dump/dump_scene.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <map>
#include <numeric>
#include <string>
#include <string_view>

#include "core/attention/mask.h"
#include "core/dump/dump_mask.h"
#include "core/format/scene_json.h"
#include "tests/unit/core/dump/dump_files.h"

namespace maskscope {
namespace {

const std::map<std::string, std::string> scaled{{"scale", "0.5"}};

MadeTensor counting(const std::vector<Index>& axes) {
    MadeTensor made{"F32", axes};
    made.numbers.resize(static_cast<std::size_t>(count_in(axes)));
    std::iota(made.numbers.begin(), made.numbers.end(), 0.0);
    return made;
}

MadeTensor added_mask() {
    return {"F32",
            {2, 1, 3, 3},
            {0, -1e9, -1e9, 0, 0, -1e9, 0, 0, 0, 0, -1e9, -1e9, 0, 0, -1e9, 0, 0, -1e9}};
}

// Writes without waiting for the disk.
void write_over(const fs::path& path, const std::string& bytes) {
    fs::remove(path);
    write_new_file(path, bytes);
}

std::string little_endian_text(std::uint64_t length) {
    std::string bytes;
    for (std::size_t b = 0; b < 8; ++b) bytes += static_cast<char>(length >> (8 * b) & 0xff);
    return bytes;
}

std::size_t resident_bytes() {
    std::ifstream status("/proc/self/statm");
    std::size_t all = 0, resident = 0;
    status >> all >> resident;
    return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

// Expects a valid scene that is the same after it is saved and read again.
void expect_sound(const DumpScene& made) {
    check_scene(made.scene);
    EXPECT_EQ(read_scene(write_scene(made.scene), made.folder), made.scene);
}

TEST_F(DumpFiles, WholeTensorsAreReferredTo) {
    open({{"layer.0.q", counting({1, 2, 3, 4})},
          {"layer.0.k", counting({1, 2, 3, 4})},
          {"layer.0.v", counting({1, 2, 3, 4})}},
         scaled);
    const DumpScene scene = made();
    const auto& inputs = std::get<TensorsInputs>(scene.scene.inputs);
    EXPECT_EQ(inputs.queries.file, "a.safetensors:layer.0.q");
    EXPECT_EQ(inputs.values->file, "a.safetensors:layer.0.v");
    EXPECT_EQ(scene.folder, folder.path());
    EXPECT_EQ(copies.entries(), 0U);
    EXPECT_EQ(scene.scene.title, "a, layer 0");
    EXPECT_EQ(scene.scene.variants[0].scale, (Scale{ScaleKind::sqrt_d_k, 1}));
    expect_sound(scene);
}

TEST_F(DumpFiles, PositionsBeforeHeadsAreRearranged) {
    open({{"blocks.0.attn.hook_q", counting({1, 3, 2, 4})},
          {"blocks.0.attn.hook_k", counting({1, 3, 2, 4})}},
         scaled);
    const DumpScene scene = made();
    const auto& queries = std::get<TensorsInputs>(scene.scene.inputs).queries;
    EXPECT_EQ(queries.axes, (std::vector<Index>{1, 2, 3, 4}));
    EXPECT_EQ(queries.file, "a-blocks-0.safetensors:q");
    for (Index h = 0; h < 2; ++h)
        for (Index i = 0; i < 3; ++i)
            for (Index d = 0; d < 4; ++d)
                EXPECT_EQ((*queries.values)[(h * 3 + i) * 4 + d], (i * 2 + h) * 4 + d);
    EXPECT_EQ(scene.folder, copies.path());
    expect_sound(scene);
}

TEST_F(DumpFiles, TwoAxesHaveNoHeadsToRearrange) {
    open({{"blocks.0.attn.hook_q", counting({3, 4})}, {"blocks.0.attn.hook_k", counting({3, 4})}},
         scaled);
    const DumpScene scene = made();
    const auto& queries = std::get<TensorsInputs>(scene.scene.inputs).queries;
    EXPECT_EQ(queries.file, "a.safetensors:blocks.0.attn.hook_q");
    EXPECT_EQ(shape_of(scene.scene), (Shape{1, 1, 3, 3}));
    expect_sound(scene);
}

TEST_F(DumpFiles, LayersThatDifferAreRefused) {
    open({{"q", counting({3, 1, 2, 2, 5})}, {"k", counting({2, 1, 2, 2, 5})}}, scaled);
    EXPECT_EQ(plan().missing, "k has a different number of layers from the rest.");
    open({{"q", counting({3, 1, 2, 2, 5})},
          {"k", counting({3, 1, 2, 2, 5})},
          {"mask", counting({1, 1, 1, 2, 2})}},
         {{"axes", "bhnd"}, {"scale", "0.5"}});
    EXPECT_EQ(plan().missing, "mask has a different number of layers from the rest.");
}

TEST_F(DumpFiles, OneSequenceOneLayerAndRepeatedHeads) {
    open({{"q", counting({3, 2, 4, 2, 5})},
          {"k", counting({3, 2, 2, 2, 5})},
          {"v", counting({3, 2, 2, 2, 1})}},
         scaled);
    choice.layer = 2;
    choice.sequence = 1;
    const DumpScene scene = made();
    const auto& inputs = std::get<TensorsInputs>(scene.scene.inputs);
    EXPECT_EQ(inputs.queries.axes, (std::vector<Index>{1, 4, 2, 5}));
    EXPECT_EQ((*inputs.queries.values)[0], (2 * 2 + 1) * 4 * 2 * 5);
    EXPECT_EQ(inputs.keys.axes, (std::vector<Index>{1, 4, 2, 5}));
    const double first = (2 * 2 + 1) * 2 * 2 * 5;
    for (Index h = 0; h < 4; ++h)
        EXPECT_EQ((*inputs.keys.values)[h * 10], first + static_cast<double>(h / 2 * 10)) << h;
    EXPECT_EQ(inputs.values->axes, (std::vector<Index>{1, 4, 2, 1}));
    EXPECT_EQ(scene.scene.title, "a, layer 3, sequence 2");
    EXPECT_EQ(inputs.queries.file, "a-layer-2-sequence-1.safetensors:q");
    expect_sound(scene);
}

TEST_F(DumpFiles, WeightsAndScoresBecomeTheirKinds) {
    open({{"attn_weights", counting({1, 2, 3, 3})},
          {"mask", {"F32", {3, 3}, {1, 0, 0, 1, 1, 0, 1, 1, 1}}}});
    DumpScene scene = made();
    EXPECT_TRUE(std::holds_alternative<WeightsInputs>(scene.scene.inputs));
    EXPECT_EQ(scene.scene.variants[0].mask.apply, Apply::none);
    EXPECT_EQ(scene.scene.variants[0].mask.layers.size(), 1U);
    expect_sound(scene);
    MadeTensor masked = counting({1, 1, 2, 2});
    masked.numbers[1] = -infinity;
    open({{"hook_attn_scores", masked}});
    scene = made();
    const auto& scores = std::get<ScoresInputs>(scene.scene.inputs).scores;
    EXPECT_EQ((*scores.values)[1], -infinity);
    EXPECT_EQ(scene.scene.variants[0].scale.kind, ScaleKind::none);
    expect_sound(scene);
}

TEST_F(DumpFiles, AFileBehindALinkIsCopied) {
    Folder blobs;
    replace_file(blobs / "0123",
                 dump_bytes({{"q", counting({2, 2})}, {"k", counting({2, 2})}}, scaled));
    fs::create_symlink(blobs / "0123", folder / "model.safetensors");
    dump = read_dump(folder / "model.safetensors");
    const DumpScene scene = made();
    EXPECT_EQ(scene.folder, copies.path());
    EXPECT_EQ(std::get<TensorsInputs>(scene.scene.inputs).keys.file, "model.safetensors:k");
    expect_sound(scene);
}

TEST_F(DumpFiles, ATitleThatNoSceneCouldHoldIsMadeFit) {
    open("a\nb.safetensors",
         dump_bytes({{"q", counting({2, 2})}, {"k", counting({2, 2})}}, scaled));
    const DumpScene scene = made();
    EXPECT_EQ(scene.scene.title, "a\\u000ab");
    EXPECT_EQ(std::get<TensorsInputs>(scene.scene.inputs).keys.file, "a-b.safetensors:k");
    expect_sound(scene);
}

// The file has 8 GB and is sparse; only what is shown is read.
TEST_F(DumpFiles, GigabytesOpenLayerByLayer) {
    constexpr std::size_t layers = 48;
    Json header = Json::object();
    header["__metadata__"] = {{"scale", "0.125"}};
    std::size_t at = 0;
    const auto add = [&](const std::string& name, const std::vector<Index>& axes) {
        const std::size_t end = at + static_cast<std::size_t>(count_in(axes)) * 4;
        header[name] = {{"dtype", "F32"}, {"shape", axes}, {"data_offsets", {at, end}}};
        at = end;
    };
    add("embedding", {1 << 21, 1024});
    for (std::size_t layer = 0; layer < layers; ++layer)
        for (const char* part : {"q", "k", "v"})
            add(fmt::format("layer.{}.{}", layer, part), {1, 12, 256, 64});
    ASSERT_GT(at, 8'000'000'000U);
    const std::string text = header.dump();
    const fs::path file = folder / "large.safetensors";
    write_new_file(file, little_endian_text(text.size()) + text);
    fs::resize_file(file, 8 + text.size() + at);
    for (const char* layer : {"layer 0", "layer 47"}) {
        const auto begin = std::chrono::steady_clock::now();
        const std::size_t before = resident_bytes();
        dump = read_dump(file);
        choice.group = layer;
        const DumpScene scene = made();
        EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(1));
        EXPECT_LT(resident_bytes(), before + (std::size_t{200} << 20));
        EXPECT_EQ(scene.scene.title, std::string("large, ") + layer);
    }
}

// --- masks

constexpr double lowest = std::numeric_limits<float>::lowest();

class DumpMasks : public DumpFiles {
protected:
    // Returns the scene that is made of queries and keys of these sizes and this mask.
    const Scene& with(const Shape& shape, const MadeTensor& mask, const std::string& name = "mask",
                      const std::string& tokens = "") {
        auto metadata = scaled;
        if (!tokens.empty()) metadata["tokens"] = tokens;
        const std::string layer = name.starts_with("h.0") ? "h.0." : "";
        open({{layer + "q", counting({shape.b, shape.h, shape.n_q, 2})},
              {layer + "k", counting({shape.b, shape.h, shape.n_k, 2})},
              {name, mask}},
             metadata);
        opened = made();
        expect_sound(opened);
        return opened.scene;
    }
    const std::vector<MaskLayer>& layers() const { return opened.scene.variants[0].mask.layers; }
    std::string problem(const Shape& shape, const MadeTensor& mask) {
        try {
            with(shape, mask);
        } catch (const InputError& error) {
            return error.what();
        }
        return "none";
    }
    // Returns a mask to be added. `cells` lists it row by row, with # where the mask blocks.
    static MadeTensor added(const std::vector<Index>& axes, const std::string& cells,
                            double value) {
        MadeTensor made{"F32", axes};
        for (const char c : cells) made.numbers.push_back(c == '#' ? value : 0);
        return made;
    }

    DumpScene opened;
};

TEST_F(DumpMasks, CausalIsCausal) {
    with({1, 2, 3, 3}, added({1, 1, 3, 3}, ".##..#...", lowest));
    ASSERT_EQ(layers().size(), 1U);
    EXPECT_EQ(layers()[0], causal_layer());
    EXPECT_EQ(opened.scene.variants[0].mask.value.kind, ValueKind::lowest);
    with({1, 2, 2, 4}, added({2, 4}, "...#....", -infinity));
    ASSERT_EQ(layers().size(), 1U);
    EXPECT_EQ(layers()[0].align, Align::bottom_right);
    EXPECT_EQ(opened.scene.variants[0].mask.value.kind, ValueKind::minus_infinity);
    with({1, 1, 2, 2}, added({2, 2}, "....", 0));
    EXPECT_TRUE(layers().empty());
    with({1, 1, 2, 2}, added({2, 2}, ".#..", -10000));
    EXPECT_EQ(opened.scene.variants[0].mask.value, (BlockedValue{ValueKind::number, -10000}));
}

TEST_F(DumpMasks, Gpt2sIsCut) {
    MadeTensor bias{"BOOL", {1, 1, 5, 5}};
    for (int i = 0; i < 5; ++i)
        for (int j = 0; j < 5; ++j) bias.numbers.push_back(j <= i);
    with({1, 1, 3, 3}, bias, "h.0.attn.bias");
    EXPECT_EQ(layers(), std::vector{causal_layer()});
    with({1, 1, 1, 4}, bias, "h.0.attn.bias");
    EXPECT_TRUE(layers().empty()) << "the last query attends to all keys";
    choice.sequence = 1;
    with({2, 1, 3, 3}, bias, "h.0.attn.bias");
    EXPECT_EQ(layers(), std::vector{causal_layer()}) << "all sequences have the same";
    choice.sequence.reset();
    open({{"q", counting({1, 1, 3, 2})}, {"k", counting({1, 1, 2, 2})}, {"h.0.attn.bias", bias}},
         scaled);
    EXPECT_EQ(plan().missing, "h.0.attn.bias [1, 1, 5, 5] does not fit 3 queries and 2 keys.");
}

TEST_F(DumpMasks, OneOfASequenceIsNoneOfAHead) {
    const MadeTensor mask = added({2, 3, 3}, "...........#..#..#", lowest);
    with({2, 4, 3, 3}, mask);
    EXPECT_EQ(opened.scene.sequences[1].queries.back(), "<pad>");
    choice.sequence = 0;
    with({2, 4, 3, 3}, mask);
    EXPECT_TRUE(layers().empty());
    choice.sequence = 1;
    with({2, 4, 3, 3}, mask);
    ASSERT_EQ(layers().size(), 1U);
    EXPECT_EQ(layers()[0].kind, LayerKind::padding);
}

TEST_F(DumpMasks, WhatTheFirstAxisIsIsNotGuessed) {
    const auto missing = [&](const Shape& s, const MadeTensor& mask, const std::string& name) {
        open({{"q", counting({s.b, s.h, s.n_q, 2})},
              {"k", counting({s.b, s.h, s.n_k, 2})},
              {name, mask}},
             scaled);
        return plan().missing;
    };
    EXPECT_EQ(missing({2, 2, 3, 3}, added({2, 3, 3}, "...........#..#..#", lowest), "mask"),
              "The first axis of mask [2, 3, 3] may be sequences or heads; the file does not say. "
              "Save the mask with 4 axes.");
    EXPECT_EQ(plan().settled_by, "--mask causal or --mask none");
    EXPECT_EQ(missing({3, 2, 3, 3}, added({3, 3}, ".##..#...", lowest), "mask"),
              "The first axis of mask [3, 3] may be sequences or queries; the file does not say. "
              "Save the mask with 4 axes.");
    EXPECT_EQ(missing({3, 2, 3, 3}, added({3, 3}, ".##..#...", lowest), "attn_mask"), "");
    EXPECT_EQ(missing({3, 2, 3, 3}, added({3, 3}, "..#..#...", lowest), "attention_mask"), "");
}

TEST_F(DumpMasks, HeadsThatShareOneHoldItOnce) {
    const Array causal = make_array({1, 1, 2, 2}, {0, -infinity, 0, 0});
    const DumpedMask mask = read_mask(causal, {3, 12, 2, 2}, std::nullopt);
    EXPECT_EQ(mask.allowed.size(), 4U);
    EXPECT_FALSE(mask.allows(2, 11, 0, 1));
    EXPECT_TRUE(mask.allows(2, 11, 1, 1));
    EXPECT_EQ(layers_of(mask).layers, std::vector{causal_layer()});
}

TEST_F(DumpMasks, PadsAreNamed) {
    with({2, 1, 3, 3}, added({2, 1, 1, 3}, "..#...", lowest), "attention_mask",
         R"([["a","b","[PAD]"],["c","d","e"]])");
    ASSERT_EQ(layers().size(), 1U);
    EXPECT_EQ(layers()[0].kind, LayerKind::padding);
    EXPECT_EQ(opened.scene.pad_token, "[PAD]");
    // If there are no tokens, padding is named <pad>.
    with({2, 1, 3, 3}, {"I64", {2, 3}, {0, 1, 1, 1, 1, 1}}, "attention_mask");
    EXPECT_EQ(opened.scene.sequences[0].queries, (std::vector<std::string>{"<pad>", "1", "2"}));
    EXPECT_EQ(opened.scene.sequences[1].queries, (std::vector<std::string>{"0", "1", "2"}));
    // A token that every query attends to cannot be the pad token, even if its name is <pad>.
    with({2, 1, 3, 3}, added({2, 1, 1, 3}, "..#.##", lowest), "mask",
         R"([["a","<pad>","b"],["a","b","<pad2>"]])");
    ASSERT_EQ(layers().size(), 1U);
    EXPECT_EQ(opened.scene.pad_token, "<pad2>");
    EXPECT_EQ(opened.scene.sequences[0].queries,
              (std::vector<std::string>{"a", "<pad>", "<pad2>"}));
    // A blocked token of the file that also occurs at an allowed place is not a pad token.
    with({1, 1, 3, 3}, added({3}, "#..", lowest), "mask", R"(["a","b","a"])");
    ASSERT_EQ(layers().size(), 1U);
    EXPECT_EQ(layers()[0].columns, std::vector<Index>{0});
}

TEST_F(DumpMasks, HeadsMayDiffer) {
    with({1, 3, 2, 2}, added({1, 3, 2, 2}, ".....#...#..", lowest));
    ASSERT_EQ(layers().size(), 1U);
    EXPECT_EQ(layers()[0].cells, (std::vector<Cell>{{0, 1}}));
    EXPECT_EQ(layers()[0].heads, (std::vector<Index>{1, 2}));
}

TEST_F(DumpMasks, AWindowWithPadsIsAWindow) {
    // Queries attend to the last 2 keys; one sequence begins with 2 pad tokens.
    const std::string window =
        ".####"
        "..###"
        "#..##"
        "##..#"
        "###..";
    const std::string padded =
        "#####"
        "#####"
        "##.##"
        "##..#"
        "###..";
    for (const bool is_padded_first : {false, true}) {
        with({2, 1, 5, 5},
             added({2, 1, 5, 5}, is_padded_first ? padded + window : window + padded, lowest));
        ASSERT_EQ(layers().size(), 2U);
        EXPECT_EQ(layers()[0].kind, LayerKind::window);
        EXPECT_EQ(layers()[0].left, 1);
        EXPECT_EQ(layers()[0].right, 0);
        EXPECT_EQ(layers()[1].kind, LayerKind::padding);
        EXPECT_EQ(opened.scene.sequences[is_padded_first ? 0 : 1].queries[1], "<pad>");
    }
    // The pad tokens are at the end.
    with({2, 1, 4, 4}, added({2, 1, 4, 4},
                             ".###..###..###.."
                             ".###..###.######",
                             lowest));
    ASSERT_EQ(layers().size(), 2U);
    EXPECT_EQ(layers()[0].kind, LayerKind::window);
}

// The last token of two sequences attends to the last 4 keys; the second begins with 3 pad tokens.
TEST_F(DumpMasks, AStepOfAWindowWithPadsIsAWindow) {
    for (const bool has_pads : {false, true}) {
        with({2, 1, 1, 6}, added({2, 1, 1, 6}, has_pads ? "##....###..." : "##....##....", lowest));
        ASSERT_EQ(layers().size(), has_pads ? 2U : 1U);
        EXPECT_EQ(layers()[0].kind, LayerKind::window);
        EXPECT_EQ(layers()[0].left, 3);
        EXPECT_EQ(opened.scene.sequences[0].start, 5);
        EXPECT_EQ(key_tokens(opened.scene, 0)[0], "0") << "not a pad";
        EXPECT_EQ(key_tokens(opened.scene, 1)[2], has_pads ? "<pad>" : "2");
    }
    // The longest sequence has no padding.
    with({2, 1, 1, 4}, added({2, 1, 1, 4}, "....##..", lowest));
    ASSERT_EQ(layers().size(), 1U);
    EXPECT_EQ(layers()[0].kind, LayerKind::padding);
}

TEST_F(DumpMasks, RulesThatExplainEveryCellAreNamed) {
    const auto rule = [&](Index n, const std::string& cells) {
        with({1, 1, n, n}, added({n, n}, cells, -infinity));
        EXPECT_EQ(layers().size(), 1U) << cells;
        return layers().empty() ? MaskLayer{} : layers()[0];
    };
    EXPECT_EQ(rule(4, "..##..##........").kind, LayerKind::block_causal);
    EXPECT_EQ(rule(4, "..##..##........").size, 2);
    EXPECT_EQ(rule(5, "..###..#####..###..#####.").kind, LayerKind::chunked);
    EXPECT_EQ(rule(4, ".####...#...#...").lengths, (std::vector<Index>{1, 3}));
    EXPECT_EQ(rule(4, "..##..##...#....").kind, LayerKind::prefix);
    EXPECT_EQ(rule(4, "..##...##...##..").right, 1);
    // The queries are the last 2 of 4 tokens, so their positions begin at 2.
    with({1, 1, 2, 4}, added({2, 4}, "#..###..", -infinity));
    ASSERT_EQ(layers().size(), 1U);
    EXPECT_EQ(layers()[0].left, 1);
    EXPECT_EQ(opened.scene.sequences[0].start, 2);
}

TEST_F(DumpMasks, AFileThatChangedMeanwhileIsRefused) {
    const auto bytes = [](const std::vector<Index>& axes) {
        return dump_bytes({{"q", counting({1, 1, 2, 2})},
                           {"k", counting({1, 1, 2, 2})},
                           {"mask", {"F32", axes, {0, 0, 0, 0}}}},
                          scaled);
    };
    open("a.safetensors", bytes({2, 2}));
    const DumpPlan before = plan();
    write_over(folder / "a.safetensors", bytes({1, 2}));
    EXPECT_THROW(scene_of(dump, before, copies), InputError);
}

TEST_F(DumpMasks, ATensorThatIsNotAMaskIsRefused) {
    EXPECT_EQ(problem({1, 1, 3, 2}, {"F32", {3, 2}, {0, 0, 0, 0.5, 0, 0}}),
              "the mask holds 0.5, which neither allows (0) nor blocks (−inf, −1e4 or less)");
    EXPECT_EQ(problem({1, 1, 2, 2}, {"F32", {2, 2}, {0, not_a_number, 0, 0}}),
              "the mask holds NaN, which neither allows (0) nor blocks (−inf, −1e4 or less)");
    EXPECT_EQ(problem({1, 1, 3, 2}, {"F32", {3, 2}, {0, 0.5, 0, not_a_number, 0, 0}}),
              "mask holds NaN, which cannot be added to a score");
}

TEST_F(DumpMasks, SequencesMayDiffer) {
    with({2, 1, 3, 3}, added({2, 1, 3, 3}, ".##..##..#.#.##...", lowest));
    ASSERT_EQ(layers().size(), 1U);
    EXPECT_EQ(layers()[0].kind, LayerKind::tensor);
    EXPECT_EQ(layers()[0].tensor->axes, (std::vector<Index>{2, 1, 3, 3}));
    EXPECT_TRUE(layers()[0].tensor->truths);
    // Some blocked cells are not explained by the causal rule and the padding.
    with({2, 1, 3, 3}, added({2, 1, 3, 3}, ".##..##...##..#.#.", lowest));
    ASSERT_EQ(layers().size(), 2U);
    EXPECT_EQ(layers()[0], causal_layer());
    EXPECT_EQ(layers()[1].tensor->values->float64s(),
              (std::vector<double>{1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1}));
}

TEST_F(DumpMasks, AMaskThatAddsOtherNumbersIsABias) {
    with({1, 1, 2, 2}, {"F32", {2, 2}, {0, -infinity, -0.5, 0}});
    ASSERT_EQ(layers().size(), 2U);
    EXPECT_EQ(layers()[0], causal_layer()) << "causal";
    EXPECT_EQ(layers()[1].bias, (std::vector<BiasCell>{{1, 0, -0.5}}));
    with({1, 1, 2, 2}, {"F32", {2, 2}, {0, -100, 0, 0}});
    ASSERT_EQ(layers().size(), 1U);
    EXPECT_EQ(layers()[0].bias, (std::vector<BiasCell>{{0, 1, -100}}));
    with({2, 1, 2, 2}, {"F32", {2, 1, 2, 2}, {0, 1, 2, 3, 4, 5, 6, 7}});
    ASSERT_EQ(layers().size(), 1U);
    EXPECT_EQ(layers()[0].tensor->values->float64s(),
              (std::vector<double>{0, 1, 2, 3, 4, 5, 6, 7}));
}

// Damaged files are refused, or give a valid scene; nothing else happens.
TEST_F(DumpFiles, DamageIsRefusedOrHarmless) {
    const std::string whole =
        dump_bytes({{"layer.0.q", counting({2, 2, 3, 2})},
                    {"layer.0.k", counting({2, 2, 3, 2})},
                    {"layer.0.attn_weights", counting({2, 2, 3, 3})},
                    {"layer.0.mask", added_mask()},
                    {"input_ids", {"I64", {2, 3}}}},
                   {{"scale", "0.5"}, {"tokens", R"([["a","b","c"],["d","e"]])"}});
    std::uint64_t state = 7;
    const auto draw = [&](std::size_t below) {
        state = state * 6364136223846793005U + 1442695040888963407U;
        return static_cast<std::size_t>(state >> 33) % below;
    };
    int opened = 0;
    for (int round = 0; round < 1500; ++round) {
        std::string bytes = whole;
        for (std::size_t k = draw(3); k < 3; ++k) {
            const std::size_t at = draw(draw(2) == 0 ? bytes.size() : 600);
            constexpr std::string_view others = "0123456789abqkv[]{},\":-.\xff";
            bytes[at] = others[draw(others.size())];
        }
        if (draw(8) == 0) bytes.resize(draw(bytes.size()));
        write_over(folder / "a.safetensors", bytes);
        try {
            dump = read_dump(folder / "a.safetensors");
            const DumpPlan all = plan_of(dump, choice);
            if (!all.missing.empty()) continue;
            check_scene(scene_of(dump, all, copies).scene);
            ++opened;
        } catch (const Error& error) {
            EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
        }
    }
    EXPECT_GT(opened, 50);
}

// The rules block exactly what the mask blocks.
TEST(LayersOfMasks, AreTheMask) {
    std::uint64_t state = 1;
    const auto draw = [&](int below) {
        state = state * 6364136223846793005U + 1442695040888963407U;
        return static_cast<Index>(state >> 33) % below;
    };
    for (int round = 0; round < 2000; ++round) {
        const Shape s{1, 1 + draw(3), 1 + draw(5), 1 + draw(5)};
        DumpedMask mask{s, s, {}, {}};
        const bool causal = draw(2) == 0;
        const Index offset = draw(2) == 0 ? 0 : s.n_k - s.n_q, density = draw(4);
        const Index hidden = draw(3) == 0 ? draw(5) : s.n_k, per_head = draw(2);
        std::vector<bool> first;
        for (Index h = 0; h < s.h; ++h)
            for (Index i = 0; i < s.n_q; ++i)
                for (Index j = 0; j < s.n_k; ++j) {
                    const bool blocked =
                        (causal && j > i + offset) || j >= hidden || draw(8) < density;
                    const auto cell = static_cast<std::size_t>(i * s.n_k + j);
                    if (h == 0) first.push_back(!blocked);
                    mask.allowed.push_back(h > 0 && per_head == 0 ? first[cell] : !blocked);
                }
        MaskLayers found = layers_of(mask);
        Scene scene;
        scene.sequences.push_back(
            {std::vector<std::string>(s.n_q, "q"), std::vector<std::string>(s.n_k, "k")});
        scene.inputs = ScoresInputs{
            make_array({s.h, s.n_q, s.n_k}, std::vector<double>(mask.allowed.size())), {}, {}};
        scene.variants.resize(1);
        scene.sequences[0].keys->edit([&](auto& keys) {
            for (const Index j : found.pads[0]) keys[j] = scene.pad_token;
        });
        scene.sequences[0].start = found.start;
        if (!found.pads[0].empty()) found.layers.emplace_back().kind = LayerKind::padding;
        for (Index h = 0; h < s.h; ++h) {
            const Allowed allowed = allowed_cells(scene, found.layers, 0, h);
            for (Index i = 0; i < s.n_q; ++i)
                for (Index j = 0; j < s.n_k; ++j)
                    ASSERT_EQ(allowed(i, j), mask.allows(0, h, i, j))
                        << round << ": " << h << " " << i << " " << j;
        }
    }
}

}  // namespace
}  // namespace maskscope
