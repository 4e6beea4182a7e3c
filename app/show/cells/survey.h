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

class LaneSurvey {
public:
    // The variant has computed rows. most_words: for each stage of a head, of 4 bytes; a word
    // stands for 2^k rows and columns. asks: see CellSource. pool: works while next() does; not
    // null. reference: the variant's; may be null.
    LaneSurvey(VariantResult lane, std::vector<StageKind> stages, Index most_words, bool asks,
               std::shared_ptr<Pool> pool,
               std::shared_ptr<const ReferenceMask> reference = nullptr);

    // Takes the next block of rows of a head (b·h + h), and once a sample was computed, its
    // neighbours with it; false if all are computed. Throws Cancelled, WorkError.
    bool next(Index head, Progress& progress);
    // Returns the share of a head's rows that was computed, 0 to 1.
    double seen(Index head) const;
    // Computes what pictures of the last sources lacked, unless they show something else by then;
    // returns whether there was any. Throws as next().
    bool look_closer(Progress& progress);
    bool is_asked() const;  // does a picture lack something? Any thread
    LazyLevels::Seen seen_in_pictures(Index head) const;  // for any stage; any thread
    // Surveys first the area that was zoomed into before an edit, if that takes little time.
    void look_where(const LaneSurvey& before);

    // Returns a stage as it is known now; rows that were not computed look like the last known row
    // above. seen: the share that it reports.
    SharedSource source(StageKind stage, double seen);
    // Takes over a previous survey, for an edited scene: only the changed rows have to be computed
    // again.
    void take_over(const LaneSurvey& before, const std::vector<Index>& changed);

    // True if shape, stages, words and reference are the same.
    bool is_like(const LaneSurvey& other) const;
    const VariantResult& lane() const { return lane_; }
    const std::shared_ptr<const ReferenceMask>& reference() const { return reference_; }

private:
    struct SeenStage {
        std::vector<RowSummary> looks;     // [n_q]
        std::vector<std::uint32_t> words;  // [blocks, columns]
    };
    struct SeenHead {
        std::vector<bool> seen;  // [blocks]
        std::size_t next = 0;    // index in order_
        Index count = 0;         // how many blocks were computed
        // Copied before it is written if others hold it: a source, or the survey of another scene.
        std::vector<std::shared_ptr<SeenStage>> stages;
        // All rows of each, as source() returned them; null if a block was computed since.
        std::vector<std::shared_ptr<const SeenStage>> filled;
    };
    int column_level(StageKind stage) const;
    SeenHead& head_of(Index head);
    // Returns the source of rows of a head from `first` on.
    SharedSource source_of_rows(const VariantResult& rows, StageKind stage, Index head,
                                Index first) const;
    void take(Index head, Index first, const VariantResult& rows, bool begins);
    void take_part(SeenStage& seen, Index first, CellSpan part, const SharedSource& rows,
                   bool begins) const;
    std::shared_ptr<const SeenStage> filled_stage(const SeenHead& head, std::size_t stage) const;

    VariantResult lane_;
    std::vector<StageKind> stages_;
    std::bitset<stage_count> wanted_;
    int level_ = 0;  // of the rows
    Index most_columns_ = 1;
    bool asks_;
    std::shared_ptr<Pool> pool_;
    std::shared_ptr<const ReferenceMask> reference_;
    std::vector<Index> order_;     // of the blocks
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
        std::shared_ptr<LazyLevels::Slot> slot;  // the one that lacks it; null: see look_where()
    };
    std::vector<Demand> wishes() const;
    bool is_seen_closely(StageKind stage, Index head) const;
    std::vector<Demand> first_wishes_;
    // [stage][b, h]
    std::map<std::pair<StageKind, Index>, std::shared_ptr<const SurveyedCells>> closer_;
};

}  // namespace maskscope
