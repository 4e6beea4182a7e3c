// Tests JSON as text: what is refused and where, and how JSON is written.

#include "core/base/json_text.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <nlohmann/json.hpp>
#include <random>

#include "core/base/error.h"

namespace maskscope {
namespace {

std::string line_of(const std::string& text) {
    try {
        parse_json(text);
        return "nothing is wrong";
    } catch (const InputError& error) {
        return at_file("f", error).what();
    }
}

struct BadText {
    std::string text, line;
};

TEST(JsonText, ErrorsSayLineAndColumn) {
    const BadText table[] = {
        {"", "f: line 1, column 1: unexpected end of input; expected '[', '{', or a literal"},
        {"[1,\n", "f: line 2, column 1: unexpected end of input; expected '[', '{', or a literal"},
        {"[1, 2", "f: line 1, column 6: unexpected end of input; expected ']'"},
        {"{\"a\": 1,}", "f: line 1, column 9: unexpected '}'; expected string literal"},
        {"[1,]", "f: line 1, column 4: unexpected ']'; expected '[', '{', or a literal"},
        {"[1] 2", "f: line 1, column 5: unexpected number literal; expected end of input"},
        {"{}\n{}", "f: line 2, column 1: unexpected '{'; expected end of input"},
        {"{\"a\" \"bc\"}", "f: line 1, column 6: unexpected string literal; expected ':'"},
        {"[01]", "f: line 1, column 3: unexpected number literal; expected ']'"},
        {"[1 true]", "f: line 1, column 4: unexpected true literal; expected ']'"},
        {"\xef\xbb\xbf{}",
         "f: line 1, column 1: begins with a byte order mark. Save the file without it"},
        {"[\"é\xff\"]", "f: line 1, column 4: invalid string: ill-formed UTF-8 byte"},
        {"[\"\xc0\x80\"]", "f: line 1, column 3: invalid string: ill-formed UTF-8 byte"},
        {"[\"\xed\xa0\x80\"]", "f: line 1, column 4: invalid string: ill-formed UTF-8 byte"},
        {"{\"a\": 1,\n \"é\": {\"a\": 1, \"a\": 2}}", "f: line 2, column 16: repeated key \"a\""},
        {R"({"\u0061": 1, "a": 2})", "f: line 1, column 15: repeated key \"a\""},
        {R"({"x\\\"": 1, "x\\\"": 2})", "f: line 1, column 14: repeated key \"x\\\"\""},
        {"/* no */ {}", "f: line 1, column 1: invalid literal"},
        {std::string("{}\0x", 4), "f: line 1, column 3: unexpected character U+0000"},
        {std::string("[\0]", 3),
         "f: line 1, column 2: unexpected end of input; expected '[', "
         "'{', or a literal"},
    };
    for (const BadText& bad : table) EXPECT_EQ(line_of(bad.text), bad.line) << bad.text;
}

TEST(JsonText, SyntaxErrorsHaveAPlace) {
    for (const char* text : {"{a: 1}",
                             "['a']",
                             "[+1]",
                             "[.5]",
                             "[1.]",
                             "[1e]",
                             "[0x1]",
                             "[NaN]",
                             "[Infinity]",
                             "[-]",
                             "[\"a]",
                             "[\"\\x\"]",
                             "[\"\\u12\"]",
                             R"(["\ud800"])",
                             R"(["\ud800x"])",
                             R"(["\ud800\u0041"])",
                             R"(["\udc00"])",
                             "[\"a\nb\"]",
                             "{\"a\"}",
                             "{1: 2}",
                             "]",
                             "}",
                             "{]",
                             "[}",
                             "nul",
                             "True",
                             "\xfe\xff",
                             "// c\n1",
                             "[1,,2]",
                             "{\"a\":}"})
        EXPECT_TRUE(line_of(text).starts_with("f: line 1, column ")) << text << line_of(text);
}

TEST(JsonText, NumbersBeyondFloat64HaveAPointer) {
    EXPECT_EQ(line_of("1e999"), "f: expected a finite number, got 1e999");
    EXPECT_EQ(line_of("[0, -1e999]"), "f: /1: expected a finite number, got -1e999");
    EXPECT_EQ(line_of(R"({"a/b": [[], {"~": 1e309}]})"),
              "f: /a~1b/1/~0: expected a finite number, got 1e309");
    EXPECT_EQ(line_of("[1.7976931348623157e308, 1e-999]"), "nothing is wrong");
}

TEST(JsonText, NestingOf64IsTheDeepest) {
    const auto nested = [](std::size_t depth) {
        return std::string(depth, '[') + std::string(depth, ']');
    };
    EXPECT_EQ(line_of(nested(64)), "nothing is wrong");
    EXPECT_EQ(line_of(nested(65)), "f: line 1, column 65: nested deeper than 64");
    EXPECT_EQ(line_of(std::string(100000, '[')), "f: line 1, column 65: nested deeper than 64");
    std::string objects;
    for (int k = 0; k < 65; ++k) objects += "{\"a\":";
    EXPECT_EQ(line_of(objects), "f: line 1, column 321: nested deeper than 64");
}

// The time grows with the number of keys, not with its square.
TEST(JsonText, ManyKeys) {
    std::string text = "{\"k\": 0";
    for (int k = 0; k < 200000; ++k) text += ", \"" + std::to_string(k) + "\": 0";
    EXPECT_EQ(line_of(text + "}"), "nothing is wrong");
}

TEST(JsonText, IsWrittenStably) {
    const std::string text = R"({
  "z": 1,
  "a": [
    [0, 1],
    [-0.5, 1e-7],
    []
  ],
  "text": "é \"q\" \\ 🙂",
  "mixed": [
    1,
    "all 0-4",
    null
  ],
  "empty": {},
  "flag": true,
  "whole": 7.0
}
)";
    EXPECT_EQ(write_json(parse_json(text)), text);
    EXPECT_EQ(write_json_line(parse_json(R"({"a":[1,2,{"b":[]}],"c":7.0})")),
              R"({"a": [1, 2, {"b": []}], "c": 7.0})");
}

TEST(JsonText, ShortestNumbers) {
    const std::pair<double, const char*> table[] = {
        {6, "6"},       {0.1, "0.1"},       {-1e9, "-1e9"},       {1e-7, "1e-7"},
        {1e22, "1e22"}, {5e-324, "5e-324"}, {-0.0, "-0"},         {1000, "1000"},
        {0.5, "0.5"},   {1e100, "1e100"},   {1.5e300, "1.5e300"}, {123456, "123456"}};
    for (const auto& [number, text] : table) EXPECT_EQ(shortest(number), text);
    EXPECT_EQ(shortest(INFINITY), "null");
}

TEST(JsonText, EveryNumberReadsBackTheSame) {
    std::mt19937_64 random(3);
    for (int k = 0; k < 100000; ++k) {
        const auto number = std::bit_cast<double>(random());
        if (!std::isfinite(number)) continue;
        for (const Json& written : {Json(number), number_to_json(number)})
            ASSERT_EQ(
                std::bit_cast<std::uint64_t>(parse_json(write_json_line(written)).get<double>()),
                std::bit_cast<std::uint64_t>(number));
    }
}

TEST(JsonText, WholeNumbersAreWrittenAsIntegers) {
    EXPECT_EQ(write_json_line(number_to_json(6)), "6");
    EXPECT_EQ(write_json_line(number_to_json(-1e9)), "-1e9");
    EXPECT_EQ(write_json_line(number_to_json(-0.0)), "-0.0");
    EXPECT_EQ(write_json_line(number_to_json(1e22)), "1e22");
}

TEST(JsonText, KeysAsStepsOfAPointer) {
    EXPECT_EQ(escape_key("a/b~1"), "a~1b~01");
    EXPECT_EQ(unescape_key(escape_key("~/~0~1")), "~/~0~1");
    EXPECT_THROW(unescape_key("a~"), InputError);
    EXPECT_THROW(unescape_key("~2"), InputError);
}

// --- error lines

TEST(ErrorLine, IsOneLine) {
    EXPECT_EQ(printable("a\nb\x7f\xc2\x85\xc2\xa0é"), "a\\u000ab\\u007f\\u0085\xc2\xa0é");
    EXPECT_EQ(printable("\xc2"), "\\xc2");
    const Error error = at_file("my\tscene.json", InputError("/a", "m\n"));
    EXPECT_STREQ(error.what(), "my\\u0009scene.json: /a: m\\u000a");
    EXPECT_EQ(error.status(), 2);
    EXPECT_EQ(at_file("out.png", WorkError("No space left on device")).status(), 1);
    EXPECT_STREQ(at_file("out.png", WorkError("No space left on device")).what(),
                 "out.png: No space left on device");
}

}  // namespace
}  // namespace maskscope
