// Tests the sheet of a file of tensors: opened, asked and answered by events.

#include <cmath>

#include <nlohmann/json.hpp>

#include "app/session/keeper.h"
#include "core/files/file.h"
#include "core/format/scene_json.h"
#include "tests/ui/panels/panels_fixture.h"
#include "tests/unit/core/dump/dump_files.h"

namespace maskscope {
namespace {

class InTensorSheet : public InPanels {
protected:
    using Tensors = std::vector<std::pair<std::string, MadeTensor>>;

    void drop(const fs::path& path) {
        driver->push({.kind = InputEvent::Kind::drop, .text = path.string()});
        driver->settle();
    }
    void drop(const Tensors& tensors, std::map<std::string, std::string> metadata = {}) {
        metadata.emplace("axes", "bhnd");
        replace_file(folder / "dump.safetensors", dump_bytes(tensors, metadata));
        drop(folder / "dump.safetensors");
    }
    Rect sheet() { return rect_of<TensorSheet>(driver->app()); }
    bool is_open() { return driver->app().ui.overlays.find<TensorSheet>() != nullptr; }

    const Folder folder;
    const MadeTensor vectors{"F32", {2, 3, 4, 2}};
    const Tensors layers{{"layer.0.q", vectors},
                         {"layer.0.k", vectors},
                         {"layer.1.q", vectors},
                         {"layer.1.k", vectors},
                         {"layer.1.v", vectors}};
};

TEST_F(InTensorSheet, ADumpWithEverythingOpensByEnter) {
    drop(layers, {{"scale", "0.5"}, {"tokens", R"(["The","Ġcat","Ġsat","Ċ"])"}});
    ASSERT_TRUE(is_open());
    EXPECT_NE(session.lesson(), nullptr) << "what was open stays until Open";
    EXPECT_TRUE(shows("Open dump.safetensors", sheet()));
    EXPECT_TRUE(shows("layer.0.q", sheet()));
    EXPECT_FALSE(shows("layer.1.q", sheet())) << "the other layer";
    EXPECT_TRUE(shows("The ·  cat ·  sat · ⏎", sheet()));
    EXPECT_TRUE(shows("from the file", sheet()));
    enter();
    EXPECT_FALSE(is_open());
    ASSERT_TRUE(std::holds_alternative<TensorsInputs>(scene().inputs));
    EXPECT_EQ(std::get<TensorsInputs>(scene().inputs).queries.file, "dump.safetensors:layer.0.q");
    EXPECT_EQ(tokens(), (std::vector<std::string>{"The", " cat", " sat", "⏎"}));
    EXPECT_EQ(scene().variants[0].scale, (Scale{ScaleKind::number, 0.5}));
    EXPECT_EQ(session.lesson(), nullptr);
    EXPECT_TRUE(session.document().is_saved()) << "nothing was edited";
}

// The file has no tokens: they can be typed.
TEST_F(InTensorSheet, TokensAreTyped) {
    const MadeTensor one{"F32", {1, 3, 4, 2}};
    drop(Tensors{{"q", one}, {"k", one}}, {{"scale", "0.5"}});
    ASSERT_TRUE(is_open());
    click("0, 1, 2 … or type 4 tokens", sheet());
    driver->type("The cat sat");
    enter();
    ASSERT_TRUE(driver->app().gui.refused) << "one is missing";
    EXPECT_EQ(driver->app().gui.editing->field.text(), "The cat sat");
    click("Open", sheet());
    EXPECT_TRUE(is_open()) << "what was typed is not dropped";
    click("0, 1, 2 … or type 4 tokens", sheet());
    driver->type("The cat sat down");
    enter();
    EXPECT_TRUE(shows("The · cat · sat · down", sheet()));
    enter();
    EXPECT_FALSE(is_open());
    EXPECT_EQ(tokens(), (std::vector<std::string>{"The", "cat", "sat", "down"}));
    EXPECT_EQ(shown_stages(session.view().show), (std::vector<StageKind>{StageKind::weights}))
        << "as in a new scene";
}

TEST_F(InTensorSheet, LayerSequenceAndScaleAreChosen) {
    drop(layers);
    EXPECT_TRUE(shows("Choose the scale; the file does not say.", sheet()));
    enter();
    EXPECT_TRUE(is_open()) << "nothing is guessed";
    click("›", sheet());
    EXPECT_TRUE(shows("layer.1.v", sheet()));
    click("all 2", sheet());
    click("2 of 2", anywhere());
    click("1/√2 = 0.7071", sheet());
    EXPECT_TRUE(shows(
        "Queries, keys and values of layer 1, sequence 2: 3 heads, 4 tokens, width 2.", sheet()));
    click("Open", sheet());
    ASSERT_FALSE(is_open());
    EXPECT_EQ(scene().title, "dump, layer 1, sequence 2");
    EXPECT_EQ(shape_of(scene()), (Shape{1, 3, 4, 4}));
    EXPECT_EQ(scene().variants[0].scale.kind, ScaleKind::sqrt_d_k);
    // The numbers of one sequence are copied; after saving they are beside the scene.
    const Folder saved;
    ASSERT_TRUE(session.save_as(saved / "scene.json", false));
    EXPECT_EQ(saved.entries(), 2U);
    const Scene read = read_scene(read_file(saved / "scene.json"), saved);
    EXPECT_EQ(read.inputs, scene().inputs);
    EXPECT_EQ(std::get<TensorsInputs>(read.inputs).keys.file,
              "dump-layer-1-sequence-1.safetensors:k");
}

TEST_F(InTensorSheet, RolesAreSaidInTheTable) {
    drop({{"a", vectors}, {"b", vectors}}, {{"scale", "1"}});
    EXPECT_TRUE(shows_part("Choose the tensors that hold queries and keys", sheet()));
    for (const char* role : {"Queries", "Keys"}) {
        click("—", sheet());  // the first that has none
        click(role, anywhere());
    }
    EXPECT_TRUE(shows("Queries and keys: 2 sequences, 3 heads, 4 tokens, width 2.", sheet()));
    enter();
    EXPECT_FALSE(is_open());
    EXPECT_EQ(std::get<TensorsInputs>(scene().inputs).keys.file, "dump.safetensors:b");
}

TEST_F(InTensorSheet, EverythingIsReachedByKeys) {
    drop({{"attn_weights", {"F32", {1, 2, 5, 5}}}, {"q", vectors}, {"k", vectors}}, {{"axes", ""}});
    driver->key(GLFW_KEY_TAB);
    std::vector<unsigned> seen;
    const auto focus = [&] { return driver->app().gui.focus.of.back(); };
    while (focus() && std::ranges::count(seen, *focus()) == 0) {
        seen.push_back(*focus());
        driver->key(GLFW_KEY_TAB);
    }
    // Sequences: 1 list, 1 arrow; 3 roles; 2 ways; 2 orders of axes; 3 of the scale; tokens,
    // Cancel.
    EXPECT_EQ(seen.size(), 14U);
    driver->key(GLFW_KEY_ESCAPE);
    EXPECT_FALSE(is_open());
    EXPECT_NE(session.lesson(), nullptr);
}

TEST_F(InTensorSheet, UnknownAxesAreAskedFor) {
    const MadeTensor flash{"F32", {1, 6, 2, 4}};
    drop({{"q", flash}, {"k", flash}}, {{"axes", ""}, {"scale", "0.5"}});
    EXPECT_TRUE(shows_part("has heads or tokens first", sheet()));
    enter();
    EXPECT_TRUE(is_open()) << "nothing is guessed";
    click("tokens, heads", sheet());
    EXPECT_TRUE(shows("Queries and keys: 2 heads, 6 tokens, width 4.", sheet()));
    enter();
    ASSERT_FALSE(is_open());
    EXPECT_EQ(shape_of(scene()), (Shape{1, 2, 6, 6}));
}

TEST_F(InTensorSheet, AScaleMayBeTyped) {
    drop(layers);
    driver->click(place("a number", sheet()));
    driver->type("much");
    enter();
    EXPECT_TRUE(shows_part("\"much\" is not a number", sheet()));
    driver->click(place("a number", sheet()));
    driver->type("0.3");
    enter();
    EXPECT_TRUE(is_open()) << "that Enter belonged to the field";
    EXPECT_EQ(driver->app().ui.overlays.find<TensorSheet>()->plan.scale,
              (Scale{ScaleKind::number, 0.3}));
    enter();
    EXPECT_EQ(scene().variants[0].scale, (Scale{ScaleKind::number, 0.3}));
}

TEST_F(InTensorSheet, TokensAreBrought) {
    replace_file(folder / "words.txt", "The cat sat down");
    replace_file(folder / "bad.json", "[1]");
    drop(layers, {{"scale", "0.5"}});
    EXPECT_TRUE(shows("0, 1, 2 …", sheet()));
    click("Tokens…", sheet());
    ASSERT_TRUE(driver->app().ui.overlays.find<PathLine>());
    const auto type_name = [&](const std::string& name) {
        driver->key(GLFW_KEY_A, GLFW_MOD_CONTROL);
        driver->type((folder / name).string());
        enter();
    };
    type_name("bad.json");
    EXPECT_TRUE(shows_part("not a string", path_line())) << "and it asks again";
    type_name("words.txt");
    EXPECT_FALSE(driver->app().ui.overlays.find<PathLine>());
    ASSERT_TRUE(is_open());
    EXPECT_TRUE(shows("The · cat · sat · down", sheet()));
    click("Tokens…", sheet());
    driver->key(GLFW_KEY_ESCAPE);
    EXPECT_TRUE(is_open()) << "Escape left the path alone";
    enter();
    EXPECT_EQ(tokens(), (std::vector<std::string>{"The", "cat", "sat", "down"}));
}

TEST_F(InTensorSheet, TensorsOpenFromThePathLineAndAgain) {
    replace_file(folder / "dump.safetensors",
                 dump_bytes(layers, {{"axes", "bhnd"}, {"scale", "0.5"}}));
    replace_file(folder / "broken.npz", "no archive");
    driver->key(GLFW_KEY_O, GLFW_MOD_CONTROL);
    const auto type_name = [&](const std::string& name) {
        driver->settle();
        driver->key(GLFW_KEY_A, GLFW_MOD_CONTROL);
        driver->type((folder / name).string());
        enter();
    };
    type_name("broken.npz");
    EXPECT_TRUE(shows_part("broken.npz: is not a valid zip archive", path_line()));
    EXPECT_FALSE(is_open());
    type_name("dump");
    EXPECT_TRUE(driver->app().ui.overlays.find<PathLine>()) << "a bare name is taken for a scene's";
    type_name("dump.safetensors");
    ASSERT_TRUE(is_open());
    EXPECT_FALSE(driver->app().ui.overlays.find<PathLine>());
    enter();
    EXPECT_EQ(scene().title, "dump, layer 0");
    // The same sheet again, for another layer.
    click("Another layer…", sidebar());
    ASSERT_TRUE(is_open());
    click("›", sheet());
    enter();
    EXPECT_EQ(scene().title, "dump, layer 1");
    driver->key(GLFW_KEY_S, GLFW_MOD_CONTROL);
    EXPECT_EQ(driver->app().ui.overlays.find<PathLine>()->text,
              (folder / "dump-layer-1.json").string())
        << "beside the tensors, to which it refers";
    driver->key(GLFW_KEY_ESCAPE);
    session.open(lesson_file);
    EXPECT_FALSE(shows("Another layer…", sidebar()));
}

TEST_F(InTensorSheet, UnsavedWorkIsAskedAboutFirst) {
    session.edit("type", [](Scene& scene) { set_sentence(scene, 0, Side::queries, {"mine"}); });
    drop(layers);
    EXPECT_FALSE(is_open());
    EXPECT_TRUE(driver->app().ui.overlays.find<UnsavedQuestion>());
    click("Don't save", anywhere());
    EXPECT_TRUE(is_open());
    EXPECT_EQ(tokens(), std::vector<std::string>{"mine"}) << "only Open discards it";
}

TEST_F(InTensorSheet, AnUnreadableFileIsReportedOnTheSheet) {
    drop({{"q", {"F32", {1, 1, 2, 2}}},
          {"k", {"F32", {1, 1, 2, 2}}},
          {"mask", {"F32", {2, 2}, {0, std::nan(""), 0, 0}}}},
         {{"scale", "1"}});
    enter();
    EXPECT_TRUE(is_open());
    EXPECT_TRUE(shows_part("neither allows (0) nor blocks", sheet()));
    EXPECT_NE(session.lesson(), nullptr);
    // The file is cut while the sheet is open.
    drop(layers, {{"scale", "1"}});
    fs::resize_file(folder / "dump.safetensors", 100);
    enter();
    EXPECT_TRUE(is_open());
    EXPECT_TRUE(shows_part("ends within its header", sheet()));
}

}  // namespace
}  // namespace maskscope
