#pragma once
// Queries, keys, values, given scores and weights: made on the CPU, rounded to a dtype, uploaded,
// and kept as long as scenes have the same inputs.

#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "core/attention/head_inputs.h"
#include "core/base/progress.h"
#include "core/gpu/data/device.h"
#include "core/gpu/data/numbers.h"
#include "core/scene/scene.h"

namespace maskscope::gpu {

// Matrices of all heads in one buffer, `stride` floats apart.
struct Matrices {
    SharedBuffer buffer;
    Index rows = 0, columns = 0, stride = 0;
    double largest = 0;      // magnitude; +inf if a number is not finite
    bool overflows = false;  // true if a finite number is larger than a float can hold
};

// The factors that a scoring function sums over: queries [n_q, depth], keys [depth, n_k].
struct QueryKeys {
    Matrices queries, keys;
    std::vector<double> factors;  // w_v of `additive`, [depth]
    bool careful = false;         // true if a sum may overflow, or not be finite
};

// Given scores or weights.
struct GivenNumbers {
    std::shared_ptr<const GpuNumbers> numbers;
    double largest = 0;     // magnitude, including infinities, without NaN
    bool negative = false;  // true if a number is negative
};

template <class Key, class T>
struct Upload {
    Key key;
    std::shared_ptr<const T> made;
    bool used = true;  // true if used since open()
};

class InputStore {
public:
    // Uses the inputs of this scene from now on; uploads stay if the inputs are the same. `known`:
    // the inputs, if a result holds them; else null.
    void open(const Scene& scene, std::shared_ptr<const BatchInputs> known, Progress& progress);
    // Drops uploads not used since open(), except queries, keys and values of these variants.
    void close(const std::vector<Variant>& kept = {});

    // Returns the queries and keys. factor: multiplies the queries, which are rounded before and
    // after.
    std::shared_ptr<const QueryKeys> query_keys(Device& device, const Variant& variant,
                                                double factor);
    std::shared_ptr<const Matrices> values(Device& device, Dtype dtype);
    // Returns the given numbers of `asked`, some rows of some heads, split into `slices`. `largest`
    // and `negative` describe all rows, not only these.
    std::shared_ptr<const GivenNumbers> given(Device& device, Dtype dtype,
                                              const std::vector<Slice>& slices, const Slice& asked);
    std::uint64_t id() const { return id_; }  // differs for other inputs
    // Returns how many floats the largest input matrix of one head has.
    Index largest_stride(const Variant& variant) const;

    // Returns the inputs in float64, not rounded; made on first use, between open() and close().
    const std::shared_ptr<const BatchInputs>& batch();

private:
    struct QueryKeysKey {
        Dtype dtype;
        std::optional<Score> score;  // nullopt if queries and keys are used as they are
        double factor = 1;
        bool operator==(const QueryKeysKey&) const = default;
    };
    static QueryKeysKey key_of(const Variant& variant, double factor);
    std::optional<Scene> scene_;  // no variants
    Progress* progress_ = nullptr;
    std::uint64_t id_ = 0;
    std::shared_ptr<const BatchInputs> batch_;
    std::vector<Upload<QueryKeysKey, QueryKeys>> query_keys_;
    std::vector<Upload<Dtype, Matrices>> values_;
    std::vector<Upload<std::pair<Dtype, std::vector<Slice>>, GivenNumbers>> given_;
    std::vector<std::pair<Dtype, GivenNumbers>>
        ranges_;  // the ranges of all given numbers, without the numbers
};

}  // namespace maskscope::gpu
