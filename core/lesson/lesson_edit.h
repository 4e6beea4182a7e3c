#pragma once
// Edits of a lesson, as free functions. Steps are counted from 0 and must exist.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "core/lesson/lesson.h"

namespace maskscope {

// Make a step with the scene and its title, without facts, and a lesson of that one step.
Step step_of(const Scene& scene);
Lesson lesson_of(const Scene& scene);

// These edits return the index of the affected step afterwards.
int insert_step(Lesson& lesson, int after, Step step);
int duplicate_step(Lesson& lesson, int step);
int move_step(Lesson& lesson, int from, int to);  // clamped
// Removes a step. Returns the index of the step that followed it, or of the last step if none did.
// EditError if it is the only step.
int remove_step(Lesson& lesson, int step);

// Writes the address as part of a caption: "{B.sum[0,0,2]}", or "{B.sum[0,0,2]:%}".
std::string caption_part(const Address& address, bool percent);

// Counts the words of a caption; an expression in braces counts as one.
int count_words(std::string_view caption);
inline constexpr int most_words = 18, most_numbers = 1;

// Makes a lesson's name (a-z, 0-9 and -) from its title or file name: "Rows, or columns?" ->
// "rows-or-columns"; "lesson" if nothing is left.
std::string lesson_name_of(std::string_view text);

// A problem for which `maskscope check` refuses the file of a lesson.
struct LessonProblem {
    int step = 0;
    std::string text;  // a sentence: "Step 2 needs a caption."
};
// Returns the first problem; nullopt if there is none. Computes no scene.
std::optional<LessonProblem> problem_of(const Lesson& lesson, const SceneSources& sources);

// Returns the first problem that only computing finds: a scene that cannot be computed, a fact that
// does not hold or cannot fail, or a Try that does not show its fact. `maskscope check` reports
// them, too. Skips steps that take noticeably long to compute. `progress` may be null. Throws
// Cancellation.
std::optional<LessonProblem> unsound_fact(const Lesson& lesson, Backend& backend,
                                          const SceneSources& sources,
                                          Progress* progress = nullptr);

}  // namespace maskscope
