// Tests the pages of the built-in lessons: no words overlap, and nothing gives an answer away.

#include <gtest/gtest.h>

#include <algorithm>

#include "app/export/export_lesson.h"
#include "app/style/labels.h"
#include "tests/support/test_name.h"
#include "tests/unit/app/figure/overlap.h"

namespace maskscope {
namespace {

class LessonPages : public testing::TestWithParam<std::string> {
protected:
    const LoadedLesson loaded_ = load_lesson("lesson:" + GetParam());
    const std::vector<LessonPage> pages_ = lesson_pages(loaded_, {}, true);
    const Scene& scene_of(const LessonPage& page) const {
        return loaded_.lesson.steps[std::size_t(page.step)].scene;
    }
};

// Checks title, question, caption, fact and table, which are set in larger type than the figure.
TEST_P(LessonPages, NoWordsOverlap) {
    for (const LessonPage& page : pages_) {
        std::vector<const Text*> words;
        for (const Text& text : page.figure.texts)
            if (text.style.size >= page.figure.height / 42 - 0.01) words.push_back(&text);
        for (std::size_t k = 0; k < words.size(); ++k)
            for (std::size_t l = 0; l < k; ++l) {
                EXPECT_FALSE(overlap(text_rect(*words[k]), text_rect(*words[l])))
                    << page.title << ": " << words[k]->text << " on " << words[l]->text;
            }
    }
}

TEST_P(LessonPages, AMaskThatBlocksNothingIsLeftOut) {
    for (const LessonPage& page : pages_) {
        View view;
        view.show = scene_of(page).show.value_or(Show());
        if (needs_mask(view, scene_of(page))) continue;
        for (const Heatmap& map : page.figure.heatmaps)
            EXPECT_NE(map.cells->stage, StageKind::allowed) << page.title;
    }
}

// The number of rows of a hidden translation would reveal how many words it has.
TEST_P(LessonPages, CoversAreAsHighAsWhatIsShown) {
    for (const LessonPage& page : pages_) {
        if (!page.asks || !std::holds_alternative<ModelInputs>(scene_of(page).inputs)) continue;
        for (const Heatmap& hidden : page.figure.hidden) {
            const auto cover = std::ranges::find_if(page.figure.boxes, [&](const Box& box) {
                return box.rect.x == hidden.rect.x && box.rect.y == hidden.rect.y;
            });
            ASSERT_NE(cover, page.figure.boxes.end()) << page.title;
            for (const Heatmap& shown : page.figure.heatmaps)
                if (shown.rect.y == hidden.rect.y && shown.cells->stage != StageKind::allowed) {
                    EXPECT_EQ(cover->rect.h, shown.rect.h) << page.title;
                }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Lessons, LessonPages,
                         testing::Values("one-row", "break-it", "padding-and-nan-rows",
                                         "why-root-d", "heads", "casebook", "scoring-functions"),
                         named_by_file);

}  // namespace
}  // namespace maskscope
