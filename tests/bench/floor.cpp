#include "tests/bench/floor.h"
#include "core/attention/seeded.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tests/bench/floor.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace maskscope::bench {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Multiplies and adds. Twelve chains hide each other's latency; all differ, so that the compiler
// keeps them.
double burn(std::size_t rounds) {
    const hn::ScalableTag<float> tag;
    const auto factor = hn::Set(tag, 0.999F), step = hn::Set(tag, 0.001F);
    auto a = hn::Iota(tag, 0), b = hn::Iota(tag, 1), c = hn::Iota(tag, 2), d = hn::Iota(tag, 3);
    auto e = hn::Iota(tag, 4), f = hn::Iota(tag, 5), g = hn::Iota(tag, 6), h = hn::Iota(tag, 7);
    auto i = hn::Iota(tag, 8), j = hn::Iota(tag, 9), k = hn::Iota(tag, 10), l = hn::Iota(tag, 11);
    for (std::size_t round = 0; round < rounds; ++round) {
        a = hn::MulAdd(a, factor, step), b = hn::MulAdd(b, factor, step);
        c = hn::MulAdd(c, factor, step), d = hn::MulAdd(d, factor, step);
        e = hn::MulAdd(e, factor, step), f = hn::MulAdd(f, factor, step);
        g = hn::MulAdd(g, factor, step), h = hn::MulAdd(h, factor, step);
        i = hn::MulAdd(i, factor, step), j = hn::MulAdd(j, factor, step);
        k = hn::MulAdd(k, factor, step), l = hn::MulAdd(l, factor, step);
    }
    const auto first = hn::Add(hn::Add(hn::Add(a, b), hn::Add(c, d)), hn::Add(e, f));
    const auto sum = hn::Add(first, hn::Add(hn::Add(g, h), hn::Add(hn::Add(i, j), hn::Add(k, l))));
    // The sum is positive. It is used so that the compiler keeps the loop.
    const double kept = hn::GetLane(sum) > 0 ? 1 : 0;
    return kept * 2 * 12 * static_cast<double>(hn::Lanes(tag) * rounds);
}

void write(float* numbers, std::size_t bytes) {
    const hn::ScalableTag<float> tag;
    const auto value = hn::Set(tag, 0.5F);
    for (std::size_t at = 0; at + hn::Lanes(tag) <= bytes / sizeof(float); at += hn::Lanes(tag))
        hn::Stream(value, tag, numbers + at);
    hwy::FlushStream();
}

}  // namespace HWY_NAMESPACE
}  // namespace maskscope::bench
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace maskscope::bench {

HWY_EXPORT(burn);
HWY_EXPORT(write);

double burn_flops(std::size_t rounds) { return HWY_DYNAMIC_DISPATCH(burn)(rounds); }
void stream(float* numbers, std::size_t bytes) { HWY_DYNAMIC_DISPATCH(write)(numbers, bytes); }

}  // namespace maskscope::bench
#endif
