#pragma once
// Runs one frame on one screen, independently of a window: the real window and in-process tests use
// the same App.

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
    Rect top_bar{}, sidebar{}, bench{}, inspector{}, status{};
    Rect over_bench{};  // the room for overlays at the bench; that of the start page while it is
                        // open
    Rect lesson_head{}, lesson_notes{}, lesson_foot{};  // empty without a lesson
    Rect left_behind{}, cell_card{};                    // empty while closed
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
    Panels panels;  // the places in this frame
    long frames = 0;
    bool frame_failed = false;      // the last frame threw; guarded_frame() said why
    std::function<double()> clock;  // returns seconds; tests replace it

    // Needs a current context of OpenGL 3.3 or better. Throws as make_pictures() does.
    explicit App(Session& session);
    ~App();
    App(const App&) = delete;
    App& operator=(const App&) = delete;

    ImGuiContext* imgui = nullptr;
};

// Drop everything that belongs to a lost context, or was computed in it, while that context is
// still current; make it again in a new current context. No frame may be drawn in between.
// make_pictures() throws WorkError (one line) if a shader is missing or does not compile.
void drop_pictures(App& app);
void make_pictures(App& app);

// Builds one frame and paints it into the current frame buffer. Returns true if another frame must
// follow, because events are left in the queue. A frame with events is built twice and painted
// once: panels act on the events in the first pass, and the second shows the outcome. paint: if
// false, ImGui's draw data holds what would be painted.
bool frame(App& app, bool paint = true);
// Paints what the last frame laid out.
void paint_frame(App& app);

// Does what frame() does, but does not throw: if the frame throws, a message says why, open fields
// and questions are closed, the document stays open, and true is returned.
bool guarded_frame(App& app, bool paint = true);

// Returns the seconds until a frame is due even without events; nullopt if none is due.
std::optional<double> next_frame_in(const App& app);

// Runs `then` immediately, or, while a text is being typed, after the next pass, which commits the
// text.
void after_field(App& app, const WindowCommand& then);
// Runs `then` immediately if nothing is unsaved, otherwise asks first.
void leave_unsaved(App& app, const std::string& question, WindowCommand then);
// Quits the program. Asks first if unsaved work, or a figure in progress, would be lost.
void leave(App& app);

}  // namespace maskscope
