#include "core/gl/headless.h"

#include <gtest/gtest.h>

#include <thread>

#include "core/base/error.h"

namespace maskscope {
namespace {

TEST(HeadlessContext, SaysWhatRendersIt) {
    const HeadlessContext context(4, 3);
    EXPECT_NE(renderer_name(), "unknown");
}

TEST(HeadlessContext, SharesWithAnotherThread) {
    const HeadlessContext context(4, 3);
    const HeadlessContext second(4, 3, &context);
    second.release();
    std::string renderer;
    std::thread([&] {
        second.make_current();
        renderer = renderer_name();
        second.release();
    }).join();
    context.make_current();
    EXPECT_EQ(renderer, renderer_name());
}

TEST(HeadlessContext, RefusesAVersionThatIsNotThere) {
    try {
        const HeadlessContext context(9, 9);
        ADD_FAILURE();
    } catch (const WorkError& error) {
        EXPECT_STREQ(error.what(), "this machine offers no OpenGL 9.9 without a display");
    }
}

TEST(SoftwareRenderer, IsKnownByItsName) {
    for (const char* name : {"llvmpipe (LLVM 15.0.6, 256 bits)", "softpipe", "swrast"})
        EXPECT_TRUE(is_software_renderer(name)) << name;
    for (const char* name : {"NVIDIA H200/PCIe/SSE2", "Mesa Intel(R) UHD Graphics 620 (KBL GT2)"})
        EXPECT_FALSE(is_software_renderer(name)) << name;
}

}  // namespace
}  // namespace maskscope
