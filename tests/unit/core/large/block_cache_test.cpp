#include "core/large/large_backend.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "core/threads/turns.h"

namespace maskscope {
namespace {

using Cache = BlockCache<int, int>;

TEST(BlockCache, KeepsWhatWasReadLast) {
    Cache cache(30);
    for (int key = 0; key < 3; ++key) cache.keep(key, std::make_shared<const int>(10 * key), 10);
    EXPECT_EQ(cache.bytes(), 30U);
    ASSERT_TRUE(cache.find(0));
    EXPECT_EQ(*cache.find(0), 0);
    cache.keep(3, std::make_shared<const int>(30), 10);
    EXPECT_FALSE(cache.find(1));  // 0 was read more recently
    EXPECT_TRUE(cache.find(0) && cache.find(2) && cache.find(3));
}

TEST(BlockCache, HoldsNoMoreBytesThanItMay) {
    Cache cache(1000);
    for (int key = 0; key < 10'000; ++key) {
        cache.keep(key, std::make_shared<const int>(key), std::size_t(key % 97 + 1));
        ASSERT_LE(cache.bytes(), 1000U);
    }
    cache.keep(-1, std::make_shared<const int>(-1), 5000);  // larger than the cache: kept alone
    EXPECT_EQ(cache.bytes(), 5000U);
    EXPECT_TRUE(cache.find(-1));
    EXPECT_FALSE(cache.find(9'999));
}

TEST(Turns, AreGivenInTheOrderInWhichTheyWereAsked) {
    Turns turns;
    std::vector<int> order;
    std::vector<std::thread> waiting;
    turns.lock();
    for (int who = 0; who < 8; ++who) {
        waiting.emplace_back([&, who] {
            const std::lock_guard turn(turns);
            order.push_back(who);
        });
        while (turns.asked() < static_cast<std::uint64_t>(who) + 2) std::this_thread::yield();
    }
    turns.unlock();
    for (std::thread& thread : waiting) thread.join();
    EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7}));
}

}  // namespace
}  // namespace maskscope
