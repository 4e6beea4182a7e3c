#pragma once
// From the scene to the numbers that attention starts from: Q, K and V, or raw scores, or weights.
// Seeded numbers are the same on every machine: integers, and sums of twelve in a fixed order.

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/backend.h"
#include "core/matrix.h"
#include "core/precision.h"
#include "core/scene.h"

namespace maskscope {

// A seeded stream of numbers: SplitMix64, whose state starts as seed XOR FNV-1a of the name.
class Stream {
public:
    Stream(std::uint64_t seed, std::string_view name);
    std::uint64_t next();
    double uniform();  // 0 <= x < 1
    double normal();   // twelve uniforms minus 6: mean 0, variance 1, no libm

    // As many calls of normal(), to the bit, but several at a time.
    void fill_normals(std::span<double> numbers);
    void skip_normals(std::uint64_t count);  // goes on as after so many calls of normal()

private:
    std::uint64_t state_;
};

// [rows, columns] of normal numbers times factor, filled row by row.
Matrix seeded_matrix(std::uint64_t seed, std::string_view stream, Index rows, Index columns,
                     double factor);

// The raw scores of one head of one sequence: `strength` where the pattern holds, else 0.
// [n_q, n_k]; `random` is not one of them, since its numbers run on through the whole batch.
Matrix pattern_scores(const PatternHead& head, const std::vector<std::string>& queries,
                      const std::vector<std::string>& keys);

// What one head of one sequence starts from; what these inputs do not have is empty.
struct HeadInputs {
    Matrix queries, keys;  // [n_q, d_q], [n_k, d_k]
    Matrix values;         // [n_k, d_v]
    Matrix scores;         // [n_q, n_k], raw scores
    Matrix weights;        // [n_q, n_k], they stand as the softmax
};

struct BatchInputs {
    Shape shape;
    std::vector<HeadInputs> heads;  // [b, h], not rounded yet
    HeadInputs& at(Index b, Index h) { return heads[static_cast<std::size_t>(b * shape.h + h)]; }
    const HeadInputs& at(Index b, Index h) const {
        return heads[static_cast<std::size_t>(b * shape.h + h)];
    }
};

// Inputs `output` are computed here, layer by layer. Throws Cancelled once progress.cancel is seen.
BatchInputs make_inputs(const Scene& scene, Progress& progress);

HeadInputs round_inputs(const HeadInputs& inputs, const Rounding& rounded);

}  // namespace maskscope
