#pragma once
// The overlays that lie over the bench: the start page, cards, sheets, the palette, questions. They
// are values on one stack, which alone says what is open, what is uppermost, and what closes.

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "app/export/export.h"
#include "app/export/export_live.h"
#include "app/window/context/mask_check.h"
#include "app/window/paint/gui.h"
#include "core/dump/plan.h"

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

class FolderListing;
class SystemDialog;

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
    std::string agreed{};           // the path that a dialog has already asked about
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
    std::array<double, 3> gives{};                   // [door]: how much lower its content could be
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

// The help: its pages, and the list of keys.
struct KeyHelp {};

// The panel that opens from the backend's name in the status line.
struct BackendSwitch {};

// All overlays, from bottom to top. The first ones are cards, which leave the keys to the window.
using Overlay = std::variant<MaskCard, BackendSwitch, StartPage, TensorSheet, PathLine, ExportSheet,
                             KeyHelp, Palette, UnsavedQuestion>;
inline constexpr std::size_t overlay_cards = 2;

template <class Kind, class... Kinds>
constexpr std::size_t place_among(const std::variant<Kinds...>* /*list*/) {
    std::size_t place = 0;
    static_cast<void>(((std::is_same_v<Kind, Kinds> || (++place, false)) || ...));
    return place;
}
template <class Kind>
inline constexpr std::size_t overlay_place = place_among<Kind>(static_cast<Overlay*>(nullptr));

// The open overlays, at most one of each kind. Opening one closes everything from its place up.
class Overlays {
public:
    struct Open {
        Overlay what;
        Rect rect{};  // where it was last drawn; empty if it was not
    };

    template <class Kind>
    Kind& open(Kind overlay) {
        close_from<Kind>();
        auto& [place, open] = *open_.emplace(overlay_place<Kind>, Open{std::move(overlay)}).first;
        return std::get<Kind>(open.what);
    }
    template <class Kind>
    bool close() {  // returns false if none of this kind is open
        return open_.erase(overlay_place<Kind>) > 0;
    }
    template <class Kind>
    void close_from() {  // closes this kind and all that may lie over it
        open_.erase(open_.lower_bound(overlay_place<Kind>), open_.end());
    }
    // Closes the uppermost one. Returns false if it is not drawn, or nothing is open.
    bool close_top() {
        if (open_.empty() || open_.rbegin()->second.rect.w <= 0) return false;
        open_.erase(std::prev(open_.end()));
        return true;
    }

    // Return null if none of this kind is open, or for top(), if another one is uppermost.
    template <class Kind>
    Kind* find() {
        Open* open = at(overlay_place<Kind>);
        return open ? std::get_if<Kind>(&open->what) : nullptr;
    }
    template <class Kind>
    const Kind* find() const {
        return const_cast<Overlays*>(this)->find<Kind>();
    }
    template <class Kind>
    const Kind* top() const {
        return open_.empty() ? nullptr : std::get_if<Kind>(&open_.rbegin()->second.what);
    }
    // Returns the overlay at a place in the list of kinds; null if it is not open.
    Open* at(std::size_t place) {
        const auto open = open_.find(place);
        return open == open_.end() ? nullptr : &open->second;
    }
    // Returns the layer of the controls at a place; see Focus. layer(): the one that gets the keys.
    static std::size_t layer_of(std::size_t place) {
        return place < overlay_cards ? 0 : place - overlay_cards + 1;
    }
    std::size_t layer() const { return open_.empty() ? 0 : layer_of(open_.rbegin()->first); }

private:
    std::map<std::size_t, Open>
        open_;  // by place; an overlay stays put while others open and close
};

}  // namespace maskscope
