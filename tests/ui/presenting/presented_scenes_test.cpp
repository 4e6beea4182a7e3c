// Tests scenes that no lesson has: long titles and tokens, every script, many variants.

#include <random>

#include "core/scene/names.h"

#include "tests/ui/presenting/presented.h"

namespace maskscope {
namespace {

const std::vector<std::string> words = {"a",
                                        "the",
                                        "Straßenbahnhaltestelle",
                                        "<pad>",
                                        "שלום",
                                        "مرحبا",
                                        "你好世界",
                                        "日本語の長い単語列",
                                        "नमस्ते",
                                        "🙂",
                                        "supercalifragilistic",
                                        "is",
                                        "Ελλάδα",
                                        "e\u0301te\u0301"};

std::string sentence(std::mt19937& random, int count) {
    std::string text;
    for (int k = 0; k < count; ++k) text += (k ? " " : "") + words[random() % words.size()];
    return text;
}

Scene random_scene(std::mt19937& random) {
    Scene scene;
    std::vector<std::string> tokens;
    const int count = 2 + int(random() % 9);
    for (int k = 0; k < count; ++k) tokens.push_back(words[random() % words.size()]);
    scene.title = sentence(random, 1 + int(random() % 12));
    scene.sequences = {{tokens, std::nullopt}};
    if (random() % 4 == 0) scene.sequences.push_back(scene.sequences.front());
    scene.inputs = EmbeddingInputs{random(), 1, 8, 8, 4};
    for (int k = 0, variants = 1 + int(random() % 3); k < variants; ++k) {
        Variant variant;
        variant.name = sentence(random, 1 + int(random() % 5));
        variant.mask.layers = {MaskLayer{}};
        variant.mask.apply = static_cast<Apply>(random() % names<Apply>().size());
        variant.dtype = random() % 2 ? Dtype::float32 : Dtype::float16;
        scene.variants.push_back(variant);
    }
    Show show;
    show.focus = Cell{0, 1};
    if (random() % 2) show.ring = Cell{1, 0};
    if (random() % 2) show.stages = {StageKind::weights, StageKind::output};
    std::vector<Index> all;
    for (std::size_t b = 0; b < scene.sequences.size(); ++b) all.push_back(static_cast<Index>(b));
    show.sequences = all;
    scene.show = show;
    return scene;
}

Lesson lesson_of(std::mt19937& random) {
    Lesson lesson;
    lesson.name = lesson.title = "random";
    for (int k = 0; k < 6; ++k) {
        Step step;
        step.scene = random_scene(random);
        step.title = step.scene.title;
        step.caption = sentence(random, 30);
        lesson.steps.push_back(std::move(step));
    }
    return lesson;
}

TEST(PresentedScenes, NothingIsSmallCoveredOrOutsideWhateverIsShown) {
    std::mt19937 random(5);
    for (const auto& [width, height] :
         {std::pair{1920, 1080}, std::pair{1024, 768}, std::pair{1280, 720}}) {
        Session session(std::make_unique<PlainBackend>());
        ASSERT_TRUE(session.open_lesson(lesson_of(random), {}));
        ui::Driver driver(session, width, height);
        driver.key(GLFW_KEY_F5);
        for (int k = 0; k < 6; ++k) {
            SCOPED_TRACE(std::to_string(width) + ", step " + std::to_string(k));
            session.go_to_step(k);
            session.wait();
            driver.settle();
            test::expect_legible(driver.app(), false);
        }
    }
}

// Everything that a scene shows is drawn, even if it is only stages that all variants share, or the
// mask.
TEST(PresentedScenes, AnyStageByItselfIsPresented) {
    std::mt19937 random(6);
    for (int k = 0; k < stage_count; ++k) {
        const auto stage = static_cast<StageKind>(k);
        Scene scene = random_scene(random);
        scene.sequences.resize(1);
        scene.variants.resize(1);
        scene.show->stages = {stage};
        scene.show->sequences.reset();
        Session session(std::make_unique<PlainBackend>());
        session.edit("scene", [&](Scene& changed) { changed = scene; });
        session.wait();
        ui::Driver driver(session, 1280, 720);
        driver.key(GLFW_KEY_F5);
        const auto& maps = driver.app().ui.bench.figure.heatmaps;
        EXPECT_TRUE(std::ranges::any_of(maps, [&](const Heatmap& map) {
            return map.cells->stage == stage;
        })) << label(stage);
        test::expect_legible(driver.app(), false);
    }
}

}  // namespace
}  // namespace maskscope
