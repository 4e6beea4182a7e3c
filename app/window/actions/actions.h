#pragma once
// What keys, buttons and the command palette do. Each does nothing where it cannot act; `why_not`
// says why, "" where it can.

#include <optional>
#include <string>
#include <string_view>

#include "app/window/context/app.h"

namespace maskscope {

// --- lesson
void next_step(App& app);
void previous_step(App& app);
void next_star(App& app);
void previous_star(App& app);
void restore_step(App& app);
std::string_view why_no_writing(const App& app);
std::string_view why_no_lesson(const App& app);
std::string_view why_no_next_step(const App& app);
std::string_view why_no_previous_step(const App& app);
std::string_view why_no_next_star(const App& app);
std::string_view why_no_previous_star(const App& app);

// --- the lesson that is written
void toggle_lesson_editor(App& app);
void move_lesson_step(App& app, int from, int to);
void move_lesson_step_up(App& app);  // the step that is shown, while the editor is open
void move_lesson_step_down(App& app);

// --- files and history
void undo(App& app);
void redo(App& app);
void new_scene(App& app);
void open_file(App& app);
void save(App& app);
void save_as(App& app);
void export_png(App& app);
std::string_view why_no_undo(const App& app);
std::string_view why_no_redo(const App& app);

// --- tokens: the selected one
// Nothing where edits took it away.
std::optional<TokenRef> selected_token(const App& app);
void select_next_token(App& app);  // after the last query the first key, where keys are apart
void select_token_before(App& app);
void move_token_on(App& app);
void move_token_back(App& app);
void rename_selected_token(App& app);
void pad_selected_token(App& app);
void insert_after_selected_token(App& app);
void delete_selected_token(App& app);
void type_sentence(App& app);
// The sequence whose tokens are listed: the selected token's, else the first that is shown.
Index listed_sequence(const App& app);
// The fields in which a token is renamed and a sentence is typed; see edit_field() in widgets.h.
std::string strip_id(const std::string& what, Index b, Side side);
std::string token_field_id(const TokenRef& token);
std::string sentence_field_id(Index b, Side side);
std::string_view why_no_token(const App& app);

// --- cells
void cursor_up(App& app);
void cursor_down(App& app);
void cursor_left(App& app);
void cursor_right(App& app);
void toggle_cursor_cell(App& app);  // blocks or allows; in the table makes the entry a lane

// --- lanes, stages, heads and views
// The lane whose settings are open, else the first that is shown.
int chosen_lane(const App& app);
void choose_lane(App& app, int lane);  // opens its settings
void choose_next_lane(App& app);
void choose_lane_before(App& app);
void show_or_hide_stage(App& app, StageKind stage);
std::string_view why_no_stage(const App& app, StageKind stage);
void show_head(App& app, Index h);
std::string_view why_no_head(const App& app, Index h);
void show_view(App& app, ViewKind kind);
void next_tab(App& app);
void tab_before(App& app);
void fold_sidebar(App& app);
void fold_inspector(App& app);

// --- output plane, table and root d
// Arrow keys where a view has a use for them: the width of root d (down and up halve and double
// it), the entry of the table. False where the cell cursor moves as ever.
bool move_in_plots(App& app, Index down, Index right);
// Space: the table's chosen entry becomes a lane. False where it has no such use.
bool act_in_plots(App& app);
void make_entry_lane(App& app, const Spot& entry);  // of the table; names the lane that it is
void set_width(App& app, double d);                 // the marked width of root d, clamped

// --- numbers
// Begins when the bench is drawn next; where the number cannot be typed, the cell says why.
void ask_for_number(App& app, const CellRef& cell);
// The same for the cell cursor, in the scores or scaled scores that are drawn.
void ask_for_number_at_cursor(App& app);

// --- help, and the way out
void open_key_help(App& app);  // and closes it
void open_palette(App& app);
// From the innermost outwards, one thing a press.
void lead_out(App& app);

}  // namespace maskscope
