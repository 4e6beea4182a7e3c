#include "app/show/cells/cell_rows.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "core/scene/scene.h"
#include "core/threads/pool.h"

namespace maskscope {
namespace {

// Bit patterns that classify a float. Loops over millions of cells use them instead of branches, so
// that the compiler can vectorize.
constexpr std::uint32_t infinity_bits = 0x7f800000, magnitude_bits = 0x7fffffff, all_bits = ~0U;
constexpr auto leak_bits = std::bit_cast<std::uint32_t>(least_leak);

// Summarizes a row. seen(j): all bits set if key j is allowed, otherwise 0; pad(j): all bits set if
// key j is a pad token that may leak, otherwise 0.
template <class Visibility, class Pad>
[[gnu::always_inline]] inline RowSummary found_in(std::span<const float> numbers, Visibility seen,
                                                  Pad pad) {
    std::uint32_t magnitude = 0, largest = 0, least = all_bits, all_seen = all_bits;
    // smallest: the least bits − 1, which is that of the smallest positive number: the subtraction
    // wraps for 0, and negative numbers have larger bits. leaked: as `smallest`, with leak_bits.
    std::uint32_t smallest = all_bits, leaked = all_bits;
    std::uint32_t nan = 0, plus_infinity = 0, minus_infinity = 0;
    const float* x = numbers.data();
    const std::size_t count = numbers.size();
    for (std::size_t j = 0; j < count; ++j) {
        const auto bits = std::bit_cast<std::uint32_t>(x[j]);
        const std::uint32_t size = bits & magnitude_bits, here = seen(j), order = bits - 1;
        const std::uint32_t finite = size & (0U - std::uint32_t(size < infinity_bits));
        const std::uint32_t of_allowed = finite & here;
        const std::uint32_t order_here = order | ~here;
        // bits − leak_bits is smaller for numbers of at least least_leak than for all others, for
        // which the subtraction wraps, or bits are larger.
        const std::uint32_t order_leaking = (bits - leak_bits) | (here & ~pad(j));
        magnitude = magnitude > finite ? magnitude : finite;
        largest = largest > of_allowed ? largest : of_allowed;
        least = least < size ? least : size;
        smallest = smallest < order_here ? smallest : order_here;
        leaked = leaked < order_leaking ? leaked : order_leaking;
        all_seen &= here;
        nan |= size > infinity_bits;
        plus_infinity |= bits == infinity_bits;
        minus_infinity |= bits == (infinity_bits | ~magnitude_bits);
    }
    const auto number = [](std::uint32_t bits) { return double(std::bit_cast<float>(bits)); };
    RowSummary look;
    look.signs = static_cast<std::uint8_t>(
        (nan ? sign::nan : 0) | (plus_infinity ? sign::plus_infinity : 0) |
        (minus_infinity ? sign::minus_infinity : 0) | (least == 0 ? sign::zero : 0) |
        (all_seen == all_bits ? 0 : sign::blocked) |
        (leaked <= infinity_bits - leak_bits ? sign::leaks : 0));
    look.magnitude = number(magnitude);
    look.largest = number(largest);
    look.smallest = number(smallest < infinity_bits ? smallest + 1 : infinity_bits);
    return look;
}

MASKSCOPE_WIDE RowSummary found_in_all(std::span<const float> numbers) {
    return found_in(
        numbers, [](std::size_t) { return all_bits; }, [](std::size_t) { return 0U; });
}

MASKSCOPE_WIDE RowSummary found_in_masked(std::span<const float> numbers,
                                          const std::uint8_t* allowed) {
    return found_in(
        numbers, [allowed](std::size_t j) { return 0U - std::uint32_t(allowed[j] != 0); },
        [](std::size_t) { return 0U; });
}

MASKSCOPE_WIDE RowSummary found_in_padded(std::span<const float> numbers,
                                          const std::uint8_t* allowed, const std::uint8_t* pads) {
    return found_in(
        numbers, [allowed](std::size_t j) { return 0U - std::uint32_t(allowed[j] != 0); },
        [pads](std::size_t j) { return 0U - std::uint32_t(pads[j] != 0); });
}

RowSummary look_at_float32(const RawRow& row) {
    if (!row.allowed) return found_in_all(row.float32);
    if (!row.marked) return found_in_masked(row.float32, row.allowed);
    return found_in_padded(row.float32, row.allowed, row.marked);
}

RowSummary look_at_float64(const RawRow& row) {
    RowSummary look;
    for (std::size_t j = 0; j < row.float64.size(); ++j) {
        const double value = row.float64[j], magnitude = std::abs(value);
        const bool here = !row.allowed || row.allowed[j] != 0;
        look.signs |= sign_of_number(value);
        if (!here) look.signs |= sign::blocked;
        if ((!here || (row.marked && row.marked[j] != 0)) && value >= least_leak)
            look.signs |= sign::leaks;
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
    if (row.marked && std::memchr(row.marked, 1, static_cast<std::size_t>(columns)))
        look.signs |= sign::missing;
    look.magnitude = look.largest = look.smallest = 1;
    return look;
}

}  // namespace

bool shows_blocked(StageKind stage) {
    return stage == StageKind::allowed ||
           (has_heads(stage) && stage != StageKind::scores && stage != StageKind::scaled);
}

bool shows_marks(StageKind stage) {
    return stage == StageKind::weights || stage == StageKind::allowed;
}

std::uint8_t sign_of_number(double value) {
    if (std::isnan(value)) return sign::nan;
    if (std::isinf(value)) return value > 0 ? sign::plus_infinity : sign::minus_infinity;
    return value == 0 ? sign::zero : 0;
}

std::vector<std::uint8_t> marked_by_reference(const CellSource& source, Index b, Index h, Index i,
                                              const std::uint8_t* allowed) {
    std::vector<std::uint8_t> marked = source.reference->row(b, h, i);
    for (std::size_t j = 0; j < marked.size(); ++j)
        marked[j] = is_marked(source, b, Index(j), allowed[j] != 0, marked[j] != 0) ? 1 : 0;
    return marked;
}

bool is_marked(const CellSource& source, Index b, Index j, bool is_allowed, bool is_by_reference) {
    if (source.stage == StageKind::allowed)
        return source.reference && is_by_reference && !is_allowed;
    return !is_by_reference || (!source.pads.empty() && source.pads[b * source.columns + j] != 0);
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
    if (!source.pads.empty()) row.marked = source.pads.data() + b * source.columns;
    if (source.reference) {
        row.made = std::make_shared<const std::vector<std::uint8_t>>(
            marked_by_reference(source, b, h, i, row.allowed));
        row.marked = row.made->data();
    }
    return row;
}

bool is_same_row(const CellSource& x, const CellSource& y, Index b, Index h, Index i) {
    if (is_remote(x) || is_remote(y))
        return x.numbers.shares(y.numbers) && x.allowed.shares(y.allowed) && x.pads == y.pads &&
               is_same(x.reference, y.reference);
    const RawRow p = raw_row(x, b, h, i), q = raw_row(y, b, h, i);
    const auto same = [&](const std::uint8_t* m, const std::uint8_t* n) {
        return m == n || (m && n && std::memcmp(m, n, static_cast<std::size_t>(x.columns)) == 0);
    };
    return p.float32.data() == q.float32.data() && p.float64.data() == q.float64.data() &&
           same(p.allowed, q.allowed) && same(p.marked, q.marked);
}

namespace {

template <class T>
double leaked_of(std::span<const T> numbers, const RawRow& row) {
    double leaked = 0;
    for (std::size_t j = 0; j < numbers.size(); ++j) {
        const bool may = (row.allowed && row.allowed[j] == 0) || (row.marked && row.marked[j] != 0);
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
