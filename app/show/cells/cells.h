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

// Bits of a cell's flags. Being blocked is independent of the number. leaks: weight on a key that
// is blocked here or by the reference, or is a pad token. missing: in the mask, a blocked key that
// the reference allows.
namespace sign {
inline constexpr std::uint8_t blocked = 1, leaks = 2, nan = 4, plus_infinity = 8,
                              minus_infinity = 16, zero = 32, missing = 64;
}

constexpr bool is_share(StageKind stage) {
    return stage == StageKind::softmax || stage == StageKind::weights;
}

// Summary of a row of cells.
struct RowSummary {
    std::uint8_t signs = 0;  // for all its cells
    double magnitude = 0;    // of the largest finite number; the next two only for allowed cells:
    double largest = 0, smallest = infinity;  // smallest: above 0
    // Σ of the cells that leak; not for numbers on the GPU.
    double leaked = 0;
    bool operator==(const RowSummary&) const = default;
};

struct CellLevels;  // these three: see cell_texels.h
struct CellPlaces;
struct SurveyedCells;

// Computed on first use, by any thread; a copy starts empty.
struct LazyLevels {
    enum class Seen { no, before, now };  // in a picture of this source, or of the previous one
    struct Slot {
        std::mutex mutex;
        std::shared_ptr<const CellLevels> made;
        // The known part of rows that are computed when they are read (see survey.h), and the
        // places of the last picture for which it was too coarse.
        std::shared_ptr<const SurveyedCells> surveyed;
        std::shared_ptr<const CellPlaces> wanted;
        Seen seen = Seen::no;
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

// One stage of one variant with everything its cells depend on: the numbers, the mask and the pads,
// in memory or on the GPU. Nothing is copied.
struct CellSource {
    CellSource(StageKind stage, const Stage& numbers, const Shape& shape);  // [b, h, rows, columns]

    StageKind stage = StageKind::weights;
    Stage numbers;                   // [b, h, rows, columns]; does not exist for the mask
    MaskCells allowed;               // [b, h, rows, columns]; empty if there is no mask
    std::vector<std::uint8_t> pads;  // [b, columns]; empty if padding does not matter
    // For weights and the mask; null without a reference.
    std::shared_ptr<const ReferenceMask> reference;
    Index b = 0, h = 0, rows = 0, columns = 0;
    std::shared_ptr<const BatchInputs> inputs;  // for Q, K and V: what they were copied from
    // Not null: the rows are computed when they are read. Summaries and pictures then contain what
    // a LaneSurvey has computed; seen: the share of the rows of its heads.
    std::shared_ptr<const ComputedRows> computed;
    double seen = 1;
    bool asks = false;  // a picture requests what it lacks, and does not compute it

    // Returns summaries of the rows of one head, computed on first use, in the threads of `pool` if
    // it is not null. For rows that are computed when they are read: [rows], or empty if no survey
    // has computed the head.
    const std::vector<RowSummary>& looks(Index at_b, Index at_h, Pool* pool = nullptr) const;
    // Computes these summaries; false if they are known. While a few rows of numbers in memory are
    // in a thread's cache, also(begin, end) is called with them.
    using Also = std::function<void(Index begin, Index end)>;
    bool look(Index at_b, Index at_h, Pool* pool, const Also& also) const;
    const std::shared_ptr<LazyLevels::Slot>& levels(Index at_b, Index at_h) const {
        return levels_[at_b * h + at_h].slot;
    }

private:
    friend class LaneSurvey;
    friend std::shared_ptr<const CellSource> source_of(const VariantResult&, StageKind,
                                                       const std::shared_ptr<const CellSource>&,
                                                       Pool*, std::shared_ptr<const ReferenceMask>);
    mutable std::mutex mutex_;
    // [b, h]; null until first used
    mutable std::vector<std::shared_ptr<const std::vector<RowSummary>>> looks_;
    std::vector<LazyLevels> levels_;  // [b, h]
};
using SharedSource = std::shared_ptr<const CellSource>;

// Makes a source. The stage may not exist. Returns `before`, which may be null, if everything is
// the same; if most rows are the same, they are not scanned again. pool: as in looks().
SharedSource source_of(const VariantResult& result, StageKind stage,
                       const SharedSource& before = {}, Pool* pool = nullptr,
                       std::shared_ptr<const ReferenceMask> reference = nullptr);
// Does the same with the variant's reference.
SharedSource source_of(const Result& result, int lane, StageKind stage,
                       const SharedSource& before = {}, Pool* pool = nullptr);

// Summarizes numbers on the GPU without reading them back. Code with an OpenGL context (the window)
// installs one for its thread; without one, or if it cannot, they are read.
class RemoteReader {
public:
    virtual ~RemoteReader() = default;
    // Returns nullopt if the source is not on the GPU.
    virtual std::optional<std::vector<RowSummary>> rows(const CellSource& source, Index b,
                                                        Index h) = 0;
    // True if all heads are equal bit for bit; nullopt unless both are on the GPU.
    virtual std::optional<bool> same(const Stage& x, const Stage& y) = 0;
};
void look_with(RemoteReader* look);  // for this thread, from now on; nullptr: none

// True for the same numbers bit for bit, so that NaN equals NaN; stages that do not exist are not
// the same.
bool same_numbers(const Stage& x, const Stage& y);

// One heatmap's numbers: one stage of one variant, sequence and head. Immutable and shared, so that
// a picture is redrawn only if its pointer to them changed. It has its own numbers or refers to
// those of a source.
struct Cells {
    StageKind stage = StageKind::weights;
    bool difference =
        false;  // of two variants or heads: signed, never blocked, every 0 is a number
    Index rows = 0, columns = 0;
    std::vector<double> values;       // [rows, columns]; 1 and 0 for the mask
    std::vector<std::uint8_t> signs;  // [rows, columns]
    SharedSource source;
    Index b = 0, h = 0;  // in the source
    LazyLevels levels;

    // The look decides colours and marks, whatever the numbers.
    std::pair<StageKind, bool> look() const { return {stage, difference}; }
    bool has_shares() const { return is_share(stage) && !difference; }

    bool operator==(const Cells&) const;  // as drawn, bit for bit: NaN equals NaN
};
using SharedCells = std::shared_ptr<const Cells>;

SharedCells cells_of(const VariantResult& result, StageKind stage, Index b, Index h);
SharedCells cells_of(const SharedSource& source, Index b, Index h);
// Returns x − y, both [rows, columns], as new cells; NaN if either is NaN, and for −∞ − −∞.
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

std::uint8_t signs_of_row(const Cells& cells, Index i);  // for all of its cells
double leaked_in_row(const Cells& cells, Index i);       // Σ of its cells that leak
std::uint8_t signs_of_any(const Cells& cells);
double largest_magnitude(const Cells& cells);  // for the finite numbers; 0 if there are none

// Returns the rows that may differ between cells of one shape; rows at the same address are
// skipped.
std::vector<Index> changed_rows(const Cells& x, const Cells& y);

// The limits of colour of a stage, from the allowed finite cells of all variants and heads.
struct Limits {
    double low = 0, high = 1;
    bool logarithmic = false;  // logarithmic colour scale; then 0 < low
    bool operator==(const Limits&) const = default;
};
// Computes limits. weights and softmax: 0 to 1; sensitivity, depends: 0 to their largest; signed
// stages: symmetric about 0. logarithmic (unsigned stages only): from the power of ten at or below
// the smallest number above 0, 8 powers at most; smaller numbers take the end colour. nullopt:
// weights and softmax of many_keys or more are logarithmic, from well below a uniform share to the
// largest.
Limits limits_of_sources(const std::vector<SharedSource>& lanes, StageKind stage,
                         std::optional<bool> logarithmic = {}, Pool* pool = nullptr);
inline constexpr Index many_keys = 32;  // from here on a uniform share is too dark to see
bool is_signed(StageKind stage);        // its colours diverge from 0
// Computes limits that are symmetric about 0, from the finite numbers of all of them; at least
// `least` on either side, so that mere rounding stays pale.
Limits limits_of_differences(const std::vector<SharedCells>& differences, double least);
ColourMap map_of(StageKind stage, ThemeKind theme);
// Returns a colour with alpha 0 if a number has none: NaN, ±∞, and the mask's 1 and 0.
Colour fill_of(double value, StageKind stage, Limits limits, ColourMap map);

}  // namespace maskscope
