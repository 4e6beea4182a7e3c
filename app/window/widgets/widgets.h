#pragma once
// The window's own buttons, fields and rows, in the look of the program. They are
// placed at ImGui's cursor and advance it, so SameLine() and the like work; LabelAtlas draws all
// text. Lengths in options are points, multiplied by gui.scale. Every widget needs a label or id
// that is unique within its panel ("Add##variant": what follows ## is not shown).

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/figure/figure.h"
#include "app/window/paint/gui.h"

struct ImDrawList;

namespace maskscope {

// --- panels

// Opens a panel that fills `rect` (pixels) with a background; its content scrolls if it is too
// high. Always followed by end_panel().
struct PanelOptions {
    Role ground = Role::panel;
    double padding = 20;  // points, all four sides
    bool outlined = false;
    double radius = 0;
    bool above = false;         // over the other panels (a question, a path line)
    bool wheel_scrolls = true;  // false while the wheel does something else
    bool has_bar = false;       // the scroll bar, also while nothing is to scroll
};
void begin_panel(Gui& gui, const std::string& name, const Rect& rect,
                 const PanelOptions& options = {});
void end_panel();
// A veil over everything drawn so far: only the panel that follows gets the pointer.
void cover_below(Gui& gui, const std::string& name);

double points(const Gui& gui, double points);  // -> pixels
void gap(const Gui& gui, double points);       // vertical room
double room_width();                           // pixels from the cursor to the panel's right edge
// ImGui's cursor, in pixels: where the next item goes, empty room at it, and the place right of the
// last item, `gap` points on.
void set_cursor(double x, double y);
void take_room(double width, double height);
void same_line(const Gui& gui, double gap);
// From the cursor to the panel's right edge; height in points.
Rect row_at_cursor(const Gui& gui, double height);
TextStyle scaled(const Gui& gui, TextStyle style);  // its size in points -> pixels

// --- text

struct LabelOptions {
    TextStyle style{};  // size in points
    Role role = Role::ink;
    double max_width = 0;   // points; 0 = all the room
    bool to_right = false;  // at the right edge of the panel
};
void label(Gui& gui, const std::string& text, const LabelOptions& options = {});
// A text of several lines, broken at spaces.
void paragraph(Gui& gui, const std::string& text, const LabelOptions& options = {});
// As high as it would be in this room, in pixels; the style's size in points.
double paragraph_height(const Gui& gui, const std::string& text, const TextStyle& style,
                        double room);
// One line, left and right: a heading with its note, a name with its number.
void label_pair(Gui& gui, const std::string& left, const std::string& right,
                const LabelOptions& left_options = {}, const LabelOptions& right_options = {});
void heading(Gui& gui, const std::string& text, const std::string& note = "");
// The letter of a lane on its colour.
void lane_letter_chip(Gui& gui, int lane);
// Explains the last widget while the pointer is over it, unless it rests there after a press. Lines
// after the first are quieter.
void tooltip(Gui& gui, const std::string& text);
// The same, below the widget, or beside it, towards the middle of the window: its neighbours in a
// row or a column stay free.
void tooltip_below(Gui& gui, const std::string& text);
void tooltip_beside(Gui& gui, const std::string& text);
// The same for anything else: shown at the pointer now.
void tooltip_here(Gui& gui, const std::string& text, Role role = Role::ink);
// Why the text of a field was not taken, right below it.
void refusal_below(Gui& gui, const Rect& field, const std::string& why);

// --- what is pressed

struct ButtonOptions {
    bool filled = false;    // the one accent
    bool outlined = false;  // a line around it, no background
    bool enabled = true;
    bool large = false;  // what a page is there for
    double width = 0;    // points; 0 = as the text needs; -1 = all the room
    std::string tip{};
    std::optional<Role> role{};  // of the text
};
bool button(Gui& gui, const std::string& text, const ButtonOptions& options = {});
// As wide as button() would draw it, in pixels; to break lines.
double button_width(const Gui& gui, const std::string& text, bool large = false);
// Underlined words in a line of text, that lead elsewhere.
bool link(Gui& gui, const std::string& text, const std::string& tip = "");

// An area in pixels that is clicked, or pressed with Enter or Space while it has the focus; nothing
// is drawn. For the rest ask ImGui's item functions.
bool press_area(Gui& gui, const std::string& id, double width, double height);
bool press_area_without_focus(const std::string& id, double width, double height);

// Events of the pointer on the last item.
struct ChipEvents {
    bool pressed = false, clicked = false, double_clicked = false, hovered = false;
    bool dragged = false;  // held, and moved away from where it was pressed
    bool dropped = false;  // released after a drag
};
ChipEvents events_of_item(const Gui& gui, bool clicked);
struct ChipOptions {
    bool selected = false, dimmed = false;  // dimmed: a pad
    bool quiet = false;                     // a box only while selected or under the pointer
};
ChipEvents chip(Gui& gui, const std::string& text, const ChipOptions& options = {});
// As wide as chip() would draw it, in pixels; to break lines.
double chip_width(const Gui& gui, const std::string& text);

// A row with a box to check and a note at its right; true when it was toggled. `free`: points that
// it leaves to what follows in its line.
bool check_row(Gui& gui, const std::string& text, bool checked, const std::string& note = "",
               bool enabled = true, double free = 0);
double tab_width(const Gui& gui, const std::string& text, bool selected);
bool tab(Gui& gui, const std::string& text, bool selected);

// All choices side by side; -1: none is chosen. Returns the new choice if another one was pressed.
std::optional<int> segments(Gui& gui, const std::string& id,
                            const std::vector<std::string>& choices, int chosen,
                            double width = 0);  // points; 0 = all the room
// The choice, and all of them in a list that opens. What is typed then chooses the row that begins
// so, or that has a word that does.
struct ComboOptions {
    double width = 0;    // points; 0 = all the room
    std::string name{};  // at the left; "" = none
    bool enabled = true;
    std::string tip{};
    std::string hint = "—";           // shown while nothing is chosen: -1
    std::vector<std::string> tips{};  // of the choices, in the order of theirs; may be empty
};
std::optional<int> combo(Gui& gui, const std::string& id, const std::vector<std::string>& choices,
                         int chosen, const ComboOptions& options = {});

// A button that opens a menu below it, towards the left where it stands at the right edge. Returns
// the line that was pressed.
struct MenuLine {
    std::string words;
    std::string keys{};       // at the right: "Ctrl+N"
    std::string why_not{};    // in place of the keys; "" if it can act
    bool chosen = false;      // one of several: marked
    bool below_line = false;  // the first of a group
};
std::optional<int> menu_button(Gui& gui, const std::string& text,
                               const std::vector<MenuLine>& lines,
                               const ButtonOptions& options = {});

// --- what is typed

struct FieldOptions {
    double width = 0;    // points; 0 = all the room
    double height = 32;  // points
    std::string hint{};  // shown dim while it is empty
    TextStyle style{};
    bool select_all = true;       // when it is entered
    bool commit_on_leave = true;  // else a click elsewhere discards what was typed
    bool commit_on_end = true;    // when a key of the window, or its end, takes the field away
    bool quiet = false;           // no frame until it is pointed at
    bool tells = false;           // the caller says why a text is refused
    std::function<std::string(const std::string&)> on_tab{};  // completion
};
// The text if an edit was committed (Enter, Tab, or leaving the field), else nothing.
std::optional<std::string> text_field(Gui& gui, const std::string& id, const std::string& text,
                                      const FieldOptions& options = {});
// Gives a text field the keyboard when it is next drawn.
void edit_field(Gui& gui, const std::string& id, const std::string& text, bool select_all = true);
// The current text of the field with this id, if it is being edited.
std::optional<std::string> edited_text(const Gui& gui, const std::string& id);
// The x at which a byte of the text of a field is drawn; style in pixels.
double x_in_field(const Gui& gui, const Rect& field, const std::string& id, const std::string& text,
                  const TextStyle& style, std::size_t byte);
Editing* editing_of(Gui& gui, const std::string& id);  // nullptr: it is not edited

// The range of a slider.
struct SliderRange {
    double low = 0, high = 1;
    bool whole = false, logarithmic = false;
};
// A line with a handle, as wide as the room; the number that it is dragged to. It is for the mouse,
// beside a field for keys. Numbers beyond the range keep the handle at its end.
std::optional<double> slider(Gui& gui, const std::string& id, double number,
                             const SliderRange& range);

struct NumberOptions {
    double low = -1e300, high = 1e300;
    bool whole = false;                                               // with − and +
    std::optional<SliderRange> slides{};                              // a slider below it
    double width = 64, height = 32;                                   // points
    std::function<std::optional<double>(const std::string&)> read{};  // absent: a plain number
};
// In quotation marks, and so short that a message has room for what is wrong with it.
std::string quoted(const std::string& text);
// "\"x\" is not a number, such as −0.5 or 1e-3"
std::string not_a_number_message(const std::string& text);
// A number in a field; the message line reports text that is not a number within the limits.
std::optional<double> number_field(Gui& gui, const std::string& id, double number,
                                   const NumberOptions& options = {});

// --- drawing, in pixels of the frame buffer, on the open panel

void draw_text(Gui& gui, const Text& text);    // sizes in pixels
void draw_box(Gui& gui, const Box& box);       // lengths in pixels
void draw_raised(Gui& gui, const Rect& rect);  // behind a row under the pointer
// The frame of a chosen row in a list.
void draw_chosen(Gui& gui, const Rect& rect, Role fill);
// Draw a text field's frame, its selection from x to x, and its caret; middle and size: of the line
// of text.
void draw_field_frame(Gui& gui, const Rect& rect, bool edited, bool outlined = true);
void draw_selected(Gui& gui, double x0, double x1, double middle, double size);
void draw_caret(Gui& gui, double x, double middle, double size);
ImDrawList& panel_list();

}  // namespace maskscope
