// Targets for scenes, lessons, expressions, tokenizers, frameworks and models.

#include <cstdlib>
#include <cstring>
#include <functional>

#include "core/compute/memory.h"
#include "core/dump/token_text.h"
#include "core/format/model_file.h"
#include "core/format/scene_json.h"
#include "core/frameworks/framework.h"
#include "core/lesson/lesson.h"
#include "core/scene/expression.h"
#include "tests/fuzz/target.h"

namespace maskscope {
namespace {

void read_a_scene(std::string_view text) {
    const Scene scene = read_scene(text, "/nonexistent");
    const std::string once = write_scene(scene);
    const Scene again = read_scene(once, "/nonexistent");
    must(again == scene, "a scene that was written is the same");
    must(write_scene(again) == once, "a scene is written stably");
    must(bytes_needed(scene, {}) > 0, "a scene needs memory");
}

void read_a_lesson(std::string_view text) {
    const Lesson lesson = read_draft(text, "/nonexistent");
    const std::string once = write_lesson(lesson);
    must(write_lesson(read_draft(once, "/nonexistent")) == once, "a lesson is written stably");
}

void read_expression(std::string_view text) {
    const Expression expression(text);
    const double j[] = {0, 1, 2, 1e300}, pads[] = {0, 0, 1, 1};
    double first[4], second[4];
    const ExpressionRow row{.i = 3, .n_q = 4, .n_k = 4, .heads = 1, .j = j, .pad_j = pads};
    expression.evaluate(row, first);
    expression.evaluate(row, second);
    must(std::memcmp(first, second, sizeof first) == 0, "an expression has one value");
}

void read_a_tokenizer(std::string_view text) {
    const auto read = read_tokens(text);
    if (const auto* lists = std::get_if<TokenLists>(&read))
        for (const auto& list : *lists)
            for (const std::string& token : list) must(!token.empty(), "a token is not empty");
}

void read_a_framework(std::string_view text) {
    const Framework framework = read_framework(text);
    must(!framework.name.empty(), "a framework has a name");
}

void read_model_file(std::string_view bytes) {
    static FolderOfOne place("m.safetensors");
    // Appends as many zeros as the tensors have bytes, so that a header alone makes a complete
    // file.
    std::size_t zeros = 0;
    const std::string text(bytes), word = "\"data_offsets\":[";
    for (std::size_t at = 0; (at = text.find(word, at)) != text.npos; at += word.size()) {
        const char* end = std::strchr(text.c_str() + at, ',');
        const std::size_t bytes_of_all = end ? std::strtoull(end + 1, nullptr, 10) : 0;
        if (bytes_of_all < 1 << 20) zeros = std::max(zeros, bytes_of_all);
    }
    place.put(bytes, zeros);
    must(!read_model("m.safetensors", place.folder())->tensors.empty(), "a model has tensors");
}

const Target targets[] = {{"scene", read_a_scene},         {"lesson", read_a_lesson},
                          {"expression", read_expression}, {"tokenizer", read_a_tokenizer},
                          {"framework", read_a_framework}, {"model", read_model_file}};

}  // namespace
}  // namespace maskscope
