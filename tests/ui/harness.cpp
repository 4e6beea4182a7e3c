#include "tests/ui/harness.h"

#include <epoxy/gl.h>

#include <GLFW/glfw3.h>
#include <imgui.h>
#include <imgui_impl_opengl3.h>
#include <png.h>

#include <cmath>
#include <cstdlib>
#include <new>
#include <stdexcept>

#include "app/window/paint/heatmap.h"
#include "core/gpu/threaded_gpu.h"
#include "tests/support/folder.h"

namespace maskscope::ui {
namespace {

constexpr double frame_seconds = 1.0 / 60;

[[noreturn]] void fail(const std::string& what) {
    throw std::runtime_error("no OpenGL without a display: " + what);
}

}  // namespace

GpuOffer gpu_of(const Context& context) {
    GpuOffer offer;
    offer.make = [&context] {
        return std::make_unique<ThreadedGpu>(
            [&context] { return std::make_shared<HeadlessContext>(4, 3, &context); });
    };
    offer.renderer = renderer_name();
    return offer;
}

Colour Pixels::at(double x, double y) const {
    const auto column = static_cast<std::size_t>(std::floor(x));
    const auto row = static_cast<std::size_t>(std::floor(y));
    return colours.at(row * static_cast<std::size_t>(width) + column);
}

Target::Target(int width, int height) : width_(width), height_(height) {
    glGenTextures(1, &colour_);
    glBindTexture(GL_TEXTURE_2D, colour_);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glGenFramebuffers(1, &framebuffer_);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, colour_, 0);
    if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
        fail("the frame buffer is incomplete");
}

Target::~Target() {
    glDeleteFramebuffers(1, &framebuffer_);
    glDeleteTextures(1, &colour_);
}

void Target::bind() const { glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_); }

Pixels Target::read() const {
    Pixels pixels{width_, height_, {}};
    pixels.colours.resize(static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_));
    glPixelStorei(GL_PACK_ALIGNMENT, 4);
    for (int y = 0; y < height_; ++y)  // OpenGL counts from the bottom
        glReadPixels(
            0, height_ - 1 - y, width_, 1, GL_RGBA, GL_UNSIGNED_BYTE,
            &pixels.colours[static_cast<std::size_t>(y) * static_cast<std::size_t>(width_)]);
    return pixels;
}

void render() {
    ImGui::Render();
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}

void save_png(const Pixels& pixels, const std::filesystem::path& path) {
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    image.width = static_cast<png_uint_32>(pixels.width);
    image.height = static_cast<png_uint_32>(pixels.height);
    image.format = PNG_FORMAT_RGBA;
    if (png_image_write_to_file(&image, path.c_str(), 0, pixels.colours.data(), 0, nullptr) == 0)
        throw std::runtime_error("cannot write " + path.string());
}

void save_if_asked(Driver& driver, const std::string& name) {
    if (const char* folder = std::getenv("MASKSCOPE_PICTURES"))
        save_png(driver.pixels(), std::filesystem::path(folder) / (name + ".png"));
}

// --- the program, driven

namespace {

// Gives the tests their own recent files, unsaved work and compiled programs.
void keep_state_apart() {
    static const Folder folder;
    setenv("XDG_STATE_HOME", folder.path().c_str(), 1);
    setenv("XDG_CACHE_HOME", folder.path().c_str(), 1);
    setenv("DBUS_SESSION_BUS_ADDRESS", "", 1);  // do not open this desktop's dialogs
}

}  // namespace

Driver::Driver(Session& session, int width, int height)
    : context_(std::make_unique<Context>()),
      target_(std::make_unique<Target>(width, height)),
      app_(std::make_unique<App>(session)) {
    keep_state_apart();
    app_->gui.width = width;
    app_->gui.height = height;
    app_->clock = [this] { return time_; };
    app_->gui.clipboard.read = [this] { return clipboard; };
    app_->gui.clipboard.write = [this](const std::string& text) { clipboard = text; };
    app_->gui.clipboard.write_picture = [this](const std::string& png, const std::string& svg) {
        copied_png = png, copied_svg = svg;
    };
    app_->ui.in_lesson = session.lesson() != nullptr;  // its panels stay open
    move({0, 0});                                      // leaves no tooltip at the old place
}

void Driver::settle() {
    constexpr int frames_after_wake = 3;
    for (int due = frames_after_wake; due > 0; --due) {
        time_ += frame_seconds;
        if ((guards ? guarded_frame : frame)(*app_, paints) && due == 1) ++due;
        if (guards) make_images();
    }
}

// Painting is slow, but the images of heatmaps may fail just as well.
void Driver::make_images() try {
    app_->textures->make_images();
} catch (const std::bad_alloc&) {  // they are made in the next frame
}

Pixels Driver::pixels() {
    paint_frame(*app_);
    return target_->read();
}

void Driver::lose_context() {
    drop_pictures(*app_);
    target_.reset();
    context_.reset();
    context_ = std::make_unique<Context>();
    target_ = std::make_unique<Target>(app_->gui.width, app_->gui.height);
    make_pictures(*app_);
}

void Driver::rest() { time_ += 1; }

void Driver::push(InputEvent event) { app_->input.push(std::move(event)); }

void Driver::move(Point at) {
    push({.kind = InputEvent::Kind::move, .at = at});
    settle();
}

void Driver::press(Point at, int button, int modifiers) {
    push({.kind = InputEvent::Kind::move, .at = at});
    push({.kind = InputEvent::Kind::button, .code = button, .down = true, .modifiers = modifiers});
    settle();
}

void Driver::release(Point at, int button, int modifiers) {
    push({.kind = InputEvent::Kind::move, .at = at});
    push({.kind = InputEvent::Kind::button, .code = button, .down = false, .modifiers = modifiers});
    settle();
}

void Driver::click(Point at, int button, int modifiers) {
    rest();
    press(at, button, modifiers);
    release(at, button, modifiers);
}

void Driver::double_click(Point at) {
    click(at);
    press(at);
    release(at);
}

void Driver::drag(Point from, Point to, int steps) {
    rest();
    press(from);
    for (int k = 1; k <= steps; ++k)
        move({from.x + (to.x - from.x) * k / steps, from.y + (to.y - from.y) * k / steps});
    release(to);
}

void Driver::wheel(Point at, double steps) {
    push({.kind = InputEvent::Kind::move, .at = at});
    push({.kind = InputEvent::Kind::wheel, .at = {0, steps}});
    settle();
}

void Driver::key(int key, int modifiers) {
    rest();  // a user has read what the window says
    push({.kind = InputEvent::Kind::key, .code = key, .down = true, .modifiers = modifiers});
    push({.kind = InputEvent::Kind::key, .code = key, .down = false, .modifiers = modifiers});
    settle();
}

void Driver::type(const std::string& text) {
    push({.kind = InputEvent::Kind::text, .text = text});
    settle();
}

}  // namespace maskscope::ui
