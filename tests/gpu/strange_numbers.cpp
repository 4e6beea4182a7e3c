#include "tests/gpu/strange_numbers.h"

#include <cmath>

#include "core/attention/seeded.h"
#include "core/compute/embedding.h"
#include "tests/support/computed.h"

namespace maskscope::golden {
namespace {

class Sprinkler {
public:
    explicit Sprinkler(std::uint64_t seed) : stream_(seed, "strange numbers") {}

    bool chance(int per_cent) { return number(100) < static_cast<std::uint64_t>(per_cent); }
    std::uint64_t number(std::uint64_t below) { return stream_.next() % below; }

    double strange() {
        const double all[] = {std::nan(""), infinity, -infinity, 3e38, -3e38, 1e20,
                              -1e20,        0.0,      -0.0,      6e4,  -7e4,  1e-3};
        return all[number(std::size(all))];
    }
    // Returns a finite number, often one that float32 cannot hold.
    double extreme() {
        const double all[] = {1e300, -1e300, 1e39, -1e39, 1e-300, -1e-42, 3e38, 0.0, -2.0, 1e10};
        return all[number(std::size(all))];
    }

    void sprinkle(Array& array) {
        if (!chance(50)) return;
        std::vector<double> values = array.values->float64s();
        for (double& x : values)
            if (chance(15)) x = strange();
        array.values = ArrayNumbers(std::move(values));
    }
    void sprinkle(std::optional<Array>& array) {
        if (array) sprinkle(*array);
    }

private:
    Stream stream_;
};

void sprinkle_inputs(Sprinkler& some, Inputs& inputs) {
    if (auto* tensors = std::get_if<TensorsInputs>(&inputs)) {
        some.sprinkle(tensors->queries);
        some.sprinkle(tensors->keys);
        some.sprinkle(tensors->values);
    } else if (auto* scores = std::get_if<ScoresInputs>(&inputs)) {
        some.sprinkle(scores->scores);
        some.sprinkle(scores->values);
    } else if (auto* weights = std::get_if<WeightsInputs>(&inputs)) {
        some.sprinkle(weights->weights);
        some.sprinkle(weights->values);
    }
}

void sprinkle_variant(Sprinkler& some, const Inputs& inputs, Variant& variant) {
    some.sprinkle(variant.score.matrix);
    some.sprinkle(variant.score.w_q);
    some.sprinkle(variant.score.w_k);
    some.sprinkle(variant.score.w_v);
    some.sprinkle(variant.output.w);
    if (std::holds_alternative<WeightsInputs>(inputs)) return;
    if (some.chance(20)) variant.scale = {ScaleKind::number, some.extreme()};
    if (some.chance(10)) variant.mask.value = {ValueKind::number, some.extreme()};
    for (MaskLayer& layer : variant.mask.layers)
        for (BiasCell& cell : layer.bias)
            if (some.chance(30)) cell.x = some.extreme();
}

}  // namespace

Scene with_strange_numbers(Scene scene, std::uint64_t seed) {
    Sprinkler some(seed);
    sprinkle_inputs(some, scene.inputs);
    for (Variant& variant : scene.variants) sprinkle_variant(some, scene.inputs, variant);
    return scene;
}

}  // namespace maskscope::golden
