#pragma once
// What keys, buttons and the command palette do. Each does nothing where it cannot act; `why_not`
// says why, "" where it can.

#include <optional>
#include <string_view>

#include "app/app.h"

namespace maskscope {

// --- lesson
void next_step(App& app);
void step_before(App& app);
void next_star(App& app);
void star_before(App& app);
void restore_step(App& app);
std::string_view why_no_writing(const App& app);
std::string_view why_no_lesson(const App& app);
std::string_view why_no_next_step(const App& app);
std::string_view why_no_step_before(const App& app);
std::string_view why_no_next_star(const App& app);
std::string_view why_no_star_before(const App& app);

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
void next_tab(App& app);
void tab_before(App& app);
void fold_sidebar(App& app);
void fold_inspector(App& app);

// --- help, and the way out
void open_sheet(App& app);  // and closes it
void open_palette(App& app);
// From the innermost outwards, one thing a press.
void lead_out(App& app);

}  // namespace maskscope
