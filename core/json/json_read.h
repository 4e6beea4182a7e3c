#pragma once
// Reads one JSON value at a time, with its pointer, and refuses what is not expected. Every
// function throws InputError at the node's place (or at the key or item that is at fault).

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/scene/names.h"
#include "core/scene/scene.h"

namespace maskscope {

// A value of the file, and the JSON pointer to it. The value outlives the node.
struct Node {
    const Json& json;
    std::string place;
};

inline constexpr Index largest_width = 65536;  // the limit for vectors, and for `hidden`
inline constexpr Index most_heads = 1024;

// Throws `expected "-inf", "lowest" or a number, got "minus"`.
[[noreturn]] void fail(const Node& node, const std::string& expected);
std::string place_of(const Node& node, std::string_view key);
std::string place_of(const Node& node, std::size_t index);

// --- objects
// Throws if the node is not an object, or has a key that is not one of these.
void expect_keys(const Node& object, const std::vector<std::string_view>& keys);
std::optional<Node> find(const Node& object, std::string_view key);
Node require(const Node& object, std::string_view key);  // "missing key" at the key itself

// --- lists
std::vector<Node> read_list(const Node& node);
std::vector<Node> read_filled_list(const Node& node);                 // at least one item
std::vector<Node> read_list_of(const Node& node, std::size_t count);  // exactly this many
std::vector<Index> read_indices(const Node& node, Index size);        // each 0 to size - 1
std::vector<Index> read_distinct(const Node& node, Index size);       // not empty, no repetition
// Throws at the first entry that repeats an earlier one.
void expect_distinct(const Node& list, const std::vector<Index>& entries);

// --- scalars
std::string read_text(const Node& node);   // no control characters
std::string read_label(const Node& node);  // and not empty
bool is_label(const std::string& text);    // true if read_label() would accept it
std::int64_t read_integer(const Node& node, std::int64_t low, std::int64_t high);
Index read_count(const Node& node, Index low, Index high);  // the same, as an Index
Index read_index(const Node& node, Index size);             // 0 to size - 1
double read_number(const Node& node);
bool read_flag(const Node& node);

std::string in_quotes(std::string_view word);  // "word"
// Returns `"a", "b" or "c"`.
std::string alternatives(std::span<const std::string_view> words, std::string_view more = "");
// Returns the index of the node's string in `words`.
std::size_t read_word(const Node& node, std::span<const std::string_view> words);

template <class T>
T read_name(const Node& node) {
    return static_cast<T>(read_word(node, names<T>()));
}

// Returns the value at a key that may be left out: read(node) or the default.
template <class Read, class T>
T read_or(const Node& object, std::string_view key, Read read, T otherwise) {
    const auto node = find(object, key);
    return node ? static_cast<T>(read(*node)) : otherwise;
}

}  // namespace maskscope
