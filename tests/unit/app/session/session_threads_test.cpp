// Tests a session that is edited while it computes, above all for ThreadSanitizer.

#include <thread>

#include "app/session/computing.h"
#include "app/session/keeper.h"
#include "core/base/error.h"
#include "core/cpu/cpu_backend.h"
#include "core/lesson/address.h"
#include "core/lesson/fact_proposal.h"
#include "tests/unit/app/session/session_parts.h"

// Pango loads fonts in a thread of its own, and lends HarfBuzz one buffer under a lock, in
// libraries that ThreadSanitizer does not see.
#ifdef __SANITIZE_THREAD__
extern "C" const char* __tsan_default_suppressions();
extern "C" const char* __tsan_default_suppressions() {
    return "race:libfontconfig.so\nrace:libglib-2.0.so\nrace:libpango\nrace:libharfbuzz\n";
}
#endif

namespace maskscope {
namespace {

class SessionThreads : public testing::Test {
protected:
    void SetUp() override {
        Scene scene = large_scene();
        std::get<EmbeddingInputs>(scene.inputs).d_v = 2;  // so that the plane can be shown
        for (Variant& variant : scene.variants) variant.mask.layers.emplace_back();
        write_bytes(folder / "scene.json", write_scene(scene));
        ASSERT_TRUE(session.open(folder / "scene.json"));
        session.keeper().keep_in(folder / "state");
    }
    void frames(int count) {
        for (int frame = 0; frame < count; ++frame) {
            session.update();
            EXPECT_FALSE(session.results().bench().blocks.empty());
            std::this_thread::sleep_for(std::chrono::milliseconds(frame % 4));
        }
    }
    void block(Index i, Index j) {
        session.edit(
            "block a cell",
            [&](Scene& scene) {
                set_allowed(scene, {0, 1}, 0, 0, {i, j}, false);
            },
            "paint");
    }
    void expect_settled() {
        session.wait();
        EXPECT_EQ(session.shown().scene, session.scene());
        EXPECT_FALSE(session.computing());
    }

    Folder folder;
    std::atomic<int> woken = 0;
    Session session{std::make_unique<CpuBackend>(2), [this] { ++woken; }};
};

TEST_F(SessionThreads, EditsViewsAndUndoWhileItComputes) {
    for (const ViewKind kind : {ViewKind::plane, ViewKind::table, ViewKind::root_d,
                                ViewKind::pipeline, ViewKind::heads}) {
        session.view().show.view = kind;
        for (Index k = 0; k < 4; ++k) {
            block(20 + k, k);
            session.view().show.focus = Cell{k, 0};
            frames(1);
        }
        session.end_merge();
        if (kind == ViewKind::table) session.cancel();
        frames(2);
        session.undo();
        frames(1);
        session.redo();
    }
    expect_settled();
}

TEST_F(SessionThreads, FactsAndCounterexamplesWhileItIsEdited) {
    session.wait();
    session.begin_lesson();
    Fact fact = propose_fact(session.shown(), parse_address("B.sum[0,0,3]"), {});
    Address other = fact.address;
    other.with = {{"/variants/1/mask/apply", "\"none\""}};
    Fact beside = fact;
    beside.is = Relation::near;
    beside.than = Comparand{other, {}, {}};
    session.edit_lesson("facts", [&](Lesson& lesson, int& step) {
        lesson.steps[step].facts = {fact, beside};
    });
    for (Index k = 0; k < 6; ++k) {
        session.judge_draft(k % 2 == 0 ? fact : beside, 0);
        frames(2);
        session.judge_draft(fact, static_cast<std::size_t>(k));
        frames(1);
        block(30 + k, k);
        if (k == 3) session.cancel();
        if (k == 4) session.undo();
    }
    expect_settled();
    EXPECT_EQ(session.results().verdicts().size(), 2U);
    session.judge_draft(fact, 0);
    session.wait();
    EXPECT_TRUE(session.judge_draft(fact, 0).verdict);
}

TEST_F(SessionThreads, UnsavedWorkIsKeptWhileItComputes) {
    Keeper::Clock::time_point now{};
    for (Index k = 0; k < 6; ++k) {
        block(40 + k, k);
        session.keeper().something_happened(now);
        now += std::chrono::seconds(2);
        session.keeper().keep_if_due(session, now);
        frames(1);
    }
    session.keeper().wait();
    expect_settled();
    EXPECT_EQ(std::filesystem::is_empty(folder / "state"), false);
    EXPECT_FALSE(session.message());
    session.keeper().end();
    EXPECT_TRUE(std::filesystem::is_empty(folder / "state"));
}

TEST_F(SessionThreads, ItEndsWhileItComputes) {
    session.view().show.view = ViewKind::root_d;
    block(5, 0);
    session.update();
}

TEST_F(SessionThreads, WhatIsMadeAsideIsTakenByAnUpdate) {
    std::atomic<bool> goes_on = false;
    const auto waits = [&](Progress& progress) -> std::function<void()> {
        while (!goes_on && !progress.cancel) std::this_thread::yield();
        if (progress.cancel) throw Cancellation{};
        return [this] { session.say("It is made."); };
    };
    session.wait();
    ASSERT_TRUE(session.make_aside("a.png", "Could not export", waits));
    frames(3);
    EXPECT_EQ(session.made_aside(), "a.png");
    EXPECT_TRUE(session.computing());
    EXPECT_FALSE(session.make_aside("b.png", "Could not export", waits));
    EXPECT_EQ(session.message()->text,
              "Could not export: a.png is still in progress. Wait for it, or cancel it first.");
    goes_on = true;
    session.wait();
    EXPECT_EQ(session.message()->text, "It is made.");
    EXPECT_EQ(session.made_aside(), "");

    goes_on = false;
    ASSERT_TRUE(session.make_aside("b.png", "Could not export", waits));
    session.cancel();
    session.wait();
    EXPECT_EQ(session.message()->text, "Could not export: cancelled.");
    EXPECT_FALSE(session.message()->wrong);

    ASSERT_TRUE(session.make_aside(
        "c.png", "Could not export",
        [](Progress&) -> std::function<void()> { throw WorkError("the disk is full"); }));
    session.wait();
    EXPECT_EQ(session.message()->text, "Could not export: the disk is full");
    EXPECT_TRUE(session.message()->wrong);
}

}  // namespace
}  // namespace maskscope
