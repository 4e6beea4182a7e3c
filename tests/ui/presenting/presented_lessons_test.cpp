// Presents every step of every lesson at three sizes of projectors, or at all common sizes if
// MASKSCOPE_ALL_SCREENS is set. With MASKSCOPE_PICTURES=FOLDER each picture is saved there for a
// person to look at.

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "app/session/files/load.h"
#include "app/show/views/view_entry.h"
#include "core/base/build.h"
#include "core/scene/names.h"
#include "tests/ui/presenting/presented.h"

namespace maskscope {
namespace {

struct Screen {
    int width, height;
};

void PrintTo(const Screen& screen, std::ostream* out) {
    *out << screen.width << "x" << screen.height;
}

std::vector<Screen> screens() {
    if (!std::getenv("MASKSCOPE_ALL_SCREENS")) return {{1024, 768}, {1280, 800}, {1920, 1080}};
    return {{1024, 768},  {1280, 720},  {1280, 800},  {1366, 768},
            {1600, 1000}, {1920, 1080}, {2560, 1440}, {3840, 2160}};
}

class PresentedLessons : public testing::TestWithParam<std::tuple<Screen, std::string>> {
protected:
    PresentedLessons()
        : screen(std::get<0>(GetParam())), session(std::make_unique<PlainBackend>()) {
        session.open(fs::path(source_folder() + "/assets/lessons") /
                     (std::get<1>(GetParam()) + ".json"));
        driver.emplace(session, screen.width, screen.height);
        driver->key(GLFW_KEY_F5);
    }

    // Shows each step and, if it asks first, the question before it; themes take turns.
    template <class Visit>
    void each_step(const Visit& visit) {
        for (std::size_t k = 0; k < session.lesson()->steps.size(); ++k) {
            session.go_to_step(static_cast<int>(k));
            session.view().theme = static_cast<ThemeKind>(k % 3);
            session.wait();
            driver->settle();
            visit();
            if (!session.view().asks()) continue;
            driver->key(GLFW_KEY_PAGE_DOWN);
            visit();
        }
    }

    std::string name() const {
        return fmt::format("{}-{:02}{}", std::get<1>(GetParam()), session.document().step + 1,
                           session.view().asks() ? "-asks" : "");
    }

    void save() {
        save_if_asked(*driver, fmt::format("{}-{}x{}", name(), screen.width, screen.height));
    }

    bool shows_one_pipeline() const {
        const View& view = session.view();
        const Shape shape = shape_of(session.shown().scene);
        return shown_view(view, session.shown().scene) == ViewKind::pipeline &&
               shown_sequences(view, shape).size() == 1 && shown_heads(view, shape).size() == 1;
    }

    // Allows for the rounding of sizes to whole pixels.
    void expect_title_and_caption() {
        const Step& step = session.lesson()->steps[session.document().step];
        const auto& drawn = driver->app().labels->drawn();
        const auto title = std::ranges::find(drawn, step.title, &LabelAtlas::DrawnLabel::text);
        ASSERT_NE(title, drawn.end());
        EXPECT_NEAR(title->style.size, screen.height / 20.0, 0.5);
        EXPECT_TRUE(std::ranges::any_of(drawn, [&](const auto& label) {
            return std::abs(label.style.size - screen.height / 24.0) <= 0.5;
        }));
    }

    // Expects one of these in view: the weights, or the stage that the fact is about; of the
    // variant that the fact is about, or shared. If the fact is about a difference that the step
    // does not show, expects this for both variants. If a cell is in focus, expects its arithmetic
    // below.
    void expect_weights() {
        if (session.view().asks()) return;
        const Address& fact =
            session.lesson()->steps[session.document().step].facts.front().address;
        const StageKind claimed = from_name<StageKind>(fact.of).value_or(StageKind::weights);
        std::vector<int> variants{fact.variant};
        if (fact.minus) variants.push_back(*fact.minus);
        if (fact.minus && session.view().show.difference) variants = {difference_variant};
        const auto& maps = driver->app().ui.bench.figure.heatmaps;
        for (const int variant : variants)
            EXPECT_TRUE(std::ranges::any_of(maps, [&](const Heatmap& map) {
                const StageKind stage = map.cells->stage;
                return (map.variant == variant || map.variant == shared_variant) &&
                       (stage == StageKind::weights || stage == claimed);
            })) << variant;
        if (!session.view().show.focus) return;
        EXPECT_TRUE(std::ranges::any_of(driver->app().labels->drawn(), [](const auto& label) {
            return label.text.find(" → ") != std::string::npos;
        }));
    }

    // Expects heatmaps of the sequence and the head that the fact names, or if it names none, of
    // the first shown ones.
    void expect_claimed_place() {
        if (shown_view(session.view(), session.shown().scene) != ViewKind::pipeline) return;
        const Shape shape = shape_of(session.shown().scene);
        const std::vector<AddressEntry>& at =
            session.lesson()->steps[session.document().step].facts.front().address.at;
        const auto index = [&](std::size_t axis, Index otherwise) {
            return at.size() > axis && at[axis].kind == AddressEntry::Kind::index ? at[axis].index
                                                                                  : otherwise;
        };
        const Index b = index(0, shown_sequences(session.view(), shape).front());
        const Index h = index(1, shown_heads(session.view(), shape).front());
        const Figure& figure = driver->app().ui.bench.figure;
        const auto is_there = [&](const Heatmap& map) { return map.b == b && map.h == h; };
        EXPECT_TRUE(std::ranges::any_of(figure.heatmaps, is_there) ||
                    std::ranges::any_of(figure.hidden, is_there));
    }

    void expect_numbers() {
        for (const Heatmap& map : driver->app().ui.bench.figure.heatmaps) {
            if (map.cells->stage == StageKind::output) continue;
            EXPECT_GE(map.number_size, screen.height / 36.0 - 1e-6)
                << static_cast<int>(map.cells->stage);
        }
    }

    // Expects no row or column of cells to be cut at the edge of the view.
    void expect_whole_cells() {
        for (const Heatmap& map : driver->app().ui.bench.figure.heatmaps) {
            const auto is_whole = [](double share, Index cells) {
                const double at = share * double(cells);
                return std::abs(at - std::round(at)) < 0.05;
            };
            const Zoom& z = map.zoom;
            EXPECT_TRUE(is_whole(z.x0, map.cells->columns) && is_whole(z.x1, map.cells->columns) &&
                        is_whole(z.y0, map.cells->rows) && is_whole(z.y1, map.cells->rows))
                << maskscope::name(map.cells->stage) << " " << map.variant;
        }
    }

    // Expects every heatmap of the figure, whole, and every row sum in view.
    void expect_all_in_view() {
        const Figure &figure = driver->app().ui.bench.figure, &whole = driver->app().ui.bench.whole;
        EXPECT_EQ(figure.sums.size(), whole.sums.size());
        ASSERT_EQ(figure.heatmaps.size(), whole.heatmaps.size());
        for (std::size_t k = 0; k < whole.heatmaps.size(); ++k)
            EXPECT_TRUE(figure.heatmaps[k].zoom == whole.heatmaps[k].zoom)
                << maskscope::name(whole.heatmaps[k].cells->stage) << " "
                << whole.heatmaps[k].variant;
    }

    Screen screen;
    Session session;
    std::optional<ui::Driver> driver;
};

INSTANTIATE_TEST_SUITE_P(Screens, PresentedLessons,
                         testing::Combine(testing::ValuesIn(screens()),
                                          testing::ValuesIn(lesson_names())));

// Makes all checks in one pass through the lesson, because computing and drawing take most of the
// time.
TEST_P(PresentedLessons, EveryStepIsLegible) {
    each_step([this] {
        SCOPED_TRACE(name());
        save();
        const bool is_wide = screen.width * 9 == screen.height * 16;
        test::expect_legible(driver->app(), is_wide);
        if (is_wide) expect_all_in_view();
        expect_title_and_caption();
        expect_claimed_place();
        const BenchState& bench = driver->app().ui.bench;
        if (shown_view(session.view(), session.shown().scene) == ViewKind::translator) {
            EXPECT_GT(bench.figure.heatmaps.size() + bench.figure.hidden.size(), 0u);
        }
        if (shown_view(session.view(), session.shown().scene) == ViewKind::pipeline) {
            expect_whole_cells();
        }
        if (!shows_one_pipeline()) return;
        expect_weights();
        expect_numbers();
    });
}

// The audience sees the answer where it saw the question: nothing becomes smaller or moves. Only a
// translation, whose words the question hides, has other rows.
TEST_P(PresentedLessons, TheAnswerMovesNothing) {
    const auto places = [this] {
        const Figure& figure = driver->app().ui.bench.figure;
        std::vector<std::tuple<StageKind, int, Index, Index, double, double, double>> all;
        for (const auto* maps : {&figure.heatmaps, &figure.hidden})
            for (const Heatmap& map : *maps)
                all.emplace_back(map.cells->stage, map.variant, map.b, map.h, map.rect.x,
                                 map.rect.y, map.rect.w);
        std::ranges::sort(all);
        return all;
    };
    for (std::size_t k = 0; k < session.lesson()->steps.size(); ++k) {
        session.go_to_step(static_cast<int>(k));
        session.wait();
        driver->settle();
        const ViewKind kind = shown_view(session.view(), session.shown().scene);
        if (kind != ViewKind::pipeline && kind != ViewKind::heads) continue;
        if (!session.view().asks() || is_trained(session.scene().inputs)) continue;
        SCOPED_TRACE(name());
        const auto asked = places();
        driver->key(GLFW_KEY_PAGE_DOWN);
        EXPECT_EQ(places(), asked);
    }
}

}  // namespace
}  // namespace maskscope
