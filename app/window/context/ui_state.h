#pragma once
// What the window remembers that is neither scene nor view: what is folded, selected, being typed.

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/session/edits/bench_input.h"
#include "app/session/edits/lesson_pick.h"
#include "app/window/context/palette.h"
#include "app/window/typing/token_field.h"
#include "core/edit/edit.h"

namespace maskscope {

struct App;
class FolderListing;

// What stands above what: keys go to the uppermost that is open.
enum class Layer { window, path_line, key_help, palette, question };
inline constexpr std::size_t layer_count = 5;

struct Focus {
    // ImGui's id of the control, by layer: under a question the window remembers its own.
    std::array<std::optional<unsigned>, layer_count> of{};
    Layer layer = Layer::window;  // the uppermost in this pass
    std::size_t place = 0;        // in the order, where the control was, or the last click

    // --- of this pass
    Layer drawing = Layer::window;  // what is being drawn
    std::vector<unsigned> order;    // the layer's controls, as they are drawn
    int move = 0;                   // by how many controls Tab goes on
    bool presses = false;           // Enter or Space: the control acts when it is drawn
    bool came = false;              // it has just got the focus: it is scrolled to where it is seen
    bool takes_blank = false;       // the blank that the pressed Space types is not typed
    std::optional<Rect> ring, clip;
};

// A token of the sidebar.
struct TokenRef {
    Index b = 0;
    Side side = Side::queries;
    Index index = 0;
    bool operator==(const TokenRef&) const = default;
};

// The one text field that has the keyboard; see text_field() in widgets.h.
struct Editing {
    std::string id;
    TokenField field;
    bool leave = false;  // commits when it is next drawn
    bool drawn = false;  // in this frame; a field that is no longer drawn is given up
    bool begun = true;   // in this pass: the key that began it is not for the field
};

// The line in which a path is typed.
struct PathLine {
    enum class Purpose { open, save_as, export_png, add_to_lesson };
    Purpose purpose = Purpose::open;
    std::string text{};                        // proposed; what is typed lives in Editing
    std::vector<std::string> conflicts{};      // asked before they are overwritten
    std::shared_ptr<FolderListing> listing{};  // of the folder that is typed
};

// Asked before unsaved work is left: save, do not save, or stay.
struct UnsavedQuestion {
    std::string text;
    std::function<void(App&)> then;  // after saving, or without
};

// The lesson in full screen, for a room.
struct Presenting {
    bool blank = false;           // nothing is shown: the class looks at the lecturer
    bool spotlight = false;       // all but the focus row is dimmed
    std::optional<int> what_if;   // the field of the what-if line that the arrow keys change
    std::optional<int> lane;      // whose settings it changes; absent = the last lane shown
    std::optional<int> moved_in;  // the step in which the cell cursor has left the ring
};

// The choices of a combo, while they are open.
struct OpenList {
    int row = 0;         // that Enter takes
    bool drawn = false;  // in this pass; a list that is no longer drawn is given up
    bool begun = true;   // in this pass: the key that opened it is not for the list
};

// A fact that is being made or changed, before the step takes it.
struct FactDraft {
    Fact fact;
    std::optional<std::size_t> replaces;  // one of the step's facts
    std::size_t from = 0;                 // the candidate at which the search for fails_with begins
    bool own_words = false;               // says was typed; else it follows the fact
    int step = 0;                         // whose it is
};

// The lesson is written: its panel stands in place of the inspector.
struct LessonEditor {
    enum class Page { steps, words, facts };
    Page page = Page::steps;
    Pick pick;
    std::optional<FactDraft> draft;
    std::optional<std::pair<int, std::size_t>> caption_caret;  // of a step; absent = at the end
    bool sidebar_was_folded = false, inspector_was_folded = false;  // before it opened
};

struct Ui {
    std::optional<Presenting> presenting;
    std::optional<LessonEditor> lesson_editor;
    std::optional<PathLine> path_line;
    std::optional<TokenRef> selected;
    std::optional<int> variant;  // whose settings are open in the sidebar
    std::optional<Editing> editing;
    std::optional<UnsavedQuestion> question;
    BenchDrag drag;
    std::optional<Spot> spot;     // of plane and table: pointed at, or chosen by keys
    std::optional<Spot> dragged;  // root d: the axis whose width is dragged
    Point spot_pointer;           // where the pointer was when it last chose the spot
    // A key with Ctrl while a text was edited: it acts in the next pass, after the text's commit.
    void (*waiting)(App&) = nullptr;
    // What follows once the path line has saved (leaving, after "save").
    std::function<void(App&)> after_save;
    std::optional<double> dragged_scale{};  // the factor before the drag that is under way
    Focus focus;                            // which control has the keyboard
    std::optional<OpenList> list;
    std::optional<Palette> palette;
    // --- numbers of the bench
    std::optional<CellRef> number{};         // typed now
    std::optional<CellRef> number_asked{};   // begins to be typed when the bench is drawn
    std::optional<CellRef> tensor_cursor{};  // the cell cursor while it stands in Q, K or V
    struct Refusal {
        CellRef cell;
        std::string why;
    };
    std::optional<Refusal> refusal{};  // told at the cell while the pointer stays there
    // --- flags
    bool sidebar_folded = false, inspector_folded = false;
    bool quit = false;
    bool over_text = false;      // the pointer stands over a text field
    bool timings_open = false;   // what stands behind the backend's name
    bool key_help_open = false;  // the sheet of keys
};

}  // namespace maskscope
