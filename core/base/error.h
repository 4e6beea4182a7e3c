#pragma once

#include <stdexcept>
#include <string>

namespace maskscope {

// An error that a person is told, in one line. what() is the line as it stands after "maskscope: ".
// Thrown where files, the machine or the user fail; caught once, where it can be said.
struct Error : std::runtime_error {
    Error(int status, const std::string& line) : std::runtime_error(line), status(status) {}
    int status;  // exit status: 1 the work failed, 2 bad usage or bad input
};

// Bad input, before the file's name is known: core reads text and is not told its name.
//   place: a JSON pointer ("/variants/0/mask/value"), "line 3, column 14", or "" for the root
struct InputError : std::runtime_error {
    InputError(std::string place, const std::string& message)
        : std::runtime_error(message), place(std::move(place)) {}
    std::string place;
};

// The work could not be done on this machine (status 1): disk, memory, a backend that is missing.
struct WorkError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// "file: place: message", the place left out where it is empty; control characters as \u000a.
Error at_file(const std::string& file, const InputError& error);
Error at_file(const std::string& file, const WorkError& error);

// Control characters (U+0000 to 1F, 7F to 9F) written as \u000a, so that a line stays a line.
std::string printable(const std::string& text);

}  // namespace maskscope
