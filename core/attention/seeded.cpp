#include "core/attention/seeded.h"

#include "core/base/matrix.h"

namespace maskscope {

Stream::Stream(std::uint64_t seed, std::string_view name) {
    std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a, 64 bit
    for (const char letter : name) {
        hash ^= static_cast<unsigned char>(letter);
        hash *= 0x100000001b3;
    }
    state_ = seed ^ hash;
}

namespace {

// SplitMix64: the state counts up by a constant, and each state is mixed into a number.
constexpr std::uint64_t step = 0x9e3779b97f4a7c15;

std::uint64_t mixed(std::uint64_t state) {
    std::uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

double uniform_of(std::uint64_t state) { return static_cast<double>(mixed(state) >> 11) * 0x1p-53; }

constexpr std::uint64_t uniforms = 12;  // summed for one normal number

}  // namespace

std::uint64_t Stream::next() { return mixed(state_ += step); }

double Stream::uniform() { return uniform_of(state_ += step); }

double Stream::normal() {
    double sum = 0;
    for (std::uint64_t k = 0; k < uniforms; ++k) sum += uniform();
    return sum - 6;
}

void Stream::fill_normals(std::span<double> numbers) {
    constexpr std::size_t together =
        8;  // independent sums at once, which do not wait for one another
    std::size_t done = 0;
    for (; done + together <= numbers.size(); done += together) {
        double sums[together] = {};
        for (std::uint64_t k = 1; k <= uniforms; ++k)
            for (std::size_t n = 0; n < together; ++n)
                sums[n] += uniform_of(state_ + (n * uniforms + k) * step);
        for (std::size_t n = 0; n < together; ++n) numbers[done + n] = sums[n] - 6;
        skip_normals(together);
    }
    for (double& number : numbers.subspan(done)) number = normal();
}

void Stream::skip_normals(std::uint64_t count) { state_ += count * uniforms * step; }

Matrix seeded_matrix(std::uint64_t seed, std::string_view stream, Index rows, Index columns,
                     double factor) {
    Stream numbers(seed, stream);
    Matrix matrix(rows, columns);
    numbers.fill_normals({matrix.data(), static_cast<std::size_t>(matrix.size())});
    matrix *= factor;
    return matrix;
}

}  // namespace maskscope
