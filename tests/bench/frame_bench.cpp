// Times of frames in the window, without a display: frame_bench SCENE. Prints for a frame in which
// nothing changed, one in which the pointer moved, and one that zoomed all heatmaps, the median and
// the largest of 40 in milliseconds, drawing finished. No test: nothing here passes or fails.

#include <epoxy/gl.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>

#include "core/cpu/plain.h"
#include "tests/ui/harness.h"

namespace {

using namespace maskscope;
using Clock = std::chrono::steady_clock;

double milliseconds_of_frame(App& app) {
    const auto begin = Clock::now();
    frame(app);
    glFinish();
    return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

void report(App& app, const char* what, const std::function<void(int)>& push) {
    std::vector<double> times;
    for (int k = 0; k < 40; ++k) {
        push(k);
        times.push_back(milliseconds_of_frame(app));
    }
    std::sort(times.begin(), times.end());
    fmt::print("{:<16} {:6.1f} {:6.1f}\n", what, times[times.size() / 2], times.back());
}

InputEvent moved(double x, double y) { return {.at = {x, y}}; }
InputEvent turned(double steps) { return {.kind = InputEvent::Kind::wheel, .at = {0, steps}}; }

}  // namespace

int main(int count, char** arguments) {
    if (count != 2) {
        fmt::print(stderr, "frame_bench SCENE\n");
        return 2;
    }
    Session session(std::make_unique<PlainBackend>());
    if (!session.open(arguments[1])) {
        fmt::print(stderr, "{}\n", session.message() ? session.message()->text : "cannot open");
        return 2;
    }
    session.update();
    session.wait();
    session.update();
    ui::Driver driver(session);
    driver.move({450, 400});
    driver.settle();
    App& app = driver.app();
    fmt::print("{:<16} {:>6} {:>6}  ms at 1600 x 1000\n", "frame", "median", "most");
    report(app, "unchanged", [](int) {});
    report(app, "pointer moved", [&](int k) { app.input.push(moved(400 + 3 * k, 400)); });
    app.input.push(moved(450, 400));
    frame(app);
    report(app, "zoomed", [&](int k) { app.input.push(turned(k % 2 == 0 ? 1 : -1)); });
}
