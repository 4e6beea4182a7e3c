#pragma once
// The sections of the panel in which a lesson is written, a file each.

#include <string>

#include "app/window/actions/actions.h"

namespace maskscope {

void draw_caption(App& app);
void draw_lesson_editor(App& app);  // while app.ui.lesson_editor, in place of the inspector

const Step& shown_step(const App& app);  // of the lesson that is open

void draw_lesson_steps(App& app);
void draw_step_words(App& app);
void draw_picked_number(App& app);  // and where it goes: into the caption, or a fact
void draw_step_facts(App& app);
void draw_fact_draft(App& app);  // where one is being made

// Text of the shown step, changed while it is typed; one step of undo.
void edit_words(App& app, const std::string& what, std::string Step::*words,
                const std::string& text);
// Puts an address where the caret stood in the caption.
void insert_into_caption(App& app, const Address& address, bool percent);

// Buttons side by side: the next one on the same line where it fits, `text` being what it says.
void flow_before(App& app, const std::string& text);

// A dot that is round and "right", or square and "wrong", and lines of text beside it.
void verdict_lines(App& app, bool holds, const std::string& text);

}  // namespace maskscope
