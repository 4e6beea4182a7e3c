// window_faults [all]: the n-th allocation fails during some actions in the window, for larger and
// larger n until none fails (without "all", n grows in larger steps). The window continues to work:
// undoing everything gives the scene that was opened, and once its panels are closed it looks as it
// did before.

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <fmt/format.h>

#include <cstdlib>
#include <functional>

#include "core/base/build.h"
#include "core/compute/plain.h"
#include "core/format/scene_json.h"
#include "tests/faults/failing.h"
#include "tests/ui/harness.h"

namespace {

using namespace maskscope;
using ui::Driver;

struct Action {
    const char* name;
    std::function<void(Driver&)> act;
};

constexpr int ctrl = GLFW_MOD_CONTROL, shift = GLFW_MOD_SHIFT;

const Action actions[] = {
    {"block a cell",
     [](Driver& window) {
         window.key(GLFW_KEY_RIGHT);
         window.key(GLFW_KEY_SPACE);
         window.key(GLFW_KEY_Z, ctrl);
     }},
    {"a token",
     [](Driver& window) {
         window.key(GLFW_KEY_RIGHT, ctrl);
         window.key(GLFW_KEY_INSERT);
         window.type("kite");
         window.key(GLFW_KEY_ENTER);
         window.key(GLFW_KEY_P);
     }},
    {"a number",
     [](Driver& window) {
         window.key(GLFW_KEY_Q);
         window.key(GLFW_KEY_RIGHT);
         window.key(GLFW_KEY_ENTER);
         window.type("0.5");
         window.key(GLFW_KEY_ENTER);
     }},
    {"views",
     [](Driver& window) {
         for (int k = 0; k < 4; ++k) window.key(GLFW_KEY_TAB, ctrl);
     }},
    {"palette",
     [](Driver& window) {
         window.key(GLFW_KEY_P, ctrl | shift);
         window.type("window");
         window.key(GLFW_KEY_ENTER);
     }},
    {"export sheet", [](Driver& window) { window.key(GLFW_KEY_E, ctrl); }},
    {"copy",
     [](Driver& window) {
         window.key(GLFW_KEY_C, ctrl);
         window.key(GLFW_KEY_C, ctrl | shift);
     }},
    {"help", [](Driver& window) { window.key(GLFW_KEY_F1); }},
    {"write a lesson",
     [](Driver& window) {
         window.key(GLFW_KEY_L, ctrl);
         window.type("Title");
         window.key(GLFW_KEY_L, ctrl);
     }},
    {"present",
     [](Driver& window) {
         window.key(GLFW_KEY_F5);
         window.key(GLFW_KEY_TAB);
         window.key(GLFW_KEY_DOWN);
         window.key(GLFW_KEY_TAB);
         window.key(GLFW_KEY_F5);
     }},
};

class Room {
public:
    explicit Room(const std::filesystem::path& scene)
        : session_(std::make_unique<PlainBackend>()), window_(session_) {
        session_.open(scene);
        window_.guards = true;
        put_back();
        first_ = write_scene(session_.scene());
        look_ = picture();
    }

    // Acts while the n-th allocation fails, and exits if undoing everything does not give the first
    // scene. Returns whether an allocation failed.
    bool try_one(const Action& action, long n) {
        fail_at(Fault::allocation, n);
        action.act(window_);
        const bool failed = end_of_faults();
        put_back();
        if (write_scene(session_.scene()) != first_) give_up(action, n, "another scene is there");
        if (write_scene(session_.shown().scene) != first_)
            give_up(action, n, "another scene is shown");
        return failed;
    }
    void look(const Action& action) {
        if (picture() == look_) return;
        save_if_asked(window_, "window-faults");
        give_up(action, 0, "the window looks different");
    }

private:
    // Closes panels, undoes everything, and removes the message.
    void put_back() {
        for (int k = 0; k < 4; ++k) window_.key(GLFW_KEY_ESCAPE);
        session_.edit("a title", [](Scene& scene) { scene.title += '!'; });
        window_.settle();
        session_.wait();
        while (session_.document().undo_name()) session_.undo();
        session_.wait();
        window_.app().ui = {};
        session_.view() = {};
        window_.move({0, 0});
        window_.settle();
    }
    std::vector<Colour> picture() {
        window_.paints = true;
        window_.settle();
        window_.paints = false;
        ui::Pixels pixels = window_.pixels();
        constexpr int status_bar = 40;  // it says how long something took
        pixels.colours.resize(pixels.colours.size() - std::size_t(status_bar * pixels.width));
        return pixels.colours;
    }
    [[noreturn]] static void give_up(const Action& action, long n, const char* what) {
        fmt::print(stderr, "{}, allocation {}: {}\n", action.name, n, what);
        print_last_failed();
        std::exit(1);
    }

    Session session_;
    Driver window_;
    std::string first_;
    std::vector<Colour> look_;
};

}  // namespace

int main(int count, char** arguments) {
    const bool every = begin_faults(count, arguments);
    Room room(std::filesystem::path(source_folder()) / "assets/scenes/cross.json");
    for (const Action& action : actions) {
        long tried = 0;
        for (long n = 1; room.try_one(action, n); n += 1 + n / (every ? 60 : 5)) ++tried;
        room.look(action);
        fmt::print("{}: {} allocations failed, none did harm\n", action.name, tried);
    }
}
