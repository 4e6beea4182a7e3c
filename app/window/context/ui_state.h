#pragma once
// The state that the window keeps besides scene and view, as a struct for each part of the window:
// folded panels, selections, texts being typed.

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "app/export/export.h"
#include "app/export/export_live.h"
#include "app/figure/layout/lay_out.h"
#include "app/session/edits/bench_input.h"
#include "app/session/edits/lesson_pick.h"
#include "app/session/edits/try_place.h"
#include "app/window/context/changed_cells.h"
#include "app/window/context/mask_check.h"
#include "app/window/context/window_choices.h"
#include "app/window/paint/gui.h"
#include "core/dump/plan.h"
#include "core/edit/edit.h"

namespace maskscope {

struct App;

// A command for the whole window, from a key, a panel or the palette.
using WindowCommand = std::function<void(App&)>;

struct PaletteEntry {
    std::string words;  // such as "Theme: light"
    WindowCommand act{};
    std::string keys{};     // at the right end: a key such as "Ctrl+Z", or a note
    std::string why_not{};  // why it cannot act now: "no lesson is open"; "" if it can
    std::size_t ahead = 0;  // ranks as if its words began this many letters earlier
    std::string about{};    // dimmed, after the words; also matches, but ranks last
};

// The open command palette: every command in words, whether it has a key or not. Its list is made
// from the App when the palette opens, and narrowed by what is typed.
struct Palette {
    std::vector<PaletteEntry> entries;
    std::string hint{};      // shown in the empty field
    std::string typed{};     // narrows the list
    std::size_t chosen = 0;  // index among matching entries; Enter runs it
};

// The id of its text field; see edit_field() in widgets.h.
inline constexpr const char* palette_field_id = "palette";

std::vector<PaletteEntry> palette_entries(App& app);

// Returns the indices of the entries that match every typed word, in any order and either case.
// Entries that can act come first. Entries that match near their beginning, and at the beginning of
// a word, rank before others. Returns all if nothing is typed.
std::vector<std::size_t> matching(const std::vector<PaletteEntry>& entries,
                                  const std::string& typed);

struct App;
class FolderListing;
class ScratchFolder;
class SystemDialog;

// Commands from panels to the whole window, which run after the pass.
using Commands = std::vector<WindowCommand>;

// A token in the sidebar.
struct TokenRef {
    Index b = 0;
    Side side = Side::queries;
    Index index = 0;
    bool operator==(const TokenRef&) const = default;
};

struct SidebarState {
    enum class Section { tokens, rules, variants, inputs };
    bool folded = false;  // by the user
    bool drawer = false;  // open over the bench, if the window is too narrow for panels
    void open() {
        folded = false;
        drawer = true;
    }
    std::optional<Section> comes;  // scrolls to the top when the panel is next drawn
    std::optional<TokenRef> selected;
    std::optional<int> variant;            // the variant whose settings are open
    std::vector<LayerPath> chosen_layers;  // rules to be put into a new group
    std::vector<LayerKind> chosen_among;   // the kinds of rules when these were chosen; if they
                                           // change, the paths are no longer valid
    // The field for a formula that is being typed, and its text before typing.
    std::pair<std::string, std::string> formula_before;
};

// The inputs of the bench's figure; if they are equal, so is the figure.
struct LayoutKey {
    std::uint64_t bench = 0;  // Bench::made
    View view;
    LayoutOptions options;
    bool operator==(const LayoutKey&) const = default;
};

struct BenchState {
    Figure whole;  // if it is larger than the bench, only part of it is visible
    std::optional<LayoutKey> laid_out;  // the inputs of `whole`; nullopt: unknown
    std::uint64_t layouts = 0;          // how often `whole` was laid out
    Figure figure;                      // the figure as drawn on the bench, for the pointer
    Point figure_at;
    std::optional<Rect> seen;  // the part of `whole` that `figure` shows
    // The document, step, view, and numbers of queries and keys that the bench showed when it last
    // scrolled. If any of these changes, it scrolls to the place of the fact: see place_of_claim().
    std::tuple<std::uint64_t, int, ViewKind, Index, Index> scrolled_in;
    bool follows = false;  // scroll to the cell cursor or spot, because a key has moved it
    ChangedCells changed_cells;
    bool calm = false;  // without tabs and chips, for a lesson with closed panels
    BenchDrag drag;
    std::optional<Spot> spot;     // in views besides heatmaps: under the pointer, or chosen by keys
    Point spot_pointer;           // the pointer's position when it last chose a spot
    std::optional<Spot> grabbed;  // while the button is held: the spot where it was pressed
    // --- numbers
    std::optional<CellRef> number;         // the cell whose number is being typed
    std::optional<CellRef> number_asked;   // the cell whose field opens with the next drawing
    std::optional<CellRef> tensor_cursor;  // the cell cursor while it is in Q, K or V
    struct Refusal {
        CellRef cell;
        std::string why;
    };
    std::optional<Refusal> refusal;  // shown at the cell until the pointer leaves it
};

// The line in which a path is typed.
struct PathLine {
    enum class Purpose { open, save_as, add_to_lesson, tokens };
    Purpose purpose = Purpose::open;
    std::string text{};                           // the proposed path; typed text is in Editing
    std::string error{};                          // why the path was rejected, and what to do
    std::vector<std::filesystem::path> recent{};  // shown before anything is typed
    std::vector<std::string> conflicts{};         // files that would be overwritten
    std::optional<double> asked{};                // since when the question is shown; see is_read()
    WindowCommand after_save{};                   // runs after saving, for example to quit
    std::shared_ptr<FolderListing> listing{};     // lists the typed folder
    bool browses = false;                         // the desktop may have its own dialog
    std::shared_ptr<SystemDialog> dialog{};       // set while the desktop's dialog is open
};

// The sheet for exporting a figure of what is shown.
struct ExportSheet {
    ExportOptions options;  // the format follows from the path
    // A page for the browser instead of a figure: of the open lesson, otherwise of the scene.
    enum class Page { none, pictures, live };
    Page page = Page::none;
    LiveOptions live{};
    std::string path;
    std::string error{};            // why the file was not written, and what to do
    std::string copied{};           // says what was copied with these choices
    bool copies_aside = false;      // the copy is being made in the background
    bool asks_to_replace = false;   // asks because the file exists
    std::optional<double> asked{};  // when the question appeared; see is_read()
    bool browses = false;           // the desktop may have its own dialog
    std::shared_ptr<SystemDialog> dialog{};
    // The inputs of the preview; if they are equal, so is the preview.
    struct PreviewKey {
        std::uint64_t bench = 0;  // Bench::made
        View view;
        ExportOptions options;
        ViewData views{};
        bool operator==(const PreviewKey&) const = default;
    };
    std::optional<PreviewKey> made{};
    Figure preview{};
    std::string refused{};  // why there is no preview
};

// The sheet that asks what to open from a file of tensors.
struct TensorSheet {
    std::shared_ptr<const Dump> dump;
    DumpChoice choice{};
    DumpPlan plan{};          // made from dump and choice
    std::string tokens_of{};  // the file from which the tokens come
    std::string error{};      // why the file could not be opened
    std::size_t first = 0;    // index of the first visible tensor in a long list
};

// The file of tensors that was last opened in the sheet, so that another layer can be chosen.
struct OpenedTensors {
    TensorSheet sheet;
    Inputs inputs;  // inputs of the scene made from it
    std::shared_ptr<ScratchFolder> copies{};
};

// A step of a built-in lesson.
struct CourseStep {
    std::string name, title;  // the lesson's
    int step = 0, steps = 0;  // step: from 0; steps: their number
};

// The page on which newcomers begin: panels for the lessons, for a sentence of your own, and for
// the numbers of a model.
struct StartPage {
    enum class Door { learn, sentence, model, recent };
    Door door = Door::learn;                  // the panel that Enter opens
    bool made = false;                        // false: the rest is not yet filled in
    std::uint64_t document = 0, entered = 0;  // the session's; if they change, the page closes
    std::string first_title{};                // title of the course's first lesson
    std::size_t lessons = 0;
    std::optional<CourseStep> continues{};  // the step at which the user left the course
    std::vector<std::filesystem::path> recent{};
    std::string sentence = "The cat sat down", answer = "Il gatto si sedette";
    std::size_t mask = 0;
    int comes = 0;  // for so many more passes, scroll to the focused control
    std::array<unsigned, 4> first_controls{};        // [door]: ids of ImGui
    std::array<std::optional<double>, 3> heights{};  // the panels' contents; nullopt: unknown
};

// The question that is asked before unsaved work is lost: save, do not save, or stay.
struct UnsavedQuestion {
    std::string text;
    WindowCommand then;       // runs after saving, or without saving
    std::string figure = {};  // a figure in progress that would be lost: keep working, or quit
};

// The card with the four tests of a mask.
struct MaskCard {
    int variant = 0;  // the tested variant
    std::unique_ptr<MaskCheck> check = std::make_unique<MaskCheck>();
};

inline constexpr double pointer_fades = 2;  // seconds without movement, while presenting

// The state of presenting: a lesson in full screen, for an audience.
struct Presenting {
    bool blank = false;      // true: the screen is empty
    bool spotlight = false;  // every row except the focus row is dimmed
    bool keys = false;       // true: the keys for presenting are listed
    bool notes = false;      // true: the step's table and notes are shown
    // The pointer's position. It is used only for a while after the pointer has moved.
    std::optional<Point> pointer{};
    std::optional<double> moved{};  // when the pointer moved, in Gui::time
    std::optional<int> what_if;     // the field of the what-if line that arrow keys change
    std::optional<int>
        variant;  // the variant that the what-if line changes; nullopt = the last shown
    // Session::entered() of the step in which the cell cursor left the ring.
    std::optional<std::uint64_t> moved_in;
};

// The place where the Try of the shown step is followed.
struct PlacedTry {
    std::pair<std::uint64_t, std::uint64_t> of;  // Session::document(), entered()
    TryPlace place;
};

// A fact that is being written or changed, and is not yet in the step.
struct FactDraft {
    Fact fact;
    std::optional<Fact> replaces = {};  // the fact of the step that it replaces
    std::size_t from = 0;               // the first candidate of the search for fails_with
    bool own_words = false;             // `says` was typed; false: it follows the fact
    int step = 0;                       // index of its step
};

// The panel for writing a lesson, which replaces the inspector.
struct LessonEditor {
    enum class Page { steps, words, facts };
    Page page = Page::steps;
    Pick pick;
    std::optional<FactDraft> draft;
    std::optional<std::pair<int, std::size_t>> caption_caret;  // step, byte; nullopt = at the end
    bool inspector_was_folded = false, inspector_was_drawer = false;  // before it opened
};

// The message in the status line. After a while it is dimmed, or while presenting, removed.
struct ShownMessage {
    std::uint64_t number = 0;  // Session::Message::number; 0 = no message
    double since = 0;          // seconds of App::clock when it appeared
    // The number of a message that refuses an action; the next action removes the message.
    std::uint64_t refusal = 0;
};
inline constexpr double seconds_of_news = 8;

struct Ui {
    std::uint64_t document = 0;  // Session::document(); the rest refers to it
    BenchState bench;
    SidebarState sidebar;
    std::optional<StartPage> start;
    std::optional<Presenting> presenting;
    std::optional<LessonEditor> lesson_editor;
    std::optional<PlacedTry> placed_try;
    // The step for whose Try the left panel was opened. The panel closes with the step, unless the
    // user has folded or unfolded a panel.
    std::optional<int> opened_for_try;
    // The last step of a part of the course, after a press to leave it; see go_through_lessons().
    std::optional<int> ended;
    std::optional<PathLine> path_line;
    std::optional<ExportSheet> export_sheet;
    std::optional<TensorSheet> tensor_sheet;
    std::optional<OpenedTensors> opened_tensors;
    std::optional<UnsavedQuestion> question;
    std::optional<MaskCard> mask_card;
    std::optional<Palette> palette;
    std::vector<std::filesystem::path> left_behind;  // unsaved work of crashed runs, newest first
    std::pair<std::filesystem::path, std::string> left_title;  // one of these files, and its title
    std::filesystem::path discarding;  // the file for which Discard was pressed once
    ShownMessage told;
    Commands commands;
    WindowChoices choices;   // the state that the next start restores
    bool in_lesson = false;  // panels were last folded or unfolded for a lesson
    bool inspector_folded = false, inspector_drawer = false;  // see SidebarState
    bool notes_open = false;                                  // the steps' notes are open
    bool backend_open = false;  // opened by a click on the backend's name
    bool key_help_open = false;
    int help_page = 0;  // the page that is shown, or was shown last; 0 = the keys
    bool quit = false;

    Layer uppermost() const;        // the one above all others that are open
    void close_above(Layer layer);  // closes those that are open above this one
};

inline Layer Ui::uppermost() const {
    if (question) return Layer::question;
    if (palette) return Layer::palette;
    if (key_help_open) return Layer::key_help;
    if (export_sheet) return Layer::sheet;
    if (path_line) return Layer::path_line;
    if (tensor_sheet) return Layer::tensors;
    return start ? Layer::start : Layer::window;
}

inline void Ui::close_above(Layer layer) {
    if (layer < Layer::question) question.reset();
    if (layer < Layer::palette) palette.reset();
    if (layer < Layer::key_help) key_help_open = false;
    if (layer < Layer::sheet) export_sheet.reset();
    if (layer < Layer::path_line) path_line.reset();
    if (layer < Layer::tensors) tensor_sheet.reset();
    if (layer < Layer::start) start.reset();
}

}  // namespace maskscope
