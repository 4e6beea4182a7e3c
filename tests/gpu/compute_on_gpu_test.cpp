// `compute --backend gpu` writes, block by block, the same numbers as a result that keeps all
// stages.

#include <gtest/gtest.h>

#include "app/commands/commands.h"
#include "app/commands/stage_files.h"
#include "app/session/backends.h"
#include "core/files/file.h"
#include "tests/golden/golden_files.h"
#include "tests/gpu/covered_settings.h"
#include "tests/gpu/gpu_fixture.h"
#include "tests/gpu/larger_scenes.h"
#include "tests/support/folder.h"
#include "tests/support/random_scene.h"

namespace maskscope::golden {
namespace {

namespace fs = std::filesystem;

class ComputeOnGpu : public Gpu {
protected:
    // Expects that blocks of 8 rows give the same bytes in each file as the whole result, and that
    // these are near the CPU's.
    void expect_files_as_kept(const Scene& scene) {
        Folder folder;
        const Result kept = compute(scene);
        ASSERT_EQ(first_difference(scene, computed(scene), kept, near_on_gpu), "");
        write_result(kept, folder / "kept");
        fs::create_directory(folder / "made");
        StageFiles files(folder / "made", folder / "made");
        compute_in_blocks(
            backend(), scene, {},
            [&](const Result& block, const std::optional<Rows>& rows) {
                if (rows)
                    files.add(block, *rows, shape_of(scene).n_q);
                else
                    files.add(block);  // for a model
            },
            0);
        files.finish();
        std::size_t count = 0;
        for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder / "kept")) {
            if (!entry.is_regular_file()) continue;
            const fs::path place = fs::relative(entry.path(), folder / "kept");
            EXPECT_EQ(read_file(folder / "made" / place), read_file(entry.path())) << place;
            ++count;
        }
        EXPECT_GE(count, 2 * scene.variants.size());
    }
};

TEST_F(ComputeOnGpu, WritesGoldenScenesAsKept) {
    for (const std::string& name : scene_names()) {
        SCOPED_TRACE(name);
        expect_files_as_kept(in_float32(read_golden_scene(name)));
    }
}

TEST_F(ComputeOnGpu, WritesLargerScenesAsKept) {
    Index several = 0;
    for (const std::uint64_t seed : covered_larger_settings().seeds(23)) {
        if (HasFatalFailure()) return;
        const Scene scene = larger_scene(seed, 33).value();
        SCOPED_TRACE(seed);
        expect_files_as_kept(scene);
        several += shape_of(scene).n_q > 8 ? 1 : 0;
    }
    EXPECT_GT(several, 10);
}

}  // namespace
}  // namespace maskscope::golden
