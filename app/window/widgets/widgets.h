#pragma once
// The window's own buttons, fields and rows, in the program's look. They are placed at ImGui's
// cursor and advance it, so that SameLine() and the like work. LabelAtlas draws all text. Lengths
// in options are points, which are multiplied by gui.scale. Every widget needs a label or id that
// is unique within its panel; in "Add##variant", the part from ## on is not shown.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/figure/figure.h"
#include "app/window/paint/gui.h"

struct ImDrawList;

namespace maskscope {

// --- panels

struct PanelOptions {
    Role ground = Role::panel;
    double padding = 20;  // points on all four sides
    bool outlined = false;
    double radius = 0;
    bool above = false;         // above other panels, for a question or a path line
    bool wheel_scrolls = true;  // false while the wheel has another use
};
// Opens a panel that fills `rect` (pixels) with a background, and scrolls if its content is too
// high. Call end_panel() after it.
void begin_panel(Gui& gui, const std::string& name, const Rect& rect,
                 const PanelOptions& options = {});
void end_panel();
// Begins a region that fills the rest of a panel and shows part of something larger. It is scrolled
// by bars at its edges, and by the wheel (sideways with Shift) unless `wheel_does_other`. Returns
// the visible part, without the bars.
Rect begin_scrolled(Gui& gui, const std::string& name, bool wheel_does_other);
Point scrolled_to();
bool is_scrolled_to(Point at);  // true also if it cannot scroll that far
void scroll_to(Point at);
// Ends it. width, height: of all that can be scrolled into the visible part `room`.
void end_scrolled(const Rect& room, double width, double height);
// Draws a veil over everything so far; only the panel that follows gets the pointer.
void cover_below(Gui& gui, const std::string& name);
// Begins a panel that covers the window; everything below it is veiled.
void begin_sheet(Gui& gui, const std::string& name, const Rect& rect, double padding,
                 Role ground = Role::panel);

double points(const Gui& gui, double points);  // converts to pixels
void gap(const Gui& gui, double points);       // leaves vertical space
double room_width();                           // pixels from the cursor to the panel's right edge
// Move ImGui's cursor, in pixels: to a place, past a space that is left empty, and to the right of
// the last item, with a gap in points.
void set_cursor(double x, double y);
void take_room(double width, double height);
void same_line(const Gui& gui, double gap);
// Returns the rectangle from the cursor to the panel's right edge. height: in points.
Rect row_at_cursor(const Gui& gui, double height);
TextStyle scaled(const Gui& gui, TextStyle style);  // converts the size from points to pixels

// --- text

struct LabelOptions {
    TextStyle style{};  // size: in points
    Role role = Role::ink;
    double max_width = 0;   // points; 0 = as wide as possible
    bool to_right = false;  // at the panel's right edge
};
void label(Gui& gui, const std::string& text, const LabelOptions& options = {});
// Draws a text in several lines, broken at spaces.
void paragraph(Gui& gui, const std::string& text, const LabelOptions& options = {});
// Returns the height of a paragraph of this width, both in pixels. style: its size in points.
double paragraph_height(const Gui& gui, const std::string& text, const TextStyle& style,
                        double room);
// Draws one line with a left and a right part: a heading and its note, or a name and its number.
void label_pair(Gui& gui, const std::string& left, const std::string& right,
                const LabelOptions& left_options = {}, const LabelOptions& right_options = {});
void heading(Gui& gui, const std::string& text, const std::string& note = "");
// Draws the letter of a variant on its colour.
void variant_letter_chip(Gui& gui, int variant);
// Explains the last widget while the pointer is over it, unless it has rested there since a press.
// Lines after the first are dimmed.
void tooltip(Gui& gui, const std::string& text);
// Draw the explanation below or beside the widget, towards the middle of the window, so that its
// neighbours in a column or row stay visible.
void tooltip_below(Gui& gui, const std::string& text);
void tooltip_beside(Gui& gui, const std::string& text);
// Draws an explanation at the pointer immediately, for anything that is not a widget.
void tooltip_here(Gui& gui, const std::string& text, Role role = Role::ink);
// Draws why a field's text was rejected, below the field.
void refusal_below(Gui& gui, const Rect& field, const std::string& why);

// --- controls that are pressed

struct ButtonOptions {
    bool filled = false;    // filled with the accent colour
    bool outlined = false;  // an outline without a background
    bool enabled = true;
    bool large = false;  // larger, for the main control of a page
    double width = 0;    // points; 0 = as wide as the text; -1 = as wide as possible
    bool wraps = false;  // a text that is too wide is broken into lines
    std::string tip{};
    std::optional<Role> role{};  // the colour of the text
};
bool button(Gui& gui, const std::string& text, const ButtonOptions& options = {});
// Returns the width of button() in pixels, for breaking lines.
double button_width(const Gui& gui, const std::string& text, bool large = false);
// Draws underlined words that lead elsewhere, within a line of text. Returns true if pressed.
// wraps: words that are too wide are broken into lines.
bool link(Gui& gui, const std::string& text, const std::string& tip = "", bool wraps = false);

// Makes an area, in pixels, that can be clicked, or pressed with Enter or Space while it has the
// focus. Draws nothing. For other events use ImGui's item functions.
bool press_area(Gui& gui, const std::string& id, double width, double height);
bool press_area_without_focus(const std::string& id, double width, double height);

// Events of the pointer on the last item.
struct ChipEvents {
    bool pressed = false, clicked = false, double_clicked = false, hovered = false;
    bool dragged = false;  // held and moved away from where it was pressed
    bool dropped = false;  // released after a drag
};
ChipEvents events_of_item(const Gui& gui, bool clicked);
struct ChipOptions {
    bool selected = false, dimmed = false;  // dimmed: for a pad token
    bool quiet = false;  // draw the box only while it is selected or under the pointer
};
ChipEvents chip(Gui& gui, const std::string& text, const ChipOptions& options = {});
// Returns the width of chip() in pixels, for breaking lines.
double chip_width(const Gui& gui, const std::string& text);

// Draws a row with a check box, and a note on its right. Returns true if it was toggled. free:
// points at the end of the row that stay free for other items.
bool check_row(Gui& gui, const std::string& text, bool checked, const std::string& note = "",
               bool enabled = true, double free = 0);
double tab_width(const Gui& gui, const std::string& text, bool selected);
bool tab(Gui& gui, const std::string& text, bool selected);

// Draws all choices side by side. chosen: -1 = none. Returns the new choice if another one was
// pressed.
std::optional<int> segments(Gui& gui, const std::string& id,
                            const std::vector<std::string>& choices, int chosen,
                            double width = 0);  // points; 0 = as wide as possible
struct ComboOptions {
    double width = 0;    // points; 0 = as wide as possible
    std::string name{};  // to the left of the choice; "" = none
    bool enabled = true;
    std::string tip{};
    std::string hint = "—";           // shown if nothing is chosen (-1)
    std::vector<std::string> tips{};  // a tooltip for each choice; may be empty
};
// Draws the current choice; a press opens a list of all choices. Typing then moves to the first row
// that begins with the typed text, or else to the first with a word that does. Returns a new
// choice.
std::optional<int> combo(Gui& gui, const std::string& id, const std::vector<std::string>& choices,
                         int chosen, const ComboOptions& options = {});

struct MenuLine {
    std::string words;
    std::string keys{};       // on the right, such as "Ctrl+N"
    std::string why_not{};    // why the line is disabled, shown in place of the keys; "" = enabled
    bool chosen = false;      // marked as the chosen one of several
    bool below_line = false;  // a separator is above it: it begins a group
};
// Draws a button that opens a menu below it, which extends to the left at the window's right edge.
// Returns the index of the pressed line.
std::optional<int> menu_button(Gui& gui, const std::string& text,
                               const std::vector<MenuLine>& lines,
                               const ButtonOptions& options = {});

// --- fields for text

struct FieldOptions {
    double width = 0;    // points; 0 = as wide as possible
    double height = 32;  // points
    std::string hint{};  // dimmed; shown while the field is empty
    TextStyle style{};
    bool select_all = true;       // on entering the field
    bool commit_on_leave = true;  // false: a click elsewhere discards the typed text
    bool commit_on_end = true;    // commit if a key of the window or quitting closes the field
    bool quiet = false;           // draw no frame until the pointer is over it
    bool tells = false;           // the caller says why a text is rejected
    std::function<std::string(const std::string&)> on_tab{};  // completes the text on Tab
};
// Returns the text after an edit was committed (by Enter, Tab, or leaving the field), otherwise
// nullopt.
std::optional<std::string> text_field(Gui& gui, const std::string& id, const std::string& text,
                                      const FieldOptions& options = {});
// Gives a text field the keyboard when it is drawn next.
void edit_field(Gui& gui, const std::string& id, const std::string& text, bool select_all = true);
// Returns the current text of the field with this id; nullopt if it is not being edited.
std::optional<std::string> edited_text(const Gui& gui, const std::string& id);
// Returns the x in pixels at which a byte of a field's text is drawn. style: in pixels.
double x_in_field(const Gui& gui, const Rect& field, const std::string& id, const std::string& text,
                  const TextStyle& style, std::size_t byte);
ActiveField* editing_of(Gui& gui, const std::string& id);  // nullptr if it is not being edited

// The range of a slider.
struct SliderRange {
    double low = 0, high = 1;
    bool whole = false, logarithmic = false;
};
// Draws a line with a handle, as wide as possible. Returns the number to which it is dragged. Only
// the mouse uses it, because keys use the field beside it. Numbers outside the range put the handle
// at an end.
std::optional<double> slider(Gui& gui, const std::string& id, double number,
                             const SliderRange& range);

struct NumberOptions {
    double low = -1e300, high = 1e300;
    bool whole = false;                   // only integers, with − and +
    std::optional<SliderRange> slides{};  // a slider below it
    double width = 64, height = 32;       // points
    std::function<std::optional<double>(const std::string&)> read{};  // null: reads a plain number
};
// Returns the text in quotation marks, shortened so that a message has space for the problem.
std::string quoted(const std::string& text);
// Returns an error message: "\"x\" is not a number, such as −0.5 or 1e-3".
std::string not_a_number_message(const std::string& text);
// Draws a field for a number. The message line reports text that is not a number within the limits.
std::optional<double> number_field(Gui& gui, const std::string& id, double number,
                                   const NumberOptions& options = {});

// --- drawing, in pixels of the frame buffer, on the open panel

void draw_text(Gui& gui, const Text& text);    // text: size in pixels
void draw_box(Gui& gui, const Box& box);       // box: lengths in pixels
void draw_raised(Gui& gui, const Rect& rect);  // the background of a row under the pointer
// Draws the frame of a chosen row in a list.
void draw_chosen(Gui& gui, const Rect& rect, Role fill);
// Draw a text field's frame, its selection between two x, and its caret. middle, size: of the line
// of text.
void draw_field_frame(Gui& gui, const Rect& rect, bool edited, bool outlined = true);
void draw_selected(Gui& gui, double x0, double x1, double middle, double size);
void draw_caret(Gui& gui, double x, double middle, double size);
ImDrawList& panel_list();

}  // namespace maskscope
