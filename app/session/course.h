#pragma once
// What of the course somebody has seen, and what was open last, in a file of the state folder.

#include <filesystem>
#include <map>
#include <set>
#include <string>

namespace maskscope {

class Session;

struct Course {
    std::string open;                           // as load() takes it; "" = nothing yet
    int step = 0;                               // of a lesson, from 0
    std::map<std::string, std::set<int>> seen;  // steps of built-in lessons, uncovered, from 0
    bool operator==(const Course&) const = default;
};

// What was written there; empty if there is nothing, or nothing that can be read. folder: see
// state_folder().
Course read_course(const std::filesystem::path& folder);

// Sets the file aside if it cannot be read, and returns a line that says so; "" if it is sound or
// absent.
std::string set_damaged_course_aside(const std::filesystem::path& folder);

// Writes what the session shows, beside what was seen before. Nothing if it is in no file. Failing
// to write is no error.
void remember_course(const std::filesystem::path& folder, const Session& session);

// Opens what was open last, at its step; at the first start, or if it is gone, the first lesson.
// Throws Error if there are no lessons.
void open_as_left(const std::filesystem::path& folder, Session& session);

}  // namespace maskscope
