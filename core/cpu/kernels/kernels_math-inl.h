// exp, ln, tanh and rounding for vectors of float32; built once for each instruction set.
#if defined(MASKSCOPE_KERNELS_MATH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MASKSCOPE_KERNELS_MATH_INL_H_
#undef MASKSCOPE_KERNELS_MATH_INL_H_
#else
#define MASKSCOPE_KERNELS_MATH_INL_H_
#endif

#include "core/cpu/kernels/kernels.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace maskscope {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::CappedTag<float, 16>;
using Ints = hn::RebindToSigned<Floats>;
using Vec = hn::Vec<Floats>;
inline constexpr Floats floats;
inline constexpr Ints ints;
inline constexpr std::size_t lanes = hn::MaxLanes(Floats());

// t = n ln 2 + r with a whole number n; `shifted` holds n in its last bits.
struct Reduction {
    Vec shifted, r;
};
HWY_INLINE Reduction reduce(Vec t) {
    const Vec anchor =
        hn::Set(floats, 0x1.8p23F);  // numbers near it are one apart, so adding it rounds
    const Vec shifted = hn::Add(hn::Mul(t, hn::Set(floats, 1.44269504F)), anchor);
    const Vec n = hn::Sub(shifted, anchor);
    // Subtract n ln 2 in two parts. The first part is so short that its product with n is exact.
    const Vec r = hn::NegMulAdd(n, hn::Set(floats, 0x1.62ep-1F), t);
    return {shifted, hn::NegMulAdd(n, hn::Set(floats, 0x1.0bfbe8e7p-15F), r)};
}

// Computes e^r for |r| <= 0.347, with a relative error of 1e-8: a polynomial interpolated at
// Chebyshev nodes; 1 at 0.
HWY_INLINE Vec exp_of_small(Vec r) {
    Vec p = hn::Set(floats, 0.0013926268052784298F);
    p = hn::MulAdd(p, r, hn::Set(floats, 0.008363246669753728F));
    p = hn::MulAdd(p, r, hn::Set(floats, 0.0416665541093435F));
    p = hn::MulAdd(p, r, hn::Set(floats, 0.16666576583158002F));
    p = hn::MulAdd(p, r, hn::Set(floats, 0.5F));
    return hn::Add(hn::MulAdd(hn::Mul(r, r), p, r), hn::Set(floats, 1.0F));
}

// Below this number, e^t is not a normal number.
inline constexpr float normal_exp = -87.0F;

// Computes e^t for normal_exp <= t <= 0, with a relative error of about 1e-7; exactly 1 at 0.
HWY_INLINE Vec exp_of_normal(Vec t) {
    const Reduction reduced = reduce(t);
    const auto n = hn::ShiftLeft<23>(hn::BitCast(ints, reduced.shifted));  // n in the exponent
    return hn::BitCast(floats, hn::Add(hn::BitCast(ints, exp_of_small(reduced.r)), n));
}

// Computes e^t for t <= 0, with the same bits as exp_of_normal() if both are defined, 0 at −inf;
// subnormal results are kept.
HWY_INLINE Vec exp_of(Vec t) {
    const auto counts = hn::Ge(t, hn::Set(floats, -104.0F));  // otherwise e^t is below half the
                                                              // smallest number
    const Reduction reduced = reduce(hn::IfThenElseZero(counts, t));
    // Multiply by 2^n as two factors, so that the first product is a normal number.
    const auto n =
        hn::Sub(hn::BitCast(ints, reduced.shifted), hn::BitCast(ints, hn::Set(floats, 0x1.8p23F)));
    const auto half = hn::ShiftRight<1>(n);
    const auto power = [](auto k) {
        return hn::BitCast(floats, hn::ShiftLeft<23>(hn::Add(k, hn::Set(ints, 127))));
    };
    const Vec p = hn::Mul(exp_of_small(reduced.r), power(half));
    return hn::IfThenElseZero(counts, hn::Mul(p, power(hn::Sub(n, half))));
}

// Computes ln x for x > 0, with an error of about 1e-7: x = 2^n m with m near 1.
HWY_INLINE Vec log_of(Vec x) {
    const auto set = [](float y) { return hn::Set(floats, y); };
    const auto subnormal = hn::Lt(x, set(0x1p-126F));
    x = hn::IfThenElse(subnormal, hn::Mul(x, set(0x1p24F)), x);
    const auto bits = hn::BitCast(ints, x);
    // Count n from √½, so that m lies between √½ and √2.
    const auto root = hn::Set(ints, 0x3f3504f3);
    const auto n = hn::ShiftRight<23>(hn::Sub(bits, root));
    const Vec m = hn::BitCast(floats, hn::Sub(bits, hn::ShiftLeft<23>(n)));
    Vec whole = hn::ConvertTo(floats, n);
    whole = hn::Sub(whole, hn::IfThenElseZero(subnormal, set(24.0F)));
    const Vec f = hn::Sub(m, set(1.0F));
    Vec p = set(-0.07902743772393436F);
    p = hn::MulAdd(p, f, set(0.12622319849228375F));
    p = hn::MulAdd(p, f, set(-0.1299818376365153F));
    p = hn::MulAdd(p, f, set(0.14214495923947962F));
    p = hn::MulAdd(p, f, set(-0.16641281463106394F));
    p = hn::MulAdd(p, f, set(0.2000104509416068F));
    p = hn::MulAdd(p, f, set(-0.25000306422569796F));
    p = hn::MulAdd(p, f, set(0.33333330728190674F));
    const Vec square = hn::Mul(f, f);
    p = hn::MulAdd(hn::Mul(square, f), p, hn::Mul(square, set(-0.5F)));
    p = hn::MulAdd(whole, set(0x1.0bfbe8e7p-15F), hn::Add(p, f));
    return hn::MulAdd(whole, set(0x1.62ep-1F), p);
}

// Computes tanh x, with an error of about 1e-7: a polynomial near 0, (1 − u)/(1 + u) with u =
// e^−2|x| elsewhere.
HWY_INLINE Vec tanh_of(Vec x) {
    const auto set = [](float y) { return hn::Set(floats, y); };
    const Vec size = hn::Abs(x), square = hn::Mul(x, x);
    Vec p = set(-0.00661022782461077F);
    p = hn::MulAdd(p, square, set(0.021309388660002496F));
    p = hn::MulAdd(p, square, set(-0.05390942882644867F));
    p = hn::MulAdd(p, square, set(0.1333311372901232F));
    p = hn::MulAdd(p, square, set(-0.33333332007976785F));
    const Vec near = hn::MulAdd(hn::Mul(square, x), p, x);
    const Vec u = exp_of(hn::Mul(size, set(-2.0F)));
    const Vec far = hn::Div(hn::Sub(set(1.0F), u), hn::Add(set(1.0F), u));
    const Vec result = hn::IfThenElse(hn::Lt(size, set(0.55F)), near, hn::CopySign(far, x));
    return hn::IfThenElse(hn::IsNaN(x), x, result);
}

HWY_INLINE Vec round_to_float16(Vec x) {
    const auto exponent_bits = hn::Set(ints, 0x7f800000);
    const Vec size = hn::Abs(x);
    // A unit in the last place at this size, at least the subnormal one: 2^(exponent − 10).
    auto exponent = hn::And(hn::BitCast(ints, size), exponent_bits);
    exponent = hn::Max(exponent, hn::Set(ints, (127 - 14) << 23));
    exponent = hn::Min(exponent, hn::Set(ints, (127 + 16) << 23));
    const auto unit = hn::Sub(exponent, hn::Set(ints, 10 << 23));
    // Near 1.5 · 2^23 units float32 numbers are one unit apart: adding it rounds, ties to even.
    const Vec anchor = hn::Mul(hn::BitCast(floats, unit), hn::Set(floats, 0x1.8p23F));
    Vec result = hn::Sub(hn::Add(size, anchor), anchor);
    const Vec infinite = hn::BitCast(floats, exponent_bits);
    result = hn::IfThenElse(hn::Gt(result, hn::Set(floats, 65504.0F)), infinite, result);
    return hn::IfThenElse(hn::IsNaN(x), x, hn::CopySign(result, x));
}

HWY_INLINE Vec round_to_bfloat16(Vec x) {
    const auto bits = hn::BitCast(ints, x);
    const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(ints, 1));
    const auto up = hn::Add(hn::Add(bits, hn::Set(ints, 0x7fff)), odd);
    const auto cut = hn::And(up, hn::Set(ints, static_cast<std::int32_t>(0xffff0000U)));
    return hn::IfThenElse(hn::IsNaN(x), x, hn::BitCast(floats, cut));
}

template <RowDtype dtype>
HWY_INLINE Vec rounded(Vec x) {
    if constexpr (dtype == RowDtype::float16) return round_to_float16(x);
    if constexpr (dtype == RowDtype::bfloat16) return round_to_bfloat16(x);
    return x;
}

template <RowDtype value>
struct DtypeConstant {
    static constexpr RowDtype dtype = value;
};
// Calls work() with a constant of the dtype.
template <class Work>
HWY_INLINE auto with_dtype(RowDtype dtype, const Work& work) {
    if (dtype == RowDtype::float16) return work(DtypeConstant<RowDtype::float16>());
    if (dtype == RowDtype::bfloat16) return work(DtypeConstant<RowDtype::bfloat16>());
    return work(DtypeConstant<RowDtype::float32>());
}

// Returns a mask of `lanes` cells, 1 where allowed. The row is padded to row_step.
HWY_INLINE hn::Mask<Floats> mask_of(const std::uint8_t* allowed) {
    const hn::Rebind<std::uint8_t, Floats> bytes;
    const hn::Rebind<std::int32_t, Floats> wide;
    return hn::RebindMask(floats,
                          hn::Ne(hn::PromoteTo(wide, hn::LoadU(bytes, allowed)), hn::Zero(wide)));
}

// The columns of a chunk. Sums run in float32 over a chunk, and in float64 over chunks, which begin
// at fixed columns.
inline constexpr std::size_t chunk = 256;
#if HWY_TARGET == HWY_SCALAR
struct ChunkedSum {
    double all = 0;
    HWY_INLINE void add(Vec some) { all += static_cast<double>(hn::GetLane(some)); }
    HWY_INLINE double total() const { return all; }
};
#else
using HalfFloats = hn::Half<Floats>;
using Doubles = hn::Rebind<double, HalfFloats>;
struct ChunkedSum {
    hn::Vec<Doubles> lower, upper;
    // This constructor is written out, because one that the compiler generates would not be built
    // for these instructions.
    HWY_INLINE ChunkedSum() : lower(hn::Zero(Doubles())), upper(hn::Zero(Doubles())) {}
    HWY_INLINE void add(Vec some) {
        const HalfFloats half;
        lower = hn::Add(lower, hn::PromoteTo(Doubles(), hn::LowerHalf(half, some)));
        upper = hn::Add(upper, hn::PromoteTo(Doubles(), hn::UpperHalf(half, some)));
    }
    HWY_INLINE double total() const {
        return hn::GetLane(hn::SumOfLanes(Doubles(), hn::Add(lower, upper)));
    }
};
#endif

// Calls each(j) for each vector of columns from begin to end, and close() at the end of each chunk;
// chunks begin at multiples of `chunk`.
template <class Each, class Close>
HWY_INLINE void over_chunks(std::size_t begin, std::size_t end, const Each& each,
                            const Close& close) {
    for (std::size_t j = begin / lanes * lanes; j < end;) {
        const std::size_t next = (j / chunk + 1) * chunk, stop = next < end ? next : end;
        for (; j < stop; j += lanes) each(j);
        close();
    }
}

}  // namespace HWY_NAMESPACE
}  // namespace maskscope
HWY_AFTER_NAMESPACE();

#endif  // MASKSCOPE_KERNELS_MATH_INL_H_
