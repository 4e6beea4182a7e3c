#pragma once
// The frame around the bench of a lesson, and the sections of its editor.

#include <string>

#include "app/window/actions/actions.h"

namespace maskscope {

inline constexpr double lesson_side = 36;  // points on either side of the words of head and foot
// Returns the height in points; it is larger if the window is calm, see BenchState::calm.
double lesson_head_height(const Gui& gui, bool is_calm);
void draw_lesson_head(Gui& gui, Session& session, Ui& ui, const Rect& rect);
inline constexpr double lesson_foot_height = 28;  // points
void draw_lesson_foot(Gui& gui, Session& session, const Rect& rect);
// Returns the width in pixels, at most `most`, of counted answers, the step's table and, if they
// are open, its notes; 0 if there are none.
double lesson_notes_width(const Gui& gui, const Session& session, bool open, double most);
void draw_lesson_notes(Gui& gui, const Session& session, bool open, const Rect& rect);

// Draws the editor at `rect`. Picks the cell that is pressed within `bench`.
void draw_lesson_editor(Gui& gui, Session& session, LessonEditor& editor, Commands& commands,
                        const Rect& rect, const Rect& bench);

const Step& shown_step(const Session& session);  // the shown step of the open lesson

void draw_lesson_steps(Gui& gui, Session& session, LessonEditor& editor);
void draw_step_words(Gui& gui, Session& session, LessonEditor& editor);
// Draws the picked number, with buttons that put it into the caption or a fact.
void draw_picked_number(Gui& gui, Session& session, LessonEditor& editor);
void draw_step_facts(Gui& gui, Session& session, LessonEditor& editor);
void draw_fact_draft(Gui& gui, Session& session, LessonEditor& editor);  // if one is being written

// Changes text of the shown step while it is typed, as one undo step.
void edit_words(Session& session, const std::string& what, std::string Step::*words,
                const std::string& text);
// Inserts an expression into the caption, where the caret was last.
void insert_into_caption(Session& session, LessonEditor& editor, const std::string& expression);

// Keeps the next button, with the label `text`, on the same line if it fits.
void flow_before(Gui& gui, const std::string& text);

// Draws a round dot in the colour `right` if `holds`, otherwise a square one in `wrong`, with lines
// of text beside it.
void verdict_lines(Gui& gui, bool holds, const std::string& text);

}  // namespace maskscope
