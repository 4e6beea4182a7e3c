// Draws the line for typing a path: Tab completes, Enter carries out, Escape closes. Asks before it
// overwrites a file.

#include <GLFW/glfw3.h>
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "app/export/export.h"
#include "app/session/files/path_completion.h"
#include "app/session/files/state_files.h"
#include "app/session/files/system_dialog.h"
#include "app/style/labels.h"
#include "app/window/actions/actions.h"
#include "app/window/context/app.h"
#include "app/window/panels/panels.h"
#include "app/window/panels/parts.h"
#include "app/window/widgets/focus.h"
#include "core/base/error.h"
#include "core/tensors/tensor_list.h"

namespace maskscope {

namespace {

namespace fs = std::filesystem;
using Purpose = PathLine::Purpose;

const char* const field_id = "path";

// Returns the folder of the tensors for which tokens are to be read, or from which the scene was
// made, to propose files beside them.
std::optional<fs::path> folder_of_tensors(const Session& session, const Ui& ui, Purpose purpose) {
    const TensorSheet* tensors =
        purpose == Purpose::tokens ? ui.overlays.find<TensorSheet>() : nullptr;
    if (tensors == nullptr && !session.document().path() &&
        shows_tensors(session, ui.opened_tensors))
        tensors = &ui.opened_tensors->sheet;
    std::error_code unknown;
    if (tensors == nullptr) return std::nullopt;
    return fs::absolute(tensors->dump->file, unknown).parent_path();
}

std::string proposal(const Session& session, const Ui& ui, Purpose purpose) {
    const fs::path folder = folder_of_tensors(session, ui, purpose).value_or(base_folder(session));
    if (purpose != Purpose::save_as) return (folder / "").string();
    const bool lesson = session.document().saves_lesson();
    const std::string title = lesson ? session.lesson()->title : session.scene().title;
    return (folder / proposed_path(session, title, ".json").filename()).string();
}

// Puts a proposal into the field. It counts as typed, so Enter accepts it.
void type_path(Gui& gui, const std::string& text) {
    edit_field(gui, field_id, "");
    gui.editing->field.insert(text);
}

// Returns the extensions of listed files. The first one is added to names without an extension.
std::vector<std::string> extensions_of(Purpose purpose) {
    switch (purpose) {
        case Purpose::open:
            return {".json", ".png", ".svg", ".pdf", ".safetensors", ".npz", ".npy"};
        case Purpose::tokens:
            return {".json", ".txt"};
        default:
            return {".json"};
    }
}

bool picks_file(Purpose purpose) { return purpose == Purpose::open || purpose == Purpose::tokens; }

// Returns the path that the line stands for: a name without an extension gets one.
fs::path path_of(const PathLine& line) {
    fs::path path = typed_path(line.text);
    std::error_code none;
    const bool whole = path.has_extension() || path.filename().empty() ||
                       fs::is_directory(path, none) ||
                       (picks_file(line.purpose) && fs::exists(path, none));
    if (!whole) path += extensions_of(line.purpose).front();
    return path;
}

// --- actions of Enter

bool said(Session& session, const std::function<void()>& act) {
    try {
        act();
        return true;
    } catch (const Error& error) {
        session.say(error.what(), true);
        return false;
    }
}

// Refuses names of figures, because saving over the opened figure would leave a scene under the
// figure's name.
void refuse_figure(const fs::path& path) {
    if (format_of(path.extension().string()) || path.extension() == ".html")
        throw at_file(path.string(), WorkError("has the extension of a figure. Save a scene as "
                                               ".json, or export a figure with Ctrl+E"));
}

bool act(Session& session, Ui& ui, const PathLine& line, bool replace,
         std::vector<std::string>& conflicts) {
    const fs::path path = path_of(line);
    switch (line.purpose) {
        case Purpose::open:
            if (!holds_tensors(path)) return session.open(path);
            return said(session, [&] { ui.overlays.open(tensor_sheet_of(path)); });
        case Purpose::tokens: {
            auto* sheet = ui.overlays.find<TensorSheet>();
            return sheet && said(session, [&] { bring_tokens(*sheet, path); });
        }
        case Purpose::save_as:
            return said(session, [&] { refuse_figure(path); }) &&
                   session.save_as(path, replace, &conflicts);
        case Purpose::add_to_lesson:
            return session.add_to_lesson(path);
    }
    return false;
}

// Returns the message with only the name of the file, because the field shows its folder, and adds
// what to do.
std::string error_of(const Session& session, const PathLine& line) {
    std::string text = session.message() ? session.message()->text : "";
    const fs::path path = path_of(line);
    const std::string folder = printable((path.parent_path() / "").string());
    if (text.starts_with(printable(path.string()))) text = text.substr(folder.size());
    while (text.ends_with('.')) text.pop_back();
    const bool picks = picks_file(line.purpose) || line.purpose == Purpose::add_to_lesson;
    return text + (picks ? ". Correct the path, or pick a file below." : ". Correct the path.");
}

// Carries out the purpose and closes the line. If a file would be overwritten, the line asks first.
// If the action fails, the line stays open and says why.
void carry_out(Gui& gui, Session& session, Ui& ui, PathLine& path_line, bool replace) {
    const PathLine line = path_line;
    std::vector<std::string> conflicts;
    if (act(session, ui, line, replace, conflicts)) {
        ui.overlays.close<PathLine>();
        ui.sidebar.selected.reset();
        // Skip this if edits on the bench are not yet saved to a step.
        if (line.purpose == Purpose::save_as && line.after_save && session.document().is_saved())
            ui.commands.push_back(line.after_save);
    } else if (!replace && !conflicts.empty()) {
        path_line.conflicts = conflicts;
        path_line.asked.reset();
    } else {
        path_line.conflicts.clear();
        path_line.error = error_of(session, line);
        type_path(gui, line.text);
    }
}

// --- drawing

std::string words(Purpose purpose, bool saves_lesson) {
    switch (purpose) {
        case Purpose::open:
            return "Open";
        case Purpose::save_as:
            return saves_lesson ? "Save lesson" : "Save as";
        case Purpose::add_to_lesson:
            return "To lesson";
        case Purpose::tokens:
            return "Tokens";
    }
    return "";
}

std::vector<PathCandidate> candidates_of(const PathLine& line, const std::string& typed) {
    return line.listing->candidates(typed, extensions_of(line.purpose));
}

std::string hint(Purpose purpose) {
    constexpr std::array enter{"open", "save", "add the step", "use"};
    return fmt::format("Tab: complete · Enter: {} · Esc: cancel",
                       enter[static_cast<std::size_t>(purpose)]);
}

// Draws the typed folder: the folder above it, its folders, its files. Returns the clicked one.
std::optional<PathCandidate> draw_files(Gui& gui, const std::string& typed,
                                        const std::vector<PathCandidate>& candidates,
                                        double height) {
    constexpr double row_height = 26;  // points
    std::optional<PathCandidate> clicked;
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
    ImGui::BeginChild("files", {0, static_cast<float>(std::max(1.0, height))}, false,
                      ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoBackground);
    const auto row = [&](const std::string& name, const PathCandidate& candidate) {
        const Rect rect = row_at_cursor(gui, row_height);
        if (press_area_without_focus(candidate.text, rect.w, rect.h)) clicked = candidate;
        if (ImGui::IsItemHovered()) draw_chosen(gui, rect, Role::panel);
        draw_text(gui,
                  {.at = {rect.x + points(gui, 10), rect.y + rect.h / 2},
                   .text = name,
                   .style = {.size = 13 * gui.scale,
                             .weight = candidate.is_folder ? Weight::semibold : Weight::regular},
                   .max_width = std::max(1.0, rect.w - points(gui, 20))});
    };
    const fs::path folder = typed_path(typed.substr(0, typed.rfind('/') + 1)).parent_path();
    if (folder.has_parent_path() && folder.parent_path() != folder)
        row("↑ " + printable(folder.parent_path().string()),
            {(folder.parent_path() / "").string(), true});
    for (const PathCandidate& candidate : candidates) {
        const fs::path path = candidate.text;
        row(printable(candidate.is_folder ? path.parent_path().filename().string() + "/"
                                          : path.filename().string()),
            candidate);
    }
    ImGui::EndChild();
    ImGui::PopStyleVar(2);
    return clicked;
}

// The buttons in the lower right corner.
enum class Answer { none, ok, cancel };
Answer draw_answers(Gui& gui, const Rect& panel) {
    const double ok = button_width(gui, "OK"), cancel = button_width(gui, "Cancel");
    const double gap = points(gui, 8), right = panel.right() - points(gui, 14);
    set_cursor(right - ok - gap - cancel, panel.bottom() - points(gui, 14 + 32));
    const bool cancels = button(gui, "Cancel");
    same_line(gui, 8);
    if (button(gui, "OK", {.filled = true})) return Answer::ok;
    return cancels ? Answer::cancel : Answer::none;
}

// Draws links to the lessons and to the recent files. Returns true if the lessons were clicked.
bool draw_known(Gui& gui, const PathLine& line, std::optional<PathCandidate>& clicked) {
    const bool lessons = chip(gui, "Lessons ▾").clicked;
    tooltip_below(gui, lessons_words);
    if (!line.recent.empty()) {
        const double middle = (ImGui::GetItemRectMin().y + ImGui::GetItemRectMax().y) / 2;
        same_line(gui, 16);
        const ImVec2 at = ImGui::GetCursorScreenPos();
        const Text word{.at = {at.x, middle},
                        .text = "Recent",
                        .style = {.size = 12 * gui.scale},
                        .role = Role::dim};
        draw_text(gui, word);
        set_cursor(at.x + measure(word.text, word.style).width + points(gui, 8), at.y);
        for (const fs::path& path : line.recent) {
            const std::string name = printable(path.filename().string());
            if (room_width() < chip_width(gui, name)) break;
            if (chip(gui, fmt::format("{}##recent{}", name, path.string())).clicked)
                clicked = PathCandidate{path.string(), false};
            tooltip_below(gui, printable(path.string()));
            same_line(gui, 6);
        }
        ImGui::NewLine();
    }
    gap(gui, 4);
    return lessons;
}

// Opens the desktop's dialog, beginning at the typed path.
void browse(const Gui& gui, const Session& session, PathLine& line, const std::string& typed) {
    line.dialog = std::make_shared<SystemDialog>(
        FileQuestion{.title = words(line.purpose, session.document().saves_lesson()),
                     .at = typed_path(typed),
                     .extensions = extensions_of(line.purpose),
                     .saves = line.purpose == Purpose::save_as,
                     .parent = gui.parent_of_dialogs},
        session.results().wake());
}

// Draws below the field what keys do, or why the typed text was rejected.
void draw_hint(Gui& gui, const PathLine& line, const std::string& typed) {
    const bool wrong = !line.error.empty() && typed == line.text;
    label(gui,
          line.dialog ? "Choose in the desktop's dialog · Esc: cancel"
          : wrong     ? line.error
                      : hint(line.purpose),
          {.style = {.size = 12}, .role = wrong ? Role::wrong : Role::dim});
}

void draw_field(Gui& gui, Session& session, Ui& ui, PathLine& line, const Rect& panel) {
    if (const auto answer = line.dialog ? line.dialog->answer() : std::nullopt) {
        line.browses = !line.dialog->is_missing();
        const bool asked = line.dialog->asks_to_replace();
        line.dialog.reset();
        if (!answer->empty()) {
            line.text = *answer;
            carry_out(gui, session, ui, line, false);
            PathLine* open = ui.overlays.find<PathLine>();
            if (asked && open && open->conflicts == std::vector{*answer})
                carry_out(gui, session, ui, *open, true);
            return;
        }
    }
    constexpr double name_width = 90, browse_width = 84;  // points
    const ImVec2 at = ImGui::GetCursorScreenPos();
    draw_text(gui, {.at = {at.x, at.y + points(gui, 16)},
                    .text = words(line.purpose, session.document().saves_lesson()),
                    .style = {.size = 13 * gui.scale, .weight = Weight::semibold}});
    set_cursor(at.x + points(gui, name_width), at.y);
    FieldOptions options{
        .select_all = false, .commit_on_leave = false, .commit_on_end = false, .tells = true};
    options.on_tab = [&line](const std::string& typed) {
        return completed_path(typed, candidates_of(line, typed));
    };
    const std::optional<std::string> before = edited_text(gui, field_id);
    if (line.browses) options.width = room_width() / gui.scale - browse_width - 8;
    const auto typed = text_field(gui, field_id, line.text, options);
    const std::optional<std::string> text = edited_text(gui, field_id);
    const std::string shown = text.value_or(before.value_or(""));
    if (line.browses) {
        same_line(gui, 8);
        if (button(gui, "Browse…",
                   {.enabled = !line.dialog,
                    .width = browse_width,
                    .tip = "Choose the file in the desktop's file dialog"}))
            browse(gui, session, line, text.value_or(before.value_or(line.text)));
    }
    set_cursor(at.x + points(gui, name_width), at.y + points(gui, 36));
    draw_hint(gui, line, shown);
    set_cursor(at.x + points(gui, name_width), ImGui::GetCursorScreenPos().y);
    std::optional<PathCandidate> clicked;
    if (line.purpose == Purpose::open && shown == line.text) {  // nothing is typed yet
        if (draw_known(gui, line, clicked)) {
            ui.commands.push_back(open_lessons);
            ui.overlays.close<PathLine>();
            return;
        }
    }
    const double y = ImGui::GetCursorScreenPos().y;
    set_cursor(at.x + points(gui, name_width - 10), y);
    // When saving, list the whole folder, whatever name is proposed.
    const std::string listed =
        line.purpose == Purpose::save_as ? shown.substr(0, shown.rfind('/') + 1) : shown;
    const auto in_folder = draw_files(gui, shown, candidates_of(line, listed),
                                      panel.bottom() - y - points(gui, 14 + 32 + 8));
    if (!clicked) clicked = in_folder;
    const Answer answer = draw_answers(gui, panel);
    const bool picks = picks_file(line.purpose) || line.purpose == Purpose::add_to_lesson;
    if (answer == Answer::cancel) {
        ui.overlays.close<PathLine>();
    } else if (answer == Answer::ok && !shown.empty()) {
        line.text = shown;
        carry_out(gui, session, ui, line, false);
    } else if (clicked && (clicked->is_folder || !picks)) {
        type_path(gui, clicked->text);  // only proposes the name of a file that would be replaced
    } else if (clicked || (typed && !typed->empty())) {
        line.text = clicked ? clicked->text : *typed;
        carry_out(gui, session, ui, line, false);
    } else if (before && !text) {
        // A click within the panel keeps the field open.
        if (ImGui::IsMouseDown(0) && panel.contains(gui.now.pointer))
            type_path(gui, *before);
        else
            ui.overlays.close<PathLine>();
    }
}

void ask_to_replace(Gui& gui, Session& session, Ui& ui, PathLine& line) {
    const std::vector<std::string>& conflicts = line.conflicts;
    const std::string first = fs::path(conflicts.front()).filename().string();
    const std::string others =
        conflicts.size() > 1 ? fmt::format(" and {} more", conflicts.size() - 1) : "";
    const bool changed = session.document().changed_outside() &&
                         session.document().file_to_save() == fs::path(conflicts.front());
    label(gui,
          fmt::format("{}{} {}. Replace it?", printable(first), others,
                      changed ? "was changed by another program" : "already exists"),
          {.style = {.weight = Weight::semibold}});
    const bool keys = takes_keys(gui), taken = keys && use_focus_keys(gui);
    const bool enter = keys && !taken && was_pressed(gui, GLFW_KEY_ENTER);
    const bool read = is_read(gui, line.asked);
    const bool replace = button(gui, "Replace", {.outlined = true, .role = Role::wrong}) || enter;
    if (replace && read) return carry_out(gui, session, ui, line, true);
    ImGui::SameLine();
    const bool types = keys && !gui.now.text.empty();
    if (button(gui, "Choose another name") || types) {
        line.conflicts.clear();
        return type_path(gui, line.text);
    }
    ImGui::SameLine();
    if (button(gui, "Cancel")) ui.overlays.close<PathLine>();
}

}  // namespace

Rect draw_overlay(App& app, PathLine& line) {
    Gui& gui = app.gui;
    Session& session = app.session;
    Ui& ui = app.ui;
    Rect rect = app.panels.over_bench;
    if (rect.w <= 0) return {};
    if (line.text.empty()) {  // the line was opened in this pass
        line.text = proposal(session, ui, line.purpose);
        line.listing = std::make_shared<FolderListing>(session.results().wake());
        line.browses = SystemDialog::may_exist();
        if (line.purpose == Purpose::open) line.recent = recent_files(state_folder());
        type_path(gui, line.text);
        if (line.browses) browse(gui, session, line, line.text);
    }
    const bool asks = !line.conflicts.empty();
    rect.h = std::min(points(gui, asks ? 92 : 380), gui.height - rect.y);
    if (line.purpose == Purpose::tokens) cover_below(gui, "behind the path");
    begin_panel(gui, "path line", rect,
                {.ground = Role::raised, .padding = 14, .outlined = true, .above = true});
    if (line.conflicts.empty())
        draw_field(gui, session, ui, line, rect);
    else
        ask_to_replace(gui, session, ui, line);
    end_panel();
    return rect;
}

}  // namespace maskscope
