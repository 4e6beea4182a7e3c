#include "core/gl/headless.h"

#include <epoxy/gl.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/gpu/gpu_fixture.h"

namespace maskscope {
namespace {

using golden::in_another_thread;

TEST(HeadlessContext, SaysWhatRendersIt) {
    in_another_thread([] {
        const HeadlessContext context(4, 3);
        EXPECT_NE(renderer_name(), "unknown");
    });
}

TEST(HeadlessContext, IsOfTheFirstVersionThatIsThere) {
    in_another_thread([] {
        const HeadlessContext context({{9, 9}, {4, 3}, {3, 3}});
        EXPECT_GE(epoxy_gl_version(), 43);
    });
}

TEST(HeadlessContext, IsMadeCurrentOnce) {
    in_another_thread([] {
        const auto before = gl::times_made_current();
        const HeadlessContext context(4, 3);
        EXPECT_EQ(gl::times_made_current(), before + 1);
    });
}

TEST(HeadlessContext, SharesWithAnotherThread) {
    in_another_thread([] {
        const HeadlessContext context(4, 3);
        std::string renderer;
        std::thread([&] {
            const HeadlessContext second(4, 3, &context);
            renderer = renderer_name();
        }).join();
        EXPECT_EQ(renderer, renderer_name());
    });
}

TEST(HeadlessContext, RefusesAVersionThatIsNotThere) {
    in_another_thread([] {
        try {
            const HeadlessContext context(9, 9);
            ADD_FAILURE();
        } catch (const WorkError& error) {
            EXPECT_STREQ(error.what(), "this machine offers no OpenGL 9.9 without a display");
        }
    });
}

TEST(SoftwareRenderer, IsKnownByItsName) {
    for (const char* name : {"llvmpipe (LLVM 15.0.6, 256 bits)", "softpipe", "swrast"})
        EXPECT_TRUE(is_software_renderer(name)) << name;
    for (const char* name : {"NVIDIA H200/PCIe/SSE2", "Mesa Intel(R) UHD Graphics 620 (KBL GT2)"})
        EXPECT_FALSE(is_software_renderer(name)) << name;
}

}  // namespace
}  // namespace maskscope
