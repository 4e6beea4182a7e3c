#pragma once
// One frame on one screen, without a window: the window and the tests in process drive the same
// App.

#include <functional>
#include <memory>
#include <string>

#include "app/figure/layout/lay_out.h"
#include "app/figure/style/theme.h"
#include "app/session/session.h"
#include "app/window/context/changed_cells.h"
#include "app/window/context/ui_state.h"
#include "app/window/typing/input_queue.h"

struct ImGuiContext;

namespace maskscope {

class FrameClock;
class HeatmapTextures;
class LabelAtlas;

// Where the panels stand, in pixels of the frame buffer.
struct Panels {
    Rect top_bar, sidebar, bench, inspector, caption, path_line, status;
    Rect timings{}, key_help{}, palette{};  // empty while they are closed
};

// Where the time of a frame went, in milliseconds. Computing has its own times in the result.
struct FrameTimes {
    double input = 0;    // of the last frame with events: what they did, without computing
    double upload = 0;   // of the last frame that made textures
    double panels = 0;   // of the frame before: what stands where, without upload
    double drawing = 0;  // of the last frame that is done: OpenGL's own time
};

// What a figure of the bench is made from.
struct LaidOut {
    std::uint64_t bench = 0;  // Bench::made
    View view;
    LayoutOptions options;
    bool operator==(const LaidOut&) const = default;
};

struct App {
    Session& session;
    InputQueue input;
    std::unique_ptr<HeatmapTextures> textures;
    std::unique_ptr<LabelAtlas> labels;
    std::unique_ptr<FrameClock> frame_clock;
    double ui_scale = 1;              // 1 to 3, the monitor's own scale included
    int width = 1600, height = 1000;  // pixels of the frame buffer
    std::function<std::string()> read_clipboard;
    std::function<void(const std::string&)> write_clipboard;
    std::function<void(bool)>
        fill_screen;  // takes the whole screen, or gives it back; may be empty

    Ui ui;
    Input now;                        // what this frame sees; see frame()
    Panels panels;                    // of this frame
    std::optional<LaidOut> laid_out;  // what `figure` was made from; nothing: unknown
    Figure figure;  // what the bench shows, and where in the window it stands: for who points at it
    Point figure_at;
    ChangedCells changed_cells;
    bool reduced_motion = false;  // cells that changed are not framed
    long frames = 0;
    FrameTimes times;
    std::function<double()> clock;  // seconds; the machine's own unless a test says otherwise

    explicit App(Session& session);  // needs a current OpenGL context (3.3 or better)
    ~App();
    App(const App&) = delete;
    App& operator=(const App&) = delete;

    ImGuiContext* imgui = nullptr;
    double time_before = 0;  // of the last frame that began
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

// The theme that is shown.
const Theme& colours(const App& app);

// Runs `then` at once where nothing is unsaved, else asks first.
void leave_unsaved(App& app, const std::string& question, std::function<void(App&)> then);

}  // namespace maskscope
