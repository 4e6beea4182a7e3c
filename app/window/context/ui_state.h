#pragma once
// The state that the window keeps besides scene and view, one struct for each part of the window:
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

// Every command in words, with or without a key. The list is made from the App when the palette
// opens, and narrowed by what is typed.

struct App;

// A command to the whole window from a key, a panel or the palette.
using WindowCommand = std::function<void(App&)>;

struct PaletteEntry {
    std::string words;  // "Theme: light"
    WindowCommand act{};
    std::string keys{};     // at the right end: "Ctrl+Z", or a note
    std::string why_not{};  // "no lesson is open"; "" if it can act now
    std::size_t ahead = 0;  // its words rank as if they began this many letters earlier
    std::string about{};    // drawn dimmer, after the words; matches, too, but ranks last
};

// The open palette.
struct Palette {
    std::vector<PaletteEntry> entries;
    std::string hint{};      // in the empty field
    std::string typed{};     // the list is narrowed by it
    std::size_t chosen = 0;  // among the matching entries; Enter runs it
};

// The id of its text field; see edit_field() in widgets.h.
inline constexpr const char* palette_field_id = "palette";

std::vector<PaletteEntry> palette_entries(App& app);

// Returns the indices of the entries with every typed word, in any order and either case: those
// that can act first, then by how early, and at which beginnings of words, they match. All if
// nothing is typed.
std::vector<std::size_t> matching(const std::vector<PaletteEntry>& entries,
                                  const std::string& typed);

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
    enum class Section { tokens, rules, variants, inputs };
    bool folded = false;  // by hand
    bool drawer = false;  // open over the bench, in a window too narrow for panels
    void open() {
        folded = false;
        drawer = true;
    }
    std::optional<Section> comes;  // to the top, when the panel is next drawn
    std::optional<TokenRef> selected;
    std::optional<int> variant;            // the one whose settings are open
    std::vector<LayerPath> chosen_layers;  // to be put into a new group
    std::vector<LayerKind> chosen_among;  // the rules' kinds when they were chosen: the paths would
                                          // mean others among others
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

struct BenchState {
    Figure whole;                     // if it is larger than the bench, a part of it is seen
    std::optional<LaidOut> laid_out;  // what `whole` was made from; nullopt: unknown
    std::uint64_t layouts = 0;        // how often it was made
    Figure figure;                    // what the bench shows, and where, for the pointer
    Point figure_at;
    std::optional<Rect> seen;  // the part of `whole` from which `figure` was made
    // The document, step, view, and numbers of queries and keys that were scrolled: another one
    // begins where its claim is.
    std::tuple<std::uint64_t, int, ViewKind, Index, Index> scrolled_in;
    bool follows = false;  // scrolls to the cell cursor or spot, which was moved by a key
    ChangedCells changed_cells;
    bool calm = false;  // without tabs and chips: a lesson with its panels closed
    BenchDrag drag;
    std::optional<Spot> spot;     // in plane and table: under the pointer, or chosen by keys
    Point spot_pointer;           // the pointer's position when it last chose the spot
    std::optional<Spot> grabbed;  // where the button was pressed in a view, while it is held
    // --- numbers
    std::optional<CellRef> number;         // being typed
    std::optional<CellRef> number_asked;   // its field opens when the bench is next drawn
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
    std::string text{};                           // proposed; the typed text is in Editing
    std::string error{};                          // why `text` was rejected, and what to do
    std::vector<std::filesystem::path> recent{};  // offered before anything is typed
    std::vector<std::string> conflicts{};         // asked about before they are overwritten
    std::optional<double> asked{};                // since when it asks, see is_read()
    WindowCommand after_save{};                   // after saving, for example quitting
    std::shared_ptr<FolderListing> listing{};     // for the typed folder
    bool browses = false;                         // the desktop may have a dialog of its own
    std::shared_ptr<SystemDialog> dialog{};       // while it is open
};

// The sheet in which a figure is made from what is shown.
struct ExportSheet {
    ExportOptions options;  // its format follows from the path
    // A page for the browser in place of a figure: of the open lesson, else of the scene.
    enum class Page { none, pictures, live };
    Page page = Page::none;
    LiveOptions live{};
    std::string path;
    std::string error{};            // why it was not written, and what to do
    std::string copied{};           // what was copied with these choices
    bool copies_aside = false;      // while the copy is made in the background
    bool asks_to_replace = false;   // a file exists
    std::optional<double> asked{};  // since when it asks, see is_read()
    bool browses = false;           // the desktop may have a dialog of its own
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

// The sheet that asks what to open from a file of tensors.
struct TensorSheet {
    std::shared_ptr<const Dump> dump;
    DumpChoice choice{};
    DumpPlan plan{};          // made from both
    std::string tokens_of{};  // the file that the tokens are from
    std::string error{};      // why it could not be opened
    std::size_t first = 0;    // the first of the listed tensors that is shown, if there are many
};

// The last dump opened in the sheet, so that another layer can be chosen.
struct OpenedTensors {
    TensorSheet sheet;
    Inputs inputs;  // of the scene made from it
    std::shared_ptr<ScratchFolder> copies{};
};

// A step of a built-in lesson.
struct CourseStep {
    std::string name, title;  // of the lesson
    int step = 0, steps = 0;  // from 0, out of `steps`
};

// The page with which a newcomer begins: panels for the lessons, for a sentence of your own, and
// for the numbers of a model.
struct StartPage {
    enum class Door { learn, sentence, model, recent };
    Door door = Door::learn;                  // the one that Enter opens
    bool made = false;                        // the rest is filled in when it is first drawn
    std::uint64_t document = 0, entered = 0;  // the session's: another document closes the page
    std::string first_title{};                // the course's first lesson
    std::size_t lessons = 0;
    std::optional<CourseStep> continues{};  // where the user left the course
    std::vector<std::filesystem::path> recent{};
    std::string sentence = "The cat sat down", answer = "Il gatto si sedette";
    std::size_t mask = 0;
    int comes = 0;  // for this many passes the page scrolls to the control that has the keyboard
    std::array<unsigned, 4> first_controls{};        // [door], ImGui's ids
    std::array<std::optional<double>, 3> heights{};  // of what the doors show; nullopt: unknown
};

// Asks before unsaved work is lost: save, do not save, or stay.
struct UnsavedQuestion {
    std::string text;
    WindowCommand then;       // after saving, or without
    std::string figure = {};  // a figure that is being made, which would be lost: stay, or leave
};

// The card with the four tests of a mask.
struct MaskCard {
    int lane = 0;  // the variant that is tested
    std::unique_ptr<MaskCheck> check = std::make_unique<MaskCheck>();
};

inline constexpr double pointer_fades = 2;  // seconds, while presenting

// The lesson in full screen, for an audience.
struct Presenting {
    bool blank = false;      // nothing is shown
    bool spotlight = false;  // every row except the focus row is dimmed
    bool keys = false;       // the keys of presenting are listed
    bool notes = false;      // the step's table and notes are shown
    // The pointer is used only for a while after it has moved.
    std::optional<Point> pointer{};
    std::optional<double> moved{};  // when it did, in the time of Gui
    std::optional<int> what_if;     // the field of the what-if line that the arrow keys change
    std::optional<int> lane;  // the one that the what-if line changes; nullopt = the last shown
    // Session::entered() when the cell cursor left the ring.
    std::optional<std::uint64_t> moved_in;
};

// The place where the Try of the shown step is followed.
struct PlacedTry {
    std::pair<std::uint64_t, std::uint64_t> of;  // Session::document(), entered()
    TryPlace place;
};

// A fact being written or changed, before the step takes it.
struct FactDraft {
    Fact fact;
    std::optional<Fact> replaces = {};  // one of the step's facts
    std::size_t from = 0;               // the first candidate in the search for fails_with
    bool own_words = false;             // `says` was typed; otherwise it follows the fact
    int step = 0;                       // the one that it belongs to
};

// While a lesson is written, its panel replaces the inspector.
struct LessonEditor {
    enum class Page { steps, words, facts };
    Page page = Page::steps;
    Pick pick;
    std::optional<FactDraft> draft;
    std::optional<std::pair<int, std::size_t>> caption_caret;  // in a step; nullopt = at the end
    bool inspector_was_folded = false, inspector_was_drawer = false;  // before it was opened
};

// The message of the status line, which is dimmed after a while, and removed while presenting.
struct Told {
    std::uint64_t number = 0;  // Session::Message::number; 0 = no message
    double since = 0;          // seconds of App::clock
    std::uint64_t refusal =
        0;  // the number of a message that refuses an action: the next action removes it
};
inline constexpr double seconds_of_news = 8;

struct Ui {
    std::uint64_t document = 0;  // Session::document(), to which the rest refers
    BenchState bench;
    SidebarState sidebar;
    std::optional<StartPage> start;
    std::optional<Presenting> presenting;
    std::optional<LessonEditor> lesson_editor;
    std::optional<PlacedTry> placed_try;
    // The step for whose Try the left panel was opened: it closes with the step, unless a panel was
    // folded or unfolded by hand.
    std::optional<int> opened_for_try;
    // The last step of a part of the course, once it was left: go_through_lessons().
    std::optional<int> ended;
    std::optional<PathLine> path_line;
    std::optional<ExportSheet> export_sheet;
    std::optional<TensorSheet> tensor_sheet;
    std::optional<OpenedTensors> opened_tensors;
    std::optional<UnsavedQuestion> question;
    std::optional<MaskCard> mask_card;
    std::optional<Palette> palette;
    std::vector<std::filesystem::path> left_behind;  // unsaved work of a crash, the newest first
    std::pair<std::filesystem::path, std::string> left_title;  // the title of one of them
    std::filesystem::path discarding;  // one of them: Discard was pressed once
    Told told;
    Commands commands;
    WindowChoices choices;   // what the next start restores
    bool in_lesson = false;  // the panels were last folded or unfolded for a lesson
    bool inspector_folded = false, inspector_drawer = false;  // see SidebarState
    bool notes_open = false;                                  // for the steps of lessons
    bool backend_open = false;  // opened by a click on the backend's name
    bool key_help_open = false;
    int help_page = 0;  // the page that it shows, or showed last: 0 the keys
    bool quit = false;

    Layer uppermost() const;        // of what is open, one over the other
    void close_above(Layer layer);  // closes what is open over this layer
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
