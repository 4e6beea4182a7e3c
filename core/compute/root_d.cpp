#include "core/compute/root_d.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <new>
#include <thread>

#include "core/attention/scoring.h"
#include "core/attention/seeded.h"
#include "core/base/error.h"

namespace maskscope {

namespace {

constexpr Index rows = root_d_rows, keys = root_d_keys, most = root_d_most;

// --- the draw

// The number of rows scored together: the scores of each width are written in runs of 1 KiB.
constexpr Index rows_at_once = 16;

// The numbers of the rows that one thread works on.
struct Vectors {
    std::vector<double> q = std::vector<double>(rows_at_once * most);         // [.., most]
    std::vector<double> k = std::vector<double>(rows_at_once * keys * most);  // [.., keys, most]
};

// Computes scores of every width for rows from `first` on: running sums over the components, in
// order.
void score_rows(const Vectors& vectors, Index first, std::vector<double>& scores) {
    const auto& [q, k] = vectors;
    double sums[rows_at_once * keys] = {};
    for (Index d = 0; d < most; ++d) {
        double* const written = scores.data() + (d * rows + first) * keys;
        for (Index i = 0; i < rows_at_once; ++i) {
            const double query = q[i * most + d];
            for (Index j = 0; j < keys; ++j) {
                const Index key = i * keys + j;
                sums[key] += query * k[key * most + d];
                written[key] = sums[key];
            }
        }
    }
}

// Draws the rows of one thread: [first, end).
void draw_rows(RootDDraw& draw, Vectors& vectors, Index first, Index end, Progress& progress,
               std::atomic<Index>& drawn) {
    Stream of_queries(draw.seed, "root_d_q"), of_keys(draw.seed, "root_d_k");
    of_queries.skip_normals(static_cast<std::uint64_t>(first * most));
    of_keys.skip_normals(static_cast<std::uint64_t>(first * keys * most));
    for (Index i = first; i < end && !progress.cancel; i += rows_at_once) {
        of_queries.fill_normals(vectors.q);
        of_keys.fill_normals(vectors.k);
        score_rows(vectors, i, draw.scores);
        drawn += rows_at_once;
        progress.done = static_cast<double>(drawn) / static_cast<double>(rows);
    }
}

std::shared_ptr<const RootDDraw> draw_now(std::uint64_t seed, Progress& progress) {
    const auto draw = std::make_shared<RootDDraw>();
    draw->seed = seed;
    try {
        draw->scores.resize(static_cast<std::size_t>(most * rows * keys));
    } catch (const std::bad_alloc&) {
        throw WorkError("root d needs 64 MiB of memory, which is not available");
    }
    const Index threads = std::clamp<Index>(std::thread::hardware_concurrency(), 1, 16);
    const auto first_of = [&](Index thread) {
        return thread * (rows / rows_at_once) / threads * rows_at_once;
    };
    std::vector<Vectors> vectors(static_cast<std::size_t>(threads));
    std::atomic<Index> drawn = 0;
    const auto work = [&](Index thread) {
        draw_rows(*draw, vectors[thread], first_of(thread), first_of(thread + 1), progress, drawn);
    };
    {
        std::vector<std::jthread> others;
        for (Index thread = 1; thread < threads; ++thread) others.emplace_back(work, thread);
        work(0);
    }
    if (progress.cancel) throw Cancellation();
    return draw;
}

struct LastDraw {
    std::mutex mutex;
    std::shared_ptr<const RootDDraw> draw;
};

LastDraw& last_draw() {
    static LastDraw last;
    return last;
}

// --- statistics

// Returns the quartiles, each the mean of the two sorted numbers next to it; NaN if any number is
// NaN.
Spread spread_of(std::vector<double>& numbers) {
    if (std::ranges::any_of(numbers, [](double x) { return std::isnan(x); })) {
        return {not_a_number, not_a_number, not_a_number};
    }
    const auto quarter = static_cast<std::ptrdiff_t>(numbers.size() / 4);
    const auto begin = numbers.begin(), middle = begin + 2 * quarter;
    // Sorts the number at `at` to its place among those from `from` to `to`.
    const auto around = [](auto from, auto at, auto to) {
        std::nth_element(from, at, to);
        return (*std::max_element(from, at) + *at) / 2;
    };
    const double median = around(begin, middle, numbers.end());
    return {around(begin, begin + quarter, middle), median,
            around(middle, middle + quarter, numbers.end())};
}

struct RowOfRootD {
    double largest = 0, entropy = 0, sensitivity = 0;
};

// Computes the weights of one row and their statistics; the sensitivity is that of a softmax
// without a mask.
RowOfRootD figures_of_row(const double* scores, double scale) {
    double weights[keys];
    double highest = -infinity, sum = 0;
    for (Index j = 0; j < keys; ++j) {
        weights[j] = scores[j] * scale;
        highest = std::max(highest, weights[j]);
    }
    for (double& weight : weights) sum += weight = std::exp(weight - highest);
    double total = 0;
    for (double& weight : weights) total += weight /= sum;
    if (std::isnan(total)) return {total, total, total};
    RowOfRootD row;
    for (const double weight : weights) {
        row.largest = std::max(row.largest, weight);
        if (weight > 0) row.entropy -= weight * std::log(weight);
        row.sensitivity += weight * (1 - weight) + weight * (total - weight);
    }
    return row;
}

}  // namespace

std::shared_ptr<const RootDDraw> draw_root_d(std::uint64_t seed, Progress& progress) {
    static std::mutex one_at_a_time;  // so that a second caller finds the first one's draw
    const std::lock_guard drawing(one_at_a_time);
    if (auto draw = kept_root_d(seed)) return draw;
    auto draw = draw_now(seed, progress);
    const std::lock_guard lock(last_draw().mutex);
    last_draw().draw = draw;
    return draw;
}

std::shared_ptr<const RootDDraw> kept_root_d(std::uint64_t seed) {
    const std::lock_guard lock(last_draw().mutex);
    return last_draw().draw && last_draw().draw->seed == seed ? last_draw().draw : nullptr;
}

RootDFigures root_d_figures(const RootDDraw& draw, Index d, double scale) {
    const double* const scores = draw.scores.data() + (d - 1) * rows * keys;
    double sum = 0, squares = 0;
    for (Index k = 0; k < rows * keys; ++k) {
        const double scaled = scores[k] * scale;
        sum += scaled;
        squares += scaled * scaled;
    }
    constexpr double count = rows * keys;
    std::vector<double> largest(rows), entropy(rows), sensitivity(rows);
    for (Index i = 0; i < rows; ++i) {
        const RowOfRootD row = figures_of_row(scores + i * keys, scale);
        largest[i] = row.largest;
        entropy[i] = row.entropy;
        sensitivity[i] = row.sensitivity;
    }
    return {squares / count - sum / count * (sum / count), spread_of(largest), spread_of(entropy),
            spread_of(sensitivity)};
}

double root_d_scale(const Scale& scale, Index d) { return scale_factor(scale, d, keys); }

}  // namespace maskscope
