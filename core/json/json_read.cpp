#include "core/json/json_read.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/utf8.h"

namespace maskscope {

namespace {

constexpr std::size_t longest_quote = 60;

// Describes the value for an error message.
std::string described(const Json& json) {
    if (json.is_object()) return "an object";
    if (json.is_array()) return json.empty() ? "an empty list" : "a list";
    if (json.is_string())
        return in_quotes(
            printable(without_middle(json.get_ref<const std::string&>(), longest_quote)));
    return write_json_line(json);
}

}  // namespace

std::string in_quotes(std::string_view word) { return fmt::format("\"{}\"", word); }

void fail(const Node& node, const std::string& expected) {
    throw InputError(node.place,
                     fmt::format("expected {}, got {}", expected, described(node.json)));
}

std::string place_of(const Node& node, std::string_view key) {
    return node.place + "/" + escape_key(key);
}

std::string place_of(const Node& node, std::size_t index) {
    return node.place + "/" + std::to_string(index);
}

void expect_keys(const Node& object, const std::vector<std::string_view>& keys) {
    if (!object.json.is_object()) fail(object, "an object");
    for (const auto& item : object.json.items())
        if (std::ranges::find(keys, item.key()) == keys.end()) {
            const std::set<std::string_view> known(keys.begin(), keys.end());
            throw InputError(place_of(object, item.key()),
                             fmt::format("unknown key (known: {})", fmt::join(known, ", ")));
        }
}

std::optional<Node> find(const Node& object, std::string_view key) {
    if (!object.json.is_object()) fail(object, "an object");
    const auto item = object.json.find(key);
    if (item == object.json.end()) return std::nullopt;
    return Node{*item, place_of(object, key)};
}

Node require(const Node& object, std::string_view key) {
    const auto node = find(object, key);
    if (!node) throw InputError(place_of(object, key), "missing key");
    return *node;
}

std::vector<Node> read_list(const Node& node) {
    if (!node.json.is_array()) fail(node, "a list");
    std::vector<Node> items;
    items.reserve(node.json.size());
    for (const Json& item : node.json) items.push_back({item, place_of(node, items.size())});
    return items;
}

std::vector<Node> read_filled_list(const Node& node) {
    if (!node.json.is_array() || node.json.empty()) fail(node, "a list that is not empty");
    return read_list(node);
}

std::vector<Node> read_list_of(const Node& node, std::size_t count) {
    if (!node.json.is_array()) fail(node, "a list of " + std::to_string(count));
    if (node.json.size() != count)
        throw InputError(node.place, fmt::format("expected a list of {}, got a list of {}", count,
                                                 node.json.size()));
    return read_list(node);
}

std::vector<Index> read_indices(const Node& node, Index size) {
    std::vector<Index> indices;
    for (const Node& item : read_list(node)) indices.push_back(read_index(item, size));
    return indices;
}

std::vector<Index> read_distinct(const Node& node, Index size) {
    if (node.json.is_array() && node.json.empty()) fail(node, "a list that is not empty");
    std::vector<Index> indices = read_indices(node, size);
    expect_distinct(node, indices);
    return indices;
}

void expect_distinct(const Node& list, const std::vector<Index>& entries) {
    std::set<Index> seen;
    for (std::size_t k = 0; k < entries.size(); ++k)
        if (!seen.insert(entries[k]).second)
            throw InputError(place_of(list, k), "repeats an earlier entry");
}

std::string read_text(const Node& node) {
    if (!node.json.is_string()) fail(node, "a string");
    const auto& text = node.json.get_ref<const std::string&>();
    if (!is_utf8(text)) throw InputError(node.place, "is not valid UTF-8");
    if (printable(text) != text) fail(node, "a string without control characters");
    return text;
}

std::string read_label(const Node& node) {
    std::string text = read_text(node);
    if (text.empty()) fail(node, "a string that is not empty");
    return text;
}

bool is_label(const std::string& text) {
    const auto is_plain = [](char c) { return c >= ' ' && c < 0x7f; };
    if (std::ranges::all_of(text, is_plain)) return !text.empty();
    return is_utf8(text) && printable(text) == text;
}

std::int64_t read_integer(const Node& node, std::int64_t low, std::int64_t high) {
    const bool fits = node.json.is_number_unsigned()
                          ? node.json.get<std::uint64_t>() <= static_cast<std::uint64_t>(high)
                          : node.json.is_number_integer();
    if (fits && node.json.get<std::int64_t>() >= low && node.json.get<std::int64_t>() <= high)
        return node.json.get<std::int64_t>();
    fail(node,
         low == high ? fmt::format("{}", low) : fmt::format("an integer from {} to {}", low, high));
}

Index read_count(const Node& node, Index low, Index high) {
    return static_cast<Index>(read_integer(node, low, high));
}

Index read_index(const Node& node, Index size) { return read_count(node, 0, size - 1); }

double read_number(const Node& node) {
    if (!node.json.is_number()) fail(node, "a number");
    // A signed 0 can only have been written "-0".
    if (node.json.is_number_integer() && !node.json.is_number_unsigned() && node.json == 0)
        return -0.0;
    const double number = node.json.get<double>();
    // A number that is not finite can only come from an edit, because parsing refuses it.
    if (!std::isfinite(number)) fail(node, "a finite number");
    return number;
}

bool read_flag(const Node& node) {
    if (!node.json.is_boolean()) fail(node, "true or false");
    return node.json.get<bool>();
}

std::string alternatives(std::span<const std::string_view> words, std::string_view more) {
    std::vector<std::string> all;
    for (const std::string_view word : words)
        if (!word.empty()) all.push_back(in_quotes(word));
    if (!more.empty()) all.emplace_back(more);
    std::string text = all.front();
    for (std::size_t k = 1; k < all.size(); ++k)
        text += (k + 1 < all.size() ? ", " : " or ") + all[k];
    return text;
}

std::size_t read_word(const Node& node, std::span<const std::string_view> words) {
    const auto* word = node.json.get_ptr<const std::string*>();
    const auto at = word ? std::ranges::find(words, *word) : words.end();
    if (at == words.end() || at->empty()) fail(node, alternatives(words));
    return static_cast<std::size_t>(at - words.begin());
}

}  // namespace maskscope
