#pragma once
// Small parts that several panels use.

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

// Draws a handle at the inner edge of a side panel; a click shows or hides the panel. True if it
// was pressed.
bool fold_handle(Gui& gui, const std::string& arrow, const Rect& rect, const std::string& tip);

// Returns the folder where relative paths start: that of the open file, else where the program was
// started.
std::filesystem::path base_folder(const Session& session);
// Returns a file in that folder, named like the open file, else by a title: "Rows, or columns?"
// becomes rows-or-columns.
std::filesystem::path proposed_path(const Session& session, const std::string& title,
                                    const std::string& extension);

// Returns the options for laying out the bench in this many pixels.
LayoutOptions room_options(const Gui& gui, double width, double height);

// True if the message appeared a moment ago. Call once per frame.
bool is_news(const Gui& gui, const Session& session, Told& told);

// Returns "0.02 ms", "24 ms", "1.3 s".
std::string time_text(double milliseconds);
std::string about_time_text(double seconds);  // "8 s", "70 s", "3 min"

// Names the backend of the shown result: "CPU", "GPU", or "Reference" for the implementation that
// is read in class.
std::string backend_text(const Session& session);

// Returns a token as the label of a widget. A widget shows its label up to "##", with which
// word-piece tokens begin, so an invisible joiner keeps the two apart.
std::string chip_text(std::string token);

// Draws a name on the left; the next item goes to the panel's right edge, in points.
void field_name(Gui& gui, const std::string& name, double width, double height = 32);

// Draws a name and a field with its number, − and + beside an integer, and the slider if there is a
// range for it. Returns a new number within the limits.
std::optional<double> number_row(Gui& gui, const std::string& id, const std::string& name,
                                 double number, const NumberOptions& options);

// Draws the same with a text.
std::optional<std::string> text_row(Gui& gui, const std::string& id, const std::string& name,
                                    const std::string& text, double width);

// Draws "sentence 2 of 3" and two arrows; returns the new index if one was pressed.
std::optional<Index> picker(Gui& gui, const std::string& what, Index at, Index count);

// Draws a choice that may also be typed: the list ends with "other…", which turns it into a field.
// Returns the words of a new choice.
std::optional<std::string> combo_or_typed(Gui& gui, const std::string& id, const std::string& name,
                                          std::vector<std::string> choices,
                                          const std::string& chosen, const std::string& tip);

// --- the field in which the sentence of a translator is typed

// Draws a field, and below it the words that continue the last one; pressing a word inserts it. The
// sentence is translated as it is typed, and unknown words are reported.
void draw_sentence(Gui& gui, Session& session);

inline constexpr double sentence_height = 38 + 36;  // points: the field, and words offered

}  // namespace maskscope
