#pragma once
// The state that the window keeps besides scene and view, one struct for each part of the window:
// folded panels, selections, texts being typed.

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "app/export/export.h"
#include "app/figure/layout/lay_out.h"
#include "app/session/edits/bench_input.h"
#include "app/session/edits/lesson_pick.h"
#include "app/window/context/changed_cells.h"
#include "app/window/context/palette.h"
#include "app/window/context/window_choices.h"
#include "core/dump/plan.h"
#include "core/edit/edit.h"

namespace maskscope {

struct App;
class FolderListing;
class ScratchFolder;
class SystemDialog;

// Commands of panels to the whole window; they run after the pass.
using Commands = std::vector<WindowCommand>;

// A token of the sidebar.
struct TokenRef {
    Index b = 0;
    Side side = Side::queries;
    Index index = 0;
    bool operator==(const TokenRef&) const = default;
};

struct SidebarState {
    bool folded = false;
    std::optional<TokenRef> selected;
    std::optional<int> variant;            // whose settings are open
    std::vector<LayerPath> chosen_layers;  // that a new group takes
    std::vector<LayerKind> chosen_among;   // of the layers then: of others these would be others
    // The field of the formula that is being typed, and what it held before.
    std::pair<std::string, std::string> formula_before;
};

// The key of a figure of the bench.
struct LaidOut {
    std::uint64_t bench = 0;  // Bench::made
    View view;
    LayoutOptions options;
    bool operator==(const LaidOut&) const = default;
};

// The room and the content that the bench's economy was chosen for: editing numbers keeps it.
struct Arranged {
    double width = 0, height = 0, scale = 0;
    std::string document;  // its title
    int step = 0;
    std::vector<SharedTokens> tokens;
    std::vector<std::pair<int, StageKind>> stages;  // of each lane
    bool operator==(const Arranged&) const = default;
};

struct BenchState {
    std::optional<Arranged> arranged;
    Economy economy;                   // of `arranged`
    Reading reading = Reading::whole;  // of `arranged`
    Figure figure;                     // what the bench shows, and where, for the pointer
    Point figure_at;
    std::optional<LaidOut> laid_out;  // what `figure` was made from; nothing: unknown
    ChangedCells changed_cells;
    bool calm = false;  // without tabs and chips: a lesson with its panels closed
    // Where the figure needed a scroll bar: place, document, step. The bar stays there: beside it
    // the figure may be low enough to do without, and would be higher again as soon as it was gone.
    std::optional<std::tuple<Rect, std::uint64_t, int>> scrolled_in;
    BenchDrag drag;
    std::optional<Spot> spot;     // in plane and table: under the pointer, or chosen by keys
    Point spot_pointer;           // where the pointer was when it last chose the spot
    std::optional<Spot> grabbed;  // where the button went down in a view, while it is down
    // --- numbers
    std::optional<CellRef> number;         // being typed
    std::optional<CellRef> number_asked;   // to be typed from when the bench is next drawn
    std::optional<CellRef> tensor_cursor;  // the cell cursor while in Q, K or V
    struct Refusal {
        CellRef cell;
        std::string why;
    };
    std::optional<Refusal> refusal;  // shown at the cell while the pointer stays there
};

// The line in which a path is typed.
struct PathLine {
    enum class Purpose { open, save_as, add_to_lesson, tokens };
    Purpose purpose = Purpose::open;
    std::string text{};                           // proposed; what is typed lives in Editing
    std::string error{};                          // why `text` was not taken, and what to do
    std::vector<std::filesystem::path> recent{};  // offered before anything is typed
    std::vector<std::string> conflicts{};         // asked before they are overwritten
    std::optional<double> asked{};                // since when they are, see is_read()
    WindowCommand after_save{};                   // after saving, for example leaving
    std::shared_ptr<FolderListing> listing{};     // of the typed folder
    std::string browser{};                        // the desktop's dialog program; "" = none
    std::shared_ptr<SystemDialog> dialog{};       // while it is open
};

// The sheet in which a figure is made of what is shown.
struct ExportSheet {
    ExportOptions options;  // its format follows from the path
    // A page for the browser in place of a figure: of the lesson that is open, else of the scene.
    enum class Page { none, pictures, live };
    Page page = Page::none;
    std::string path;
    std::string error{};            // why it was not written, and what to do
    std::string copied{};           // what was, with these choices
    bool copies_aside = false;      // while it is made
    bool asks_to_replace = false;   // there is a file
    std::optional<double> asked{};  // since when, see is_read()
    std::shared_ptr<SystemDialog> dialog{};
    // The key of the preview.
    struct Made {
        std::uint64_t bench = 0;  // Bench::made
        View view;
        ExportOptions options;
        ViewData views{};
        bool operator==(const Made&) const = default;
    };
    std::optional<Made> made{};
    Figure preview{};
    std::string refused{};  // why there is none
};

// The sheet that asks what of a file of tensors is opened.
struct TensorSheet {
    std::shared_ptr<const Dump> dump;
    DumpChoice choice{};
    DumpPlan plan{};          // of both
    std::string tokens_of{};  // the file that brought the tokens
    std::string error{};      // why it could not be opened
    std::size_t first = 0;    // of the tensors that are listed, where there are many
};

// The last dump opened in the sheet: another layer of it can be chosen.
struct OpenedTensors {
    TensorSheet sheet;
    Inputs inputs;  // of the scene that it became
    std::shared_ptr<ScratchFolder> copies{};
};

// A step of a built-in lesson.
struct CourseStep {
    std::string name, title;  // of the lesson
    int step = 0, steps = 0;  // from 0, of so many
};

// The page with which a newcomer begins: doors to the lessons, to a sentence of one's own, and to
// the numbers of a model.
struct StartPage {
    enum class Door { learn, sentence, model, recent };
    Door door = Door::learn;                  // that Enter goes through
    bool made = false;                        // the rest is filled in when it is first drawn
    std::uint64_t document = 0, entered = 0;  // of the session: another one closes the page
    std::string first_title{};                // of the course
    std::size_t lessons = 0;
    std::optional<CourseStep> continues{};  // where one left the course
    std::vector<std::filesystem::path> recent{};
    std::string sentence = "The cat sat down", answer = "Il gatto si sedette";
    std::size_t mask = 0;
    int comes = 0;  // in so many passes the page scrolls to what has the keyboard
    std::array<unsigned, 4> first_controls{};  // [door], ImGui's ids
};

// Asked before unsaved work is lost: save, do not save, or stay.
struct UnsavedQuestion {
    std::string text;
    WindowCommand then;       // after saving, or without
    std::string figure = {};  // what is lost instead: it is being made; stay, or leave
};

inline constexpr double pointer_fades = 2;  // seconds, while presenting

// The lesson in full screen, for an audience.
struct Presenting {
    bool blank = false;      // nothing is shown
    bool spotlight = false;  // all but the focus row is dimmed
    bool keys = false;       // the keys of presenting are listed
    bool notes = false;      // the step's table and notes are shown
    // The pointer counts only for a while after it has moved.
    std::optional<Point> pointer{};
    std::optional<double> moved{};  // when, in the time of Gui
    std::optional<int> what_if;     // the field of the what-if line that the arrow keys change
    std::optional<int> lane;        // that the what-if line changes; absent = the last shown
    // Session::entered() when the cell cursor left the ring.
    std::optional<std::uint64_t> moved_in;
    std::optional<int> ended;  // the last step, once it was left: go_through_lessons()
};

// A fact being made or changed, before the step takes it.
struct FactDraft {
    Fact fact;
    std::optional<Fact> replaces = {};  // one of the step's facts
    std::size_t from = 0;               // the first candidate of the search for fails_with
    bool own_words = false;             // `says` was typed; else it follows the fact
    int step = 0;                       // that it belongs to
};

// While a lesson is written its panel replaces the inspector.
struct LessonEditor {
    enum class Page { steps, words, facts };
    Page page = Page::steps;
    Pick pick;
    std::optional<FactDraft> draft;
    std::optional<std::pair<int, std::size_t>> caption_caret;  // of a step; absent = at the end
    bool sidebar_was_folded = false, inspector_was_folded = false;  // before it opened
};

// The message of the status line, which is dimmed after a while, and gone while presenting.
struct Told {
    std::uint64_t number = 0;  // Session::Message::number; 0 = there is none
    double since = 0;          // seconds of App::clock
    std::uint64_t refusal =
        0;  // the number of one that refuses what was done: the next act ends it
};
inline constexpr double seconds_of_news = 8;

// The state for which the panels were last folded automatically.
struct Fitted {
    int width = 0, height = 0;  // of the window, pixels
    double scale = 0;
    std::string document;  // its title
    bool tensors = false;  // Q, K and V are shown
    int step = 0;
    Shape shape;
    bool operator==(const Fitted&) const = default;
};

struct Ui {
    std::uint64_t document = 0;  // Session::document(), that the rest refers to
    BenchState bench;
    SidebarState sidebar;
    std::optional<StartPage> start;
    std::optional<Presenting> presenting;
    std::optional<LessonEditor> lesson_editor;
    std::optional<PathLine> path_line;
    std::optional<ExportSheet> export_sheet;
    std::optional<TensorSheet> tensor_sheet;
    std::optional<OpenedTensors> opened_tensors;
    std::optional<UnsavedQuestion> question;
    std::optional<Palette> palette;
    std::vector<std::filesystem::path> left_behind;  // unsaved work of a crash, the newest first
    std::pair<std::filesystem::path, std::string> left_title;  // of one of it
    std::filesystem::path discarding;                          // one of it: pressed once
    Told told;
    Commands commands;
    WindowChoices choices;   // what the next start takes over
    bool in_lesson = false;  // when the panels were last folded or unfolded for that
    bool inspector_folded = false;
    bool notes_open = false;  // of the steps of lessons
    std::optional<Fitted> fitted;
    // Folded or unfolded by hand since the window got its size: it stays so.
    bool sidebar_chosen = false, inspector_chosen = false;
    bool timings_open = false;  // opened by the backend's name
    bool key_help_open = false;
    int help_page = 0;  // that it shows, or showed last: 0 the keys
    bool quit = false;
};

}  // namespace maskscope
