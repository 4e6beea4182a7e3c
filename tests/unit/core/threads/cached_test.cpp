#include "core/threads/cached.h"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>

namespace maskscope {
namespace {

using Clock = SharedWorker::Clock;

// Two values that share a worker. The value of a key is its square; computations of medium and
// large cost wait until `goes_on` is set.
class CachedValues : public testing::Test {
protected:
    void want(Cached<int, int>& cached, int key, Cost cost) {
        if (!worker.is_due(cached, key)) return;
        worker.compute(cached, key, cost, [this, key, cost](const Progress& progress) {
            ++computed;
            while (cost != Cost::small && !goes_on && !progress.cancel) std::this_thread::yield();
            if (progress.cancel) throw Cancellation{};
            return key * key;
        });
    }
    // An update that wants `first` more urgently than `second`; 0: not wanted.
    void update(int first_key, int second_key, Cost cost = Cost::large) {
        worker.update(Clock::now() + std::chrono::milliseconds(1), [&] {
            if (first_key != 0) want(first, first_key, cost);
            if (second_key != 0) want(second, second_key, cost);
        });
    }
    void finish() {
        goes_on = true;
        while (worker.active()) worker.take();
    }

    std::atomic<int> computed = 0;
    std::atomic<bool> goes_on = false;
    Cached<int, int> first, second;
    SharedWorker worker;
};

TEST_F(CachedValues, AreComputedOnceForAKey) {
    for (int k = 0; k < 3; ++k) update(2, 3, Cost::small);
    EXPECT_EQ(computed, 2);
    EXPECT_EQ(*first.value(), 4);
    EXPECT_EQ(*second.value(), 9);
    update(4, 3, Cost::small);
    EXPECT_EQ(computed, 3);
    EXPECT_EQ(*first.value(), 16);
    first.forget();
    EXPECT_EQ(first.value(), nullptr);
    EXPECT_EQ(first.value_or_empty(), 0);
    update(4, 3, Cost::small);
    EXPECT_EQ(computed, 4);
}

TEST_F(CachedValues, AreComputedOneAfterTheOther) {
    update(2, 3);
    EXPECT_TRUE(first.under_way());
    EXPECT_FALSE(second.under_way());
    finish();
    EXPECT_TRUE(first.is_of(2));
    update(2, 3);
    EXPECT_TRUE(second.under_way());
    finish();
    EXPECT_EQ(*second.value(), 9);
    EXPECT_EQ(computed, 2);
}

TEST_F(CachedValues, GiveWayToWhatIsMoreUrgentAndAreDueAgain) {
    update(0, 3);
    ASSERT_TRUE(second.under_way());
    update(2, 3);  // cancels the second
    worker.take();
    EXPECT_FALSE(second.is_of(3));
    update(2, 3);
    EXPECT_TRUE(first.under_way());
    goes_on = true;
    while (!second.is_of(3)) update(2, 3);
    EXPECT_EQ(*first.value(), 4);
    EXPECT_EQ(*second.value(), 9);
}

TEST_F(CachedValues, DropWhatIsOutdatedForgottenOrNotWanted) {
    const std::function<void()> all[] = {[&] { update(4, 0); }, [&] { update(0, 0); },
                                         [&] { first.forget(); }};
    for (const auto& drop : all) {
        update(2, 0);
        ASSERT_TRUE(first.under_way());
        drop();
        finish();
        EXPECT_FALSE(first.is_of(2));
        EXPECT_EQ(first.value(), nullptr);
        goes_on = false;
    }
}

TEST_F(CachedValues, AreHeldUnlessSomethingMoreUrgentIsDue) {
    const auto hold_second = [&](int first_key) {
        worker.update({}, [&] {
            if (first_key != 0) want(first, first_key, Cost::large);
            worker.hold();
        });
    };
    update(0, 3);
    hold_second(0);
    EXPECT_FALSE(worker.is_cancelled());
    hold_second(2);
    EXPECT_TRUE(worker.is_cancelled());
}

TEST_F(CachedValues, AreNotDueAgainOnceGivenUp) {
    update(2, 0);
    worker.give_up(first, 2);
    worker.take();
    EXPECT_TRUE(first.is_of(2));
    EXPECT_TRUE(first.is_given_up());
    EXPECT_EQ(first.value(), nullptr);
    update(2, 0);
    EXPECT_FALSE(worker.active());
    update(3, 0);
    EXPECT_TRUE(worker.active());
    EXPECT_FALSE(first.is_given_up());
}

TEST_F(CachedValues, AreDueAgainIfMemoryRunsOutOnThisThreadOnly) {
    const auto update = [&](Cost cost, const auto& make) {
        worker.update({}, [&] {
            if (worker.is_due(first, 2)) worker.compute(first, 2, cost, make);
        });
    };
    const auto throws = [](Progress&) -> int { throw std::bad_alloc(); };
    EXPECT_THROW(update(Cost::small, throws), std::bad_alloc);
    EXPECT_FALSE(first.is_of(2));
    update(Cost::large, throws);
    EXPECT_THROW(worker.take(), std::bad_alloc);
    EXPECT_TRUE(first.is_of(2));
    EXPECT_EQ(first.value(), nullptr);
}

}  // namespace
}  // namespace maskscope
