// Tests the status line, over a text whose pictures are a sample.

#include <gtest/gtest.h>

#include <thread>

#include "app/session/computing.h"
#include "app/window/paint/label_atlas.h"
#include "core/large/large_backend.h"
#include "tests/ui/harness.h"

namespace maskscope {
namespace {

// Returns the middle of the first text in the status line that begins like this; but "Cancelled."
// does not count as "Cancel".
std::optional<Point> find(ui::Driver& driver, const std::string& begin) {
    driver.settle();
    for (const auto& drawn : driver.app().labels->drawn()) {
        const Point middle{drawn.rect.x + drawn.rect.w / 2, drawn.rect.y + drawn.rect.h / 2};
        if (drawn.text.starts_with(begin) && drawn.text != "Cancelled." &&
            driver.app().panels.status.contains(middle))
            return middle;
    }
    return std::nullopt;
}

TEST(StatusLine, SaysHowMuchOfALongTextWasSeenAndGoesOn) {
    Session session(std::make_unique<LargeBackend>(2, 0));
    ui::Driver driver(session);
    ASSERT_TRUE(session.edit("scene", [](Scene& scene) {
        scene = Scene();
        scene.sequences = {{std::vector<std::string>(3000, "word"), std::nullopt}};
        scene.inputs = EmbeddingInputs{7, 1, 64, 64, 64};
        scene.variants.resize(1);
        scene.variants[0].name = "capped";
        scene.variants[0].softcap.emplace();  // by the reference implementation: slow
        scene.variants[0].mask.layers.emplace_back();
    })) << (session.message() ? session.message()->text : "");
    const auto update_while = [&](const auto& holds) {
        for (int k = 0; k < 60'000 && (session.update(), holds()); ++k)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
    };
    update_while([&] { return !session.results().sampling(); });
    session.cancel();
    update_while([&] { return session.computing(); });
    const auto invites_to_click = [&] {
        driver.settle();
        return std::ranges::any_of(driver.app().labels->drawn(),
                                   [](const auto& label) { return label.text == "click or drag"; });
    };
    ASSERT_TRUE(session.results().sampling() && session.results().sampling()->stopped);
    EXPECT_FALSE(invites_to_click());  // the mask says that it is sampled, too
    EXPECT_TRUE(find(driver, "sampled, "));
    EXPECT_FALSE(find(driver, "Cancel"));
    const auto go_on = find(driver, "Continue");
    ASSERT_TRUE(go_on);
    driver.click(*go_on);
    EXPECT_TRUE(!session.results().sampling() || !session.results().sampling()->stopped);
    update_while([&] { return session.computing(); });
    EXPECT_FALSE(session.results().sampling());
    EXPECT_TRUE(invites_to_click());
    EXPECT_FALSE(find(driver, "sampled, "));
    EXPECT_FALSE(find(driver, "Continue"));
}

}  // namespace
}  // namespace maskscope
