#pragma once
// Surveys a variant whose rows are computed when they are read, for its pictures: one pass over
// blocks of rows, in an order that spreads the first blocks over all rows.

#include <bitset>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "app/show/cells/cell_texels.h"
#include "core/base/progress.h"
#include "core/result/request.h"
#include "core/threads/pool.h"

namespace maskscope {

class VariantSurvey {
public:
    // Prepares a survey of a variant with computed rows. most_words: the most words for each stage
    // of a head; a word has 4 bytes, and represents 2^k rows and columns. asks: see CellSource.
    // pool: its threads are used by next(); not null. reference: that of the variant; may be null.
    VariantSurvey(VariantResult variant, std::vector<StageKind> stages, Index most_words, bool asks,
                  std::shared_ptr<Pool> pool,
                  std::shared_ptr<const ReferenceMask> reference = nullptr);

    // Computes the next block of rows of a head (index of the sequence × h + index of the head),
    // and after the sample also the neighbouring blocks. Returns false if all are computed. Throws
    // Cancellation, WorkError.
    bool next(Index head, Progress& progress);
    // Returns the share of a head's rows that were computed, 0 to 1.
    double seen(Index head) const;
    // Computes what pictures of the last sources lacked, unless they show something else by now.
    // Returns whether anything was missing. Throws as next().
    bool look_closer(Progress& progress);
    bool is_asked() const;  // true if a picture lacks something; any thread
    LazyLevels::Visibility seen_in_pictures(Index head) const;  // for any stage; any thread
    // Makes the next look_closer() also compute the areas into which pictures of `before`, the
    // survey before an edit, have zoomed, if that takes little time.
    void look_where(const VariantSurvey& before);

    // Returns a stage as far as it is known now. Rows that are not computed look like the nearest
    // known row above. seen: the share that the source reports.
    SharedSource source(StageKind stage, double seen);
    // Takes over a previous survey for an edited scene, so that only the changed rows have to be
    // computed again.
    void take_over(const VariantSurvey& before, const std::vector<Index>& changed);

    // True if shape, stages, words and reference are the same.
    bool is_like(const VariantSurvey& other) const;
    const VariantResult& variant() const { return variant_; }
    const std::shared_ptr<const ReferenceMask>& reference() const { return reference_; }

private:
    struct SeenStage {
        std::vector<RowSummary> looks;     // [n_q]
        std::vector<std::uint32_t> words;  // [blocks, columns]
    };
    struct SeenHead {
        std::vector<bool> seen;  // [blocks]
        std::size_t next = 0;    // index in order_
        Index count = 0;         // the number of computed blocks
        // A stage is copied before it is written to if it is shared with a source, or with the
        // survey of another scene.
        std::vector<std::shared_ptr<SeenStage>> stages;
        // All rows of each stage, as source() returned them; null if a block was computed since.
        std::vector<std::shared_ptr<const SeenStage>> filled;
    };
    int column_level(StageKind stage) const;
    SeenHead& head_of(Index head);
    // Returns the source of rows of a head. first: the row of the head at which `rows` begins.
    SharedSource source_of_rows(const VariantResult& rows, StageKind stage, Index head,
                                Index first) const;
    void take(Index head, Index first, const VariantResult& rows, bool begins);
    void take_part(SeenStage& seen, Index first, CellSpan part, const SharedSource& rows,
                   bool begins) const;
    std::shared_ptr<const SeenStage> filled_stage(const SeenHead& head, std::size_t stage) const;

    VariantResult variant_;
    std::vector<StageKind> stages_;
    std::bitset<stage_count> wanted_;
    int level_ = 0;  // each word is for 2^level_ rows
    Index most_columns_ = 1;
    bool asks_;
    std::shared_ptr<Pool> pool_;
    std::shared_ptr<const ReferenceMask> reference_;
    std::vector<Index> order_;     // the order of blocks
    std::vector<SeenHead> heads_;  // [b, h]; without stages until the first block
    struct Loan {
        StageKind stage;
        std::weak_ptr<const CellSource> source;
    };
    mutable std::mutex mutex_;
    mutable std::vector<Loan> handed_;  // the last source of each stage
    struct Demand {
        StageKind stage;
        Index b, h;
        std::shared_ptr<const CellPlaces> places;
        std::shared_ptr<LazyLevels::Slot> slot;  // the picture's slot; null: see look_where()
    };
    std::vector<Demand> wishes() const;
    bool is_seen_closely(StageKind stage, Index head) const;
    std::vector<Demand> first_wishes_;
    // [stage][b, h]
    std::map<std::pair<StageKind, Index>, std::shared_ptr<const SurveyedCells>> closer_;
};

}  // namespace maskscope
