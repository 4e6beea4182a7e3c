#pragma once
// Implements the actions of keys, buttons and the command palette. Each action does nothing if it
// cannot act. why_no_…() returns the reason, or "" if it can.

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/window/context/ui_state.h"
#include "app/window/paint/gui.h"

namespace maskscope {

struct ViewEntry;

// --- lesson
std::string_view why_no_lesson(const Session& session);
std::string_view why_no_next_step(const Session& session);
std::string_view why_no_previous_step(const Session& session, const Ui& ui);
std::string_view why_no_star(const Session& session, const Ui& ui, int steps);

// A step of a built-in lesson, for lists. built_in_lessons() returns lessons in the order of the
// course.
struct BuiltInStep {
    std::string title;
    bool star = false, exercise = false;
};
struct BuiltInLesson {
    std::string name, title, about;
    std::vector<BuiltInStep> steps;
};
const std::vector<BuiltInLesson>& built_in_lessons();
WindowCommand open_lesson(const std::string& name, int step = 0);  // asks first if work is unsaved
WindowCommand open_recent(const std::filesystem::path& path);      // the same for a recent file

// Returns the title of the next lesson in the course if the step ends a part of the course;
// otherwise "".
std::string next_lesson_title(const Session& session);
bool is_end_announced(const Session& session, const Ui& ui);  // see go_through_lessons()
void open_next_lesson(App& app);                              // asks first if work is unsaved
// Goes to the answer, then to the next step, or back to the previous step; go_to_star() goes to the
// next or previous step with a star. At the end of a part of the course, the first call names the
// next lesson, and the second opens it. At its first step, going back opens the step it came from.
void go_through_lessons(const Gui& gui, Session& session, Ui& ui, int steps);
void go_to_star(const Gui& gui, Session& session, Ui& ui, int steps);
// Returns the label of the button that leads to where the shown step's Try is followed, such as
// "Open variant B". Returns "" if no button is needed: in an exercise, on the bench, and if the
// view, or Q, K and V, are already shown.
std::string try_opener(const Session& session, Ui& ui);
void open_for_try(App& app);

// Returns false while a step asks a question, because the user can then only answer it.
// why_not_yet() returns the reason.
bool may_explore(const Session& session);
std::string_view why_not_yet(const Session& session);

// --- the lesson editor
// Opens the field for an answer, or for the next count of hands. If a single person has already
// answered, shows the correct answer instead. Does nothing unless the step asks a question.
void answer_or_show(Gui& gui, Session& session);
// The same while presenting; if the next lesson was announced, goes to the next step of this one.
void answer_or_stay(Gui& gui, Session& session, const Ui& ui);
inline constexpr const char* answer_field = "answer";  // the id of the field
void toggle_lesson_editor(Gui& gui, Ui& ui);
void move_lesson_step(Session& session, int from, int to);
// Moves the shown step by `by` places while the editor is open.
void move_shown_step(Session& session, const std::optional<LessonEditor>& editor, int by);
std::string_view why_no_writing(const std::optional<LessonEditor>& editor);

// --- files and history
void new_scene(App& app);
void open_file(App& app);
// Opens a scene or a lesson. For a file of tensors, opens the sheet that asks how to read it; the
// current document stays open until the sheet has been answered. The document also stays open if
// the file cannot be read, which is reported.
void open_path(App& app, const std::filesystem::path& path);
// Makes the sheet for a file of tensors. Throws Error (one line).
TensorSheet tensor_sheet_of(const std::filesystem::path& path);
// Reads tokens from a file into the sheet. Throws Error (one line).
void bring_tokens(TensorSheet& sheet, const std::filesystem::path& path);
void type_tokens(TensorSheet& sheet, const std::vector<std::string>& tokens);
// reopen_tensors() opens the sheet again with the choices that made the current scene; it asks
// first if work is unsaved. shows_tensors() returns true if the scene still has the inputs that
// were opened.
void reopen_tensors(App& app);
bool shows_tensors(const Session& session, const std::optional<OpenedTensors>& opened);
std::string_view why_no_tensors(const App& app);
void plan_again(TensorSheet& sheet);  // call after a choice
// Opens the tensors as the sheet says, and closes the sheet. If that fails, the sheet says why.
void open_tensors(App& app);
void save(Session& session, Overlays& overlays);
void open_export_sheet(Overlays& overlays);
void open_start(App& app);  // shows the start page over the open document
// Exports a figure to a file: in the call, or for a long text in the background (see
// Session::make_aside()), with a message when it is done. Returns false, with a message, if the
// scene is not computed, or if another figure is in progress. In the call, throws WorkError, or an
// Error that names a file.
bool write_figure(Session& session, const std::filesystem::path& path, const ExportOptions& options,
                  ExistingFile existing = ExistingFile::refused);
// Copies to the clipboard what Export would write with these choices: a table, or a picture as both
// PNG and SVG. Works in the background for a long text. Returns false, with a message, if it cannot
// begin, or fails in the call.
bool copy_figure(Gui& gui, Session& session, const ExportOptions& options);
void copy_remembered_figure(Gui& gui, Session& session);  // copies a picture, with the last choices
// Copies text to the clipboard. Throws WorkError if it is too long for window systems: "the numbers
// are 20 MB of text, more than the 15 MB that can be copied; export them as .csv (Ctrl+E)". what,
// instead: the beginning and the end of this message.
inline constexpr std::string_view as_csv = "export them as .csv (Ctrl+E)";
void copy_text(const Clipboard& clipboard, const std::string& text,
               std::string_view what = "the numbers are", std::string_view instead = as_csv);
void expect_to_fit(std::size_t bytes, std::string_view what, std::string_view instead = as_csv);
// Copies one heatmap as tab-separated text: the one under the pointer, otherwise whichever of Q, K
// and V has the cell cursor, otherwise the weights of the first shown variant.
void copy_numbers(Gui& gui, Session& session, const BenchState& bench);
void open_path_line(Overlays& overlays, PathLine::Purpose purpose);
// Return commands that open, or delete, unsaved work that a crash has left behind. If the current
// document is unsaved, opening asks first.
WindowCommand recover(const std::filesystem::path& left_behind);
WindowCommand discard(const std::filesystem::path& left_behind);
std::string_view why_no_undo(const Session& session);
std::string_view why_no_redo(const Session& session);

// --- tokens
// Returns the selected token; nullopt if an edit removed it.
std::optional<TokenRef> selected_token(const Session& session, const SidebarState& sidebar);
// Selects the token `steps` further. If keys are listed separately, the first key follows the last
// query.
void select_token(const Session& session, SidebarState& sidebar, Index steps);
void move_selected_token(Session& session, SidebarState& sidebar, Index steps);
void rename_selected_token(Gui& gui, const Session& session, SidebarState& sidebar);
void pad_selected_token(Session& session, const SidebarState& sidebar);
// Inserts a token before this place and opens its name for typing, as one undo step.
void insert_token_at(Gui& gui, Session& session, SidebarState& sidebar, const TokenRef& at);
void insert_after_selected_token(Gui& gui, Session& session, SidebarState& sidebar);
void delete_selected_token(Session& session, SidebarState& sidebar);
void type_sentence(Gui& gui, Session& session, SidebarState& sidebar);
// Returns the sequence whose tokens are listed: that of the selected token, otherwise the first
// shown one.
Index listed_sequence(const Session& session, const SidebarState& sidebar);
// Return ids of fields; see edit_field() in widgets.h. strip_id() is for a field of all tokens of a
// sequence, token_field_id() for renaming a token, sentence_field_id() for typing a sentence.
std::string strip_id(const std::string& what, Index b, Side side);
std::string token_field_id(const TokenRef& token);
std::string sentence_field_id(Index b, Side side);
std::string_view why_no_token(const Session& session, const SidebarState& sidebar);

// --- cells
void move_cursor(Session& session, BenchState& bench, std::optional<Presenting>& presenting,
                 Index down, Index right);
// Blocks or allows the cell at the cursor. In Value table and Frameworks, makes a variant of the
// chosen entry instead.
void toggle_cursor_cell(Session& session, const BenchState& bench, const SidebarState& sidebar,
                        const std::optional<Presenting>& presenting);

// --- variants, stages, heads and views
// Returns the variant whose settings are open, otherwise the first shown one.
int chosen_variant(const Session& session, const SidebarState& sidebar);
void choose_variant(SidebarState& sidebar, int variant);  // opens the variant's settings
// Adds a variant, and opens its settings.
void add_variant_card(Session& session, SidebarState& sidebar);
void duplicate_variant_card(Session& session, SidebarState& sidebar, int variant);
void remove_variant_card(Session& session, SidebarState& sidebar, int variant);
// Adds a variant with the same rules, but with "A or (B and C)" instead of "(A or B) and C".
void show_other_bracket(Session& session, SidebarState& sidebar);
std::string_view why_no_bracket(const Session& session, const SidebarState& sidebar);
void turn_variant(const Session& session, SidebarState& sidebar, int steps);
void show_or_hide_stage(Session& session, StageKind stage);
std::string_view why_no_stage(const Session& session, StageKind stage);
void copy_as_pytorch(Gui& gui, Session& session, int variant);
// Opens the card with the four tests of a mask for the chosen variant.
void open_mask_tests(const Session& session, Ui& ui);
// Copies the tests as a script with which users test their own attention function.
void copy_mask_tests(Gui& gui, Session& session, int variant);
std::string why_no_mask_script(const Session& session, int variant);
void show_head(Session& session, Index h);
std::string_view why_no_head(const Session& session, Index h);
void show_view(Session& session, BenchState& bench, ViewKind kind);
void turn_tab(Session& session, BenchState& bench, int steps);
// Fold or unfold a panel. In a narrow window, panels are drawers over the bench.
void fold_sidebar(Gui& gui, Ui& ui);
void fold_inspector(Gui& gui, Ui& ui);
bool is_narrow(const Gui& gui);  // true if panels do not fit beside the bench
bool shows_sidebar(const Gui& gui, const Ui& ui);
bool shows_inspector(const Gui& gui, const Ui& ui);
bool explores(const Gui& gui, const Ui& ui);  // true if a side panel is open
void explore(App& app);                       // opens both panels, or closes them
// Folds the panels when the document changes: a lesson begins with both closed, a scene with those
// panels open that were open for the last scene.
void fold_for_lesson(App& app);
// Folds the panels as the user last chose for a scene.
void fold_as_chosen(Ui& ui);

// --- themes; nullopt: the system's
inline constexpr std::array<std::pair<const char*, std::optional<ThemeKind>>, 4> theme_choices{
    {{"dark", ThemeKind::dark},
     {"light", ThemeKind::light},
     {"high contrast", ThemeKind::high_contrast},
     {"as the system", std::nullopt}}};
void choose_theme(App& app, std::optional<ThemeKind> theme);  // also remembers it

// --- the size of type, with which everything else scales; it is remembered
void larger_type(App& app);
void smaller_type(App& app);

// --- views besides the heatmaps
const ViewEntry* shown_entry(const Session& session);  // nullptr if heatmaps are shown
// Handles arrow keys in views that use them. Returns false if they move the cell cursor as usual.
bool move_in_view(Session& session, BenchState& bench, Index down, Index right);
// Handles Space. Returns false if the view does not use it.
bool act_in_view(Session& session, const BenchState& bench);
// Handles arrow keys while presenting. Returns false if the view has no step to take, or if the
// lesson's step asks a question.
bool step_in_view(Session& session, Index steps);
// Handles Page Down and Page Up: takes a step of the view, or if it has none, of the lesson.
void go_on(const Gui& gui, Session& session, Ui& ui, int steps);
std::string_view why_not_on(const Session& session);

// --- numbers
// Opens a field for the number when the bench is next drawn; if the number cannot be typed, the
// cell says why.
void ask_for_number(BenchState& bench, const CellRef& cell);
// Does the same at the cell cursor: in Q, K or V if it is there, otherwise in the first drawn
// scores or scaled scores.
void ask_for_number_at_cursor(Session& session, BenchState& bench);

// --- help, and Escape
void toggle_key_help(Ui& ui);
void open_palette(App& app);
void open_lessons(App& app);  // opens the palette with only lessons, steps and files
inline constexpr const char* lessons_words = "Lessons, steps and recent files";
// Closes or leaves one thing at each press, innermost first.
void escape(App& app);

// --- keys while a lesson is presented

void present(App& app);  // begins or ends presenting
// Takes a step in the view, such as to the next token in Generation, or if it has none, in the
// lesson. While the what-if line is open, moves between its fields instead.
void turn_or_step(const Gui& gui, Session& session, Ui& ui, int steps);
void turn_value(Session& session, Presenting& presenting, int steps);  // in the what-if line
void toggle_what_if(const Session& session, Presenting& presenting);
void toggle_blank(Presenting& presenting);
void toggle_spotlight(Presenting& presenting);
void toggle_presenting_keys(Presenting& presenting);
void toggle_presenting_notes(Presenting& presenting);

// Return the variant that the what-if line changes, and its chosen field: −1 for the variant
// itself, nullopt while the line is closed. Both exist in the open scene, even if they were chosen
// in a step with other variants and settings.
int what_if_variant(const Session& session, const Presenting& presenting);
std::optional<int> what_if_field(const Session& session, const Presenting& presenting);

// --- Q, K and V to the left of the scores, with a cell cursor in them

// Shows or hides Q, K and V, or says why these inputs have none.
void fold_tensors(Session& session, BenchState& bench);
// Handles a key: shows Q, K and V with the cell cursor in Q, then moves it to K and V, then hides
// them.
void step_through_tensors(Session& session, BenchState& bench);

// Handles arrow keys while the cell cursor is in Q, K or V. Returns false if it is not, or while
// presenting.
bool move_in_tensors(Session& session, BenchState& bench,
                     const std::optional<Presenting>& presenting, Index down, Index right);
// Handles Escape: returns the cell cursor to the scores. Returns false if it was already there.
bool leave_tensors(BenchState& bench);

// Returns the cell cursor to the scores if an edit or a step removed its cell.
void keep_cursor_within(const Session& session, BenchState& bench);

// Call it when a cell was pressed on the bench: moves the cell cursor there if the cell is in Q, K
// or V, otherwise back to the scores.
void take_cursor_to(BenchState& bench, const CellRef& cell);

}  // namespace maskscope
