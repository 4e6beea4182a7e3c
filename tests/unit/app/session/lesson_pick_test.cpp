#include "app/session/edits/lesson_pick.h"

#include <gtest/gtest.h>

#include "tests/unit/app/show/sentence.h"

namespace maskscope {
namespace {

// An edit may remove the variant that was picked, or what it was compared with.
TEST(LessonPick, AVariantThatIsGoneHasNoNumbers) {
    const std::vector<Variant> variants = {causal("one", Apply::additive),
                                           causal("two", Apply::multiply_weights)};
    const Scene scene = sentence(variants);
    View view;
    view.show.focus = Cell{1, 0};
    Pick pick;
    for (const char* of : {"weights", "output", "sum"}) {
        pick.of = of;
        pick.variant = 1;
        pick.minus.reset();
        EXPECT_FALSE(measures_of(view, scene, pick).empty());
        EXPECT_TRUE(address_of(pick, view, scene));
        pick.variant = 2;
        EXPECT_TRUE(measures_of(view, scene, pick).empty());
        EXPECT_FALSE(address_of(pick, view, scene));
        pick.variant = 0;
        pick.minus = 2;
        EXPECT_TRUE(measures_of(view, scene, pick).empty());
        EXPECT_FALSE(address_of(pick, view, scene));
    }
}

}  // namespace
}  // namespace maskscope
