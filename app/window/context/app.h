#pragma once
// One frame on one screen, without a window: the window and the tests in process drive the same
// App.

#include <functional>
#include <memory>
#include <string>

#include "app/session/session.h"
#include "app/window/context/ui_state.h"
#include "app/window/paint/frame_clock.h"
#include "app/window/paint/gui.h"
#include "app/window/typing/input_queue.h"

struct ImGuiContext;

namespace maskscope {

// Where the panels are, in pixels of the frame buffer.
struct Panels {
    Rect top_bar, sidebar, bench, inspector, caption, path_line, status;
    Rect timings{}, key_help{}, palette{};  // empty while they are closed
};

struct App {
    Session& session;
    InputQueue input;
    std::unique_ptr<HeatmapTextures> textures;
    std::unique_ptr<LabelAtlas> labels;
    std::unique_ptr<FrameClock> frame_clock;
    Gui gui;
    // Takes the whole screen, or gives it back; may be empty.
    std::function<void(bool)> fill_screen;

    Ui ui;
    Panels panels;  // of this frame
    long frames = 0;
    FrameTimes times;
    std::function<double()> clock;  // seconds; the machine's own unless a test says otherwise

    explicit App(Session& session);  // needs a current OpenGL context (3.3 or better)
    ~App();
    App(const App&) = delete;
    App& operator=(const App&) = delete;

    ImGuiContext* imgui = nullptr;
};

// Builds and paints one frame into the current frame buffer. True while another frame must follow
// (an event is left in the queue).
// A frame with events is built twice and painted once: panels act on the events in the first pass,
// and the second shows what came of it.
// paint false: the frame is laid out only; ImGui's draw data holds what would be painted.
bool frame(App& app, bool paint = true);

// A frame that throws is given up: the message says why, what was being typed or asked is closed,
// and the document stays. True then, too.
bool guarded_frame(App& app);

// In how many seconds a frame must follow though nothing happens; nothing: none.
std::optional<double> next_frame_in(const App& app);

// Runs `then` at once where nothing is unsaved, else asks first.
void leave_unsaved(App& app, const std::string& question, std::function<void(App&)> then);

}  // namespace maskscope
