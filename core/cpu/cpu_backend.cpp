#include "core/cpu/cpu_backend.h"

#include <chrono>
#include <mutex>
#include <new>

#include "core/base/error.h"
#include "core/compute/memory.h"
#include "core/cpu/block.h"
#include "core/cpu/plan.h"
#include "core/threads/idle.h"
#include "core/threads/turns.h"

namespace maskscope {
namespace {

// The fewest multiplications for which threads are woken: fewer take less time than it takes to
// wake a thread.
constexpr std::size_t small_work = 2'000'000;
// The bytes below which a result stays in the caches of the threads that computed it.
constexpr std::size_t small_result = std::size_t(4) << 20;

int threads_of(int threads) {
    constexpr int most = 256;
    return threads > 0 ? std::min(threads, most) : machine_threads(most);
}

// A piece of work: `count` rows of one head for one group, from index `first` in the variants' list
// of rows.
struct Part {
    const Group* group;
    std::size_t first, count;
};

std::vector<Part> parts_of(const Plan& plan, int threads) {
    std::vector<Part> parts;
    for (const Group& group : plan.groups) {
        const CpuTask& task = *group.front();
        const auto n_q = static_cast<std::size_t>(task.shape.n_q);
        // Each thread gets several parts, because they do not take equally long.
        const std::size_t blocks = task.rows.size() / rows_in_block / std::size_t(4 * threads);
        const std::size_t most =
            std::clamp<std::size_t>(std::min(65536 / task.n_k(), blocks), 1, 32) * rows_in_block;
        for (std::size_t first = 0; first < task.rows.size();) {
            const std::size_t next_head = (task.rows[first] / n_q + 1) * n_q;
            std::size_t end = first + 1;
            while (end < task.rows.size() && end - first < most && task.rows[end] < next_head)
                ++end;
            parts.push_back({&group, first, end - first});
            first = end;
        }
    }
    return parts;
}

}  // namespace

struct CpuBackend::State {
    explicit State(int threads)
        : pool(threads_of(threads)), scratch(static_cast<std::size_t>(pool.threads())) {}
    Turns turns;  // lets a read of the cell under the mouse run between two blocks of a long pass
    Pool pool;
    InputCache known;
    std::vector<Scratch> scratch;  // one per thread

    // Refuses a scene that does not fit in memory. Asking the system takes longer than computing a
    // small scene, so for scenes that need little memory, the last answer is used for a second.
    void refuse_too_large(const Scene& scene, const Request& request) {
        using std::chrono::steady_clock;
        const double needed = bytes_needed(scene, request);
        const auto now = steady_clock::now();
        if (now - asked_at < std::chrono::seconds(1) && needed < available / 8) return;
        const auto answer = available_bytes();
        if (!answer) return;
        available = *answer + static_cast<double>(kept_bytes());
        asked_at = now;
        maskscope::refuse_too_large(scene, request, available);
    }
    double available = 0;
    std::chrono::steady_clock::time_point asked_at;
};

namespace {

// Keeps only mask, padding and statistics of one head; the stages hold only that head anyway.
void keep_head(VariantResult& result, Index head) {
    const Shape all = result.shape;
    const Index b = head / all.h, n_q = all.n_q;
    result.pads = {result.pads.begin() + b * all.n_k, result.pads.begin() + (b + 1) * all.n_k};
    result.allowed = MaskCells(std::vector{result.allowed.sheets().front()});
    result.rows = {result.rows.begin() + head * n_q, result.rows.begin() + (head + 1) * n_q};
    result.shape = {1, 1, n_q, all.n_k};
}

class Computation {
public:
    using State = CpuBackend::State;
    Computation(const Scene& scene, const Request& request, State& state, Progress& progress)
        : request_(request), state_(state), progress_(progress) {
        result_.scene = scene;
        result_.backend = "cpu";
        result_.variants.resize(scene.variants.size());
    }

    Result compute(const Result* before) {
        pass("inputs", [&] {
            plan_ = make_plan(result_, request_, before, state_.known, state_.pool, progress_);
        });
        for (const CpuTask& task : plan_.tasks) all_rows_ += task.rows.size();
        all_rows_ += plan_.plain.size() * row_count();
        if (!plan_.groups.empty()) make_tasks();
        if (!plan_.plain.empty())
            pass("reference implementation", [&] {
                for (const PlainTask& task : plan_.plain)
                    compute_plain(result_.scene, request_, *result_.inputs, task, state_.pool,
                                  [&](Index rows) { count(static_cast<std::size_t>(rows)); });
            });
        if (request_.head) {
            for (const int index : variants_of(request_, result_.scene))
                keep_head(result_.variants[index], *request_.head);
            state_.known.forget_other_inputs(result_.inputs);
        } else {
            state_.known.forget_unused();
        }
        progress_.done = 1;
        result_.milliseconds = milliseconds(start_, last_);
        return std::move(result_);
    }

private:
    using Clock = std::chrono::steady_clock;
    static double milliseconds(Clock::time_point from, Clock::time_point to) {
        return std::chrono::duration<double, std::milli>(to - from).count();
    }
    // Runs a pass, and measures it from the end of the pass before it. The clock is thus read only
    // once for each pass: for a small scene, reading it takes noticeable time.
    template <class Work>
    void pass(const char* what, const Work& work) {
        work();
        const auto before = std::exchange(last_, Clock::now());
        result_.times.push_back({what, milliseconds(before, last_)});
    }

    std::size_t row_count() const {
        const Shape shape = shape_of(result_.scene);
        const Index heads = request_.head ? 1 : shape.b * shape.h;
        return static_cast<std::size_t>(heads * rows_of(request_, shape).count);
    }

    // Adds to the number of finished rows. May be called from any thread.
    void count(std::size_t rows) {
        if (progress_.cancel) throw Cancellation{};
        const std::size_t done = rows_done_ += rows;
        progress_.done = static_cast<double>(done) / static_cast<double>(all_rows_);
    }

    void make_tasks() {
        for (Scratch& scratch : state_.scratch) scratch.make_room(plan_.tasks);
        pass("weights", [&] {
            copy_rows();
            make_parts(parts_of(plan_, state_.pool.threads()));
        });
        bool projects = false;
        for (const CpuTask& task : plan_.tasks)
            projects |= task.mixing.wanted && task.mixing.kind == OutputKind::projected;
        if (projects) pass("output", [&] { project(); });
        for (const Plan::Change& change : plan_.changes)
            for (const StageKind kind : change.kinds)
                change.result->stage(kind) =
                    kind == change.kinds.front()
                        ? change.before.with_rows(change.rows, change.numbers)
                        : change.result->stage(change.kinds.front());
    }

    void make_part(const Part& part, int thread) {
        if (progress_.cancel) throw Cancellation{};
        Scratch& scratch = state_.scratch[thread];
        for (std::size_t done = 0; done < part.count; done += rows_in_block)
            make_rows(*part.group, part.first + done, std::min(rows_in_block, part.count - done),
                      scratch);
        kernels().fence();
        count(part.count * part.group->size());
    }

    void make_parts(const std::vector<Part>& parts) {
        std::size_t work = 0, bytes = 0;
        for (const CpuTask& task : plan_.tasks) {
            work += task.rows.size() * task.n_k() *
                    (task.prepared->d + task.prepared->value_columns + 16);
            for (const Target& target : task.targets)
                bytes += target ? task.rows.size() * target.columns * sizeof(float) : 0;
        }
        if (work < small_work || state_.pool.threads() == 1) {
            for (const Part& part : parts) make_part(part, 0);
            return;
        }
        state_.pool.run(parts.size(),
                        bytes < small_result ? Pool::Shares::fixed : Pool::Shares::next,
                        [&](std::size_t part, int thread) { make_part(parts[part], thread); });
    }

    // Copies stages in which an edit changes many rows, before these rows are computed.
    void copy_rows() {
        for (const Plan::Copy& copy : plan_.copies) {
            const Stage& from = copy.from;
            const auto heads = static_cast<std::size_t>(from.b() * from.h());
            state_.pool.run(heads, Pool::Shares::next, [&](std::size_t head, int) {
                const auto h = static_cast<std::size_t>(from.h());
                for (Index i = 0; i < from.rows(); ++i) {
                    const auto row = from.float32_row(static_cast<Index>(head / h),
                                                      static_cast<Index>(head % h), i);
                    const auto at =
                        head * static_cast<std::size_t>(from.rows()) + static_cast<std::size_t>(i);
                    std::ranges::copy(row, copy.target.row(at));
                }
            });
        }
    }

    void project() {
        for (const CpuTask& task : plan_.tasks) {
            if (!task.mixing.wanted || task.mixing.kind != OutputKind::projected) continue;
            const std::vector<std::size_t> rows = task.projected_rows();
            state_.pool.run((rows.size() + 63) / 64, Pool::Shares::next,
                            [&](std::size_t part, int thread) {
                                if (progress_.cancel) throw Cancellation{};
                                const std::size_t end = std::min(rows.size(), part * 64 + 64);
                                for (std::size_t k = part * 64; k < end; ++k)
                                    project_row(task, rows[k], task.compact ? k : rows[k],
                                                state_.scratch[thread]);
                            });
        }
    }

    const Request& request_;
    State& state_;
    Progress& progress_;
    Result result_;
    Plan plan_;
    const Clock::time_point start_ = Clock::now();
    Clock::time_point last_ = start_;  // when the last pass ended
    std::size_t all_rows_ = 0;
    std::atomic<std::size_t> rows_done_ = 0;
};

}  // namespace

CpuBackend::CpuBackend(int threads) : state_(std::make_unique<State>(threads)) {}
CpuBackend::~CpuBackend() = default;

Result CpuBackend::compute_scene(const Scene& scene, const Request& request, const Result* before,
                                 Progress& progress) {
    const std::lock_guard turn(state_->turns);
    state_->refuse_too_large(scene, request);
    progress.done = 0;
    // Memory of freed results is kept for the next result of a drag, but for at most a second. All
    // backends share it.
    static Idle idle(std::chrono::seconds(1), release_kept_blocks);
    const Idle::Busy busy(idle);
    try {
        return Computation(scene, request, *state_, progress).compute(before);
    } catch (const std::bad_alloc&) {
        throw WorkError("too large for the memory of this machine");
    }
}

}  // namespace maskscope
