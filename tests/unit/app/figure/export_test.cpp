// Tests figures of a given size: what is in them, and that all of it can be read.

#include "app/export/export.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <set>

#include "app/figure/layout/place.h"
#include "app/session/files/load.h"
#include "app/views/plane/plane_view.h"
#include "core/base/build.h"
#include "core/compute/backend.h"
#include "core/large/large_backend.h"
#include "core/result/request.h"
#include "tests/support/computed.h"
#include "tests/support/folder.h"
#include "tests/support/random_scene.h"

namespace maskscope {
namespace {

constexpr double point = 25.4 / 72;  // in millimetres

Scene tokens_in_variants(Index tokens, int variants, Index heads = 1) {
    Scene scene;
    scene.title = "A title";
    std::vector<std::string> words;
    for (Index k = 0; k < tokens; ++k) words.push_back("token" + std::to_string(k));
    scene.sequences.emplace_back().queries = words;
    EmbeddingInputs inputs;
    inputs.heads = heads;
    inputs.d_k = inputs.d_v = 8;
    scene.inputs = inputs;
    constexpr Apply ways[] = {Apply::additive, Apply::multiply_weights, Apply::replace,
                              Apply::multiply_scores, Apply::multiply_weights_renormalized};
    for (int index = 0; index < variants; ++index) {
        Variant& variant = scene.variants.emplace_back();
        variant.name = "variant number " + std::to_string(index);
        variant.mask.layers.emplace_back().kind = LayerKind::causal;
        variant.mask.apply = ways[index % 5];
    }
    return scene;
}

Figure figure_of(const Scene& scene, const ExportOptions& options) {
    View view;
    if (scene.show) view.show = *scene.show;
    return export_figure(computed(scene), view, options);
}

void expect_inside(const Figure& figure) {
    const Rect drawn = extent_of(figure);
    EXPECT_GE(drawn.x, -0.5);
    EXPECT_GE(drawn.y, -0.5);
    EXPECT_LE(drawn.right(), figure.width + 0.5);
    EXPECT_LE(drawn.bottom(), figure.height + 0.5);
}

double smallest_text(const Figure& figure) {
    double least = 1e9;
    for (const Text& text : figure.texts) least = std::min(least, text.style.size);
    for (const Heatmap& map : figure.heatmaps)
        if (map.number_size > 0) least = std::min(least, map.number_size);
    for (const SumBar& bar : figure.sums)
        if (!bar.text.empty()) least = std::min(least, bar.text_size);
    return least;
}

TEST(ExportSize, IsASlideByDefault) {
    const Figure figure = figure_of(tokens_in_variants(5, 2), {});
    EXPECT_NEAR(figure.width, 960, 1e-9);
    EXPECT_NEAR(figure.height, 540, 1e-9);
}

TEST(ExportSize, IsWhatWasAskedFor) {
    const auto size_of = [](const FigureSize& size) {
        const Figure figure = figure_of(tokens_in_variants(4, 1), {.size = size});
        return std::pair(figure.width * point, figure.height * point);
    };
    const auto expect_size = [&](const FigureSize& size, double width, double height) {
        const auto [w, h] = size_of(size);
        EXPECT_NEAR(w, width, 1e-6);
        EXPECT_NEAR(h, height, 1e-6);
    };
    expect_size({.width = 320}, 320, 180);
    expect_size({.height = 180}, 320, 180);
    expect_size({.width = 240, .height = 240}, 240, 240);
    expect_size({.width = 240, .aspect = 4.0 / 3}, 240, 180);
    expect_size({.aspect = 4.0 / 3}, 254, 190.5);
    EXPECT_NEAR(size_of({.width = 300, .aspect = 0}).first, 300, 1e-6);
    EXPECT_LT(size_of({.width = 300, .aspect = 0}).second, 150) << "as high as its content";
}

TEST(ExportSize, ASingleHeatmapTakesWhatItNeedsOfTheSlide) {
    const Figure figure = figure_of(tokens_in_variants(6, 1), {.stage = StageKind::weights});
    EXPECT_LT(figure.width, 960);
    EXPECT_LE(figure.height, 540);
    expect_inside(figure);
}

// Nothing crosses the edge, is left out or is too small. If that is impossible, the figure is
// refused, and the message names the size that is needed.
TEST(ExportSize, EveryStageOfEveryVariantHasItsPlace) {
    for (const Index tokens : {6, 20, 64, 128})
        for (const int variants : {1, 2, 5})
            for (const std::optional<double> width : {std::optional<double>(), {338.0}, {120.0}}) {
                SCOPED_TRACE(testing::Message() << tokens << " tokens, " << variants
                                                << " variants, " << width.value_or(0) << " mm");
                const Scene scene = tokens_in_variants(tokens, variants);
                std::optional<Figure> figure;
                try {
                    figure = figure_of(scene, {.size = {.width = width}});
                } catch (const WorkError& error) {
                    EXPECT_TRUE(width);
                    const std::string said = error.what();
                    const auto at = said.find("expected at least ");
                    ASSERT_NE(at, std::string::npos) << said;
                    const double needed = std::stod(said.substr(at + 18));
                    const double high = std::stod(said.substr(said.find("× ") + 3));
                    figure = figure_of(scene, {.size = {.width = needed, .height = high}});
                }
                expect_inside(*figure);
                EXPECT_GE(smallest_text(*figure), least_text - 1e-9);
                EXPECT_EQ(std::ranges::count_if(figure->heatmaps,
                                                [](const Heatmap& map) {
                                                    return map.cells->stage == StageKind::weights;
                                                }),
                          variants);
                if (tokens > 40) continue;
                for (const Heatmap& map : figure->heatmaps) EXPECT_GT(map.number_size, 0);
            }
}

TEST(ExportSize, EveryHeadHasItsPlace) {
    Scene scene = tokens_in_variants(10, 2, 12);
    scene.show.emplace().view = ViewKind::heads;
    const Figure figure = figure_of(scene, {});
    expect_inside(figure);
    EXPECT_EQ(figure.heatmaps.size(), 24U);
}

// A cell that is no wider than a pixel would not be visible.
TEST(ExportSize, CellsHaveTwoPixelsUnlessTheSizeIsGiven) {
    const Scene scene = tokens_in_variants(400, 2);
    const auto least_cell = [&](const ExportOptions& options) {
        const Figure figure = figure_of(scene, options);
        double least = 1e9;
        for (const Heatmap& map : figure.heatmaps)
            least = std::min(least, cell_rect(map, 0, 0).h * options.dpi / 72);
        return least;
    };
    EXPECT_GE(least_cell({.dpi = 100}), 1.99);
    EXPECT_LT(least_cell({.dpi = 100, .size = {.width = 250}}), 1.99);
}

// Nothing crosses the edge of a figure of any scene, at three sizes.
TEST(ExportSize, NothingCrossesTheEdgeOfAnyScene) {
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        const Scene scene = random_scene(seed);
        const Result result = computed(scene);
        for (const FigureSize& size : {FigureSize{}, FigureSize{.width = 160, .aspect = 0.0},
                                       FigureSize{.aspect = 4.0 / 3}}) {
            SCOPED_TRACE(testing::Message() << "seed " << seed);
            try {
                expect_inside(export_figure(result, {}, {.size = size}));
            } catch (const WorkError&) {
                EXPECT_TRUE(size.width) << "else it grows";
            }
        }
    }
}

TEST(ExportGeneration, InEveryFormat) {
    const Scene scene = load_scene(source_folder() + "/tests/data/views/generation.json").scene;
    const Result result = computed(scene);
    View view;
    view.show = *scene.show;
    const auto bytes = [&](FigureFormat format) {
        return export_bytes(result, view, {.format = format});
    };
    EXPECT_TRUE(bytes(FigureFormat::png).starts_with("\x89PNG"));
    EXPECT_TRUE(bytes(FigureFormat::pdf).starts_with("%PDF"));
    EXPECT_NE(bytes(FigureFormat::svg).find("Step by step"), std::string::npos);
    EXPECT_NE(bytes(FigureFormat::tex).find("differs\\ by\\ 0.12"), std::string::npos);
    EXPECT_NE(bytes(FigureFormat::csv).find("weights"), std::string::npos);
    expect_inside(export_figure(result, view, {}));
}

TEST(ExportParts, EachIsLeftOutByItself) {
    const Scene scene = tokens_in_variants(5, 2);
    const auto parts = [&](const FigureParts& shown) { return figure_of(scene, {.parts = shown}); };
    const auto has_text = [](const Figure& figure, const std::string& words) {
        return std::ranges::any_of(figure.texts,
                                   [&](const Text& text) { return text.text == words; });
    };
    const Figure all = parts({});
    EXPECT_TRUE(has_text(all, "A title"));
    EXPECT_TRUE(has_text(all, "Row sums"));
    EXPECT_TRUE(has_text(all, "blocked"));
    EXPECT_FALSE(all.colour_bars.empty());
    EXPECT_GT(all.heatmaps.front().number_size, 0);

    EXPECT_FALSE(has_text(parts({.title = false}), "A title"));
    EXPECT_TRUE(parts({.sums = false}).sums.empty());
    EXPECT_FALSE(has_text(parts({.sums = false}), "Row sums"));
    EXPECT_FALSE(has_text(parts({.legend = false}), "blocked"));
    EXPECT_FALSE(parts({.legend = false}).colour_bars.empty());
    EXPECT_TRUE(parts({.colour_bars = false}).colour_bars.empty());
    EXPECT_TRUE(has_text(parts({.colour_bars = false}), "blocked"));
    for (const Heatmap& map : parts({.numbers = false}).heatmaps) EXPECT_EQ(map.number_size, 0);
}

TEST(ExportParts, LimitsAndColoursAreThoseAskedFor) {
    const Figure figure = figure_of(
        tokens_in_variants(5, 1),
        {.stage = StageKind::weights, .map = ColourMap::magma, .lowest = -0.5, .highest = 0.5});
    ASSERT_EQ(figure.heatmaps.size(), 1U);
    EXPECT_EQ(figure.heatmaps[0].map, ColourMap::magma);
    EXPECT_EQ(figure.heatmaps[0].limits, (Limits{-0.5, 0.5}));
    ASSERT_EQ(figure.colour_bars.size(), 1U);
    EXPECT_EQ(figure.colour_bars[0].limits, (Limits{-0.5, 0.5}));
}

TEST(ExportParts, ColoursThatWouldGoDownAreRefused) {
    EXPECT_THROW(figure_of(tokens_in_variants(3, 1), {.lowest = 2}), Error) << "weights end at 1";
    EXPECT_THROW(figure_of(tokens_in_variants(3, 1), {.highest = -1}), Error);
}

// The figure has exactly these rows and keys, even if rounding their share of all rows would
// include others. The components of the output stay.
TEST(ExportParts, RowsAndKeysAreThoseAskedFor) {
    for (const Index n : {5, 7, 22, 25, 49}) {
        Scene scene = tokens_in_variants(n, 1);
        scene.show.emplace().stages = {StageKind::weights, StageKind::output};
        const Result result = computed(scene);
        View view;
        view.show = *scene.show;
        for (Index first = 0; first < n; ++first) {
            const Rows part{first, std::min<Index>(3, n - first)};
            const Figure figure = export_figure(result, view, {.rows = part, .columns = part});
            for (const Heatmap& map : figure.heatmaps) {
                const SeenCells seen = seen_cells(map);
                EXPECT_EQ(seen.begin.i, first) << n;
                EXPECT_EQ(seen.end.i, first + part.count) << n;
                const bool of_keys = map.cells->stage != StageKind::output;
                EXPECT_EQ(seen.begin.j, of_keys ? first : 0) << n;
                EXPECT_EQ(seen.end.j, of_keys ? first + part.count : 8) << n;
            }
        }
    }
}

TEST(ExportParts, APlotIsDrawnWhole) {
    const LoadedScene loaded = load_scene(source_folder() + "/tests/data/views/plane-convex.json");
    EXPECT_THROW(figure_of(loaded.scene, {.rows = Rows{0, 2}}), Error);
    EXPECT_NO_THROW(figure_of(loaded.scene, {.stage = StageKind::weights, .rows = Rows{0, 2}}));
}

TEST(ExportSize, ATableOfSeveralVariantsHasRoom) {
    const LoadedScene loaded = load_scene(source_folder() + "/tests/data/views/table-words.json");
    expect_inside(figure_of(loaded.scene, {}));
}

TEST(ExportParts, AVariantIsShownByItself) {
    const Figure figure = figure_of(tokens_in_variants(5, 3), {.variants = {2}});
    for (const Heatmap& map : figure.heatmaps) EXPECT_TRUE(map.variant == 2 || map.variant < 0);
    EXPECT_GT(figure.heatmaps.size(), 2U) << "with its stages";
}

TEST(Export, AResultThatKeepsNoNumbersIsDrawnAsTheCommandLineDrawsIt) {
    Scene scene = tokens_in_variants(70, 2, 2);
    const Variant first = scene.variants[0];
    scene.inputs = OutputInputs{SharedValue<LayerBefore>(LayerBefore{scene.inputs, first}), {}};
    Progress progress;
    LargeBackend backend(2, 0);
    Result read = backend.compute(scene, Request(), nullptr, progress);
    read.layers_before = layers_before(scene, backend, nullptr, progress);
    ASSERT_NE(read.variants[0].computed, nullptr);
    ASSERT_NE(read.layers_before.at(0)->variants[0].computed, nullptr);
    const Result kept = compute_shown("scene.json", scene, {});
    for (const FigureFormat format : {FigureFormat::png, FigureFormat::svg, FigureFormat::csv})
        EXPECT_EQ(export_bytes(drawn_result(read), View(), {.format = format}),
                  export_bytes(kept, View(), {.format = format}));
}

// A slide is 13.333 inches wide and has the requested shape, and its type can be read from the back
// row.
TEST(Export, ASlideHasTypeOfEighteenPointsInItsShape) {
    for (const Index tokens : {3, 4, 6, 10, 12})
        for (const int variants : {1, 2, 3})
            for (const double aspect : {16.0 / 9, 4.0 / 3, 1.0}) {
                SCOPED_TRACE(testing::Message() << tokens << ' ' << variants << ' ' << aspect);
                Scene scene = tokens_in_variants(tokens, variants);
                scene.show.emplace().stages =
                    std::vector{StageKind::scores,  StageKind::scaled,  StageKind::logits,
                                StageKind::softmax, StageKind::weights, StageKind::output};
                ExportOptions options{.slide = true};
                options.size.aspect = aspect;
                const Figure figure = figure_of(scene, options);
                EXPECT_NEAR(figure.width, 13.333 * 72, 0.5);
                EXPECT_NEAR(figure.width / figure.height, aspect, 0.005);
                if (tokens * variants <= 12) {
                    EXPECT_GE(*smallest_type(figure), slide_type - 0.01);
                }
                expect_inside(figure);
                EXPECT_TRUE(std::ranges::any_of(figure.heatmaps, [](const Heatmap& map) {
                    return map.cells->stage == StageKind::weights;
                }));
                EXPECT_TRUE(figure.colour_bars.empty());
            }
}

TEST(Export, ASlideKeepsWhatFits) {
    Scene scene = tokens_in_variants(3, 1);
    scene.show.emplace().stages = std::vector{StageKind::scaled, StageKind::weights};
    const Figure figure = figure_of(scene, {.slide = true});
    std::set<StageKind> drawn;
    for (const Heatmap& map : figure.heatmaps) drawn.insert(map.cells->stage);
    EXPECT_TRUE(drawn.contains(StageKind::scaled));
    for (const Heatmap& map : figure.heatmaps) EXPECT_GT(map.number_size, 0);
}

// When the figure is saved, the window has already made the plane, so it is not made again in that
// frame.
TEST(Export, ThePlaneOfALongTextIsTheOneThatIsShown) {
    Scene scene = tokens_in_variants(700, 1, 2);
    View view;
    view.show.view = ViewKind::plane;
    Progress progress;
    LargeBackend backend(2, 0);
    const Result read = backend.compute(scene, Request(), nullptr, progress);
    const auto bytes = [&](FigureFormat format, const std::optional<ViewData>& views) {
        return export_bytes(read, view, {.format = format}, "", {.views = views});
    };
    const ViewData made = make_view_data(read, view, progress);
    ASSERT_TRUE(plane_of(made));
    EXPECT_LT(plane_of(made)->plots[0].rows.size(), 700U) << "a sample";
    for (const FigureFormat format : {FigureFormat::png, FigureFormat::svg})
        EXPECT_EQ(bytes(format, made), bytes(format, {}));
    ViewData other = made;
    PlaneView plane = *plane_of(made);
    plane.plots[0].outputs[0][0] += 0.5;
    other.contents[ViewKind::plane] = std::make_shared<const PlaneView>(plane);
    EXPECT_NE(bytes(FigureFormat::svg, other), bytes(FigureFormat::svg, {}));
}

// The preview is made in the frame that opens the sheet. In the past, making it took minutes for
// twelve heads of 32,768 tokens.
TEST(Export, APreviewOfALongTextComputesNoHeadsThatWereNotSeen) {
    View view;
    view.show.view = ViewKind::heads;
    Progress progress;
    LargeBackend backend(2, 0);
    const Scene scene = tokens_in_variants(60, 1, 3);
    const Result read = backend.compute(scene, Request(), nullptr, progress);
    const auto is_blank = [](const Figure& figure) {
        return std::ranges::all_of(figure.heatmaps, [](const Heatmap& map) {
            return map.cells->source->looks(map.b, map.h).empty();
        });
    };
    const Figure preview = export_figure(read, view, {}, {.preview = Sources()});
    ASSERT_EQ(preview.heatmaps.size(), 3U);
    EXPECT_TRUE(is_blank(preview));
    EXPECT_FALSE(is_blank(export_figure(read, view, {})));
}

// Counts the rows that are computed.
class CountedRows : public ComputedRows {
public:
    CountedRows(std::shared_ptr<const ComputedRows> rows, std::atomic<Index>& count)
        : rows_(std::move(rows)), count_(count) {}
    RowFigures figures(Index b, Index h, Index i) const override { return rows_->figures(b, h, i); }
    std::optional<RowFigures> known_figures(Index b, Index h, Index i) const override {
        return rows_->known_figures(b, h, i);
    }
    VariantResult block(Index b, Index h, Rows rows, const std::bitset<stage_count>& stages,
                        Progress& progress) const override {
        count_ += rows.count;
        return rows_->block(b, h, rows, stages, progress);
    }

private:
    std::shared_ptr<const ComputedRows> rows_;
    std::atomic<Index>& count_;
};

// In the past, drawing the pixels took a second pass over the rows, on one thread, which could not
// be cancelled.
TEST(Export, APictureOfALongTextComputesItsRowsOnce) {
    constexpr Index n = 4200, heads = 2;  // several cells in a pixel
    const ExportOptions options{.all_heads = true};
    Progress progress;
    LargeBackend backend(2, 0);
    Result read = backend.compute(tokens_in_variants(n, 1, heads), Request(), nullptr, progress);
    std::atomic<Index> count = 0;
    read.variants[0].computed = std::make_shared<CountedRows>(read.variants[0].computed, count);
    const Figure figure = export_figure(read, View(), options, {.progress = &progress});
    EXPECT_EQ(count, heads * n);
    EXPECT_FALSE(picture_bytes(figure, read, View(), options, "", progress).empty());
    EXPECT_EQ(count, heads * n);
}

TEST(Export, ATexThatIsRefusedLeavesNoPictureOfItsCells) {
    const Result result = computed(tokens_in_variants(80, 1));
    const Folder folder;
    const auto write = [&] {
        write_export(folder / "x.tex", result, View(), {.format = FigureFormat::tex}, "", {},
                     ExistingFile::refused);
    };
    std::ofstream(folder / "x.tex") << "theirs";
    EXPECT_THROW(write(), WorkError);
    EXPECT_EQ(folder.entries(), 1U);
    std::filesystem::remove(folder / "x.tex");
    write();
    EXPECT_EQ(folder.entries(), 2U);
    std::filesystem::remove(folder / "x.tex");
    EXPECT_THROW(write(), Error) << "x-cells.png is there";
    EXPECT_EQ(folder.entries(), 1U);
}

TEST(Export, APictureIsCancelledWhileItIsDrawn) {
    const Result result = computed(tokens_in_variants(300, 1));  // too many for shapes in an SVG
    const Figure figure = export_figure(result, View(), {});
    Progress progress;
    const auto bytes = [&](FigureFormat format) {
        return picture_bytes(figure, result, View(), {.format = format}, "", progress);
    };
    for (const FigureFormat format : {FigureFormat::png, FigureFormat::svg, FigureFormat::pdf}) {
        progress.cancel = false;
        EXPECT_FALSE(bytes(format).empty());
        progress.cancel = true;
        EXPECT_THROW(bytes(format), Cancellation);
    }
}

}  // namespace
}  // namespace maskscope
