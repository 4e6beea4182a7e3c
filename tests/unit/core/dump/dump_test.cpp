// Tests the roles that tensors are given, and the parts of a file that are opened.

#include "core/dump/dump.h"

#include "core/dump/plan.h"
#include "tests/unit/core/dump/dump_files.h"

namespace maskscope {
namespace {

const MadeTensor vectors{"F32", {1, 2, 3, 4}}, square{"F32", {1, 2, 3, 3}};

TEST(NamesOfTensors, SayRoleAndLayer) {
    const auto means = [](const std::string& name, TensorRole role, const std::string& group) {
        const NameMeaning meaning = meaning_of(name);
        EXPECT_EQ(meaning.role, role) << name;
        EXPECT_EQ(meaning.group, group) << name;
    };
    means("layer.3.q", TensorRole::queries, "layer 3");
    means("layer3_k", TensorRole::keys, "layer 3");
    means("layers.3.self_attn.v", TensorRole::values, "layers 3");
    means("model.layers.11.query_states", TensorRole::queries, "model layers 11");
    means("blocks.3.attn.hook_q", TensorRole::queries, "blocks 3");
    means("blocks.3.attn.hook_rot_k", TensorRole::keys, "blocks 3");
    means("blocks.3.attn.hook_attn_scores", TensorRole::scores, "blocks 3");
    means("blocks.3.attn.hook_pattern", TensorRole::weights, "blocks 3");
    means("blocks.3.mlp.hook_post", TensorRole::none, "blocks 3");
    means("decoder.layer.0.cross_attn.q", TensorRole::queries, "decoder layer 0 cross");
    means("attentions.7", TensorRole::weights, "7");
    means("cross_attentions.7", TensorRole::weights, "cross 7");
    means("attn_weights_7", TensorRole::weights, "7");
    means("q_layer_2", TensorRole::queries, "layer 2");
    means("Q", TensorRole::queries, "");
    means("queries", TensorRole::queries, "");
    means("attention_mask", TensorRole::mask, "");
    means("key_padding_mask", TensorRole::mask, "");
    means("h.3.attn.bias", TensorRole::mask, "h 3");
    means("input_ids", TensorRole::ids, "");
    means("h.3.attn.c_attn.weight", TensorRole::none, "h 3");
    means("encoder.layer.2.attention.self.query.weight", TensorRole::none, "encoder layer 2");
    means("model.layers.1.self_attn.q_proj.weight", TensorRole::none, "model layers 1");
    means("", TensorRole::none, "");
    means("…", TensorRole::none, "");
}

TEST_F(DumpFiles, AHuggingFaceDumpNeedsNoQuestion) {
    open({{"layer.0.q", vectors},
          {"layer.0.k", vectors},
          {"layer.0.v", vectors},
          {"layer.0.mask", {"F32", {1, 1, 3, 3}, std::vector<double>(9, 0)}},
          {"layer.10.q", vectors},
          {"layer.10.k", vectors},
          {"layer.2.q", vectors},
          {"layer.2.k", vectors}},
         {{"scale", "0.5"}, {"tokens", R"(["a", "Ġb", "Ċ"])"}});
    const DumpPlan opened = plan();
    EXPECT_EQ(opened.groups, (std::vector<std::string>{"layer 0", "layer 2", "layer 10"}));
    EXPECT_EQ(opened.missing, "");
    EXPECT_EQ(opened.opens,
              "Queries, keys and values of layer 0: 2 heads, 3 tokens, width 4, with a mask.");
    EXPECT_EQ(opened.scale->kind, ScaleKind::sqrt_d_k) << "0.5 is 1/√4";
    EXPECT_EQ(opened.tokens[0].queries, (std::vector<std::string>{"a", " b", "⏎"}));
    choice.group = "layer 10";
    EXPECT_EQ(plan().opens, "Queries and keys of layer 10: 2 heads, 3 tokens, width 4.");
}

TEST_F(DumpFiles, TransformerLensHasPositionsBeforeHeadsAndRotatesLater) {
    const MadeTensor positions_first{"F32", {1, 5, 2, 4}};
    open({{"blocks.0.attn.hook_q", positions_first},
          {"blocks.0.attn.hook_k", positions_first},
          {"blocks.0.attn.hook_v", positions_first},
          {"blocks.0.attn.hook_rot_q", positions_first},
          {"blocks.0.attn.hook_rot_k", positions_first},
          {"blocks.0.attn.hook_z", positions_first},
          {"blocks.0.attn.hook_attn_scores", {"F32", {1, 2, 5, 5}}},
          {"blocks.0.attn.hook_pattern", {"F32", {1, 2, 5, 5}}}});
    EXPECT_EQ(guess("blocks.0.attn.hook_q"), TensorRole::none);
    EXPECT_EQ(guess("blocks.0.attn.hook_rot_q"), TensorRole::queries);
    EXPECT_EQ(guess("blocks.0.attn.hook_rot_k"), TensorRole::keys);
    EXPECT_EQ(guess("blocks.0.attn.hook_z"), TensorRole::none);
    DumpPlan opened = plan();
    EXPECT_TRUE(opened.positions_first);
    EXPECT_EQ(opened.shape, (Shape{1, 2, 5, 5}));
    EXPECT_EQ(opened.ways, (std::vector<TensorRole>{TensorRole::queries, TensorRole::scores,
                                                    TensorRole::weights}));
    EXPECT_EQ(opened.missing, "Choose the scale; the file does not say.");
    // The scores of this file are already scaled.
    choice.opens = TensorRole::scores;
    opened = plan();
    EXPECT_EQ(opened.missing, "");
    EXPECT_EQ(opened.scale->kind, ScaleKind::none);
    choice.opens = TensorRole::weights;
    EXPECT_EQ(plan().missing, "") << "weights need no scale";
}

TEST_F(DumpFiles, WeightsAloneAreOpenedAsSuch) {
    open({{"attentions.0", square}, {"attentions.1", square}});
    EXPECT_EQ(plan().groups, (std::vector<std::string>{"0", "1"}));
    EXPECT_EQ(plan().way, TensorRole::weights);
    EXPECT_EQ(plan().missing, "");
}

TEST_F(DumpFiles, TheMeaningOfThreeAxesIsReadOrAsked) {
    const MadeTensor three{"F32", {2, 3, 3}};
    const auto averaged = [&](const std::string& name,
                              const std::map<std::string, std::string>& metadata) {
        open({{name, three}}, metadata);
        EXPECT_EQ(plan().missing, "") << name;
        return plan().averaged;
    };
    EXPECT_TRUE(averaged("attn_output_weights", {}));
    EXPECT_FALSE(averaged("blocks.0.attn.hook_pattern", {}));
    EXPECT_FALSE(averaged("attn_weights", {{"axes", "hnd"}}));
    EXPECT_TRUE(averaged("attn_weights", {{"axes", "bnd"}}));
    EXPECT_FALSE(averaged("attn_weights", {{"num_heads", "2"}}));
    EXPECT_FALSE(averaged("attn_weights", {{"tokens", R"(["a","b","c"])"}}));
    EXPECT_TRUE(averaged("attn_weights", {{"tokens", R"([["a","b","c"],["d","e","f"]])"}}));
    EXPECT_TRUE(
        averaged("attn_scores", {{"tokens", R"([["a","b","c"],["d","e","f"]])"}, {"scale", "1"}}));
    open({{"attn_weights", three}});
    EXPECT_EQ(plan().missing,
              "Choose whether attn_weights [2, 3, 3] has heads or sequences first; the file does "
              "not say.");
    EXPECT_EQ(plan().settled_by, "--axes hnd or --axes bnd");
    choice.axes = "hnd";
    EXPECT_EQ(plan().shape, (Shape{1, 2, 3, 3}));
    choice.axes = "bnd";
    EXPECT_EQ(plan().shape, (Shape{2, 1, 3, 3}));
    EXPECT_EQ(plan().missing, "");
    open({{"attn_output_weights", three}});
    choice.axes = "hnd";
    EXPECT_EQ(plan().shape, (Shape{1, 2, 3, 3})) << "a choice overrides the name";
    EXPECT_TRUE(plan().asks_axes) << "it can be changed";
    // The queries may be those of one head, or of several heads.
    choice.axes = "";
    open({{"q", {"F32", {2, 3, 4}}}, {"k", {"F32", {2, 3, 4}}}}, {{"scale", "1"}});
    EXPECT_EQ(plan().settled_by, "--axes hnd or --axes nhd or --axes bnd");
    choice.axes = "bnd";
    EXPECT_EQ(plan().shape, (Shape{2, 1, 3, 3}));
    EXPECT_EQ(plan().d_k, 4);
}

TEST_F(DumpFiles, NumbersTellWhatNamesDoNot) {
    const MadeTensor even{"F32", {1, 2, 4, 4}, std::vector<double>(32, 0.25)};
    open({{"tensor_a", even}});
    EXPECT_EQ(guess("tensor_a"), TensorRole::weights);
    open({{"tensor_a", square}});
    EXPECT_EQ(guess("tensor_a"), TensorRole::scores);
    open({{"tensor_a", vectors}});
    EXPECT_EQ(guess("tensor_a"), TensorRole::none);
    EXPECT_EQ(plan().missing,
              "Choose the tensors that hold queries and keys, or scores, or weights.");
}

// A mask alone in a file may have any shape. Beside queries and keys, it is recognized only if it
// fits the keys and nothing else shows a mask.
TEST_F(DumpFiles, NumbersTellAMask) {
    const std::vector<std::pair<std::string, MadeTensor>> masks = {
        {"truths", {"BOOL", {2, 3}, {1, 1, 0, 1, 1, 1}}},
        {"one row", {"BOOL", {4}, {1, 1, 0, 1}}},
        {"integers", {"I64", {2, 3}, {1, 1, 0, 1, 1, 1}}},
        {"ones", {"F32", {2, 3}, {1, 1, 0, 1, 1, 1}}},
        {"added", {"F32", {2, 3}, {0, 0, -1e4, 0, 0, 0}}}};
    for (const auto& [name, made] : masks) {
        open({{"arr", made}});
        EXPECT_EQ(plan().way, TensorRole::mask) << name;
        EXPECT_EQ(plan().missing, "") << name;
    }
    open({{"arr", {"I64", {3}, {5, 7, 1}}}});
    EXPECT_EQ(guess("arr"), TensorRole::none) << "other integers";

    const MadeTensor added{"F32", {3, 3}, {0, -1e5, -1e5, 0, 0, -1e5, 0, 0, 0}};
    const MadeTensor heads{"F32", {1, 2, 3, 4}};
    const std::map<std::string, std::string> said{{"axes", "bhnd"}, {"scale", "1"}};
    open({{"q", heads}, {"k", heads}, {"mask.triu", added}}, said);
    EXPECT_EQ(guess("mask.triu"), TensorRole::mask);
    EXPECT_EQ(plan().missing, "");
    open({{"q", heads}, {"k", heads}, {"mask.triu", added}, {"attn_mask", added}}, said);
    EXPECT_EQ(guess("mask.triu"), TensorRole::none) << "the name shows it";
    open({{"q", heads}, {"k", heads}, {"flag", {"BOOL", {1, 1}}}}, said);
    EXPECT_EQ(guess("flag"), TensorRole::none) << "it does not fit";
}

TEST_F(DumpFiles, ALayerThatAFileLacksIsRefused) {
    const MadeTensor heads{"F32", {1, 2, 3, 4}};
    open({{"q", heads}, {"k", heads}}, {{"axes", "bhnd"}, {"scale", "1"}});
    choice.layer = 0;
    EXPECT_EQ(plan().missing, "");
    choice.layer = 1;
    EXPECT_EQ(plan().missing, "There is no layer 1: the file has 1 layer.");
}

TEST_F(DumpFiles, AMaskAloneIsChosenByItsName) {
    open({{"a", {"BOOL", {2, 2}, {1, 0, 1, 1}}}, {"b", {"BOOL", {2, 2}, {1, 1, 1, 1}}}});
    choice.mask = "~b";
    EXPECT_EQ(plan().missing, "");
    EXPECT_EQ(plan().of(TensorRole::mask)->tensor.name, "b");
    choice.mask = "none";
    EXPECT_EQ(plan().missing, "There is no mask none.");
    EXPECT_EQ(plan().settled_by, "--mask a or --mask ~a");
}

TEST_F(DumpFiles, TokensOfTheUserSettleTheAxes) {
    const MadeTensor made{"F32", {1, 3, 2, 4}};
    open({{"q", made}, {"k", made}}, {{"scale", "1"}});
    EXPECT_EQ(plan().settled_by, "--axes bhnd or --axes bnhd");
    choice.tokens = TokenLists{{"a", "b", "c"}};
    EXPECT_EQ(plan().missing, "");
    EXPECT_EQ(plan().shape, (Shape{1, 2, 3, 3}));
}

TEST_F(DumpFiles, LayersInOneArrayArePicked) {
    open({{"attn_weights", {"F32", {12, 1, 2, 3, 3}}}});
    choice.layer = 7;
    EXPECT_EQ(plan().layers, 12);
    EXPECT_EQ(plan().opens, "Weights of layer 8: 2 heads, 3 tokens.");
    EXPECT_EQ(part_of(plan(), TensorRole::weights), std::vector<Index>{7});
    choice.layer = 100;
    EXPECT_EQ(plan().layer, 11);
}

TEST_F(DumpFiles, NumbersThatCountTensorsAreNotLayers) {
    open({{"arr_0", vectors}, {"arr_1", vectors}, {"arr_2", vectors}},
         {{"axes", "bhnd"}, {"scale", "1"}});
    choose_role(choice, plan(), tensor("arr_0"), TensorRole::queries);
    choose_role(choice, plan(), tensor("arr_2"), TensorRole::keys);
    EXPECT_EQ(plan().missing, "");
    EXPECT_EQ(plan().of(TensorRole::queries)->tensor.name, "arr_0");
    EXPECT_EQ(plan().of(TensorRole::keys)->tensor.name, "arr_2");
}

TEST_F(DumpFiles, APersonMaySayOtherwiseForAllLayers) {
    open({{"layer.0.a", vectors},
          {"layer.0.b", vectors},
          {"layer.1.a", vectors},
          {"layer.1.b", vectors}},
         {{"axes", "bhnd"}, {"scale", "1"}});
    EXPECT_EQ(plan().ways.size(), 0U);
    choose_role(choice, plan(), tensor("layer.0.a"), TensorRole::queries);
    EXPECT_EQ(plan().missing, "Choose the tensor that holds the keys.");
    choose_role(choice, plan(), tensor("layer.0.b"), TensorRole::keys);
    EXPECT_EQ(plan().missing, "");
    choice.group = "layer 1";
    EXPECT_EQ(plan().of(TensorRole::keys)->tensor.name, "layer.1.b");
    // Another tensor takes over the role.
    choose_role(choice, plan(), tensor("layer.1.a"), TensorRole::keys);
    EXPECT_EQ(plan().of(TensorRole::keys)->tensor.name, "layer.1.a");
    EXPECT_EQ(role_of(choice, tensor("layer.0.b")), TensorRole::none);
    EXPECT_EQ(plan().missing, "Choose the tensor that holds the queries.");
}

TEST_F(DumpFiles, ReportsWhatDoesNotAgree) {
    const auto problem = [&](const MadeTensor& q, const MadeTensor& k, const MadeTensor& v) {
        open({{"q", q}, {"k", k}, {"v", v}}, {{"axes", "bhnd"}, {"scale", "1"}});
        return plan().missing;
    };
    const MadeTensor fine{"F32", {2, 4, 3, 5}};
    EXPECT_EQ(problem(fine, fine, fine), "");
    EXPECT_EQ(problem(fine, {"F32", {1, 4, 3, 5}}, fine),
              "Sequences differ: 2, and 1 of the keys.");
    EXPECT_EQ(problem(fine, {"F32", {2, 4, 3, 6}}, fine), "Widths differ: 5, and 6 of the keys.");
    EXPECT_EQ(problem(fine, {"F32", {2, 3, 3, 5}}, fine), "Heads differ: 4, and 3 of the keys.");
    EXPECT_EQ(problem(fine, fine, {"F32", {2, 2, 3, 5}}), "Heads differ: 4, and 2 of the values.");
    EXPECT_EQ(problem(fine, fine, {"F32", {2, 4, 9, 5}}), "Tokens differ: 3, and 9 of the values.");
    const MadeTensor shared{"F32", {2, 2, 3, 5}};
    EXPECT_EQ(problem(fine, shared, shared), "");
    EXPECT_EQ(plan().notes,
              (std::vector<std::string>{"The 2 KV heads are repeated for 4 query heads.",
                                        "No mask in the file: every key is allowed."}));
    const MadeTensor empty{"F32", {1, 0, 3, 5}};
    EXPECT_EQ(problem(empty, empty, empty), "q is empty.");
    const MadeTensor wide{"F32", {1, 1, 1, 65537}};
    EXPECT_EQ(problem(wide, wide, wide),
              "65537 components are too many; at most 65536 can be opened.");
}

TEST_F(DumpFiles, AScaleIsReadOrAskedFor) {
    const auto scale = [&](const std::map<std::string, std::string>& metadata) {
        open({{"layer.0.q", vectors}, {"layer.0.k", vectors}}, metadata);
        return plan().scale;
    };
    EXPECT_FALSE(scale({}));
    EXPECT_EQ(*scale({{"scale", "0.125"}}), (Scale{ScaleKind::number, 0.125}));
    EXPECT_EQ(*scale({{"scale", "1.0"}}), (Scale{ScaleKind::none, 1}));
    EXPECT_EQ(*scale({{"scale", "1"}, {"layer.0.scale", "0.25"}}),
              (Scale{ScaleKind::number, 0.25}));
    EXPECT_EQ(*scale({{"scale", "1"}, {"layer.1.scale", "0.25"}}), (Scale{ScaleKind::none, 1}));
    EXPECT_EQ(*scale({{"layer.0.self_attn.scale", "2"}}), (Scale{ScaleKind::number, 2}));
    EXPECT_FALSE(scale({{"scale", "large"}}));
    EXPECT_EQ(plan().notes,
              (std::vector<std::string>{"The scale in the file is not a number: large.",
                                        "No mask in the file: every key is allowed."}));
    choice.scale = Scale{ScaleKind::number, 2};
    EXPECT_EQ(*scale({{"scale", "0.125"}}), (Scale{ScaleKind::number, 2}))
        << "the given answer is used";
}

// --- masks

TEST_F(DumpFiles, Gpt2sBiasIsItsCausalMask) {
    open({{"h.0.attn.q", vectors},
          {"h.0.attn.k", vectors},
          {"h.0.attn.bias", {"BOOL", {1, 1, 8, 8}}},
          {"h.0.attn.masked_bias", {"F32", {}}}},
         {{"axes", "bhnd"}, {"scale", "1"}});
    EXPECT_EQ(guess("h.0.attn.bias"), TensorRole::mask);
    EXPECT_EQ(guess("h.0.attn.masked_bias"), TensorRole::none);
    EXPECT_EQ(plan().missing, "");
    EXPECT_EQ(plan().notes, (std::vector<std::string>{"h.0.attn.bias is a causal mask, not a bias.",
                                                      "Not used: h.0.attn.masked_bias."}));
}

TEST_F(DumpFiles, AModelsParametersAreNotAttention) {
    open({{"h.0.attn.bias", {"BOOL", {1, 1, 8, 8}}},
          {"h.0.attn.c_attn.weight", {"F32", {4, 12}}},
          {"h.0.attn.c_proj.weight", {"F32", {4, 4}}},
          {"wte.weight", {"F32", {9, 4}}}});
    EXPECT_TRUE(plan().ways.empty());
    EXPECT_NE(plan().missing.find("dump_attention.py"), std::string::npos);
    EXPECT_EQ(plan().notes,
              std::vector<std::string>{"h.0.attn.bias is a causal mask, not a bias."});
}

TEST_F(DumpFiles, TheMeaningOfTrueIsReadOrAsked) {
    const std::vector<double> lower{1, 0, 0, 1, 1, 0, 1, 1, 1}, upper{0, 1, 1, 0, 0, 1, 0, 0, 0};
    const auto with = [&](const std::vector<double>& truths, const std::string& name,
                          const std::vector<double>& numbers) {
        std::vector<double> both = numbers;
        both.insert(both.end(), numbers.begin(), numbers.end());
        open({{"q", vectors},
              {"k", vectors},
              {"mask", {"BOOL", {3, 3}, truths}},
              {name, {"F32", {1, 2, 3, 3}, both}}},
             {{"axes", "bhnd"}, {"scale", "1"}});
        return plan().true_blocks;
    };
    const std::vector<double> weights{1, 0, 0, 0.5, 0.5, 0, 0.25, 0.5, 0.25},
        scores{1, -infinity, -infinity, 2, 3, -infinity, 0, -1, 4};
    EXPECT_EQ(with(lower, "attn_weights", weights), false);
    EXPECT_EQ(with(upper, "attn_weights", weights), true);
    EXPECT_EQ(with(upper, "attn_scores", scores), true);
    EXPECT_EQ(plan().missing, "");
    // Neither tensor shows what is blocked, and a triangle by itself does not say which half is.
    EXPECT_FALSE(with(lower, "attn_weights", std::vector<double>(9, 1.0 / 3)));
    EXPECT_FALSE(with(upper, "other", weights));
    EXPECT_EQ(plan().missing, "Choose what True means in the mask; the file does not say.");
    EXPECT_EQ(plan().settled_by,
              "--mask mask (true = attend), --mask ~mask (true = blocked), --mask causal or --mask "
              "none");
    choice.mask = "~mask";
    EXPECT_EQ(plan().true_blocks, true);
    choice.mask = "mask";
    EXPECT_EQ(plan().true_blocks, false);
    choice.mask = "";
    choice.true_blocks = false;
    EXPECT_EQ(plan().missing, "");
    open({{"q", vectors}, {"k", vectors}, {"mask", {"BOOL", {3, 4}}}},
         {{"axes", "bhnd"}, {"scale", "1"}});
    EXPECT_EQ(plan().missing, "mask [3, 4] does not fit 3 queries and 3 keys.");
}

// --- tokens

TEST_F(DumpFiles, TokensOfEachSequence) {
    const MadeTensor two{"F32", {2, 1, 3, 4}};
    const auto tokens = [&](const std::string& text) {
        open({{"q", two}, {"k", two}}, {{"scale", "1"}, {"tokens", text}});
        std::vector<std::vector<std::string>> all;
        for (const Sequence& sequence : plan().tokens) all.push_back(sequence.queries);
        return all;
    };
    using Lists = std::vector<std::vector<std::string>>;
    EXPECT_EQ(tokens(R"([["a","b","c"],["d","e"]])"),
              (Lists{{"a", "b", "c"}, {"d", "e", "<pad>"}}));
    EXPECT_EQ(tokens(R"(["a","b","c"])"), (Lists{{"a", "b", "c"}, {"a", "b", "c"}}));
    const Lists numbers{{"0", "1", "2"}, {"0", "1", "2"}};
    EXPECT_EQ(tokens(R"(["a","b"])"), numbers);
    EXPECT_EQ(plan().notes, (std::vector<std::string>{
                                "The tokens do not fit: there are 2, but 3 queries and 3 keys.",
                                "No mask in the file: every key is allowed."}));
    EXPECT_EQ(tokens("[1, 2, 3]"), numbers);
    EXPECT_EQ(tokens("[["), numbers);
    EXPECT_EQ(plan().notes.size(), 2U)
        << "it says that they cannot be read, and that there is no mask";
    choice.sequence = 1;
    EXPECT_EQ(tokens(R"([["a","b","c"],["d","e"]])"), (Lists{{"d", "e", "<pad>"}}));
}

TEST_F(DumpFiles, WhileGeneratingTheQueriesAreTheLastTokens) {
    open({{"q", {"F32", {1, 2, 1, 4}}}, {"k", {"F32", {1, 2, 3, 4}}}},
         {{"scale", "1"}, {"tokens", R"(["a","b","c"])"}});
    EXPECT_EQ(plan().tokens[0].queries, std::vector<std::string>{"c"});
    EXPECT_EQ(plan().tokens[0].keys, (std::vector<std::string>{"a", "b", "c"}));
}

TEST_F(DumpFiles, OfManySequencesOneIsOpened) {
    const MadeTensor many{"F32", {64, 1, 3, 4}};
    open({{"q", many}, {"k", many}}, {{"axes", "bhnd"}, {"scale", "1"}});
    EXPECT_EQ(plan().sequences, 64);
    EXPECT_EQ(plan().sequence, 0);
    EXPECT_EQ(plan().shape.b, 1);
    EXPECT_EQ(plan().notes.front(), "The first of 64 sequences is opened.");
}

TEST_F(DumpFiles, ATokenizerNamesTheIdsOfTheFile) {
    const std::string tokenizer =
        R"({"model":{"vocab":{"Ġcat":7,"The":3}},"added_tokens":[{"id":9,"content":"<eos>"}]})";
    open({{"q", vectors}, {"k", vectors}, {"input_ids", {"I64", {1, 3}, {3, 7, 9}}}},
         {{"axes", "bhnd"}, {"scale", "1"}});
    EXPECT_EQ(plan().notes,
              (std::vector<std::string>{
                  "The file has token ids. Choose the model's tokenizer.json to see the tokens.",
                  "No mask in the file: every key is allowed."}));
    EXPECT_EQ(tokens_for(dump, plan(), tokenizer), (TokenLists{{"The", " cat", "<eos>"}}));
    open({{"q", vectors}, {"k", vectors}}, {{"scale", "1"}, {"input_ids", "[3, 8]"}});
    EXPECT_EQ(tokens_for(dump, plan(), tokenizer), (TokenLists{{"The", "#8"}}));
    open({{"q", vectors}, {"k", vectors}}, {{"axes", "bhnd"}, {"scale", "1"}});
    EXPECT_THROW(tokens_for(dump, plan(), tokenizer), InputError);
}

}  // namespace
}  // namespace maskscope
