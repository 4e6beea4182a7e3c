// Turns a row of scores into a row of weights and the statistics of that row; built once for each
// instruction set.
#if defined(MASKSCOPE_KERNELS_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MASKSCOPE_KERNELS_ROWS_INL_H_
#undef MASKSCOPE_KERNELS_ROWS_INL_H_
#else
#define MASKSCOPE_KERNELS_ROWS_INL_H_
#endif

#include "core/cpu/kernels/kernels_math-inl.h"
#include "hwy/cache_control.h"

HWY_BEFORE_NAMESPACE();
namespace maskscope {
namespace HWY_NAMESPACE {

HWY_INLINE Vec infinity_of(bool negative) {
    return hn::BitCast(
        floats, hn::Set(ints, static_cast<std::int32_t>(negative ? 0xff800000U : 0x7f800000U)));
}

// --- scores -> scaled -> logits

template <RowDtype dtype>
HWY_INLINE Vec masked(const LogitsJob& job, Vec x, std::size_t j) {
    if (job.mask == RowMask::none) return x;
    const auto allowed = mask_of(job.allowed + j);
    const Vec value = hn::Set(floats, job.value);
    if (job.mask == RowMask::select) return hn::IfThenElse(allowed, x, value);
    if (job.mask == RowMask::multiply)
        return hn::IfThenElse(allowed, x, hn::Mul(x, hn::Zero(floats)));
    Vec sum = hn::Add(x, value);
    if (job.twice) sum = rounded<dtype>(hn::Add(rounded<dtype>(sum), value));
    return hn::IfThenElse(allowed, x, sum);
}

template <RowDtype dtype>
HWY_INLINE Vec logit(const LogitsJob& job, Vec score, Vec scaled, std::size_t j) {
    if (job.scale_first) {
        const Vec x = job.bias ? hn::Add(scaled, hn::Load(floats, job.bias + j)) : scaled;
        return rounded<dtype>(masked<dtype>(job, x, j));
    }
    Vec x = hn::Mul(masked<dtype>(job, score, j), hn::Set(floats, job.scale));
    if (job.bias) x = hn::Add(x, hn::Load(floats, job.bias + j));
    return rounded<dtype>(x);
}

// Keeps x where begin <= column < end, else −inf.
HWY_INLINE Vec within(const LogitsJob& job, Vec x, std::size_t j) {
    if (j >= job.begin && j + lanes <= job.end) return x;
    const std::size_t from = j < job.begin ? job.begin - j : 0;
    const std::size_t to = j + lanes < job.end ? lanes : job.end - j;
    const auto inside = hn::AndNot(hn::FirstN(floats, from), hn::FirstN(floats, to));
    return hn::IfThenElse(inside, x, infinity_of(true));
}

template <RowDtype dtype>
HWY_INLINE LargestNumber logits_row(const LogitsJob& job) {
    const Vec scale = hn::Set(floats, job.scale);
    Vec largest = infinity_of(true);
    auto nan = hn::IsNaN(hn::Zero(floats));
    for (std::size_t j = job.begin / lanes * lanes; j < job.end; j += lanes) {
        const Vec score = hn::Load(floats, job.scores + j);
        const Vec scaled = rounded<dtype>(hn::Mul(score, scale));
        const Vec x = within(job, logit<dtype>(job, score, scaled, j), j);
        hn::Store(x, floats, job.logits + j);
        const auto is_nan = hn::IsNaN(x);
        nan = hn::Or(nan, is_nan);
        largest = hn::Max(largest, hn::IfThenElse(is_nan, largest, x));
    }
    return {hn::GetLane(hn::MaxOfLanes(floats, largest)), !hn::AllFalse(floats, nan)};
}

// Computes the common case, float32 and no mask in these columns: score · scale.
inline LargestNumber plain_logits(const LogitsJob& job) {
    const Vec scale = hn::Set(floats, job.scale);
    Vec largest = infinity_of(true);
    auto nan = hn::IsNaN(hn::Zero(floats));
    const auto one = [&](std::size_t j, Vec x) HWY_ATTR {
        hn::Store(x, floats, job.logits + j);
        nan = hn::Or(nan, hn::IsNaN(x));
        largest = hn::Max(x, largest);
    };
    const auto scaled = [&](std::size_t j)
                            HWY_ATTR { return hn::Mul(hn::Load(floats, job.scores + j), scale); };
    std::size_t j = job.begin / lanes * lanes;
    if (j < job.end) one(j, within(job, scaled(j), j)), j += lanes;
    for (; j + lanes <= job.end; j += lanes) one(j, scaled(j));
    if (j < job.end) one(j, within(job, scaled(j), j));
    return {hn::GetLane(hn::MaxOfLanes(floats, largest)), !hn::AllFalse(floats, nan)};
}

inline LargestNumber logits(const LogitsJob& job) {
    if (job.dtype == RowDtype::float32 && job.mask == RowMask::none && job.scale_first && !job.bias)
        return plain_logits(job);
    return with_dtype(job.dtype, [&](auto d) { return logits_row<d.dtype>(job); });
}

// --- logits -> softmax

inline Exponentials exponentials(float* logits, std::size_t begin, std::size_t end, float largest) {
    const Vec most = hn::Set(floats, largest), lowest = hn::Set(floats, -104.0F);
    ChunkedSum sum, times;
    Vec e_sum = hn::Zero(floats), t_sum = hn::Zero(floats);
    over_chunks(
        begin, end,
        [&](std::size_t j) HWY_ATTR {
            const Vec t = hn::Sub(hn::Load(floats, logits + j), most);
            Vec e = hn::Zero(floats);
            if (HWY_LIKELY(hn::AllTrue(floats, hn::Ge(t, hn::Set(floats, normal_exp))))) {
                e = exp_of_normal(t);
                t_sum = hn::MulAdd(e, t, t_sum);
            } else {
                e = exp_of(t);
                t_sum = hn::MulAdd(e, hn::Max(t, lowest), t_sum);  // avoids 0 · −inf
            }
            hn::Store(e, floats, logits + j);
            e_sum = hn::Add(e_sum, e);
        },
        [&]() HWY_ATTR {
            sum.add(e_sum);
            times.add(t_sum);
            e_sum = t_sum = hn::Zero(floats);
        });
    return {sum.total(), times.total()};
}

// Stores the first `n` numbers of a vector.
HWY_INLINE void store_some(Vec x, std::size_t n, float* to) {
    HWY_ALIGN float all[lanes];
    hn::Store(x, floats, all);
    for (std::size_t k = 0; k < n; ++k) to[k] = all[k];
}

// Stores make(j) for every vector from column `j` to column n in `kept` (padded) and in `stored`.
template <class Make>
HWY_INLINE void write_row(std::size_t j, std::size_t n, float* kept, float* stored, bool past_cache,
                          const Make& make) {
    if (stored && past_cache) {
        for (; j + lanes <= n; j += lanes) {
            const Vec x = make(j);
            if (kept) hn::Store(x, floats, kept + j);
            hn::Stream(x, floats, stored + j);
        }
    }
    if (stored) {
        for (; j + lanes <= n; j += lanes) {
            const Vec x = make(j);
            if (kept) hn::Store(x, floats, kept + j);
            hn::StoreU(x, floats, stored + j);
        }
    }
    for (; j < n; j += lanes) {
        const Vec x = make(j);
        if (kept) hn::Store(x, floats, kept + j);
        if (stored) store_some(x, n - j, stored + j);
    }
}

// Computes 2 w (1 − w), for weights that sum to 1.
HWY_INLINE Vec plain_sensitivity(Vec w) {
    return hn::Mul(hn::Add(w, w), hn::Sub(hn::Set(floats, 1.0F), w));
}

template <RowDtype dtype>
HWY_INLINE void normalize_row(const NormalizeJob& job) {
    const Vec factor = hn::Set(floats, job.factor);
    const auto write = [&](float* kept, float* stored, const auto& make) HWY_ATTR {
        const std::size_t begin = job.begin / lanes * lanes;
        const std::size_t end = (job.end + lanes - 1) / lanes * lanes;
        const auto zero = [&](std::size_t) HWY_ATTR { return hn::Zero(floats); };
        write_row(0, begin < job.n ? begin : job.n, kept, stored, job.past_cache, zero);
        write_row(begin, end < job.n ? end : job.n, kept, stored, job.past_cache, make);
        write_row(end < begin ? begin : end, job.n, kept, stored, job.past_cache, zero);
    };
    const auto weight = [&](std::size_t j) HWY_ATTR {
        return rounded<dtype>(hn::Mul(hn::Load(floats, job.numbers + j), factor));
    };
    if (job.sensitivity)  // first, because `kept` may be `numbers`
        write(nullptr, job.sensitivity,
              [&](std::size_t j) HWY_ATTR { return plain_sensitivity(weight(j)); });
    if (job.kept || job.stored) write(job.kept, job.stored, weight);
}

inline void normalize(const NormalizeJob& job) {
    with_dtype(job.dtype, [&](auto d) { normalize_row<d.dtype>(job); });
}

// --- scores -> weights

// Does each step for all rows before the next step: while one row waits for its sum, others go on.
inline void plain(const PlainJob& job) {
    for (std::size_t k = 0; k < job.count; ++k) {
        const PlainRow& row = job.rows[k];
        const LargestNumber largest =
            plain_logits({row.scores, row.numbers, nullptr, nullptr, row.begin, row.end, job.scale,
                          0, RowMask::none, false, true, RowDtype::float32});
        job.found[k].largest = largest.number;
        job.found[k].left_out = largest.nan || !(largest.number - largest.number == 0);
    }
    for (std::size_t k = 0; k < job.count; ++k) {
        const PlainRow& row = job.rows[k];
        PlainResult& found = job.found[k];
        found.sums = exponentials(row.numbers, row.begin, row.end, found.largest);
        found.factor = static_cast<float>(1 / found.sums.sum);
    }
    for (std::size_t k = 0; k < job.count; ++k) {
        const PlainRow& row = job.rows[k];
        if (job.found[k].left_out || !(job.keeps || row.stored)) continue;
        normalize_row<RowDtype::float32>(
            {row.numbers, job.found[k].factor, row.begin, row.end, job.n, RowDtype::float32,
             job.keeps ? row.numbers : nullptr, row.stored, job.past_cache});
    }
}

// --- the mask on the weights

// Returns x, the numbers from column j on, with 0 from column n on.
HWY_INLINE Vec first_columns(Vec x, std::size_t j, std::size_t n) {
    return j + lanes <= n ? x : hn::IfThenElseZero(hn::FirstN(floats, n - j), x);
}

inline double sum_of(const float* numbers, std::size_t n) {
    ChunkedSum sum;
    Vec some = hn::Zero(floats);
    over_chunks(
        0, n,
        [&](std::size_t j)
            HWY_ATTR { some = hn::Add(some, first_columns(hn::Load(floats, numbers + j), j, n)); },
        [&]() HWY_ATTR {
            sum.add(some);
            some = hn::Zero(floats);
        });
    return sum.total();
}

inline double multiply(const float* numbers, const std::uint8_t* allowed, std::size_t n,
                       float* products) {
    for (std::size_t j = 0; j < n; j += lanes) {
        const Vec x = hn::Load(floats, numbers + j);
        const Vec none = hn::Mul(x, hn::Zero(floats));  // NaN × 0 is NaN
        hn::Store(first_columns(hn::IfThenElse(mask_of(allowed + j), x, none), j, n), floats,
                  products + j);
    }
    return sum_of(products, n);
}

inline void divide(float* numbers, std::size_t n, float divisor, RowDtype dtype) {
    const Vec by = hn::Set(floats, divisor);
    with_dtype(dtype, [&](auto d) {
        for (std::size_t j = 0; j < n; j += lanes)
            hn::Store(rounded<d.dtype>(hn::Div(hn::Load(floats, numbers + j), by)), floats,
                      numbers + j);
    });
}

inline void round(float* numbers, std::size_t n, float factor, RowDtype dtype) {
    const Vec times = hn::Set(floats, factor);
    with_dtype(dtype, [&](auto d) {
        for (std::size_t j = 0; j < n; j += lanes)
            hn::Store(rounded<d.dtype>(hn::Mul(hn::Load(floats, numbers + j), times)), floats,
                      numbers + j);
    });
}

inline void store(const float* numbers, std::size_t n, float* stored, bool past_cache) {
    write_row(0, n, nullptr, stored, past_cache,
              [&](std::size_t j) HWY_ATTR { return hn::Load(floats, numbers + j); });
}

// --- the sensitivity and statistics of a row

// Computes m a (1 − a) + a (Σ m a − m a), with a = softmax and m = factor; 2 w (1 − w) if
// renormalized. The last bracket is taken as (1 − m a) + (Σ m a − 1), so that no digits are lost if
// the sum is about 1.
inline void sensitivity(const SensitivityJob& job) {
    const Vec one = hn::Set(floats, 1.0F);
    double total = 0;
    if (!job.renormalized)
        total = job.factor ? multiply(job.softmax, job.factor, job.n, job.sensitivity)
                           : sum_of(job.softmax, job.n);
    const Vec beyond = hn::Set(floats, static_cast<float>(total - 1));
    for (std::size_t j = 0; j < job.n; j += lanes) {
        Vec result;
        if (job.renormalized) {
            result = plain_sensitivity(hn::Load(floats, job.weights + j));
        } else {
            const Vec a = hn::Load(floats, job.softmax + j);
            const Vec own = job.factor ? hn::IfThenElseZero(mask_of(job.factor + j), a) : a;
            const Vec others = hn::Add(hn::Sub(one, own), beyond);
            result = hn::MulAdd(own, hn::Sub(one, a), hn::Mul(a, others));
        }
        if (job.allowed) result = hn::IfThenElseZero(mask_of(job.allowed + j), result);
        hn::Store(first_columns(result, j, job.n), floats, job.sensitivity + j);
    }
}

inline Figures figures(const FiguresJob& job) {
    ChunkedSum all_sum, all_entropy, all_leak, all_gradient, all_pads;
    const Vec zero = hn::Zero(floats);
    Vec sum = zero, entropy = zero, leak = zero, gradient = zero, pads = zero;
    Vec largest = infinity_of(true);
    auto nan = hn::IsNaN(hn::Zero(floats)), negative = nan;
    over_chunks(
        0, job.n,
        [&](std::size_t j) HWY_ATTR {
            const Vec w = first_columns(hn::Load(floats, job.weights + j), j, job.n);
            nan = hn::Or(nan, hn::IsNaN(w));
            negative = hn::Or(negative, hn::Lt(w, zero));
            sum = hn::Add(sum, w);
            const Vec counted =
                j + lanes <= job.n ? w : hn::IfThenElse(hn::FirstN(floats, job.n - j), w, largest);
            largest = hn::Max(largest, counted);
            entropy = hn::NegMulAdd(w, hn::IfThenElseZero(hn::Gt(w, zero), log_of(w)), entropy);
            if (job.pads) pads = hn::Add(pads, hn::IfThenElseZero(mask_of(job.pads + j), w));
            if (!job.allowed) return;
            const auto allowed = mask_of(job.allowed + j);
            leak = hn::Add(leak, hn::IfThenElse(allowed, zero, w));
            if (job.sensitivity)
                gradient = hn::Add(
                    gradient, hn::IfThenElse(allowed, zero, hn::Load(floats, job.sensitivity + j)));
        },
        [&]() HWY_ATTR {
            all_sum.add(sum);
            all_entropy.add(entropy);
            all_leak.add(leak);
            all_gradient.add(gradient);
            all_pads.add(pads);
            sum = entropy = leak = gradient = pads = zero;
        });
    return {all_sum.total(),
            all_entropy.total(),
            all_leak.total(),
            all_gradient.total(),
            all_pads.total(),
            hn::GetLane(hn::MaxOfLanes(floats, largest)),
            !hn::AllFalse(floats, nan),
            !hn::AllFalse(floats, negative)};
}

}  // namespace HWY_NAMESPACE
}  // namespace maskscope
HWY_AFTER_NAMESPACE();

#endif  // MASKSCOPE_KERNELS_ROWS_INL_H_
