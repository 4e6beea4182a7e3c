#pragma once
// Small parts that several panels share.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/figure/layout/lay_out.h"
#include "app/session/session.h"
#include "app/window/context/ui_state.h"
#include "app/window/paint/gui.h"
#include "app/window/widgets/widgets.h"

namespace maskscope {

// The line between a panel and its neighbour.
enum class Edge { top, bottom, left, right };
void draw_edge(Gui& gui, const Rect& panel, Edge edge);

// Draws the handle at the edge of a side panel that shows or hides the panel. Returns true if it
// was pressed.
bool fold_handle(Gui& gui, const std::string& arrow, const Rect& rect, const std::string& tip);

// Returns the folder that relative paths start from: that of the open file, otherwise the one in
// which the program was started.
std::filesystem::path base_folder(const Session& session);
// Returns a file in that folder, named after the open file, otherwise after a title: "Rows, or
// columns?" becomes rows-or-columns.
std::filesystem::path proposed_path(const Session& session, const std::string& title,
                                    const std::string& extension);

// Returns the options for laying out the bench in a space of this size, in pixels.
LayoutOptions room_options(const Gui& gui, double width, double height);

// True while the message is news: for 8 seconds after it has appeared. Call it once a frame.
bool is_news(const Gui& gui, const Session& session, ShownMessage& told);

// Returns a duration: "0.02 ms", "24 ms", "1.3 s".
std::string time_text(double milliseconds);
std::string about_time_text(double seconds);  // such as "8 s", "70 s" or "3 min"

// Names the backend of the shown result: "CPU", "GPU", or "Reference" for the reference
// implementation.
std::string backend_text(const Session& session);

// Returns a token as the label of a widget. Widgets show a label only up to "##", with which word
// pieces begin, so an invisible joiner is put between the two signs.
std::string chip_text(std::string token);

// Draws a name on the left, `width` points wide; the next item extends to the panel's right edge.
void field_name(Gui& gui, const std::string& name, double width, double height = 32);

// Draws a name and a field with its number; for integers also − and +, and a slider if options have
// a range for it. Returns a new number within the limits.
std::optional<double> number_row(Gui& gui, const std::string& id, const std::string& name,
                                 double number, const NumberOptions& options);

// Draws a name and a field with its text. Returns a new text.
std::optional<std::string> text_row(Gui& gui, const std::string& id, const std::string& name,
                                    const std::string& text, double width);

// Draws "sequence 2 of 3" with two arrows; returns the new index if one was pressed.
std::optional<Index> picker(Gui& gui, const std::string& what, Index at, Index count);

// Draws a choice that may also be typed: the list ends with "other…", which turns it into a field.
// Returns the text of a new choice.
std::optional<std::string> combo_or_typed(Gui& gui, const std::string& id, const std::string& name,
                                          std::vector<std::string> choices,
                                          const std::string& chosen, const std::string& tip);

// --- the field for the sentence of a translator

// Draws a field, and below or beside it words that complete the last word; a press on one inserts
// it. The sentence is translated while it is typed; unknown words are reported.
void draw_sentence(Gui& gui, Session& session, bool beside);

}  // namespace maskscope
