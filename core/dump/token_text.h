#pragma once
// Turns a tokenizer's tokens into tokens that people can read.

#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace maskscope {

using TokenLists = std::vector<std::vector<std::string>>;  // one for each sequence

// Returns the tokens as they are shown, valid in a scene:
//   byte-level BPE, if a token has Ġ or Ċ: "Ġis" -> " is", "cafÃ©" -> "café"
//   SentencePiece, if one has ▁: "▁is" -> " is", "<0x0A>" -> "⏎"
// Characters that cannot be printed are replaced: line feed ⏎, tab ⇥, other control characters ␀ to
// ␟ and ␡, an incomplete character <0xC3>, a token of spaces ␣, the empty token ∅.
std::vector<std::string> shown_tokens(std::vector<std::string> raw);

// The contents of a tokenizer.json: the token of each id, as it is shown.
using TokenNames = std::map<long long, std::string>;

// Reads a file of tokens: a JSON list of strings, or of such lists (one for each sequence); a
// tokenizer.json; or a text with one token on each line, or split at spaces if it is one line.
// Throws InputError.
std::variant<TokenLists, TokenNames> read_tokens(std::string_view text);

// Reads JSON: ["a", "b"] or [["a", "b"], ["c"]]. Throws InputError.
TokenLists token_lists(std::string_view json);
// Reads the same with ids: [50256, 383] or a list of such lists.
std::vector<std::vector<long long>> id_lists(std::string_view json);

// Returns the tokens of these ids. An id that the vocabulary lacks is shown as #50300.
std::vector<std::string> tokens_of(const TokenNames& vocabulary, const std::vector<long long>& ids);

}  // namespace maskscope
