#pragma once
// Handles the keys while a lesson is presented.

#include "app/window/context/ui_state.h"
#include "app/window/paint/gui.h"

namespace maskscope {

void present(App& app);  // begins or ends presenting
// Goes from token to token of generation and on through the lesson, or from field to field of the
// what-if line.
void turn_or_step(Session& session, Ui& ui, int steps);
void turn_value(Session& session, Presenting& presenting, int steps);  // for the what-if line
void toggle_what_if(const Session& session, Presenting& presenting);
void toggle_blank(Presenting& presenting);
void toggle_spotlight(Presenting& presenting);
void toggle_presenting_keys(Presenting& presenting);
void toggle_presenting_notes(Presenting& presenting);

// Return the variant that the what-if line changes, and the chosen field; -1 is the choice of the
// variant itself. Both exist in the open scene, whatever the previous step had.
int what_if_lane(const Session& session, const Presenting& presenting);
std::optional<int> what_if_field(const Session& session, const Presenting& presenting);

}  // namespace maskscope
