#pragma once
// One variant on the GPU: its buffers, and the passes that fill them.

#include <memory>
#include <vector>

#include "core/attention/attention.h"
#include "core/gl/clock.h"
#include "core/gpu/data/device.h"
#include "core/gpu/data/inputs.h"
#include "core/gpu/data/mask_data.h"
#include "core/gpu/data/numbers.h"

namespace maskscope::gpu {

// Scores that a result may still hold: variants and edits with the same scores share them.
struct KnownScores {
    std::uint64_t inputs = 0;  // InputStore::id()
    Dtype dtype = Dtype::float32;
    Score score;
    double query_factor = 1;
    std::weak_ptr<const GpuNumbers> numbers;
};

// A mask that a result may still hold, of the rules that are not biases.
struct KnownMask {
    std::vector<MaskLayer> layers;
    std::vector<Sequence> sequences;
    bool lists_positions = false;  // true if the rules depend on listed positions
    std::string pad_token;
    Shape shape;
    Slice asked;
    std::vector<std::uint32_t> sheet_of_head;
    std::weak_ptr<const GpuMask> mask;
};

struct KnownNumbers {
    std::vector<KnownScores> scores;
    std::vector<KnownMask> masks;
};

// One call of compute().
struct Run {
    Device& device;
    InputStore& inputs;
    KnownNumbers& known;
    const Scene& scene;
    const Request& request;
    Progress& progress;
    Clock& clock;
    double work = 1, work_done = 0;  // multiplications of all variants
};

struct Task {
    const Variant& variant;
    Shape shape;  // that of the whole scene; it decides how sums are split, whatever is requested
    Slice asked;  // the rows and heads that are computed
    Parameters parameters;
    double query_factor = 1;  // for queries that are scaled before the product; the scale is then 1
    std::vector<Slice> slices = {};
    std::vector<std::uint32_t> sheet_of_head = {};
    std::shared_ptr<const GpuMask> mask = {};
    Tables tables = {};
    SharedBuffer tables_buffer = {};
    std::shared_ptr<const QueryKeys> query_keys = {};  // null if numbers are given
    std::shared_ptr<const GivenNumbers> given = {};    // given scores or weights, or null
    std::shared_ptr<const Matrices> values = {};       // null without values
    // The stages; null if they are not kept. Equal stages share their numbers.
    std::shared_ptr<const GpuNumbers> scores = {}, scaled = {}, logits = {}, softmax = {},
                                      weights = {}, sensitivity = {}, output = {};
    std::shared_ptr<const GpuNumbers> slope = {};    // of a softcap
    std::shared_ptr<const GpuNumbers> figures = {};  // [b, h, n_q, figure_count]
    bool takes_softmax = true;                       // false: weights are given
    bool scores_known = false;                       // true: they are already in their buffer
    bool skip_blocked = false;  // true: nothing reads the logits of blocked keys
};

// Estimates the multiplications that a request for one variant takes.
double work_of(const Scene& scene, const Request& request, const Variant& variant);

// Computes a variant. Its numbers stay on the GPU, unless rows were requested. Throws WorkError,
// and Cancellation.
VariantResult compute_variant(Run& run, const Variant& variant);

// --- its passes

void mask_pass(Run& run, Task& task);
void scores_pass(Run& run, const Task& task);
void softmax_pass(Run& run, const Task& task);
void output_pass(Run& run, Task& task);
// Returns the slices of the output `projected`, [b, 1, n_q, d_out], split between the same rows as
// task.slices.
std::vector<Slice> projected_slices(const Task& task);
// True if the intermediate result of two successive products may overflow a float.
bool output_may_overflow(const Task& task);

std::shared_ptr<const GpuNumbers> make_numbers(Run& run, const Task& task, Index columns);

}  // namespace maskscope::gpu
