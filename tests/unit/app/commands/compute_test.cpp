// Tests the files that `compute` writes: those of all variants, or none.

#include "app/commands/commands.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <map>

#include "app/session/backends.h"
#include "core/base/error.h"
#include "core/cpu/cpu_backend.h"
#include "core/files/file.h"
#include "tests/support/folder.h"
#include "tests/support/long_sentence.h"

namespace maskscope {
namespace {

namespace fs = std::filesystem;

VariantResult small_variant() {
    VariantResult variant;
    variant.shape = {1, 1, 2, 1};
    variant.allowed = {1, 0};
    variant.stage(StageKind::weights) = Stage(1, 1, 2, 1, false);
    RowFigures row;
    row.sum = 1;
    row.entropy = std::numeric_limits<double>::quiet_NaN();
    row.leak = 1e-30;
    row.gradient_leak = std::numeric_limits<double>::infinity();
    row.empty = true;
    variant.rows = {row, RowFigures()};
    return variant;
}

Result result_of(std::size_t variants) {
    Result result;
    result.backend = "cpu";
    result.variants.assign(variants, small_variant());
    return result;
}

TEST(Summary, HasShapeAndFiguresInTheirOrderAndNullForWhatIsNotFinite) {
    EXPECT_EQ(summary_json(small_variant(), "cpu"), R"({
  "backend": "cpu",
  "shape": [1, 1, 2, 1],
  "sum": [[[1, 0]]],
  "max": [[[0, 0]]],
  "entropy": [[[null, 0]]],
  "leak": [[[1e-30, 0]]],
  "gradient_leak": [[[null, 0]]],
  "pads": [[[0, 0]]],
  "empty": [[[true, false]]],
  "nan": [[[false, false]]],
  "lse": [[[null, null]]]
}
)");
}

TEST(Summary, EndsWithTheReferenceOfAVariantThatHasOne) {
    const std::string json = summary_json(
        small_variant(), "cpu", {{0.25, 2}, {std::numeric_limits<double>::quiet_NaN(), 0}});
    EXPECT_TRUE(json.ends_with(R"(  "lse": [[[null, null]]],
  "leak_to_reference": [[[0.25, null]]],
  "missing_to_reference": [[[2, 0]]]
}
)")) << json;
}

class WriteResult : public ::testing::Test {
protected:
    // Returns everything below the folder: path -> bytes ("/" for a folder).
    std::map<std::string, std::string> tree() const {
        std::map<std::string, std::string> all;
        for (const auto& entry : fs::recursive_directory_iterator(folder))
            all[fs::relative(entry.path(), folder).string()] =
                entry.is_directory() ? "/" : read_file(entry.path());
        return all;
    }

    Folder folder;
};

TEST_F(WriteResult, WritesWhatExists) {
    write_result(result_of(2), folder / "a/b");
    const auto all = tree();
    EXPECT_EQ(all.size(), 2 + 2 + 2 * 3U);
    for (const std::string file : {"allowed.npy", "weights.npy", "summary.json"})
        EXPECT_TRUE(all.contains("a/b/variant-1/" + file));
}

TEST_F(WriteResult, ReplacesAnEarlierRunAndNothingElse) {
    replace_file(folder / "mine", "mine");
    fs::create_directory(folder / "variant-01");
    write_result(result_of(12), folder);
    write_result(result_of(1), folder);
    const auto all = tree();
    EXPECT_EQ(all.size(), 2 + 4U);
    EXPECT_TRUE(all.contains("mine") && all.contains("variant-01"));
}

TEST_F(WriteResult, WhatStandsInTheWayStaysAndSoDoesTheEarlierRun) {
    write_result(result_of(3), folder);
    fs::remove_all(folder / "variant-2");
    replace_file(folder / "variant-2", "a file");
    const auto before = tree();
    try {
        write_result(result_of(4), folder);
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.status(), 1);
        EXPECT_EQ(error.what(), (folder / "variant-2").string() + ": Not a directory");
    }
    EXPECT_EQ(tree(), before);
}

TEST_F(WriteResult, FoldersThatWereMadeAreGoneWhereWritingFails) {
    replace_file(folder / "file", "");
    EXPECT_THROW(write_result(result_of(1), folder / "file"), Error);
    EXPECT_THROW(write_result(result_of(1), folder / "file/new/deep"), Error);
    EXPECT_EQ(tree().size(), 1U);
}

TEST(ComputeInBlocks, ItsProgressIsThatOfTheWhole) {
    std::vector<double> done;
    CpuBackend cpu(1);
    compute_in_blocks(
        cpu, long_sentence(40, Dtype::float32), {},
        [&](const Result&, const std::optional<Rows>&) {
            done.push_back(command_progress().whole());
        },
        0);
    EXPECT_EQ(done, (std::vector<double>{0.2, 0.4, 0.6, 0.8, 1}));
}

}  // namespace
}  // namespace maskscope
