#include "core/scene/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <numeric>
#include <optional>

#include "core/base/utf8.h"

namespace maskscope {

Vocabulary::Vocabulary(std::vector<std::string> all) : words(std::move(all)) {
    for (std::size_t id = 0; id < words.size(); ++id) ids.emplace(words[id], id);
}

bool Model::operator==(const Model& other) const {
    const auto fields = [](const Model& m) {
        return std::tie(m.source, m.target, m.heads, m.d, m.ffn, m.max_source, m.max_target,
                        m.encoder, m.decoder, m.cross, m.alignment, m.title, m.tensors);
    };
    return fields(*this) == fields(other);
}

const Mask& own_mask(const Model& model, ModelAttention attention) {
    if (attention == ModelAttention::encoder) return model.encoder;
    return attention == ModelAttention::decoder ? model.decoder : model.cross;
}

Index layers_of(const Model& model, ModelAttention attention) {
    return attention == ModelAttention::encoder ? model.encoder_layers : model.decoder_layers;
}

std::vector<std::string> source_tokens(const Sequence& sequence) {
    std::vector<std::string> tokens = sequence.source;
    tokens.insert(std::ranges::find(tokens, pad_word), std::string(eos_word));
    return tokens;
}

namespace {

constexpr Index most_edits = 2;
// The longest word for which similar words are looked up. Without a limit, a compressed file of a
// few hundred bytes could cost minutes.
constexpr std::size_t longest_near = 64;       // code points
constexpr std::size_t longest_code_point = 4;  // bytes

// Returns the Levenshtein distance, or any number above most_edits if it is larger.
Index edits_between(const std::u32string& x, const std::u32string& y) {
    if (std::abs(std::ssize(x) - std::ssize(y)) > most_edits) return most_edits + 1;
    std::vector<Index> row(y.size() + 1);
    std::iota(row.begin(), row.end(), Index{0});
    for (std::size_t i = 0; i < x.size(); ++i) {
        Index diagonal = row[0]++;
        for (std::size_t j = 0; j < y.size(); ++j) {
            const Index changed = diagonal + (x[i] == y[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({changed, row[j] + 1, diagonal + 1});
        }
    }
    return row.back();
}

// Returns the code points of a word; nullopt if it is too long to be near another.
std::optional<std::u32string> letters_of(std::string_view word) {
    if (word.size() > longest_near * longest_code_point) return std::nullopt;
    std::u32string letters = code_points(word);
    return letters.size() <= longest_near ? std::optional(std::move(letters)) : std::nullopt;
}

}  // namespace

std::vector<std::string> near_words(const Vocabulary& vocabulary, std::string_view word) {
    constexpr std::size_t most_words = 3;
    const auto typed = letters_of(word);
    if (!typed) return {};
    std::array<std::vector<std::string>, most_edits + 1> by_edits;
    for (std::size_t id = first_word_id; id < vocabulary.words.size(); ++id)
        if (const auto known = letters_of(vocabulary.words[id]))
            if (const Index edits = edits_between(*typed, *known); edits <= most_edits)
                by_edits[edits].push_back(vocabulary.words[id]);
    std::vector<std::string> near;
    for (const std::vector<std::string>& words : by_edits)
        near.insert(near.end(), words.begin(), words.end());
    if (near.size() > most_words) near.resize(most_words);
    return near;
}

std::string unknown_word(const Vocabulary& vocabulary, std::string_view word) {
    std::string text = fmt::format("unknown word \"{}\", ", word);
    const std::vector<std::string> near = near_words(vocabulary, word);
    if (near.empty()) return text + "with no similar word";
    return text + fmt::format("similar: \"{}\"", fmt::join(near, "\", \""));
}

// --- sentences

namespace {

std::optional<std::string> bad_word(const Vocabulary& vocabulary, const std::string& word) {
    if (word == bos_word || word == eos_word)
        return fmt::format("\"{}\" is added automatically", word);
    if (!vocabulary.ids.contains(word)) return unknown_word(vocabulary, word);
    return std::nullopt;
}

std::string expected_words(Index most, std::ptrdiff_t words) {
    return fmt::format("expected 1 to {} words, got {}", most, words);
}

}  // namespace

std::optional<BadWords> bad_source(const Model& model, const std::vector<std::string>& words) {
    std::ptrdiff_t count = 0;
    for (std::size_t k = 0; k < words.size(); ++k) {
        if (words[k] == pad_word) continue;
        if (const auto bad = bad_word(model.source, words[k])) return BadWords{k, *bad};
        if (count++ < std::ptrdiff_t(k))
            return BadWords{std::size_t(count - 1), "a pad token comes before a word"};
    }
    const std::ptrdiff_t pads = std::ssize(words) - count;
    if (count < 1 || count > model.max_source)
        return BadWords{std::nullopt, expected_words(model.max_source, count)};
    if (pads > most_source_pads)
        return BadWords{std::nullopt,
                        fmt::format("expected 0 to {} pad tokens, got {}", most_source_pads, pads)};
    return std::nullopt;
}

std::optional<BadWords> bad_target(const Model& model, const std::vector<std::string>& words) {
    for (std::size_t k = 0; k < words.size(); ++k) {
        if (words[k] == pad_word) return BadWords{k, "a target cannot have pad tokens"};
        if (const auto bad = bad_word(model.target, words[k])) return BadWords{k, *bad};
    }
    const Index most = model.max_target - 1;  // minus <eos>
    if (words.empty() || std::ssize(words) > most)
        return BadWords{std::nullopt, expected_words(most, std::ssize(words))};
    return std::nullopt;
}

namespace {

char32_t lowered(char32_t code) {
    const bool capital = (code >= 'A' && code <= 'Z') ||
                         (code >= 0xc0 && code <= 0xde && code != 0xd7);  // À to Þ, without ×
    return capital ? code + 0x20 : code;
}

}  // namespace

std::vector<std::string> typed_words(std::string_view sentence) {
    constexpr std::string_view blanks = " \t\r\n";
    while (!sentence.empty() && blanks.find(sentence.back()) != blanks.npos)
        sentence.remove_suffix(1);
    if (sentence.ends_with('.') || sentence.ends_with('!')) sentence.remove_suffix(1);
    std::string text;
    for (const char32_t typed : code_points(sentence)) {
        const char32_t code = typed == U'’' ? U'\'' : lowered(typed);
        if (code == U'?') text += ' ';
        append_utf8(text, code);
        if (code == U'\'') text += ' ';
    }
    std::vector<std::string> words;
    for (std::size_t at = 0; (at = text.find_first_not_of(blanks, at)) != text.npos;) {
        const std::size_t end = std::min(text.find_first_of(blanks, at), text.size());
        words.push_back(text.substr(at, end - at));
        at = end;
    }
    return words;
}

}  // namespace maskscope
