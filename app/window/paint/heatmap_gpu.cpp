#include "app/window/paint/heatmap_gpu.h"

#include <epoxy/gl.h>

#include <algorithm>
#include <bit>

#include "app/show/cells/cell_rows.h"
#include "core/base/error.h"
#include "core/gpu/data/numbers.h"

namespace maskscope {
namespace {

enum GpuShader { texels = 1, looks = 2, same_bits = 3 };
constexpr Index most_groups = 65535;  // work groups on an axis, which every OpenGL 4.3 allows

enum Binding { numbers = 0, mask, pads, row_spans, column_spans, made, others };

void bind(Binding binding, unsigned buffer) {
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, static_cast<GLuint>(binding), buffer);
}

gl::Buffer buffer_of(const std::vector<CellSpan>& spans) {
    std::vector<std::int32_t> ends;
    for (const CellSpan& span : spans) {
        ends.push_back(static_cast<std::int32_t>(span.begin));
        ends.push_back(static_cast<std::int32_t>(span.end));
    }
    return gl::make_buffer(ends.size() * sizeof ends[0], ends.data());
}

std::vector<std::uint32_t> read(const gl::Buffer& buffer, std::size_t count) {
    std::vector<std::uint32_t> words(count);
    glMemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
    glBindBuffer(GL_SHADER_STORAGE_BUFFER, buffer.name());
    glGetBufferSubData(GL_SHADER_STORAGE_BUFFER, 0,
                       static_cast<GLsizeiptr>(count * sizeof words[0]), words.data());
    return words;
}

// A source whose data is on the GPU: its numbers, and its mask if it has one.
struct OnGpu {
    const GpuNumbers* numbers = nullptr;
    const GpuMask* mask = nullptr;
};

std::optional<OnGpu> on_gpu(const CellSource& source) {
    OnGpu found{dynamic_cast<const GpuNumbers*>(source.numbers.remote().get()),
                dynamic_cast<const GpuMask*>(source.allowed.remote().get())};
    const bool has_numbers = found.numbers || source.stage == StageKind::allowed;
    const bool has_mask = found.mask || source.allowed.empty();
    if (!has_numbers || !has_mask || !(found.numbers || found.mask)) return std::nullopt;
    return found;
}

// Returns a buffer with a word for each key of a sequence that says whether the key is padding;
// with a single word if the scene has no padding.
gl::Buffer buffer_of_pads(const CellSource& source, Index b) {
    std::vector<std::uint32_t> words(1);
    if (!source.pads.empty()) {
        const auto first = source.pads.begin() + b * source.columns;
        words.assign(first, first + source.columns);
    }
    return gl::make_buffer(words.size() * sizeof words[0], words.data());
}

// Calls dispatch(begin, end) for rows of a head, as many at a time as a buffer holds.
template <class Dispatch>
void each_part(gpu::Program& program, const CellSource& source, const OnGpu& from, Index head,
               const Dispatch& dispatch) {
    program.set("columns", static_cast<int>(source.columns));
    program.set("is_mask", source.stage == StageKind::allowed);
    program.set("has_pads", !source.pads.empty());
    program.set("shows_blocked", shows_blocked(source.stage));
    program.set("shows_leaks", source.stage == StageKind::weights);
    program.set("mask_words", from.mask ? static_cast<int>(from.mask->words()) : 0);
    for (Index row = 0; row < source.rows;) {
        Index end = source.rows;
        if (from.numbers) {
            const GpuPlace place = from.numbers->place(head, row);
            bind(numbers, place.buffer);
            program.set("first_number", static_cast<std::uint32_t>(place.first));
            end = std::min(end, row + place.rows);
        }
        if (from.mask) {
            const GpuPlace place = from.mask->place(head, row);
            bind(mask, place.buffer);
            program.set("first_word", static_cast<std::uint32_t>(place.first));
            end = std::min(end, row + place.rows);
        }
        program.set("rows_begin", static_cast<int>(row));
        program.set("rows_end", static_cast<int>(end));
        dispatch(row, end);
        glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT);
        row = end;
    }
}

// Starts a work group for each row from begin to end − 1.
void dispatch_rows(gpu::Program& program, Index begin, Index end) {
    for (Index first = begin; first < end; first += most_groups) {
        program.set("first_row", static_cast<int>(first));
        glDispatchCompute(static_cast<GLuint>(std::min(end - first, most_groups)), 1, 1);
    }
}

RowSummary look_of(const std::uint32_t* row) {
    const auto number = [](std::uint32_t bits) {
        return static_cast<double>(std::bit_cast<float>(bits));
    };
    RowSummary look;
    look.signs = static_cast<std::uint8_t>(row[0]);
    look.magnitude = number(row[1]);
    look.largest = number(row[2]);
    look.smallest = number(row[3]);
    return look;
}

}  // namespace

gpu::Program* GpuCells::program(int what) {
    if (refused_.contains(what)) return nullptr;
    gpu::Defines defines = cell_defines();
    defines.insert(defines.end(),
                   {{"TEXELS", texels}, {"LOOKS", looks}, {"SAME", same_bits}, {"WHAT", what}});
    try {
        gpu::Program& made = programs_.get("cells.comp", defines);
        made.use();
        return &made;
    } catch (const WorkError&) {
        refused_.insert(what);
        return nullptr;
    }
}

void GpuCells::compile() {
    for (const int what : {texels, looks, same_bits}) program(what);
}

std::optional<std::vector<RowSummary>> GpuCells::rows(const CellSource& source, Index b, Index h) {
    const auto from = on_gpu(source);
    gpu::Program* const looking = from ? program(looks) : nullptr;
    if (!looking) return std::nullopt;
    const auto count = 4 * static_cast<std::size_t>(source.rows);
    const gl::Buffer found = gl::make_buffer(count * sizeof(std::uint32_t));
    const gl::Buffer pad_words = buffer_of_pads(source, b);
    bind(made, found.name());
    bind(pads, pad_words.name());
    each_part(*looking, source, *from, b * source.h + h,
              [&](Index begin, Index end) { dispatch_rows(*looking, begin, end); });
    const std::vector<std::uint32_t> words = read(found, count);
    std::vector<RowSummary> rows;
    for (std::size_t at = 0; at < count; at += 4) rows.push_back(look_of(&words[at]));
    return rows;
}

std::optional<bool> GpuCells::same(const Stage& x, const Stage& y) {
    const auto* p = dynamic_cast<const GpuNumbers*>(x.remote().get());
    const auto* q = dynamic_cast<const GpuNumbers*>(y.remote().get());
    gpu::Program* const comparing = p && q ? program(same_bits) : nullptr;
    if (!comparing) return std::nullopt;
    const gl::Buffer differs = gl::make_buffer(sizeof(std::uint32_t));
    bind(made, differs.name());
    comparing->set("columns", static_cast<int>(x.columns()));
    for (Index head = 0; head < x.b() * x.h(); ++head)
        for (Index row = 0; row < x.rows();) {
            const GpuPlace one = p->place(head, row), other = q->place(head, row);
            bind(numbers, one.buffer);
            bind(others, other.buffer);
            comparing->set("first_number", static_cast<std::uint32_t>(one.first));
            comparing->set("first_other", static_cast<std::uint32_t>(other.first));
            comparing->set("rows_begin", static_cast<int>(row));
            const Index end = std::min({x.rows(), row + one.rows, row + other.rows});
            dispatch_rows(*comparing, row, end);
            row = end;
        }
    return read(differs, 1)[0] == 0;
}

bool GpuCells::upload_texels(const Cells& cells, const CellPlaces& places) {
    const auto from = cells.source ? on_gpu(*cells.source) : std::nullopt;
    gpu::Program* const drawing = from ? program(texels) : nullptr;
    if (!drawing) return false;
    const auto across = places.columns.size(), down = places.rows.size();
    const gl::Buffer words = gl::make_buffer(across * down * sizeof(std::uint32_t));
    const gl::Buffer pad_words = buffer_of_pads(*cells.source, cells.b);
    const gl::Buffer rows = buffer_of(places.rows), columns = buffer_of(places.columns);
    bind(made, words.name());
    bind(pads, pad_words.name());
    bind(row_spans, rows.name());
    bind(column_spans, columns.name());
    drawing->set("places_across", static_cast<int>(across));
    drawing->set("places_down", static_cast<int>(down));
    each_part(*drawing, *cells.source, *from, cells.b * cells.source->h + cells.h,
              [&](Index, Index) {
                  glDispatchCompute(static_cast<GLuint>((across + 63) / 64),
                                    static_cast<GLuint>(down), 1);
              });
    glMemoryBarrier(GL_PIXEL_BUFFER_BARRIER_BIT);
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, words.name());
    glTexImage2D(GL_TEXTURE_2D, 0, GL_R32UI, static_cast<GLsizei>(across),
                 static_cast<GLsizei>(down), 0, GL_RED_INTEGER, GL_UNSIGNED_INT, nullptr);
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
    glFinish();  // wait, because the next result may reuse the buffers once this one is freed
    return true;
}

}  // namespace maskscope
