// Tests features that masks of real models use, by a second implementation on random scenes: the
// vectors of tokens at listed positions, rows one at a time under every rule, and a mask against
// its reference. properties_test.cpp tests stages and statistics of the same scenes;
// cpu_backend_test.cpp and tests/gpu compare the CPU and the GPU with the reference implementation.

#include <array>
#include <bit>
#include <cmath>
#include <numeric>

#include "core/attention/row_figures.h"
#include "core/compute/decode.h"
#include "core/cpu/cpu_backend.h"
#include "tests/golden/compare_results.h"
#include "tests/golden/properties.h"

namespace maskscope::golden {
namespace {

// --- every feature occurs

TEST(Additions, AllComeUpInRandomScenes) {
    std::map<std::string, int> count;
    const auto has_pow = [](const std::string& text) { return text.find("pow(") != text.npos; };
    for_each_scene({}, [&](const Scene& scene) {
        const Index heads = heads_of(scene.inputs);
        for (const Sequence& sequence : scene.sequences) {
            count["positions"] += sequence.positions->empty() ? 0 : 1;
            count["key_positions"] += sequence.key_positions->empty() ? 0 : 1;
        }
        for (const Variant& variant : scene.variants) {
            count["reference"] += variant.reference ? 1 : 0;
            count["rows that attend to all"] += variant.empty_rows == EmptyRows::all ? 1 : 0;
            count["scaled queries"] += variant.mask.order == Order::queries_first ? 1 : 0;
            count["scale by formula"] += variant.scale.kind == ScaleKind::formula ? 1 : 0;
            count["pow"] += has_pow(variant.scale.expression) ? 1 : 0;
            for (const MaskLayer& layer : variant.mask.layers) {
                count["pow"] += has_pow(layer.expression) ? 1 : 0;
                count["lengths of each"] += layer.lengths_each.empty() ? 0 : 1;
                count["ids of each"] += layer.ids_each.empty() ? 0 : 1;
                count["mask from a tensor"] += layer.kind == LayerKind::tensor ? 1 : 0;
                count["bias from a tensor"] +=
                    layer.kind == LayerKind::bias && layer.tensor ? 1 : 0;
                if (layer.kind != LayerKind::alibi) continue;
                count["plain slopes"] += layer.slopes == Slopes::geometric ? 1 : 0;
                count["slopes of three heads"] +=
                    layer.slopes == Slopes::published && heads == 3 ? 1 : 0;
            }
        }
    });
    EXPECT_EQ(count.size(), 13U);
    for (const auto& [what, times] : count) EXPECT_GE(times, 5) << what;
}

// --- a variant against its reference

TEST(Additions, ARowLeaksWhatItsReferenceBlocks) {
    CpuBackend cpu(1);
    int rows = 0;
    for_each_scene({}, [&](const Scene& scene) {
        const Result plain = computed(scene), fast = computed(cpu, scene);
        for_each_row(scene, [&](const ComputedVariant& one, Index b, Index h, Index i) {
            if (!one.variant.reference) return;
            const auto variant = static_cast<int>(&one.variant - scene.variants.data());
            Head reference = one.head(b, h);
            const Variant& right = scene.variants[*one.variant.reference];
            const Head by_reference{scene, right, b, h, reference.allowed, reference.inputs};
            const Matrix weights = one.stage(StageKind::weights, b, h);
            double leak = 0;
            Index missing = 0;
            bool blocks = false, nan = false;
            for (Index j = 0; j < weights.cols(); ++j) {
                nan = nan || std::isnan(weights(i, j));
                const bool allows = allowed_at(by_reference, i, j);
                blocks = blocks || !allows;
                leak += allows ? 0 : weights(i, j);
                missing += allows && !allowed_at(reference, i, j) ? 1 : 0;
            }
            if (nan) leak = blocks ? not_a_number : 0;
            const ReferenceFigures found = reference_figures(plain, variant, b, h, i);
            EXPECT_TRUE(same(found.leak, leak) || std::abs(found.leak - leak) <= order_tolerance)
                << found.leak << ", expected " << leak;
            EXPECT_EQ(found.missing, missing);
            EXPECT_EQ(reference_figures(fast, variant, b, h, i).missing, missing);
            ++rows;
        });
    });
    EXPECT_GT(rows, scenes);
}

// --- vectors of tokens at their positions

// Returns the numbers of a stream, as the format defines them: SplitMix64 from the seed and FNV-1a
// of the name; twelve uniform numbers, added in order, minus 6.
std::vector<double> stream_of(std::uint64_t seed, const std::string& name, Index count) {
    std::uint64_t hash = 14695981039346656037U;
    for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
    std::uint64_t state = seed ^ hash;
    std::vector<double> numbers;
    for (Index k = 0; k < count; ++k) {
        double sum = 0;
        for (int u = 0; u < 12; ++u) {
            state += 0x9e3779b97f4a7c15U;
            std::uint64_t x = state;
            x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
            x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
            x ^= x >> 31U;
            sum += std::ldexp(static_cast<double>(x >> 11U), -53);
        }
        numbers.push_back(sum - 6);
    }
    return numbers;
}

// Returns the projected vector of a token at a position.
Matrix vector_of(const EmbeddingInputs& inputs, const std::string& token, Index place,
                 const std::string& projection, Index d) {
    const auto e = stream_of(inputs.seed, "token:" + token, inputs.d_model);
    const auto p = stream_of(inputs.seed, "position:" + std::to_string(place), inputs.d_model);
    const auto w = stream_of(inputs.seed, projection, inputs.d_model * d);
    Matrix vector = Matrix::Zero(1, d);
    for (Index m = 0; m < inputs.d_model; ++m)
        for (Index c = 0; c < d; ++c)
            vector(0, c) += (e[m] + p[m]) / std::sqrt(2.0) * w[m * d + c] /
                            std::sqrt(static_cast<double>(inputs.d_model));
    return vector;
}

// Returns the position of token k; after the end of the list, positions continue from the last
// entry.
Index place_in(const std::vector<Index>& listed, Index start, Index k) {
    if (listed.empty()) return start + k;
    const Index count = std::ssize(listed);
    return k < count ? listed[k] : listed.back() + k - count + 1;
}

TEST(Additions, TokensStandAtTheirPositions) {
    int listed = 0;
    for (std::uint64_t seed = 0; seed < 4000 && listed < 60; ++seed) {
        const Scene scene = random_scene(seed);
        const auto* inputs = std::get_if<EmbeddingInputs>(&scene.inputs);
        if (inputs == nullptr || is_self_attention(scene) || inputs->kv_heads) continue;
        SCOPED_TRACE("seed " + std::to_string(seed));
        Progress progress;
        const BatchInputs made = make_inputs(scene, progress);
        for (Index b = 0; b < made.shape.b; ++b) {
            const Sequence& sequence = scene.sequences[b];
            listed += sequence.positions->empty() && sequence.key_positions->empty() ? 0 : 1;
            const auto token = [&](const TokenList& list, Index k) {
                const std::vector<std::string> all = list;
                return k < std::ssize(all) ? all[k] : scene.pad_token;
            };
            for (Index i = 0; i < made.shape.n_q; ++i)
                EXPECT_EQ(first_beyond(order_tolerance, made.at(b, 0).queries.row(i),
                                       vector_of(*inputs, token(sequence.queries, i),
                                                 place_in(*sequence.positions, sequence.start, i),
                                                 "w_q:0", inputs->d_k)),
                          "");
            for (Index j = 0; j < made.shape.n_k; ++j)
                EXPECT_EQ(first_beyond(order_tolerance, made.at(b, 0).keys.row(j),
                                       vector_of(*inputs, token(*sequence.keys, j),
                                                 place_in(*sequence.key_positions, 0, j), "w_k:0",
                                                 inputs->d_k)),
                          "");
        }
        if (HasFailure()) return;
    }
    EXPECT_GE(listed, 60);
}

// --- rows one at a time, under rules that list something

Array row_of(const Array& tensor, Index t) {
    const std::size_t last = tensor.axes.size() - 1;
    const Index n_q = tensor.axes[last - 1], n_k = tensor.axes[last];
    std::vector<double> numbers;
    for (Index first = t * n_k; first < std::ssize(tensor.values->float64s()); first += n_q * n_k)
        for (Index j = 0; j <= t; ++j) numbers.push_back(tensor.values->float64s()[first + j]);
    Array row = tensor;
    row.axes[last - 1] = 1;
    row.axes[last] = t + 1;
    Array made = make_array(row.axes, std::move(numbers));
    made.truths = tensor.truths;
    return made;
}

template <class List>
void keep(List& list, const auto& is_kept) {
    std::erase_if(list, [&](const auto& item) { return !is_kept(item); });
}

void cut_lengths(std::vector<Index>& lengths, Index count) {
    Index sum = 0;
    for (Index& length : lengths) {
        length = std::min(length, count - sum);
        sum += length;
    }
    std::erase(lengths, 0);
}

// Reduces what the rule lists to the first t + 1 tokens and to row t, which becomes row 0.
void cut(MaskLayer& layer, Index t) {
    const auto is_seen = [&](Index j) { return j <= t; };
    if (layer.tensor) layer.tensor = row_of(*layer.tensor, t);
    if (layer.cells) {
        keep(*layer.cells, [&](const Cell& cell) { return cell.i == t && cell.j <= t; });
        for (Cell& cell : *layer.cells) cell.i = 0;
    }
    if (layer.rows)
        layer.rows =
            std::ranges::count(*layer.rows, t) > 0 ? std::vector<Index>{0} : std::vector<Index>{};
    if (layer.columns) keep(*layer.columns, is_seen);
    keep(layer.bias, [&](const BiasCell& cell) { return cell.i == t && cell.j <= t; });
    for (BiasCell& cell : layer.bias) cell.i = 0;
    keep(layer.tokens, is_seen);
    const auto shorten = [&](std::vector<Index>& list) {
        if (!list.empty()) list.resize(static_cast<std::size_t>(t + 1));
    };
    shorten(layer.ids);
    for (auto& ids : layer.ids_each) shorten(ids);
    shorten(layer.parents);
    cut_lengths(layer.lengths, t + 1);
    for (auto& lengths : layer.lengths_each) cut_lengths(lengths, t + 1);
    for (MaskLayer& inner : layer.layers) cut(inner, t);
}

// Returns a scene with the last of t + 1 tokens as its only query, and all of them as keys.
Scene alone_at(const Scene& scene, int variant, Index t) {
    Scene alone = scene;
    const Index n = shape_of(scene).n_q;
    for (Index b = 0; b < std::ssize(scene.sequences); ++b) {
        const std::vector<std::string> tokens = query_tokens(scene, b, n);
        alone.sequences[b] = {{tokens[t]}, std::vector(tokens.begin(), tokens.begin() + t + 1), t};
    }
    alone.variants = {scene.variants[variant]};
    alone.variants[0].reference.reset();
    for (MaskLayer& layer : alone.variants[0].mask.layers) cut(layer, t);
    return alone;
}

TEST(Additions, ARowAloneIsRowTOfWhatRulesList) {
    int rows = 0;
    for (std::uint64_t seed = 0; seed < 3000; ++seed) {
        const Scene scene = random_scene(seed);
        if (!has_decode(scene) || !std::holds_alternative<EmbeddingInputs>(scene.inputs)) continue;
        SCOPED_TRACE("seed " + std::to_string(seed));
        Progress progress;
        const BatchInputs inputs = make_inputs(scene, progress);
        for (int variant = 0; variant < std::ssize(scene.variants); ++variant) {
            const Stage decode = decode_of(scene, inputs, variant, progress);
            for (Index t = 0; t < decode.rows(); ++t) {
                const VariantResult row = computed(alone_at(scene, variant, t)).variants[0];
                for (Index b = 0; b < decode.b(); ++b)
                    for (Index h = 0; h < decode.h(); ++h)
                        for (Index j = 0; j < decode.columns(); ++j, ++rows) {
                            const double expected =
                                j <= t ? row.stage(StageKind::weights).at(b, h, 0, j) : 0;
                            EXPECT_TRUE(same(decode.at(b, h, t, j), expected))
                                << "variant " << variant << " [" << b << ", " << h << ", " << t
                                << ", " << j << "]: " << decode.at(b, h, t, j) << ", expected "
                                << expected;
                        }
            }
        }
        if (HasFailure()) return;
    }
    EXPECT_GT(rows, 10'000);
}

}  // namespace
}  // namespace maskscope::golden
