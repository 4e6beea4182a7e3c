#pragma once
// The sentence of a translator, typed.

#include "app/session/session.h"
#include "app/window/paint/gui.h"

namespace maskscope {

// A field, and below it the words of the language that go on as the last one begins: a press puts
// one in. What is typed is translated at once; what the model does not know is told.
void draw_sentence(Gui& gui, Session& session);

inline constexpr double sentence_height = 38 + 36;  // points: the field, and words offered

}  // namespace maskscope
