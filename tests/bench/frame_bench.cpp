// Measures the window: how long frames take until they are completely drawn, how soon an edit is
// visible, the start, the load when idle, and memory.
//   frame_bench [SCENE] [--backend cpu|gpu|auto] [--heads H] [--tokens N,N,…] [--quick]
//               [--frames-alone]
// Frames are drawn without a display (1600 × 1000); start and idle load need one (xvfb-run). The
// program prints a table of medians and longest times. Not a test: nothing here passes or fails.

#include <epoxy/gl.h>
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <semaphore>
#include <sstream>
#include <thread>

#include "app/session/document.h"
#include "app/show/bench/bench_survey.h"
#include "core/base/error.h"
#include "core/edit/edit.h"
#include "core/large/large_backend.h"
#include "tests/bench/bench_scene.h"
#include "tests/bench/window_times.h"
#include "tests/ui/harness.h"

namespace {

using namespace maskscope;
using namespace maskscope::bench;

struct Options {
    std::string scene;  // a file; "" = made scenes, one for each of `tokens`
    std::vector<Index> tokens = {16, 1024, 4096};
    Index heads = 1;
    ComputeWith backend = ComputeWith::cpu;
    bool quick = false;
    bool frames_alone = false;  // does not measure memory
};

// The program without a window, on one scene.
class MeasuredWindow {
public:
    MeasuredWindow()
        : session_(std::make_unique<Session>(std::make_unique<LargeBackend>(),
                                             [this] { finished_.release(); })),
          driver_(std::make_unique<ui::Driver>(*session_)) {}
    ~MeasuredWindow() { session_.reset(); }  // before the context that holds its results
    MeasuredWindow(const MeasuredWindow&) = delete;
    MeasuredWindow& operator=(const MeasuredWindow&) = delete;

    Session& session() { return *session_; }
    App& app() { return driver_->app(); }
    ui::Driver& driver() { return *driver_; }

    double milliseconds_of_frame() {
        const double begin = steady_seconds();
        frame(app());
        glFinish();
        return 1000 * (steady_seconds() - begin);
    }
    // Draws frames as the window does until the edited scene is on the screen, and returns how long
    // that took. For a result that is computed when it is read, see milliseconds_until_seen().
    double milliseconds_until_shown() {
        if (is_computed_when_read(session_->shown()))
            return milliseconds_until_seen(shape_of(session_->scene()).n_q);
        const double begin = steady_seconds();
        milliseconds_of_frame();
        while (session_->computing() || !app().input.empty()) {
            if (session_->computing())
                static_cast<void>(finished_.try_acquire_for(std::chrono::milliseconds(100)));
            milliseconds_of_frame();
        }
        return 1000 * (steady_seconds() - begin);
    }

    // Draws frames until the scene is shown with this many `queries`, its visible area is exact,
    // and the rest has been sampled. Returns how long that took.
    double milliseconds_until_seen(Index queries) {
        const double begin = steady_seconds();
        do milliseconds_of_frame();
        while (!is_seen(queries));
        return 1000 * (steady_seconds() - begin);
    }

private:
    bool is_seen(Index queries) const {
        const Scene& shown = session_->shown().scene;
        bool seen = same_but_show(session_->scene(), shown) && shape_of(shown).n_q == queries;
        if (!seen) return false;
        each_stage(session_->results().bench(), [&](const BenchStage& stage) {
            if (!stage.cells->source || !stage.cells->source->computed) return;
            const std::lock_guard lock(stage.cells->levels.slot->mutex);
            seen &= stage.cells->levels.slot->surveyed && !stage.cells->levels.slot->wanted;
        });
        return seen;
    }
    std::counting_semaphore<> finished_{0};
    std::unique_ptr<Session> session_;
    std::unique_ptr<ui::Driver> driver_;
};

void print_times(const std::string& what, std::vector<double> times) {
    std::sort(times.begin(), times.end());
    fmt::print("{:<44} {:8.1f} {:8.1f} ms\n", what, times[times.size() / 2], times.back());
}

std::vector<double> repeat(int count, const std::function<double(int)>& measure) {
    std::vector<double> times;
    for (int k = 0; k < count; ++k) times.push_back(measure(k));
    return times;
}

void measure_frames(MeasuredWindow& m, int count) {
    m.driver().move({450, 400});
    const auto with = [&m](const InputEvent& event) {
        m.app().input.push(event);
        return m.milliseconds_of_frame();
    };
    print_times("frame, nothing changed",
                repeat(count, [&](int) { return m.milliseconds_of_frame(); }));
    print_times("frame, pointer moved", repeat(count, [&](int k) {
                    return with({.at = {400.0 + 3 * k, 400}});
                }));
    with({.at = {450, 400}});
    const Shape shape = m.session().shown().variants[0].shape;
    print_times(
        std::max(shape.n_q, shape.n_k) > 40 ? "frame, all heatmaps zoomed" : "frame, scrolled",
        repeat(count, [&](int k) {
            return with({.kind = InputEvent::Kind::wheel, .at = {0, k % 2 == 0 ? 1.0 : -1.0}});
        }));
}

// Measures the time from an edit of the mask until it is visible, and the part of it that was spent
// computing.
void measure_cell(MeasuredWindow& m, int count) {
    const Index middle = m.session().shown().variants[0].shape.n_q / 2;  // of the shown scene
    std::vector<double> computing;
    const auto times = repeat(count, [&](int k) {
        m.session().edit("flip a cell", [&](Scene& scene) {
            set_allowed(scene, {0}, 0, 0, {middle, middle / 2}, k % 2 != 0);
        });
        const double time = m.milliseconds_until_shown();
        computing.push_back(m.session().shown().milliseconds);
        return time;
    });
    print_times("one mask cell edited, until its picture", times);
    print_times("  of that, computing", computing);
}

// Measures dragging the scale, with an edit in each frame.
void measure_drag(MeasuredWindow& m, int count) {
    const auto set_scale = [&m](double number) {
        m.session().edit(
            "drag the scale",
            [&](Scene& scene) {
                scene.variants[0].scale = {ScaleKind::number, number};
            },
            "drag");
    };
    print_times("scale dragged, a frame", repeat(count, [&](int k) {
                    set_scale(0.1 + 0.001 * k);
                    return m.milliseconds_of_frame();
                }));
    m.milliseconds_until_shown();
    m.session().end_merge();
    std::vector<double> computing;
    const auto times = repeat(count, [&](int k) {
        set_scale(0.2 + 0.001 * k);
        const double time = m.milliseconds_until_shown();
        computing.push_back(m.session().shown().milliseconds);
        return time;
    });
    print_times("scale changed, until its picture", times);
    print_times("  of that, computing", computing);
}

// Measures the time from an edit of the mask or the scale of a long text until the visible area is
// exact. The pass over the previous scene is still running when the edit is made.
void measure_long_edits(MeasuredWindow& m, const std::string& where, int count) {
    const Shape shape = m.session().shown().variants[0].shape;
    m.milliseconds_until_seen(shape.n_q);
    print_times("one mask cell edited, " + where, repeat(count, [&](int k) {
                    m.session().edit("flip a cell", [&](Scene& scene) {
                        set_allowed(scene, {0}, 0, 0, {shape.n_q / 2 + 20, shape.n_k / 2}, k % 2);
                    });
                    return m.milliseconds_until_seen(shape.n_q);
                }));
    print_times("scale changed, " + where, repeat(count, [&](int k) {
                    m.session().edit("scale", [&](Scene& scene) {
                        scene.variants[0].scale = {ScaleKind::number, 0.1 + 0.001 * k};
                    });
                    return m.milliseconds_until_seen(shape.n_q);
                }));
}

// Measures zooming from all cells to single ones with their numbers, and back: a step of the wheel
// in each frame.
void measure_depth(MeasuredWindow& m, int count) {
    const Point there{450, 400};
    m.driver().move(there);
    std::vector<double> times;
    const auto go = [&](double step, const auto& is_there) {
        while (!is_there(m.session().view().zoom)) {
            m.app().input.push({.kind = InputEvent::Kind::wheel, .at = {0, step}});
            times.push_back(m.milliseconds_of_frame());
        }
    };
    const Shape shape = m.session().shown().variants[0].shape;
    for (int k = 0; k < count; ++k) {
        go(1, [&](const Zoom& zoom) { return (zoom.x1 - zoom.x0) * double(shape.n_k) < 12; });
        go(-1, [&](const Zoom& zoom) { return zoom == Zoom{}; });
    }
    print_times("frame, zoomed from all to a dozen cells", times);
}

// Measures a text so long that no stage of it is kept.
void measure_long(MeasuredWindow& m, int count, double opened) {
    const Shape shape = shape_of(m.session().scene());
    fmt::print("\n{} × {}, {} heads, {}, {}\n{:<44} {:>8} {:>8}\n", shape.n_q, shape.n_k, shape.h,
               m.session().shown().backend, renderer_name(), "", "median", "most");
    print_times("opened, until the first sample",
                {1000 * opened + m.milliseconds_until_seen(shape.n_q)});
    fmt::print("{:<44} {:8.0f} MB\n", "memory with the first sample", resident_bytes() / 1e6);
    measure_frames(m, count);  // while the pass goes on
    print_times("until what is shown is whole", {m.milliseconds_until_shown()});
    fmt::print("{:<44} {:8.0f} MB\n", "memory when it is whole", resident_bytes() / 1e6);
    measure_frames(m, count);
    measure_depth(m, std::max(1, count / 12));
    measure_long_edits(m, "all of it seen", count);
    const auto of = [](Index cell, Index cells) { return double(cell) / double(cells); };
    const Index i = shape.n_q / 2, j = shape.n_k / 2 - 60;
    m.session().view().zoom = {of(j, shape.n_k), of(i, shape.n_q), of(j + 120, shape.n_k),
                               of(i + 120, shape.n_q)};
    measure_long_edits(m, "120 × 120 cells seen", count);
    fmt::print("{:<44} {:8.0f} MB\n", "memory after the edits", resident_bytes() / 1e6);
    std::this_thread::sleep_for(std::chrono::seconds(2));
    fmt::print("{:<44} {:8.0f} MB\n", "memory at rest", resident_bytes() / 1e6);
}

double bytes_of_stages(const Result& result) {
    double bytes = 0;
    for (const VariantResult& variant : result.variants)
        for (const Stage& stage : variant.stages)
            if (!stage.remote())
                bytes += double(stage.b() * stage.h()) * double(stage.rows() * stage.columns()) *
                         (stage.is_float64() ? 8 : 4);
    return bytes;
}

// Opens the scene; if that fails, reports it and returns false.
bool open(MeasuredWindow& m, const Options& options, Index tokens) {
    if (options.backend != ComputeWith::cpu) {
        m.session().offer_gpu(ui::gpu_of(m.driver().context()));
        if (!m.session().compute_with(options.backend)) return false;
    }
    if (!options.scene.empty()) return m.session().open(options.scene);
    return m.session().edit("scene", [&](Scene& scene) {
        scene = make_scene("causal", {options.heads, tokens, 64}, true);
        scene.show.emplace();
    });
}

bool measure(const Options& options, Index tokens) {
    MeasuredWindow m;
    const double begin = steady_seconds();
    const bool opened = open(m, options, tokens);
    const int count = options.quick ? 6 : 40;
    const Shape asked = shape_of(m.session().scene());
    if (opened &&
        double(asked.b * asked.h) * double(asked.n_q) * double(asked.n_k) > most_numbers_kept) {
        measure_long(m, count, steady_seconds() - begin);
        return true;
    }
    m.session().wait();
    const bool wants_gpu = options.backend == ComputeWith::gpu;
    if (!opened || (wants_gpu && m.session().shown().backend != "gpu")) {
        const auto& message = m.session().message();
        fmt::print(stderr, "frame_bench: {}\n", message ? message->text : "cannot open");
        return false;
    }
    m.milliseconds_until_shown();
    const Shape shape = shape_of(m.session().scene());
    if (options.backend == ComputeWith::automatic) {  // the backend is chosen with the first edit
        m.session().edit("scale", [](Scene& scene) {
            scene.variants[0].scale = {ScaleKind::number, 0.3};
        });
        m.session().wait();
    }
    fmt::print("\n{} × {}, {} heads, {}{}, {}\n{:<44} {:>8} {:>8}\n", shape.n_q, shape.n_k, shape.h,
               options.backend == ComputeWith::automatic ? "auto: " : "",
               m.session().shown().backend, renderer_name(), "", "median", "most");
    measure_frames(m, count);
    measure_cell(m, count);
    measure_drag(m, count);
    if (options.frames_alone) return true;
    const auto print_memory = [](const char* when, const std::string& more) {
        fmt::print("{:<44} {:8.0f} MB{}\n", when, resident_bytes() / 1e6, more);
    };
    print_memory("memory after the drag", "");
    // Memory kept for the next edit is freed after a second.
    std::this_thread::sleep_for(std::chrono::seconds(2));
    print_memory("memory at rest", fmt::format(", of that stages {:.0f} MB",
                                               bytes_of_stages(m.session().shown()) / 1e6));
    return true;
}

std::optional<Index> whole(const std::string& text) {
    const auto size = size_of(text + "x1x1");
    return size ? std::optional(size->heads) : std::nullopt;
}

bool read_tokens(const std::string& list, std::vector<Index>& tokens) {
    tokens.clear();
    std::istringstream words(list);
    for (std::string word; std::getline(words, word, ',');) {
        const auto n = whole(word);
        if (!n) return false;
        tokens.push_back(*n);
    }
    return !tokens.empty();
}

std::optional<Options> read_options(const std::vector<std::string>& words) {
    Options options;
    for (std::size_t k = 0; k < words.size(); ++k) {
        const bool has_value = k + 1 < words.size();
        if (words[k] == "--quick") {
            options.quick = true;
        } else if (words[k] == "--backend" && has_value) {
            const std::string& name = words[++k];
            if (name == "gpu")
                options.backend = ComputeWith::gpu;
            else if (name == "auto")
                options.backend = ComputeWith::automatic;
            else if (name != "cpu")
                return std::nullopt;
        } else if (words[k] == "--frames-alone") {
            options.frames_alone = true;
        } else if (words[k] == "--heads" && has_value) {
            const auto heads = whole(words[++k]);
            if (!heads) return std::nullopt;
            options.heads = *heads;
        } else if (words[k] == "--tokens" && has_value) {
            if (!read_tokens(words[++k], options.tokens)) return std::nullopt;
        } else if (words[k].starts_with("--") || !options.scene.empty()) {
            return std::nullopt;
        } else {
            options.scene = words[k];
        }
    }
    if (!options.scene.empty()) options.tokens = {0};
    return options;
}

int run(const std::vector<std::string>& words, const std::string& own_path) {
    if (words.size() == 2 && words[0] == "--window") return measure_window(std::stod(words[1]));
    const auto options = read_options(words);
    if (!options) {
        fmt::print(stderr,
                   "frame_bench [SCENE] [--backend cpu|gpu|auto] [--heads H] [--tokens N,N,…] "
                   "[--quick] [--frames-alone]\n");
        return 2;
    }
    if (!options->quick && !options->frames_alone && !print_window_times(own_path))
        fmt::print("start and rest are measured where there is a display (xvfb-run)\n");
    bool all = true;
    for (const Index tokens : options->tokens) all = measure(*options, tokens) && all;
    return all ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) {
    try {
        return run(std::vector<std::string>(arguments + 1, arguments + count), arguments[0]);
    } catch (const std::exception& error) {
        fmt::print(stderr, "frame_bench: {}\n", error.what());
        return 1;
    }
}
