// Compares the translators' logits with those of PyTorch, which make_translator.py wrote for 500
// sentences under every mask of the tables "what breaks". MASKSCOPE_TRANSLATOR=FOLDER reads other
// files of make_translator.py.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "core/base/build.h"
#include "core/base/json_text.h"
#include "core/files/file.h"
#include "core/format/scene_json.h"
#include "core/model/pass.h"
#include "core/tensors/tensor_file.h"

namespace maskscope {
namespace {

std::filesystem::path golden_folder() {
    const char* other = std::getenv("MASKSCOPE_TRANSLATOR");
    return other ? std::filesystem::path(other)
                 : std::filesystem::path(source_folder()) / "tests/data";
}

// Returns the scene of a case, with this sentence as its only sequence.
Scene scene_of(const Json& one, const Json& sentence) {
    const Json scene = {{"maskscope", 1},
                        {"sequences", Json::array({sentence})},
                        {"inputs", one["inputs"]},
                        {"variants", Json::array({one["variant"]})}};
    Scene made = read_scene(scene.dump(), ".");
    if (one["bare_cross"].get<bool>()) {  // the model's own mask is removed, too
        Model model = *model_of(made)->loaded;
        model.cross = {};
        std::get<ModelInputs>(made.inputs).loaded = model;
    }
    return made;
}

Sequence sequence_of(const Json& sentence, std::size_t pads) {
    Sequence sequence;
    sequence.source = sentence["source"].get<Words>();
    sequence.source.insert(sequence.source.end(), pads, std::string(pad_word));
    sequence.target = sentence["target"].get<Words>();
    return sequence;
}

// PyTorch's logits for one case: [rows of all sentences, columns].
struct ReferenceLogits {
    explicit ReferenceLogits(std::size_t k)
        : logits(read_tensor("translator.npz:" + std::to_string(k), golden_folder())) {}
    Array logits;
    Index row = 0;  // the next one to compare
    Index columns() const { return logits.axes[1]; }
    double at(Index k) const { return (*logits.values)[row * columns() + k]; }
};

// Returns the word of column k. If there is a column for each word, this is word k. Otherwise
// column 0 has the wanted word, and column 1 another one, which depends on the row.
Index word_of(const ReferenceLogits& told, Index words, Index wanted, Index k) {
    if (told.columns() == words) return k;
    return k == 0 ? wanted : told.row * 37 % words;
}

// Returns the largest difference of a sentence's logits, which is infinite if only one side is NaN.
double differs(const Scene& scene, ReferenceLogits& told) {
    Progress progress;
    const std::vector<double> ours = run_model(scene, 0, progress).logits.front();
    const Vocabulary& target = model_of(scene)->loaded->target;
    const auto words = std::ssize(target.words);
    Words wanted = *scene.sequences.front().target;
    wanted.emplace_back(eos_word);
    double most = 0;
    for (Index i = 0; i < std::ssize(wanted); ++i, ++told.row)
        for (Index k = 0; k < told.columns(); ++k) {
            const Index word = word_of(told, words, target.ids.find(wanted[i])->second, k);
            const double mine = ours[i * words + word], theirs = told.at(k);
            if (std::isnan(mine) && std::isnan(theirs)) continue;
            const double by = std::abs(mine - theirs);
            most = by <= most ? most : std::isnan(by) ? HUGE_VAL : by;
        }
    return most;
}

// The logits are within 1e-4 of PyTorch's, in float64 within 1e-9, as promised. The stored logits
// were rounded to multiples of 2^-14, or 2^-33 in float64, so half of that is subtracted from the
// tolerance.
TEST(Translator, GivesPyTorchsLogitsForFiveHundredSentencesUnderEveryMask) {
    const Json golden = parse_json(read_file(golden_folder() / "translator.json"));
    ASSERT_EQ(golden["sentences"].size(), 500U);
    ASSERT_GE(golden["cases"].size(), 32U);
    for (std::size_t k = 0; k < golden["cases"].size(); ++k) {
        const Json& one = golden["cases"][k];
        ReferenceLogits told(k);
        Scene scene = scene_of(one, golden["sentences"][0]);
        const bool wide = scene.variants[0].dtype == Dtype::float64;
        double most = 0;
        for (const Json& sentence : golden["sentences"]) {
            scene.sequences = {sequence_of(sentence, one["pads"].get<std::size_t>())};
            most = std::max(most, differs(scene, told));
        }
        EXPECT_EQ(told.row, told.logits.axes[0]);
        EXPECT_LE(most, wide ? 1e-9 - 0x1p-34 : 1e-4 - 0x1p-15) << one.dump();
    }
}

}  // namespace
}  // namespace maskscope
