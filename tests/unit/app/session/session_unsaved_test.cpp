// Tests unsaved work: written as bytes and read back, and kept in a file that outlives a crash.

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "app/session/document.h"
#include "app/session/files/load.h"
#include "app/session/files/state_files.h"
#include "app/session/keeper.h"
#include "app/session/session.h"
#include "core/base/build.h"
#include "core/base/json_text.h"
#include "core/base/matrix.h"
#include "core/compute/plain.h"
#include "core/files/file.h"
#include "core/format/scene_json.h"
#include "core/lesson/lesson_edit.h"
#include "core/tensors/tensor_file.h"
#include "tests/support/full_disk.h"
#include "tests/unit/app/session/session_parts.h"

namespace maskscope {
namespace {

namespace fs = std::filesystem;

class UnsavedWork : public ::testing::Test {
protected:
    static void rename_first(Session& session) {
        ASSERT_TRUE(session.edit(
            "rename", [](Scene& s) { rename_token(s, 0, Side::queries, 0, "another"); }));
    }
    // Expects another session to continue where `session` is.
    static void expect_goes_on(const Session& session, Session& next) {
        const auto work = session.document().unsaved(session.view().show);
        ASSERT_TRUE(work);
        ASSERT_TRUE(next.restore_unsaved(unsaved_bytes(*work)));
        EXPECT_EQ(bench_scene(next), bench_scene(session));
        EXPECT_EQ(next.document().step, session.document().step);
        EXPECT_EQ(next.lesson() != nullptr, session.lesson() != nullptr);
        if (session.lesson()) {
            EXPECT_EQ(*next.lesson(), *session.lesson());
        }
        EXPECT_FALSE(next.document().is_saved());
        ASSERT_TRUE(next.document().unsaved(next.view().show));
        EXPECT_EQ(unsaved_bytes(*next.document().unsaved(next.view().show)), unsaved_bytes(*work));
    }

    Session session{std::make_unique<PlainBackend>()}, next{std::make_unique<PlainBackend>()};
    const Folder temporary;
    const fs::path folder = temporary.path();
};

TEST_F(UnsavedWork, NothingIsKeptOfWhatIsSaved) {
    session.new_scene();
    EXPECT_FALSE(session.document().unsaved(session.view().show));
    rename_first(session);
    EXPECT_TRUE(session.document().unsaved(session.view().show));
    session.undo();
    EXPECT_FALSE(session.document().unsaved(session.view().show));
}

// A lecture that goes on after a crash does not give the answer away.
TEST_F(UnsavedWork, AStepThatAskedAsksAgain) {
    session.open_lesson(load_lesson("lesson:break-it").lesson, ".");
    session.show_answer();
    session.edit_lesson("a title", [](Lesson& lesson, int&) { lesson.title = "Mine"; });
    expect_goes_on(session, next);
    EXPECT_FALSE(next.view().asks());
    session.next();
    ASSERT_TRUE(session.view().asks());
    expect_goes_on(session, next);
    EXPECT_TRUE(next.view().asks());
    session.show_answer();
    expect_goes_on(session, next);
    EXPECT_FALSE(next.view().asks());
    session.go_to_step(0);
    session.go_to_step(1);
    ASSERT_TRUE(session.view().asks()) << "again";
    expect_goes_on(session, next);
    EXPECT_TRUE(next.view().asks());
    session.show_answer();
    Json json = parse_json(unsaved_bytes(*session.document().unsaved(session.view().show)));
    json.erase("asks");  // from a version that did not keep it
    ASSERT_TRUE(next.restore_unsaved(write_json(json)));
    EXPECT_TRUE(next.view().asks());
}

// What a Try sets is in the lesson; what is beyond it is the user's.
TEST_F(UnsavedWork, WhatTheTryOfAStepSetsIsNotUnsaved) {
    const LoadedLesson loaded = load_lesson("lesson:additive-or-multiplicative");
    session.open_lesson(loaded.lesson, loaded.folder);
    const Scene tried = scene_after_try(loaded.lesson.steps[0], loaded.folder);
    session.edit("the Try", [&](Scene& scene) { scene.variants = tried.variants; });
    EXPECT_TRUE(session.document().is_saved());
    EXPECT_FALSE(session.document().unsaved(session.view().show));
    rename_first(session);
    EXPECT_FALSE(session.document().is_saved());
    session.undo();
    EXPECT_TRUE(session.document().is_saved());
    session.edit("another cell", [](Scene& scene) {
        set_allowed(scene, {0, 1}, 0, 0, {1, 0}, false);
    });
    EXPECT_FALSE(session.document().is_saved());
}

TEST_F(UnsavedWork, ASceneGoesOnAndBelongsToItsFile) {
    session.new_scene();
    ASSERT_TRUE(session.save_as(folder / "scene.json", false));
    rename_first(session);
    expect_goes_on(session, next);
    ASSERT_TRUE(next.save());
    EXPECT_TRUE(next.document().is_saved());
    Session third(std::make_unique<PlainBackend>());
    ASSERT_TRUE(third.open(folder / "scene.json"));
    EXPECT_EQ(third.scene().sequences[0].queries[0], "another");
}

TEST_F(UnsavedWork, AnEditedStepOfABuiltInLessonGoesOn) {
    ASSERT_TRUE(session.open(source_folder() + "/assets/lessons/heads.json"));
    session.go_to_step(2);
    session.next();
    rename_first(session);
    expect_goes_on(session, next);
    EXPECT_FALSE(next.document().saves_lesson()) << "the lesson itself was not edited";
    next.restore_step();
    EXPECT_TRUE(next.document().is_saved());
}

TEST_F(UnsavedWork, AHalfWrittenLessonGoesOn) {
    session.new_scene();
    session.begin_lesson();
    session.update();
    ASSERT_TRUE(session.results().lesson_problem()) << "it has no fact yet";
    ASSERT_TRUE(session.edit_lesson("write", [](Lesson& lesson, int& step) {
        lesson.steps[step].caption = "Half {A.weights[0,";
    }));
    expect_goes_on(session, next);
    EXPECT_TRUE(next.document().saves_lesson());
}

TEST_F(UnsavedWork, ATranslatorGoesOn) {
    ASSERT_TRUE(session.open(source_folder() + "/tests/data/views/translator.json"));
    ASSERT_TRUE(session.edit("rename", [](Scene& s) { s.variants[0].name = "another"; }));
    expect_goes_on(session, next);
}

// A figure's tensors are in the cache, which the user may empty. Opening the figure fills the cache
// again.
TEST_F(UnsavedWork, MissingTensorsAreReportedWithWhatToDo) {
    const fs::path figure = folder / "cache";
    fs::create_directory(figure);
    Stage numbers(1, 1, 1, 1, true);
    numbers.set_head(0, 0, Matrix::Constant(1, 1, 0.5));
    replace_file(figure / "s.npy", npy_bytes(numbers));
    replace_file(figure / "scene.json",
                 R"({"maskscope": 1, "sequences": [{"queries": ["a"]}], "variants": [{"name": "x"}],
                     "inputs": {"kind": "scores", "scores": "s.npy", "values": [[1]]}})");
    ASSERT_TRUE(session.open(figure / "scene.json")) << session.message()->text;
    ASSERT_TRUE(session.edit("rename", [](Scene& s) { s.variants[0].name = "another"; }));
    const std::string bytes = unsaved_bytes(*session.document().unsaved(session.view().show));
    fs::rename(figure, folder / "elsewhere");
    EXPECT_FALSE(next.restore_unsaved(bytes));
    EXPECT_NE(next.message()->text.find("Open the file or figure again"), std::string::npos)
        << next.message()->text;
    fs::rename(folder / "elsewhere", figure);
    expect_goes_on(session, next);
}

TEST_F(UnsavedWork, AnExerciseGoesOnWithItsSolutionKept) {
    ASSERT_TRUE(session.open(source_folder() + "/assets/lessons/decoding.json"));
    const auto& steps = session.lesson()->steps;
    const auto exercise =
        std::ranges::find_if(steps, [](const Step& step) { return step.exercise.has_value(); });
    ASSERT_NE(exercise, steps.end());
    session.go_to_step(int(exercise - steps.begin()));
    if (session.view().asks()) session.next();
    rename_first(session);
    expect_goes_on(session, next);
    EXPECT_TRUE(exercise_of(next));
    EXPECT_EQ(step_scene(next).variants, step_scene(session).variants);
}

TEST_F(UnsavedWork, OfAStepThatAsksGoesOnWithItsQuestion) {
    ASSERT_TRUE(session.open(source_folder() + "/assets/lessons/decoding.json"));
    const auto& steps = session.lesson()->steps;
    const auto asks =
        std::ranges::find_if(steps, [](const Step& step) { return !step.ask.empty(); });
    ASSERT_NE(asks, steps.end());
    session.go_to_step(int(asks - steps.begin()));
    ASSERT_TRUE(session.view().asks());
    rename_first(session);
    expect_goes_on(session, next);
    EXPECT_TRUE(next.view().asks());
}

TEST_F(UnsavedWork, AFailureToKeepItIsReportedAfterEachEdit) {
    const fs::path file = folder / "a file";
    replace_file(file, "");
    session.keeper().keep_in(file);
    for (int k = 0; k < 3; ++k) {
        ASSERT_TRUE(session.edit("a title", [&](Scene& s) { s.title = std::to_string(k); }));
        EXPECT_FALSE(session.message());
        for (const int seconds : {0, 2, 4}) {
            const Keeper::Clock::time_point now{std::chrono::seconds(100 * k + seconds)};
            session.keeper().something_happened(now);
            session.keeper().keep_if_due(session, now + std::chrono::seconds(1));
            session.keeper().wait();
        }
        ASSERT_TRUE(session.message()) << k;
        EXPECT_TRUE(session.message()->text.starts_with("Could not save the recovery file"));
    }
}

TEST_F(UnsavedWork, WhatIsSavedIsNoLongerKeptAtOnce) {
    using namespace std::chrono_literals;
    session.new_scene();
    rename_first(session);
    Keeper keeper;
    keeper.keep_in(folder / "state");
    const Keeper::Clock::time_point now{};
    keeper.something_happened(now);
    keeper.keep_if_due(session, now + 1s);
    keeper.wait();
    const auto kept = [&] {
        return std::ranges::count_if(fs::directory_iterator(folder / "state"), [](const auto& at) {
            return at.path().extension() == ".json";
        });
    };
    EXPECT_EQ(kept(), 1);
    ASSERT_TRUE(session.save_as(folder / "scene.json", true));
    keeper.something_happened(now + 1s);
    keeper.keep_if_due(session, now + 1s + 20ms);  // the next frame
    keeper.wait();
    EXPECT_EQ(kept(), 0);
}

// After a crash, another window or an editor saves the file before the work is recovered.
TEST_F(UnsavedWork, AFileThatChangedMeanwhileIsNotReplacedUnasked) {
    const fs::path file = folder / "scene.json";
    ASSERT_TRUE(session.save_as(file, false));
    rename_first(session);
    const std::string bytes = unsaved_bytes(*session.document().unsaved(session.view().show));
    ASSERT_TRUE(next.restore_unsaved(bytes));
    EXPECT_FALSE(next.document().changed_outside());
    Session other{std::make_unique<PlainBackend>()};
    ASSERT_TRUE(other.open(file));
    ASSERT_TRUE(other.edit("a title", [](Scene& scene) { scene.title = "Newer"; }));
    ASSERT_TRUE(other.save());
    const std::string newer = read_file(file);
    ASSERT_TRUE(next.restore_unsaved(bytes));
    EXPECT_TRUE(next.document().changed_outside());
    EXPECT_FALSE(next.save());
    EXPECT_EQ(read_file(file), newer);
}

TEST_F(UnsavedWork, OtherBytesChangeNothing) {
    session.new_scene();
    const Scene before = session.scene();
    for (const char* bytes : {"", "{}", "[1]", "{\"folder\": 1}", "{\"scene\": \"{}\"}"}) {
        EXPECT_FALSE(session.restore_unsaved(bytes)) << bytes;
        EXPECT_EQ(session.scene(), before);
        EXPECT_TRUE(session.message()->wrong);
    }
}

// Found by the fuzzer: an empty path, which std::filesystem does not make absolute, and a step that
// does not fit in an int.
TEST_F(UnsavedWork, OddPathsAndStepsAreRead) {
    ASSERT_TRUE(session.open(source_folder() + "/assets/lessons/heads.json"));
    rename_first(session);
    Json json = parse_json(unsaved_bytes(*session.document().unsaved(session.view().show)));
    json["path"] = json["folder"] = "";
    for (const double step : {1e308, -1e308, 0.5}) {
        json["step"] = step;
        ASSERT_TRUE(next.restore_unsaved(write_json(json))) << step;
        EXPECT_EQ(next.document().step, step > 1 ? std::ssize(next.lesson()->steps) - 1 : 0);
        ASSERT_TRUE(next.document().unsaved(next.view().show));
        EXPECT_FALSE(unsaved_bytes(*next.document().unsaved(next.view().show)).empty());
    }
}

// A run of the program that keeps the session's work.
struct OneRun {
    OneRun(Session& session, const fs::path& folder) {
        const Keeper::Clock::time_point now{};
        keeper.keep_in(folder);
        keeper.something_happened(now);
        keeper.keep_if_due(session, now + std::chrono::seconds(1));
        keeper.wait();
    }
    Keeper keeper;
};

// Both runs have the same process id, like two runs in containers.
TEST_F(UnsavedWork, AFileIsLeftBehindByARunThatIsGone) {
    session.new_scene();
    rename_first(session);
    const std::string lost = unsaved_bytes(*session.document().unsaved(session.view().show));
    { const OneRun crashed(session, folder); }  // not ended properly
    OneRun own(session, folder);
    const auto left = Keeper::left_behind(folder);
    ASSERT_EQ(left.size(), 1U) << "one's own is not left behind";
    EXPECT_EQ(read_file(left[0]), lost);
    own.keeper.end();
    EXPECT_EQ(Keeper::left_behind(folder), left) << "another run's file stays";
}

TEST_F(UnsavedWork, AFolderOfThatNameIsNotWork) {
    const Folder state;
    fs::create_directory(state / "unsaved-1.json");
    EXPECT_TRUE(Keeper::left_behind(state).empty());
}

TEST_F(UnsavedWork, APipeInPlaceOfALockDoesNotBlock) {
    const Folder state;
    std::ofstream(state / "unsaved-1.json") << "{}";
    ASSERT_EQ(::mkfifo((state / "unsaved-1.lock").c_str(), 0600), 0);
    EXPECT_EQ(Keeper::left_behind(state).size(), 1U);
}

TEST_F(UnsavedWork, ARunWithoutWorkRemovesNothing) {
    rename_first(session);
    { const OneRun crashed(session, folder); }
    OneRun own(next, folder);
    own.keeper.end();
    EXPECT_EQ(Keeper::left_behind(folder).size(), 1U);
}

TEST_F(UnsavedWork, ARunThatGoesOnIsNotLeftBehindAndNotDiscarded) {
    rename_first(session);
    const OneRun running(session, folder);
    EXPECT_TRUE(Keeper::left_behind(folder).empty());
    for (const auto& entry : fs::directory_iterator(folder)) Keeper::discard(entry.path());
    EXPECT_EQ(temporary.entries(), 2U) << "the file and its lock";
}

TEST_F(UnsavedWork, WhatWasLeftBehindIsRecoveredOrDiscarded) {
    rename_first(session);
    { const OneRun crashed(session, folder); }
    next.keeper().keep_in(folder);
    ASSERT_TRUE(next.open_left_behind(Keeper::left_behind(folder).at(0)));
    EXPECT_EQ(next.scene(), session.scene());
    EXPECT_TRUE(Keeper::left_behind(folder).empty()) << "it is the run's own";
    EXPECT_EQ(temporary.entries(), 2U);
    next.keeper().end();
    EXPECT_EQ(temporary.entries(), 0U);
    { const OneRun crashed(session, folder); }
    Keeper::discard(Keeper::left_behind(folder).at(0));
    EXPECT_EQ(temporary.entries(), 0U);
}

TEST_F(UnsavedWork, WhatIsRecoveredWhereNothingCanBeKeptStaysLeftBehind) {
    rename_first(session);
    { const OneRun crashed(session, folder); }
    const fs::path left = Keeper::left_behind(folder).at(0);
    next.keeper().keep_in("/proc/nowhere");
    EXPECT_FALSE(next.open_left_behind(left));
    EXPECT_EQ(next.scene(), session.scene());
    EXPECT_TRUE(fs::exists(left));
}

TEST_F(UnsavedWork, AFailureToKeepItIsReportedAndItIsKeptOnceItCan) {
    using namespace std::chrono_literals;
    session.new_scene();
    Keeper keeper;
    keeper.keep_in(folder / "state");
    Keeper::Clock::time_point now{};
    const auto keep = [&] {
        session.edit("a title", [](Scene& scene) { scene.title += 'x'; });
        keeper.something_happened(now);
        bool tells = keeper.keep_if_due(session, now += 2s);
        while (keeper.seconds_until_due(now)) tells |= keeper.keep_if_due(session, now);
        return tells;
    };
    { std::ofstream(folder / "state") << "a file"; }
    EXPECT_TRUE(keep());
    EXPECT_TRUE(session.message() && session.message()->wrong);
    fs::remove(folder / "state");
    EXPECT_FALSE(keep());
    EXPECT_FALSE(Keeper::left_behind(folder / "state").size());
    EXPECT_TRUE(fs::exists(folder / "state"));
    // The folder disappears while the program runs.
    fs::remove_all(folder / "state");
    EXPECT_FALSE(keep());
    EXPECT_FALSE(fs::is_empty(folder / "state"));
}

TEST_F(UnsavedWork, ItIsKeptWhenNothingHappensForASecondAndAfterFour) {
    using namespace std::chrono_literals;
    session.new_scene();
    rename_first(session);
    Keeper keeper;
    keeper.keep_in(folder);
    const Keeper::Clock::time_point start{};
    EXPECT_FALSE(keeper.seconds_until_due(start));
    for (int k = 0; k <= 7; ++k) keeper.something_happened(start + k * 500ms);
    EXPECT_DOUBLE_EQ(keeper.seconds_until_due(start + 3500ms).value(), 0.5) << "four at the latest";
    keeper.keep_if_due(session, start + 3900ms);
    EXPECT_TRUE(fs::is_empty(folder));
    keeper.keep_if_due(session, start + 4s);
    keeper.wait();
    EXPECT_FALSE(fs::is_empty(folder));
    EXPECT_FALSE(keeper.seconds_until_due(start + 4s));
    session.undo();
    keeper.something_happened(start + 5s);
    keeper.keep_if_due(session, start + 6s);
    keeper.wait();
    EXPECT_EQ(temporary.entries(), 1U) << "the lock: all is saved again";
}

// --- large arrays

// Returns a scene of 200 × 200 given scores, most of which have many digits.
Scene large_scene() {
    Scene scene;
    scene.sequences = {{std::vector<std::string>(200, "a"), std::nullopt}};
    std::vector<double> scores(200 * 200);
    for (std::size_t k = 0; k < scores.size(); ++k) scores[k] = 1 / (3.0 + static_cast<double>(k));
    scene.inputs = ScoresInputs{make_array({200, 200}, scores), std::nullopt, std::nullopt};
    scene.variants = {{}};
    scene.variants[0].name = "x";
    scene.variants[0].scale = {ScaleKind::none, 1};
    return scene;
}

std::size_t numbers_files(const fs::path& folder) {
    std::size_t count = 0;
    for (const auto& entry : fs::directory_iterator(folder))
        count += entry.path().extension() == ".safetensors" ? 1 : 0;
    return count;
}

TEST_F(UnsavedWork, LargeArraysStandInAFileOfTheirOwnAndComeBackToTheBit) {
    replace_file(folder / "large.json", write_scene(large_scene()));
    const Folder state;
    ASSERT_TRUE(session.open(folder / "large.json"));
    rename_first(session);
    { const OneRun crashed(session, state); }
    ASSERT_EQ(numbers_files(state), 1U);
    const fs::path left = Keeper::left_behind(state).at(0);
    EXPECT_LT(fs::file_size(left), 20'000U) << "the text holds no numbers";
    next.keeper().keep_in(state);
    ASSERT_TRUE(next.open_left_behind(left));
    EXPECT_EQ(next.scene(), session.scene());
    EXPECT_TRUE(std::get<ScoresInputs>(next.scene().inputs).scores.file.empty());

    next.keeper().keep_now(next);
    EXPECT_EQ(numbers_files(state), 1U) << "the run's own, in place of the one that it took over";
    { const OneRun crashed(next, state); }
    EXPECT_EQ(numbers_files(state), 2U);
    next.keeper().end();
    Keeper::discard(Keeper::left_behind(state).at(0));
    EXPECT_EQ(state.entries(), 0U);
}

TEST_F(UnsavedWork, WhatKilledRunsLeftGoesUnlessItIsNeeded) {
    replace_file(folder / "large.json", write_scene(large_scene()));
    const Folder state;
    ASSERT_TRUE(session.open(folder / "large.json"));
    rename_first(session);
    { const OneRun crashed(session, state); }
    const fs::path left = Keeper::left_behind(state).at(0);
    const OneRun living(session, state);
    Keeper::tidy(state);
    EXPECT_EQ(state.entries(), 6U) << "for each: the work, its numbers and its lock";
    fs::remove(left);
    fs::create_directory_symlink(state.path(), folder / "link");
    Keeper::tidy(folder / "link");
    EXPECT_EQ(state.entries(), 3U);
    std::ofstream(state / "unsaved-1.1.safetensors") << "x";
    std::ofstream(state / "unsaved-1.json") << "{";
    Keeper::tidy(state);
    EXPECT_EQ(state.entries(), 5U) << "what cannot be read may need them";
    fs::remove(state / "unsaved-1.json");
    for (const auto& entry : fs::directory_iterator(state.path()))
        if (entry.path().extension() == ".json") fs::remove(entry.path());
    Keeper::tidy(state);
    EXPECT_EQ(state.entries(), 2U) << "a living run is about to name its numbers";
}

TEST_F(UnsavedWork, LargeArraysAreWrittenAgainOnlyWhenTheyChange) {
    replace_file(folder / "large.json", write_scene(large_scene()));
    const Folder state;
    ASSERT_TRUE(session.open(folder / "large.json"));
    Keeper keeper;
    keeper.keep_in(state);
    const auto file = [&] {
        keeper.keep_now(session);
        for (const auto& entry : fs::directory_iterator(state.path()))
            if (entry.path().extension() == ".safetensors") return entry.path();
        return fs::path();
    };
    rename_first(session);
    const fs::path first = file();
    ASSERT_TRUE(
        session.edit("another", [](Scene& s) { rename_token(s, 0, Side::queries, 1, "more"); }));
    EXPECT_EQ(file(), first);
    ASSERT_TRUE(session.edit("number", [](Scene& s) {
        auto& inputs = std::get<ScoresInputs>(s.inputs);
        std::vector<double> scores = inputs.scores.values->float64s();
        scores[7] = 42;
        inputs.scores = make_array({200, 200}, scores);
    }));
    EXPECT_NE(file(), first);
    EXPECT_FALSE(fs::exists(first));
    keeper.end();
}

TEST_F(UnsavedWork, ADiskThatIsFullForAWhileTakesNoNumbersAway) {
    replace_file(folder / "large.json", write_scene(large_scene()));
    const Folder state;
    ASSERT_TRUE(session.open(folder / "large.json"));
    session.keeper().keep_in(state);
    rename_first(session);
    session.keeper().keep_now(session);
    ASSERT_TRUE(session.edit("number", [](Scene& s) {
        auto& inputs = std::get<ScoresInputs>(s.inputs);
        inputs.scores = make_array({200, 200}, std::vector<double>(200 * 200, 42));
    }));
    {
        const FullDisk full(1000);
        EXPECT_THROW(session.keeper().keep_now(session), WorkError);
    }
    session.undo();
    ASSERT_TRUE(session.edit("a title", [](Scene& scene) { scene.title = "Small"; }));
    session.keeper().keep_now(session);
    EXPECT_EQ(numbers_files(state), 1U);
    for (const auto& entry : fs::directory_iterator(state.path()))
        if (entry.path().extension() == ".json") {
            EXPECT_TRUE(next.restore_unsaved(read_file(entry.path()), state.path()));
        }
    EXPECT_EQ(next.scene(), session.scene());
}

TEST_F(UnsavedWork, RemovedWorkIsKeptAgain) {
    replace_file(folder / "large.json", write_scene(large_scene()));
    const Folder state;
    ASSERT_TRUE(session.open(folder / "large.json"));
    session.keeper().keep_in(state.path() / "s");
    rename_first(session);
    session.keeper().keep_now(session);
    fs::remove_all(state.path() / "s");
    session.keeper().keep_now(session);
    EXPECT_EQ(std::distance(fs::directory_iterator(state.path() / "s"), {}), 3)
        << "the work, its numbers, and a lock";
}

TEST_F(UnsavedWork, IsNotLostWhereItsComputationIsCancelled) {
    const Folder state;
    Scene large;
    large.sequences = {{TokenList(std::vector<std::string>(200, "word")), std::nullopt}};
    large.inputs = EmbeddingInputs{7, 1, 4, 2, 8};
    large.variants.resize(1);
    large.variants[0].name = "A";
    ASSERT_TRUE(session.open_scene(large, ".", "large"));
    session.wait();
    rename_first(session);
    { const OneRun crashed(session, state); }
    next.keeper().keep_in(state);
    next.wait();
    ASSERT_TRUE(next.open_left_behind(Keeper::left_behind(state).at(0)));
    next.cancel();
    next.wait();
    EXPECT_EQ(next.scene().sequences[0].queries[0], "another");
    EXPECT_FALSE(next.document().is_saved());
}

// The files are over a month old, or seem so because the clock jumped.
TEST_F(UnsavedWork, RearrangedNumbersStayWhileAWindowOrUnsavedWorkNeedsThem) {
    const Folder state;
    auto scratch = std::make_unique<ScratchFolder>(state / "opened");
    const fs::path numbers = scratch->path();
    const auto tidy = [&] {
        fs::last_write_time(numbers, fs::file_time_type::clock::now() - std::chrono::hours(1000));
        remove_old_scratch_folders(state / "opened", Keeper::needed_by_work(state).value());
        return !fs::exists(numbers);
    };
    EXPECT_FALSE(tidy()) << "a window shows them";
    ASSERT_TRUE(session.open_scene(small_scene(), numbers, "numbers"));
    rename_first(session);
    { const OneRun crashed(session, state); }
    scratch->keep();
    scratch.reset();
    EXPECT_FALSE(tidy()) << "they can be recovered";
    Keeper::discard(Keeper::left_behind(state).at(0));
    EXPECT_TRUE(tidy());
    replace_file(state / "unsaved-1.json", "{");
    EXPECT_FALSE(Keeper::needed_by_work(state));
}

TEST_F(UnsavedWork, WhatIsDamagedIsSetAside) {
    const Folder state;
    const fs::path damaged = state / "unsaved-00.json";
    replace_file(damaged, "{\"folder\": \"/\", \"sce");
    EXPECT_FALSE(session.open_left_behind(damaged));
    EXPECT_FALSE(fs::exists(damaged));
    EXPECT_TRUE(fs::exists(state / "unsaved-00.json.damaged"));
    EXPECT_TRUE(session.message()->wrong);
}

}  // namespace
}  // namespace maskscope
