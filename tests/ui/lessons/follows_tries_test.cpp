// Follows the Try of every step of the built-in lessons in the window, as its words say.

#include "app/session/files/load.h"
#include "app/style/labels.h"
#include "app/window/actions/actions.h"
#include "core/compute/plain.h"
#include "core/edit/edit.h"
#include "core/lesson/lesson.h"
#include "core/scene/mask_rules.h"
#include "core/scene/names.h"
#include "tests/ui/lessons/tries.h"

namespace maskscope::ui {
namespace {

bool shows(const Session& session, const Fact& fact) {
    PlainBackend plain;
    return judge(fact, session.shown(), plain, session.document().folder).holds;
}

// Returns for each cell whether it is allowed. (Rules are not compared, because painting may put
// the same cells into rules of another kind.)
std::vector<bool> allowed_cells(const Scene& scene) {
    const Shape shape = shape_of(scene);
    std::vector<bool> cells;
    for (int variant = 0; variant < std::ssize(scene.variants); ++variant)
        for (Index b = 0; b < shape.b; ++b)
            for (Index h = 0; h < shape.h; ++h)
                for (Index i = 0; i < shape.n_q; ++i)
                    for (Index j = 0; j < shape.n_k; ++j)
                        cells.push_back(is_allowed(scene, variant, b, h, {i, j}));
    return cells;
}

// Drops single axes: one row of scores may be written as [[1, 2]] or [[[[1, 2]]]].
void drop_single_axes(Array& array) {
    while (array.axes.size() > 2 && array.axes.front() == 1) array.axes.erase(array.axes.begin());
}

// Returns everything else that affects the computation, as it would be in a file.
std::string rest_of(Scene scene) {
    scene.show.reset();
    for (Variant& variant : scene.variants)
        std::erase_if(variant.mask.layers,
                      [](const MaskLayer& layer) { return !rule_of(layer.kind).is_bias(); });
    if (auto* given = std::get_if<ScoresInputs>(&scene.inputs)) {
        drop_single_axes(given->scores);
        if (given->values) drop_single_axes(*given->values);
    }
    return write_scene(scene);
}

// Returns the text of a panel, from its first line to its last, without labels that are cut off.
std::string said_in(Person& person, const Rect& panel) {
    std::string said;
    for (const Person::Label& label : person.labels())
        if (panel.contains(Person::middle(label.rect)) &&
            !is_cut({{}, label.text, label.style, Role::ink, Anchor::left, label.max_width}))
            said += (said.empty() ? "" : " ") + label.text;
    return said;
}

// Reads the Try. If the step asks first, uncovers the answer, as a lecturer does.
void read_try(Person& person, const std::string& words) {
    if (person.session.view().asks()) person.press_key(GLFW_KEY_PAGE_DOWN);
    const std::string text = person.session.words().try_this;
    EXPECT_TRUE(text.starts_with(words)) << text;
    EXPECT_NE(said_in(person, person.app().panels.lesson_head).find("Try: " + text),
              std::string::npos)
        << "the window does not show all of it: " << text;
}

// Presses the button beside the Try, for a reader whose panels are closed.
void open_what_it_needs(Person& person) {
    const std::string opener = try_opener(person.session, person.app().ui);
    if (opener.empty()) return;
    const Rect head = person.app().panels.lesson_head;
    for (const Person::Label& label : person.labels())
        if (label.text == opener && head.contains(Person::middle(label.rect)))
            return person.click(Person::middle(label.rect));
    ADD_FAILURE() << "the window does not offer: " << opener;
}

// Follows the Try in the step that the window shows, in which nothing was changed yet.
void follow(Person& person, const Try& entry) {
    Session& session = person.session;
    const Step& step = session.lesson()->steps[session.document().step];
    SCOPED_TRACE(step.title + ": " + entry.words);
    read_try(person, entry.words);
    if (step.try_shows) {
        EXPECT_FALSE(shows(session, *step.try_shows));
    }
    if (!explores(person.app().gui, person.app().ui)) open_what_it_needs(person);
    entry.follow(person);
    person.look();
    save_if_asked(person.driver, session.lesson()->name + "-" + std::to_string(entry.step));
    const Scene expected = scene_after_try(step, session.document().folder);
    EXPECT_EQ(allowed_cells(session.scene()), allowed_cells(expected));
    EXPECT_EQ(rest_of(session.scene()), rest_of(expected));
    EXPECT_TRUE(step.try_sets.empty() || session.document().is_saved())
        << "leaving asks, although nothing is the user's own";
    if (step.try_shows) {
        EXPECT_TRUE(shows(session, *step.try_shows)) << step.try_shows->says;
        const auto done = what_is_done(session);
        ASSERT_TRUE(done) << "the window does not say that it is done";
        EXPECT_NE(said_in(person, person.app().panels.lesson_head).find("✓ Done " + *done),
                  std::string::npos)
            << *done;
    }
}

class FollowsTrys : public testing::TestWithParam<std::string> {
protected:
    const std::vector<Try> entries = tries_of(GetParam());
    const LoadedLesson loaded = load_lesson("lesson:" + GetParam());
};

INSTANTIATE_TEST_SUITE_P(Lessons, FollowsTrys, testing::ValuesIn(lesson_names()),
                         [](const auto& lesson) {
                             std::string name = lesson.param;
                             std::ranges::replace(name, '-', '_');
                             return name;
                         });

// The user opens the lesson at a step, with the panels closed.
TEST_P(FollowsTrys, OfEachStepAlone) {
    for (const Try& entry : entries) {
        Session session(std::make_unique<PlainBackend>());
        session.open_lesson(loaded.lesson, loaded.folder, entry.step - 1);
        Person person(session);
        if (explores(person.app().gui, person.app().ui)) explore(person.app());
        follow(person, entry);
    }
}

// A class goes through the lesson: the window stays as the previous step left it.
TEST_P(FollowsTrys, OfAllStepsInTurn) {
    Session session(std::make_unique<PlainBackend>());
    session.open_lesson(loaded.lesson, loaded.folder);
    Person person(session);
    for (const Try& entry : entries) {
        while (session.document().step < entry.step - 1) {
            person.press_key(GLFW_KEY_PAGE_DOWN);
            // The class stays in the lesson when the course moves on to another one.
            const auto& ended = person.app().ui.ended;
            if (ended && ended->entered == session.entered()) session.next();
        }
        follow(person, entry);
    }
}

// Fails if the list lacks a step with a Try.
TEST(Trys, OfEveryStepAreFollowed) {
    for (const std::string& name : lesson_names()) {
        SCOPED_TRACE(name);
        std::vector<int> written, followed;
        const std::vector<Step> steps = load_lesson("lesson:" + name).lesson.steps;
        for (std::size_t k = 0; k < steps.size(); ++k)
            if (!steps[k].try_this.empty()) written.push_back(static_cast<int>(k) + 1);
        for (const Try& entry : tries_of(name)) followed.push_back(entry.step);
        EXPECT_EQ(followed, written);
    }
}

}  // namespace
}  // namespace maskscope::ui
