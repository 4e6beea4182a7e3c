#pragma once
// Surveys a lane whose rows are computed on reading, for its pictures: one pass over blocks of
// rows, in an order that spreads the first blocks over all rows.

#include <bitset>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "app/show/cells/cell_texels.h"
#include "core/base/progress.h"
#include "core/result/computed_rows.h"
#include "core/threads/pool.h"

namespace maskscope {

class LaneSurvey {
public:
    // The lane has computed rows. most_words: for each stage of a head, of 4 bytes; a word is of
    // 2^k rows and columns. asks: see CellSource.
    // pool: works while next() does; not null.
    // reference: of the lane; may be null.
    LaneSurvey(VariantResult lane, std::vector<StageKind> stages, Index most_words, bool asks,
               std::shared_ptr<Pool> pool,
               std::shared_ptr<const ReferenceMask> reference = nullptr);

    // Takes in the next block of rows of a head (b·h + h), once a sample was seen with those beside
    // it; false if it has seen all. Throws Cancelled, WorkError.
    bool next(Index head, Progress& progress);
    // The share of a head's rows that was seen, 0 to 1.
    double seen(Index head) const;
    // Makes what pictures of the last sources lacked, unless they look elsewhere by then; whether
    // there was any. Throws as next().
    bool look_closer(Progress& progress);
    bool is_asked() const;  // whether a picture lacks something; any thread
    LazyLevels::Seen seen_in_pictures(Index head) const;  // of any stage; any thread
    // Looks first where the pictures of the lane before an edit looked closely, if that is soon
    // done.
    void look_where(const LaneSurvey& before);

    // A stage as it is known now; rows that were not seen look like the last known row above. seen:
    // the share that it reports.
    SharedSource source(StageKind stage, double seen);
    // The rows that changed alone have to be seen again: for the lane of an edited scene.
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
        std::size_t next = 0;    // in order_
        Index count = 0;         // of blocks that were seen
        // Copied before it is written if others hold it: a source, or the survey of another scene.
        std::vector<std::shared_ptr<SeenStage>> stages;
        // All rows of each, as source() gave them out; null if a block was seen since.
        std::vector<std::shared_ptr<const SeenStage>> filled;
    };
    int column_level(StageKind stage) const;
    SeenHead& head_of(Index head);
    // The source of rows of a head from `first` on.
    SharedSource source_of_rows(const VariantResult& rows, StageKind stage, Index head,
                                Index first) const;
    void take(Index head, Index first, const VariantResult& rows, bool begins);
    void take_part(SeenStage& seen, Index first, CellSpan part, const SharedSource& rows,
                   bool begins) const;
    std::shared_ptr<const SeenStage> filled(const SeenHead& head, std::size_t stage) const;

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
    struct Handed {
        StageKind stage;
        std::weak_ptr<const CellSource> source;
    };
    mutable std::mutex mutex_;
    mutable std::vector<Handed> handed_;  // the last source of each stage
    struct Wish {
        StageKind stage;
        Index b, h;
        std::shared_ptr<const CellPlaces> places;
        std::shared_ptr<LazyLevels::Slot> slot;  // that lacks it; null: see look_where()
    };
    std::vector<Wish> wishes() const;
    bool is_seen_closely(StageKind stage, Index head) const;
    std::vector<Wish> first_wishes_;
    // [stage][b, h]
    std::map<std::pair<StageKind, Index>, std::shared_ptr<const SurveyedCells>> closer_;
};

}  // namespace maskscope
