#include "core/lesson/fact_proposal.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/base/error.h"
#include "core/lesson/address.h"
#include "core/scene/tolerance.h"

namespace maskscope {

namespace {

// Returns the distance between a number and a threshold: a tenth of it, for shares at least a
// hundredth.
double room_for(double value, bool share) {
    return std::max(0.1 * std::abs(value), share ? 0.01 : 1e-6);
}

// Returns round numbers around a positive one, ascending: 1, 2 and 5 times powers of ten, and for
// shares also quarters and nine tenths.
std::vector<double> round_numbers(double value, bool share) {
    if (share) {
        std::vector<double> numbers = {0.001, 0.01, 0.02, 0.05, 0.1,  0.2,
                                       0.25,  0.5,  0.75, 0.9,  0.99, 1};
        if (value <= 1) return numbers;
    }
    std::vector<double> numbers;
    const int power = static_cast<int>(std::floor(std::log10(value)));
    for (int k = power - 1; k <= power + 1; ++k)
        for (const int digit : {1, 2, 5})
            numbers.push_back(k < 0 ? digit / std::pow(10, -k) : digit * std::pow(10, k));
    return numbers;
}

std::optional<double> round_below(double value, bool share) {
    const double most = value - room_for(value, share);
    std::optional<double> found;
    for (const double number : round_numbers(value, share))
        if (number <= most) found = number;
    return found;
}

std::optional<double> round_above(double value, bool share) {
    const double least = value + room_for(value, share);
    for (const double number : round_numbers(value, share))
        if (number >= least) return number;
    return std::nullopt;
}

Fact fact_of(const Address& address, Relation is, std::optional<Operand> than) {
    Fact fact;
    fact.address = address;
    fact.is = is;
    if (than) fact.than = Than{std::move(*than), std::nullopt, std::nullopt};
    return fact;
}

// Proposes a bound for positive finite numbers: small shares get an upper bound, everything else a
// lower one.
Fact positive_threshold(const Address& address, const Extent& extent, bool share) {
    const auto below = round_below(extent.low, share), above = round_above(extent.high, share);
    const bool from_above = share && extent.high < 0.5;
    if (above && (from_above || !below)) return fact_of(address, Relation::less, *above);
    if (below) return fact_of(address, Relation::greater, *below);
    return fact_of(address, Relation::not_equal, 0.0);
}

Fact threshold(const Address& address, const Extent& extent, bool share) {
    if (extent.low > 0) return positive_threshold(address, extent, share);
    if (extent.high < 0) {
        const Extent turned{-extent.high, -extent.low, false, false};
        if (const auto below = round_below(turned.low, false))
            return fact_of(address, Relation::less, -*below);
        return fact_of(address, Relation::less, 0.0);
    }
    // Around 0: an upper bound.
    if (const auto above = round_above(std::max(extent.high, 0.01), share))
        return fact_of(address, Relation::less, *above);
    return fact_of(address, Relation::less_equal, std::ceil(extent.high));
}

bool is_infinite(const Extent& extent) { return std::isinf(extent.low) || std::isinf(extent.high); }

// Proposes a bound on the finite side: −∞ is below and +∞ above every number.
Fact with_infinity(const Address& address, const Extent& extent) {
    if (extent.high < infinity)
        return fact_of(address, Relation::less,
                       extent.high == -infinity ? -1e6 : std::ceil(extent.high) + 1);
    if (extent.low > -infinity)
        return fact_of(address, Relation::greater,
                       extent.low == infinity ? 1e6 : std::floor(extent.low) - 1);
    return fact_of(address, Relation::not_equal, 0.0);
}

// Proposes that it is more or less than in the other variant by a round margin, at most half the
// difference, so that the fact fails by more than rounding once the variants are equal.
std::optional<Fact> against(const Result& result, const Address& address, const Extent& extent,
                            int lane) {
    Address other = address;
    other.lane = lane;
    other.minus.reset();
    if (address.minus || lane == address.lane || !exists(result.scene, other)) return std::nullopt;
    const Extent beside = extent_of(result, other);
    if (beside.some_nan || is_infinite(beside)) return std::nullopt;
    const double least = 0.05 * std::max({1.0, std::abs(extent.high), std::abs(beside.high)});
    const double less = beside.low - extent.high, more = extent.low - beside.high;
    if (std::max(less, more) < least) return std::nullopt;
    Fact fact = fact_of(address, less > more ? Relation::less : Relation::greater, other);
    const double room = round_below(std::max(less, more) / 2, false).value_or(0);
    fact.than->plus = less > more ? -room : room;
    return fact;
}

}  // namespace

Extent extent_of(const Result& result, const Address& address) {
    const AddressReader reader(result, address);
    Extent extent;
    extent.all_nan = true;
    Entries entries{};
    const auto walk = [&](const auto& self, std::size_t place) -> void {
        if (place < address.at.size()) {
            const bool quantified = address.at[place].is_quantifier();
            const Index count = quantified ? count_of(result.scene, address, place) : 1;
            for (entries[place] = 0; entries[place] < count; ++entries[place])
                self(self, place + 1);
            entries[place] = 0;
        } else if (const double value = reader.at(entries); std::isnan(value)) {
            extent.some_nan = true;
        } else {
            extent.low = extent.all_nan ? value : std::min(extent.low, value);
            extent.high = extent.all_nan ? value : std::max(extent.high, value);
            extent.all_nan = false;
        }
    };
    walk(walk, 0);
    return extent;
}

Fact propose_fact(const Result& result, const Address& address, const std::vector<int>& others) {
    const Extent extent = extent_of(result, address);
    if (extent.all_nan) return fact_of(address, Relation::nan, std::nullopt);
    if (extent.some_nan) return fact_of(address, Relation::not_equal, 0.0);
    const bool share = is_share(address.of) && !address.minus;
    const Dtype dtype = result.scene.variants[address.lane].dtype;
    if (extent.low == extent.high && (extent.low == 0 || is_truth(address.of)))
        return fact_of(address, Relation::equal, extent.low);
    if (is_infinite(extent)) return with_infinity(address, extent);
    if (share &&
        std::max(std::abs(extent.low - 1), std::abs(extent.high - 1)) <= tolerance_of(dtype))
        return fact_of(address, Relation::near, 1.0);
    for (const int lane : others)
        if (auto fact = against(result, address, extent, lane)) return *fact;
    return threshold(address, extent, share);
}

Fact with_relation(Fact fact, Relation is) {
    fact.is = is;
    if (is != Relation::near) fact.within.reset();
    if (is == Relation::nan)
        fact.than.reset();
    else if (!fact.than)
        fact.than = Than{0.0, std::nullopt, std::nullopt};
    return fact;
}

}  // namespace maskscope
