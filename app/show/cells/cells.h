#pragma once
// The cells of one heatmap: numbers, blocked and leaking cells, NaN, ±∞ and exact 0.

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "app/style/theme.h"
#include "core/attention/row_figures.h"
#include "core/base/number_text.h"
#include "core/result/result.h"

namespace maskscope {

class Pool;

// The flags of a cell, as bits. A cell can be blocked whatever its number. leaks: weight on a key
// that is blocked here or by the reference, or is a pad token. missing: in the mask, a blocked key
// that the reference allows.
namespace sign {
inline constexpr std::uint8_t blocked = 1, leaks = 2, nan = 4, plus_infinity = 8,
                              minus_infinity = 16, zero = 32, missing = 64;
}

constexpr bool is_share(StageKind stage) {
    return stage == StageKind::softmax || stage == StageKind::weights;
}

// The summary of a row of cells.
struct RowSummary {
    std::uint8_t signs = 0;  // the bits of all its cells together
    double magnitude = 0;    // the largest magnitude of a finite cell
    // The largest magnitude of an allowed finite cell, and the smallest number above 0 in allowed
    // cells.
    double largest = 0, smallest = infinity;
    // The sum of the cells that leak; 0 for numbers on the GPU.
    double leaked = 0;
    bool operator==(const RowSummary&) const = default;
};

struct CellLevels;  // for these three, see cell_texels.h
struct CellPlaces;
struct SurveyedCells;

// Levels that are computed on first use, by any thread. A copy starts empty.
struct LazyLevels {
    // Whether a picture has shown the cells: none; one of the previous source; one of this source.
    enum class Visibility { no, before, now };
    struct Slot {
        std::mutex mutex;
        std::shared_ptr<const CellLevels> made;
        // The known part of rows that are computed when they are read (see survey.h), and the
        // places of the last picture for which that part was too coarse.
        std::shared_ptr<const SurveyedCells> surveyed;
        std::shared_ptr<const CellPlaces> wanted;
        Visibility seen = Visibility::no;
        bool closely = false;  // the survey was too coarse for that picture
    };
    std::shared_ptr<Slot> slot = std::make_shared<Slot>();
    LazyLevels() = default;
    explicit LazyLevels(std::shared_ptr<Slot> shared) : slot(std::move(shared)) {}
    LazyLevels(const LazyLevels&) : LazyLevels() {}
    LazyLevels(LazyLevels&&) = default;
    LazyLevels& operator=(const LazyLevels& other) {
        if (this != &other) *this = LazyLevels();
        return *this;
    }
    LazyLevels& operator=(LazyLevels&&) = default;
    ~LazyLevels() = default;
};

// One stage of one variant with everything that its cells depend on: the numbers, the mask and the
// pad tokens, in memory or on the GPU. Copies none of them.
struct CellSource {
    CellSource(StageKind stage, const Stage& numbers, const Shape& shape);  // [b, h, rows, columns]

    StageKind stage = StageKind::weights;
    Stage numbers;                   // [b, h, rows, columns]; does not exist for the mask
    MaskCells allowed;               // [b, h, rows, columns]; empty if there is no mask
    std::vector<std::uint8_t> pads;  // [b, columns], 1 = pad token; empty if irrelevant
    // The reference, for weights and the mask; null if there is none.
    std::shared_ptr<const ReferenceMask> reference;
    Index b = 0, h = 0, rows = 0, columns = 0;
    std::shared_ptr<const BatchInputs> inputs;  // for Q, K and V: the inputs they are copies of
    // If this is not null, rows are computed when they are read. Summaries and pictures then
    // contain what a VariantSurvey has computed. seen: the share of the rows of its heads that were
    // computed.
    std::shared_ptr<const ComputedRows> computed;
    double seen = 1;
    bool asks = false;  // pictures request what they lack, instead of computing it

    // Returns summaries of the rows of one head, [rows], computed on first use in the threads of
    // `pool` unless it is null. If rows are computed when they are read, returns an empty list for
    // a head of which no survey has computed a row.
    const std::vector<RowSummary>& looks(Index at_b, Index at_h, Pool* pool = nullptr) const;
    // Computes these summaries; returns false if they are already known, or come from a survey.
    // Calls also(begin, end) for a few rows in memory at a time, while they are in the thread's
    // cache.
    using RowVisitor = std::function<void(Index begin, Index end)>;
    bool look(Index at_b, Index at_h, Pool* pool, const RowVisitor& also) const;
    const std::shared_ptr<LazyLevels::Slot>& levels(Index at_b, Index at_h) const {
        return levels_[at_b * h + at_h].slot;
    }

private:
    friend class VariantSurvey;
    friend std::shared_ptr<const CellSource> source_of(const VariantResult&, StageKind,
                                                       const std::shared_ptr<const CellSource>&,
                                                       Pool*, std::shared_ptr<const ReferenceMask>);
    mutable std::mutex mutex_;
    // [b, h]; null until first used
    mutable std::vector<std::shared_ptr<const std::vector<RowSummary>>> looks_;
    std::vector<LazyLevels> levels_;  // [b, h]
};
using SharedSource = std::shared_ptr<const CellSource>;

// Makes a source. The stage need not exist. before: an earlier source, or null; it is returned if
// nothing has changed, and if only a few rows differ, its summaries of the others are reused. pool:
// as in looks().
SharedSource source_of(const VariantResult& result, StageKind stage,
                       const SharedSource& before = {}, Pool* pool = nullptr,
                       std::shared_ptr<const ReferenceMask> reference = nullptr);
// Makes a source with the variant's reference.
SharedSource source_of(const Result& result, int variant, StageKind stage,
                       const SharedSource& before = {}, Pool* pool = nullptr);

// Summarizes numbers on the GPU without reading them back. Code with an OpenGL context (the window)
// installs one for its thread. Without one, or if it cannot summarize, the numbers are read back.
class RemoteReader {
public:
    virtual ~RemoteReader() = default;
    // Summarizes the rows of a head; nullopt if the source is not on the GPU.
    virtual std::optional<std::vector<RowSummary>> rows(const CellSource& source, Index b,
                                                        Index h) = 0;
    // Returns true if all heads are equal bit for bit; nullopt unless both stages are on the GPU.
    virtual std::optional<bool> same(const Stage& x, const Stage& y) = 0;
};
void look_with(RemoteReader* look);  // used by this thread from now on; nullptr: none

// True if the numbers are equal bit for bit, so that NaN equals NaN. Stages that do not exist are
// not equal.
bool same_numbers(const Stage& x, const Stage& y);

// The numbers of one heatmap: one stage of one variant, sequence and head. Immutable and shared, so
// that a picture is redrawn only if its pointer to them changes. They are stored here, or refer to
// a source.
struct Cells {
    StageKind stage = StageKind::weights;
    // The difference of two variants or heads: it is signed, nothing is blocked, and every 0 is a
    // number.
    bool difference = false;
    Index rows = 0, columns = 0;
    std::vector<double> values;       // [rows, columns]; 1 and 0 for the mask
    std::vector<std::uint8_t> signs;  // [rows, columns]
    SharedSource source;
    Index b = 0, h = 0;  // sequence and head in the source
    LazyLevels levels;

    // Returns what decides colours and marks, apart from the numbers.
    std::pair<StageKind, bool> look() const { return {stage, difference}; }
    bool has_shares() const { return is_share(stage) && !difference; }

    bool operator==(const Cells&) const;  // equal as drawn, bit for bit: NaN equals NaN
};
using SharedCells = std::shared_ptr<const Cells>;

SharedCells cells_of(const VariantResult& result, StageKind stage, Index b, Index h);
SharedCells cells_of(const SharedSource& source, Index b, Index h);
// Returns x − y as new cells, for the rows and columns that both have; NaN if either is NaN, or if
// both are the same infinity.
SharedCells difference_of(const Cells& x, const Cells& y);

// Returns the first rows and columns, as new cells.
SharedCells top_left_of(const Cells& cells, Index rows, Index columns);

// Returns one cell. Numbers on the GPU are read by rows.
double value_at(const Cells& cells, Index i, Index j);
std::uint8_t signs_at(const Cells& cells, Index i, Index j);
struct CellRow {
    std::vector<double> values;
    std::vector<std::uint8_t> signs;
};
CellRow row_of(const Cells& cells, Index i);

std::uint8_t signs_of_row(const Cells& cells, Index i);  // the bits of all its cells together
double leaked_in_row(const Cells& cells, Index i);       // the sum of its cells that leak
std::uint8_t signs_of_any(const Cells& cells);
double largest_magnitude(const Cells& cells);  // for finite numbers; 0 if there are none

// Returns the rows that may differ between cells of one shape. Skips rows that both cells share in
// memory.
std::vector<Index> changed_rows(const Cells& x, const Cells& y);

// The limits of a stage's colours, from the allowed finite cells of all variants and heads.
struct Limits {
    double low = 0, high = 1;
    bool logarithmic = false;  // a logarithmic scale; then 0 < low
    bool operator==(const Limits&) const = default;
};
// Computes limits. Weights and softmax output: from 0 to 1; sensitivity and influence: from 0 to
// their largest number; signed stages: symmetric about 0. logarithmic (unsigned stages only): from
// the power of ten at or below the smallest number above 0, but at most 8 powers; smaller numbers
// have the end colour. nullopt: weights and softmax output of many_keys or more are logarithmic,
// from well below a uniform share to the largest number.
Limits limits_of_sources(const std::vector<SharedSource>& variants, StageKind stage,
                         std::optional<bool> logarithmic = {}, Pool* pool = nullptr);
inline constexpr Index many_keys = 32;  // from here on, a uniform share would be too dark to see
bool is_signed(StageKind stage);        // true if its colours diverge from 0
// Computes limits that are symmetric about 0, from the finite numbers of all differences. They are
// at least `least` on either side, so that mere rounding stays pale.
Limits limits_of_differences(const std::vector<SharedCells>& differences, double least);
ColourMap map_of(StageKind stage, ThemeKind theme);
// Returns the colour of a number; one with alpha 0 for numbers that have none: NaN, ±∞, and the
// mask's 1 and 0.
Colour fill_of(double value, StageKind stage, Limits limits, ColourMap map);

}  // namespace maskscope
