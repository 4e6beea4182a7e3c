#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>

namespace maskscope {

// The most bytes of an error message, whatever it quotes. With "maskscope: " before it, a line has
// at most 300 bytes.
inline constexpr std::size_t longest_error = 288;

// Returns the UTF-8 text, without its middle if it is longer than `most` bytes (at least 8):
// "abc…xyz".
std::string without_middle(const std::string& text, std::size_t most);

// Writes control characters (U+0000 to 1F, 7F to 9F) as \u000a, and bytes of invalid UTF-8 as \xff,
// so that a line stays one line that can be shown.
std::string printable(const std::string& text);

// An error for the user: a one-line message, its kind, and the place in the input.
struct Error : std::runtime_error {
    enum class Kind { work, input, edit };
    Error(Kind kind, std::string place, const std::string& message)
        : std::runtime_error(without_middle(printable(message), longest_error)),
          kind(kind),
          place(std::move(place)) {}
    // line: a whole line, as printed after "maskscope: ".
    Error(int status, const std::string& line)
        : Error(status == 1 ? Kind::work : Kind::input, "", line) {}
    int status() const { return kind == Kind::work ? 1 : 2; }

    Kind kind;
    std::string place;  // see InputError; "" otherwise
};

// Bad input. at_file adds the file's name, because core reads text without knowing it.
//   place: a JSON pointer ("/variants/0/mask/value"), "line 3, column 14", or "" for the root
struct InputError : Error {
    InputError(std::string place, const std::string& message)
        : Error(Kind::input, std::move(place), message) {}
};

// The work could not be done on this machine: disk, memory, a missing backend.
struct WorkError : Error {
    explicit WorkError(const std::string& message) : Error(Kind::work, "", message) {}
};

// Returns the error "file: place: message", without the place if it is empty, and with control
// characters as \u000a. If the line is too long, each part that is too long loses its middle.
Error at_file(const std::string& file, const Error& error);

}  // namespace maskscope
