#pragma once
// Checks that an audience can read what is presented.

#include "app/style/labels.h"
#include "app/window/paint/label_atlas.h"
#include "tests/ui/panels/panels_fixture.h"

namespace maskscope::test {

// Returns the place of a label's ink: its image has a margin, and lines are higher than their
// letters.
inline Rect ink_of(const LabelAtlas::DrawnLabel& label) {
    const double along = 1.5, across = 0.85 * label.style.size;
    const Rect& r = label.rect;
    if (label.vertical) return {r.x + (r.w - across) / 2, r.y + along, across, r.h - 2 * along};
    return {r.x + along, r.y + (r.h - across) / 2, r.w - 2 * along, across};
}

inline bool overlap(const Rect& a, const Rect& b) {
    return a.x < b.right() && b.x < a.right() && a.y < b.bottom() && b.y < a.bottom();
}

// Checks that no label is lower than the screen's height / 36, overlaps another label or a heatmap
// that is not its own, or leaves the screen. Tokens and titles must be complete, and heatmaps must
// not overlap.
inline void expect_legible(App& app, bool whole = true) {
    const auto& drawn = app.labels->drawn();
    const Rect screen{0, 0, double(app.gui.width), double(app.gui.height)};
    const auto inside = [&](const Rect& r) {
        return r.x >= -0.5 && r.y >= -0.5 && r.right() <= screen.w + 0.5 &&
               r.bottom() <= screen.h + 0.5;
    };
    for (std::size_t k = 0; k < drawn.size(); ++k) {
        const LabelAtlas::DrawnLabel& label = drawn[k];
        EXPECT_GE(label.style.size, app.gui.height / 36.0 - 1e-6) << label.text;
        EXPECT_TRUE(inside(ink_of(label))) << label.text;
        const Text as{{}, label.text, label.style, Role::ink, Anchor::left, label.max_width};
        const bool at_edge = label.rect.right() > screen.w - app.gui.height / 12.0;  // scrolled
        if (whole && !at_edge) {
            EXPECT_FALSE(is_cut(as)) << label.text;
        }
        for (std::size_t other = 0; other < k; ++other)
            EXPECT_FALSE(overlap(ink_of(label), ink_of(drawn[other])))
                << label.text << " on " << drawn[other].text;
    }
    const auto& maps = app.ui.bench.figure.heatmaps;
    for (std::size_t k = 0; k < maps.size(); ++k) {
        const Rect& r = maps[k].rect;
        EXPECT_TRUE(
            inside({r.x + app.ui.bench.figure_at.x, r.y + app.ui.bench.figure_at.y, r.w, r.h}));
        for (std::size_t other = 0; other < k; ++other)
            EXPECT_FALSE(overlap(r, maps[other].rect)) << k << " on " << other;
        for (const Text& text : app.ui.bench.figure.texts) {
            Rect ink = text_rect(text);
            (text.vertical ? ink.x : ink.y) += 0.12 * text.style.size;
            (text.vertical ? ink.w : ink.h) -= 0.24 * text.style.size;
            EXPECT_FALSE(overlap(ink, r)) << text.text << " on a heatmap";
        }
    }
}

}  // namespace maskscope::test
