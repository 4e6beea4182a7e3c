#pragma once
// The state that widgets and the painter share: the look, this frame's input, and the control that
// has the keyboard. Independent of the scene and the window.

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/style/theme.h"
#include "app/window/typing/token_field.h"

namespace maskscope {

class HeatmapTextures;
class LabelAtlas;

struct Focus {
    // ImGui's id of the focused control, by layer, so that the window below a question keeps its
    // own. Layer 0 is the window; those of overlays follow, up to the topmost one in this pass,
    // which gets the keys.
    std::vector<std::optional<unsigned>> of{std::nullopt};
    std::size_t place = 0;  // index in `order` of that control, or after the last clicked one

    // --- for this pass only
    std::size_t drawing = 0;      // the layer that is being drawn
    std::vector<unsigned> order;  // controls of the layer, in the order of drawing
    int move = 0;                 // the number of controls by which Tab advances
    bool presses = false;         // Enter or Space was pressed: the control acts when it is drawn
    bool came = false;            // the control has just got the focus, and is scrolled into view
    bool takes_blank = false;     // ignore the space that the pressed Space key types
    std::optional<Rect> ring, clip;
};

// The text field that has the keyboard; see text_field() in widgets.h.
struct ActiveField {
    std::string id;
    TokenField field;
    bool leave = false;  // close it when it is next drawn: see FieldOptions::commit_on_end
    bool drawn = false;  // drawn in this frame; otherwise it is closed
    bool begun = true;   // opened in this pass, by a key that is not for the field
};

// A typed text that was rejected. The field keeps it, with the reason beside it, until it is
// changed or left.
struct RefusedText {
    std::string field, text, why;
};

// The open choices of a combo, or the open lines of a menu.
struct OpenList {
    int row = 0;          // the row that Enter chooses
    bool drawn = false;   // drawn in this pass; otherwise it is closed
    bool begun = true;    // opened in this pass, by a key that is not for the list
    std::string typed{};  // chooses the row that begins with it; cleared after a second
    double typed_at = 0;  // in Gui::time
};

// The control that was pressed last. While the pointer rests, the panel scrolls so that the control
// stays under it, even if something is added above.
struct PressedControl {
    unsigned id = 0;
    double y = 0;  // its position in the panel, independent of scrolling
};

struct Gui {
    HeatmapTextures* textures = nullptr;  // owned by the App, like the labels
    LabelAtlas* labels = nullptr;
    double scale = 1;                 // pixels per point, 1 to 3; includes the monitor's scale
    int width = 1600, height = 1000;  // pixels in the frame buffer
    ThemeKind theme = ThemeKind::dark;
    bool reduced_motion = false;      // do not frame changed cells
    std::string parent_of_dialogs{};  // the window; see FileQuestion::parent
    double time = 0;                  // seconds of App::clock at the beginning of this frame
    Input now{};                      // the input for this pass; see frame()
    Clipboard clipboard{};
    std::function<void(const std::string&)> refuse{};  // says why a typed text is rejected
    Focus focus{};                                     // the control that has the keyboard
    std::optional<ActiveField> editing{};
    std::optional<OpenList> list{};
    std::string slides{};  // the held slider, whose edits are one undo step; "" = none
    std::optional<RefusedText> refused{};
    std::optional<RefusedText> committed{};  // in this pass; may still be rejected
    bool over_text = false;                  // the pointer is over a text field,
    bool over_border = false;                // or over something that is dragged sideways
    // The pointer's position when it arrived, or at the last press or key. No tooltip appears until
    // the pointer leaves that position, so that none covers what has changed.
    std::optional<Point> still_at{};
    std::optional<PressedControl> pressed_control{};
};

inline const Theme& colours(const Gui& gui) { return theme(gui.theme); }

}  // namespace maskscope
