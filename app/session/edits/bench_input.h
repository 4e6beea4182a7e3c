#pragma once
// Handles the pointer on the bench: hover, pin, paint the mask, zoom and pan. Independent of ImGui.

#include <optional>
#include <string>
#include <vector>

#include "app/figure/figure.h"
#include "app/session/edits/mask_borders.h"
#include "app/session/session.h"

namespace maskscope {

// The pointer in the figure's coordinates, for one frame.
struct BenchPointer {
    std::optional<Point> at;  // nullopt: the pointer is not over the bench
    bool pressed = false, held = false, released = false, double_clicked = false;  // left button
    bool middle_held = false;
    bool moved = true;  // on the screen; the figure may also move under a resting pointer
    double wheel = 0;   // steps, away from the user is positive
    bool ctrl = false, alt = false;
};

// A gesture, from press to release.
struct BenchDrag {
    enum class Kind { none, paint, pan, border };
    Kind kind = Kind::none;
    bool allow = false;         // paint: what cells become, as the first one did
    std::vector<int> variants;  // paint: the variants whose masks change
    CellRef pressed;            // paint: the first cell; only its heatmap is painted
    std::optional<Cell> last;   // paint: nullopt while the pointer is outside that heatmap
    Point from;                 // pan: the pointer in the previous frame
    // border: the press is no longer a click once `moved`.
    std::optional<MaskBorder> border;
    Point pressed_at;
    bool moved = false;
};

// Returns the border that is dragged, or that a press at the point would begin to drag.
std::optional<MaskBorder> border_at(const Session& session, const BenchDrag& drag,
                                    const Figure& figure, std::optional<Point> at, double scale);

// Returns the cell under the pointer, in any heatmap of the figure.
std::optional<CellRef> cell_under(const Figure& figure, Point point);

// Applies one frame of the pointer: hover, pin, paint, headers, zoom, pan. On hidden cells a press
// answers the step's question. If cells are smaller than 4 points, a press pins and never changes
// the mask.
void use_pointer(Session& session, BenchDrag& drag, const Figure& figure,
                 const BenchPointer& pointer, double scale);

// Returns the part of the matrix that is visible after `steps` of the wheel, with the pointer at
// the fractions (fx, fy) of the part that is visible now. It never extends beyond the matrix, and
// shows at least about two of `cells`.
Zoom zoomed(const Zoom& zoom, double fx, double fy, double steps, Index cells);
Zoom panned(const Zoom& zoom, double dx, double dy);  // moves it by fractions of its size

// Handles a press on a hidden cell, which answers the step's question. Returns false if there is no
// hidden cell at the point.
bool press_hidden(Session& session, const Figure& figure, Point point);
// Returns the answer that a click on a hidden cell gives, in the terms of the question: the letter
// of its variant, or the token of its key or query. nullopt if the answer is another word or a
// number.
std::optional<std::string> answer_at(const Session& session, const CellRef& cell);

// Returns the pinned cell, to be marked; nullopt for the cell that a step points at while it asks,
// because it might be the answer.
std::optional<Cell> marked_cell(const Session& session);
// Returns the cell whose two tokens are bold: the one under the pointer, otherwise marked_cell(),
// as a cell of the weights.
std::optional<CellRef> named_cell(const Session& session);

// Pins a cell for the inspector. A cell of the output, or of Q, K or V, has only a query or a key;
// the other one is unchanged.
void pin(Session& session, const CellRef& cell);

// --- heads, counted from 0

// Shows one head in the pipeline, from the grid of heads or from another head. If the head is
// already enlarged, returns to the grid. Does nothing if there is no such head.
void jump_to_head(Session& session, Index h);
// Returns from an enlarged head, or from two compared ones, to all heads. Returns false if neither
// was shown.
bool back_to_heads(Session& session);
// True if the grid of all heads is shown.
bool shows_all_heads(const Session& session);

// Flips a cell of the mask that the variant of a heatmap (-1 = shared) edits, in one undo step.
void toggle_cell(Session& session, int variant, Index b, Index h, Cell cell);

// Types numbers on the bench: scores and entries of Q, K and V. Independent of ImGui.

// Returns why the number in a cell cannot be typed, in one sentence; nullopt if it can. The cell
// must belong to the shown result (for Q, K or V: to the scene's inputs).
std::optional<std::string> why_not_typed(const Session& session, const CellRef& cell);

// Returns the initial text of a number's field: all digits if the number is short, so that typed
// text reappears; otherwise rounded, as exact_text() writes it.
std::string number_text(const Scene& scene, double x);

// Replaces a cell's number with a finite one, as one undo step. A number typed into scaled scores
// sets the score that the variant scales to it. If that fails, shows a message and returns false.
bool type_number(Session& session, const CellRef& cell, double x);

}  // namespace maskscope
