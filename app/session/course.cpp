#include "app/session/course.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/session/files/load.h"
#include "app/session/files/state_files.h"
#include "app/session/session.h"
#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/files/file.h"
#include "core/files/input_file.h"

namespace maskscope {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view built_in = "lesson:";
constexpr int highest_step = 1000;

fs::path course_in(const fs::path& folder) { return folder / "course.json"; }

Course course_of(const Json& json) {
    const auto read_step = [](const Json& step) {
        using Count = Json::number_unsigned_t;
        return static_cast<int>(std::clamp<Count>(step.get_ref<const Count&>(), 1, highest_step) -
                                1);
    };
    Course course{json.at("open").get<std::string>(), read_step(json.at("step")), {}};
    for (const auto& [lesson, steps] : json.at("seen").items())
        for (const Json& step : steps) course.seen[lesson].insert(read_step(step));
    return course;
}

Json json_of(const Course& course) {
    Json json = {{"open", course.open}, {"step", course.step + 1}, {"seen", Json::object()}};
    for (const auto& [lesson, steps] : course.seen) {
        // nlohmann::json ends the program if memory runs out while null becomes a list, so set the
        // list here.
        Json& list = json["seen"][lesson] = Json::array();
        for (const int step : steps) list.push_back(step + 1);
    }
    return json;
}

bool is_built_in(const Session& session) {
    return session.lesson() && !session.document().saves_lesson();
}

// Reads the progress. Throws TemporaryError.
Course noted_course(const fs::path& folder) {
    if (folder.empty()) return {};
    try {
        return course_of(parse_json(read_file(course_in(folder), std::size_t{1} << 20)));
    } catch (const TemporaryError&) {
        throw;
    } catch (const Error&) {            // there is no file yet
    } catch (const Json::exception&) {  // the file was not written by Maskscope
    }
    return {};
}

}  // namespace

Course read_course(const fs::path& folder) {
    try {
        return noted_course(folder);
    } catch (const TemporaryError&) {
        return {};
    }
}

std::string set_damaged_course_aside(const fs::path& folder) {
    return set_aside_if_damaged(folder, course_in(folder), [](const fs::path& file) {
        course_of(parse_json(read_file(file, std::size_t{1} << 20)));
    });
}

namespace {

// Adds what the session shows to the file.
void note_course(const fs::path& folder, const Session& session) try {
    const auto path = session.document().path();
    Course course = noted_course(folder);
    const Course before = course;
    std::error_code error;
    course.open =
        path ? fs::absolute(*path, error).string() : std::string(built_in) + session.lesson()->name;
    course.step = session.document().step;
    if (!path && course_mark(session).seen)
        course.seen[session.lesson()->name].insert(session.document().step);
    if (course == before) return;
    replace_file(course_in(folder), write_json(json_of(course)), {.readers = Readers::owner});
} catch (const WorkError&) {
} catch (const TemporaryError&) {   // writing it now would lose its contents
} catch (const Json::exception&) {  // the path is not UTF-8
}

}  // namespace

CourseMark course_mark(const Session& session) {
    return {session.document().path(), session.lesson(), session.document().step,
            !session.view().asks()};
}

void remember_course(const fs::path& folder, const Session& session) {
    if (folder.empty() || (!session.document().path() && !is_built_in(session))) return;
    change_state(folder, [&] { note_course(folder, session); });
}

void open_as_left(const fs::path& folder, Session& session) {
    const Course course = read_course(folder);
    if (course.open.starts_with(built_in)) {
        try {
            const LoadedLesson loaded = load_lesson(course.open);
            session.open_lesson(loaded.lesson, loaded.folder, course.step);
            return;
        } catch (const Error&) {  // the lesson is from another version
        }
    } else if (std::error_code unknown; !course.open.empty() && fs::exists(course.open, unknown) &&
                                        session.open(course.open)) {
        return session.go_to_step(course.step);
    }
    const LoadedLesson first = load_lesson(std::string(built_in) + lesson_names().front());
    session.open_lesson(first.lesson, first.folder);
}

}  // namespace maskscope
