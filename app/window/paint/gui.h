#pragma once
// The state that widgets and the painter share: the look, this frame's input, and which control has
// the keyboard. They know neither the scene nor the window.

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/style/theme.h"
#include "app/window/typing/token_field.h"

namespace maskscope {

class HeatmapTextures;
class LabelAtlas;

// The layers from bottom to top: keys go to the topmost layer that is open.
enum class Layer { window, start, tensors, path_line, sheet, key_help, palette, question };
inline constexpr std::size_t layer_count = 8;

struct Focus {
    // ImGui's id of the control, by layer: the window below a question remembers its own.
    std::array<std::optional<unsigned>, layer_count> of{};
    Layer layer = Layer::window;  // the topmost in this pass
    std::size_t place = 0;        // in `order`: that of the control, or of the last click

    // --- of this pass
    Layer drawing = Layer::window;  // what is being drawn
    std::vector<unsigned> order;    // the layer's controls, as they are drawn
    int move = 0;                   // by how many controls Tab advances
    bool presses = false;           // Enter or Space: the control acts when it is drawn
    bool came = false;              // it has just got the focus: scrolled into view
    bool takes_blank = false;       // swallows the space that the pressed Space key types
    std::optional<Rect> ring, clip;
};

// The only text field that has the keyboard; see text_field() in widgets.h.
struct Editing {
    std::string id;
    TokenField field;
    bool leave = false;  // it closes when it is next drawn: see FieldOptions::commit_on_end
    bool drawn = false;  // in this frame; a field that is no longer drawn is closed
    bool begun = true;   // in this pass: the key that opened it is not for the field
};

// A text that was typed into a field and rejected. The field keeps it, with the reason beside it,
// until it is changed or left.
struct RefusedText {
    std::string field, text, why;
};

// The choices of a combo or the lines of a menu, while they are open.
struct OpenList {
    int row = 0;          // the one that Enter chooses
    bool drawn = false;   // in this pass; a list that is no longer drawn is closed
    bool begun = true;    // in this pass: the key that opened it is not for the list
    std::string typed{};  // chooses the row that begins with it; forgotten after a second
    double typed_at = 0;  // Gui::time
};

// The control that was last pressed. While the pointer stays, its panel scrolls so that the control
// stays, too, whatever is added above it.
struct PressedControl {
    unsigned id = 0;
    double y = 0;  // in its panel, however that is scrolled
};

struct Gui {
    HeatmapTextures* textures = nullptr;  // the App's
    LabelAtlas* labels = nullptr;
    double scale = 1;                 // pixels per point: 1 to 3, the monitor's own scale included
    int width = 1600, height = 1000;  // pixels of the frame buffer
    ThemeKind theme = ThemeKind::dark;
    bool reduced_motion = false;  // changed cells are not framed
    double time = 0;              // seconds of App::clock when this frame began
    Input now{};                  // the input of this pass; see frame()
    Clipboard clipboard{};
    std::function<void(const std::string&)> refuse{};  // reports why typed text is rejected
    Focus focus{};                                     // which control has the keyboard
    std::optional<Editing> editing{};
    std::optional<OpenList> list{};
    std::string slides{};  // the slider that is held: its edits are one undo step; "" = none
    std::optional<RefusedText> refused{};
    std::optional<RefusedText> committed{};  // in this pass, before it may be rejected
    bool over_text = false;                  // the pointer is over a text field,
    bool over_border = false;                // or over something that is dragged sideways
    // The pointer's position when it came, or at the last press or key. Until it leaves that place,
    // no tooltip covers what has changed.
    std::optional<Point> still_at{};
    std::optional<PressedControl> pressed_control{};
};

inline const Theme& colours(const Gui& gui) { return theme(gui.theme); }

}  // namespace maskscope
