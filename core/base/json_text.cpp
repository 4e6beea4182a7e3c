#include "core/base/json_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>
#include <unordered_set>
#include <vector>

#include "core/base/error.h"

namespace maskscope {

namespace {

constexpr std::size_t deepest = 64;
constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

// Returns "line 3, column 14" of the byte at `offset`; a column is a character, not a byte.
std::string line_and_column(std::string_view text, std::size_t offset) {
    const std::string_view before = text.substr(0, offset);
    const auto line = std::ranges::count(before, '\n') + 1;
    const std::size_t start = before.rfind('\n') + 1;  // npos + 1 = 0
    const auto column =
        std::ranges::count_if(
            before.substr(start),
            [](char byte) { return (static_cast<unsigned char>(byte) & 0xc0) != 0x80; }) +
        1;
    return "line " + std::to_string(line) + ", column " + std::to_string(column);
}

// A pointer into the text that records how far the parser has read.
class CountingPointer {
public:
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = const char&;

    CountingPointer(const char* at, const char** read) : at_(at), read_(read) {}
    reference operator*() const { return *at_; }
    CountingPointer& operator++() {
        *read_ = ++at_;
        return *this;
    }
    CountingPointer operator++(int) {
        const CountingPointer before = *this;
        ++*this;
        return before;
    }
    bool operator==(const CountingPointer& other) const { return at_ == other.at_; }
    bool operator!=(const CountingPointer& other) const { return at_ != other.at_; }

private:
    const char* at_;
    const char** read_;
};

// An open list or object.
struct Level {
    Json* container;
    std::unordered_set<std::string> keys;
};

// A builder that makes the value while the parser reads. It also refuses what the parser accepts
// but parse_json() must refuse.
class Builder {
public:
    explicit Builder(std::string_view text) : text_(text), read_(text.data()) {}

    Json take() { return std::move(root_); }
    CountingPointer begin() { return {text_.data(), &read_}; }
    CountingPointer end() { return {text_.data() + text_.size(), &read_}; }

    bool null() { return add(nullptr); }
    bool boolean(bool value) { return add(value); }
    bool number_integer(std::int64_t value) { return add(value); }
    bool number_unsigned(std::uint64_t value) { return add(value); }
    bool number_float(double value, const std::string&) { return add(value); }
    bool string(std::string& value) { return add(std::move(value)); }
    bool binary(Json::binary_t&) { return false; }
    bool start_object(std::size_t) { return open(Json::object()); }
    bool start_array(std::size_t) { return open(Json::array()); }
    bool end_object() { return close(); }
    bool end_array() { return close(); }

    bool key(std::string& name) {
        Level& level = levels_.back();
        if (!level.keys.insert(name).second)
            fail(start_of_key(), "repeated key \"" + printable(name) + "\"");
        // Append to the list of pairs directly, because the object's own insertion searches all of
        // them.
        level.container->get_ref<Json::object_t&>().emplace_back(name, nullptr);
        return true;
    }

    bool parse_error(std::size_t position, const std::string& token,
                     const nlohmann::detail::exception& error) {
        constexpr int out_of_range = 406;
        if (error.id == out_of_range)
            throw InputError(pointer(), "expected a finite number, got " + token);
        const std::string message = reason(error.what());
        fail(position - std::min(position, length_of_unexpected(message, token)), message);
    }

private:
    [[noreturn]] void fail(std::size_t offset, const std::string& message) const {
        throw InputError(line_and_column(text_, offset), message);
    }

    bool add(Json value) {
        place() = std::move(value);
        return true;
    }

    bool open(Json container) {
        if (levels_.size() == deepest)
            fail(offset() - 1, "nested deeper than " + std::to_string(deepest));
        Json& opened = place() = std::move(container);
        levels_.push_back({&opened, {}});
        return true;
    }

    bool close() {
        levels_.pop_back();
        return true;
    }

    // Returns the place of the next value. Parents do not move while a child is open.
    Json& place() {
        if (levels_.empty()) return root_;
        Json& container = *levels_.back().container;
        if (container.is_object()) return container.get_ref<Json::object_t&>().back().second;
        return container.get_ref<Json::array_t&>().emplace_back();
    }

    std::size_t offset() const { return static_cast<std::size_t>(read_ - text_.data()); }

    // Returns where the key starts whose closing quote has just been read. Quotes inside a key
    // follow a backslash.
    std::size_t start_of_key() const {
        std::size_t k = offset() - 1;
        do k = text_.rfind('"', k - 1);
        while (text_[k - 1] == '\\');
        return k;
    }

    std::string pointer() const {
        std::string steps;
        for (const Level& level : levels_) {
            const Json& container = *level.container;
            if (container.is_array() && &level != &levels_.back())
                steps += "/" + std::to_string(container.size() - 1);
            else if (container.is_array())
                steps += "/" + std::to_string(container.size());
            else
                steps += "/" + escape_key(container.get_ref<const Json::object_t&>().back().first);
        }
        return steps;
    }

    // Returns the length of the part that is wrong. Errors point at its first character, but the
    // parser has read to its last.
    static std::size_t length_of_unexpected(const std::string& message, const std::string& token) {
        if (message.starts_with("unexpected string literal")) return token.size();
        if (message.starts_with("unexpected number literal")) return token.size();
        if (message.starts_with("unexpected true literal")) return 4;
        if (message.starts_with("unexpected false literal")) return 5;
        if (message.starts_with("unexpected null literal")) return 4;
        return 1;
    }

    // Returns the reason in "… syntax error while parsing object key - unexpected '}'; expected
    // string literal": from " - " on, without the text that was read, which may be long.
    static std::string reason(std::string message) {
        const std::size_t dash = message.find(" - ");
        if (dash != std::string::npos) message.erase(0, dash + 3);
        const std::size_t read = message.find("; last read: '");
        if (read == std::string::npos) return message;
        const std::size_t expected = message.rfind("'; expected ");
        const bool more = expected != std::string::npos && expected > read;
        return message.substr(0, read) + (more ? message.substr(expected + 1) : "");
    }

    std::string_view text_;
    const char* read_;
    Json root_;
    std::vector<Level> levels_;
};

void write_string(std::string& out, const std::string& text) {
    // With `replace`, a string that is not UTF-8 does not throw here.
    out += Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

void write_scalar(std::string& out, const Json& json) {
    if (json.is_string()) return write_string(out, json.get_ref<const std::string&>());
    const std::string text = json.is_number_float() ? shortest(json.get<double>()) : json.dump();
    out += text;
    if (json.is_number_float() && text.find_first_of(".en") == std::string::npos) out += ".0";
}

bool is_numbers(const Json& json) {
    return json.is_array() && std::ranges::all_of(json, [](const Json& item) {
               return item.is_number() || item.is_boolean();
           });
}

// A writer of values with their contents. indent: that of the line on which a value begins.
class Writer {
public:
    explicit Writer(std::string& out) : out_(out) {}

    void value(const Json& json, int indent, bool flat) {
        if (!json.is_structured()) {
            write_scalar(out_, json);
            return;
        }
        flat = flat || json.empty() || is_numbers(json);
        out_ += json.is_array() ? '[' : '{';
        const char* comma = "";
        for (const auto& item : json.items()) {
            out_ += comma;
            comma = flat ? ", " : ",";
            if (!flat) new_line(indent + 2);
            if (json.is_object()) key(item.key());
            value(item.value(), indent + 2, flat);
        }
        if (!flat) new_line(indent);
        out_ += json.is_array() ? ']' : '}';
    }

private:
    void new_line(int indent) { out_.append("\n").append(static_cast<std::size_t>(indent), ' '); }
    void key(const std::string& name) {
        write_string(out_, name);
        out_ += ": ";
    }

    std::string& out_;
};

}  // namespace

Json parse_json(std::string_view text) {
    if (text.starts_with(byte_order_mark))
        throw InputError("line 1, column 1",
                         "begins with a byte order mark. Save the file without it");
    // The parser takes a zero byte for the end of the text.
    const std::size_t zero = text.find('\0');
    Builder builder(text);
    Json::sax_parse(builder.begin(), builder.end(), &builder);
    if (zero != std::string_view::npos)
        throw InputError(line_and_column(text, zero), "unexpected character U+0000");
    return builder.take();
}

std::string write_json(const Json& json) {
    std::string out;
    Writer(out).value(json, 0, false);
    return out + "\n";
}

std::string write_json_line(const Json& json) {
    std::string out;
    Writer(out).value(json, 0, true);
    return out;
}

std::string shortest(double number) {
    if (!std::isfinite(number)) return "null";
    char digits[32];
    const auto [end, error] = std::to_chars(std::begin(digits), std::end(digits), number);
    std::string text(digits, end);
    const std::size_t e = text.find('e');
    if (e == std::string::npos) return text;
    // 1e+09 -> 1e9, 1e-07 -> 1e-7
    const std::string sign = text[e + 1] == '-' ? "-" : "";
    const std::size_t power = text.find_first_not_of("+-0", e + 1);
    return text.substr(0, e + 1) + sign + text.substr(power);
}

Json number_to_json(double number) {
    constexpr double exact = 9007199254740992.0;  // 2^53: up to here a double holds every integer
    const bool whole = std::abs(number) < exact && number == std::trunc(number);
    const bool signed_zero = number == 0 && std::signbit(number);
    if (!whole || signed_zero || shortest(number).find('e') != std::string::npos) return number;
    if (number < 0) return static_cast<std::int64_t>(number);
    return static_cast<std::uint64_t>(number);  // as the parser reads a number without a sign
}

std::string escape_key(std::string_view key) {
    std::string step;
    for (const char c : key) {
        if (c == '~')
            step += "~0";
        else if (c == '/')
            step += "~1";
        else
            step += c;
    }
    return step;
}

std::string unescape_key(std::string_view step) {
    std::string key;
    for (std::size_t k = 0; k < step.size(); ++k) {
        if (step[k] != '~') {
            key += step[k];
            continue;
        }
        const char next = k + 1 < step.size() ? step[++k] : '\0';
        if (next != '0' && next != '1') throw InputError("", "~ is allowed only in ~0 and ~1");
        key += next == '0' ? '~' : '/';
    }
    return key;
}

}  // namespace maskscope
