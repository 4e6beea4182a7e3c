#include "app/show/cells/cell_rows.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "core/threads/pool.h"

namespace maskscope {
namespace {

// The bits that say what kind of number a float is. Loops over millions of cells use them, without
// branches.
constexpr std::int32_t infinity_bits = 0x7f800000, magnitude_bits = 0x7fffffff;

// What was found in a row, as bits of floats.
struct FoundBits {
    std::int32_t magnitude = 0, largest = 0, smallest = infinity_bits;
    std::int32_t nan = 0, plus_infinity = 0, minus_infinity = 0, zero = 0, blocked = 0, leaks = 0;
};

// allowed(j), pad(j): 0 or 1. Results are kept in separate variables, which the compiler keeps in
// vectors.
template <class Allowed, class Pad>
[[gnu::always_inline]] inline FoundBits found_in(std::span<const float> numbers, Allowed allowed,
                                                 Pad pad) {
    std::int32_t magnitude = 0, largest = 0, below_infinity = 0, nan = 0, plus_infinity = 0,
                 minus_infinity = 0, zero = 0, blocked = 0, leaks = 0;
    const float* x = numbers.data();
    const std::size_t count = numbers.size();
    for (std::size_t j = 0; j < count; ++j) {
        const auto bits = std::bit_cast<std::int32_t>(x[j]);
        const std::int32_t size = bits & magnitude_bits, here = allowed(j);
        const std::int32_t finite = size<infinity_bits, positive = bits> 0;
        const std::int32_t of_finite = finite ? size : 0, of_allowed = here ? of_finite : 0;
        // the smallest is furthest below infinity
        const std::int32_t below = positive ? infinity_bits - of_allowed : 0;
        const std::int32_t counted = of_allowed ? below : 0;
        magnitude = magnitude > of_finite ? magnitude : of_finite;
        largest = largest > of_allowed ? largest : of_allowed;
        below_infinity = below_infinity > counted ? below_infinity : counted;
        nan |= size > infinity_bits;
        plus_infinity |= bits == infinity_bits;
        minus_infinity |= (size == infinity_bits) & (bits < 0);
        zero |= size == 0;
        blocked |= here ^ 1;
        leaks |= ((here ^ 1) | pad(j)) & positive & (size <= infinity_bits);
    }
    return {magnitude, largest,       infinity_bits - below_infinity,
            nan,       plus_infinity, minus_infinity,
            zero,      blocked,       leaks};
}

RowSummary look_of(const FoundBits& f) {
    const auto number = [](std::int32_t bits) { return double(std::bit_cast<float>(bits)); };
    RowSummary look;
    look.signs = static_cast<std::uint8_t>(
        (f.nan ? sign::nan : 0) | (f.plus_infinity ? sign::plus_infinity : 0) |
        (f.minus_infinity ? sign::minus_infinity : 0) | (f.zero ? sign::zero : 0) |
        (f.blocked ? sign::blocked : 0) | (f.leaks ? sign::leaks : 0));
    look.magnitude = number(f.magnitude);
    look.largest = number(f.largest);
    look.smallest = number(f.smallest);
    return look;
}

MASKSCOPE_WIDE FoundBits found_in_all(std::span<const float> numbers) {
    return found_in(
        numbers, [](std::size_t) { return 1; }, [](std::size_t) { return 0; });
}

MASKSCOPE_WIDE FoundBits found_in_masked(std::span<const float> numbers,
                                         const std::uint8_t* allowed) {
    return found_in(
        numbers, [allowed](std::size_t j) { return std::int32_t(allowed[j] != 0); },
        [](std::size_t) { return 0; });
}

MASKSCOPE_WIDE FoundBits found_in_padded(std::span<const float> numbers,
                                         const std::uint8_t* allowed, const std::uint8_t* pads) {
    return found_in(
        numbers, [allowed](std::size_t j) { return std::int32_t(allowed[j] != 0); },
        [pads](std::size_t j) { return std::int32_t(pads[j] != 0); });
}

RowSummary look_at_float32(const RawRow& row) {
    if (!row.allowed) return look_of(found_in_all(row.float32));
    if (!row.pads) return look_of(found_in_masked(row.float32, row.allowed));
    return look_of(found_in_padded(row.float32, row.allowed, row.pads));
}

RowSummary look_at_float64(const RawRow& row) {
    RowSummary look;
    for (std::size_t j = 0; j < row.float64.size(); ++j) {
        const double value = row.float64[j], magnitude = std::abs(value);
        const bool here = !row.allowed || row.allowed[j] != 0;
        look.signs |= sign_of_number(value);
        if (!here) look.signs |= sign::blocked;
        if ((!here || (row.pads && row.pads[j] != 0)) && value > 0) look.signs |= sign::leaks;
        if (!std::isfinite(value)) continue;
        look.magnitude = std::max(look.magnitude, magnitude);
        if (!here) continue;
        look.largest = std::max(look.largest, magnitude);
        if (value > 0) look.smallest = std::min(look.smallest, value);
    }
    return look;
}

RowSummary look_at_mask(const RawRow& row, Index columns) {
    const bool any_blocked = std::memchr(row.allowed, 0, static_cast<std::size_t>(columns));
    RowSummary look;
    if (any_blocked) look.signs = sign::blocked | sign::zero;
    look.magnitude = look.largest = look.smallest = 1;
    return look;
}

}  // namespace

bool shows_blocked(StageKind stage) {
    return stage != StageKind::scores && stage != StageKind::scaled && stage != StageKind::output &&
           stage != StageKind::depends;
}

std::uint8_t sign_of_number(double value) {
    if (std::isnan(value)) return sign::nan;
    if (std::isinf(value)) return value > 0 ? sign::plus_infinity : sign::minus_infinity;
    return value == 0 ? sign::zero : 0;
}

bool is_remote(const CellSource& source) {
    return source.numbers.remote() != nullptr || source.allowed.remote() != nullptr;
}

void read_numbers(const Stage& stage, std::size_t first, std::span<double> numbers) {
    if (stage.is_float64()) return stage.remote()->read(first, numbers);
    LargeArray<float> rounded(numbers.size());
    stage.remote()->read(first, std::span<float>(rounded));
    std::ranges::copy(rounded, numbers.begin());
}

void each_part(Pool* pool, Index rows, const std::function<void(Index begin, Index end)>& pass) {
    constexpr Index part = 64;  // rows
    if (!pool || rows < 2 * part) return pass(0, rows);
    pool->run(static_cast<std::size_t>((rows - 1) / part + 1), Pool::Shares::next,
              [&](std::size_t k, int) {
                  const Index begin = static_cast<Index>(k) * part;
                  pass(begin, std::min(rows, begin + part));
              });
}

RawRow raw_row(const CellSource& source, Index b, Index h, Index i) {
    const auto row_before = static_cast<std::size_t>((b * source.h + h) * source.rows + i);
    const auto columns = static_cast<std::size_t>(source.columns);
    RawRow row;
    if (source.numbers.remote())
        row.float32 = {source.numbers.float32s().data() + row_before * columns, columns};
    else if (source.numbers.is_float64())
        row.float64 = source.numbers.float64_row(b, h, i);
    else if (source.stage != StageKind::allowed)
        row.float32 = source.numbers.float32_row(b, h, i);
    if (source.allowed.remote())
        row.allowed = source.allowed.all().data() + row_before * columns;
    else if (!source.allowed.empty())
        row.allowed = source.allowed.from(row_before * columns);
    if (!source.pads.empty()) row.pads = source.pads.data() + b * source.columns;
    return row;
}

bool is_same_row(const CellSource& x, const CellSource& y, Index b, Index h, Index i) {
    if (is_remote(x) || is_remote(y))
        return x.numbers.shares(y.numbers) && x.allowed.shares(y.allowed) && x.pads == y.pads;
    const RawRow p = raw_row(x, b, h, i), q = raw_row(y, b, h, i);
    const auto same = [&](const std::uint8_t* m, const std::uint8_t* n) {
        return m == n || (m && n && std::memcmp(m, n, static_cast<std::size_t>(x.columns)) == 0);
    };
    return p.float32.data() == q.float32.data() && p.float64.data() == q.float64.data() &&
           same(p.allowed, q.allowed) && same(p.pads, q.pads);
}

namespace {

template <class T>
double leaked_of(std::span<const T> numbers, const RawRow& row) {
    double leaked = 0;
    for (std::size_t j = 0; j < numbers.size(); ++j) {
        const bool may = (row.allowed && row.allowed[j] == 0) || (row.pads && row.pads[j] != 0);
        if (may && numbers[j] > 0) leaked += static_cast<double>(numbers[j]);
    }
    return leaked;
}

}  // namespace

RowSummary look_at(const CellSource& source, const RawRow& row) {
    if (source.stage == StageKind::allowed) return look_at_mask(row, source.columns);
    RowSummary look = row.float64.empty() ? look_at_float32(row) : look_at_float64(row);
    if (!shows_blocked(source.stage)) look.signs &= ~sign::blocked;
    if (source.stage != StageKind::weights) look.signs &= ~sign::leaks;
    if ((look.signs & sign::leaks) != 0)
        look.leaked =
            row.float64.empty() ? leaked_of(row.float32, row) : leaked_of(row.float64, row);
    return look;
}

}  // namespace maskscope
