#pragma once
// The window's own buttons, fields and rows, in the look of the program. They are placed at ImGui's
// cursor and advance it, so SameLine() and the like work; LabelAtlas draws all text. Lengths in
// options are points, multiplied by gui.scale. Every widget needs a label or id that is unique
// within its panel ("Add##variant": what follows ## is not shown).

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
    bool above = false;         // above the other panels (a question, a path line)
    bool wheel_scrolls = true;  // false while the wheel does something else
};
void begin_panel(Gui& gui, const std::string& name, const Rect& rect,
                 const PanelOptions& options = {});
void end_panel();
// Begins a region that fills the rest of a panel and shows part of something larger. It is scrolled
// by the wheel (sideways with Shift) unless wheel_does_other, and by bars at its edges. Returns the
// visible part, without the bars.
Rect begin_scrolled(Gui& gui, const std::string& name, bool wheel_does_other);
Point scrolled_to();
void scroll_to(Point at);
void end_scrolled();
// Draws a veil over everything drawn so far: only the panel that follows gets the pointer.
void cover_below(Gui& gui, const std::string& name);

double points(const Gui& gui, double points);  // converts to pixels
void gap(const Gui& gui, double points);       // leaves vertical space
double room_width();                           // pixels from the cursor to the panel's right edge
// Handle ImGui's cursor, in pixels: set where the next item goes, leave empty space there, and move
// to the right of the last item, `gap` points on.
void set_cursor(double x, double y);
void take_room(double width, double height);
void same_line(const Gui& gui, double gap);
// Returns the rectangle from the cursor to the panel's right edge; height in points.
Rect row_at_cursor(const Gui& gui, double height);
TextStyle scaled(const Gui& gui, TextStyle style);  // converts its size from points to pixels

// --- text

struct LabelOptions {
    TextStyle style{};  // size in points
    Role role = Role::ink;
    double max_width = 0;   // points; 0 = as wide as possible
    bool to_right = false;  // at the right edge of the panel
};
void label(Gui& gui, const std::string& text, const LabelOptions& options = {});
// Draws a text of several lines, broken at spaces.
void paragraph(Gui& gui, const std::string& text, const LabelOptions& options = {});
// Returns its height in this width, in pixels; the style's size in points.
double paragraph_height(const Gui& gui, const std::string& text, const TextStyle& style,
                        double room);
// Draws one line, left and right: a heading with its note, a name with its number.
void label_pair(Gui& gui, const std::string& left, const std::string& right,
                const LabelOptions& left_options = {}, const LabelOptions& right_options = {});
void heading(Gui& gui, const std::string& text, const std::string& note = "");
// Draws the letter of a variant on its colour.
void lane_letter_chip(Gui& gui, int lane);
// Explains the last widget while the pointer is over it, unless it rests there after a press. Lines
// after the first are quieter.
void tooltip(Gui& gui, const std::string& text);
// Draws the same below the widget, or beside it, towards the middle of the window: its neighbours
// in a row or a column stay visible.
void tooltip_below(Gui& gui, const std::string& text);
void tooltip_beside(Gui& gui, const std::string& text);
// Draws the same for anything else, at the pointer, now.
void tooltip_here(Gui& gui, const std::string& text, Role role = Role::ink);
// Draws, below a field, why its text was rejected.
void refusal_below(Gui& gui, const Rect& field, const std::string& why);

// --- what is pressed

struct ButtonOptions {
    bool filled = false;    // filled with the accent colour
    bool outlined = false;  // a line around it, no background
    bool enabled = true;
    bool large = false;  // the main control of a page
    double width = 0;    // points; 0 = as the text needs; -1 = as wide as possible
    std::string tip{};
    std::optional<Role> role{};  // of the text
};
bool button(Gui& gui, const std::string& text, const ButtonOptions& options = {});
// Returns the width of button(), in pixels; to break lines.
double button_width(const Gui& gui, const std::string& text, bool large = false);
// Draws underlined words in a line of text, which lead elsewhere.
bool link(Gui& gui, const std::string& text, const std::string& tip = "");

// Makes an area in pixels that is clicked, or pressed with Enter or Space while it has the focus;
// nothing is drawn. For the rest use ImGui's item functions.
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
    bool selected = false, dimmed = false;  // dimmed: a pad token
    bool quiet = false;  // the box is drawn only while it is selected or under the pointer
};
ChipEvents chip(Gui& gui, const std::string& text, const ChipOptions& options = {});
// Returns the width of chip(), in pixels; to break lines.
double chip_width(const Gui& gui, const std::string& text);

// Draws a row with a check box and a note on its right; true when it was toggled. `free`: points
// that it leaves for what follows in its line.
bool check_row(Gui& gui, const std::string& text, bool checked, const std::string& note = "",
               bool enabled = true, double free = 0);
double tab_width(const Gui& gui, const std::string& text, bool selected);
bool tab(Gui& gui, const std::string& text, bool selected);

// Draws all choices side by side; -1: none is chosen. Returns the new choice if another one was
// pressed.
std::optional<int> segments(Gui& gui, const std::string& id,
                            const std::vector<std::string>& choices, int chosen,
                            double width = 0);  // points; 0 = as wide as possible
// Draws the choice, and opens a list of all of them. What is typed then chooses the row that begins
// with it, or that has a word that does.
struct ComboOptions {
    double width = 0;    // points; 0 = as wide as possible
    std::string name{};  // on the left; "" = none
    bool enabled = true;
    std::string tip{};
    std::string hint = "—";           // shown while nothing is chosen: -1
    std::vector<std::string> tips{};  // one for each choice; may be empty
};
std::optional<int> combo(Gui& gui, const std::string& id, const std::vector<std::string>& choices,
                         int chosen, const ComboOptions& options = {});

// Draws a button that opens a menu below it, towards the left if it is at the right edge. Returns
// the line that was pressed.
struct MenuLine {
    std::string words;
    std::string keys{};       // on the right: "Ctrl+N"
    std::string why_not{};    // in place of the keys; "" if it can act
    bool chosen = false;      // one of several: marked
    bool below_line = false;  // the first of a group
};
std::optional<int> menu_button(Gui& gui, const std::string& text,
                               const std::vector<MenuLine>& lines,
                               const ButtonOptions& options = {});

// --- what is typed

struct FieldOptions {
    double width = 0;    // points; 0 = as wide as possible
    double height = 32;  // points
    std::string hint{};  // shown dim while it is empty
    TextStyle style{};
    bool select_all = true;       // when the field is entered
    bool commit_on_leave = true;  // otherwise a click elsewhere discards what was typed
    bool commit_on_end = true;    // if a key of the window, or its end, closes the field
    bool quiet = false;           // no frame until the pointer is over it
    bool tells = false;           // the caller reports why a text is rejected
    std::function<std::string(const std::string&)> on_tab{};  // completion
};
// Returns the text if an edit was committed (Enter, Tab, or leaving the field), else nullopt.
std::optional<std::string> text_field(Gui& gui, const std::string& id, const std::string& text,
                                      const FieldOptions& options = {});
// Gives a text field the keyboard when it is next drawn.
void edit_field(Gui& gui, const std::string& id, const std::string& text, bool select_all = true);
// Returns the current text of the field with this id, if it is being edited.
std::optional<std::string> edited_text(const Gui& gui, const std::string& id);
// Returns the x at which a byte of the text of a field is drawn; style in pixels.
double x_in_field(const Gui& gui, const Rect& field, const std::string& id, const std::string& text,
                  const TextStyle& style, std::size_t byte);
Editing* editing_of(Gui& gui, const std::string& id);  // nullptr: it is not being edited

// The range of a slider.
struct SliderRange {
    double low = 0, high = 1;
    bool whole = false, logarithmic = false;
};
// Draws a line with a handle, as wide as possible; returns the number that it is dragged to. It is
// for the mouse, beside a field for keys. Numbers beyond the range keep the handle at its end.
std::optional<double> slider(Gui& gui, const std::string& id, double number,
                             const SliderRange& range);

struct NumberOptions {
    double low = -1e300, high = 1e300;
    bool whole = false;                                               // with − and +
    std::optional<SliderRange> slides{};                              // a slider below it
    double width = 64, height = 32;                                   // points
    std::function<std::optional<double>(const std::string&)> read{};  // null: a plain number
};
// Returns text in quotation marks, short enough that a message has space for the problem.
std::string quoted(const std::string& text);
// Returns "\"x\" is not a number, such as −0.5 or 1e-3".
std::string not_a_number_message(const std::string& text);
// Draws a number in a field; the message line reports text that is not a number within the limits.
std::optional<double> number_field(Gui& gui, const std::string& id, double number,
                                   const NumberOptions& options = {});

// --- drawing, in pixels of the frame buffer, on the open panel

void draw_text(Gui& gui, const Text& text);    // sizes in pixels
void draw_box(Gui& gui, const Box& box);       // lengths in pixels
void draw_raised(Gui& gui, const Rect& rect);  // behind a row under the pointer
// Draws the frame of a chosen row in a list.
void draw_chosen(Gui& gui, const Rect& rect, Role fill);
// Draw a text field's frame, its selection from x to x, and its caret; middle and size: those of
// the line of text.
void draw_field_frame(Gui& gui, const Rect& rect, bool edited, bool outlined = true);
void draw_selected(Gui& gui, double x0, double x1, double middle, double size);
void draw_caret(Gui& gui, double x, double middle, double size);
ImDrawList& panel_list();

}  // namespace maskscope
