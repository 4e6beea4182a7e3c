#include "core/large/block_cache.h"

#include <gtest/gtest.h>

#include <algorithm>
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
    EXPECT_FALSE(cache.find(1));  // 0 was read since
    EXPECT_TRUE(cache.find(0) && cache.find(2) && cache.find(3));
}

TEST(BlockCache, HoldsNoMoreBytesThanItMay) {
    Cache cache(1000);
    for (int key = 0; key < 10'000; ++key) {
        cache.keep(key, std::make_shared<const int>(key), std::size_t(key % 97 + 1));
        ASSERT_LE(cache.bytes(), 1000U);
    }
    cache.keep(-1, std::make_shared<const int>(-1), 5000);  // larger than all: alone
    EXPECT_EQ(cache.bytes(), 5000U);
    EXPECT_TRUE(cache.find(-1));
    EXPECT_FALSE(cache.find(9'999));
}

// Who asks later is served later: in ten thousand rounds of a greedy thread another gets its turns.
TEST(Turns, AreGivenInOrder) {
    Turns turns;
    std::vector<int> order;
    std::thread greedy;
    turns.lock();
    greedy = std::thread([&] {
        for (int k = 0; k < 1000; ++k) {
            const std::lock_guard turn(turns);
            order.push_back(0);
        }
    });
    std::thread other([&] {
        for (int k = 0; k < 1000; ++k) {
            const std::lock_guard turn(turns);
            order.push_back(1);
        }
    });
    while (turns.asked() < 3) std::this_thread::yield();
    turns.unlock();
    greedy.join();
    other.join();
    ASSERT_EQ(order.size(), 2000U);
    // While both want it they alternate, so that neither ends long before the other.
    const auto ones = std::count(order.begin(), order.begin() + 1000, 1);
    EXPECT_GE(ones, 400);
    EXPECT_LE(ones, 600);
}

}  // namespace
}  // namespace maskscope
