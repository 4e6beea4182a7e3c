#pragma once
// A whole lesson as figures: pages that follow one another, with their words.

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "app/export/export.h"
#include "app/session/files/load.h"

namespace maskscope {

enum class LessonFormat { files, png, pdf, html };

// How a whole lesson is written there; absent if the options name one figure, or no lesson is
// written so.
std::optional<LessonFormat> lesson_format(const std::string& out, const ExportOptions& options);

// A page for each step, and one before it where the step asks.
struct LessonPage {
    int step = 0;       // from 0
    bool asks = false;  // its answer is covered
    std::string title;  // of the step
    std::string words;  // the caption, or the question
    std::string claim;  // what holds, with its verdict; "" while it asks
    // Alternative text, and the scene that the file contains; "" while it asks.
    std::string alternative, packed_scene;
    std::string notes;  // "" while it asks
    StepTable table;    // empty while it asks
    Figure figure;      // with title and words, but in HTML
};
// Alternative text. Must not give the answer away while the figure is covered.
std::string words_instead(const LessonPage& page);

// Words on the page are left out if options.parts.title is false, and in HTML, which has its own.
std::vector<LessonPage> lesson_pages(const LoadedLesson& loaded, const ExportOptions& options,
                                     bool with_words);

// files: out is a folder, made if it is missing, with a numbered file for each page. Returns the
// exit status; throws Error. Nothing is written unless all of it could be. words, out: as in
// export_scene(); a line for each page.
int export_lesson(const LoadedLesson& lesson, const std::string& out, LessonFormat format,
                  const ExportOptions& options, std::ostream* words);

}  // namespace maskscope
