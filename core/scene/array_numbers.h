#pragma once

#include <cstddef>
#include <ranges>
#include <span>
#include <variant>
#include <vector>

#include "core/base/large_array.h"

namespace maskscope {

// The numbers of an array: float64, or float32 if that is what its file holds, in half the memory.
class ArrayNumbers {
public:
    ArrayNumbers() = default;
    ArrayNumbers(std::vector<double> numbers) : numbers_(std::move(numbers)) {}
    ArrayNumbers(LargeArray<float> numbers) : numbers_(std::move(numbers)) {}

    std::size_t size() const {
        return std::visit([](const auto& numbers) { return numbers.size(); }, numbers_);
    }
    double operator[](std::size_t k) const {
        const auto* wide = std::get_if<std::vector<double>>(&numbers_);
        return wide ? (*wide)[k] : double(std::get<LargeArray<float>>(numbers_)[k]);
    }
    // Returns all of them, as float64; valid while this is.
    auto view() const {
        return std::views::iota(std::size_t{0}, size()) |
               std::views::transform([this](std::size_t k) { return (*this)[k]; });
    }
    // Copies the numbers from index `first` on, as many as `to` holds.
    void copy(std::size_t first, std::span<double> to) const;
    std::vector<double> float64s() const;
    bool operator==(const ArrayNumbers& other) const;  // NaN equals NaN here

private:
    std::variant<std::vector<double>, LargeArray<float>> numbers_;
};

}  // namespace maskscope
