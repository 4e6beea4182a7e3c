#include "app/figure/write/csv.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <sstream>

#include "tests/support/computed.h"
#include "tests/support/layer.h"

namespace maskscope {
namespace {

Cells cells_with(Index columns, std::vector<double> numbers) {
    Cells cells;
    cells.rows = Index(numbers.size()) / columns;
    cells.columns = columns;
    cells.signs.resize(numbers.size());
    cells.values = std::move(numbers);
    return cells;
}

TEST(Tsv, HasAHeadAndARowForEachQuery) {
    const double infinite = std::numeric_limits<double>::infinity();
    const Cells cells = cells_with(2, {0.1, -infinite, infinite, -std::nan("")});
    EXPECT_EQ(tsv_text(cells, {"q", "Zoë"}, {"k", "🙂"}),
              "\tk\t🙂\n"
              "q\t0.1\t-inf\n"
              "Zoë\tinf\tNaN\n");
}

TEST(Tsv, NamesThatWouldBreakTheTableAreQuoted) {
    EXPECT_EQ(tsv_text(cells_with(3, {1, 2, 3}), {"a,b"}, {"\t", "say \"x\"", "two\nlines"}),
              "\t\"\t\"\t\"say \"\"x\"\"\"\t\"two\nlines\"\n"
              "a,b\t1\t2\t3\n");
}

TEST(Tsv, NamesThatASpreadsheetWouldRunAreText) {
    EXPECT_EQ(tsv_text(cells_with(1, {1}), {"=1+1"}, {"\t@SUM(A1)"}),
              "\t\"'\t@SUM(A1)\"\n"
              "'=1+1\t1\n");
}

// Checks every dtype, and blocked cells with their numbers.
TEST(Tsv, EveryNumberReadsBackTheSame) {
    for (const Dtype dtype : {Dtype::float64, Dtype::float32, Dtype::float16, Dtype::bfloat16}) {
        Scene scene;
        scene.sequences = {{{"a", "b", "c"}, std::nullopt}};
        scene.inputs = EmbeddingInputs{7, 1, 4, 4, 8};
        scene.variants.resize(1);
        scene.variants[0].dtype = dtype;
        scene.variants[0].mask.layers = {layer_of(LayerKind::causal)};
        scene.variants[0].mask.apply = Apply::multiply_weights;
        const Result result = computed(scene);
        const SharedCells cells = cells_of(result.variants[0], StageKind::softmax, 0, 0);
        std::istringstream text(tsv_text(*cells, {"a", "b", "c"}, {"a", "b", "c"}));
        std::string word;
        for (int k = 0; k < 3; ++k) text >> word;
        for (Index i = 0; i < 3; ++i) {
            text >> word;
            for (Index j = 0; j < 3; ++j) {
                text >> word;
                const double number = value_at(*cells, i, j);
                if (dtype == Dtype::float64)
                    EXPECT_EQ(std::strtod(word.c_str(), nullptr), number) << word;
                else
                    EXPECT_EQ(std::strtof(word.c_str(), nullptr), float(number)) << word;
            }
        }
    }
}

}  // namespace
}  // namespace maskscope
