#include "app/window/context/app.h"

#include <epoxy/gl.h>
#include <imgui.h>
#include <imgui_impl_opengl3.h>
#include <imgui_internal.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>
#include <variant>

#include "app/session/files/state_files.h"
#include "app/window/actions/actions.h"
#include "app/window/actions/shortcuts.h"
#include "app/window/paint/heatmap.h"
#include "app/window/paint/imgui_compat.h"
#include "app/window/paint/label_atlas.h"
#include "app/window/panels/bench/bench_parts.h"
#include "app/window/panels/lesson/lesson_parts.h"
#include "app/window/panels/panels.h"
#include "app/window/panels/parts.h"
#include "app/window/panels/sidebar/sidebar.h"
#include "app/window/panels/start/start_page.h"
#include "app/window/widgets/focus.h"
#include "core/base/error.h"
#include "core/gl/buffer.h"

namespace maskscope {
namespace {

double machine_seconds() {
    using namespace std::chrono;
    return duration<double>(steady_clock::now().time_since_epoch()).count();
}

// Returns the places of the panels. Sizes in the code are in points.
Panels place_panels(const Gui& gui, const Ui& ui, const Session& session) {
    const bool lesson = session.lesson() != nullptr;
    const double u = gui.scale, w = gui.width, h = gui.height;
    const double bar = std::round(52 * u), status = std::round(28 * u);
    const double left_behind = ui.left_behind.empty() ? 0 : std::round(left_behind_height * u);
    const double top = bar + left_behind;
    const double left = shows_sidebar(gui, ui) ? std::round(std::min(276 * u, 0.8 * w)) : 0;
    const double right = shows_inspector(gui, ui) ? std::round(std::min(300 * u, 0.8 * w)) : 0;
    const double beside = is_narrow(gui) ? 0 : left;  // drawers are over the bench, not beside it
    const double middle = is_narrow(gui) ? w : std::max(1.0, w - left - right);
    const double height = std::max(1.0, h - top - status);
    const double head =
        lesson ? std::round(std::min(lesson_head_height(gui, ui.bench.calm) * u, 0.4 * height)) : 0;
    const double foot = lesson ? std::round(std::min(lesson_foot_height * u, 0.1 * height)) : 0;
    // If panels are open, notes and table are shown on request. They replace the inspector if that
    // is open.
    const bool notes_shown = ui.bench.calm || (ui.notes_open && !ui.lesson_editor);
    const double wanted =
        notes_shown ? lesson_notes_width(gui, session, ui.notes_open, 0.36 * middle) : 0;
    const bool in_column = right > 0 && wanted > 0;
    const double notes = in_column ? 0 : wanted;
    const Rect bench{beside, top + head, std::max(1.0, middle - notes), height - head - foot};
    const Rect column{w - right, top, right, height};
    return {.top_bar = {0, 0, w, bar},
            .sidebar = {0, top, left, height},
            .bench = bench,
            .inspector = in_column ? Rect{} : column,
            .status = {0, h - status, w, status},
            .lesson_head = {beside, top, middle, head},
            .lesson_notes = in_column ? column : Rect{bench.right(), bench.y, notes, bench.h},
            .lesson_foot = {beside, bench.bottom(), middle, foot},
            .left_behind = {0, bar, w, left_behind}};
}

void set_style(const Gui& gui) {
    ImGuiStyle& style = ImGui::GetStyle();
    const Theme& theme = colours(gui);
    style.ScrollbarSize = static_cast<float>(std::round(8 * gui.scale));
    style.ScrollbarRounding = style.ScrollbarSize;
    style.AntiAliasedLinesUseTex = false;  // to draw lines of all widths alike
    style.Colors[ImGuiCol_ScrollbarBg] = {0, 0, 0, 0};
    const ImVec4 grab = ImGui::ColorConvertU32ToFloat4(imgui_colour(theme[Role::hatch]));
    for (const int part :
         {ImGuiCol_ScrollbarGrab, ImGuiCol_ScrollbarGrabHovered, ImGuiCol_ScrollbarGrabActive})
        style.Colors[part] = grab;
}

bool happened(const Input& now, const Input& still) {
    return !now.pressed.empty() || !now.text.empty() || !now.dropped.empty() || now.resized ||
           now.wheel != Point{} || now.pointer != still.pointer ||
           !std::equal(std::begin(now.buttons), std::end(now.buttons), std::begin(still.buttons)) ||
           now.keys_down != still.keys_down || now.pointer_inside != still.pointer_inside;
}

// Remembers where the pointer was when it entered the window, or at the last press or key, until it
// leaves that place. came: it has just entered.
void note_still_pointer(Gui& gui, bool came) {
    const Point at = gui.now.pointer;
    if (came || ImGui::IsMouseClicked(0) || !gui.now.pressed.empty())
        gui.still_at = at;
    else if (gui.still_at &&
             std::hypot(at.x - gui.still_at->x, at.y - gui.still_at->y) > points(gui, 4))
        gui.still_at.reset();
}

void begin_pass(App& app, const Input& input, double seconds) {
    const bool came = input.pointer_inside && !app.gui.now.pointer_inside;
    app.gui.now = input;
    app.gui.theme = app.session.view().theme;
    if (input.resized) {
        app.gui.width = std::max(1, static_cast<int>(input.resized->x));
        app.gui.height = std::max(1, static_cast<int>(input.resized->y));
    }
    ImGuiIO& io = ImGui::GetIO();
    io.DisplaySize = {static_cast<float>(app.gui.width), static_cast<float>(app.gui.height)};
    io.DeltaTime = static_cast<float>(std::clamp(seconds, 1e-6, 10.0));
    feed_imgui(io, input);
    set_style(app.gui);
    ImGui_ImplOpenGL3_NewFrame();
    ImGui::NewFrame();
    note_still_pointer(app.gui, came);
    app.labels->begin_pass();
    app.textures->begin_pass();
    app.gui.over_text = app.gui.over_border = false;
    app.gui.committed.reset();
    if (!ImGui::IsMouseDown(0)) app.gui.slides.clear();
    begin_focus(app.gui, app.ui.overlays.layer());
    if (app.gui.editing) app.gui.editing->drawn = false;
    if (app.gui.list) app.gui.list->drawn = app.gui.list->begun = false;
}

// Draws the handles that show or hide the side panels: at the inner edge of a shown panel,
// otherwise at the window's edge. They do not cover scrollbars.
void draw_handles(Gui& gui, Ui& ui, const Panels& at) {
    const double w = points(gui, 11), h = points(gui, 56), scrollbar = points(gui, 9);
    const double y = at.bench.y + (at.bench.h - h) / 2;
    const bool left = shows_sidebar(gui, ui), right = shows_inspector(gui, ui);
    const double edge = !right               ? double(gui.width)
                        : at.inspector.w > 0 ? at.inspector.x
                                             : at.lesson_notes.x;
    if (fold_handle(gui, left ? "‹" : "›", {left ? at.sidebar.right() - scrollbar - w : 0, y, w, h},
                    "Ctrl+1: show or hide the left panel"))
        fold_sidebar(gui, ui);
    if (fold_handle(gui, right ? "›" : "‹", {edge + (right ? 1 : -scrollbar - w), y, w, h},
                    "Ctrl+2: show or hide the right panel"))
        fold_inspector(gui, ui);
}

// Brings drawers in front of the bench, but not in front of other things that are open over the
// window.
void raise_drawers(const Gui& gui, const Ui& ui) {
    if (!is_narrow(gui) || ui.overlays.layer() > 0) return;
    for (const char* name : {"sidebar", "inspector", "lesson notes", "missing", "lesson editor"})
        if (ImGuiWindow* window = ImGui::FindWindowByName(name))
            ImGui::BringWindowToDisplayFront(window);
}

// Draws the bar above the start page, which is drawn instead of the panels.
void draw_above_start(App& app) {
    const Panels all = place_panels(app.gui, app.ui, app.session);
    const double top = all.left_behind.bottom(), w = app.gui.width;
    app.panels = {.top_bar = all.top_bar,
                  .over_bench = {0, top, w, std::max(1.0, app.gui.height - top)},
                  .left_behind = all.left_behind};
    draw_top_bar(app.gui, app.session, app.ui, app.panels.top_bar);
}

// Draws what lies over the bench, from bottom to top.
void draw_overlays(App& app) {
    Overlays& overlays = app.ui.overlays;
    for (std::size_t place = 0; place < std::variant_size_v<Overlay>; ++place) {
        Overlays::Open* open = overlays.at(place);
        if (!open) continue;
        begin_layer(app.gui, Overlays::layer_of(place));
        const Rect rect =
            std::visit([&](auto& what) { return draw_overlay(app, what); }, open->what);
        if ((open = overlays.at(place))) open->rect = rect;  // it may have closed itself
    }
}

void draw_panels(App& app) {
    Gui& gui = app.gui;
    Session& session = app.session;
    Ui& ui = app.ui;
    Panels& at = app.panels;
    fold_for_lesson(app);
    raise_drawers(gui, ui);
    ui.bench.calm = session.lesson() && !explores(gui, ui) && !ui.lesson_editor;
    at = place_panels(gui, ui, session);
    at.over_bench = at.bench;
    draw_top_bar(gui, session, ui, at.top_bar);
    draw_sidebar(gui, session, ui, at.sidebar);
    draw_bench(gui, session, ui.bench, at.bench);
    if (!shows_inspector(gui, ui)) at.cell_card = draw_cell_card(gui, session, ui.bench, at.bench);
    if (ui.lesson_editor)
        draw_lesson_editor(gui, session, *ui.lesson_editor, ui.commands, at.inspector, at.bench);
    else
        draw_inspector(gui, session, at.inspector);
    draw_lesson_head(gui, session, ui, at.lesson_head);
    draw_lesson_notes(gui, session, ui.notes_open, at.lesson_notes);
    draw_lesson_foot(gui, session, at.lesson_foot);
    if (!ui.bench.calm) draw_handles(gui, ui, at);
    draw_status(gui, session, ui, at.status);
    draw_left_behind(gui, ui, at.left_behind);
}

// Drops state that refers to another document.
void follow_document(App& app) {
    if (const auto* start = app.ui.overlays.find<StartPage>();
        start && start->made &&
        (start->document != app.session.document().number ||
         start->entered != app.session.entered()))
        app.ui.overlays.close<StartPage>();
    if (std::exchange(app.ui.document, app.session.document().number) ==
        app.session.document().number)
        return;
    Ui& ui = app.ui;
    app.gui.editing.reset();
    ui.bench.drag = {};
    ui.bench.number.reset();
    ui.bench.number_asked.reset();
    ui.bench.tensor_cursor.reset();
    ui.bench.spot.reset();
    ui.bench.refusal.reset();
    SidebarState sidebar;
    sidebar.folded = ui.sidebar.folded;
    sidebar.drawer = ui.sidebar.drawer;
    ui.sidebar = std::move(sidebar);
    ui.overlays.close<ExportSheet>();
    ui.overlays.close<MaskCard>();
    if (const auto* line = ui.overlays.find<PathLine>();
        line && line->purpose != PathLine::Purpose::tokens)
        ui.overlays.close<PathLine>();
    if (!ui.lesson_editor) return;
    ui.lesson_editor->draft.reset();
    ui.lesson_editor->pick = {};
    ui.lesson_editor->caption_caret.reset();
}

bool acts(const Input& now, const Input& still) {
    const auto pressed = [&](int k) { return now.buttons[k] && !still.buttons[k]; };
    return !now.pressed.empty() || !now.text.empty() || pressed(0) || pressed(1) || pressed(2);
}

std::uint64_t number_of(const std::optional<Session::Message>& message) {
    return message ? message->number : 0;
}

// If a text was rejected in this pass, keeps it in its field, with the reason, until the next
// action.
void note_refusal(App& app, std::uint64_t before) {
    const auto& message = app.session.message();
    if (!message || !message->wrong || message->number == before) return;
    app.ui.told.refusal = message->number;
    if (!app.gui.committed || app.gui.editing) return;
    app.gui.refused = app.gui.committed;
    app.gui.refused->why = message->text;
    edit_field(app.gui, app.gui.refused->field, app.gui.refused->text, false);
}

// Runs one pass: lays out and draws all panels.
void build(App& app, const Input& input, double seconds) {
    const Input still = app.gui.now;
    const bool ends = acts(input, still);
    begin_pass(app, input, seconds);
    app.session.merge_edits_as(app.gui.slides);
    if (ends && number_of(app.session.message()) == app.ui.told.refusal)
        app.session.forget_message();
    const std::uint64_t said = number_of(app.session.message());
    if (!app.gui.now.dropped.empty()) {
        app.ui.overlays.close<Palette>();  // its commands refer to the previous document
        const auto files = app.gui.now.dropped;
        const auto open = [files](App& asked) {
            leave_unsaved(asked, "Open another file?", [files](App& a) {
                open_path(a, files.front());
                if (files.size() > 1 && !a.session.message())
                    a.session.say(fmt::format("Opened the first of {} files.", files.size()));
            });
        };
        after_field(app, open);
    }
    follow_document(app);
    use_shortcuts(app);
    app.session.update();
    follow_document(app);
    app.panels = {};
    if (app.ui.presenting)
        draw_presenting(app.gui, app.session, app.ui);
    else if (app.ui.overlays.find<StartPage>())
        draw_above_start(app);
    else
        draw_panels(app);
    draw_overlays(app);
    // Close a field or list that is no longer drawn.
    if (app.gui.editing && !app.gui.editing->drawn) app.gui.editing.reset();
    if (app.gui.list && !app.gui.list->drawn) app.gui.list.reset();
    end_focus(app.gui);
    ImGui::EndFrame();
    for (const auto& act : std::exchange(app.ui.commands, {})) act(app);
    if (happened(input, still)) note_refusal(app, said);
}

}  // namespace

App::App(Session& shown) : session(shown), clock(machine_seconds), imgui(ImGui::CreateContext()) {
    ui.document = session.document().number;
    gui.refuse = [this](const std::string& why) { session.say(why, true); };
    ImGui::SetCurrentContext(imgui);
    ImGui::GetIO().IniFilename = nullptr;
    ImGui::GetIO().LogFilename = nullptr;
    try {
        make_pictures(*this);
    } catch (...) {
        ImGui::DestroyContext(imgui);
        throw;
    }
}

App::~App() {
    ImGui::SetCurrentContext(imgui);
    if (textures) ImGui_ImplOpenGL3_Shutdown();
    ImGui::DestroyContext(imgui);
}

void make_pictures(App& app) {
    auto textures = std::make_unique<HeatmapTextures>(kept_programs());
    app.labels = std::make_unique<LabelAtlas>();
    app.canvas = std::make_unique<Canvas>();
    ImGui::SetCurrentContext(app.imgui);
    ImGui_ImplOpenGL3_Init("#version 330");
    app.textures = std::move(textures);
    app.gui.textures = app.textures.get();
    app.gui.labels = app.labels.get();
}

void drop_pictures(App& app) {
    ImGui::SetCurrentContext(app.imgui);
    ImGui_ImplOpenGL3_Shutdown();
    app.textures.reset();
    app.labels.reset();
    app.canvas.reset();
    app.session.withdraw_gpu();
    gpu::forget_buffers();
    // Drop the figures, because they refer to the numbers from which they were made.
    app.ui.bench.figure = app.ui.bench.whole = {};
    app.ui.bench.laid_out.reset();
    app.ui.bench.changed_cells = {};
    if (auto* sheet = app.ui.overlays.find<ExportSheet>()) {
        sheet->made.reset();
        sheet->preview = {};
    }
}

std::optional<double> next_frame_in(const App& app) {
    std::optional<double> at = app.ui.bench.changed_cells.end();
    if (const double quiet = app.ui.told.since + seconds_of_news;
        app.ui.told.number > 0 && app.gui.time < quiet)
        at = std::min(at.value_or(quiet), quiet);
    if (const auto& presenting = app.ui.presenting; presenting && presenting->moved)
        at = std::min(at.value_or(infinity), *presenting->moved + pointer_fades);
    if (!at) return std::nullopt;
    return std::max(0.0, *at - app.clock());
}

void paint_frame(App& app) {
    app.labels->make_images();
    app.textures->make_images();
    app.canvas->paint(*ImGui::GetDrawData(), app.gui.width, app.gui.height,
                      colours(app.gui)[Role::ground], app.textures->redrawn());
    app.canvas->show();
}

bool frame(App& app, bool paint) {
    ImGui::SetCurrentContext(app.imgui);
    const double time = app.clock(), seconds = time - app.gui.time;
    app.gui.time = time;
    app.labels->begin_frame();
    const Input before = app.input.still();
    const Input input = app.input.next_frame(app.gui.editing.has_value());
    build(app, input, seconds);
    if (happened(input, before)) build(app, app.input.still(), 0);
    ImGui::Render();
    if (paint)
        paint_frame(app);
    else
        app.canvas->forget();
    ++app.frames;
    app.textures->end_frame();
    return !app.input.empty();
}

bool guarded_frame(App& app, bool paint) {
    std::string why;
    app.frame_failed = false;
    try {
        return frame(app, paint);
    } catch (const std::bad_alloc&) {
        why = "not enough memory";
    } catch (const std::exception& error) {
        why = error.what();
    }
    // Close whatever may have thrown, so that the next pass does not throw again.
    if (ImGui::GetCurrentContext()->WithinFrameScope) {
        ImGui::ErrorCheckEndFrameRecover(nullptr);
        ImGui::EndFrame();
    }
    app.gui.editing.reset();
    app.gui.list.reset();
    BenchState& bench = app.ui.bench;
    bench.drag = {};
    bench.number.reset();
    bench.number_asked.reset();
    bench.laid_out.reset();
    app.ui.overlays.close_from<TensorSheet>();
    app.ui.overlays.close<MaskCard>();
    app.ui.commands.clear();
    app.frame_failed = true;
    app.session.say(printable("Could not do this: " + why), true);
    return true;
}

}  // namespace maskscope
