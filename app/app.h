#pragma once
// One frame on one screen, without a window: the window and the tests in process drive the same
// App.

#include <memory>

#include "app/figure/theme.h"
#include "app/input_queue.h"
#include "app/session.h"

namespace maskscope {

class HeatmapTextures;
class LabelAtlas;

struct App {
    Session& session;
    InputQueue input;
    std::unique_ptr<HeatmapTextures> textures;
    std::unique_ptr<LabelAtlas> labels;
    double ui_scale = 1;              // 1 to 3
    int width = 1600, height = 1000;  // pixels of the frame buffer
    std::function<std::string()> read_clipboard;
    std::function<void(const std::string&)> write_clipboard;

    explicit App(Session& session);  // needs a current OpenGL context (3.3 or better)
    ~App();
};

// Builds and paints one frame into the current frame buffer. True while another frame must follow
// (an event is left in the queue, or something moves).
bool frame(App& app);

}  // namespace maskscope
