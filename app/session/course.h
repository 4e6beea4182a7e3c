#pragma once
// Progress: which lesson steps were seen, and what was open last. Stored in the state folder.

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace maskscope {

class Session;
struct Lesson;

struct Course {
    std::string open;  // what was open last, as an argument of load(); "" = nothing yet
    int step = 0;      // the step of the lesson, from 0
    // Steps of built-in lessons whose answers were seen, from 0.
    std::map<std::string, std::set<int>> seen;
    bool operator==(const Course&) const = default;
};

// Reads the progress; empty if there is none, or it cannot be read. folder: see state_folder().
Course read_course(const std::filesystem::path& folder);

// Renames the file if it is damaged, and returns a line that says so; "" if it is valid or missing.
std::string set_damaged_course_aside(const std::filesystem::path& folder);

// Adds what the session shows to what was seen before. Does nothing if the session shows neither a
// file nor a built-in lesson. Write errors are ignored.
void remember_course(const std::filesystem::path& folder, const Session& session);

// The part of a session that is remembered. If it changes, the session is remembered again.
struct CourseMark {
    std::optional<std::filesystem::path> path;
    const Lesson* lesson = nullptr;
    int step = 0;
    bool seen = false;  // the step was seen with its answer
    bool operator==(const CourseMark&) const = default;
};
CourseMark course_mark(const Session& session);

// Opens what was open last, at its step. If there is nothing to open, or it cannot be opened, opens
// the first lesson. Throws Error if there are no lessons.
void open_as_left(const std::filesystem::path& folder, Session& session);

}  // namespace maskscope
