#include "core/threads/idle.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>

#include "core/base/large_array.h"

namespace maskscope {
namespace {

using std::chrono::milliseconds;

// Waits until the count is reached, however long the machine takes.
void wait_for(const std::atomic<int>& count, int expected) {
    while (count < expected) std::this_thread::sleep_for(milliseconds(1));
}

TEST(Idle, DoesItsWorkOnceAfterEachBusyTime) {
    std::atomic<int> done = 0;
    Idle idle(milliseconds(1), [&] { ++done; });
    { const Idle::Busy busy(idle); }
    wait_for(done, 1);
    { const Idle::Busy busy(idle); }
    wait_for(done, 2);
}

TEST(Idle, EndsWithoutWaiting) {
    std::atomic<int> done = 0;
    {
        Idle idle(std::chrono::hours(1), [&] { ++done; });
        const Idle::Busy busy(idle);
    }
    EXPECT_EQ(done, 0);
}

TEST(Idle, NothingIsDoneInTheMiddleOfABusyTime) {
    std::atomic<int> done = 0;
    Idle idle(milliseconds(1), [&] { ++done; });
    {
        const Idle::Busy busy(idle);
        { const Idle::Busy other(idle); }
        std::this_thread::sleep_for(milliseconds(100));
        EXPECT_EQ(done, 0);
    }
    wait_for(done, 1);
}

TEST(Idle, NobodyWaitsForItsWork) {
    std::atomic<int> begun = 0;
    std::atomic<bool> let_go = false;
    Idle idle(milliseconds(1), [&] {
        ++begun;
        while (!let_go) std::this_thread::sleep_for(milliseconds(1));
    });
    { const Idle::Busy busy(idle); }
    wait_for(begun, 1);
    const auto next = std::async(std::launch::async, [&] { const Idle::Busy busy(idle); });
    EXPECT_EQ(next.wait_for(std::chrono::seconds(20)), std::future_status::ready);
    let_go = true;
}

TEST(LargeArrays, MemoryIsUsedAgainUntilItIsReleased) {
    release_kept_blocks();
    constexpr std::size_t size = 1 << 20;
    const float* first = nullptr;
    {
        const LargeArray<float> numbers(size);
        first = numbers.data();
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(first) % 64, 0U);
    }
    EXPECT_GE(kept_bytes(), size * sizeof(float));
    {
        const LargeArray<float> numbers(size - 5);
        EXPECT_EQ(numbers.data(), first);
    }
    release_kept_blocks();
    EXPECT_EQ(kept_bytes(), 0U);
}

// aligned_alloc requires this.
TEST(LargeArrays, BlocksAreMultiplesOfTheirAlignment) {
    EXPECT_EQ(block_size(0), 64U);
    EXPECT_EQ(block_size(huge_page + 1), 2 * huge_page);
    for (std::size_t bytes = 1; bytes < std::size_t(1) << 40; bytes += bytes / 7 + 1) {
        const std::size_t whole = block_size(bytes);
        EXPECT_GE(whole, bytes);
        EXPECT_LE(whole, bytes + std::max({std::size_t(64), bytes / 8, huge_page}));
        EXPECT_EQ(whole % block_alignment(whole), 0U) << bytes;
        EXPECT_EQ(block_size(whole), whole) << bytes;
        if (bytes < huge_page) {
            EXPECT_LE(whole, bytes + std::max<std::size_t>(64, bytes / 8));
        }
    }
}

TEST(LargeArrays, HoldWhatIsPutIntoThem) {
    LargeArray<double> numbers(3, 1.5);
    numbers.resize(4);
    numbers[3] = 2;
    EXPECT_EQ(numbers, (LargeArray<double>{1.5, 1.5, 1.5, 2}));
    numbers.resize(1);
    EXPECT_EQ(numbers, LargeArray<double>{1.5});
    LargeArray<double> copy = numbers;
    copy[0] = 3;
    numbers.swap(copy);
    EXPECT_EQ(numbers[0], 3);
    EXPECT_EQ(copy[0], 1.5);
    EXPECT_TRUE(LargeArray<double>(0).empty());
    EXPECT_THROW(LargeArray<double>(SIZE_MAX / 4), std::bad_alloc);
}

}  // namespace
}  // namespace maskscope
