#pragma once
// The state that the window keeps besides scene and view, as a struct for each part of the window:
// folded panels, selections, texts being typed.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "app/figure/layout/lay_out.h"
#include "app/session/edits/bench_input.h"
#include "app/session/edits/lesson_pick.h"
#include "app/session/edits/try_place.h"
#include "app/window/context/changed_cells.h"
#include "app/window/context/overlays.h"
#include "app/window/context/window_choices.h"
#include "app/window/paint/gui.h"
#include "core/edit/edit.h"

namespace maskscope {

class ScratchFolder;

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
    std::uint64_t document = 0;    // Document::number; another one begins at the top
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
    Point last;                         // the farthest place to scroll to
    Figure figure;                      // the figure as drawn on the bench, for the pointer
    Point figure_at;
    std::optional<Rect> seen;  // the part of `whole` that `figure` shows
    // The document, step and view in which the bench last began at the place of the fact (see
    // place_of_claim()), where that was, and the numbers of queries and keys and the size of the
    // space then. Until the user scrolls, other sizes let it begin again.
    std::tuple<std::uint64_t, int, ViewKind> begun_in;
    Point begun_at;
    std::tuple<Index, Index, double, double> begun_with;
    bool follows = false;  // scroll to the cell cursor or spot, because a key has moved it
    std::vector<StageKind> stages_on;  // the stages that were shown when it last drew heatmaps
    std::optional<StageKind> comes;    // scroll to this stage, which has just been switched on
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

// The file of tensors that was last opened in the sheet, so that another layer can be chosen.
struct OpenedTensors {
    TensorSheet sheet;
    Inputs inputs;  // inputs of the scene made from it
    std::shared_ptr<ScratchFolder> copies{};
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
    // A figure that is larger than its space is shown from here on. The wheel moves it, until the
    // place of the claim changes: see place_of_claim().
    Point from{};
    std::optional<Point> claim{};
};

// The place where the Try of the shown step is followed.
struct PlacedTry {
    std::pair<std::uint64_t, std::uint64_t> of;  // Document::number, entered()
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

// A step of a built-in lesson, from 0.
struct LessonPlace {
    std::string lesson;
    int step = 0;
    bool operator==(const LessonPlace&) const = default;
};

// The end of a part of the course, after a press to leave it.
struct EndOfPart {
    std::uint64_t entered = 0;    // Session::entered() of its step
    std::string key;              // which key was pressed, and opens the next lesson
    std::optional<double> asked;  // since when; see is_read()
};

// A way from one lesson of the course to the next.
struct Crossing {
    LessonPlace from, to;
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
    std::uint64_t document = 0;  // Document::number; the rest refers to it
    BenchState bench;
    SidebarState sidebar;
    Overlays overlays;
    std::optional<Presenting> presenting;
    std::optional<LessonEditor> lesson_editor;
    std::optional<PlacedTry> placed_try;
    // The step for whose Try the left panel was opened. The panel closes with the step, unless the
    // user has folded or unfolded a panel.
    std::optional<int> opened_for_try;
    std::optional<EndOfPart> ended;   // the last one; see go_through_lessons()
    std::vector<Crossing> crossings;  // the ways back through the course, the last one first to go
    std::optional<OpenedTensors> opened_tensors;
    std::vector<std::filesystem::path> left_behind;  // unsaved work of crashed runs, newest first
    std::pair<std::filesystem::path, std::string> left_title;  // one of these files, and its title
    std::filesystem::path discarding;  // the file for which Discard was pressed once
    ShownMessage told;
    Commands commands;
    WindowChoices choices;   // the state that the next start restores
    bool in_lesson = false;  // panels were last folded or unfolded for a lesson
    bool inspector_folded = false, inspector_drawer = false;  // see SidebarState
    bool notes_open = false;                                  // the steps' notes are open
    int help_page = 0;  // the page that is shown, or was shown last; 0 = the keys
    bool quit = false;
};

}  // namespace maskscope
