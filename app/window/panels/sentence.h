#pragma once
// The field in which the sentence of a translator is typed.

#include "app/session/session.h"
#include "app/window/paint/gui.h"

namespace maskscope {

// Draws a field, and below it the words that continue the last one; pressing a word inserts it. The
// sentence is translated as it is typed, and unknown words are reported.
void draw_sentence(Gui& gui, Session& session);

inline constexpr double sentence_height = 38 + 36;  // points: the field, and words offered

}  // namespace maskscope
