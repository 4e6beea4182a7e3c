// Cells on the GPU are drawn, read and compared there with the same results as on the CPU.

#include <epoxy/gl.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>

#include "app/show/cells/cell_rows.h"
#include "app/window/paint/heatmap.h"
#include "app/window/paint/heatmap_gpu.h"
#include "core/base/build.h"
#include "core/base/matrix.h"
#include "core/gpu/data/numbers.h"
#include "tests/support/computed.h"
#include "tests/ui/harness.h"
#include "tests/ui/paint/drawn.h"

namespace maskscope {
namespace {

// The same stage on the CPU and on the GPU, [1, heads, rows, columns], with every kind of number.
struct Twins {
    VariantResult here, remote;
};

std::shared_ptr<const GpuNumbers> uploaded(const Stage& stage, Index rows_a_buffer) {
    const auto pool = std::make_shared<gpu::BufferPool>();
    std::vector<gpu::Slice> slices;
    std::vector<gpu::SharedBuffer> buffers;
    for (Index head = 0; head < stage.h(); ++head)
        for (Index row = 0; row < stage.rows(); row += rows_a_buffer) {
            const Index rows = std::min(rows_a_buffer, stage.rows() - row);
            slices.push_back({head, 1, row, rows});
            const float* first =
                stage.float32s().data() + (head * stage.rows() + row) * stage.columns();
            buffers.push_back(std::make_shared<gpu::Buffer>(
                static_cast<std::size_t>(rows * stage.columns()) * sizeof(float), first, pool));
        }
    return std::make_shared<GpuNumbers>(slices, stage.rows(), stage.columns(), buffers);
}

MaskCells uploaded_mask(const std::vector<std::uint8_t>& cells, Index heads, Index rows,
                        Index columns) {
    const Index words = (columns + 31) / 32;
    std::vector<std::uint32_t> bits(static_cast<std::size_t>(heads * rows * words));
    for (std::size_t k = 0; k < cells.size(); ++k) {
        const auto row = static_cast<Index>(k) / columns, j = static_cast<Index>(k) % columns;
        if (cells[k] != 0) bits[row * words + j / 32] |= 1U << (j % 32);
    }
    std::vector<std::uint32_t> sheet_of_head;
    for (Index head = 0; head < heads; ++head)
        sheet_of_head.push_back(static_cast<std::uint32_t>(head));
    const auto buffer = std::make_shared<gpu::Buffer>(bits.size() * sizeof bits[0], bits.data(),
                                                      std::make_shared<gpu::BufferPool>());
    return {cells.size(), static_cast<std::size_t>(columns),
            std::make_shared<GpuMask>(rows, columns, sheet_of_head, buffer)};
}

Twins random_twins(Index heads, Index rows, Index columns, unsigned seed, Index rows_a_buffer) {
    std::mt19937 random(seed);
    Twins twins;
    VariantResult& here = twins.here;
    here.shape = {1, heads, rows, columns};
    std::vector<std::uint8_t> allowed;
    for (Index k = 0; k < heads * rows * columns; ++k) allowed.push_back(random() % 3 ? 1 : 0);
    here.allowed = allowed;
    here.pads.assign(static_cast<std::size_t>(columns), 0);
    here.pads.back() = 1;
    twins.remote = here;
    twins.remote.allowed = uploaded_mask(allowed, heads, rows, columns);
    for (const StageKind kind : {StageKind::scores, StageKind::logits, StageKind::weights}) {
        Stage& stage = here.stage(kind) = Stage(1, heads, rows, columns, false);
        for (Index h = 0; h < heads; ++h) {
            Matrix numbers(rows, columns);
            for (Index k = 0; k < numbers.size(); ++k) {
                const double value = static_cast<double>(random() % 10001) / 10000 - 0.3;
                const double rare[] = {0, -0.0, infinity, -infinity, std::nan(""), 3e-42, 5};
                numbers.data()[k] = random() % 4 == 0 ? rare[random() % 7] : value;
            }
            stage.set_head(0, h, numbers);
        }
        twins.remote.stage(kind) = Stage(1, heads, rows, columns, uploaded(stage, rows_a_buffer));
    }
    return twins;
}

Heatmap heatmap_of(SharedCells cells, double width, double height) {
    Heatmap heatmap;
    heatmap.rect = {3, 2, width, height};
    heatmap.cells = std::move(cells);
    heatmap.limits = {-1, 1};
    heatmap.map = ColourMap::diverging;
    return heatmap;
}

std::vector<std::uint8_t> pixels_of(const Picture& picture) {
    std::vector<std::uint8_t> bytes(4 * static_cast<std::size_t>(picture.width) *
                                    static_cast<std::size_t>(picture.height));
    glBindTexture(GL_TEXTURE_2D, picture.texture);
    glPixelStorei(GL_PACK_ALIGNMENT, 4);
    glGetTexImage(GL_TEXTURE_2D, 0, GL_RGBA, GL_UNSIGNED_BYTE, bytes.data());
    return bytes;
}

// The stages whose cells are compared.
constexpr StageKind kinds[] = {StageKind::allowed, StageKind::scores, StageKind::logits,
                               StageKind::weights};

struct RemoteCellsTest : testing::Test {
    ui::Context context;
    ui::Target target{64, 64};
    HeatmapTextures textures;
    void SetUp() override {
        if (epoxy_gl_version() < 43) GTEST_SKIP() << "no OpenGL 4.3";
    }
};

TEST_F(RemoteCellsTest, ThePicturesAreTheSameToTheBit) {
    unsigned seed = 1;
    for (const auto& [rows, columns] :
         {std::pair<Index, Index>{6, 6}, {5, 37}, {150, 130}, {701, 333}}) {
        const Twins twins = random_twins(2, rows, columns, ++seed, 40);
        for (const StageKind kind : kinds)
            for (const Zoom zoom : {Zoom{}, Zoom{0.2, 0.1, 0.83, 0.7}}) {
                Heatmap heatmap = heatmap_of(cells_of(twins.here, kind, 0, 1), 211, 190);
                heatmap.zoom = zoom;
                const auto expected = pixels_of(drawn(textures, heatmap, theme(ThemeKind::dark)));
                heatmap.cells = cells_of(twins.remote, kind, 0, 1);
                const auto there = pixels_of(drawn(textures, heatmap, theme(ThemeKind::dark)));
                EXPECT_TRUE(expected == there)
                    << rows << " x " << columns << ", stage " << static_cast<int>(kind);
            }
    }
    EXPECT_EQ(glGetError(), static_cast<GLenum>(GL_NO_ERROR));
}

TEST_F(RemoteCellsTest, RowsAreLookedAtThere) {
    const Twins twins = random_twins(2, 70, 90, 7, 32);
    GpuCells on_gpu(shader_folder());
    for (const StageKind kind : kinds)
        for (Index h = 0; h < 2; ++h) {
            const SharedSource here = source_of(twins.here, kind);
            const SharedSource remote = source_of(twins.remote, kind);
            const auto looks = on_gpu.rows(*remote, 0, h);
            ASSERT_TRUE(looks);
            for (std::size_t i = 0; i < 70; ++i) {
                EXPECT_EQ((*looks)[i].signs, here->looks(0, h)[i].signs) << i;
                if (kind == StageKind::allowed) continue;
                RowSummary expected = here->looks(0, h)[i];
                expected.leaked = 0;  // is not summed there
                EXPECT_EQ((*looks)[i], expected) << i;
            }
            EXPECT_FALSE(on_gpu.rows(*here, 0, h)) << "these are not on the GPU";
        }
}

TEST_F(RemoteCellsTest, EqualStagesAreFoundWithoutReadingThem) {
    const Twins twins = random_twins(3, 40, 50, 9, 16);
    const Stage& weights = twins.here.stage(StageKind::weights);
    const Stage remote = twins.remote.stage(StageKind::weights);
    GpuCells on_gpu(shader_folder());
    EXPECT_EQ(on_gpu.same(remote, Stage(1, 3, 40, 50, uploaded(weights, 25))), true)
        << "however they are cut";
    Stage changed = weights;
    Matrix last = changed.head(0, 2);
    last(39, 49) = 0.123;
    changed.set_head(0, 2, last);
    EXPECT_EQ(on_gpu.same(remote, Stage(1, 3, 40, 50, uploaded(changed, 25))), false);
    EXPECT_FALSE(on_gpu.same(remote, weights)) << "one is not on the GPU";
    EXPECT_TRUE(same_numbers(remote, weights)) << "then it is read";
}

TEST_F(RemoteCellsTest, SingleCellsAreReadByRow) {
    const Twins twins = random_twins(1, 9, 33, 5, 4);
    for (const StageKind kind : kinds) {
        const auto here = cells_of(twins.here, kind, 0, 0);
        const auto remote = cells_of(twins.remote, kind, 0, 0);
        for (Index i = 0; i < 9; ++i)
            for (Index j = 0; j < 33; ++j) {
                EXPECT_EQ(std::bit_cast<std::uint64_t>(value_at(*here, i, j)),
                          std::bit_cast<std::uint64_t>(value_at(*remote, i, j)));
                EXPECT_EQ(signs_at(*here, i, j), signs_at(*remote, i, j));
            }
    }
}

}  // namespace
}  // namespace maskscope
