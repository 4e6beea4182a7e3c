#include "core/threads/pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>

namespace maskscope {
namespace {

TEST(Pool, DoesEachPartOnce) {
    for (const int threads : {1, 2, 3, 7}) {
        Pool pool(threads);
        EXPECT_EQ(pool.threads(), threads);
        for (const auto shares : {Pool::Shares::next, Pool::Shares::fixed})
            for (const std::size_t parts : {0U, 1U, 2U, 5U, 100U}) {
                std::vector<std::atomic<int>> done(parts);
                pool.run(parts, shares, [&](std::size_t part, int thread) {
                    EXPECT_LT(thread, threads);
                    ++done[part];
                });
                for (const auto& count : done) EXPECT_EQ(count, 1);
            }
    }
}

TEST(Pool, FixedSharesAreTheSameEveryTime) {
    Pool pool(3);
    std::vector<int> first(20), again(20);
    const auto run = [&](std::vector<int>& of) {
        pool.run(20, Pool::Shares::fixed, [&](std::size_t part, int thread) { of[part] = thread; });
    };
    run(first);
    run(again);
    EXPECT_EQ(first, again);
}

// A part's writes are visible after the run, without further synchronization: ThreadSanitizer
// checks it.
TEST(Pool, ManyRunsFollowOneAnother) {
    Pool pool(3);
    std::vector<int> numbers(64);
    for (int k = 0; k < 500; ++k) {
        pool.run(numbers.size(), k % 2 == 0 ? Pool::Shares::next : Pool::Shares::fixed,
                 [&](std::size_t part, int) { ++numbers[part]; });
        EXPECT_EQ(numbers[static_cast<std::size_t>(k) % 64], k + 1);
    }
}

TEST(Pool, TheFirstExceptionComesOutAndThePoolGoesOn) {
    for (const int threads : {1, 3}) {
        Pool pool(threads);
        for (const auto shares : {Pool::Shares::next, Pool::Shares::fixed})
            for (const std::size_t parts : {1U, 40U}) {
                EXPECT_THROW(pool.run(parts, shares,
                                      [](std::size_t, int) { throw std::runtime_error("no"); }),
                             std::runtime_error);
                std::atomic<int> done = 0;
                pool.run(10, shares, [&](std::size_t, int) { ++done; });
                EXPECT_EQ(done, 10);
            }
    }
}

// Part 0 fails; the other thread has begun a few of its parts by then.
TEST(Pool, PartsNotBegunAreLeftOutAfterAFailure) {
    Pool pool(2);
    for (const auto shares : {Pool::Shares::next, Pool::Shares::fixed}) {
        constexpr std::size_t parts = 4000;
        std::atomic<std::size_t> done = 0;
        EXPECT_THROW(pool.run(parts, shares,
                              [&](std::size_t part, int) {
                                  if (part == 0) throw std::runtime_error("no");
                                  std::this_thread::sleep_for(std::chrono::milliseconds(1));
                                  ++done;
                              }),
                     std::runtime_error);
        EXPECT_LT(done, parts / 2);
    }
}

}  // namespace
}  // namespace maskscope
