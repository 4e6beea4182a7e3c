#pragma once
// Every edit of a lesson, as a free function from lesson to lesson; no session, no screen. A step
// is counted from 0 and exists.

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "core/lesson/lesson.h"

namespace maskscope {

// The first step of a lesson that is begun: the scene, and its title where it has one. No fact yet.
Step step_of(const Scene& scene);
Lesson lesson_of(const Scene& scene);

// Each returns where the step in question stands afterwards.
int insert_step(Lesson& lesson, int after, Step step);
int duplicate_step(Lesson& lesson, int step);
int move_step(Lesson& lesson, int from, int to);  // clamped
// Its neighbour, the next one where there is one. The last step that is left stays: EditError.
int remove_step(Lesson& lesson, int step);

// What the address becomes in a caption: "{B.sum[0,0,2]}", with ":%" as a per cent.
std::string caption_part(const Address& address, bool percent);

// Words of a caption as a person counts them: an address is one.
int count_words(std::string_view caption);
inline constexpr int most_words = 30;

// a-z, 0-9 and - alone: the name of a lesson from its title or its file's. "Rows, or columns?" ->
// "rows-or-columns"; "lesson" where nothing is left.
std::string lesson_name_of(std::string_view text);

// What the lesson lacks so that its file could be read again.
struct LessonProblem {
    int step = 0;
    std::string text;  // a sentence: "Step 2 needs a caption."
};
// The first, from the top; nothing: it is whole. Computes no scene.
std::optional<LessonProblem> problem_of(const Lesson& lesson, const std::filesystem::path& folder);

// The first fact that does not hold, or that cannot fail: what `maskscope check` would say. Steps
// that take longer than a moment to compute are left to that command. Throws Cancelled where
// progress, which may be null, says so.
std::optional<LessonProblem> unsound_fact(const Lesson& lesson, Backend& backend,
                                          const std::filesystem::path& folder,
                                          Progress* progress = nullptr);

}  // namespace maskscope
