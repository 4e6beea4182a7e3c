#pragma once
// A user at the window: finds things by their text, and acts with a pointer and keys.

#include <GLFW/glfw3.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "app/figure/draw_cell.h"
#include "app/show/views/view_entry.h"
#include "app/window/paint/label_atlas.h"
#include "core/scene/names.h"
#include "tests/ui/harness.h"

namespace maskscope::ui {

class Person {
public:
    using Label = LabelAtlas::DrawnLabel;

    explicit Person(Session& shown) : session(shown), driver(shown, 2400, 1600) {}

    App& app() { return driver.app(); }
    const Scene& scene() { return session.scene(); }
    void look() {
        session.wait();
        driver.settle();
    }
    const std::vector<Label>& labels() {
        look();
        return app().labels->drawn();
    }
    static Point middle(const Rect& rect) { return {rect.x + rect.w / 2, rect.y + rect.h / 2}; }

    // --- pointer and keys

    void click(Point at) {
        driver.click(at);
        look();
    }
    void drag(Point from, Point to) {
        driver.drag(from, to, 24);
        look();
    }
    void press_key(int key) {
        driver.key(key);
        look();
    }
    // Types into the field that is open, in place of its text.
    void type(const std::string& text) {
        ASSERT_TRUE(app().gui.editing) << "no field is open for " << text;
        const TokenField& field = app().gui.editing->field;
        EXPECT_TRUE(field.has_all_selected() || field.text().empty());
        driver.type(text);
        press_key(GLFW_KEY_ENTER);
        EXPECT_FALSE(app().gui.editing) << text << " was not taken";
    }
    void type_over(Point at, const std::string& text) {
        driver.double_click(at);
        look();
        type(text);
    }
    // Opens a list and picks an entry that was not shown before.
    void pick(Point field, const std::string& choice) {
        const std::vector<Label> before = labels();
        click(field);
        for (const Label& label : labels())
            if (label.text == choice && std::ranges::none_of(before, [&](const Label& old) {
                    return old.text == choice && old.rect == label.rect;
                }))
                return click(middle(label.rect));
        ADD_FAILURE() << "no list offers " << choice;
    }

    // --- the left panel

    // Returns the middle of a text under a heading, after scrolling it into view. which: counts
    // from 0 in the order of reading; -1 is the last.
    Point left(const std::string& heading, const std::string& text, int which = 0) {
        return seen([=, this] { return find(heading, text, which); }, text);
    }
    // Returns the middle of the next text below another one; if `text` is given, of the next one
    // that says it.
    Point left_below(const std::string& heading, const std::string& above,
                     const std::string& text = "") {
        return seen(
            [=, this]() -> std::optional<Point> {
                const std::vector<Label> all = under(heading);
                auto at = std::ranges::find(all, above, &Label::text);
                while (at != all.end() && (at->text == above || at->text.empty() ||
                                           (!text.empty() && at->text != text)))
                    ++at;
                return at == all.end() ? std::nullopt : std::optional(middle(at->rect));
            },
            text.empty() ? above : text);
    }
    // Opens a variant; one that the previous step has left open stays open.
    void open_variant(char letter) {
        if (app().ui.sidebar.variant == letter - 'A') return;
        click(left("Variants", std::string(1, letter)));
        EXPECT_EQ(app().ui.sidebar.variant, letter - 'A');
    }
    // Choose, for the open variant, how its mask is applied, and a setting by its name.
    void choose(const std::string& way) {
        pick(left_below("Variants", "How the mask is applied"), way);
    }
    void set(const std::string& name, const std::string& choice) {
        pick(left("Variants", name), choice);
    }
    // Sets the alignment of the variant's rule that has this setting.
    void align(char variant, const std::string& choice) {
        click(left("Mask rules", std::string(1, variant)));
        pick(left("Mask rules", "Aligned"), choice);
    }
    void type_other(const std::string& name, const std::string& text) {
        set(name, "other…");
        type(text);
    }

    // --- the bench

    // Presses a tab or a chip. With the panels closed there are none; then the button of the Try
    // must already have shown the view.
    void press(const std::string& text) {
        const View& view = session.view();
        if (app().ui.bench.calm &&
            (text == "Q K V" ? view.show.vectors : text == label(shown_view(view, scene()))))
            return;
        for (const Label& label : labels())
            if (label.text == text && app().panels.bench.contains(middle(label.rect)))
                return click(middle(label.rect));
        ADD_FAILURE() << "nothing on the bench says " << text;
    }
    bool bench_says(const std::string& part) {
        return std::ranges::any_of(labels(), [&](const Label& label) {
            return label.text.find(part) != std::string::npos &&
                   app().panels.bench.contains(middle(label.rect));
        });
    }
    const Area& hull() {
        look();
        return app().ui.bench.figure.areas.at(0);
    }
    // Returns the middle of a cell of the first heatmap of this stage, or of the variant's heatmap
    // if `variant` is given.
    Point cell(StageKind stage, Cell cell, std::optional<int> variant = {}) {
        const Heatmap* map = heatmap(stage, variant);
        if (map == nullptr) return {-1, -1};
        const Point at = middle(cell_rect(*map, cell.i, cell.j)), origin = app().ui.bench.figure_at;
        const Point on_screen{at.x + origin.x, at.y + origin.y};
        EXPECT_TRUE(app().panels.bench.contains(on_screen)) << "the cell is out of sight";
        return on_screen;
    }
    // Return the index of the query or key with this token in the first sequence; second_key() that
    // of the second such key.
    Index query(const std::string& token) { return at(query_tokens(scene(), 0), token); }
    Index key(const std::string& token) { return at(key_tokens(scene(), 0), token); }
    Index second_key(const std::string& token) {
        const std::vector<std::string> tokens = key_tokens(scene(), 0);
        return std::find(tokens.begin() + key(token) + 1, tokens.end(), token) - tokens.begin();
    }
    // Returns the middle of the only cell that shows this number.
    Point number(StageKind stage, const std::string& text, std::optional<int> variant = {}) {
        const Heatmap* map = heatmap(stage, variant);
        std::vector<Cell> found;
        for (Index i = 0; map != nullptr && i < map->cells->rows; ++i)
            for (Index j = 0; j < map->cells->columns; ++j)
                if (text_of(*map, i, j) == text) found.push_back({i, j});
        EXPECT_EQ(found.size(), 1u) << text;
        return found.empty() ? Point{-1, -1} : cell(stage, found.front(), variant);
    }
    // Returns the middle of the token above column j of the mask.
    Point heading_of_column(Index j) {
        const Heatmap* map = heatmap(StageKind::allowed, {});
        if (map == nullptr) return {-1, -1};
        const std::string token = key_tokens(scene(), 0).at(j);
        const Point cell_below = cell(StageKind::allowed, {0, j});
        const double top = map->rect.y + app().ui.bench.figure_at.y;
        for (const Label& label : labels()) {
            const Point at = middle(label.rect);
            const bool above = at.y < top && at.y > top - 20;
            if (label.text == token && above && label.rect.contains({cell_below.x, at.y}))
                return at;
        }
        ADD_FAILURE() << "nothing above the mask says " << token;
        return {-1, -1};
    }
    Point ringed_cell() {
        return cell(StageKind::allowed, session.view().show.ring.value_or(Cell{-1, -1}));
    }

    Session& session;
    Driver driver;

private:
    const Heatmap* heatmap(StageKind stage, std::optional<int> variant) {
        look();
        for (const Heatmap& map : app().ui.bench.figure.heatmaps)
            if (map.cells->stage == stage &&
                (variant ? map.variant == *variant : !is_tensor_variant(map.variant)))
                return &map;
        ADD_FAILURE() << "no heatmap of " << label(stage);
        return nullptr;
    }
    static Index at(const std::vector<std::string>& tokens, const std::string& token) {
        EXPECT_GT(std::ranges::count(tokens, token), 0) << token;
        return std::ranges::find(tokens, token) - tokens.begin();
    }
    // Turns the wheel over the left panel until the thing is visible.
    template <class Find>
    Point seen(const Find& find_it, const std::string& what) {
        EXPECT_TRUE(shows_sidebar(app().gui, app().ui)) << "the left panel is hidden";
        const Rect& panel = app().panels.sidebar;
        const double margin = 14;
        for (int turns = 0; turns < 40; ++turns) {
            const std::optional<Point> at = find_it();
            if (!at) break;
            const bool above = at->y < panel.y + margin;
            if (!above && at->y < panel.bottom() - margin) return *at;
            driver.wheel({panel.x + 4, panel.y + panel.h / 2}, above ? 1 : -1);
        }
        ADD_FAILURE() << "nothing in the left panel says " << what;
        return {-1, -1};
    }
    std::optional<Point> find(const std::string& heading, const std::string& text, int which) {
        std::vector<Point> found;
        for (const Label& label : under(heading))
            if (label.text == text) found.push_back(middle(label.rect));
        const int count = static_cast<int>(found.size());
        const int at = which < 0 ? count - 1 : which;
        return at < 0 || at >= count ? std::nullopt : std::optional(found[at]);
    }
    // Returns what is drawn from a heading of the left panel to the next one, even if it is not
    // visible.
    std::vector<Label> under(const std::string& heading) {
        const auto is_heading = [](const Label& label) {
            const auto texts = {"Tokens", "Queries", "Keys", "Mask rules", "Variants", "Inputs"};
            return label.style.weight == Weight::semibold &&
                   std::ranges::count(texts, label.text) > 0;
        };
        const Rect& panel = app().panels.sidebar;
        std::vector<Label> found;
        bool is_under = false;
        for (const Label& label : labels()) {
            if (const double x = middle(label.rect).x; x < panel.x || x > panel.right()) continue;
            if (is_heading(label))
                is_under = label.text == heading;
            else if (is_under)
                found.push_back(label);
        }
        return found;
    }
};

}  // namespace maskscope::ui
