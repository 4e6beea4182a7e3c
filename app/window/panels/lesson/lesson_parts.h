#pragma once
// The sections of the panel in which a lesson is written, one file each.

#include <string>

#include "app/window/actions/actions.h"

namespace maskscope {

void draw_caption(Gui& gui, Session& session, const Rect& rect);
inline constexpr double last_line_height = 18;  // points, of the line below the foot of a caption
bool has_last_line(const Lesson& lesson);       // a source or a question in any step
// At `rect`; what is pressed within `bench` is picked.
void draw_lesson_editor(Gui& gui, Session& session, LessonEditor& editor, Commands& commands,
                        const Rect& rect, const Rect& bench);

const Step& shown_step(const Session& session);  // of the lesson that is open

void draw_lesson_steps(Gui& gui, Session& session, LessonEditor& editor);
void draw_step_words(Gui& gui, Session& session, LessonEditor& editor);
// The picked number, and where it goes: into the caption, or a fact.
void draw_picked_number(Gui& gui, Session& session, LessonEditor& editor);
void draw_step_facts(Gui& gui, Session& session, LessonEditor& editor);
void draw_fact_draft(Gui& gui, Session& session, LessonEditor& editor);  // if one is being made

// Text of the shown step, changed while it is typed; one step of undo.
void edit_words(Session& session, const std::string& what, std::string Step::*words,
                const std::string& text);
// Inserts an expression at the caption's last caret position.
void insert_into_caption(Session& session, LessonEditor& editor, const std::string& expression);

// Buttons side by side: keeps the next one, labelled `text`, on the same line if it fits.
void flow_before(Gui& gui, const std::string& text);

// A dot that is round and "right", or square and "wrong", and lines of text beside it.
void verdict_lines(Gui& gui, bool holds, const std::string& text);

}  // namespace maskscope
