// Compares the fast CPU backend with the reference implementation, on every instruction set that
// this machine supports and with one, two and three threads.

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "core/attention/seeded.h"
#include "core/base/build.h"
#include "core/base/error.h"
#include "core/base/matrix.h"
#include "core/compute/embedding.h"
#include "core/compute/plain.h"
#include "core/cpu/cpu_backend.h"
#include "core/cpu/kernels/kernels.h"
#include "core/files/file.h"
#include "core/format/scene_json.h"
#include "core/lesson/lesson.h"
#include "tests/golden/compare_results.h"
#include "tests/golden/golden_files.h"
#include "tests/support/random_scene.h"

namespace maskscope::golden {
namespace {

std::vector<std::string> instruction_sets() {
    const char* names[16];
    const std::size_t count = supported_kernels(names, 16);
    return {names, names + count};
}

// Makes the kernels use this instruction set as long as the object exists.
class With {
public:
    explicit With(const std::string& name) { EXPECT_TRUE(use_kernels(name.c_str())) << name; }
    With(const With&) = delete;
    With& operator=(const With&) = delete;
    ~With() { use_kernels(nullptr); }
};

std::string difference(Backend& backend, const Scene& scene) {
    PlainBackend plain;
    return first_difference(scene, computed(plain, scene), computed(backend, scene));
}

// Reports where the backend and the reference implementation differ, with the smallest scene in
// which they do.
void expect_same(Backend& backend, const Scene& scene) {
    const std::string found = difference(backend, scene);
    if (found.empty()) return;
    const Scene small =
        shrunk(scene, [&](const Scene& s) { return !difference(backend, s).empty(); });
    ADD_FAILURE() << found << "\nin the smallest scene: " << difference(backend, small) << "\n"
                  << write_scene(small);
}

TEST(CpuBackend, GoldenScenesAreAsPlain) {
    for (const std::string& instructions : instruction_sets()) {
        SCOPED_TRACE(instructions);
        const With with(instructions);
        for (const int threads : {1, 2, 3}) {
            CpuBackend backend(threads);
            for (const std::string& name : scene_names()) {
                SCOPED_TRACE(name);
                expect_same(backend, read_golden_scene(name));
            }
        }
    }
}

TEST(CpuBackend, TenThousandRandomScenesAreAsPlain) {
    const auto sets = instruction_sets();
    CpuBackend backends[3] = {CpuBackend(1), CpuBackend(2), CpuBackend(3)};
    for (std::uint64_t seed = 0; seed < 10000; ++seed) {
        const std::string& set = sets[seed / 3 % sets.size()];
        const With with(set);
        SCOPED_TRACE("seed " + std::to_string(seed) + ", " + set);
        expect_same(backends[seed % 3], random_scene(seed));
        if (testing::Test::HasFailure()) return;  // one failing scene is enough
    }
}

// Puts an infinity, a NaN or a number beyond float16 into given numbers, as a file may.
Array spoiled(const Array& array, Stream& stream) {
    std::vector<double> values = array.values->float64s();
    const double infinity = std::numeric_limits<double>::infinity();
    const double bad[] = {infinity, -infinity, std::nan(""), 1e5, -1e5, 1e25, -1e39};
    values[stream.next() % values.size()] = bad[stream.next() % 7];
    return make_array(array.axes, values);
}

Scene spoiled(Scene scene, Stream& stream) {
    if (auto* tensors = std::get_if<TensorsInputs>(&scene.inputs)) {
        Array& array = stream.next() % 2 == 0 ? tensors->queries : tensors->keys;
        array = spoiled(array, stream);
        if (tensors->values && stream.next() % 2 == 0)
            tensors->values = spoiled(*tensors->values, stream);
    }
    if (auto* scores = std::get_if<ScoresInputs>(&scene.inputs)) {
        scores->scores = spoiled(scores->scores, stream);
        if (scores->values && stream.next() % 2 == 0)
            scores->values = spoiled(*scores->values, stream);
    }
    if (auto* weights = std::get_if<WeightsInputs>(&scene.inputs))
        weights->weights = spoiled(weights->weights, stream);
    return scene;
}

TEST(CpuBackend, NumbersThatAreNotFiniteAgreeWithTheReference) {
    const auto sets = instruction_sets();
    CpuBackend backend(2);
    Stream stream(1, "spoil");
    for (std::uint64_t seed = 0; seed < 3000; ++seed) {
        const std::string& set = sets[seed % sets.size()];
        const With with(set);
        SCOPED_TRACE("seed " + std::to_string(seed) + ", " + set);
        expect_same(backend, spoiled(random_scene(seed), stream));
        if (testing::Test::HasFailure()) return;
    }
}

TEST(CpuBackend, ABlockedValueThatIsScaledMayBeTooLargeBefore) {
    CpuBackend backend(1);
    Scene scene;
    scene.sequences = {{{"a", "b"}, std::nullopt}};
    scene.inputs = ScoresInputs{make_array({2, 2}, {-3.4e38, 1, 1, -3.39e38}), {}, {}};
    scene.variants = {Variant{}};
    Variant& variant = scene.variants[0];
    variant.scale = {ScaleKind::number, 1e-20};
    variant.mask.layers.emplace_back().kind = LayerKind::blocked;
    variant.mask.layers[0].rows = {0};
    variant.mask.order = Order::mask_then_scale;
    for (const double value : {-5e36, -1e30, -1e9}) {
        variant.mask.value = {ValueKind::number, value};
        expect_same(backend, scene);
    }
}

// Makes a rule that lists at most one cell, one row, one column and one head, in any combination.
MaskLayer random_list(Index n, Stream& stream) {
    const auto place = [&] { return static_cast<Index>(stream.next() % std::uint64_t(n)); };
    MaskLayer layer;
    layer.kind = stream.next() % 2 == 0 ? LayerKind::blocked : LayerKind::allowed;
    if (stream.next() % 3 == 0) layer.rows = {place()};
    if (stream.next() % 3 == 0) layer.columns = {place()};
    if ((!layer.rows && !layer.columns) || stream.next() % 2 == 0) layer.cells.emplace();
    if (layer.cells && stream.next() % 2 == 0) layer.cells->push_back({place(), place()});
    if (stream.next() % 3 == 0) layer.heads = {static_cast<Index>(stream.next() % 2)};
    return layer;
}

// The backend makes a mask from a known mask that is almost the same.
TEST(CpuBackend, MasksThatAreAlmostAlikeAgreeWithTheReference) {
    CpuBackend backend(1);
    Stream stream(1, "alike");
    for (Index n = 2; n < 40; ++n)
        for (int round = 0; round < 20; ++round) {
            Scene scene;
            scene.sequences = {{std::vector<std::string>(std::size_t(n), "w"), std::nullopt}};
            scene.inputs = EmbeddingInputs{1, 2, 4, 2, 8};
            scene.variants.resize(3);
            for (Variant& variant : scene.variants)
                variant.mask.layers = {MaskLayer{}, random_list(n, stream)};
            expect_same(backend, scene);
            if (testing::Test::HasFailure()) return;
        }
}

// --- scenes of many panels, chunks and blocks

std::vector<std::string> words(Index n) {
    std::vector<std::string> tokens;
    for (Index k = 0; k < n; ++k) tokens.push_back("w" + std::to_string(k % 23));
    return tokens;
}

MaskLayer layer_of(LayerKind kind) {
    MaskLayer layer;
    layer.kind = kind;
    if (kind == LayerKind::window) layer.left = 20, layer.right = 5;
    if (kind == LayerKind::blocked) layer.columns = {0, 2, 5};
    return layer;
}

Variant variant_of(const char* name, ScoreKind score, Apply apply, Dtype dtype,
                   const std::vector<LayerKind>& layers) {
    Variant variant;
    variant.name = name;
    variant.score.kind = score;
    variant.mask.apply = apply;
    variant.dtype = dtype;
    for (const LayerKind kind : layers) variant.mask.layers.push_back(layer_of(kind));
    return variant;
}

Scene large_scene(Index n_q, Index n_k, Index d) {
    using enum LayerKind;
    Scene scene;
    scene.sequences = {{words(n_q), words(n_k)}, {words(n_q / 2), words(n_k - 3)}};
    scene.inputs = EmbeddingInputs{3, 2, d, 21, 16};
    scene.variants = {
        variant_of("causal", ScoreKind::dot, Apply::additive, Dtype::float32, {causal}),
        variant_of("window", ScoreKind::dot, Apply::additive, Dtype::float32,
                   {window, padding, alibi}),
        variant_of("gaussian", ScoreKind::gaussian, Apply::multiply_weights, Dtype::float32,
                   {window}),
        variant_of("bfloat16", ScoreKind::dot, Apply::multiply_weights_renormalized,
                   Dtype::bfloat16, {window}),
        variant_of("additive", ScoreKind::additive, Apply::additive, Dtype::float16, {blocked}),
        variant_of("-1e4", ScoreKind::bilinear, Apply::additive, Dtype::float32, {blocked})};
    scene.variants[2].scale = {ScaleKind::number, 0.1};
    scene.variants[5].mask.value = {ValueKind::number, -1e4};
    scene.variants[5].output.kind = OutputKind::projected;
    return scene;
}

TEST(CpuBackend, LargeScenesAreAsPlain) {
    for (const std::string& instructions : instruction_sets()) {
        SCOPED_TRACE(instructions);
        const With with(instructions);
        CpuBackend backend(3);
        for (const auto& [n_q, n_k, d] :
             {std::tuple<Index, Index, Index>{67, 300, 37}, {129, 64, 64}, {33, 31, 65}})
            EXPECT_EQ(difference(backend, large_scene(n_q, n_k, d)), "");
    }
}

// --- a number depends only on its own row and column

TEST(CpuBackend, TheNumberOfThreadsChangesNoBit) {
    CpuBackend one(1), three(3);
    const Scene scene = large_scene(67, 300, 37);
    EXPECT_EQ(first_other_bit(computed(one, scene), computed(three, scene)), "");
}

// Expects row i of x in y as row i + shift of sequence b, to the bit, in the first `columns`
// columns.
void expect_same_rows(const VariantResult& x, const VariantResult& y, Index b, Index shift,
                      Index columns) {
    for (Index h = 0; h < x.shape.h; ++h)
        for (Index i = 0; i < x.shape.n_q; ++i)
            for (const StageKind kind : {StageKind::scores, StageKind::weights})
                for (Index j = 0; j < columns; ++j)
                    ASSERT_EQ(x.stage(kind).at(0, h, i, j), y.stage(kind).at(b, h, i + shift, j))
                        << i << ", " << j;
}

Scene with_queries(const Scene& scene, Index first, Index count) {
    Scene some = scene;
    const auto& tensors = std::get<TensorsInputs>(scene.inputs);
    const Index h = tensors.queries.axes[1], n = tensors.queries.axes[2],
                d = tensors.queries.axes[3];
    std::vector<double> values;
    for (Index head = 0; head < h; ++head) {
        values.resize(values.size() + std::size_t(count * d));
        tensors.queries.values->copy(std::size_t((head * n + first) * d),
                                     std::span(values).last(std::size_t(count * d)));
    }
    auto& queries = some.sequences[0].queries;
    queries = std::vector(queries.begin() + first, queries.begin() + first + count);
    std::get<TensorsInputs>(some.inputs).queries = make_array({1, h, count, d}, values);
    return some;
}

Scene tensors_scene(Index n_q, Index n_k, Index d) {
    Stream stream(5, "tensors");
    const auto array = [&](Index n, Index columns) {
        std::vector<double> values(static_cast<std::size_t>(2 * n * columns));
        for (double& x : values) x = stream.normal();
        return make_array({1, 2, n, columns}, values);
    };
    Scene scene;
    scene.sequences = {{words(n_q), words(n_k)}};
    scene.inputs = TensorsInputs{array(n_q, d), array(n_k, d), array(n_k, 3)};
    scene.variants.resize(1);
    scene.variants[0].name = "padding";
    scene.variants[0].mask.layers = {layer_of(LayerKind::padding)};
    return scene;
}

TEST(CpuBackend, WhereARowStandsChangesNoBit) {
    const Scene scene = tensors_scene(61, 150, 40);
    for (const std::string& instructions : instruction_sets()) {
        const With with(instructions);
        CpuBackend backend(2);
        const VariantResult all = computed(backend, scene).variants[0];
        for (const auto& [first, count] : {std::pair<Index, Index>{0, 1}, {5, 7}, {13, 48}}) {
            const VariantResult some =
                computed(backend, with_queries(scene, first, count)).variants[0];
            expect_same_rows(some, all, 0, first, 150);
        }
    }
}

// Compares a sequence with the same sequence followed by padding: with padding, sums add the same
// numbers, and zeros.
TEST(CpuBackend, BlockedPadsChangeNoBit) {
    for (const Index n_k : {3, 30, 257}) {
        Scene alone = tensors_scene(9, n_k, 20), batch = alone;
        batch.sequences[0].keys->edit([](auto& keys) { keys.insert(keys.end(), 400, "<pad>"); });
        for (auto member : {&TensorsInputs::keys}) {
            const Array& keys = std::get<TensorsInputs>(alone.inputs).*member;
            std::vector<double> values;
            for (Index h = 0; h < 2; ++h) {
                values.resize(values.size() + std::size_t(n_k * 20));
                keys.values->copy(std::size_t(h * n_k * 20),
                                  std::span(values).last(std::size_t(n_k * 20)));
                values.resize(values.size() + 400 * 20, 0.25);
            }
            std::get<TensorsInputs>(batch.inputs).*member =
                make_array({1, 2, n_k + 400, 20}, values);
        }
        for (Scene* scene : {&alone, &batch}) std::get<TensorsInputs>(scene->inputs).values.reset();
        for (const std::string& instructions : instruction_sets()) {
            const With with(instructions);
            CpuBackend backend(1);
            expect_same_rows(computed(backend, alone).variants[0],
                             computed(backend, batch).variants[0], 0, 0, n_k);
        }
    }
}

// Checks that the largest error of a weight in float32 is small, for inputs that float32 holds
// exactly.
TEST(CpuBackend, WeightsAreNearThoseOfFloat64) {
    constexpr double largest_error = 3e-7;
    Scene scene = tensors_scene(256, 256, 64);
    auto& tensors = std::get<TensorsInputs>(scene.inputs);
    for (Array* array : {&tensors.queries, &tensors.keys}) {
        std::vector<double> values = array->values->float64s();
        for (double& x : values) x = static_cast<double>(static_cast<float>(x));
        *array = make_array(array->axes, values);
    }
    scene.variants[0].mask.layers = {layer_of(LayerKind::causal)};
    scene.variants.push_back(scene.variants[0]);
    scene.variants[1].dtype = Dtype::float64;
    for (const std::string& instructions : instruction_sets()) {
        const With with(instructions);
        CpuBackend backend(2);
        const Result result = computed(backend, scene);
        double largest = 0;
        for (Index h = 0; h < 2; ++h)
            largest = std::max(largest, (result.variants[0].stage(StageKind::weights).head(0, h) -
                                         result.variants[1].stage(StageKind::weights).head(0, h))
                                            .cwiseAbs()
                                            .maxCoeff());
        EXPECT_LE(largest, largest_error) << instructions;
        RecordProperty("error_" + instructions, std::to_string(largest * 1e9) + "e-9");
    }
}

// --- the lessons

TEST(CpuBackend, EveryFactOfEveryLessonHolds) {
    const std::filesystem::path folder = source_folder() + "/assets/lessons";
    CpuBackend backend(2);
    for (const std::string& instructions : instruction_sets()) {
        const With with(instructions);
        for (const auto& entry : std::filesystem::directory_iterator(folder)) {
            const Lesson lesson = read_lesson(read_file(entry.path()), folder);
            for (std::size_t step = 0; step < lesson.steps.size(); ++step) {
                const Result result = computed(backend, lesson.steps[step].scene);
                for (const Fact& fact : lesson.steps[step].facts)
                    EXPECT_TRUE(judge(fact, result, backend, folder).holds)
                        << instructions << ", " << lesson.name << "/" << step + 1 << ": "
                        << claim(fact);
            }
        }
    }
}

// --- what is asked for, and cancelling

TEST(CpuBackend, MakesTheStagesThatAreAskedForAndAllFigures) {
    CpuBackend backend(2);
    const Scene scene = large_scene(33, 31, 8);
    const Result all = computed(backend, scene);
    for (int k = 1; k < stage_count; ++k) {
        Request request;
        request.stages.reset().set(static_cast<std::size_t>(k));
        request.variants = {0, 3};
        Progress progress;
        Result some = backend.compute(scene, request, nullptr, progress);
        EXPECT_EQ(progress.done, 1);
        EXPECT_TRUE(some.variants[1].rows.empty());
        for (const int variant : request.variants) {
            VariantResult kept = all.variants[variant];
            for (int other = 1; other < stage_count; ++other)
                if (other != k) kept.stages[other] = Stage();
            Result x, y;
            x.variants = {kept};
            y.variants = {some.variants[variant]};
            for (Result* r : {&x, &y})  // summed in another order if nothing else is requested
                for (RowFigures& row : r->variants[0].rows) {
                    row.sum = std::round(row.sum * 1e5);
                    row.max = std::round(row.max * 1e5);
                    row.entropy = std::round(row.entropy * 1e3);
                }
            EXPECT_EQ(first_other_bit(x, y), "") << k;
        }
    }
}

TEST(CpuBackend, IsCancelled) {
    CpuBackend backend(2);
    Progress progress;
    progress.cancel = true;
    EXPECT_THROW(backend.compute(large_scene(60, 60, 8), {}, nullptr, progress), Cancellation);
    progress.cancel = false;
    EXPECT_NO_THROW(backend.compute(large_scene(60, 60, 8), {}, nullptr, progress));
}

TEST(CpuBackend, RefusesWhatThisMachineCannotHold) {
    Scene scene = large_scene(10, 10, 8);
    scene.sequences = {{words(100000), std::nullopt}};
    scene.inputs = EmbeddingInputs{1, 1024, 8, 8, 8};
    scene.variants.resize(1);
    CpuBackend backend(1);
    Progress progress;
    EXPECT_THROW(backend.compute(scene, {}, nullptr, progress), WorkError);
}

}  // namespace
}  // namespace maskscope::golden
