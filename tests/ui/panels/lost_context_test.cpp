// If the graphics card is reset, or refuses something, the document, its history and the panels are
// kept.

#include <epoxy/gl.h>

#include <GLFW/glfw3.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "app/window/context/app.h"
#include "app/window/paint/heatmap_gpu.h"
#include "core/base/build.h"
#include "core/base/error.h"
#include "core/compute/plain.h"
#include "core/edit/edit.h"
#include "core/gl/buffer.h"
#include "core/gpu/data/numbers.h"
#include "tests/support/folder.h"
#include "tests/ui/harness.h"

namespace maskscope {
namespace {

namespace fs = std::filesystem;

struct LostContext : testing::Test {
    Session session{std::make_unique<PlainBackend>()};
    std::unique_ptr<ui::Driver> driver;
    void SetUp() override {
        ASSERT_TRUE(
            session.open(source_folder() + "/assets/lessons/additive-or-multiplicative.json"));
        driver = std::make_unique<ui::Driver>(session);
        driver->app().gui.reduced_motion =
            true;  // otherwise frames of changed cells fade meanwhile
        driver->key(GLFW_KEY_PAGE_DOWN);
        ASSERT_TRUE(session.edit(
            "rename", [](Scene& scene) { rename_token(scene, 0, Side::queries, 1, "Their"); }));
        driver->key(GLFW_KEY_E, GLFW_MOD_CONTROL);  // the sheet stays open
        driver->settle();
    }
};

TEST_F(LostContext, TheNextOneShowsTheSamePixels) {
    const Scene scene = session.scene();
    const int step = session.document().step;
    const ui::Pixels before = driver->pixels();
    for (int k = 0; k < 3; ++k) {
        driver->lose_context();
        driver->settle();
        EXPECT_TRUE(driver->pixels().colours == before.colours) << k;
        EXPECT_EQ(glGetError(), GLenum(GL_NO_ERROR));
    }
    EXPECT_EQ(session.scene(), scene);
    EXPECT_EQ(session.document().step, step);
    EXPECT_TRUE(driver->app().ui.overlays.find<ExportSheet>());
    EXPECT_EQ(session.document().undo_name(), "rename");
    session.undo();
    driver->settle();
    EXPECT_TRUE(session.document().redo_name());
    EXPECT_FALSE(driver->pixels().colours == before.colours);
}

TEST_F(LostContext, WhatTheGpuHadComputedTheCpuComputes) {
    if (epoxy_gl_version() < 43) GTEST_SKIP() << "no OpenGL 4.3";
    session.offer_gpu(ui::gpu_of(driver->context()));
    ASSERT_TRUE(session.compute_with(ComputeWith::gpu));
    session.wait();
    driver->settle();
    ASSERT_EQ(session.shown().backend, "gpu");
    const Scene scene = session.scene();
    const auto left = session.shown().variants.front().stage(StageKind::weights).remote();
    ASSERT_TRUE(left);
    driver->lose_context();
    EXPECT_EQ(session.results().backends().chosen(), ComputeWith::cpu);
    EXPECT_FALSE(session.results().backends().offered().make);
    EXPECT_EQ(session.shown().scene, scene) << "it is there before the next frame";
    EXPECT_NE(session.shown().backend, "gpu");
    driver->settle();
    EXPECT_FALSE(session.message() && session.message()->wrong) << session.message()->text;
    EXPECT_EQ(session.document().undo_name(), "rename");
    std::vector<float> numbers(1);
    EXPECT_THROW(left->read(0, numbers), WorkError) << "never what the new context has there";
    session.offer_gpu(ui::gpu_of(driver->context()));
    EXPECT_TRUE(session.compute_with(ComputeWith::gpu)) << "it can be chosen again";
    session.wait();
    driver->settle();
    EXPECT_EQ(session.shown().backend, "gpu");
    EXPECT_EQ(session.scene(), scene);
}

// The context is lost during a computation on the worker, which uses a context that shares with the
// lost one.
TEST_F(LostContext, AlsoInTheMiddleOfAComputation) {
    if (epoxy_gl_version() < 43) GTEST_SKIP() << "no OpenGL 4.3";
    for (int k = 0; k < 5; ++k) {
        session.offer_gpu(ui::gpu_of(driver->context()));
        ASSERT_TRUE(session.compute_with(ComputeWith::gpu));
        const std::vector<std::string> tokens(200 + k, "a");
        ASSERT_TRUE(session.edit("tokens",
                                 [&](Scene& scene) { scene.sequences.front().queries = tokens; }));
        session.update();
        driver->lose_context();
        driver->settle();
        EXPECT_TRUE(session.shown().scene == session.scene())
            << (session.message() ? session.message()->text : "");
        EXPECT_NE(session.shown().backend, "gpu");
        EXPECT_FALSE(session.computing());
    }
}

TEST_F(LostContext, TheDriverTells) {
    if (epoxy_gl_version() < 45) GTEST_SKIP() << "no OpenGL 4.5";
    EXPECT_FALSE(gpu::is_context_lost());
    const auto status = epoxy_glGetGraphicsResetStatus;
    epoxy_glGetGraphicsResetStatus = []() -> GLenum { return GL_UNKNOWN_CONTEXT_RESET; };
    EXPECT_TRUE(gpu::is_context_lost());
    epoxy_glGetGraphicsResetStatus = status;
    EXPECT_FALSE(gpu::is_context_lost());
}

TEST_F(LostContext, AShaderOfTheWindowThatDoesNotCompileIsNamed) {
    static void(EPOXY_CALLSPEC * compile)(GLuint, GLsizei, const GLchar* const*, const GLint*);
    compile = epoxy_glShaderSource;
    epoxy_glShaderSource = [](GLuint shader, GLsizei, const GLchar* const*, const GLint*) {
        const char* broken = "#version 330 core\nno shader";
        compile(shader, 1, &broken, nullptr);
    };
    std::string told;
    try {
        const App app(session);
    } catch (const WorkError& error) {
        told = error.what();
    }
    epoxy_glShaderSource = compile;
    EXPECT_TRUE(told.starts_with("the shader ")) << told;
    EXPECT_NE(told.find("heatmap.vert does not compile"), told.npos) << told;
}

// Cells on the GPU are read back if the shader that reads them is refused.
TEST_F(LostContext, CellsDoWithoutTheirShader) {
    if (epoxy_gl_version() < 43) GTEST_SKIP() << "no OpenGL 4.3";
    const Folder folder;
    fs::copy(shader_folder(), folder.path());
    std::ofstream(folder / "cells.comp", std::ios::app) << "\nfloat broken() { return missing; }";
    session.offer_gpu(ui::gpu_of(driver->context()));
    ASSERT_TRUE(session.compute_with(ComputeWith::gpu));
    session.wait();
    const Stage& weights = session.shown().variants.front().stage(StageKind::weights);
    ASSERT_TRUE(weights.remote());
    const auto cells = cells_of(session.shown().variants.front(), StageKind::weights, 0, 0);
    ASSERT_TRUE(cells->source);
    GpuCells whole(shader_folder()), refused(folder.path());
    for (int k = 0; k < 2; ++k) {
        EXPECT_TRUE(whole.same(weights, weights));
        EXPECT_FALSE(refused.same(weights, weights).has_value());
        EXPECT_FALSE(refused.rows(*cells->source, 0, 0));
        EXPECT_FALSE(refused.upload_texels(*cells, {}));
    }
}

}  // namespace
}  // namespace maskscope
