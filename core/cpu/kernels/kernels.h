#pragma once
// The arithmetic of rows, built once for each vector instruction set and chosen when the program
// runs. It uses plain pointers and numbers only: inline library code included here might be built
// for instructions that the machine lacks, and the linker might keep that copy.
//   q [rows, d]   scores, logits, weights [rows, stride], of which n_k columns count
// Every number depends only on its own row and column, and sums over keys run in chunks that begin
// at fixed columns. Skipping keys of weight 0, or using blocks of another size, therefore gives the
// same bits.

#include <cstddef>
#include <cstdint>

namespace maskscope {

enum class RowDtype { float32, float16, bfloat16 };
enum class RowScore { dot, gaussian, additive };
// The mask's effect on a blocked number: none, replaced by `value`, `value` added, or multiplied by
// 0.
enum class RowMask { none, select, add, multiply };

// Rows are padded to this many numbers, and start at multiples of 64 bytes.
inline constexpr std::size_t row_step = 64;

struct ScoresJob {
    RowScore kind;
    const float* const* q;  // a pointer for each row; for `additive`, W_q q
    std::size_t rows;       // up to 8
    const float* panels;    // as `pack` made them; for `additive`, from W_k k
    const float* w_v;       // [d], for `additive`
    std::size_t d;
    std::size_t begin, end;  // columns; others may be written too
    float* scores;           // [rows, stride], not rounded
    std::size_t stride;
};

struct LogitsJob {
    const float* scores;          // rounded
    float* logits;                // rounded; −inf beyond begin and end within their vectors
    const float* bias;            // or nullptr
    const std::uint8_t* allowed;  // or nullptr if the mask is `none`, or all columns are allowed
    std::size_t begin, end;       // columns that count
    float scale, value;
    RowMask mask;
    bool twice, scale_first;
    RowDtype dtype;
};
struct LargestNumber {
    float number;  // the largest number that is not NaN
    bool nan;
};

struct Exponentials {
    double sum;    // Σ e^t, t = logit − largest
    double times;  // Σ e^t t
};

// The last step of a softmax: numbers · factor, rounded; 0 outside begin to end. The sensitivity is
// computed, too, if the softmax outputs are the weights and sum to 1.
struct NormalizeJob {
    const float* numbers;
    float factor;
    std::size_t begin, end, n;
    RowDtype dtype;
    float* kept;    // [n] padded to row_step with 0, or nullptr; may be `numbers`
    float* stored;  // [n], or nullptr
    bool past_cache;
    float* sensitivity = nullptr;  // [n], or nullptr
};

// A float32 row whose columns have neither mask nor bias. `plain` computes such rows from scores to
// weights, a few at a time, with the same bits as `logits`, `exponentials` and `normalize`.
struct PlainRow {
    const float* scores;
    float* numbers;          // [stride], written
    std::size_t begin, end;  // columns that count
    float* stored;           // [n], or nullptr
};
struct PlainResult {
    float largest;  // logit
    bool left_out;  // the largest logit is not finite, or one is NaN: nothing was stored
    Exponentials sums;
    float factor;  // 1 / sums.sum
};
struct PlainJob {
    const PlainRow* rows;
    PlainResult* found;  // one for each row
    std::size_t count, n;
    float scale;
    bool keeps;  // true: `numbers` becomes the weights, padded to row_step with 0
    bool past_cache;
};

struct SensitivityJob {
    const float *softmax, *weights;
    const std::uint8_t* factor;   // multiplied into the weights, or nullptr
    const std::uint8_t* allowed;  // 0 = not allowed; or nullptr
    bool renormalized;
    std::size_t n;
    float* sensitivity;
};

struct FiguresJob {
    const float *weights, *sensitivity;  // sensitivity may be nullptr
    const std::uint8_t *allowed, *pads;  // nullptr: all allowed, no padding
    std::size_t n;
};
struct Figures {
    double sum, entropy, leak, gradient_leak, pads;
    float max;
    bool nan, negative;
};

// The computation of weights · V: out [rows, padded] = Σ_j weights_j V_j, j from begin to end.
struct MixJob {
    const float* weights;  // [rows, stride]
    std::size_t rows, stride;
    const float* values;  // [n_k, columns]
    std::size_t columns;  // a multiple of 16
    std::size_t begin, end;
    float* mixed;  // [rows, columns]
};

struct Kernels {
    std::size_t (*packed_size)(std::size_t n_k, std::size_t d);
    void (*pack)(const float* keys, std::size_t n_k, std::size_t d, float* panels);
    void (*scores)(const ScoresJob&);
    LargestNumber (*logits)(const LogitsJob&);
    Exponentials (*exponentials)(float* logits, std::size_t begin, std::size_t end, float largest);
    void (*normalize)(const NormalizeJob&);
    void (*plain)(const PlainJob&);
    // Multiplies numbers by 1 where allowed, else by 0, and returns their sum.
    double (*multiply)(const float* numbers, const std::uint8_t* allowed, std::size_t n,
                       float* products);
    void (*divide)(float* numbers, std::size_t n, float divisor, RowDtype dtype);
    void (*round)(float* numbers, std::size_t n, float factor, RowDtype dtype);
    double (*sum)(const float* numbers, std::size_t n);
    void (*store)(const float* numbers, std::size_t n, float* stored, bool past_cache);
    void (*sensitivity)(const SensitivityJob&);
    Figures (*figures)(const FiguresJob&);
    void (*mix)(const MixJob&);
    void (*fence)();  // after stores that bypass the cache
};

// Returns the best kernels that this machine runs, or those that a test selected.
const Kernels& kernels();

// --- for tests

// Writes at most `most` names of kernels that this machine runs, the best first, and returns how
// many it wrote. Names are "AVX3", "AVX2", "SSE4", "SSSE3", "NEON" and "SCALAR", which every
// machine runs.
std::size_t supported_kernels(const char** names, std::size_t most);
// Uses these kernels from now on, in every thread; nullptr selects the best again. Returns false if
// there are none of this name.
bool use_kernels(const char* name);

}  // namespace maskscope
