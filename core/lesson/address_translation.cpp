// Addresses of a translation: A.loss[0].

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/format/model_file.h"
#include "core/lesson/address.h"
#include "core/model/pass.h"

namespace maskscope {

namespace {

// Statistics of a translation, one for each sequence.
constexpr std::string_view of_sequences[] = {"loss", "accuracy", "right"};
bool needs_target(std::string_view of) { return of == "loss" || of == "accuracy"; }

// Returns, for each sequence, 1 if the variant's translation is right, else 0: [b].
std::vector<double> rights(const Result& result, int variant) {
    Progress progress;
    const ModelInputs& inputs = *model_of(result.scene);
    const auto right =
        right_words(result.scene, right_model(inputs.model, inputs.loaded), progress);
    std::vector<double> made;
    for (std::size_t b = 0; b < right.size(); ++b) {
        auto wanted = right[b];
        if (wanted && !generates(result.scene)) wanted->emplace_back(eos_word);
        const auto& said = result.variants[variant].run->said[b];
        made.push_back(said && said == wanted ? 1 : 0);
    }
    return made;
}

}  // namespace

bool is_of_sequence(std::string_view of) {
    return std::ranges::find(of_sequences, of) != std::end(of_sequences);
}

std::vector<Index> axes_of_sequence(const Scene& scene, std::string_view of) {
    if (model_of(scene) == nullptr)
        throw InputError("/of", fmt::format("these inputs have no {}", of));
    if (needs_target(of) && generates(scene))
        throw InputError("/of", fmt::format("{} needs sequences with a target", of));
    return {std::ssize(scene.sequences)};
}

std::vector<double> numbers_of_sequences(const Result& result, int variant, std::string_view of) {
    if (of == "right") return rights(result, variant);
    const ModelRun& run = *result.variants[variant].run;
    return of == "loss" ? run.loss : run.accuracy;
}

}  // namespace maskscope
