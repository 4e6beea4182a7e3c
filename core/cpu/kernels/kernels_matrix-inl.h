// Computes scores of some queries with packed keys, and weights times values; built once for each
// instruction set.
#if defined(MASKSCOPE_KERNELS_MATRIX_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MASKSCOPE_KERNELS_MATRIX_INL_H_
#undef MASKSCOPE_KERNELS_MATRIX_INL_H_
#else
#define MASKSCOPE_KERNELS_MATRIX_INL_H_
#endif

#include "core/cpu/kernels/kernels_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace maskscope {
namespace HWY_NAMESPACE {

// A panel is two vectors wide: [d, panel_width] of some columns of Kᵀ, 0 beyond the last key.
inline constexpr std::size_t panel_width = 2 * lanes;

inline std::size_t packed_size(std::size_t n_k, std::size_t d) {
    return (n_k + panel_width - 1) / panel_width * panel_width * d;
}

inline void pack(const float* keys, std::size_t n_k, std::size_t d, float* panels) {
    for (std::size_t first = 0; first < n_k; first += panel_width, panels += d * panel_width)
        for (std::size_t c = 0; c < d; ++c)
            for (std::size_t k = 0; k < panel_width; ++k)
                panels[c * panel_width + k] = first + k < n_k ? keys[(first + k) * d + c] : 0;
}

// Adds one more component of the score: acc + q k, acc + (q − k)², acc + w tanh(q + k).
template <RowScore kind>
HWY_INLINE Vec one_more(Vec acc, Vec q, Vec k, Vec w) {
    if constexpr (kind == RowScore::dot) return hn::MulAdd(q, k, acc);
    if constexpr (kind == RowScore::gaussian) {
        const Vec distance = hn::Sub(q, k);
        return hn::MulAdd(distance, distance, acc);
    }
    return hn::MulAdd(w, tanh_of(hn::Add(q, k)), acc);
}

// The components in a chunk. Chunks are summed separately, because shorter sums lose fewer digits.
inline constexpr std::size_t components = 32;

// Computes the scores of one tile. vectors: how many vectors of the panel are computed, from the
// first on.
template <RowScore kind, std::size_t rows, std::size_t vectors>
HWY_INLINE void score_tile(const ScoresJob& job, std::size_t first_row, const float* panel,
                           float* out) {
    const float* q[rows];
    for (std::size_t r = 0; r < rows; ++r) q[r] = job.q[first_row + r];
    for (std::size_t start = 0; start < job.d; start += components) {
        const std::size_t stop = start + components < job.d ? start + components : job.d;
        Vec acc[rows][vectors];
        for (auto& row : acc)
            for (Vec& one : row) one = hn::Zero(floats);
        for (std::size_t c = start; c < stop; ++c) {
            Vec k[vectors];
            for (std::size_t v = 0; v < vectors; ++v)
                k[v] = hn::Load(floats, panel + c * panel_width + v * lanes);
            const Vec w =
                kind == RowScore::additive ? hn::Set(floats, job.w_v[c]) : hn::Zero(floats);
            for (std::size_t r = 0; r < rows; ++r) {
                const Vec x = hn::Set(floats, q[r][c]);
                for (std::size_t v = 0; v < vectors; ++v)
                    acc[r][v] = one_more<kind>(acc[r][v], x, k[v], w);
            }
        }
        for (std::size_t r = 0; r < rows; ++r)
            for (std::size_t v = 0; v < vectors; ++v) {
                float* to = out + r * job.stride + v * lanes;
                Vec sum = start == 0 ? acc[r][v] : hn::Add(hn::Load(floats, to), acc[r][v]);
                if (kind == RowScore::gaussian && stop == job.d)
                    sum = hn::Mul(sum, hn::Set(floats, -0.5F));
                hn::Store(sum, floats, to);
            }
    }
}

template <RowScore kind, std::size_t vectors>
HWY_INLINE void score_panel(const ScoresJob& job, const float* panel, float* out) {
    constexpr std::size_t most = lanes == 16 ? 8 : 4;  // as the registers allow
    std::size_t r = 0;
    for (; r + most <= job.rows; r += most)
        score_tile<kind, most, vectors>(job, r, panel, out + r * job.stride);
    if (most > 4 && r + 4 <= job.rows) {
        score_tile<kind, 4, vectors>(job, r, panel, out + r * job.stride);
        r += 4;
    }
    for (; r < job.rows; ++r) score_tile<kind, 1, vectors>(job, r, panel, out + r * job.stride);
}

template <RowScore kind>
HWY_INLINE void score_panels(const ScoresJob& job) {
    std::size_t j = job.begin / panel_width * panel_width;
    for (; j + lanes < job.end; j += panel_width)
        score_panel<kind, 2>(job, job.panels + j * job.d, job.scores + j);
    if (j < job.end) score_panel<kind, 1>(job, job.panels + j * job.d, job.scores + j);
}

inline void scores(const ScoresJob& job) {
    if (job.kind == RowScore::dot) return score_panels<RowScore::dot>(job);
    if (job.kind == RowScore::gaussian) return score_panels<RowScore::gaussian>(job);
    score_panels<RowScore::additive>(job);
}

// --- weights · V

// The keys in a chunk. Chunks begin at fixed columns, and each is summed separately.
inline constexpr std::size_t keys_at_once = 64;

template <std::size_t rows, std::size_t vectors>
HWY_INLINE void mix_tile(const MixJob& job, std::size_t first_row, std::size_t first_column) {
    const float* weights = job.weights + first_row * job.stride;
    float* out = job.mixed + first_row * job.columns + first_column;
    for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t v = 0; v < vectors; ++v)
            hn::Store(hn::Zero(floats), floats, out + r * job.columns + v * lanes);
    for (std::size_t j = job.begin; j < job.end;) {
        const std::size_t next = (j / keys_at_once + 1) * keys_at_once;
        const std::size_t stop = next < job.end ? next : job.end;
        Vec acc[rows][vectors];
        for (auto& row : acc)
            for (Vec& one : row) one = hn::Zero(floats);
        for (; j < stop; ++j) {
            const float* value = job.values + j * job.columns + first_column;
            for (std::size_t r = 0; r < rows; ++r) {
                const Vec weight = hn::Set(floats, weights[r * job.stride + j]);
                for (std::size_t v = 0; v < vectors; ++v)
                    acc[r][v] = hn::MulAdd(weight, hn::Load(floats, value + v * lanes), acc[r][v]);
            }
        }
        for (std::size_t r = 0; r < rows; ++r)
            for (std::size_t v = 0; v < vectors; ++v) {
                float* to = out + r * job.columns + v * lanes;
                hn::Store(hn::Add(hn::Load(floats, to), acc[r][v]), floats, to);
            }
    }
}

template <std::size_t vectors>
HWY_INLINE void mix_columns(const MixJob& job, std::size_t column) {
    constexpr std::size_t most = vectors == 1 ? 8 : 4;
    std::size_t r = 0;
    for (; r + most <= job.rows; r += most) mix_tile<most, vectors>(job, r, column);
    for (; r < job.rows; ++r) mix_tile<1, vectors>(job, r, column);
}

inline void mix(const MixJob& job) {
    constexpr std::size_t most = lanes == 16 ? 4 : 2;
    std::size_t column = 0;
    for (; column + most * lanes <= job.columns; column += most * lanes)
        mix_columns<most>(job, column);
    for (; column < job.columns; column += lanes) mix_columns<1>(job, column);
}

}  // namespace HWY_NAMESPACE
}  // namespace maskscope
HWY_AFTER_NAMESPACE();

#endif  // MASKSCOPE_KERNELS_MATRIX_INL_H_
