#pragma once
// The page on which newcomers begin.

#include <array>

#include "app/session/session.h"
#include "app/window/context/ui_state.h"
#include "app/window/paint/gui.h"

namespace maskscope {

inline constexpr double left_behind_height = 82;  // points: the height of the card below
// Draws the card for unsaved work from a crash, if there is any. The card has its own place, and
// covers nothing.
void draw_left_behind(Gui& gui, Ui& ui, const Rect& rect);

// A mask with which a sentence of the user can begin.
struct FirstMask {
    const char *name, *tip;
    std::string_view queries{};  // what the second sentence is called; "" = there is none
    bool crosses() const { return !queries.empty(); }
};
inline constexpr std::array<FirstMask, 5> first_masks{
    {{"causal", "No query attends to a later key"},
     {"padding", "A <pad> at the end, which no query attends to"},
     {"window", "Each query attends to itself and the two tokens before it"},
     {"encoder → decoder", "The decoder's queries over the encoder's keys",
      "The decoder's sentence"},
     {"no mask", "Every query attends to every key"}}};
// Returns the scene `first`, which has one variant, with the sentences and the mask of `start`.
// Throws EditError (one line).
Scene scene_to_try(Scene first, const StartPage& start);

// The weights of a small scene, masked before the softmax and after it; -1 = blocked.
inline constexpr std::size_t small_size = 6;
using SmallWeights = std::array<std::array<double, small_size>, small_size>;  // [query][key]
const std::array<SmallWeights, 2>& small_weights();
void draw_small_weights(Gui& gui, const SmallWeights& weights, const Rect& rect);

}  // namespace maskscope
