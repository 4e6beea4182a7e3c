#include "app/session/computing.h"

#include <gtest/gtest.h>

#include <memory>

#include "core/cpu/cpu_backend.h"

namespace maskscope {
namespace {

Scene scene_shown_as(ViewKind kind, std::size_t tokens) {
    Scene scene;
    scene.sequences = {{std::vector<std::string>(tokens, "word"), std::nullopt}};
    scene.inputs = EmbeddingInputs{.seed = 7, .heads = 1, .d_k = 4, .d_v = 2};
    scene.variants.resize(1);
    scene.variants.front().name = "A";
    scene.show.emplace().view = kind;
    return scene;
}

View view_of(const Scene& scene) {
    View view;
    view.show = *scene.show;
    return view;
}

TEST(ViewMaker, KeepsNoResultAliveThatIsNoLongerShown) {
    CpuBackend cpu(1);
    const auto computed = [&](const Scene& scene) {
        Progress progress;
        return std::make_shared<const Result>(cpu.compute(scene, {}, nullptr, progress));
    };
    const Scene large = scene_shown_as(ViewKind::plane, 900);
    const Scene small = scene_shown_as(ViewKind::pipeline, 4);
    ViewMaker maker({});
    auto result = computed(large);
    maker.refresh(result, view_of(large));
    ASSERT_TRUE(maker.active()) << "it is made in the background";
    while (maker.active()) {
        maker.wait();
        maker.refresh(result, view_of(large));
    }
    ASSERT_TRUE(maker.has(view_key(result, view_of(large))));
    const std::weak_ptr<const Result> before = result;
    result.reset();
    maker.refresh(computed(small), view_of(small));
    EXPECT_TRUE(before.expired());
}

}  // namespace
}  // namespace maskscope
