#include "app/views/value_table/value_table.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/edit/edit.h"
#include "core/format/scene_json.h"
#include "tests/unit/app/show/view_scenes.h"

namespace maskscope {
namespace {

ValueTables tables_of(const Scene& scene) {
    Progress progress;
    return make_value_tables(computed(scene), test::view_of(scene), progress);
}

// The rows of the table and its columns, in order.
enum Row { minus_infinity, minus_infinity_twice, e9, e9_twice, e4, e4_twice, low, low_twice };
enum Column { float64, float32, float16, bfloat16 };

class TableOf0136 : public testing::Test {
protected:
    RowName at(Row row, Column column) const { return table.entries[row][column].name; }
    ValueTable table = tables_of(test::view_scene("table")).tables.at(0);
};

// Checks what the lesson empty-rows-in-numbers says about the scores 0 1 3 6.
TEST_F(TableOf0136, AMinusBillionIsNotMinusInfinity) {
    EXPECT_EQ(at(e9, float64), RowName::unmasked);
    EXPECT_EQ(at(e9, float32), RowName::even);
    EXPECT_EQ(at(e4, float32), RowName::unmasked);
    EXPECT_EQ(at(e9, float16), RowName::nan);
    EXPECT_EQ(at(e4, float16), RowName::neither);
    EXPECT_EQ(at(e9, bfloat16), RowName::even);
    EXPECT_EQ(at(e4, bfloat16), RowName::even);
}

TEST_F(TableOf0136, InfinityAndTheLowestTwiceAreNaNInEveryDtype) {
    for (const Column column : {float64, float32, float16, bfloat16})
        for (const Row row : {minus_infinity, minus_infinity_twice, low_twice})
            EXPECT_EQ(at(row, column), RowName::nan) << row << ' ' << column;
}

TEST_F(TableOf0136, AnEntryKnowsTheVariantThatItIs) {
    const TableEntry& entry = table.entries[e9][float32];
    EXPECT_EQ(entry.variants, std::vector<int>{0});
    EXPECT_TRUE(table.entries[e4][float32].variants.empty());
    EXPECT_EQ(entry.row.cells->values, entry.row.weights);
}

TEST(ValueTable, TheLowestIsNaNInFloat16WhereEveryScoreIsBelowMinus16) {
    Scene scene = test::view_scene("table");
    auto& inputs = std::get<ScoresInputs>(scene.inputs);
    inputs.scores = make_array({1, 4}, {-16, -17, -19, -22});
    const ValueTable table = tables_of(scene).tables.at(0);
    EXPECT_EQ(table.entries[low][float16].name, RowName::nan);
    EXPECT_NE(table.entries[low][float32].name, RowName::nan);
}

// Every entry shows what the backend computes for its variant.
TEST(ValueTable, EveryEntryIsTheRowOfItsVariant) {
    const Scene scene = test::view_scene("table-words");
    for (const ValueTable& table : tables_of(scene).tables)
        for (const auto& row : table.entries)
            for (const TableEntry& entry : row) {
                Scene with_variant = scene;
                make_variant(with_variant, table, entry);
                ASSERT_NO_THROW(check_scene(with_variant));
                const Result result = computed(with_variant);
                const VariantResult& variant = result.variants.back();
                for (std::size_t j = 0; j < table.keys.size(); ++j) {
                    const double weight =
                        variant.stage(StageKind::weights).at(table.b, table.h, table.row, Index(j));
                    if (std::isnan(weight))
                        EXPECT_TRUE(std::isnan(entry.row.weights[j]));
                    else
                        EXPECT_EQ(weight, entry.row.weights[j]);
                }
            }
}

TEST(ValueTable, VariantsThatDifferInValueAloneShareATable) {
    Scene scene = test::view_scene("table");
    const ValueTable table = tables_of(scene).tables.at(0);
    make_variant(scene, table, table.entries[e4][float16]);
    const ValueTables again = tables_of(scene);
    ASSERT_EQ(again.tables.size(), 1U);
    EXPECT_EQ(again.tables[0].variants, (std::vector{0, 1}));
    EXPECT_EQ(again.tables[0].entries[e4][float16].variants, std::vector{1});
    EXPECT_EQ(tables_of(test::view_scene("table-words")).tables.size(), 2U);  // added, replaced
}

TEST(ValueTable, SaysWhereNoVariantAddsOrReplaces) {
    Scene scene = test::view_scene("table-words");
    scene.show->variants = {2};
    const ValueTables tables = tables_of(scene);
    EXPECT_TRUE(tables.tables.empty());
    EXPECT_FALSE(tables.missing.empty());
}

TEST(ValueTable, TheEmptyRowsPolicyHolds) {
    Scene scene = test::view_scene("table");
    scene.variants[0].empty_rows = EmptyRows::zero;
    const ValueTable table = tables_of(scene).tables.at(0);
    for (const auto& row : table.entries)
        for (const TableEntry& entry : row) EXPECT_EQ(entry.name, RowName::zero);
}

TEST(NameOf, TellsTheRowsApart) {
    const std::vector<double> unmasked{0.1, 0.2, 0.3, 0.4}, even(4, 0.25);
    EXPECT_EQ(name_of({NAN, 0, 0, 1}, unmasked), RowName::nan);
    EXPECT_EQ(name_of({0, 0, 0, 0}, unmasked), RowName::zero);
    EXPECT_EQ(name_of(even, unmasked), RowName::even);
    EXPECT_EQ(name_of({0.1001, 0.1999, 0.3, 0.4}, unmasked), RowName::unmasked);
    EXPECT_EQ(name_of({0, 0, 0, 1}, unmasked), RowName::neither);
    EXPECT_EQ(name_of(even, even), RowName::unmasked);  // nothing has changed
}

TEST(NameOf, LongRowsAreNotAllAlike) {
    std::vector<double> unmasked(2000, 0.25e-3), even(2000, 0.5e-3);
    for (std::size_t k = 0; k < 1000; ++k) unmasked[k] = 0.75e-3;
    EXPECT_EQ(name_of(even, unmasked), RowName::even);
    EXPECT_EQ(name_of(unmasked, unmasked), RowName::unmasked);
}

}  // namespace
}  // namespace maskscope
