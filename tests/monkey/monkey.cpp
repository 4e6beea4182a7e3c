// Clicks, types and drags at random: monkey [EVENTS] [SEED] [FILE] [WIDTH HEIGHT] [ONLY]. Every
// event is laid out and its draw data checked; every 100th frame is painted. It fails with the seed
// and the number of the event at the first broken promise: a scene that is not valid, a vertex that
// is not a number, or an OpenGL error. Now and then it also checks that the numbers are those of
// the scene, that undoing and redoing everything gives the same bytes, and that memory does not
// grow. Every 1000th event the graphics card is reset. Assertions and sanitizers end the run, which
// is a process of its own. It is then repeated with fewer and fewer events, and those that are
// enough are printed, to be given as ONLY: 12,57,88. The program also prints how long the longest
// frame took.

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <epoxy/gl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <imgui.h>
#include <malloc.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "app/window/actions/shortcuts.h"
#include "app/window/paint/label_atlas.h"
#include "core/base/build.h"
#include "core/base/large_array.h"
#include "core/compute/plain.h"
#include "core/cpu/cpu_backend.h"
#include "core/format/scene_json.h"
#include "tests/ui/harness.h"

namespace maskscope {
namespace {

namespace fs = std::filesystem;

constexpr int painted_every = 100, reopened_every = 2'500;

// --- where it plays: a folder of its own, with copies of the lessons and scenes

class Playground {
public:
    Playground() {
        std::string name = fs::temp_directory_path() / "maskscope-monkey-XXXXXX";
        if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
        folder_ = fs::canonical(name);
        fs::copy(fs::path(source_folder()) / "assets", folder_, fs::copy_options::recursive);
        for (const char* place : {"HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "MASKSCOPE_ASSETS"})
            setenv(place, folder_.c_str(), 1);
        std::ofstream(folder_ / "broken.json") << "{\"maskscope\": 1, \"sequences\": [";
        fs::current_path(folder_);
        for (const char* kind : {"lessons", "scenes"})
            for (const auto& entry : fs::directory_iterator(folder_ / kind))
                if (entry.path().extension() == ".json") files_.push_back(entry.path());
        files_.push_back(folder_ / "broken.json");
        files_.push_back(folder_ / "missing.json");
        std::sort(files_.begin(), files_.end());
    }
    ~Playground() {
        std::error_code ignored;
        fs::current_path("/", ignored);
        fs::remove_all(folder_, ignored);
    }
    Playground(const Playground&) = delete;
    Playground& operator=(const Playground&) = delete;

    const fs::path& folder() const { return folder_; }
    const std::vector<fs::path>& files() const { return files_; }

private:
    fs::path folder_;
    std::vector<fs::path> files_;
};

// --- what it does

class Monkey {
public:
    Monkey(App& app, const Playground& playground, unsigned seed)
        : app_(app), playground_(playground), seed_(seed) {}

    // Does one thing that a user might do, with one or a few events. What it does depends on
    // `number` and on what is shown, not on what was done before.
    void act(int number) {
        std::seed_seq seed{seed_, static_cast<unsigned>(number)};
        random_.seed(seed);
        if (would_write_elsewhere()) return tap(GLFW_KEY_ESCAPE);
        const int kind = below(100);
        if (kind < 30)
            click(somewhere());
        else if (kind < 40)
            move(somewhere());
        else if (kind < 48)
            drag(somewhere(), somewhere());
        else if (kind < 54)
            wheel();
        else if (kind < 74)
            shortcut();
        else if (kind < 84)
            tap(any_key());
        else if (kind < 94)
            type();
        else if (kind < 97)
            resize();
        else if (kind < 98)
            drop();
        else
            stray();
    }

private:
    int below(int count) { return static_cast<int>(random_() % static_cast<unsigned>(count)); }
    template <class Range>
    const auto& one_of(const Range& range) {
        return range[below(static_cast<int>(std::size(range)))];
    }

    void push(InputEvent event) { app_.input.push(std::move(event)); }

    // Returns a point on a text, in a heatmap, or anywhere in the window or a little outside.
    Point somewhere() {
        const auto& drawn = app_.labels->drawn();
        const int kind = below(10);
        if (kind < 5 && !drawn.empty()) return within(one_of(drawn).rect);
        if (kind < 8 && !app_.ui.bench.figure.heatmaps.empty()) {
            Rect rect = one_of(app_.ui.bench.figure.heatmaps).rect;
            rect.x += app_.ui.bench.figure_at.x;
            rect.y += app_.ui.bench.figure_at.y;
            return within(rect);
        }
        return within({-5, -5, app_.gui.width + 10.0, app_.gui.height + 10.0});
    }
    Point within(const Rect& rect) {
        return {rect.x + rect.w * below(1000) / 1000, rect.y + rect.h * below(1000) / 1000};
    }

    int modifiers() {
        constexpr std::array all = {0, 0, 0, 0, GLFW_MOD_CONTROL, GLFW_MOD_SHIFT, GLFW_MOD_ALT};
        return one_of(all);
    }

    void move(Point at) { push({.kind = InputEvent::Kind::move, .at = at}); }
    void button(int code, bool down, int held) {
        push({.kind = InputEvent::Kind::button, .code = code, .down = down, .modifiers = held});
    }
    void click(Point at) {
        constexpr std::array buttons = {0, 0, 0, 0, 0, 1, 2};
        const int code = one_of(buttons), held = modifiers();
        move(at);
        for (int k = below(3) == 0 ? 2 : 1; k > 0; --k) {
            button(code, true, held);
            button(code, false, held);
        }
    }
    void drag(Point from, Point to) {
        const int code = below(4) == 0 ? 2 : 0, held = modifiers();
        move(from);
        button(code, true, held);
        for (int k = 1; k <= 3; ++k)
            move({from.x + (to.x - from.x) * k / 3, from.y + (to.y - from.y) * k / 3});
        button(code, false, held);
    }
    void wheel() {
        move(somewhere());
        push({.kind = InputEvent::Kind::wheel, .at = {0, static_cast<double>(below(7) - 3)}});
    }

    void tap(int key, int held = 0) {
        push({.kind = InputEvent::Kind::key, .code = key, .down = true, .modifiers = held});
        push({.kind = InputEvent::Kind::key, .code = key, .down = false, .modifiers = held});
    }
    void shortcut() {
        const Shortcut& known = one_of(shortcuts());
        if (known.typed.empty()) return tap(known.key, known.modifiers);
        push({.kind = InputEvent::Kind::text, .text = std::string(known.typed)});
    }
    int any_key() {
        constexpr std::array keys = {GLFW_KEY_ENTER, GLFW_KEY_TAB,   GLFW_KEY_BACKSPACE,
                                     GLFW_KEY_HOME,  GLFW_KEY_END,   GLFW_KEY_ESCAPE,
                                     GLFW_KEY_A,     GLFW_KEY_SLASH, GLFW_KEY_F5,
                                     GLFW_KEY_B,     GLFW_KEY_L,     GLFW_KEY_PERIOD};
        return one_of(keys);
    }
    void type() {
        static const std::array texts = {"a",    "1",    "-2.5", "nan",  "<pad>", "Straße",
                                         "你好", "🙂", "é",    "שלום", "नमस्ते",  "\"",
                                         " ",    "0.5",  "e9",   "\t",   "?",     "1 2 3"};
        push({.kind = InputEvent::Kind::text, .text = one_of(texts)});
    }
    void resize() {
        constexpr std::array sizes = {Point{640, 400}, Point{640, 400}, Point{320, 200},
                                      Point{639, 399}, Point{64, 48},   Point{800, 10},
                                      Point{800, 5},   Point{10, 600},  Point{1, 1}};
        push({.kind = InputEvent::Kind::resize, .at = one_of(sizes)});
    }
    void drop() {
        push({.kind = InputEvent::Kind::drop, .text = one_of(playground_.files()).string()});
    }
    void stray() {  // events without the second half that usually follows
        if (below(2) == 0) return push({.kind = InputEvent::Kind::leave});
        button(below(3), below(2) == 0, modifiers());
    }

    // True if the path that is being typed would leave the test folder; it is never entered.
    bool would_write_elsewhere() const {
        if (!app_.ui.overlays.find<PathLine>() || !app_.gui.editing) return false;
        const std::string& text = app_.gui.editing->field.text();
        return text.find("..") != std::string::npos ||
               (text.starts_with("/") && !text.starts_with(playground_.folder().string() + "/")) ||
               text.starts_with("~");
    }

    App& app_;
    const Playground& playground_;
    unsigned seed_;
    std::mt19937 random_;
};

// --- what must hold

void require(bool holds, const std::string& what) {
    if (!holds) throw std::runtime_error(what);
}

void check_list(const ImDrawList& list) {
    for (const ImDrawVert& vertex : list.VtxBuffer)
        require(std::isfinite(vertex.pos.x) && std::isfinite(vertex.pos.y),
                "a vertex is no number");
    for (const ImDrawCmd& command : list.CmdBuffer) {
        require(command.IdxOffset + command.ElemCount <= static_cast<unsigned>(list.IdxBuffer.Size),
                "a command reaches beyond its indices");
        for (unsigned k = 0; k < command.ElemCount; ++k)
            require(list.IdxBuffer[static_cast<int>(command.IdxOffset + k)] + command.VtxOffset <
                        static_cast<unsigned>(list.VtxBuffer.Size),
                    "an index reaches beyond its vertices");
    }
}

void check_draw_data() {
    const ImDrawData* data = ImGui::GetDrawData();
    require(data != nullptr && data->Valid, "there is no draw data");
    for (int k = 0; k < data->CmdListsCount; ++k) check_list(*data->CmdLists[k]);
}

void check_session(const Session& session) {
    check_scene(session.scene());
    require(!session.shown().variants.empty(), "nothing is shown");
}

// Checks that what is shown was computed from the scene: the weights of the first head, computed
// again, are the same.
void check_numbers(const Session& session) {
    const Result& shown = session.shown();
    const Shape shape = shape_of(shown.scene);
    if (shape.b * shape.h * shape.n_q * shape.n_k > 20'000) return;  // it would take long
    Progress progress;
    // The reference implementation differs from the kernels in the last bit.
    const bool plain = session.results().backends().chosen() == ComputeWith::plain;
    CpuBackend kernels(1);
    PlainBackend stages;
    Backend& backend = plain ? static_cast<Backend&>(stages) : kernels;
    const Result fresh = backend.compute(shown.scene, {}, nullptr, progress);
    for (std::size_t variant = 0; variant < fresh.variants.size(); ++variant) {
        const Stage& is = shown.variants[variant].stage(StageKind::weights);
        const Stage& should = fresh.variants[variant].stage(StageKind::weights);
        for (Index row = 0; is.exists() && row < is.rows(); ++row)
            for (Index j = 0; j < is.columns(); ++j) {
                const double x = is.at(0, 0, row, j), y = should.at(0, 0, row, j);
                require(
                    x == y || (std::isnan(x) && std::isnan(y)),
                    fmt::format("a weight of another scene: variant {}, row {}, key {}: {} for {}",
                                variant, row, j, x, y));
            }
    }
}

// Undoes and redoes everything, which must end in the same scene. Undoing everything a second time
// must give the first scene again.
void check_history(Session& session) {
    const auto rewind = [&] {
        int steps = 0;
        for (; session.document().undo_name(); ++steps) session.undo();
        return steps;
    };
    const std::string last = write_scene(session.scene());
    const int steps = rewind();
    const std::string first = write_scene(session.scene());
    for (int k = 0; k < steps; ++k) session.redo();
    require(write_scene(session.scene()) == last, "redoing all is not what was undone");
    require(rewind() == steps && write_scene(session.scene()) == first,
            "undoing all twice does not end in the same scene");
    for (int k = 0; k < steps; ++k) session.redo();
    session.update();
}

// Measures how long frames take, and notes the longest.
class Watch {
public:
    template <class Work>
    void time(int at, const Work& work) {
        const auto wall = std::chrono::steady_clock::now();
        const double core = seconds_of_core();
        work();
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - wall;
        over_ += took.count() > 1;
        if (seconds_of_core() - core < longest_) return;
        longest_ = seconds_of_core() - core;
        at_ = at;
    }
    std::string text() const {
        return fmt::format("longest frame {:.0f} ms, at event {}; {} over 1 s", 1000 * longest_,
                           at_, over_);
    }

private:
    // Returns the processor time of this thread, so that other load makes no difference.
    static double seconds_of_core() {
        timespec time{};
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
        return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
    }

    double longest_ = 0;
    int at_ = 0, over_ = 0;
};

// Returns the megabytes in use, without free memory that the allocator keeps, which varies.
double memory_in_use() {
    release_kept_blocks();
    const struct mallinfo2 all = mallinfo2();
    return static_cast<double>(all.uordblks + all.hblkhd) / (1 << 20);
}

// held: megabytes, after every `reopened_every` events. By the fifth, everything that is made once
// exists. The numbers depend on what is shown, so the least of the first third is compared with the
// least of the last third: both contain leaks, but the last more of them. The last must be less
// than 5% above the first. Sanitizers keep freed memory, so it is not compared.
std::string memory_text(std::vector<double> held) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    constexpr bool is_told = false;
#else
    constexpr bool is_told = true;
#endif
    held.erase(held.begin(), held.begin() + std::min<std::ptrdiff_t>(4, std::ssize(held)));
    const auto third = static_cast<std::ptrdiff_t>(held.size() / 3);
    if (!is_told || third < 4) return "";
    const double before = *std::min_element(held.begin(), held.begin() + third);
    const double after = *std::min_element(held.end() - third, held.end());
    const std::string text = fmt::format("; memory from {:.1f} MB to {:.1f} MB", before, after);
    require(after < 1.05 * before, fmt::format("it grew{}: {:.1f}", text, fmt::join(held, ", ")));
    return text;
}

// Every second result arrives late. Until then frames show the previous scene, which the user
// continues to edit.
class LateBackend : public CpuBackend {
public:
    Result compute_scene(const Scene& scene, const Request& request, const Result* before,
                         Progress& progress) override {
        if (++computed_ % 2 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(12));
        return CpuBackend::compute_scene(scene, request, before, progress);
    }

private:
    std::atomic<int> computed_ = 0;
};

struct Game {
    int events = 5000;
    unsigned seed = 1;
    std::string file = "lessons/additive-or-multiplicative.json";
    int width = 640, height = 400;
    std::vector<int> only = {};  // events; empty = all
};

std::string play(const Game& game, int& at) {
    const Playground playground;
    Session session(std::make_unique<LateBackend>());
    require(session.open(playground.folder() / game.file), "the file does not open");
    ui::Driver driver(session, game.width, game.height);
    Watch watch;
    std::vector<double> held;  // with the first file open, so that it can be compared
    App& app = driver.app();
    Monkey monkey(app, playground, game.seed);
    for (at = 0; at < game.events; ++at) {
        if (game.only.empty() || std::ranges::binary_search(game.only, at)) monkey.act(at);
        while (!app.input.empty()) {
            watch.time(at, [&] { frame(app, at % painted_every == 0); });
            check_draw_data();
        }
        session.wait();
        check_session(session);
        if (at % painted_every == 0) check_numbers(session);
        if (at % 1000 == 999) check_history(session);
        if (at % 1000 == 500) driver.lose_context();
        if (at % reopened_every == reopened_every - 1) {
            session.open(playground.folder() / game.file);
            driver.lose_context();  // also frees old labels: 4 MB for each page
            driver.settle();
            // A string keeps the capacity of the longest that was ever in it.
            driver.copied_png.clear(), driver.copied_svg.clear();
            for (std::string* copied : {&driver.clipboard, &driver.copied_png, &driver.copied_svg})
                copied->shrink_to_fit();
            held.push_back(memory_in_use());
        }
        app.ui.quit = false;
        require(glGetError() == GL_NO_ERROR, "an OpenGL error");
    }
    return watch.text() + memory_text(held);
}

// --- in a process of its own

// Returns the number of the event at which it failed; nullopt if it did not.
std::optional<int> failure_of(const Game& game, bool quiet) {
    void* const shared =
        mmap(nullptr, sizeof(int), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    require(shared != MAP_FAILED, "no memory to share");
    int& at = *static_cast<int*>(shared);
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child == 0) {
        if (quiet &&
            (!std::freopen("/dev/null", "w", stdout) || !std::freopen("/dev/null", "w", stderr)))
            _exit(2);
        try {
            const std::string watched = play(game, at);
            fmt::print("{} events, seed {}: every promise held; {}\n", game.events, game.seed,
                       watched);
        } catch (const std::exception& error) {
            fmt::print(stderr, "seed {}, event {}: {}\n", game.seed, at, error.what());
            std::exit(1);
        }
        std::exit(0);
    }
    int status = 0;
    require(child > 0 && waitpid(child, &status, 0) == child, "no process");
    const int failed_at = at;
    munmap(shared, sizeof(int));
    return status == 0 ? std::nullopt : std::optional(failed_at);
}

// Leaves out events, in smaller and smaller parts, as long as it fails without them.
std::vector<int> shrunk(Game game, int failed_at) {
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + std::chrono::minutes(10);
    game.events = failed_at + 1;
    std::vector<int> events = game.only;
    for (int k = 0; game.only.empty() && k <= failed_at; ++k) events.push_back(k);
    for (std::size_t part = std::max<std::size_t>(1, events.size() / 2);; part = (part + 1) / 2) {
        for (std::size_t first = 0; first < events.size() && Clock::now() < end;) {
            game.only = events;
            const auto begin = game.only.begin() + std::ptrdiff_t(first);
            game.only.erase(begin, begin + std::ptrdiff_t(std::min(part, events.size() - first)));
            if (!game.only.empty() && failure_of(game, true))
                events = game.only;
            else
                first += part;
        }
        if (part == 1 || Clock::now() >= end) return events;
    }
}

std::vector<int> numbers_in(const std::string& list) {
    std::vector<int> numbers;
    std::istringstream text(list);
    for (std::string number; std::getline(text, number, ',');) numbers.push_back(std::stoi(number));
    return numbers;
}

}  // namespace
}  // namespace maskscope

int main(int count, char** arguments) {
    maskscope::Game game;
    if (count > 1) game.events = std::atoi(arguments[1]);
    if (count > 2) game.seed = static_cast<unsigned>(std::atoi(arguments[2]));
    if (count > 3) game.file = arguments[3];
    if (count > 5) game.width = std::atoi(arguments[4]), game.height = std::atoi(arguments[5]);
    if (count > 6) game.only = maskscope::numbers_in(arguments[6]);
    const auto failed_at = maskscope::failure_of(game, false);
    if (!failed_at) return 0;
    if (*failed_at >= game.events) return 1;  // at the end, over all events
    fmt::print(stderr, "It takes fewer events …\n");
    const std::vector<int> events = maskscope::shrunk(game, *failed_at);
    fmt::print(stderr, "monkey {} {} {} {} {} {}\n", *failed_at + 1, game.seed, game.file,
               game.width, game.height, fmt::join(events, ","));
    return 1;
}
