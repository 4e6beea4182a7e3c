#pragma once
// The window on lesson 1, with what tests of typing over numbers need.

#include <GLFW/glfw3.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "app/session/files/load.h"
#include "app/window/actions/actions.h"
#include "app/window/paint/label_atlas.h"
#include "core/compute/plain.h"
#include "core/edit/edit.h"
#include "tests/ui/harness.h"

namespace maskscope::ui {

class Numbers : public testing::Test {
protected:
    Numbers() {
        open("lesson:additive-or-multiplicative");
        using enum StageKind;
        session.view().show.stages = {scaled, logits, softmax, weights};
        session.wait();
        driver.move({1590, 990});
        driver.settle();
    }

    void open(const std::string& name, int step = 1) {
        const LoadedLesson loaded = load_lesson(name);
        session.open_lesson(loaded.lesson, loaded.folder, step - 1);
        driver.settle();
    }
    // Opens the panels, and with them the chips above the bench.
    void explore() {
        driver.app().ui.commands.push_back(maskscope::explore);
        driver.settle();
    }
    const Heatmap* find(StageKind stage, int variant) {
        const auto& all = driver.app().ui.bench.figure.heatmaps;
        const auto found = std::find_if(all.begin(), all.end(), [&](const Heatmap& map) {
            return map.cells->stage == stage && map.variant == variant;
        });
        return found == all.end() ? nullptr : &*found;
    }
    Point in_window(Point p) {
        return {p.x + driver.app().ui.bench.figure_at.x, p.y + driver.app().ui.bench.figure_at.y};
    }
    Point middle(StageKind stage, Cell cell, int variant = shared_variant) {
        const Heatmap* map = find(stage, variant);
        if (map == nullptr) return {-1, -1};
        const Rect r = cell_rect(*map, cell.i, cell.j);
        return in_window({r.x + r.w / 2, r.y + r.h / 2});
    }
    void double_click(StageKind stage, Cell cell, int variant = shared_variant) {
        driver.double_click(middle(stage, cell, variant));
        driver.settle();
    }
    // Replaces the text of the field, and presses a key.
    void type(const std::string& text, int key = GLFW_KEY_ENTER, int modifiers = 0) {
        driver.type(text);
        driver.key(key, modifiers);
        driver.settle();
    }
    bool is_typing() { return driver.app().gui.editing.has_value(); }
    double number(StageKind stage, Cell cell, int variant = 0) {
        return session.shown()
            .variants.at(std::size_t(variant))
            .stage(stage)
            .at(0, 0, cell.i, cell.j);
    }
    Colour fill(StageKind stage, Cell cell, int variant = shared_variant) {
        const Rect r = cell_rect(*find(stage, variant), cell.i, cell.j);
        const Point at = in_window({r.x + r.w / 2, r.y + 5});
        return driver.pixels().at(at.x, at.y);
    }
    // Returns the middle of the first label with this text.
    std::optional<Point> label_at(const std::string& text) {
        driver.settle();
        for (const auto& label : driver.app().labels->drawn())
            if (label.text == text)
                return Point{label.rect.x + label.rect.w / 2, label.rect.y + label.rect.h / 2};
        return std::nullopt;
    }
    bool shows(const std::string& part) {
        driver.settle();
        const auto& drawn = driver.app().labels->drawn();
        return std::any_of(drawn.begin(), drawn.end(), [&](const auto& label) {
            return label.text.find(part) != std::string::npos;
        });
    }
    std::string message() { return session.message() ? session.message()->text : ""; }
    void show_stages(std::vector<StageKind> stages) {
        session.view().show.stages = std::move(stages);
        driver.settle();
    }
    const ScoresInputs* scores() { return std::get_if<ScoresInputs>(&session.scene().inputs); }

    Session session{std::make_unique<PlainBackend>()};
    Driver driver{session, 1600, 1400};  // space for Q, K and V
};

}  // namespace maskscope::ui
