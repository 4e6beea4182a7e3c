// Tests the card "Test this mask": how it is opened, its lines, the way to a cell that fails, and
// that it follows the scene.

#include <chrono>
#include <thread>

#include "core/compute/mask_tests.h"
#include "core/format/scene_json.h"
#include "tests/ui/panels/panels_fixture.h"

namespace maskscope {
namespace {

const std::string two_variants = R"({"maskscope": 1, "title": "tested",
  "sequences": [{"queries": ["a", "name", "is", "Luke"]}],
  "inputs": {"kind": "embedding", "seed": 7, "heads": 2, "d_k": 4, "d_v": 4},
  "variants": [
    {"name": "right", "mask": {"layers": [{"kind": "causal", "align": "bottom_right"}]}},
    {"name": "multiplied", "mask": {"layers": [{"kind": "causal", "align": "bottom_right"}],
                                    "apply": "multiply_weights"}}]})";

class Card : public InPanels {
protected:
    Card() { open(two_variants); }
    void open(const std::string& text) {
        session.open_scene(read_scene(text, fs::path()), ".", "tested");
        driver->settle();
    }
    Rect card() { return rect_of<MaskCard>(driver->app()); }
    const MaskCheck& check() { return *driver->app().ui.overlays.find<MaskCard>()->check; }
    // Makes frames until all tests are done.
    void finish() {
        driver->settle();
        for (int k = 0; k < 500 && check().results().size() < mask_tests().size(); ++k) {
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
            driver->settle();
        }
        ASSERT_EQ(check().results().size(), mask_tests().size());
    }
    int count(const std::string& text) {
        driver->settle();
        int found = 0;
        for (const auto& drawn : driver->app().labels->drawn())
            found += drawn.text == text && card().contains({drawn.rect.x + 1, drawn.rect.y + 1});
        return found;
    }
};

TEST_F(Card, OpensFromTheMenuThePaletteAndBesideTheMaskAndCloses) {
    EXPECT_EQ(card().w, 0);
    choose("Test this mask");
    EXPECT_GT(card().w, 0);
    driver->key(GLFW_KEY_ESCAPE);
    EXPECT_EQ(card().w, 0);
    driver->key(GLFW_KEY_P, GLFW_MOD_CONTROL | GLFW_MOD_SHIFT);
    driver->type("test this mask");
    enter();
    driver->settle();
    EXPECT_GT(card().w, 0);
    click("×", card());
    driver->settle();
    EXPECT_EQ(card().w, 0);
    click("Test this mask");  // in the left panel
    driver->settle();
    EXPECT_GT(card().w, 0);
}

TEST_F(Card, SaysOfEachTestWhatItMeansAndWhetherItPasses) {
    choose("Test this mask");
    finish();
    for (const MaskTest& test : mask_tests()) {
        const std::string means(test.means);
        EXPECT_TRUE(shows_part(means.substr(0, means.find(' ', 20)), card())) << means;
    }
    EXPECT_EQ(count("✓ pass"), 3);
    EXPECT_EQ(count("does not apply"), 1);
    EXPECT_TRUE(shows_part("There is only one sequence, without padding.", card()));
}

TEST_F(Card, LeadsToTheCellWhereATestFails) {
    choose("Test this mask");
    driver->app().ui.overlays.find<MaskCard>()->variant = 1;
    finish();
    EXPECT_EQ(count("✗ fail"), 3) << "all except padding, which does not apply";
    const TestResult& gradient = check().results()[3];
    ASSERT_TRUE(gradient.place);
    const std::string number = "(" + std::to_string(gradient.place->i + 1) + ")";
    EXPECT_NE(gradient.words.find(number), std::string::npos) << "the window counts from 1";
    const Rect at = card();
    std::optional<Point> line;
    for (const auto& drawn : driver->app().labels->drawn())
        if (drawn.text.find("on blocked keys in row") != std::string::npos)
            line = Point{drawn.rect.x + 2, drawn.rect.y + drawn.rect.h / 2};
    ASSERT_TRUE(line && at.contains(*line));
    driver->click(*line);
    driver->settle();
    const auto& pinned = session.view().pinned;
    ASSERT_TRUE(pinned);
    EXPECT_EQ(*pinned, (CellRef{1, StageKind::weights, 0, gradient.place->h, gradient.place->i,
                                gradient.place->j}));
    EXPECT_GT(gradient.place->j, gradient.place->i) << "a blocked key";
    EXPECT_EQ(shown_heads(session.view(), {1, 2, 4, 4}), std::vector<Index>{gradient.place->h});
}

TEST_F(Card, FollowsTheScene) {
    choose("Test this mask");
    finish();
    EXPECT_EQ(check().results()[0].outcome, TestOutcome::pass);
    session.edit("forget the mask", [](Scene& scene) { scene.variants[0].mask.layers.clear(); });
    finish();
    EXPECT_EQ(check().results()[0].outcome, TestOutcome::fail);
    session.undo();
    finish();
    EXPECT_EQ(check().results()[0].outcome, TestOutcome::pass);
    session.edit("remove", [](Scene& scene) { scene.variants.erase(scene.variants.begin()); });
    finish();
    EXPECT_EQ(check().results()[0].outcome, TestOutcome::fail)
        << "the lines are of the variant that is left";
    session.new_scene();
    driver->settle();
    EXPECT_EQ(card().w, 0) << "another document";
}

// With 300 tokens, the test of the future alone takes seconds.
TEST_F(Card, TestsALongSceneAside) {
    std::string tokens = "\"a\"";
    for (int k = 1; k < 300; ++k) tokens += ", \"t" + std::to_string(k) + "\"";
    open(R"({"maskscope": 1, "sequences": [{"queries": [)" + tokens + R"(]}],
      "inputs": {"kind": "embedding", "seed": 7, "heads": 4, "d_k": 32, "d_v": 32},
      "variants": [{"name": "all", "mask": {"layers": []}}]})");
    session.wait();
    const auto begin = std::chrono::steady_clock::now();
    choose("Test this mask");
    EXPECT_LT(check().results().size(), mask_tests().size()) << "they are still running";
    EXPECT_GT(count("testing…"), 0);
    driver->key(GLFW_KEY_ESCAPE);
    EXPECT_EQ(card().w, 0);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    EXPECT_LT(seconds.count(), 30) << "closing cancels the test, which does not run to its end";
}

TEST_F(Card, CopiesTheTestsAsAScript) {
    choose("Test this mask");
    finish();
    click("Copy the tests as PyTorch", card());
    driver->settle();
    EXPECT_NE(driver->clipboard.find("def attention(q, k, v, mask):"), std::string::npos);
    EXPECT_NE(driver->clipboard.find("def future():"), std::string::npos);
}

TEST_F(Card, SaysNothingWhileAStepAsks) {
    session.open(lesson_file);
    driver->settle();
    for (int step = 0; !session.view().asks() && step < 20; ++step) session.next();
    ASSERT_TRUE(session.view().asks());
    click("⋯", top_bar());
    EXPECT_TRUE(shows_part("answer the question first", anywhere()));
    driver->key(GLFW_KEY_ESCAPE);
    session.next();
    driver->settle();
    ASSERT_FALSE(session.view().asks());
    choose("Test this mask");
    EXPECT_GT(card().w, 0);
}

}  // namespace
}  // namespace maskscope
