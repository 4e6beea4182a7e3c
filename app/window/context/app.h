#pragma once
// One frame on one screen, without a window: the real window and in-process tests drive the same
// App.

#include <functional>
#include <memory>
#include <string>

#include "app/session/session.h"
#include "app/window/context/ui_state.h"
#include "app/window/paint/canvas.h"
#include "app/window/paint/gui.h"
#include "app/window/typing/input_queue.h"

struct ImGuiContext;

namespace maskscope {

// The places of the panels, in pixels of the frame buffer.
struct Panels {
    Rect top_bar{}, sidebar{}, bench{}, inspector{}, path_line{}, status{};
    Rect lesson_head{}, lesson_notes{}, lesson_foot{};  // empty without a lesson
    Rect start{}, left_behind{}, cell_card{}, mask_card{}, backend_switch{}, tensor_sheet{},
        export_sheet{}, key_help{}, palette{};  // empty while closed
};

struct App {
    Session& session;
    InputQueue input;
    std::unique_ptr<HeatmapTextures> textures;
    std::unique_ptr<LabelAtlas> labels;
    std::unique_ptr<Canvas> canvas;
    Gui gui;
    // Enters or leaves full screen; may be empty.
    std::function<void(bool)> fill_screen;

    Ui ui;
    Panels panels;  // in this frame
    long frames = 0;
    bool frame_failed = false;      // the last frame; guarded_frame() said why
    std::function<double()> clock;  // seconds; tests replace it

    // Needs a current OpenGL context (3.3 or better). Throws as make_pictures() does.
    explicit App(Session& session);
    ~App();
    App(const App&) = delete;
    App& operator=(const App&) = delete;

    ImGuiContext* imgui = nullptr;
};

// Drop everything that is in a lost context, while it is still current, and everything that was
// computed there. No frame may be drawn until make_pictures() has made it again in the context that
// is then current. That throws WorkError, in one line, if a shader is missing or does not compile.
void drop_pictures(App& app);
void make_pictures(App& app);

// Builds and paints one frame into the current frame buffer. True if another frame must follow
// because events are left in the queue.
// A frame with events is built twice and painted once: panels act on the events in the first pass,
// and the second shows the outcome.
// paint false: only lays out; ImGui's draw data holds what would be painted.
bool frame(App& app, bool paint = true);
// Paints once more what the last frame laid out.
void paint_frame(App& app);

// Does what frame() does, but survives a frame that throws: the message says why, open fields and
// questions close, and the document stays. Then returns true.
bool guarded_frame(App& app, bool paint = true);

// Returns the seconds until a frame is due even if nothing happens; nullopt: no frame is due.
std::optional<double> next_frame_in(const App& app);

// Runs `then` at once, or if something is being typed, after the next pass, which accepts it.
void after_field(App& app, const WindowCommand& then);
// Runs `then` at once if nothing is unsaved, else asks first.
void leave_unsaved(App& app, const std::string& question, WindowCommand then);
// Ends the program. Asks first if unsaved work, or a figure that is being made, would be lost.
void leave(App& app);

// Draws the question of leave_unsaved() and leave().
void draw_unsaved_question(App& app);

}  // namespace maskscope
