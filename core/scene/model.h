#pragma once
// A trained translator, an encoder–decoder Transformer: its words, masks and sizes.

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/scene/scene.h"

namespace maskscope {

inline constexpr std::string_view pad_word = "<pad>", bos_word = "<bos>", eos_word = "<eos>";
inline constexpr Index pad_id = 0, bos_id = 1, eos_id = 2;
inline constexpr Index first_word_id = 3;
inline constexpr Index most_source_pads = 16;  // after the words of a sequence

// The words of one language by id. The first three are the special words above.
struct Vocabulary {
    Vocabulary() = default;
    explicit Vocabulary(std::vector<std::string> all);
    std::vector<std::string> words;
    std::map<std::string, Index, std::less<>> ids;
    bool operator==(const Vocabulary& other) const { return words == other.words; }
};

// Returns up to three words within two edits (of code points) of this one, the nearest first, then
// by id. Returns none for a word of more than 64 code points.
std::vector<std::string> near_words(const Vocabulary& vocabulary, std::string_view word);
// Returns `unknown word "rosso1", similar: "rosso", "rossa"`, or `…, with no similar word`.
std::string unknown_word(const Vocabulary& vocabulary, std::string_view word);

struct Model;

// A problem with the words of a sequence. at: the index of the word; nullopt = the problem concerns
// all words together.
struct BadWords {
    std::optional<std::size_t> at;
    std::string what;
};
std::optional<BadWords> bad_source(const Model& model, const std::vector<std::string>& words);
std::optional<BadWords> bad_target(const Model& model, const std::vector<std::string>& words);

// Splits a sentence as it is typed into words: makes it lower case, replaces ’ with ', drops a
// final . or !, and adds a space after each ' and before ?. Capitals beyond Latin-1 stay, because
// no word has them.
std::vector<std::string> typed_words(std::string_view sentence);

struct Network;  // its numbers: see core/model/network.h

struct Model {
    Vocabulary source, target;
    Index heads = 1, d = 1, ffn = 1;
    Index encoder_layers = 1, decoder_layers = 1;
    Index max_source = 12, max_target = 16;  // the most words of a source, and of a translation
    Mask encoder, decoder, cross;            // its own masks, with which it was trained
    // [layer, head] of the cross-attention that best points at the aligned word; nullopt if not
    // given.
    std::optional<Cell> alignment;
    std::string title;
    std::map<std::string, Array> tensors;  // as in the file, by name
    std::shared_ptr<const Network> network;
    bool operator==(const Model& other) const;  // network follows from the other members
};

inline Index d_head(const Model& model) { return model.d / model.heads; }
const Mask& own_mask(const Model& model, ModelAttention attention);
Index layers_of(const Model& model, ModelAttention attention);

// Returns the words, <eos>, and the padding after it.
std::vector<std::string> source_tokens(const Sequence& sequence);

}  // namespace maskscope
