#include "app/figure/write/csv.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <sstream>

#include "core/base/error.h"
#include "tests/support/computed.h"
#include "tests/support/layer.h"

namespace maskscope {
namespace {

using enum StageKind;
const std::vector<StageKind> with_keys = {scores, scaled, logits, softmax, weights, sensitivity};

// Makes two sequences, one of them padded, and two heads: a mask that adds −∞ in float64, one that
// multiplies after a float16 softmax, and rows of padding that are 0/0.
Scene two_variants() {
    Scene scene;
    scene.sequences = {{{"a,b", "say \"x\"", "<eos>"}, std::nullopt}, {{"Zoë"}, std::nullopt}};
    scene.inputs = EmbeddingInputs{7, 2, 4, 4, 8};
    scene.variants.resize(2);
    scene.variants[0].name = "A";
    scene.variants[0].dtype = Dtype::float64;
    scene.variants[0].mask.layers = {layer_of(LayerKind::padding_queries)};
    scene.variants[1].name = "B";
    scene.variants[1].dtype = Dtype::float16;
    scene.variants[1].mask.layers = {layer_of(LayerKind::causal)};
    scene.variants[1].mask.apply = Apply::multiply_weights;
    return scene;
}

std::vector<std::vector<std::string>> rows_of(const std::string& csv) {
    std::vector<std::vector<std::string>> rows(1, {""});
    bool inside = false;
    for (std::size_t k = 0; k < csv.size(); ++k) {
        const char c = csv[k];
        if (c == '"' && inside && csv[k + 1] == '"')
            rows.back().back() += csv[++k];
        else if (c == '"')
            inside = !inside;
        else if (c == ',' && !inside)
            rows.back().emplace_back();
        else if (c == '\n' && !inside)
            rows.push_back({""});
        else
            rows.back().back() += c;
    }
    EXPECT_EQ(rows.back(), std::vector<std::string>{""}) << "it ends with a line feed";
    rows.pop_back();
    return rows;
}

TEST(Csv, ATokenThatASpreadsheetWouldRunIsText) {
    const std::vector<std::pair<std::string, std::string>> fields = {
        {"=1+1", "'=1+1"},
        {"@SUM(A1)", "'@SUM(A1)"},
        {"-ing", "'-ing"},
        {"+A1", "'+A1"},
        {" =1", "' =1"},
        {"\r=\"a\"", "\"'\r=\"\"a\"\"\""},
        {"=", "="},
        {"-", "-"},
        {"-0.5", "-0.5"},
        {"+1", "+1"},
        {"a=1", "a=1"},
        {"", ""},
        {"a,b", "\"a,b\""},
        // Wide, small or raised forms of the characters; a byte order mark, a zero-width character,
        // a no-break space and a variation selector before them.
        {"＝1+1", "'＝1+1"},
        {"＠A1", "'＠A1"},
        {"－ing", "'－ing"},
        {"＋A1", "'＋A1"},
        {"﹦1", "'﹦1"},
        {"⁼1", "'⁼1"},
        {"\ufeff=1", "'\ufeff=1"},
        {"\u200b=1", "'\u200b=1"},
        {"\u00a0@A1", "'\u00a0@A1"},
        {" \ufe0f\u2060\u202e＝1", "' \ufe0f\u2060\u202e＝1"},
        {"＝", "＝"},
        {"－0.5", "－0.5"},
        {"\ufeffa", "\ufeffa"},
        {"\xff=1", "\xff=1"},
        {"≠1", "≠1"},
    };
    for (const auto& [name, field] : fields) EXPECT_EQ(table_field(name, ','), field);
}

TEST(Csv, EveryCellIsThereWithAllItsDigits) {
    const Result result = computed(two_variants());
    const auto rows = rows_of(csv_bytes(result, {{0, 1}, {0, 1}, {0, 1}, with_keys}));
    EXPECT_EQ(rows[0],
              (std::vector<std::string>{"lane", "sequence", "head", "query", "key", "query_token",
                                        "key_token", "blocked", "scores", "scaled", "logits",
                                        "softmax", "weights", "sensitivity"}));
    ASSERT_EQ(rows.size(), 1 + 2 * 2 * 2 * 9U);
    std::size_t at = 1;
    int nan = 0, infinite = 0;
    for (int index = 0; index < 2; ++index)
        for (Index b = 0; b < 2; ++b)
            for (Index h = 0; h < 2; ++h)
                for (Index i = 0; i < 3; ++i)
                    for (Index j = 0; j < 3; ++j) {
                        const VariantResult& variant = result.variants[index];
                        const std::vector<std::string>& row = rows[at++];
                        ASSERT_EQ(row.size(), 14U);
                        EXPECT_EQ(row[0], index == 0 ? "A" : "B");
                        EXPECT_EQ((std::vector{std::stol(row[1]), std::stol(row[2]),
                                               std::stol(row[3]), std::stol(row[4])}),
                                  (std::vector<long>{b, h, i, j}));
                        EXPECT_EQ(row[5], variant.queries[b][i]);
                        EXPECT_EQ(row[6], variant.keys[b][j]);
                        EXPECT_EQ(row[7], variant.is_allowed(b, h, i, j) ? "0" : "1");
                        for (std::size_t k = 0; k < with_keys.size(); ++k) {
                            const double is = variant.stage(with_keys[k]).at(b, h, i, j);
                            const double read = std::strtod(row[8 + k].c_str(), nullptr);
                            nan += std::isnan(is);
                            infinite += std::isinf(is);
                            if (std::isnan(is))
                                EXPECT_EQ(row[8 + k], "nan");
                            else if (index == 0)
                                EXPECT_EQ(read, is);
                            else
                                EXPECT_EQ(static_cast<float>(read), static_cast<float>(is));
                        }
                    }
    EXPECT_GT(nan, 0);
    EXPECT_GT(infinite, 0);
}

TEST(Csv, HoldsWhatIsAskedFor) {
    const Result result = computed(two_variants());
    const auto rows = rows_of(csv_bytes(result, {{1}, {1}, {0}, {weights}}));
    ASSERT_EQ(rows.size(), 10U);
    EXPECT_EQ(rows[0].size(), 9U);
    EXPECT_EQ(rows[0].back(), "weights");
    EXPECT_EQ(rows[1][0], "B");
    EXPECT_EQ(rows[1][1], "1");
}

TEST(Csv, AStageThatNoVariantHasIsNoColumn) {
    Scene scene = two_variants();
    scene.inputs =
        WeightsInputs{make_array({2, 2, 3, 3}, std::vector<double>(36, 1.0 / 3)), std::nullopt};
    const auto rows = rows_of(csv_bytes(computed(scene), {{0}, {0}, {0}, with_keys}));
    EXPECT_EQ(rows[0].back(), "weights");
    for (const char* none : {"scores", "scaled", "logits"})
        EXPECT_EQ(std::ranges::count(rows[0], none), 0) << none;
}

TEST(Csv, TooLargeATableIsRefusedBeforeItIsWritten) {
    Scene scene = two_variants();
    scene.sequences = {{std::vector<std::string>(1600, "w"), std::nullopt}};
    scene.variants.resize(1);
    Result result;
    result.scene = scene;
    result.variants = {labelled(scene)};
    EXPECT_THROW(csv_bytes(result, {{0, 0, 0, 0}, {0}, {0}, with_keys}), WorkError);
}

}  // namespace
}  // namespace maskscope
