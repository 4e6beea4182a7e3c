// Multiplies weights by values, and computes the outputs `projected` and `alternative` from that.

#include <epoxy/gl.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "core/gpu/passes.h"

namespace maskscope::gpu {
namespace {

constexpr double far_from_overflow = 1e30;

double largest_of(const Matrix& matrix) {
    double largest = 0;
    for (const double x : matrix.reshaped())
        largest = std::isfinite(x) ? std::max(largest, std::abs(x)) : infinity;
    return largest;
}

// Returns the largest magnitude of weights · V. Weights from a softmax sum to 1 at most, and so do
// given rows that were divided by their sum.
double largest_mix(const Lane& lane) {
    const double sum =
        !lane.takes_softmax ? static_cast<double>(lane.shape.n_k) * lane.given->largest : 0;
    return std::max(sum, 2.0) * lane.values->largest;
}

// One product: a [n_q, depth] of each head times b.
struct Product {
    std::shared_ptr<const GpuNumbers> a, result;
    Index depth = 0, columns = 0;
    double factor = 1;
    bool careful = false, round = true;
};

Tile tile_of(const Lane& lane, const Product& product) {
    if (product.careful || std::min(lane.shape.n_q, product.columns) <= 16) return {};
    // With few columns, each thread has fewer rows, so that there are enough work groups.
    return {16, 16, product.columns <= 64 ? 2 : 4, 1};
}

Program& use_program(Run& run, const Lane& lane, const Product& product, bool adds) {
    Defines defines = {{"DTYPE", static_cast<int>(lane.variant.dtype)}};
    add_if(product.careful, "CAREFUL", defines);
    add_if(adds, "ADD_TO", defines);
    add_if(is_wide(product.depth, product.columns), "WIDE", defines);
    add_tile(tile_of(lane, product), defines);
    Program& program = run.device.programs.get("product.comp", defines);
    program.use();
    program.set("depth", product.depth);
    program.set("columns", product.columns);
    program.set("factor", static_cast<float>(product.factor));
    program.set("round_result", product.round);
    return program;
}

double row_work(const Product& product) {
    return static_cast<double>(product.depth * product.columns);
}

// Returns where row 0 of this head would be in the buffers of a slice, counted in rows; below 0 it
// wraps.
std::uint32_t row_zero(const Slice& slice, Index head) {
    return static_cast<std::uint32_t>(head * slice.rows - slice.first_row);
}

// Multiplies all heads of a slice at once; b has a matrix for each head, or (stride 0) one for all.
void multiply(Run& run, const Lane& lane, const Product& product, const Matrices& b) {
    Program& program = use_program(run, lane, product, false);
    program.set("b_start", 0);
    program.set("b_stride", b.stride);
    for (const Slice& slice : lane.slices) {
        bind_numbers(0, product.a, slice);
        if (b.stride > 0)
            bind_matrices(1, b, slice);
        else
            bind(1, b.buffer);
        bind_numbers(2, product.result, slice);
        bind_numbers(3, lane.figures, slice);
        program.set("a_start", row_zero(slice, 0));
        program.set("result_start", row_zero(slice, 0));
        for_rows(run, slice, row_work(product), [&](const Rows& rows) {
            set_rows(program, lane, rows);
            dispatch(tile_of(lane, product), rows.count(), product.columns, slice.heads);
        });
    }
    glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT | GL_BUFFER_UPDATE_BARRIER_BIT);
}

// Multiplies the heads side by side by W: a sum over the heads, in order.
void project(Run& run, const Lane& lane, const Product& product, const SharedBuffer& w) {
    bind(1, w);
    for (const Slice& slice : lane.slices)
        for (Index head = slice.first_head; head < slice.end_head(); ++head) {
            const Index b = head / lane.shape.h, h = head % lane.shape.h;
            const Slice one{b, 1, slice.first_row, slice.rows};
            const Slice& to =
                product.result->slices()[slice_of(product.result->slices(), b, slice.first_row)];
            bind_numbers(0, product.a, slice);
            bind_numbers(2, product.result, one);
            bind_numbers(3, lane.figures, slice);
            Program& program = use_program(run, lane, product, h > 0);
            program.set("a_start", row_zero(slice, head - slice.first_head));
            program.set("result_start", row_zero(slice, b - to.first_head));
            program.set("b_start", h * product.depth * product.columns);
            program.set("b_stride", 0);
            program.set("round_result", h + 1 == lane.shape.h);
            set_rows(program, lane, {slice, slice.first_row, slice.end_row()});
            if (run.progress.cancel) throw Cancelled{};
            dispatch(tile_of(lane, product), slice.rows, product.columns, 1);
            glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT);
        }
    glMemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
}

void append(std::vector<float>& numbers, const Matrix& more) {
    std::transform(more.data(), more.data() + more.size(), std::back_inserter(numbers),
                   [](double x) { return static_cast<float>(x); });
}

SharedBuffer upload(Run& run, const Matrix& matrix) {
    std::vector<float> numbers;
    append(numbers, matrix);
    return run.device.upload(numbers);
}

}  // namespace

std::vector<Slice> projected_slices(const Lane& lane) {
    std::vector<Slice> slices;
    const Slice& first = lane.slices.front();
    for (Index b = 0; b < lane.shape.b; ++b)
        for (const Slice& slice : lane.slices)
            if (slice.first_head == 0 && (slice.rows < lane.asked.rows || slice == first))
                slices.push_back({b, 1, slice.first_row, slice.rows});
    return slices;
}

bool output_may_overflow(const Lane& lane) {
    const Matrix& w = lane.parameters.w;
    return lane.values && w.size() > 0 &&
           !(largest_mix(lane) * largest_of(w) * static_cast<double>(w.size()) < far_from_overflow);
}

void output_pass(Run& run, Lane& lane) {
    const OutputKind kind = lane.variant.output.kind;
    const double mixed = largest_mix(lane);
    const Matrix& w = lane.parameters.w;
    Product mix{lane.weights, make_numbers(run, lane, lane.values->columns), lane.shape.n_k,
                lane.values->columns};
    mix.careful = !(mixed < far_from_overflow);
    mix.round = kind == OutputKind::values;
    multiply(run, lane, mix, *lane.values);
    if (kind == OutputKind::values) {
        lane.output = mix.result;
        return;
    }
    Product last{mix.result, nullptr, lane.values->columns, 0};
    if (kind == OutputKind::projected) {
        last.columns = w.cols();
        const auto slices = projected_slices(lane);
        last.result = std::make_shared<GpuNumbers>(slices, lane.asked.rows, w.cols(),
                                                   run.device.make_buffers(slices, w.cols()));
        project(run, lane, last, upload(run, w));
    } else {
        last.columns = w.rows();
        last.factor = lane.parameters.root;
        last.result = make_numbers(run, lane, w.rows());
        multiply(run, lane, last, Matrices{upload(run, w.transpose()), w.cols(), w.rows()});
    }
    lane.output = last.result;
}

}  // namespace maskscope::gpu
