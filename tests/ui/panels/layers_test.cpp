// Tests the sidebar's mask rules: kinds, formulas, lists, groups, and the related settings of
// variants and inputs.

#include "core/scene/names.h"
#include "tests/ui/panels/panels_fixture.h"

namespace maskscope {
namespace {

class InLayers : public InPanels {
protected:
    std::vector<MaskLayer> layers() const { return scene().variants[0].mask.layers; }
    void set_layers(const std::vector<MaskLayer>& layers) {
        session.edit("", [&](Scene& s) {
            for (Variant& variant : s.variants) variant.mask.layers = layers;
        });
        session.end_merge();
    }
    static MaskLayer of(LayerKind kind) {
        MaskLayer layer;
        layer.kind = kind;
        return layer;
    }
    static MaskLayer formula(const std::string& expression) {
        MaskLayer layer = of(LayerKind::formula);
        layer.expression = expression;
        return layer;
    }
    void undo() { driver->key(GLFW_KEY_Z, GLFW_MOD_CONTROL); }
};

TEST_F(InLayers, AFormulaIsFollowedWhileItIsTyped) {
    set_layers({formula("j <= i")});
    const Scene before = scene();
    click("j <= i");
    driver->key(GLFW_KEY_END);
    driver->type(" +");
    EXPECT_EQ(layers()[0].expression, "j <= i") << "invalid text never reaches the scene";
    EXPECT_TRUE(shows_part("column 9: expected", sidebar()));
    EXPECT_TRUE(shows("^", sidebar()));
    driver->type(" 1");
    EXPECT_EQ(layers()[0].expression, "j <= i + 1");
    EXPECT_EQ(session.shown().scene, scene()) << "the mask follows";
    EXPECT_FALSE(shows("^", sidebar()));
    driver->key(GLFW_KEY_ENTER);
    EXPECT_EQ(layers()[0].expression, "j <= i + 1");
    undo();
    EXPECT_EQ(scene(), before) << "one step of undo";
}

TEST_F(InLayers, AFormulaThatIsAddedIsTypedNext) {
    set_layers({of(LayerKind::causal)});
    for (const char* kind : {"Formula", "Bias formula"}) {
        click("+ rule");
        driver->type(kind);
        driver->key(GLFW_KEY_ENTER);
        driver->type("i == j");
        driver->key(GLFW_KEY_ENTER);
        EXPECT_EQ(layers().back().expression, "i == j") << kind;
        EXPECT_FALSE(driver->app().gui.editing);
    }
}

TEST_F(InLayers, EscapeTakesBackAFormula) {
    set_layers({formula("j <= i")});
    const Scene before = scene();
    click("j <= i");
    driver->key(GLFW_KEY_END);
    driver->type(" + 2");
    EXPECT_NE(scene(), before);
    driver->key(GLFW_KEY_ESCAPE);
    EXPECT_EQ(scene(), before);
}

TEST_F(InLayers, AListThatBecameShorterWhileItWasOpenIsNotReadBeyond) {
    set_layers({});
    click("+ rule");
    driver->settle();
    driver->key(GLFW_KEY_END);
    ASSERT_TRUE(driver->app().gui.list);
    const int last = driver->app().gui.list->row;
    const std::vector rare{of(LayerKind::sinks), of(LayerKind::chunked),
                           of(LayerKind::block_causal), of(LayerKind::alibi)};
    set_layers(rare);
    driver->key(GLFW_KEY_UP);
    ASSERT_TRUE(driver->app().gui.list);
    EXPECT_EQ(driver->app().gui.list->row, last - 4 - 1) << "above the last of those that are left";
    driver->key(GLFW_KEY_ENTER);
    EXPECT_FALSE(driver->app().gui.list);
    EXPECT_EQ(layers().size(), rare.size() + 1);
}

TEST_F(InLayers, ALayerIsInverted) {
    set_layers({of(LayerKind::causal)});
    driver->move(place("Causal", sidebar()));
    click("Invert");
    EXPECT_TRUE(layers()[0].invert);
    click("Invert");
    EXPECT_FALSE(layers()[0].invert);
}

TEST_F(InLayers, ListsCountTokensFromOneAndSayWhatIsWrong) {
    MaskLayer tree = of(LayerKind::tree);
    tree.parents = {-1, 0, 0, 1, 1, 2};
    set_layers({tree});
    click("– 1 1 2 2 3");
    driver->type("– 1 2 3 4 5");
    enter();
    EXPECT_EQ(layers()[0].parents, (std::vector<Index>{-1, 0, 1, 2, 3, 4}));
    click("– 1 2 3 4 5");
    driver->type("– 2 1 1 1 1");
    enter();
    EXPECT_EQ(layers()[0].parents, (std::vector<Index>{-1, 0, 1, 2, 3, 4}));
    EXPECT_EQ(session.message()->text,
              "The parent of token 2 must come before it, so it cannot be token 2.");
}

TEST_F(InLayers, ALayerIsDraggedOntoAnother) {
    MaskLayer window = of(LayerKind::window);
    window.left = 1;
    set_layers({of(LayerKind::causal), window});
    driver->drag(place("Window", sidebar()), place("Causal", sidebar()));
    ASSERT_EQ(layers().size(), 1u);
    EXPECT_EQ(in_words(layers()), "causal or window");
    EXPECT_TRUE(shows("Any of", sidebar()));
    undo();
    EXPECT_EQ(in_words(layers()), "causal and window") << "one step of undo";
}

TEST_F(InLayers, ALayerIsTakenOutOfItsGroup) {
    MaskLayer group = of(LayerKind::any), window = of(LayerKind::window);
    group.layers = {of(LayerKind::sinks), window};
    set_layers({group});
    click("all of these");
    EXPECT_EQ(layers()[0].kind, LayerKind::all);
    driver->move(place("Sinks", sidebar()));
    click("out");
    EXPECT_EQ(in_words(layers()), "window and sinks");
    ASSERT_EQ(layers().size(), 2u);
    EXPECT_EQ(layers()[1].kind, LayerKind::sinks);
    undo();
    driver->drag(place("Sinks", sidebar()), place("Mask rules", sidebar()));
    ASSERT_EQ(layers().size(), 2u) << "dropped elsewhere, it is out, too";
    EXPECT_EQ(layers()[1].kind, LayerKind::sinks);
}

TEST_F(InLayers, ChosenLayersBecomeAGroup) {
    MaskLayer window = of(LayerKind::window);
    set_layers({of(LayerKind::causal), window, of(LayerKind::padding)});
    for (const char* name : {"Causal", "Window"})
        driver->click(place(name, sidebar()), 0, GLFW_MOD_CONTROL);
    EXPECT_EQ(layers().size(), 3u) << "a click with Ctrl removes nothing";
    click("+ group");
    click("any of the selected rules", anywhere());
    EXPECT_EQ(in_words(layers()), "(causal or window) and padding");
    driver->key(GLFW_KEY_B, GLFW_MOD_ALT);
    EXPECT_EQ(scene().variants.back().name, "causal or (window and padding)");
}

TEST_F(InLayers, SoftcapAndSinkAreSetInAVariant) {
    driver->app().ui.sidebar.variant = 0;
    click("Softcap");
    click("30", anywhere());
    EXPECT_EQ(scene().variants[0].softcap, (Softcap{30, CapOrder::before_mask}));
    click("after the mask");
    EXPECT_EQ(scene().variants[0].softcap->order, CapOrder::after_mask);
    click("Normalizer");
    click("Softmax with a sink", anywhere());
    EXPECT_EQ(scene().variants[0].normalizer, Normalizer::softmax_sink);
    click("Sink");
    driver->type("1.5");
    enter();
    EXPECT_EQ(scene().variants[0].sink, Sink(1.5));
}

TEST_F(InLayers, HeadsShareKeys) {
    session.edit("", [](Scene& s) { set_heads(s, 4); });
    driver->settle();
    driver->wheel({100, 500}, -100);
    click("KV heads");
    driver->type("3");
    enter();
    EXPECT_EQ(kv_heads_of(scene().inputs), 4) << "3 does not divide 4";
    click("KV heads");
    driver->type("2");
    enter();
    EXPECT_EQ(kv_heads_of(scene().inputs), 2);
    click("tile");
    EXPECT_EQ(std::get<EmbeddingInputs>(scene().inputs).kv_map, KvMap::tile);
}

TEST_F(InLayers, QueriesOfACrossAttentionBeginLater) {
    ASSERT_TRUE(session.open(source_folder() + "/assets/scenes/cross.json"));
    click("Position of the first query");
    driver->type("2");
    enter();
    EXPECT_EQ(scene().sequences[0].start, 2);
}

}  // namespace
}  // namespace maskscope
