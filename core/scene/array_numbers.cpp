#include "core/scene/array_numbers.h"

#include <algorithm>
#include <cmath>

namespace maskscope {

void ArrayNumbers::copy(std::size_t first, std::span<double> to) const {
    std::visit(
        [&](const auto& numbers) { std::copy_n(numbers.data() + first, to.size(), to.data()); },
        numbers_);
}

std::vector<double> ArrayNumbers::float64s() const {
    return std::visit([](const auto& all) { return std::vector<double>(all.begin(), all.end()); },
                      numbers_);
}

bool ArrayNumbers::operator==(const ArrayNumbers& other) const {
    return std::ranges::equal(view(), other.view(), [](double a, double b) {
        return a == b || (std::isnan(a) && std::isnan(b));
    });
}

}  // namespace maskscope
