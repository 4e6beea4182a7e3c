#include "app/views/frameworks/frameworks_view.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "app/figure/layout/scroll.h"
#include "app/figure/plots/lay_out_view.h"
#include "app/show/views/view_entry.h"
#include "core/edit/edit.h"
#include "core/format/scene_json.h"
#include "core/frameworks/framework.h"
#include "tests/unit/app/figure/overlap.h"
#include "tests/unit/app/show/view_scenes.h"

namespace maskscope {
namespace {

FrameworksView made_of(const Scene& scene) {
    Progress progress;
    return make_frameworks_view(computed(scene), test::view_of(scene), progress);
}

// Returns a scene of three queries over four keys; the last query may attend to none.
Scene scene_with_empty_row() {
    Scene scene = test::view_scene("table");
    scene.sequences[0].queries = TokenList{"My", "name", "is"};
    scene.inputs = EmbeddingInputs{.seed = 3, .heads = 1, .d_k = 4, .d_v = 4};
    scene.variants.resize(1);
    scene.variants[0].mask = {};
    MaskLayer blocked;
    blocked.kind = LayerKind::blocked;
    blocked.rows = std::vector<Index>{2};
    scene.variants[0].mask.layers = {blocked};
    return with_fields(scene, {}, ".");  // valid
}

std::map<std::string, EmptyRow> kinds_of(const FrameworksView& view) {
    std::map<std::string, EmptyRow> kinds;
    for (const FrameworkColumn& column : view.columns)
        for (const FrameworkEntry& entry : column.entries)
            EXPECT_TRUE(kinds.emplace(frameworks()[entry.framework].name, column.kind).second);
    return kinds;
}

TEST(FrameworksView, GroupsFrameworksByWhatBecomesOfAnEmptyRow) {
    const FrameworksView view = made_of(scene_with_empty_row());
    const auto kinds = kinds_of(view);
    EXPECT_EQ(kinds.size(), frameworks().size()) << "each once";
    EXPECT_EQ(view.empty_rows, std::vector<std::string>{"is"});
    EXPECT_EQ(kinds.at("PyTorch MultiheadAttention"), EmptyRow::nan);
    EXPECT_EQ(kinds.at("PyTorch scaled_dot_product_attention before 2.5"), EmptyRow::nan);
    EXPECT_EQ(kinds.at("PyTorch scaled_dot_product_attention"), EmptyRow::zeros);
    EXPECT_EQ(kinds.at("Keras 3 Softmax layer"), EmptyRow::zeros);
    EXPECT_EQ(kinds.at("JAX dot_product_attention"), EmptyRow::uniform);
    EXPECT_EQ(kinds.at("HuggingFace transformers, eager attention"), EmptyRow::uniform);
    EXPECT_EQ(kinds.at("HuggingFace transformers, sdpa attention"), EmptyRow::other);
    ASSERT_EQ(view.columns.size(), 4U);
    EXPECT_TRUE(std::ranges::is_sorted(view.columns, {}, &FrameworkColumn::kind));
}

// The tolerance is half a step of a cell's last decimal, as the view promises.
TEST(FrameworksView, EachColumnHasTheWeightsOfEachOfItsFrameworks) {
    const Scene scene = scene_with_empty_row();
    for (const FrameworkColumn& column : made_of(scene).columns)
        for (const FrameworkEntry& entry : column.entries) {
            Scene own = scene;
            add_framework_variant(own, 0, entry.framework);
            const Result result = computed(own);
            const Cells& shown = *column.variant.stages.front().cells;
            for (Index i = 0; i < shown.rows; ++i)
                for (Index j = 0; j < shown.columns; ++j) {
                    const double x = value_at(shown, i, j);
                    const double y = result.variants[1].stage(StageKind::weights).at(0, 0, i, j);
                    EXPECT_TRUE((std::isnan(x) && std::isnan(y)) || std::abs(x - y) <= 5e-3)
                        << frameworks()[entry.framework].name << ' ' << i << ' ' << j;
                }
        }
}

TEST(FrameworksView, WithoutAnEmptyRowAllAgree) {
    Scene scene = scene_with_empty_row();
    scene.variants[0].mask.layers[0].rows.reset();
    scene.variants[0].mask.layers[0].cells = {Cell{0, 1}};
    const FrameworksView view = made_of(with_fields(scene, {}, "."));
    ASSERT_EQ(view.columns.size(), 1U);
    EXPECT_EQ(view.columns[0].kind, EmptyRow::none);
    EXPECT_TRUE(summary_of(view).find("all frameworks agree") != std::string::npos);
}

TEST(FrameworksView, AnEntryKnowsTheVariantThatItIs) {
    Scene scene = scene_with_empty_row();
    add_framework_variant(scene, 0, 3);
    EXPECT_EQ(scene.variants[1].name, frameworks()[3].name);
    for (const FrameworkColumn& column : made_of(scene).columns)
        for (const FrameworkEntry& entry : column.entries)
            EXPECT_EQ(std::ranges::count(entry.variants, 1), entry.framework == 3 ? 1 : 0);
}

TEST(FrameworksView, IsThereWhereAMaskRuleMeetsASoftmaxInput) {
    Scene scene = scene_with_empty_row();
    EXPECT_TRUE(has_view(scene, ViewKind::frameworks));
    scene.variants[0].mask.layers.clear();
    EXPECT_FALSE(has_view(scene, ViewKind::frameworks));
    scene = scene_with_empty_row();
    scene.sequences[0].queries = TokenList(std::vector<std::string>(200, "x"));
    EXPECT_FALSE(has_view(scene, ViewKind::frameworks));
}

TEST(FrameworksView, EveryFrameworkIsNamedOnceAndNothingOverlaps) {
    const FrameworksView view = made_of(scene_with_empty_row());
    for (const double scale : {1.0, 1.5, 2.0})
        for (const double width : {0.0, 560.0, 790.0, 1340.0, 1900.0}) {
            LayoutOptions options;
            options.width = width * (width > 0 ? scale : 1);
            options.height = width > 0 ? 620 * scale : 0;
            options.scale = scale;
            options.interactive = width > 0;
            const Figure figure = lay_out_frameworks(view, ColourMap::viridis, "A title", options);
            SCOPED_TRACE(testing::Message() << width << " x " << scale);
            std::set<Index> named;
            std::vector<Rect> parts;
            for (const Spot& spot : figure.spots) {
                EXPECT_TRUE(named.insert(spot.row).second);
                parts.push_back(spot.rect);
            }
            EXPECT_EQ(named.size(), frameworks().size());
            EXPECT_EQ(figure.heatmaps.size(), view.columns.size());
            for (const Heatmap& map : figure.heatmaps) {
                const Rect cell = cell_rect(map, 0, 0);
                EXPECT_NEAR(cell.w, cell.h, 0.01) << "square";
                EXPECT_GE(cell.w, 36 * scale - 0.01);
                EXPECT_GT(map.number_size, 0);
                parts.push_back(map.rect);
            }
            for (const SumBar& bar : figure.sums) parts.push_back(bar.rect);
            for (std::size_t x = 0; x < parts.size(); ++x) {
                EXPECT_LE(parts[x].right(), figure.width);
                EXPECT_LE(parts[x].bottom(), figure.height);
                for (std::size_t y = 0; y < x; ++y) EXPECT_FALSE(overlap(parts[x], parts[y]));
            }
        }
}

// Even if no column fits as a whole, every visible heatmap has its title and keys at any scroll
// position.
TEST(FrameworksView, TitlesAndTokensStayInViewWhileScrolled) {
    const FrameworksView view = made_of(scene_with_empty_row());
    LayoutOptions options;
    options.width = 560;
    options.height = 280;
    const Figure whole = lay_out_frameworks(view, ColourMap::viridis, "", options);
    std::size_t seen_with_title = 0;
    for (double y = 0; y < whole.height - options.height; y += 17) {
        SCOPED_TRACE(y);
        const Figure seen = scrolled(whole, {0, y}, options.width, options.height);
        for (const Heatmap& map : seen.heatmaps) {
            // The last rows have no space for a title and keys above them.
            if (map.rect.h < 8 || map.rect.bottom() < 72) continue;
            const auto is_title = [&](const Text& text) {
                return std::ranges::any_of(view.columns, [&](const FrameworkColumn& column) {
                    return text.text == words(column.kind) && text.at.x == map.rect.x &&
                           text.at.y < map.rect.y;
                });
            };
            EXPECT_TRUE(std::ranges::any_of(seen.texts, is_title));
            EXPECT_TRUE(std::ranges::any_of(seen.texts, [&](const Text& text) {
                return text.text == view.tokens->keys.front() && text.at.y < map.rect.y;
            }));
            ++seen_with_title;
        }
    }
    EXPECT_GT(seen_with_title, 10U);
}

TEST(FrameworksView, WhatIsCoveredNamesNoOutcome) {
    LayoutOptions options;
    options.width = 1000;
    options.height = 600;
    View view;
    view.cover = Cover();
    const FrameworksView made = made_of(scene_with_empty_row());
    const Figure figure = frameworks_entry.lay_out(&made, {}, {}, view, options);
    for (const Text& text : figure.texts) EXPECT_NE(text.text, "NaN");
    EXPECT_TRUE(figure.spots.empty());
}

TEST(FrameworksView, SaysInWordsWhoDoesWhat) {
    const std::string text = text_of(made_of(scene_with_empty_row()));
    EXPECT_TRUE(text.starts_with("“is” may not attend to any key.")) << text;
    for (const Framework& framework : frameworks())
        EXPECT_NE(text.find(framework.name), std::string::npos);
}

}  // namespace
}  // namespace maskscope
