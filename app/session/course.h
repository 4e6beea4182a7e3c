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
    std::string open;  // in the form that load() takes; "" = nothing yet
    int step = 0;      // the lesson's, from 0
    std::map<std::string, std::set<int>>
        seen;  // steps of built-in lessons, with their answers, from 0
    bool operator==(const Course&) const = default;
};

// Reads the progress; empty if there is none, or it cannot be read. folder: see state_folder().
Course read_course(const std::filesystem::path& folder);

// Sets the file aside if it cannot be read, and returns a line that says so; "" if it is valid or
// missing.
std::string set_damaged_course_aside(const std::filesystem::path& folder);

// Writes what the session shows, in addition to what was seen before. Does nothing if that is not
// in a file. Write errors are ignored.
void remember_course(const std::filesystem::path& folder, const Session& session);

// The part of a session that is remembered. Two that differ are a reason to remember the session.
struct CourseMark {
    std::optional<std::filesystem::path> path;
    const Lesson* lesson = nullptr;
    int step = 0;
    bool seen = false;  // the step, with its answer
    bool operator==(const CourseMark&) const = default;
};
CourseMark course_mark(const Session& session);

// Opens what was open last, at its step; on the first start, or if the file no longer exists, the
// first lesson. Throws Error if there are no lessons.
void open_as_left(const std::filesystem::path& folder, Session& session);

}  // namespace maskscope
