#pragma once
// The App without a window: a headless EGL context, a frame buffer object, and events through the
// same queue as real ones.

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "app/window/context/app.h"
#include "core/gl/headless.h"

namespace maskscope {

// Returns where an overlay was last drawn; empty if it was not, or is not open.
template <class Kind>
Rect rect_of(App& app) {
    const Overlays::Open* open = app.ui.overlays.at(overlay_place<Kind>);
    return open ? open->rect : Rect{};
}

}  // namespace maskscope

namespace maskscope::ui {

// An OpenGL context without a display, of the version that the window would get. Its constructor
// throws if this machine has none.
class Context : public HeadlessContext {
public:
    Context() : HeadlessContext({{4, 3}, {3, 3}}) {}
};

// Returns the GPU of this context, as the window offers its own. The session must be destroyed
// before the context.
GpuOffer gpu_of(const Context& context);

struct Pixels {
    int width = 0, height = 0;
    std::vector<Colour> colours;  // [height, width], from the top left
    Colour at(double x, double y) const;
};

// A frame buffer object to draw into, bound by its construction.
class Target {
public:
    Target(int width, int height);
    ~Target();
    Target(const Target&) = delete;
    Target& operator=(const Target&) = delete;
    void bind() const;
    Pixels read() const;

private:
    int width_, height_;
    unsigned framebuffer_ = 0, colour_ = 0;
};

// Ends ImGui's frame and paints what is on its lists.
void render();

// Saves a picture to look at.
void save_png(const Pixels& pixels, const std::filesystem::path& path);

class Driver;
// Saves the last frame as NAME.png in the folder MASKSCOPE_PICTURES; does nothing if that is not
// set.
void save_if_asked(Driver& driver, const std::string& name);

// Drives the program; in a lesson its panels are open.
class Driver {
public:
    explicit Driver(Session& session, int width = 1600, int height = 1000);

    App& app() { return *app_; }
    // Makes frames until none follows, as the window does after a wake. They are painted only if
    // `paints` is set, because shading takes most of the time if there is no GPU.
    void settle();
    bool paints = false;
    bool guards = false;  // as the window does: if a frame throws, a message says why
    void push(InputEvent event);
    void move(Point at);
    void press(Point at, int button = 0, int modifiers = 0);
    void release(Point at, int button = 0, int modifiers = 0);
    void click(Point at, int button = 0, int modifiers = 0);
    void double_click(Point at);
    void drag(Point from, Point to, int steps = 4);
    void wheel(Point at, double steps);
    void key(int key, int modifiers = 0);
    void type(const std::string& text);
    Pixels pixels();  // of the last frame
    const Context& context() const { return *context_; }
    // Does what the window does when its context is lost: drops everything that was in it, and
    // makes it again in another context.
    void lose_context();
    std::string clipboard, copied_png, copied_svg;

private:
    void make_images();
    void rest();  // waits so long that the next press is not a double click

    std::unique_ptr<Context> context_;
    std::unique_ptr<Target> target_;
    std::unique_ptr<App> app_;
    double time_ = 0;
};

}  // namespace maskscope::ui
