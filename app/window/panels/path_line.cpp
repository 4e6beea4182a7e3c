// One line: Tab completes, Enter does it, Escape leaves. What exists is asked about before it is
// overwritten.

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <filesystem>

#include "app/commands/export.h"
#include "app/session/files/path_completion.h"
#include "app/window/panels/panels.h"
#include "app/window/panels/parts.h"
#include "app/window/widgets/focus.h"
#include "core/base/error.h"
#include "core/base/file.h"

namespace maskscope {

namespace {

namespace fs = std::filesystem;
using Purpose = PathLine::Purpose;

const char* const field_id = "path";

// Where relative paths start: beside the file that is open, else where the program was started.
fs::path base_folder(const Session& session) {
    std::error_code unknown;
    const auto path = session.path();
    if (path && path->has_parent_path()) return fs::absolute(path->parent_path(), unknown);
    return fs::current_path(unknown);
}

// A file name from the title: "Rows, or columns?" -> "rows-or-columns".
std::string name_from_title(const std::string& title) {
    std::string name;
    for (const char c : title) {
        const auto byte = static_cast<unsigned char>(c);
        const bool letter = byte >= 0x80 || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z');
        if (letter)
            name += c;
        else if (c >= 'A' && c <= 'Z')
            name += static_cast<char>(c - 'A' + 'a');
        else if (!name.empty() && name.back() != '-')
            name += '-';
    }
    while (!name.empty() && name.back() == '-') name.pop_back();
    return name.empty() ? "scene" : name;
}

std::string proposal(const App& app, Purpose purpose) {
    const fs::path folder = base_folder(app.session);
    if (purpose == Purpose::open || purpose == Purpose::add_to_lesson)
        return (folder / "").string();
    const auto open = app.session.path();
    const bool lesson = purpose == Purpose::save_as && app.session.saves_lesson();
    const std::string title = lesson ? app.session.lesson()->title : app.session.scene().title;
    const std::string name = open ? open->stem().string() : name_from_title(title);
    return (folder / (name + (purpose == Purpose::export_png ? ".png" : ".json"))).string();
}

// The proposal counts as typed: Enter alone takes it.
void type_path(App& app, const std::string& text) {
    edit_field(app, field_id, "");
    app.ui.editing->field.insert(text);
}

// A line that somebody asked for begins with its proposal.
void begin(App& app) {
    PathLine& line = *app.ui.path_line;
    line.text = proposal(app, line.purpose);
    line.listing = std::make_shared<FolderListing>(app.session.wake());
    type_path(app, line.text);
}

// A lesson that could not be read again is not saved: what it lacks is said before a name is typed.
bool lacks_something(App& app) {
    const Session& session = app.session;
    if (app.ui.path_line->purpose != Purpose::save_as || !session.saves_lesson()) return false;
    const auto& problem = session.lesson_problem();
    if (!problem) return false;
    app.ui.path_line.reset();
    app.ui.after_save = nullptr;
    app.session.say(problem->text, true);
    return true;
}

// --- what Enter does

bool export_to(App& app, const fs::path& path, bool replace, std::vector<std::string>& conflicts) {
    if (path.extension() != ".png") {
        app.session.say(printable(path.string()) + ": not a format of this version (png)", true);
        return false;
    }
    std::error_code unknown;
    if (!replace && fs::exists(path, unknown)) {
        conflicts.push_back(path.string());
        return false;
    }
    try {
        replace_file(path, export_bytes(app.session.shown(), app.session.view(), {}));
    } catch (const std::runtime_error& error) {
        app.session.say(printable(fmt::format("{}: {}", path.string(), error.what())), true);
        return false;
    }
    app.session.say(fmt::format("Exported to {}", printable(path.string())));
    return true;
}

bool act(App& app, const PathLine& line, bool replace, std::vector<std::string>& conflicts) {
    const fs::path path = typed_path(line.text);
    switch (line.purpose) {
        case Purpose::open:
            return app.session.open(path);
        case Purpose::save_as:
            return app.session.save_as(path, replace, &conflicts);
        case Purpose::export_png:
            return export_to(app, path, replace, conflicts);
        case Purpose::add_to_lesson:
            return app.session.add_to_lesson(path);
    }
    return false;
}

void follow_save(App& app) {
    if (!app.ui.after_save) return;
    const auto then = std::move(app.ui.after_save);
    app.ui.after_save = nullptr;
    if (app.session.is_saved()) then(app);  // edits on the bench that no step took are not
}

void close(App& app) {
    app.ui.path_line.reset();
    app.ui.after_save = nullptr;
}

// Done: the line goes. Something exists: it is asked. Else the message says why, and the line
// stays to be mended.
void carry_out(App& app, bool replace) {
    const PathLine line = *app.ui.path_line;
    std::vector<std::string> conflicts;
    if (act(app, line, replace, conflicts)) {
        app.ui.path_line.reset();
        app.ui.selected.reset();
        if (line.purpose == Purpose::save_as) follow_save(app);
    } else if (!replace && !conflicts.empty()) {
        app.ui.path_line->conflicts = conflicts;
    } else {
        app.ui.path_line->conflicts.clear();
        type_path(app, line.text);
    }
}

// --- drawing

std::string words(Purpose purpose, bool saves_lesson) {
    switch (purpose) {
        case Purpose::open:
            return "Open";
        case Purpose::save_as:
            return saves_lesson ? "Save lesson" : "Save as";
        case Purpose::export_png:
            return "Export PNG";
        case Purpose::add_to_lesson:
            return "To lesson";
    }
    return "";
}

std::vector<PathCandidate> candidates_of(const PathLine& line, const std::string& typed) {
    const bool png = line.purpose == Purpose::export_png;
    return line.listing->candidates(typed, {png ? ".png" : ".json"});
}

// The names that the line could go on with.
std::string names_of(const std::vector<PathCandidate>& candidates) {
    constexpr std::size_t most = 24;
    std::string text;
    for (std::size_t k = 0; k < std::min(most, candidates.size()); ++k) {
        const fs::path path = candidates[k].text;
        const std::string name = candidates[k].is_folder
                                     ? fmt::format("{}/", path.parent_path().filename().string())
                                     : path.filename().string();
        text += fmt::format("{}{}", text.empty() ? "" : "   ", printable(name));
    }
    if (candidates.size() > most) text += " …";
    return text.empty() ? "Tab completes, Enter goes on, Escape leaves" : text;
}

void draw_field(App& app) {
    PathLine& line = *app.ui.path_line;
    constexpr double name_width = 90;  // points
    const ImVec2 at = ImGui::GetCursorScreenPos();
    draw_text(app, {.at = {at.x, at.y + points(app, 16)},
                    .text = words(line.purpose, app.session.saves_lesson()),
                    .style = {.size = 13 * app.ui_scale, .weight = Weight::semibold}});
    ImGui::SetCursorScreenPos({at.x + static_cast<float>(points(app, name_width)), at.y});
    FieldOptions options{.select_all = false, .commit_on_leave = false};
    options.on_tab = [&line](const std::string& typed) {
        return completed_path(typed, candidates_of(line, typed));
    };
    const std::optional<std::string> before = edited_text(app, field_id);
    const auto typed = text_field(app, field_id, line.text, options);
    ImGui::SetCursorScreenPos({at.x + static_cast<float>(points(app, name_width)),
                               at.y + static_cast<float>(points(app, 36))});
    label(app, names_of(candidates_of(line, edited_text(app, field_id).value_or(""))),
          {.style = {.size = 12}, .role = Role::dim});
    if (typed && !typed->empty()) {
        line.text = *typed;
        carry_out(app, false);
    } else if (before && !edited_text(app, field_id)) {
        close(app);
    }
}

void draw_unsaved_question(App& app) {
    const std::vector<std::string>& conflicts = app.ui.path_line->conflicts;
    const std::string first = fs::path(conflicts.front()).filename().string();
    const std::string others =
        conflicts.size() > 1 ? fmt::format(" and {} more", conflicts.size() - 1) : "";
    label(app, fmt::format("{}{} exists already. Replace it?", printable(first), others),
          {.style = {.weight = Weight::semibold}});
    if (button(app, "Replace", {.role = Role::wrong})) return carry_out(app, true);
    ImGui::SameLine();
    if (button(app, "Another name")) {
        app.ui.path_line->conflicts.clear();
        return type_path(app, app.ui.path_line->text);
    }
    ImGui::SameLine();
    if (button(app, "Cancel")) close(app);
}

}  // namespace

void draw_path_line(App& app) {
    if (!app.ui.path_line || app.panels.path_line.w <= 0) return;
    if (lacks_something(app)) return;
    if (app.ui.path_line->text.empty()) begin(app);
    Rect rect = app.panels.path_line;
    rect.h = std::max(rect.h, points(app, 92));
    begin_layer(app, Layer::path_line);
    begin_panel(app, "path line", rect,
                {.ground = Role::raised, .padding = 14, .outlined = true, .above = true});
    if (app.ui.path_line->conflicts.empty())
        draw_field(app);
    else
        draw_unsaved_question(app);
    end_panel();
}

}  // namespace maskscope
