// Tests sidebar fields for what only files could set before: positions, tensors, slopes, the
// reference of a variant, and a scale by formula. Each is one undo step.

#include "core/format/scene_json.h"
#include "core/scene/mask_rules.h"
#include "core/scene/names.h"
#include "core/tensors/npy_file.h"
#include "tests/ui/panels/panels_fixture.h"

namespace maskscope {
namespace {

class InFields : public InPanels {
protected:
    // Undoes the last edit and expects the scene as it was.
    void expect_undo(const Scene& before) {
        EXPECT_NE(scene(), before);
        session.undo();
        EXPECT_EQ(scene(), before) << "one step of undo";
    }
    void edit(const std::function<void(Scene&)>& change) {
        ASSERT_TRUE(session.edit("", change)) << session.message()->text;
        session.end_merge();
    }
    void type_over(const std::string& now, const std::string& text) {
        click(now);
        driver->type(text);
        enter();
    }
    // Makes the tokens keys, and adds two queries that follow them.
    void attend_to_keys() {
        edit([](Scene& scene) {
            Sequence& sequence = scene.sequences[0];
            sequence.keys = sequence.queries;
            sequence.queries = std::vector<std::string>{"one", "two"};
            sequence.start = 4;
            for (Variant& variant : scene.variants) variant.mask.layers.clear();
        });
    }
    MaskLayer& only_layer(Scene& scene, LayerKind kind) {
        for (Variant& variant : scene.variants) {
            variant.mask.layers.resize(1);
            variant.mask.layers[0] = {};
            variant.mask.layers[0].kind = kind;
        }
        return scene.variants[0].mask.layers[0];
    }
};

TEST_F(InFields, PositionsOfQueriesAndKeysAreTyped) {
    attend_to_keys();
    const Scene before = scene();
    type_over("4 5", "7 2");
    EXPECT_EQ(*scene().sequences[0].positions, (std::vector<Index>{7, 2}));
    EXPECT_EQ(scene().sequences[0].start, 0) << "the list takes its place";
    expect_undo(before);
    type_over("4 5", "7");
    EXPECT_EQ(scene(), before);
    EXPECT_EQ(session.message()->text, "There are 1 positions for 2 tokens. Each token needs one.");
    std::string counted, doubled;
    std::vector<Index> twice;
    for (Index k = 0; k < std::ssize(*before.sequences[0].keys); ++k) {
        counted += (k == 0 ? "" : " ") + std::to_string(k);
        doubled += (k == 0 ? "" : " ") + std::to_string(2 * k);
        twice.push_back(2 * k);
    }
    type_over(counted, doubled);
    EXPECT_EQ(*scene().sequences[0].key_positions, twice);
    expect_undo(before);
}

TEST_F(InFields, AMaskIsReadFromATensor) {
    const Folder folder;
    edit([&](Scene& scene) {
        const Shape shape = shape_of(scene);
        std::vector<double> ones(static_cast<std::size_t>(shape.n_q * shape.n_k), 1);
        for (Variant& variant : scene.variants) {
            variant.mask.layers.resize(1);
            variant.mask.layers[0] = {};
            variant.mask.layers[0].kind = LayerKind::tensor;
            variant.mask.layers[0].tensor = make_array({shape.n_q, shape.n_k}, ones);
            variant.mask.layers[0].tensor->truths = true;
        }
    });
    std::ofstream(folder / "scene.json") << write_scene(scene());
    session.open(folder / "scene.json");
    const Scene before = scene();
    type_over("in the scene", "nowhere.npy");
    EXPECT_EQ(scene(), before);
    EXPECT_TRUE(session.message()->wrong);
    const Shape shape = shape_of(scene());
    std::vector<double> numbers(static_cast<std::size_t>(shape.n_q * shape.n_k), -1e9);
    for (Index i = 0; i < shape.n_q; ++i) numbers[static_cast<std::size_t>(i * shape.n_k)] = 0;
    NpyFile npy(folder / "mask.npy", NpyNumbers::float64, {1, 1, shape.n_q, shape.n_k});
    npy.write(0, shape.n_q, numbers.data());
    npy.close();
    click("nowhere.npy");  // a rejected text stays in its field
    driver->key(GLFW_KEY_A, GLFW_MOD_CONTROL);
    driver->type("mask.npy");
    enter();
    const MaskLayer& layer = scene().variants[0].mask.layers[0];
    EXPECT_EQ(layer.tensor->file, "mask.npy") << session.message()->text;
    EXPECT_TRUE(TensorCells(*layer.tensor, 0, 0).allows(1, 0));
    EXPECT_FALSE(TensorCells(*layer.tensor, 0, 0).allows(1, 1));
    expect_undo(before);
}

TEST_F(InFields, SlopesAreChosenWhereTheyDiffer) {
    edit([&](Scene& scene) {
        std::get<EmbeddingInputs>(scene.inputs).heads = 4;
        only_layer(scene, LayerKind::alibi);
    });
    EXPECT_FALSE(shows("geometric", sidebar())) << "4 heads have the same slopes either way";
    edit([](Scene& scene) { std::get<EmbeddingInputs>(scene.inputs).heads = 6; });
    const Scene before = scene();
    click("geometric");
    EXPECT_EQ(scene().variants[0].mask.layers[0].slopes, Slopes::geometric);
    expect_undo(before);
}

TEST_F(InFields, AScaleMayBeAFormula) {
    click(scene().variants[0].name);
    const Scene before = scene();
    click("Scale");
    click("other…", anywhere());
    driver->type("1 / (1 + i)");
    enter();
    EXPECT_EQ(scene().variants[0].scale.expression, "1 / (1 + i)");
    expect_undo(before);
}

TEST_F(InFields, AVariantHasAReference) {
    click(scene().variants[1].name);
    const Scene before = scene();
    click("Reference");
    click("A " + scene().variants[0].name, anywhere());
    EXPECT_EQ(scene().variants[1].reference, 0);
    expect_undo(before);
}

}  // namespace
}  // namespace maskscope
