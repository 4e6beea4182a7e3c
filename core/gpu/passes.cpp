// The passes over a variant, in their order: mask, scores, softmax, output.

#include "core/gpu/passes.h"

#include <epoxy/gl.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>

#include "core/attention/mask.h"
#include "core/scene/mask_rules.h"

namespace maskscope::gpu {

namespace {

// The multiplications in one dispatch, which take about a tenth of a second.
constexpr double software_work = 1 << 26, gpu_work = 1e11;
constexpr Index rows_multiple = 128;  // the largest tile

}  // namespace

void for_rows(Run& run, const Slice& slice, double row_work,
              const std::function<void(const Rows&)>& dispatch) {
    const double most = run.device.software ? software_work : gpu_work;
    const double fitting = most / std::max(1.0, row_work * static_cast<double>(slice.heads));
    const Index at_once =
        fitting >= static_cast<double>(slice.rows)
            ? slice.rows
            : std::max<Index>(1, static_cast<Index>(fitting) / rows_multiple) * rows_multiple;
    for (Index start = slice.first_row; start < slice.end_row(); start += at_once) {
        if (run.progress.cancel) throw Cancellation{};
        const Rows rows{slice, start, std::min(start + at_once, slice.end_row())};
        dispatch(rows);
        run.work_done += row_work * static_cast<double>(slice.heads * rows.count());
        run.progress.done = std::min(1.0, run.work_done / run.work);
        if (at_once < slice.rows) glFinish();
    }
}

void set_rows(Program& program, const Task& task, const Rows& rows) {
    program.set("heads", task.shape.h);
    program.set("n_q", task.shape.n_q);
    program.set("n_k", task.shape.n_k);
    program.set("asked_row", task.asked.first_row);
    program.set("asked_rows", task.asked.rows);
    program.set("first_head", rows.slice.first_head);
    program.set("part_start", static_cast<std::uint32_t>(rows.slice.first_head * rows.slice.rows +
                                                         rows.slice.first_row));
    program.set("part_rows", rows.slice.rows);
    program.set("start_row", rows.start);
    program.set("end_row", rows.end);
}

void bind_mask(Run& run, Program& program, unsigned binding, const Task& task, const Slice& slice) {
    const Buffer& bits = task.mask->bits();
    std::size_t first = 0, end = bits.bytes();
    if (end > run.device.buffer_limit) {  // a slice then has one head
        const auto row = static_cast<std::size_t>(4 * task.mask->words());
        const GpuPlace place = task.mask->place(slice.first_head - task.asked.first_head,
                                                slice.first_row - task.asked.first_row);
        first = 4 * place.first;
        end = first + static_cast<std::size_t>(slice.rows) * row;
        first -= first % run.device.alignment;
    }
    program.set("bits_base", static_cast<std::uint32_t>(first / 4));
    bind(binding, bits, first, end - first);
}

void bind_numbers(unsigned binding, const std::shared_ptr<const GpuNumbers>& numbers,
                  const Slice& slice) {
    if (!numbers) return bind_name(binding, 0);
    bind_name(binding,
              numbers->buffer(slice_of(numbers->slices(), slice.first_head, slice.first_row)));
}

void bind_matrices(unsigned binding, const Matrices& matrices, const Slice& slice) {
    const auto head = 4 * static_cast<std::size_t>(matrices.stride);
    bind(binding, *matrices.buffer, head * static_cast<std::size_t>(slice.first_head),
         head * static_cast<std::size_t>(slice.heads));
}

unsigned groups(Index count, Index size) {
    return static_cast<unsigned>((count + size - 1) / size);
}

void dispatch(const Tile& tile, Index rows, Index columns, Index heads) {
    glDispatchCompute(groups(columns, tile.column_count()), groups(rows, tile.row_count()),
                      static_cast<unsigned>(heads));
}

bool is_wide(Index columns, Index more_columns) {
    return columns >= 32 && columns % 4 == 0 && more_columns % 4 == 0;
}

void add_if(bool holds, const char* name, Defines& defines) {
    if (holds) defines.emplace_back(name, 1);
}

void add_tile(const Tile& tile, Defines& defines) {
    if (tile.rows == 0) return;
    defines.insert(
        defines.end(),
        {{"ACROSS", tile.across}, {"DOWN", tile.down}, {"ROWS", tile.rows}, {"QUADS", tile.quads}});
}

// --- the mask, and scores -> scaled -> logits

namespace {

bool is_given(const Task& task) { return !task.query_keys || task.scores_known; }
bool is_careful(const Task& task) { return !is_given(task) && task.query_keys->careful; }

Index depth_of(const Task& task) { return is_given(task) ? 0 : task.query_keys->queries.columns; }

Tile tile_of(const Task& task) {
    const Index smaller = std::min(task.shape.n_q, task.shape.n_k);
    if (is_given(task) || is_careful(task) || smaller <= 16) return {};
    const bool additive = task.variant.score.kind == ScoreKind::additive;  // its terms take long
    return additive || smaller <= 64 ? Tile{16, 16, 4, 1} : Tile{16, 16, 8, 2};
}

// Returns the defines that depend on the scene: see scores.comp.
Defines defines_of(const Task& task) {
    const Variant& variant = task.variant;
    const auto& softcap = variant.softcap;
    const Apply apply = masks_logits(variant.mask.apply) ? variant.mask.apply : Apply::none;
    Defines defines = {{"DTYPE", static_cast<int>(variant.dtype)},
                       {"APPLY", static_cast<int>(apply)},
                       {"ORDER", static_cast<int>(variant.mask.order == Order::mask_then_scale
                                                      ? Order::mask_then_scale
                                                      : Order::scale_then_mask)},
                       {"TIMES", apply == Apply::additive ? variant.mask.times : 1},
                       {"CAP", softcap ? static_cast<int>(softcap->order) : -1}};
    // Bilinear scores are a dot product of q M and k.
    const ScoreKind kind = variant.score.kind;
    if (is_given(task))
        defines.emplace_back("GIVEN", 1);
    else
        defines.emplace_back("SCORE",
                             static_cast<int>(kind == ScoreKind::bilinear ? ScoreKind::dot : kind));
    add_if(is_careful(task), "CAREFUL", defines);
    add_if(variant.scale.kind == ScaleKind::formula, "ROW_SCALE", defines);
    add_if(opens_empty_rows(variant.mask.apply, variant.empty_rows), "OPENS_EMPTY", defines);
    add_if(task.tables.biased, "BIASED", defines);
    add_if(task.skip_blocked, "SKIP_BLOCKED", defines);
    add_if(is_wide(task.shape.n_k, depth_of(task)), "WIDE", defines);
    add_if(task.scores && !is_given(task), "KEEP_SCORES", defines);
    add_if(task.scaled && task.scaled != task.scores, "KEEP_SCALED", defines);
    add_if(task.logits && task.logits != task.scaled, "KEEP_LOGITS", defines);
    add_if(bool(task.slope), "KEEP_SLOPE", defines);
    add_tile(tile_of(task), defines);
    return defines;
}

void set_tables(Program& program, const Tables& tables) {
    program.set("slopes_start", tables.slopes_start);
    program.set("starts_start", tables.starts_start);
    program.set("groups_start", tables.groups_start);
    program.set("bias_rows_start", tables.bias_rows_start);
    program.set("bias_columns_start", tables.bias_columns_start);
    program.set("bias_values_start", tables.bias_values_start);
    program.set("factors_start", tables.factors_start);
    program.set("row_scales_start", tables.row_scales_start);
}

void set_variant(Program& program, const Task& task) {
    const auto value =
        static_cast<float>(blocked_value(task.variant.mask.value, task.variant.dtype));
    program.set("value_bits", std::bit_cast<std::uint32_t>(value));
    const double scale = task.parameters.scale;
    const auto high = static_cast<float>(scale);
    program.set("scale_high", high);
    program.set("scale_low", static_cast<float>(scale - static_cast<double>(high)));
    if (task.variant.softcap) program.set("cap", static_cast<float>(task.variant.softcap->cap));
}

void bind_query_keys(Program& program, const Task& task, const Slice& slice) {
    bind_matrices(0, task.query_keys->queries, slice);
    bind_matrices(1, task.query_keys->keys, slice);
    program.set("depth", depth_of(task));
    program.set("query_stride", task.query_keys->queries.stride);
    program.set("key_stride", task.query_keys->keys.stride);
}

void bind_scores(Run& run, Program& program, const Task& task, const Slice& slice) {
    if (!is_given(task)) bind_query_keys(program, task, slice);
    bind_numbers(2, task.scores, slice);
    bind_numbers(3, task.scaled, slice);
    bind_numbers(4, task.logits, slice);
    bind_mask(run, program, 5, task, slice);
    bind(6, task.tables_buffer);
    bind_numbers(7, task.slope, slice);
}

}  // namespace

void mask_pass(Run& run, Task& task) {
    const MaskData made = mask_data(run.scene, task.variant.mask.layers, task.asked);
    const Shape& shape = task.shape;
    const Slice& asked = task.asked;
    const Index words = (shape.n_k + 31) / 32;
    const Index sheet = asked.rows * words;
    const SharedBuffer bits =
        run.device.make_buffer(4 * static_cast<std::size_t>(made.sheets * sheet));
    const SharedBuffer data = run.device.upload(made.data);
    task.sheet_of_head = made.sheet_of_head;
    const auto first_sheet = made.sheet_of_head.begin() + asked.first_head;
    task.mask = std::make_shared<GpuMask>(
        asked.rows, shape.n_k, std::vector(first_sheet, first_sheet + asked.heads), bits);

    Program& program = run.device.programs.get("mask.comp", {});
    program.use();
    program.set("n_q", shape.n_q);
    program.set("n_k", shape.n_k);
    program.set("asked_row", asked.first_row);
    program.set("asked_rows", asked.rows);
    program.set("layers", made.layers);
    program.set("sheet_size", made.sheet_size);
    bind(1, data);
    // Make as many rows at a time as one binding holds, starting where a binding may begin.
    const Index rows = made.sheets * asked.rows, row_bytes = 4 * words;
    Index at_once = rows;
    if (static_cast<std::size_t>(rows * row_bytes) > run.device.buffer_limit)
        at_once = static_cast<Index>((run.device.buffer_limit - run.device.alignment) /
                                     static_cast<std::size_t>(row_bytes));
    for (Index first = 0; first < rows; first += at_once) {
        const Index count = std::min(at_once, rows - first);
        const auto start = static_cast<std::size_t>(first * row_bytes);
        const std::size_t aligned = start - start % run.device.alignment;
        bind(0, *bits, aligned, start + static_cast<std::size_t>(count * row_bytes) - aligned);
        program.set("bits_base", static_cast<std::uint32_t>(aligned / 4));
        program.set("first_row", first);
        program.set("rows", count);
        const unsigned needed = groups(count * words, 64);
        glDispatchCompute(std::min(needed, groups_across), groups(needed, groups_across), 1);
    }
    glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT | GL_BUFFER_UPDATE_BARRIER_BIT);
}

void scores_pass(Run& run, const Task& task) {
    const bool nothing = (!task.scaled || task.scaled == task.scores) &&
                         (!task.logits || task.logits == task.scaled);
    if (is_given(task) && nothing) return;
    Program& program = run.device.programs.get("scores.comp", defines_of(task));
    program.use();
    set_tables(program, task.tables);
    set_variant(program, task);
    const Tile tile = tile_of(task);
    const auto row_work = static_cast<double>(task.shape.n_k * std::max<Index>(depth_of(task), 1));
    for (const Slice& slice : task.slices) {
        bind_scores(run, program, task, slice);
        for_rows(run, slice, row_work, [&](const Rows& rows) {
            set_rows(program, task, rows);
            dispatch(tile, rows.count(), task.shape.n_k, slice.heads);
        });
    }
    glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT | GL_BUFFER_UPDATE_BARRIER_BIT);
}

// --- logits (or given weights) -> softmax -> weights, sensitivity and the statistics of the rows

namespace {

// The distribution of a row over threads.
struct RowShape {
    int columns, threads, quads;  // threads for a row, threads of a group, quads of a thread
};

RowShape row_shape(Index n_k) {
    const unsigned quads = groups(n_k, 4), halves = groups(n_k, 8);
    // Two quads for each thread are few enough for its registers; only the longest rows need more.
    const unsigned columns = std::clamp(std::bit_ceil(n_k <= 128 ? quads : halves), 8U, 512U);
    return {static_cast<int>(columns), static_cast<int>(std::max(columns, 64U)),
            static_cast<int>(groups(quads, columns))};
}

// Returns one Apply for all that need the same program.
Apply apply_of(Apply apply) {
    if (masks_weights(apply)) return apply;
    return cuts_gradient(apply) ? Apply::replace : Apply::additive;
}

// Returns the defines that depend on the scene: see softmax.comp.
Defines defines_of(const Run& run, const Task& task, const RowShape& shape, bool given) {
    const Variant& variant = task.variant;
    const bool sigmoid = weighs_cells_alone(variant);
    // Round up to a power of two, so that there are fewer programs.
    const auto most_quads = std::bit_ceil(static_cast<unsigned>(shape.quads));
    Defines defines = {{"COLUMNS", shape.columns},
                       {"THREADS", shape.threads},
                       {"QUADS", static_cast<int>(most_quads)},
                       {"DTYPE", static_cast<int>(variant.dtype)},
                       {"APPLY", static_cast<int>(apply_of(variant.mask.apply))}};
    add_if(run.device.subgroups == Subgroups::shuffles, "SHUFFLES", defines);
    add_if(run.device.subgroups == Subgroups::ballots, "BALLOTS", defines);
    add_if(is_wide(task.shape.n_k), "WIDE", defines);
    add_if(given, "GIVEN", defines);
    add_if(!given && sigmoid, "SIGMOID", defines);
    add_if(!given && sink_of(variant, 0).has_value(), "SINK", defines);
    add_if(bool(task.slope), "SLOPE", defines);
    add_if(task.skip_blocked, "SKIP_BLOCKED", defines);
    add_if(task.softmax && !given, "KEEP_SOFTMAX", defines);
    add_if(task.weights && task.weights != task.softmax, "KEEP_WEIGHTS", defines);
    add_if(bool(task.sensitivity), "KEEP_SENSITIVITY", defines);
    return defines;
}

void bind_slice(Run& run, Program& program, const Task& task, const Slice& slice, bool given) {
    bind_numbers(0, task.logits, slice);
    bind_numbers(1, given ? task.given->numbers : task.softmax, slice);
    bind_numbers(2, task.weights, slice);
    bind_numbers(3, task.sensitivity, slice);
    bind_mask(run, program, 4, task, slice);
    bind(5, task.tables_buffer);
    bind_numbers(6, task.slope, slice);
    bind_numbers(7, task.figures, slice);
    program.set("end_head", slice.end_head());
}

}  // namespace

void softmax_pass(Run& run, const Task& task) {
    const RowShape shape = row_shape(task.shape.n_k);
    const bool given = !task.takes_softmax;
    Program& program = run.device.programs.get("softmax.comp", defines_of(run, task, shape, given));
    program.use();
    const Variant& variant = task.variant;
    const bool acts = variant.mask.apply != Apply::none;
    program.set("empty_rows", static_cast<int>(acts ? variant.empty_rows : EmptyRows::nan));
    program.set("quads", shape.quads);
    program.set("sinks_start", task.tables.sinks_start);
    constexpr double work_of_cell = 32;  // a softmax costs about that many multiplications
    for (const Slice& slice : task.slices) {
        bind_slice(run, program, task, slice, given);
        for_rows(run, slice, work_of_cell * static_cast<double>(task.shape.n_k),
                 [&](const Rows& rows) {
                     set_rows(program, task, rows);
                     const unsigned all =
                         groups(slice.heads * rows.count(), shape.threads / shape.columns);
                     const unsigned across = std::min(all, groups_across);
                     glDispatchCompute(across, groups(all, across), 1);
                 });
    }
    glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT | GL_BUFFER_UPDATE_BARRIER_BIT);
}

// --- weights times values, and the outputs `projected` and `alternative` computed from that

namespace {

constexpr double far_from_overflow = 1e30;

double largest_of(const Matrix& matrix) {
    double largest = 0;
    for (const double x : matrix.reshaped())
        largest = std::isfinite(x) ? std::max(largest, std::abs(x)) : infinity;
    return largest;
}

// Estimates the largest magnitude of weights · V. Weights from a softmax sum to at most 1, and so
// do given rows that were divided by their sum.
double largest_mix(const Task& task) {
    const double sum =
        !task.takes_softmax ? static_cast<double>(task.shape.n_k) * task.given->largest : 0;
    return std::max(sum, 2.0) * task.values->largest;
}

// One product: a [n_q, depth] of each head times b.
struct Product {
    std::shared_ptr<const GpuNumbers> a, result;
    Index depth = 0, columns = 0;
    double factor = 1;
    bool careful = false, round = true;
};

Tile tile_of(const Task& task, const Product& product) {
    if (product.careful || std::min(task.shape.n_q, product.columns) <= 16) return {};
    // With few columns, each thread has fewer rows, so that there are enough work groups.
    return {16, 16, product.columns <= 64 ? 2 : 4, 1};
}

Program& use_program(Run& run, const Task& task, const Product& product, bool adds) {
    Defines defines = {{"DTYPE", static_cast<int>(task.variant.dtype)}};
    add_if(product.careful, "CAREFUL", defines);
    add_if(adds, "ADD_TO", defines);
    add_if(is_wide(product.depth, product.columns), "WIDE", defines);
    add_tile(tile_of(task, product), defines);
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
void multiply(Run& run, const Task& task, const Product& product, const Matrices& b) {
    Program& program = use_program(run, task, product, false);
    program.set("b_start", 0);
    program.set("b_stride", b.stride);
    for (const Slice& slice : task.slices) {
        bind_numbers(0, product.a, slice);
        if (b.stride > 0)
            bind_matrices(1, b, slice);
        else
            bind(1, b.buffer);
        bind_numbers(2, product.result, slice);
        bind_numbers(3, task.figures, slice);
        program.set("a_start", row_zero(slice, 0));
        program.set("result_start", row_zero(slice, 0));
        for_rows(run, slice, row_work(product), [&](const Rows& rows) {
            set_rows(program, task, rows);
            dispatch(tile_of(task, product), rows.count(), product.columns, slice.heads);
        });
    }
    glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT | GL_BUFFER_UPDATE_BARRIER_BIT);
}

// Multiplies the heads, joined side by side, by W: a sum over the heads, in order.
void project(Run& run, const Task& task, const Product& product, const SharedBuffer& w) {
    bind(1, w);
    for (const Slice& slice : task.slices)
        for (Index head = slice.first_head; head < slice.end_head(); ++head) {
            const Index b = head / task.shape.h, h = head % task.shape.h;
            const Slice one{b, 1, slice.first_row, slice.rows};
            const Slice& to =
                product.result->slices()[slice_of(product.result->slices(), b, slice.first_row)];
            bind_numbers(0, product.a, slice);
            bind_numbers(2, product.result, one);
            bind_numbers(3, task.figures, slice);
            Program& program = use_program(run, task, product, h > 0);
            program.set("a_start", row_zero(slice, head - slice.first_head));
            program.set("result_start", row_zero(slice, b - to.first_head));
            program.set("b_start", h * product.depth * product.columns);
            program.set("b_stride", 0);
            program.set("round_result", h + 1 == task.shape.h);
            set_rows(program, task, {slice, slice.first_row, slice.end_row()});
            if (run.progress.cancel) throw Cancellation{};
            dispatch(tile_of(task, product), slice.rows, product.columns, 1);
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

std::vector<Slice> projected_slices(const Task& task) {
    std::vector<Slice> slices;
    const Slice& first = task.slices.front();
    for (Index b = 0; b < task.shape.b; ++b)
        for (const Slice& slice : task.slices)
            if (slice.first_head == 0 && (slice.rows < task.asked.rows || slice == first))
                slices.push_back({b, 1, slice.first_row, slice.rows});
    return slices;
}

bool output_may_overflow(const Task& task) {
    const Matrix& w = task.parameters.w;
    return task.values && w.size() > 0 &&
           !(largest_mix(task) * largest_of(w) * static_cast<double>(w.size()) < far_from_overflow);
}

void output_pass(Run& run, Task& task) {
    const OutputKind kind = task.variant.output.kind;
    const double mixed = largest_mix(task);
    const Matrix& w = task.parameters.w;
    Product mix{task.weights, make_numbers(run, task, task.values->columns), task.shape.n_k,
                task.values->columns};
    mix.careful = !(mixed < far_from_overflow);
    mix.round = kind == OutputKind::values;
    multiply(run, task, mix, *task.values);
    if (kind == OutputKind::values) {
        task.output = mix.result;
        return;
    }
    Product last{mix.result, nullptr, task.values->columns, 0};
    if (kind == OutputKind::projected) {
        last.columns = w.cols();
        const auto slices = projected_slices(task);
        last.result = std::make_shared<GpuNumbers>(slices, task.asked.rows, w.cols(),
                                                   run.device.make_buffers(slices, w.cols()));
        project(run, task, last, upload(run, w));
    } else {
        last.columns = w.rows();
        last.factor = task.parameters.root;
        last.result = make_numbers(run, task, w.rows());
        multiply(run, task, last, Matrices{upload(run, w.transpose()), w.cols(), w.rows()});
    }
    task.output = last.result;
}

}  // namespace maskscope::gpu
