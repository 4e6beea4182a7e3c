#pragma once
// Makes the figures of a whole lesson: pages that follow one another, with their words.

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "app/export/export.h"
#include "app/session/files/load.h"
#include "core/scene/scene.h"

namespace maskscope {

enum class LessonFormat { files, png, pdf, html };

// Returns the format for a whole lesson; nullopt if the options name one figure, or `out` has no
// such format.
std::optional<LessonFormat> lesson_format(const std::string& out, const ExportOptions& options);

// A page for each step, and one before it if the step asks a question.
struct LessonPage {
    int step = 0;        // from 0
    bool asks = false;   // its answer is hidden, or its mask is not painted yet
    std::string title;   // of the step
    std::string words;   // the caption, or the question
    std::string asked;   // the question that the caption answers; "" if there is none
    std::string answer;  // "Answer: 16"
    std::string claim;   // the fact with its verdict; "" while it asks
    // Alternative text, and the scene that the file contains; "" while it asks.
    std::string alternative, packed_scene;
    std::string notes;  // "" while it asks
    StepTable table;    // empty while it asks
    Figure figure;      // with title and words, except in HTML
};
// Returns the alternative text. On a page that asks a question it does not give away the answer.
std::string words_instead(const LessonPage& page);

// Makes the pages. They have no words if options.parts.title is false, and in HTML, which has its
// own.
std::vector<LessonPage> lesson_pages(const LoadedLesson& loaded, const ExportOptions& options,
                                     bool with_words);

// Exports a lesson. files: out is a folder, made if it is missing, with a numbered file for each
// page. Returns the exit status; throws Error. Nothing is written unless all of it could be. words,
// out: as in export_scene(); a line for each page.
int export_lesson(const LoadedLesson& lesson, const std::string& out, LessonFormat format,
                  const ExportOptions& options, std::ostream* words);

// Draws a page on which numbers are filled in by hand.
struct WorksheetOptions {
    std::vector<StageKind> blank{StageKind::weights};  // with their row sums
    bool solution = false;                             // nothing is left empty
};

// Draws the scene as an A4 page in PDF, portrait or landscape, whichever makes cells larger; if the
// cells of all variants would be too small to write in, with a page for each variant. Returns the
// exit status. Throws Error if a stage to fill in is not drawn, or its cells would be too small to
// write in.
int worksheet(const SceneArgument& scene, const std::string& out, const WorksheetOptions& options);

// Writes a lesson as one file for any browser: a figure and its words for each step, buttons and
// keys to change the step, and questions that show their answer when they are clicked. It needs no
// network. Without scripts, all steps are shown one below the other. Throws WorkError.
std::string lesson_html(const Lesson& lesson, const std::vector<LessonPage>& pages,
                        ThemeKind theme);

}  // namespace maskscope
