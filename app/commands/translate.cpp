#include "app/commands/translate.h"

#include <fmt/format.h>

#include <algorithm>
#include <istream>
#include <ostream>

#include "app/commands/commands.h"
#include "app/session/files/load.h"
#include "core/base/error.h"
#include "core/base/number_text.h"
#include "core/base/utf8.h"
#include "core/format/model_file.h"
#include "core/format/scene_json.h"
#include "core/model/pass.h"
#include "core/scene/names.h"

namespace maskscope {

namespace {

std::vector<std::string> lines_of(std::istream& in) {
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    if (in.bad()) throw Error(2, "translate: standard input cannot be read");
    return lines;
}

// Makes a scene of the correct translator as it was trained, showing its cross-attention.
Scene right_scene() {
    const std::string name(built_in_models().front());
    const SharedValue<Model> model = [&] {
        try {
            return read_model(name, "");
        } catch (const InputError& error) {
            throw Error(2, std::string("translate: ") + error.what());
        }
    }();
    Scene scene;
    scene.inputs = ModelInputs{name, model, ModelAttention::cross, 0};
    scene.variants.resize(1);
    scene.variants[0].name = name;
    scene.variants[0].mask = model->cross;
    return scene;
}

Scene scene_in(const std::string& argument) {
    Scene scene = load_scene(argument).scene;
    if (model_of(scene) == nullptr)
        throw at_file(argument, InputError("/inputs/kind", "expected \"model\" to translate"));
    return scene;
}

// Makes the scene for this sentence alone. Throws InputError.
Scene over(Scene scene, const std::string& sentence, bool check_lists) {
    if (!is_utf8(sentence)) throw InputError("", "is not valid UTF-8");
    Sequence sequence;
    sequence.source = typed_words(sentence);
    if (const auto bad = bad_source(*model_of(scene)->loaded, sequence.source))
        throw InputError("", bad->what);
    scene.sequences = {std::move(sequence)};
    if (check_lists) check_scene(scene);
    return scene;
}

std::string translations(const Scene& scene) {
    Progress progress;
    std::string line;
    for (const Variant& variant : scene.variants) {
        const auto said = generated(scene, variant, progress).front();
        if (&variant != &scene.variants.front()) line += '\t';
        line += said ? joined(*said) : "no translation: NaN";
    }
    return line;
}

}  // namespace

void translate(const std::optional<std::string>& argument, std::vector<std::string> sentences,
               std::istream& in, std::ostream& out) {
    const Scene scene = argument ? scene_in(*argument) : right_scene();
    const bool typed = !sentences.empty();
    if (!typed) sentences = lines_of(in);
    std::vector<Scene> scenes;
    for (std::size_t k = 0; k < sentences.size(); ++k) {
        try {
            scenes.push_back(over(scene, sentences[k], argument.has_value()));
        } catch (const InputError& error) {
            throw Error(2,
                        fmt::format("translate: {} {}: {}{}", typed ? "sentence" : "line", k + 1,
                                    error.place.empty() ? "" : error.place + ": ", error.what()));
        }
    }
    for (const Scene& one : scenes) out << translations(one) << '\n';
}

std::string shown_attention(const Inputs& inputs) {
    const auto* model = std::get_if<ModelInputs>(&inputs);
    if (model == nullptr) return "";
    return fmt::format(", {}: {} attention, layer {}", model->model, name(model->attention),
                       model->layer);
}

std::string tokens_text(const TokenView& tokens) {
    std::string text;
    for (const std::string& token : tokens)
        text += (text.empty() ? "" : " ") + without_middle(token, longest_token);
    return text;
}

std::string run_text(const VariantResult& result) {
    if (!result.run) return "";
    const ModelRun& run = *result.run;
    std::string text;
    for (std::size_t b = 0; b < run.said.size(); ++b) {
        const std::string said = run.said[b] ? joined(*run.said[b]) : "no translation: NaN";
        text += fmt::format("sequence {}, {}: {}\n", b,
                            run.loss.empty() ? "translation" : "predicted", said);
        if (!run.loss.empty())
            text += fmt::format("sequence {}, loss {}, accuracy {}\n", b,
                                exact_text(run.loss[b], 4), exact_text(run.accuracy[b], 4));
        text += fmt::format("sequence {}, rows: {}\nsequence {}, keys: {}\n", b,
                            tokens_text(result.queries[b]), b, tokens_text(result.keys[b]));
    }
    return text;
}

std::optional<std::filesystem::path> built_in_file(const Inputs& inputs) {
    const auto* model = std::get_if<ModelInputs>(&inputs);
    if (model == nullptr || std::ranges::count(built_in_models(), model->model) == 0)
        return std::nullopt;
    return file_of_built_in(model->model);
}

}  // namespace maskscope
