#include "tests/bench/window_times.h"

#include <GLFW/glfw3.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <thread>

#include "app/window/context/app.h"
#include "app/window/window.h"

namespace maskscope::bench {

namespace {

using namespace std::chrono_literals;

double processor_seconds() {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// Observes the window while it is idle, and prints what it saw.
class Onlooker {
public:
    explicit Onlooker(double started) : started_(started) {}
    ~Onlooker() {
        if (thread_.joinable()) thread_.join();
    }
    Onlooker(const Onlooker&) = delete;
    Onlooker& operator=(const Onlooker&) = delete;

    void on_turn(App& app) {
        if (app.frames > 0 && !thread_.joinable()) {
            fmt::print("{:<44} {:8.0f} ms\n", "start page, until its first frame (goal 500)",
                       1000 * (steady_seconds() - started_));
            thread_ = std::thread([this] { look(); });
        }
        frames_ = app.frames;
        if (done_) app.ui.quit = true;
    }

private:
    void look() {
        std::this_thread::sleep_for(2s);  // lets the rest of the start finish
        const long frames = frames_;
        const double processor = processor_seconds(), begin = steady_seconds();
        std::this_thread::sleep_for(5s);
        const double share = (processor_seconds() - processor) / (steady_seconds() - begin);
        fmt::print("{:<44} {:8} frames\n", "drawn in 5 s at rest", frames_ - frames);
        fmt::print("{:<44} {:8.2f} %\n", "processor at rest, of one core", 100 * share);
        fmt::print("{:<44} {:8.0f} MB\n", "memory on the start page", resident_bytes() / 1e6);
        done_ = true;
        glfwPostEmptyEvent();
    }

    double started_;
    std::atomic<long> frames_ = 0;
    std::atomic<bool> done_ = false;
    std::thread thread_;
};

}  // namespace

double steady_seconds() {
    using namespace std::chrono;
    return duration<double>(steady_clock::now().time_since_epoch()).count();
}

double resident_bytes() {
    std::ifstream file("/proc/self/statm");
    double size = 0, resident = 0;
    file >> size >> resident;
    return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

bool print_window_times(const std::string& own_path) {
    if (std::getenv("DISPLAY") == nullptr && std::getenv("WAYLAND_DISPLAY") == nullptr)
        return false;
    std::fflush(stdout);
    const std::string started = fmt::format("{}", steady_seconds());
    // The state of a very first start, which shows the start page.
    std::string state = std::filesystem::temp_directory_path() / "maskscope-bench-XXXXXX";
    if (mkdtemp(state.data()) == nullptr) return false;
    const pid_t child = fork();
    if (child == 0) {
        setenv("XDG_STATE_HOME", state.c_str(), 1);
        execl(own_path.c_str(), own_path.c_str(), "--window", started.c_str(), nullptr);
        _exit(127);
    }
    int status = 0;
    waitpid(child, &status, 0);
    std::error_code left;
    std::filesystem::remove_all(state, left);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

int measure_window(double started) {
    Onlooker onlooker(started);
    return run_window({}, [&onlooker](App& app) { onlooker.on_turn(app); });
}

}  // namespace maskscope::bench
