#include "app/window/window.h"

#include <GLFW/glfw3.h>
#include <fmt/format.h>
#include <glib.h>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <csignal>
#include <iostream>
#include <thread>
#include <variant>

#include "app/clipboard/clipboard.h"
#include "app/clipboard/x11_clipboard.h"
#include "app/export/export.h"
#include "app/session/course.h"
#include "app/session/files/load.h"
#include "app/session/files/state_files.h"
#include "app/session/keeper.h"
#include "app/style/labels.h"
#include "app/window/actions/actions.h"
#include "app/window/context/app.h"
#include "app/window/context/window_choices.h"
#include "app/window/last_words.h"
#include "app/window/window_gpu.h"
#include "app/window/x_errors.h"
#include "core/base/error.h"
#include "core/files/file.h"
#include "core/gl/buffer.h"
#include "core/gl/gl_objects.h"
#include "core/gl/headless.h"
#include "core/large/large_backend.h"
#include "core/tensors/tensor_list.h"

namespace maskscope {
namespace {

constexpr int frames_after_wake = 3;  // to draw in the next frames what one frame opens
// If at least this many events wait, not every frame is painted.
constexpr std::size_t few_events = 6;
constexpr double still_seen = 0.1;  // seconds: while events wait, paint at least this often

struct Library {
    Library() {
        if (glfwInit() == GLFW_FALSE)
            throw Error(1, "no display: " + reason() +
                               "; maskscope compute and maskscope export work without one");
    }
    ~Library() { glfwTerminate(); }
    Library(const Library&) = delete;
    Library& operator=(const Library&) = delete;

    static std::string reason() {
        const char* text = nullptr;
        glfwGetError(&text);
        return text != nullptr ? printable(text) : "the window system gave no reason";
    }
};

// Creates the window. With OpenGL 4.3 the GPU can also compute; 3.3 is enough to draw. A robust
// context reports when it is lost.
GLFWwindow* create_window(int width, int height) {
    for (const int major : {4, 3})
        for (const int robustness : {GLFW_LOSE_CONTEXT_ON_RESET, GLFW_NO_ROBUSTNESS}) {
            glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, major);
            glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
            glfwWindowHint(GLFW_CONTEXT_ROBUSTNESS, robustness);
            if (GLFWwindow* window = glfwCreateWindow(width, height, "Maskscope", nullptr, nullptr))
                return window;
        }
    return nullptr;
}

OwnedWindow make_window(double ui_scale) {
    glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
    glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
    glfwWindowHint(GLFW_SCALE_TO_MONITOR, GLFW_TRUE);
    int x = 0, y = 0, width = 1600, height = 1000;
    if (GLFWmonitor* monitor = glfwGetPrimaryMonitor(); monitor != nullptr)
        glfwGetMonitorWorkarea(monitor, &x, &y, &width, &height);
    const auto wanted = [ui_scale](int size, int room) {
        return std::min(static_cast<int>(std::lround(size * ui_scale)), std::max(room, 320));
    };
    OwnedWindow window{create_window(wanted(1600, width), wanted(1000, height))};
    if (!window)
        throw Error(1, "the window needs OpenGL 3.3, which this machine does not offer: " +
                           Library::reason() +
                           "; maskscope compute and maskscope export work without it");
    glfwMakeContextCurrent(window.get());
    gl::note_made_current();
    glfwSwapInterval(1);
    return window;
}

// --- events as they arrive

struct Events {
    App* app = nullptr;
    bool woken = true;  // an event has arrived since the last frame
    double pixels_per_unit = 1;

    void push(InputEvent event) {
        app->input.push(std::move(event));
        woken = true;
    }
};

Events& events_of(GLFWwindow* window) {
    return *static_cast<Events*>(glfwGetWindowUserPointer(window));
}

std::string utf8_of(unsigned codepoint) {
    char bytes[6];
    return {bytes, static_cast<std::size_t>(g_unichar_to_utf8(codepoint, bytes))};
}

void on_move(GLFWwindow* window, double x, double y) {
    const double unit = events_of(window).pixels_per_unit;
    events_of(window).push({.kind = InputEvent::Kind::move, .at = {x * unit, y * unit}});
}

void on_button(GLFWwindow* window, int button, int action, int modifiers) {
    events_of(window).push({.kind = InputEvent::Kind::button,
                            .code = button,
                            .down = action == GLFW_PRESS,
                            .modifiers = modifiers});
}

void on_wheel(GLFWwindow* window, double x, double y) {
    events_of(window).push({.kind = InputEvent::Kind::wheel, .at = {x, y}});
}

// Handles a key. A held Enter counts as one press, because repeats would answer questions before
// the user has read them.
void on_key(GLFWwindow* window, int key, int scancode, int action, int modifiers) {
    if (action == GLFW_REPEAT && (key == GLFW_KEY_ENTER || key == GLFW_KEY_KP_ENTER)) return;
    events_of(window).push({.kind = InputEvent::Kind::key,
                            .code = key_by_letter(key, glfwGetKeyName(key, scancode)),
                            .down = action != GLFW_RELEASE,
                            .modifiers = modifiers});
}

void on_text(GLFWwindow* window, unsigned codepoint) {
    events_of(window).push({.kind = InputEvent::Kind::text, .text = utf8_of(codepoint)});
}

void on_drop(GLFWwindow* window, int count, const char** paths) {
    std::string all;
    for (int k = 0; k < count; ++k) all += std::string(paths[k]) + '\0';
    events_of(window).push({.kind = InputEvent::Kind::drop, .text = all});
}

void on_enter(GLFWwindow* window, int entered) {
    if (entered == GLFW_FALSE) events_of(window).push({.kind = InputEvent::Kind::leave});
}

void on_resize(GLFWwindow* window, int width, int height) {
    if (width <= 0 || height <= 0) return;  // the window is minimized
    events_of(window).push({.kind = InputEvent::Kind::resize,
                            .at = {static_cast<double>(width), static_cast<double>(height)}});
}

void on_close(GLFWwindow* window) {
    glfwSetWindowShouldClose(window, GLFW_FALSE);
    Events& events = events_of(window);
    leave(*events.app);
    events.woken = true;
}

void listen(GLFWwindow* window, Events& events) {
    glfwSetWindowUserPointer(window, &events);
    glfwSetCursorPosCallback(window, on_move);
    glfwSetMouseButtonCallback(window, on_button);
    glfwSetScrollCallback(window, on_wheel);
    glfwSetKeyCallback(window, on_key);
    glfwSetCharCallback(window, on_text);
    glfwSetDropCallback(window, on_drop);
    glfwSetCursorEnterCallback(window, on_enter);
    glfwSetFramebufferSizeCallback(window, on_resize);
    glfwSetWindowCloseCallback(window, on_close);
    glfwSetWindowRefreshCallback(window, [](GLFWwindow* w) { events_of(w).woken = true; });
}

// --- the window around the frames

void fit_to_monitor(GLFWwindow* window, App& app, Events& events, double ui_scale) {
    float monitor_scale = 1;
    glfwGetWindowContentScale(window, &monitor_scale, nullptr);
    app.gui.scale = std::clamp(ui_scale * monitor_scale * app.ui.choices.type, 0.5, 6.0);
    int width = 0, height = 0, pixels_x = 0, pixels_y = 0;
    glfwGetWindowSize(window, &width, &height);
    glfwGetFramebufferSize(window, &pixels_x, &pixels_y);
    if (width > 0 && pixels_x > 0) {
        events.pixels_per_unit = static_cast<double>(pixels_x) / width;
        app.gui.width = pixels_x;
        app.gui.height = pixels_y;
    }
    if (const unsigned long id = x11_id(window); id != 0)
        app.gui.parent_of_dialogs = fmt::format("x11:{:x}", id);
}

std::string title_of(const App& app) {
    const Session& session = app.session;
    std::string name = "Maskscope";
    if (app.ui.overlays.find<StartPage>()) return name;
    if (const auto path = session.document().path())
        name = printable(path->filename().string()) + " — Maskscope";
    else if (session.lesson() != nullptr)
        name = session.lesson()->title + " — Maskscope";
    return session.document().is_saved() ? name : "• " + name;
}

// Full screen for presenting, on a second monitor if there is one.
class FullScreen {
public:
    explicit FullScreen(const OwnedWindow& window) : window_(window) {}

    bool filled() const { return glfwGetWindowMonitor(window_.get()) != nullptr; }
    void fill(bool fills) {
        if (fills == filled()) return;
        if (!fills) {
            glfwSetWindowMonitor(window_.get(), nullptr, x_, y_, width_, height_, GLFW_DONT_CARE);
            return;
        }
        glfwGetWindowPos(window_.get(), &x_, &y_);
        glfwGetWindowSize(window_.get(), &width_, &height_);
        GLFWmonitor* monitor = other_monitor();
        const GLFWvidmode* mode = monitor != nullptr ? glfwGetVideoMode(monitor) : nullptr;
        if (mode != nullptr)
            glfwSetWindowMonitor(window_.get(), monitor, 0, 0, mode->width, mode->height,
                                 mode->refreshRate);
    }

private:
    // Returns the first monitor that does not contain the middle of the window, otherwise the
    // primary one.
    GLFWmonitor* other_monitor() const {
        int count = 0;
        GLFWmonitor** monitors = glfwGetMonitors(&count);
        const int middle_x = x_ + width_ / 2, middle_y = y_ + height_ / 2;
        for (int k = 0; k < count; ++k) {
            int x = 0, y = 0;
            glfwGetMonitorPos(monitors[k], &x, &y);
            const GLFWvidmode* mode = glfwGetVideoMode(monitors[k]);
            const bool holds = mode != nullptr && middle_x >= x && middle_x < x + mode->width &&
                               middle_y >= y && middle_y < y + mode->height;
            if (!holds) return monitors[k];
        }
        return glfwGetPrimaryMonitor();
    }

    const OwnedWindow& window_;
    int x_ = 0, y_ = 0, width_ = 1600, height_ = 1000;
};

class Cursors {
public:
    explicit Cursors(GLFWwindow* window)
        : window_(window),
          text_(glfwCreateStandardCursor(GLFW_IBEAM_CURSOR)),
          border_(glfwCreateStandardCursor(GLFW_HRESIZE_CURSOR)) {}
    void show(const Gui& gui) {
        GLFWcursor* const cursor = gui.over_text ? text_ : gui.over_border ? border_ : nullptr;
        if (std::exchange(shown_, cursor) != cursor) glfwSetCursor(window_, cursor);
    }

private:
    GLFWwindow* window_;
    GLFWcursor *text_, *border_;  // GLFW frees them when it ends
    GLFWcursor* shown_ = nullptr;
};

// --- emergency exits

// Calls wake() after SIGTERM, SIGHUP or SIGINT. A second signal ends the program immediately.
class EndSignals {
public:
    explicit EndSignals(const std::function<void()>& wake) {
        if (::pipe2(pipe_, O_CLOEXEC) != 0) return;
        thread_ = std::thread([wake] {
            char signal = 0;
            while (::read(pipe_[0], &signal, 1) < 0 && errno == EINTR) {}
            if (signal != 0) wake();
        });
        for (const int signal : {SIGTERM, SIGHUP, SIGINT})
            if (std::signal(signal, on_signal) == SIG_IGN) std::signal(signal, SIG_IGN);
    }
    ~EndSignals() {
        const char none = 0;
        if (!thread_.joinable()) return;
        finish_files_on_signals();
        if (::write(pipe_[1], &none, 1) == 1) thread_.join();
    }
    EndSignals(const EndSignals&) = delete;
    EndSignals& operator=(const EndSignals&) = delete;
    static int signal() { return signal_; }  // 0 if no signal has arrived

private:
    static void on_signal(int signal) {
        const int before = signal_.exchange(signal);
        const char byte = 1;
        if (before == 0 && ::write(pipe_[1], &byte, 1) == 1) return;
        std::signal(signal, SIG_DFL);
        std::raise(signal);
    }
    inline static std::atomic<int> signal_ = 0;
    inline static int pipe_[2] = {-1, -1};
    std::thread thread_;
};

void keep_what_is_unsaved(Session& session) {
    try {
        session.keeper().keep_now(session);
    } catch (const std::exception& error) {
        std::cerr << "maskscope: could not keep unsaved work: " << printable(error.what()) << '\n';
    }
}

// Renames unreadable state files, reports them, and deletes leftovers of killed runs.
void tidy_state(Session& session) {
    const std::filesystem::path folder = state_folder();
    if (folder.empty()) return;
    std::string told;
    for (const auto& set_aside : {set_damaged_list_aside, set_damaged_course_aside,
                                  set_damaged_choices_aside, set_damaged_window_aside})
        if (const std::string line = set_aside(folder); !line.empty())
            told += (told.empty() ? "" : "; ") + line;
    if (!told.empty()) session.say(told, true);
    remove_leftovers(folder);
    Keeper::tidy(folder);
    for (const std::filesystem::path& file : recent_files(folder))
        remove_leftovers(file.parent_path());
}

// Sleeps until an event arrives, or until progress is worth a frame.
void wait(const App& app, bool more_frames, const Keeper& keeper) {
    constexpr double progress_seconds = 0.1;
    if (more_frames) return glfwPollEvents();
    std::optional<double> seconds = next_frame_in(app);
    if (!seconds && app.session.computing()) seconds = progress_seconds;
    if (const auto due = keeper.seconds_until_due(Keeper::Clock::now()))
        seconds = std::min(seconds.value_or(*due), *due);
    if (seconds)
        glfwWaitEventsTimeout(std::max(*seconds, 0.001));
    else
        glfwWaitEvents();
}

// Runs until the program is to quit (returns false) or the window's context is lost (returns true).
bool run_frames(GLFWwindow* window, App& app, Events& events, const WindowOptions& options,
                const std::function<void(App&)>& watch, std::atomic<bool>& computed) {
    Cursors cursors(window);
    std::string title;
    int frames_due = frames_after_wake;
    double painted = 0;
    Keeper& keeper = app.session.keeper();
    keeper.keep_in(state_folder());
    std::optional<std::filesystem::path> file;
    WindowChoices choices = app.ui.choices;
    CourseMark seen;
    while (!app.ui.quit && EndSignals::signal() == 0) {
        wait(app, frames_due > 0, keeper);
        events.woken |= keeper.keep_if_due(app.session, Keeper::Clock::now());
        if (watch) watch(app);
        if (std::exchange(events.woken, false) || computed.exchange(false))
            frames_due = frames_after_wake;
        // Draw only one frame for progress, because the processor is needed for computing.
        if (next_frame_in(app) == 0.0 || app.session.computing())
            frames_due = std::max(frames_due, 1);
        if (frames_due == 0) continue;
        fit_to_monitor(window, app, events, options.ui_scale);
        const bool paint = app.input.waiting() < few_events || app.clock() - painted > still_seen;
        const bool another = guarded_frame(app, paint);
        if (app.frame_failed && app.frames == 0)
            throw WorkError("could not draw the window: " + app.session.message()->text);
        if (paint) {
            glfwSwapBuffers(window);
            painted = app.clock();
        }
        if (gpu::is_context_lost()) return true;
        keeper.something_happened(Keeper::Clock::now());
        frames_due = std::max(frames_due - 1, another ? 1 : 0);
        cursors.show(app.gui);
        const Session& session = app.session;
        auto path = session.document().file_to_save();
        if (!path) path = session.document().figure_path;
        if (path && path != file) remember_file(state_folder(), *(file = path));
        if (app.ui.choices != choices) remember_window(state_folder(), choices = app.ui.choices);
        if (CourseMark now = course_mark(session);
            now != seen && !app.ui.overlays.find<StartPage>()) {
            seen = std::move(now);
            remember_course(state_folder(), session);
        }
        if (std::string now = title_of(app); now != title)
            glfwSetWindowTitle(window, (title = now).c_str());
    }
    if (EndSignals::signal() != 0 && app.gui.editing) {
        app.gui.editing->leave = true;  // what is being typed is committed
        guarded_frame(app, false);
    }
    if (EndSignals::signal() != 0) keep_what_is_unsaved(app.session);
    if (EndSignals::signal() == 0 || app.session.document().is_saved()) keeper.end();
    return false;
}

// Makes a new window and new pictures for the same document, history and panels, after a reset of
// the graphics card has lost the window's context. Throws Error.
void renew(OwnedWindow& window, App& app, Events& events, FullScreen& full_screen,
           double ui_scale) {
    using namespace std::chrono_literals;
    static double renewed = -infinity;  // the time of the last renewal, by App::clock
    if (app.clock() - renewed < 1) throw WorkError("a second time within a second");
    drop_pictures(app);
    for (int k = 0; gpu::is_context_lost(); ++k) {  // wait until the reset is done
        if (k == 200) throw WorkError("it did not come back");
        std::this_thread::sleep_for(10ms);
    }
    const bool filled = full_screen.filled();
    full_screen.fill(false);
    int x = 0, y = 0, width = 0, height = 0;
    glfwGetWindowPos(window.get(), &x, &y);
    glfwGetWindowSize(window.get(), &width, &height);
    window.reset();
    window = make_window(ui_scale);
    glfwSetWindowSize(window.get(), width, height);
    glfwSetWindowPos(window.get(), x, y);
    full_screen.fill(filled);
    listen(window.get(), events);
    for (const int button :
         {0, 1, 2})  // the new window gets no release event for buttons held during the reset
        app.input.push({.kind = InputEvent::Kind::button, .code = button});
    make_pictures(app);
    offer_gpu_of(window.get(), app.session);
    app.session.say("The graphics card was reset. Nothing is lost.", false);
    renewed = app.clock();
}

// Opens what the options name. A file that cannot be opened ends the program with the same error as
// on the command line. For a file of tensors, opens what was open last, and returns the sheet to be
// shown over it.
std::optional<TensorSheet> open_first(Session& session, const WindowOptions& options) {
    std::optional<TensorSheet> sheet;
    if (options.file && holds_tensors(*options.file)) sheet = tensor_sheet_of(*options.file);
    if (!options.file || sheet) {
        open_as_left(state_folder(), session);
    } else if (const std::string& file = *options.file; file.starts_with("lesson:")) {
        const auto loaded = std::get<LoadedLesson>(load(file));
        session.open_lesson(loaded.lesson, loaded.folder, loaded.step);
    } else if (!session.open(file)) {
        load(file);
    }
    tidy_state(session);
    return sheet;
}

}  // namespace

int run_window(const WindowOptions& options, const std::function<void(App&)>& watch) {
    std::atomic<bool> computed = false;
    auto opened = std::make_unique<Session>(std::make_unique<LargeBackend>(), [&computed] {
        computed = true;
        glfwPostEmptyEvent();
    });
    auto sheet =
        open_first(*opened, options);  // errors in the input come before those of the machine
    need_fonts();
    const Library library;
    OwnedWindow window = make_window(options.ui_scale);
    gl::require_opengl();
    // Results may be in the window's context, so destroy the session before the window.
    const std::unique_ptr<Session> session = std::move(opened);
    App app(*session);
    if (sheet) app.ui.overlays.open(std::move(*sheet));
    app.ui.choices = remembered_window(state_folder());
    fold_as_chosen(app.ui);
    session->view().theme = options.theme.value_or(theme_of(app.ui.choices));
    if (!options.file && read_course(state_folder()).open.empty()) open_start(app);
    use_gpu_of(window.get(), *session);
    std::optional<X11Text> texts;  // without it, GLFW asks Wayland itself
    if (x11_id(window.get()) != 0) texts.emplace();
    app.gui.clipboard.read = [&]() -> std::string {
        try {
            const auto text = texts ? texts->read(std::chrono::milliseconds(500)) : std::nullopt;
            if (text) return *text;
        } catch (const WorkError& error) {
            session->say(fmt::format("Could not paste: {}", error.what()), true);
            return "";
        }
        const char* text = glfwGetClipboardString(window.get());
        return text != nullptr ? text : "";
    };
    app.gui.clipboard.write = [&](const std::string& text) {
        glfwSetClipboardString(window.get(), text.c_str());
        if (texts) texts->owned();
    };
    PictureClipboard pictures;
    app.gui.clipboard.write_picture = [&pictures](const std::string& png, const std::string& svg) {
        pictures.offer({{"image/png", png}, {"image/svg+xml", svg}});
    };
    FullScreen full_screen(window);
    app.fill_screen = [&full_screen](bool fills) { full_screen.fill(fills); };
    Events events{&app};
    listen(window.get(), events);
    app.gui.reduced_motion = wants_reduced_motion();
    fit_to_monitor(window.get(), app, events, options.ui_scale);
    app.ui.left_behind = Keeper::left_behind(state_folder());
    const LastWords last_words([&] { keep_what_is_unsaved(*session); });
    const XErrors errors(window);
    {
        const EndSignals signals(glfwPostEmptyEvent);
        try {
            while (run_frames(window.get(), app, events, options, watch, computed)) try {
                    renew(window, app, events, full_screen, options.ui_scale);
                } catch (const std::exception& error) {
                    throw WorkError(fmt::format(
                        "the graphics card was reset: {}; unsaved work is kept for the next start",
                        error.what()));
                }
        } catch (...) {
            keep_what_is_unsaved(*session);
            if (const auto& opened = app.ui.opened_tensors; opened && opened->copies)
                opened->copies->keep();
            throw;
        }
    }
    if (const int signal = EndSignals::signal(); signal != 0) {
        std::signal(signal, SIG_DFL);
        std::raise(signal);
    }
    return 0;
}

}  // namespace maskscope
