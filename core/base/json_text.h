#pragma once
// JSON as text: read strictly, written stably.

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace maskscope {

using Json = nlohmann::ordered_json;

// Strict: a byte order mark, invalid UTF-8, a lone surrogate, a repeated key, nesting deeper than
// 64 and text after the end are an InputError at "line 3, column 14" (counted from 1, a column is a
// character); a number beyond float64 (1e999) is one at its JSON pointer.
Json parse_json(std::string_view text);

// Keys in order, indented by two spaces, each list of only numbers on one line, each number the
// shortest that reads back the same; an integer stays one and any other number does not become one
// (7.0). Ends with a newline. Numbers that are not finite become null.
std::string write_json(const Json& json);

// The same on one line, without the newline: [[0, 1], "a"].
std::string write_json_line(const Json& json);

// The shortest number that reads back the same: 0.1, -1e9, 6.
std::string shortest(double number);
// A number that write_json writes as 6, not 6.0, where any number is allowed.
Json number_to_json(double number);

// "a/b" -> "a~1b": a key as one step of a JSON pointer, and back. Any other use of ~ is InputError.
std::string escape_key(std::string_view key);
std::string unescape_key(std::string_view step);

}  // namespace maskscope
