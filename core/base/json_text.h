#pragma once
// Reads JSON strictly, and always writes the same value in the same way.

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace maskscope {

using Json = nlohmann::ordered_json;

// Parses strictly. A byte order mark, invalid UTF-8, a lone surrogate, a repeated key, nesting
// deeper than 64 and text after the end are an InputError at "line 3, column 14" (counted from 1, a
// column is a character). A number beyond float64 (1e999) is an InputError at its JSON pointer.
Json parse_json(std::string_view text);

// Writes keys in order, indented by two spaces, and each list of numbers or booleans on one line.
// Each number is the shortest that reads back the same: an integer stays one, and no other number
// becomes one (7.0). Numbers that are not finite become null. Ends with a newline.
std::string write_json(const Json& json);

// Writes the same on one line, without the newline: [[0, 1], "a"].
std::string write_json_line(const Json& json);

// Returns the shortest text that reads back as the same number: 0.1, -1e9, 6.
std::string shortest(double number);
// Makes a JSON number that write_json writes as 6, not 6.0. Use it if any number is allowed.
Json number_to_json(double number);

// Turn a key into one step of a JSON pointer ("a/b" -> "a~1b"), and back. A step with a ~ outside
// ~0 and ~1 is an InputError.
std::string escape_key(std::string_view key);
std::string unescape_key(std::string_view step);

}  // namespace maskscope
