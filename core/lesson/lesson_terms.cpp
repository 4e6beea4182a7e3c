// The one list of the terms that captions use, with the step that explains each.

#include <algorithm>
#include <cctype>

#include "core/lesson/caption.h"
#include "core/lesson/lesson_check.h"

namespace maskscope {

namespace {

// The terms in the order of the course.
constexpr Term terms[] = {
    {"query", "one-row", 0},
    {"key", "one-row", 0},
    {"score", "one-row", 0},
    {"softmax", "one-row", 1},
    {"weight", "one-row", 1},
    {"bias", "one-row", 2},
    {"value", "one-row", 3},
    {"output", "one-row", 3},
    {"token", "one-row", 5},
    {"causal", "one-row", 6},
    {"mask", "one-row", 6},
    {"embedding", "one-row", 7},
    {"decoder", "break-it", 0},
    {"encoder", "break-it", 0},
    {"head", "break-it", 0},
    {"source", "break-it", 0},
    {"leak", "additive-or-multiplicative", 1},
    {"influence", "additive-or-multiplicative", 2},
    {"renormalized", "additive-or-multiplicative", 2},
    {"NaN", "additive-or-multiplicative", 6},
    {"float16", "additive-or-multiplicative", 6},
    {"forward pass", "additive-or-multiplicative", 9},
    {"gradient", "additive-or-multiplicative", 9},
    {"loss", "additive-or-multiplicative", 9},
    {"sensitivity", "additive-or-multiplicative", 9},
    {"batch", "padding-and-nan-rows", 0},
    {"pad", "padding-and-nan-rows", 0},
    {"padding", "padding-and-nan-rows", 0},
    {"layer", "padding-and-nan-rows", 4},
    {"loss mask", "padding-and-nan-rows", 7},
    {"variance", "why-root-d", 0},
    {"temperature", "why-root-d", 4},
    {"entropy", "why-root-d", 4},
    {"self-attention", "encoder-decoder-masks", 0},
    {"cross-attention", "encoder-decoder-masks", 0},
    {"position", "encoder-decoder-masks", 6},
    {"induction", "heads", 2},
    {"ALiBi", "heads", 4},
    {"cache", "decoding", 1},
    {"full pass", "decoding", 1},
    {"window", "decoding", 4},
    {"sink", "decoding", 5},
    {"KV head", "decoding", 7},
    {"tiled", "decoding", 7},
    {"plus one", "empty-rows-in-numbers", 1},
    {"prefix", "masks-of-models", 2},
    {"cap", "masks-of-models", 7},
    {"sigmoid", "masks-of-models", 9},
    {"reference", "casebook", 0},
    {"gate", "casebook", 7},
    {"hull", "convex-combination", 0},
    {"one-hot", "scoring-functions", 2},
};

std::string lower(std::string_view text) {
    std::string letters(text);
    std::ranges::transform(letters, letters.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return letters;
}

bool is_letter(const std::string& text, std::size_t at) {
    return at < text.size() && std::isalpha(static_cast<unsigned char>(text[at])) != 0;
}

// True if the text contains the word, in the singular or plural.
bool has_word(const std::string& text, const std::string& word) {
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
        const std::size_t end = at + word.size();
        const bool ends = !is_letter(text, end) || (text[end] == 's' && !is_letter(text, end + 1));
        if (ends && (at == 0 || !is_letter(text, at - 1))) return true;
    }
    return false;
}

}  // namespace

std::span<const Term> course_terms() { return terms; }

std::vector<Term> terms_in(std::string_view text) {
    std::string words;
    for (const CaptionPart& part : parse_caption(text))
        words += std::holds_alternative<std::string>(part) ? std::get<std::string>(part) : "{}";
    words = lower(words);
    std::vector<Term> found;
    for (const Term& term : terms)
        if (has_word(words, lower(term.word))) found.push_back(term);
    return found;
}

}  // namespace maskscope
