#include "core/dump/token_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/base/utf8.h"
#include "core/edit/edit.h"
#include "core/scene/names.h"

namespace maskscope {

namespace {

constexpr std::string_view blank_mark = "Ġ", line_mark = "Ċ", piece_mark = "▁";

// --- bytes behind characters

// Returns the byte that each character stands for, -1 if none. Byte-level BPE writes each byte as
// one character: printable ones as themselves, others as the characters from U+0100 on.
const std::array<int, 0x144>& bytes_of_characters() {
    static const auto table = [] {
        std::array<int, 0x144> bytes{};
        bytes.fill(-1);
        std::size_t next = 0x100;
        for (int byte = 0; byte < 256; ++byte) {
            const bool prints =
                (byte > 0x20 && byte < 0x7f) || (byte > 0xa0 && byte < 0x100 && byte != 0xad);
            bytes[prints ? static_cast<std::size_t>(byte) : next++] = byte;
        }
        return bytes;
    }();
    return table;
}

// Returns the bytes of a token of byte-level BPE; nullopt for a special token.
std::optional<std::string> bytes_behind(const std::string& token) {
    const auto& table = bytes_of_characters();
    std::string bytes;
    for (std::size_t at = 0; at < token.size();) {
        const Character character = character_at(token, at);
        if (character.bytes == 0 || character.code >= table.size()) return std::nullopt;
        const int byte = table[character.code];
        if (byte < 0) return std::nullopt;
        bytes += static_cast<char>(byte);
        at += character.bytes;
    }
    return bytes;
}

// Returns the byte that "<0x0A>" stands for: a byte for which SentencePiece has no piece.
std::optional<char> byte_piece(const std::string& token) {
    constexpr std::string_view digits = "0123456789ABCDEF";
    if (token.size() != 6 || !token.starts_with("<0x") || token.back() != '>') return std::nullopt;
    const std::size_t high = digits.find(token[3]), low = digits.find(token[4]);
    if (high == std::string_view::npos || low == std::string_view::npos) return std::nullopt;
    return static_cast<char>(16 * high + low);
}

// --- printable characters

std::string byte_sign(char byte) {
    return fmt::format("<0x{:02X}>", static_cast<unsigned char>(byte));
}

void append_printed(std::string& text, char32_t code) {
    if (code == '\n')
        text += "⏎";
    else if (code == '\t')
        text += "⇥";
    else if (code == 0x7f)
        text += "␡";
    else if (code < 0x20)
        append_utf8(text, 0x2400 + code);
    else if (is_control(code))
        text += byte_sign(static_cast<char>(code));
    else
        append_utf8(text, code);
}

std::string printed(const std::string& bytes) {
    if (bytes.empty()) return "∅";
    std::string text;
    if (bytes.find_first_not_of(' ') == std::string::npos) {
        for (std::size_t k = 0; k < bytes.size(); ++k) text += "␣";
        return text;
    }
    for (std::size_t at = 0; at < bytes.size();) {
        const Character character = character_at(bytes, at);
        if (character.bytes == 0)
            text += byte_sign(bytes[at]);
        else
            append_printed(text, character.code);
        at += std::max<std::size_t>(1, character.bytes);
    }
    return text;
}

bool any_holds(const std::vector<std::string>& tokens, std::string_view mark) {
    return std::ranges::any_of(
        tokens, [&](const std::string& token) { return token.find(mark) != std::string::npos; });
}

// --- JSON

// Reads a list of lists, or a single list in its place; `read` reads their entries.
template <class T, class Read>
std::vector<std::vector<T>> lists_of(const Json& json, const std::string& what, Read read) {
    const auto list_of = [&](const Json& items) {
        std::vector<T> list;
        for (const Json& item : items) list.push_back(read(item));
        return list;
    };
    if (!json.is_array() || json.empty()) throw InputError("", "expected a list of " + what);
    std::vector<std::vector<T>> lists;
    if (!json.front().is_array()) return {list_of(json)};
    for (const Json& items : json) {
        if (!items.is_array() || items.empty())
            throw InputError("", "expected lists of " + what + ", one for each sequence");
        lists.push_back(list_of(items));
    }
    return lists;
}

std::string string_in(const Json& json) {
    if (!json.is_string()) throw InputError("", "a token that is not a string");
    return json.get<std::string>();
}

long long id_in(const Json& json) {
    if (!json.is_number_integer()) throw InputError("", "an id that is not an integer");
    return json.get<long long>();
}

TokenLists token_lists_in(const Json& json) {
    TokenLists lists = lists_of<std::string>(json, "tokens", string_in);
    // Look for the kind of marks in all sequences together, because a single one may contain none.
    std::vector<std::string> all;
    for (const auto& list : lists) all.insert(all.end(), list.begin(), list.end());
    all = shown_tokens(std::move(all));
    auto next = all.begin();
    for (auto& list : lists)
        for (std::string& token : list) token = *next++;
    return lists;
}

// Reads the tokens in "vocab" (an object from token to id, or a list of [token, score] whose
// indices are the ids) and in "added_tokens".
TokenNames vocabulary_in(const Json& json) {
    std::vector<long long> ids;
    std::vector<std::string> tokens;
    const auto add = [&](const Json& id, const std::string& token) {
        ids.push_back(id_in(id));
        tokens.push_back(token);
    };
    const Json& vocab = json["model"]["vocab"];
    if (vocab.is_object())
        for (const auto& [token, id] : vocab.items()) add(id, token);
    for (const Json& piece : vocab.is_array() ? vocab : Json::array()) {
        if (!piece.is_array() || piece.empty()) throw InputError("", "its \"vocab\" is not valid");
        add(Json(ids.size()), string_in(piece.front()));
    }
    if (ids.empty()) throw InputError("", "its \"vocab\" holds no tokens");
    tokens = shown_tokens(std::move(tokens));
    TokenNames vocabulary;
    for (std::size_t k = 0; k < ids.size(); ++k) vocabulary[ids[k]] = tokens[k];
    if (const auto added = json.find("added_tokens"); added != json.end() && added->is_array())
        for (const Json& token : *added)
            if (token.is_object() && token.contains("id") && token.contains("content"))
                vocabulary[id_in(token["id"])] = printed(string_in(token["content"]));
    return vocabulary;
}

bool is_tokenizer(const Json& json) {
    return json.is_object() && json.contains("model") && json["model"].is_object() &&
           json["model"].contains("vocab");
}

// --- text

std::vector<std::string> tokens_in_text(std::string_view text) {
    if (!is_utf8(text)) throw InputError("", "is not valid UTF-8");
    while (text.ends_with('\n') || text.ends_with('\r')) text.remove_suffix(1);
    if (text.find('\n') == std::string_view::npos) return split_sentence(std::string(text));
    std::vector<std::string> tokens;
    for (bool more = true; more;) {
        const std::size_t end = text.find('\n');
        std::string_view line = text.substr(0, end);
        if (line.ends_with('\r')) line.remove_suffix(1);
        tokens.emplace_back(line);
        more = end != std::string_view::npos;
        if (more) text.remove_prefix(end + 1);
    }
    return tokens;
}

}  // namespace

std::vector<std::string> shown_tokens(std::vector<std::string> raw) {
    const bool byte_level = any_holds(raw, blank_mark) || any_holds(raw, line_mark);
    const bool pieces = !byte_level && any_holds(raw, piece_mark);
    for (std::string& token : raw) {
        if (const auto bytes = byte_level ? bytes_behind(token) : std::nullopt) token = *bytes;
        if (const auto byte = pieces ? byte_piece(token) : std::nullopt) token = *byte;
        if (pieces) replace_all(token, piece_mark, " ");
        token = printed(token);
    }
    return raw;
}

TokenLists token_lists(std::string_view json) { return token_lists_in(parse_json(json)); }

std::vector<std::vector<long long>> id_lists(std::string_view json) {
    return lists_of<long long>(parse_json(json), "ids", id_in);
}

std::variant<TokenLists, TokenNames> read_tokens(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) throw InputError("", "holds no tokens");
    if (text[first] == '{') {
        const Json json = parse_json(text);
        if (is_tokenizer(json)) return vocabulary_in(json);
        throw InputError(
            "",
            "is not a tokenizer.json; expected a tokenizer.json, a list of tokens, or plain text");
    }
    if (text[first] == '[') {
        // This may also be a text whose first token is "[CLS]".
        const auto list = [&]() -> std::optional<Json> {
            try {
                return parse_json(text);
            } catch (const InputError&) {
                const std::size_t next = text.find_first_not_of(" \t\r\n", first + 1);
                if (next == std::string_view::npos || text[next] == '"' || text[next] == '[') throw;
                return std::nullopt;
            }
        }();
        if (list) return token_lists_in(*list);
    }
    return TokenLists{shown_tokens(tokens_in_text(text))};
}

std::vector<std::string> tokens_of(const TokenNames& vocabulary,
                                   const std::vector<long long>& ids) {
    std::vector<std::string> tokens;
    for (const long long id : ids) {
        const auto token = vocabulary.find(id);
        tokens.push_back(token == vocabulary.end() ? fmt::format("#{}", id) : token->second);
    }
    return tokens;
}

}  // namespace maskscope
