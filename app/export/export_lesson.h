#pragma once
// Makes the figures of a whole lesson: pages with their words, in the order of its steps.

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "app/export/export.h"
#include "app/session/files/load.h"
#include "core/scene/scene.h"

namespace maskscope {

enum class LessonFormat { files, png, pdf, html };

// Returns the format for a whole lesson; nullopt if the options name a single figure, or `out` has
// none of these formats.
std::optional<LessonFormat> lesson_format(const std::string& out, const ExportOptions& options);

// One page. Each step has one, and another before it if the step asks a question or is an exercise.
struct LessonPage {
    int step = 0;        // from 0
    bool asks = false;   // its answer is still hidden, or its mask not yet painted
    std::string title;   // the title of the step
    std::string words;   // the caption, or the question
    std::string asked;   // the question that the caption answers; "" if there is none
    std::string answer;  // "Answer: 16"
    std::string claim;   // the fact, and whether it holds; "" while the page asks
    // Alternative text, and the scene that the file contains ("" while the page asks).
    std::string alternative, packed_scene;
    std::string notes;  // "" while the page asks
    StepTable table;    // empty while the page asks
    Figure figure;      // with title and words, except in HTML
};
// Returns the alternative text of a page. While the page asks, it is only the title and the
// question, so that it does not give away the answer.
std::string words_instead(const LessonPage& page);

// Makes the pages. with_words: whether their figures contain the words (unless options.parts.title
// is false); not for HTML, which has the words as text.
std::vector<LessonPage> lesson_pages(const LoadedLesson& loaded, const ExportOptions& options,
                                     bool with_words);

// Exports a lesson. If the format is files, `out` is a folder, created if missing, with a numbered
// file for each page. words, out: as in export_scene(), with a line for each page. Writes
// everything or nothing. Returns the exit status; throws Error.
int export_lesson(const LoadedLesson& lesson, const std::string& out, LessonFormat format,
                  const ExportOptions& options, std::ostream* words);

// Options of a worksheet: a page with numbers to fill in by hand.
struct WorksheetOptions {
    std::vector<StageKind> blank{StageKind::weights};  // the stages to fill in, with their row sums
    bool solution = false;                             // prints the numbers
};

// Draws the scene as an A4 page in PDF, portrait or landscape, whichever makes cells larger. If the
// cells of all variants would be too small to write in, each variant has its own page. Returns the
// exit status. Throws Error if a stage to fill in is not drawn, or if its cells would still be too
// small.
int worksheet(const SceneArgument& scene, const std::string& out, const WorksheetOptions& options);

// Makes a lesson one file for any browser: a figure and its words for each step, buttons and keys
// to change the step, and questions that show their answer on a click. It needs no network. Without
// scripts, all steps are shown one below the other. Throws WorkError.
std::string lesson_html(const Lesson& lesson, const std::vector<LessonPage>& pages,
                        ThemeKind theme);

}  // namespace maskscope
