#pragma once
// The frame around the bench of a lesson, and the sections of its editor.

#include <string>

#include "app/window/actions/actions.h"

namespace maskscope {

inline constexpr double lesson_side = 36;  // points, beside the words of head and foot
// Returns points; more if the window is calm, see BenchState::calm.
double lesson_head_height(const Gui& gui, bool is_calm);
void draw_lesson_head(Gui& gui, Session& session, Ui& ui, const Rect& rect);
inline constexpr double lesson_foot_height = 28;  // points
void draw_lesson_foot(Gui& gui, Session& session, const Rect& rect);
// Returns the width of counted answers, the table of the step, and its notes if they are open, in
// pixels, up to `most`: 0 if there are none.
double lesson_notes_width(const Gui& gui, const Session& session, bool open, double most);
void draw_lesson_notes(Gui& gui, const Session& session, bool open, const Rect& rect);

// Draws the editor at `rect`; a cell that is pressed within `bench` is picked.
void draw_lesson_editor(Gui& gui, Session& session, LessonEditor& editor, Commands& commands,
                        const Rect& rect, const Rect& bench);

const Step& shown_step(const Session& session);  // of the open lesson

void draw_lesson_steps(Gui& gui, Session& session, LessonEditor& editor);
void draw_step_words(Gui& gui, Session& session, LessonEditor& editor);
// Draws the picked number, and where it goes: into the caption, or a fact.
void draw_picked_number(Gui& gui, Session& session, LessonEditor& editor);
void draw_step_facts(Gui& gui, Session& session, LessonEditor& editor);
void draw_fact_draft(Gui& gui, Session& session, LessonEditor& editor);  // if one is being written

// Edits text of the shown step, changed while it is typed; one undo step.
void edit_words(Session& session, const std::string& what, std::string Step::*words,
                const std::string& text);
// Inserts an expression at the caption's last caret position.
void insert_into_caption(Session& session, LessonEditor& editor, const std::string& expression);

// Keeps the next button, labelled `text`, on the same line if it fits.
void flow_before(Gui& gui, const std::string& text);

// Draws a dot that is round and "right", or square and "wrong", and lines of text beside it.
void verdict_lines(Gui& gui, bool holds, const std::string& text);

}  // namespace maskscope
