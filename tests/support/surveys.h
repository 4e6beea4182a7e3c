#pragma once
// Compares surveys of two kinds of variants: those whose rows are computed when they are read, and
// those whose rows are kept.

#include <gtest/gtest.h>

#include "app/show/cells/cell_texels.h"
#include "app/show/cells/survey.h"

namespace maskscope {

inline const std::vector<StageKind> all_drawn = {
    StageKind::allowed, StageKind::scores,  StageKind::scaled, StageKind::logits,
    StageKind::softmax, StageKind::weights, StageKind::output, StageKind::sensitivity};

inline std::shared_ptr<Pool> two_threads() { return std::make_shared<Pool>(2); }

inline void see_all(VariantSurvey& survey) {
    Progress progress;
    const Shape& shape = survey.variant().shape;
    for (Index head = 0; head < shape.b * shape.h; ++head)
        while (survey.next(head, progress)) {}
}

// Returns places of 2^level rows and columns; the last ones may have fewer.
inline CellPlaces places_of(const Cells& cells, int level) {
    const auto spans = [level](Index n) {
        std::vector<CellSpan> all;
        for (Index begin = 0; begin < n; begin += Index{1} << level)
            all.push_back({begin, std::min(n, begin + (Index{1} << level))});
        return all;
    };
    return {level, spans(cells.rows), spans(cells.columns)};
}

inline void expect_like_kept(VariantSurvey& survey, const SharedSource& all, int level) {
    const SharedSource seen = survey.source(all->stage, 1);
    for (Index b = 0; b < all->b; ++b)
        for (Index h = 0; h < all->h; ++h) {
            ASSERT_EQ(seen->looks(b, h), all->looks(b, h));
            const SharedCells x = cells_of(seen, b, h), y = cells_of(all, b, h);
            if (all->numbers.is_float64()) continue;  // float64 words are scaled
            // Finer places are computed, coarser ones taken from the words.
            for (int finer = 0; finer <= level + 2; ++finer)
                ASSERT_EQ(texels_of(*x, places_of(*x, finer)), texels_of(*y, places_of(*y, finer)))
                    << "level " << finer;
        }
}

// Expects every stage of the variant to look as in the variant that keeps its rows.
inline void expect_like_kept(const VariantResult& read, const VariantResult& kept) {
    VariantSurvey survey(read, all_drawn, 9, false, two_threads());
    see_all(survey);
    for (const StageKind stage : all_drawn) {
        if (stage != StageKind::allowed && !kept.stage(stage).exists()) continue;
        SCOPED_TRACE(testing::Message() << "stage " << int(stage));
        expect_like_kept(survey, source_of(kept, stage), 2);
        if (testing::Test::HasFatalFailure()) return;
    }
}

}  // namespace maskscope
