// Tests the switch between backends behind the status line, with the real GPU backend: a software
// renderer will do.

#include <cmath>

#include "core/gl/headless.h"
#include "tests/ui/panels/panels_fixture.h"

namespace maskscope {
namespace {

class Switch : public ::testing::Test {
protected:
    Switch() {
        session->open(lesson_file);
        driver = std::make_unique<ui::Driver>(*session);
        session->offer_gpu(ui::gpu_of(driver->context()));
    }
    void TearDown() override { session.reset(); }  // before the context that holds its results

    void settle() {
        session->wait();
        driver->settle();
        session->wait();
        driver->settle();
    }
    // Returns the place of this text within a panel.
    std::optional<Point> find(const std::string& text, const Rect& within) {
        driver->settle();
        for (const auto& drawn : driver->app().labels->drawn()) {
            const Point middle{drawn.rect.x + drawn.rect.w / 2, drawn.rect.y + drawn.rect.h / 2};
            if (drawn.text == text && within.contains(middle)) return middle;
        }
        return std::nullopt;
    }
    void click(const std::string& text, const Rect& within) {
        const auto at = find(text, within);
        ASSERT_TRUE(at) << "nothing says " << text;
        driver->click(*at);
        settle();
    }
    Rect status() { return driver->app().panels.status; }
    Rect popup() { return rect_of<BackendSwitch>(driver->app()); }
    void set_dtype(Dtype dtype) {
        session->edit("dtype", [&](Scene& scene) {
            for (Variant& variant : scene.variants) variant.dtype = dtype;
        });
        settle();
    }

    std::unique_ptr<Session> session = std::make_unique<Session>(std::make_unique<PlainBackend>());
    std::unique_ptr<ui::Driver> driver;
};

TEST_F(Switch, OpensBehindTheBackendsNameAndClosesByEscape) {
    EXPECT_EQ(popup().h, 0);
    click("CPU", status());
    EXPECT_GT(popup().h, 0);
    EXPECT_TRUE(find("GPU: " + renderer_name(), popup()));
    driver->key(GLFW_KEY_ESCAPE);
    EXPECT_EQ(popup().h, 0);
    click("CPU", status());
    click("CPU", status());
    EXPECT_EQ(popup().h, 0);
}

TEST_F(Switch, AClickComputesTheSameSceneOnTheGpuAndBack) {
    const Scene scene = session->scene();
    const auto cpu = driver->pixels().colours;
    click("CPU", status());
    click("GPU", popup());
    EXPECT_EQ(session->shown().backend, "gpu");
    EXPECT_EQ(session->scene(), scene);
    EXPECT_TRUE(find("GPU", status()));
    EXPECT_FALSE(session->message());
    click("CPU", popup());
    EXPECT_EQ(session->shown().backend, "cpu");
    EXPECT_TRUE(find("CPU", status()));
    click("Reference", popup());
    EXPECT_EQ(session->shown().backend, "cpu");
    EXPECT_TRUE(find("Reference", status()));
}

// Heatmaps, inspector, facts and captions are the same, wherever the numbers of a result are.
TEST_F(Switch, TheBenchLooksAlikeOnBoth) {
    const auto look = [this] {
        settle();
        Rect quiet = status();  // its times differ
        auto pixels = driver->pixels();
        pixels.colours.resize(static_cast<std::size_t>(pixels.width) *
                              static_cast<std::size_t>(quiet.y));
        return pixels.colours;
    };
    const auto cpu = look();
    const std::string caption = session->words().caption;
    ASSERT_TRUE(session->compute_with(ComputeWith::gpu));
    const auto gpu = look();
    EXPECT_EQ(session->shown().backend, "gpu");
    EXPECT_EQ(session->words().caption, caption);
    for (std::size_t k = 0; k < session->results().verdicts().size(); ++k)
        EXPECT_TRUE(session->results().verdicts()[k].holds)
            << session->lesson()->steps.front().facts[k].says;
    std::size_t other = 0;
    for (std::size_t k = 0; k < cpu.size(); ++k) other += cpu[k] == gpu[k] ? 0U : 1U;
    // A last digit may round differently; a wrong heatmap has thousands of such digits.
    EXPECT_LE(other, 200U);
}

TEST_F(Switch, AnEditIsComputedOnTheGpuInTheSameFrame) {
    ASSERT_TRUE(session->compute_with(ComputeWith::gpu));
    settle();
    session->edit("block", [](Scene& s) { set_allowed(s, {0, 1}, 0, 0, {2, 4}, true); });
    driver->settle();
    EXPECT_EQ(session->shown().scene, session->scene());
    EXPECT_EQ(session->shown().backend, "gpu");
    EXPECT_TRUE(session->shown().variants[0].is_allowed(0, 0, 2, 4));
    EXPECT_GT(session->shown().variants[0].stage(StageKind::weights).at(0, 0, 2, 4), 0);
}

TEST_F(Switch, ALargeSceneIsComputedInTheWorkersContext) {
    ASSERT_TRUE(session->compute_with(ComputeWith::gpu));
    settle();
    session->edit("a long sentence", [](Scene& scene) {
        scene.sequences = {{std::vector<std::string>(160, "word"), std::nullopt}};
    });
    settle();
    ASSERT_EQ(session->shown().scene, session->scene());
    ASSERT_EQ(session->shown().backend, "gpu");
    double sum = 0;
    const Stage& weights = session->shown().variants[0].stage(StageKind::weights);
    for (Index j = 0; j < 160; ++j) sum += weights.at(0, 0, 159, j);
    EXPECT_NEAR(sum, 1, 1e-5) << "read back in the thread that draws; float32 sums of 160";
}

// The window reads in its own context, the pass over all rows in the worker's.
TEST_F(Switch, ALongTextOnTheGpuKeepsNoCells) {
    GpuOffer offer = ui::gpu_of(driver->context());
    offer.most_kept = 0;
    session->offer_gpu(std::move(offer));
    session->edit("a long sentence", [](Scene& scene) {
        scene.sequences = {{std::vector<std::string>(160, "word"), std::nullopt}};
    });
    settle();
    const Result kept = session->shown();
    click("CPU", status());
    click("GPU", popup());
    ASSERT_EQ(session->shown().backend, "gpu");
    EXPECT_FALSE(session->message());
    for (const VariantResult& variant : session->shown().variants) {
        ASSERT_TRUE(variant.computed);
        EXPECT_TRUE(variant.rows.empty());
    }
    session->edit("block", [](Scene& s) { set_allowed(s, {0, 1}, 0, 0, {150, 4}, false); });
    for (Index i = 0; i < 160; i += 9) {  // while the worker computes
        driver->settle();
        for (Index j = 0; j < 160; j += 7) {
            const auto weight = [&](const Result& result) {
                return result.variants[0].stage(StageKind::weights).at(0, 0, i, j);
            };
            // float32 weights of 160 keys: a few of their last places
            if (i != 150) {
                EXPECT_NEAR(weight(session->shown()), weight(kept), 1e-6) << i << ", " << j;
            }
        }
    }
    settle();
    EXPECT_FALSE(session->shown().variants[0].is_allowed(0, 0, 150, 4));
    EXPECT_EQ(session->shown().backend, "gpu");
    each_stage(session->results().bench(), [](const BenchStage& stage) {
        EXPECT_EQ(stage.cells->source ? stage.cells->source->seen : 1, 1);
    });
}

// The window's context is current in its thread, the GPU's in its own, whatever is computed.
TEST_F(Switch, EachThreadMakesItsContextCurrentOnce) {
    const auto before = gl::times_made_current();
    ASSERT_TRUE(session->compute_with(ComputeWith::gpu));
    settle();
    const auto lengthen = [this](std::size_t tokens) {
        session->edit("tokens", [&](Scene& scene) {
            scene.sequences.front().queries = std::vector<std::string>(tokens, "word");
        });
    };
    for (int k = 0; k < 100; ++k) {
        if (k % 10 == 3) lengthen(160 + k);  // the worker computes it
        if (k % 10 == 4) session->cancel();
        if (k % 20 == 5) driver->key(GLFW_KEY_PAGE_DOWN);
        if (k % 20 == 15) driver->key(GLFW_KEY_PAGE_UP);
        session->edit("scale", [&](Scene& scene) {
            scene.variants[0].scale = {ScaleKind::number, 0.1 + 0.01 * k};
        });
        driver->settle();
    }
    settle();
    EXPECT_EQ(session->shown().backend, "gpu");
    EXPECT_EQ(gl::times_made_current(), before + 1);
}

TEST_F(Switch, TheStatusSaysThatTheGpuIsPreparedForWhoAskedForIt) {
    click("CPU", status());
    const auto at = find("GPU", popup());
    ASSERT_TRUE(at);
    driver->click(*at);
    // One frame is too short to compile a program, so the CPU has computed this one.
    if (session->results().backends().preparing()) {
        EXPECT_TRUE(find("GPU: preparing…", status()));
    }
    settle();
    EXPECT_FALSE(session->results().backends().preparing());
    EXPECT_TRUE(find("GPU", status()));
}

TEST_F(Switch, AutoLeavesSmallScenesToTheCpu) {
    click("CPU", status());
    click("GPU", popup());
    EXPECT_EQ(session->shown().backend, "gpu");
    click("Auto", popup());
    EXPECT_EQ(session->shown().backend, "cpu");
    EXPECT_TRUE(find("CPU", status()));
    EXPECT_FALSE(session->message());
}

TEST_F(Switch, Float64IsReportedOnceAndTheStatusIsRight) {
    click("CPU", status());
    click("GPU", popup());
    set_dtype(Dtype::float64);
    EXPECT_EQ(session->shown().backend, "cpu");
    EXPECT_TRUE(find("CPU", status()));
    ASSERT_TRUE(session->message());
    EXPECT_NE(session->message()->text.find("float64"), std::string::npos);
    EXPECT_TRUE(find(session->message()->text, status()));
    set_dtype(Dtype::float16);
    EXPECT_EQ(session->shown().backend, "gpu");
    EXPECT_FALSE(session->message());
}

TEST_F(Switch, WithoutAGpuAClickSaysWhy) {
    session->offer_gpu({});
    click("CPU", status());
    EXPECT_TRUE(find("This machine has no OpenGL 4.3", popup()));
    click("GPU", popup());
    ASSERT_TRUE(session->message());
    EXPECT_TRUE(session->message()->wrong);
    EXPECT_EQ(session->shown().backend, "cpu");
    EXPECT_TRUE(find("CPU", status()));
}

}  // namespace
}  // namespace maskscope
