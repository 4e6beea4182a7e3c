#include "core/result/mask_cells.h"

#include <gtest/gtest.h>

#include <random>

namespace maskscope {
namespace {

using Bytes = std::vector<std::uint8_t>;

TEST(MaskRows, AreThoseOfAWholeCopyWhateverWasChanged) {
    std::mt19937 random(1);
    for (int repeat = 0; repeat < 50; ++repeat) {
        const std::size_t n = 1 + random() % 70, columns = 1 + random() % 9;
        Bytes cells(n * columns);
        for (auto& cell : cells) cell = random() % 2;
        MaskRows rows(cells, columns);
        for (int edit = 0; edit < 20; ++edit) {
            std::vector<MaskRows::ChangedRow> changed;
            for (std::size_t i = 0; i < n; ++i) {
                if (random() % 20 != 0) continue;
                Bytes row(columns);
                for (auto& cell : row) cell = random() % 2;
                std::ranges::copy(row, cells.begin() + std::ptrdiff_t(i * columns));
                changed.push_back({i, std::make_shared<const Bytes>(row)});
            }
            const MaskRows before = rows;
            rows = before.with_rows(changed);
            EXPECT_EQ(rows, MaskRows(cells, columns));
            EXPECT_EQ(MaskCells({std::make_shared<MaskRows>(rows)}).all(), cells);
        }
    }
}

TEST(MaskRows, ShareTheRowsThatDoNotDiffer) {
    const MaskRows one(Bytes(100 * 8, 1), 8);
    const MaskRows other = one.with_rows({{42, std::make_shared<const Bytes>(8)}});
    for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(one.row(i) == other.row(i), i != 42);
    EXPECT_FALSE(one == other);
    EXPECT_EQ(one, other.with_rows({{42, std::make_shared<const Bytes>(8, 1)}}));
}

}  // namespace
}  // namespace maskscope
