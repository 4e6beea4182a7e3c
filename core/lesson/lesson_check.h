#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/lesson/lesson.h"

namespace maskscope {

// Checks that in a lesson that has been read, all addresses of facts and texts exist in their scene
// (after applying `with`, or `try_sets` for `try_shows`), every pointer of `with`, `fails_with` and
// `try_sets` can be set, and `covers` names variants and stages that exist. Throws InputError with
// the pointer into the lesson ("/steps/0/facts/1/at"), down to a field of `with` or `fails_with`
// ("/steps/0/facts/0/fails_with/~1variants~11~1mask~1apply").
void check_lesson(const Lesson& lesson, const SceneSources& sources);

// Returns warnings about what makes a caption hard to read on a slide: "21 words (at most 18)", "2
// numbers (at most 1)", and words that name a stage that is not drawn. filled: the caption, filled
// in for the step's own scene.
std::vector<std::string> caption_warnings(const Step& step, const std::string& filled);

// Returns words of the caption that name a stage which the step does not draw: "scores", "output".
// The caption must be valid.
std::vector<std::string> undrawn_words(const Step& step);

// A word that a step of a built-in lesson explains.
struct Term {
    std::string_view word, lesson;
    int step = 0;  // from 0
};
std::span<const Term> course_terms();
// Returns the terms that a valid caption uses, in the singular or plural, except in names of
// tokens.
std::vector<Term> terms_in(std::string_view text);

}  // namespace maskscope
