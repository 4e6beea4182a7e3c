#pragma once
// Surveys what a view shows of a large result, whose rows are computed when they are read.

#include <chrono>
#include <functional>

#include "app/show/bench/bench.h"
#include "app/show/bench/bench_parts.h"
#include "app/show/cells/survey.h"

namespace maskscope {

// True if a variant of the result, or of an earlier layer, computes its rows when they are read.
bool is_computed_when_read(const Result& result);

// The size of a picture in a file, in pixels.
struct PictureSize {
    double area = 0;     // the pixels of the whole picture
    double along = 0;    // the least side of a heatmap
    bool alone = false;  // heatmaps of one stage, without the mask and earlier layers
};

class BenchSurvey {
public:
    // Surveys the stages, variants, sequences and heads of the view. before: the survey of the
    // scene before an edit, or null; what did not change is reused. file: the picture for which the
    // survey must be fine enough; nullopt for pictures that request what they lack, see CellSource.
    BenchSurvey(const Result& result, const View& view, const BenchSurvey* before,
                const std::optional<PictureSize>& file = {});

    // Continues for `time`, first with what pictures lack, then with a sample of every heatmap.
    // Returns false if nothing is left. progress: shows how much is done, and may cancel the work.
    // give_way: called before each part, and may delay it. Throws WorkError.
    bool go_on(std::chrono::milliseconds time, Progress& progress,
               const std::function<void()>& give_way = {});
    // Computes what pictures lack; after an edit, the areas into which the previous pictures
    // zoomed. Returns whether anything was missing. Throws Cancellation, WorkError.
    bool look_closer(Progress& progress);
    double seen() const;    // the share of rows that were computed
    bool is_asked() const;  // true if a picture lacks something; any thread
    bool is_of(const Result& result, const View& view) const;
    Sources sources() const;  // the current state, for make_bench()

private:
    struct SurveyedVariant {
        int variant = 0;  // the first part of the key in Sources, also for an earlier layer
        std::optional<ComparedRows> compared;
        std::vector<Index> heads;  // index of the sequence × h + index of the head
        std::vector<StageKind> stages;
        std::shared_ptr<VariantSurvey> survey;
    };
    struct SharedStage {  // a stage that another variant also has
        int variant = 0, other = 0;
        StageKind stage{};
    };
    void add(const Result& result, const View& view, int variant, Index words, bool asks);
    void add_earlier(const Result& result, const View& view, Index words, bool asks);
    static std::shared_ptr<const ComputedRows> rows_of_variant(const Result& result,
                                                               const SurveyedVariant& own);
    std::optional<std::vector<Index>> changed_rows(int variant, const BenchSurvey& before) const;
    void take_over(SurveyedVariant& own, const SurveyedVariant& old,
                   const BenchSurvey& before) const;
    const SurveyedVariant* next(Index& head) const;

    std::shared_ptr<Pool> pool_ = std::make_shared<Pool>(machine_threads(8));
    Scene scene_;
    std::shared_ptr<const BatchInputs> inputs_;
    std::vector<Index> heads_;  // index of the sequence × h + index of the head
    std::vector<int> shown_;
    std::vector<StageKind> stages_;
    std::vector<ComparedRows> differences_;
    std::vector<SurveyedVariant> variants_;
    std::vector<SharedStage> shared_;
};

// Makes the sources that make_bench() needs for a large result, in one complete pass. Throws
// Cancellation, WorkError.
Sources surveyed_sources(const Result& result, const View& view, const PictureSize& file,
                         Progress& progress);
// Makes sources from what is known so far; unknown cells are empty.
Sources sources_so_far(const Result& result, const View& view, const Sources& known);

}  // namespace maskscope
