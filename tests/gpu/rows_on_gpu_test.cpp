// Tests that rows computed alone on the GPU, too, have the same bits as among all rows.

#include <gtest/gtest.h>

#include <epoxy/gl.h>

#include "core/base/error.h"
#include "tests/golden/golden_files.h"
#include "tests/golden/parts_of_results.h"
#include "tests/gpu/covered_settings.h"
#include "tests/gpu/gpu_fixture.h"
#include "tests/gpu/larger_scenes.h"
#include "tests/gpu/strange_numbers.h"
#include "tests/support/random_scene.h"

namespace maskscope::golden {
namespace {

class RowsOnGpu : public Gpu {
protected:
    // Expects some rows in the middle, of all heads and of one head, to have the same bits alone as
    // among all rows.
    static void expect_rows_as_among_all(GpuBackend& backend, const Scene& scene, Index k) {
        const Result whole = compute(backend, scene);
        const Shape shape = shape_of(scene);
        Request request;
        request.rows = {k % shape.n_q, 1 + k % (shape.n_q - k % shape.n_q)};
        ASSERT_EQ(first_other_part(backend, whole, request), "");
        request.head = k % (shape.b * shape.h);
        ASSERT_EQ(first_other_part(backend, whole, request), "") << "head " << *request.head;
        request.stages.reset().set(static_cast<std::size_t>(StageKind::weights));
        ASSERT_EQ(first_other_part(backend, whole, request), "") << "weights alone";
    }
};

TEST_F(RowsOnGpu, OfGoldenScenesAreAsAmongAll) {
    Index k = 0;
    for (const std::string& name : scene_names()) {
        SCOPED_TRACE(name);
        expect_rows_as_among_all(backend(), in_float32(read_golden_scene(name)), ++k);
    }
}

TEST_F(RowsOnGpu, OfRandomScenesAreAsAmongAll) {
    for (const std::uint64_t seed : covered_settings().seeds(600)) {
        if (HasFatalFailure()) return;
        SCOPED_TRACE(seed);
        const Scene scene = in_float32(random_scene(seed));
        expect_rows_as_among_all(backend(), scene, Index(seed / 3));
        expect_rows_as_among_all(backend(), with_strange_numbers(scene, seed), Index(seed / 3));
    }
}

// Tests many tiles, and buffers that hold only some of the requested rows or heads.
TEST_F(RowsOnGpu, OfLargerScenesAreAsAmongAll) {
    backend();
    GpuBackend small({{}, 4096});
    for (const auto& [n, seeds] : {std::pair{33, 12}, {150, 2}})
        for (const std::uint64_t seed : covered_larger_settings().seeds(seeds)) {
            if (HasFatalFailure()) return;
            const Scene scene = larger_scene(seed, n).value();
            SCOPED_TRACE("seed " + std::to_string(seed) + ", tokens " + std::to_string(n));
            expect_rows_as_among_all(backend(), scene, Index(seed) + 5);
            if (n == 33) expect_rows_as_among_all(small, scene, Index(seed) + 30);
        }
}

// Counts the bytes of numbers that go to the GPU.
class Uploads : public RowsOnGpu {
protected:
    Uploads() {
        compute(in_float32(random_scene(0)));  // functions are looked up when they are first called
        real_ = epoxy_glBufferSubData;
        epoxy_glBufferSubData = [](GLenum target, GLintptr first, GLsizeiptr bytes,
                                   const void* data) {
            uploaded_ += bytes;
            real_(target, first, bytes, data);
        };
    }
    ~Uploads() override { epoxy_glBufferSubData = real_; }
    static GLsizeiptr of(const Scene& scene, int variant, Index first) {
        uploaded_ = 0;
        Request request;
        request.variants = {variant};
        request.rows = {first, 2};
        request.head = 1;
        request.stages.reset().set(static_cast<std::size_t>(StageKind::weights));
        if (first == 0) request.stages.set(static_cast<std::size_t>(StageKind::output));
        compute(scene, request);
        return uploaded_;
    }

private:
    static inline decltype(epoxy_glBufferSubData) real_ = nullptr;
    static inline GLsizeiptr uploaded_ = 0;
};

TEST_F(Uploads, OfInputsStayBetweenRowsOfAnyVariant) {
    Scene scene;
    scene.sequences = {{std::vector<std::string>(500, "a"), std::nullopt}};
    scene.inputs = EmbeddingInputs{7, 2, 64, 64, 17};
    scene.variants.resize(2);
    scene.variants[1].dtype = Dtype::float16;
    constexpr GLsizeiptr inputs = 4 * 2 * 500 * 3 * 64;
    EXPECT_GE(of(scene, 0, 0), inputs);
    EXPECT_GE(of(scene, 1, 0), inputs);
    for (const Index first : {100, 300, 0})
        for (const int variant : {0, 1}) EXPECT_LT(of(scene, variant, first), inputs / 100);
    scene.variants.pop_back();
    EXPECT_LT(of(scene, 0, 0), inputs / 100);
    scene.variants.push_back(scene.variants[0]);
    scene.variants[1].dtype = Dtype::float16;
    EXPECT_GE(of(scene, 1, 0), inputs) << "not kept for a variant that was removed";
}

TEST_F(RowsOnGpu, RefuseFloat64AsAllDo) {
    Scene scene = in_float32(random_scene(3));
    scene.variants.front().dtype = Dtype::float64;
    Request request;
    request.rows = {0, 1};
    EXPECT_THROW(compute(scene, request), WorkError);
}

}  // namespace
}  // namespace maskscope::golden
