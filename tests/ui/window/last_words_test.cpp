// A failed assertion or SIGABRT keeps unsaved work, writes one line and exits with status 1.

#include "app/window/last_words.h"

#include <gtest/gtest.h>
#include <imgui.h>

#include <csignal>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

namespace maskscope {
namespace {

// gtest runs tests of this name first, while there are no threads that a fork would lose.
std::string offering(std::string said) {
    return said.append("; unsaved work is kept for the next start\n$");
}

void keep() { std::cerr << "kept, "; }

TEST(LastWordsDeathTest, AnAssertionOfImGuiKeepsWorkAndSaysOneLine) {
    ImGui::CreateContext();
    const auto assert_something = [] {
        const LastWords last_words(keep);
        ImGui::SetCurrentContext(nullptr);
        ImGui::NewFrame();
    };
    EXPECT_EXIT(assert_something(), testing::ExitedWithCode(1),
                offering("^kept, maskscope: an assertion failed at imgui.cpp:[0-9]+: .*"));
}

TEST(LastWordsDeathTest, AnIndexOutOfRangeDoesToo) {
    const auto index = [] {
        const LastWords last_words(keep);
        const std::vector<int> none;
        volatile std::size_t first = 0;
        std::cerr << none[first];
    };
    EXPECT_EXIT(index(), testing::ExitedWithCode(1),
                offering("^kept, maskscope: an assertion failed at stl_vector.h:[0-9]+: "
                         "__n < this->size\\(\\)"));
}

TEST(LastWordsDeathTest, AnAbortDoesToo) {
    const auto abort = [] {
        const LastWords last_words(keep);
        std::abort();
    };
    EXPECT_EXIT(abort(), testing::ExitedWithCode(1),
                offering("^kept, maskscope: a library ended the program \\(SIGABRT\\)"));
}

TEST(LastWordsDeathTest, WorkThatCannotBeKeptIsReported) {
    for (const auto& fails : std::vector<std::function<void()>>{
             [] { std::abort(); }, [] { std::raise(SIGSEGV); }, [] { end_with("again"); }}) {
        const auto abort = [&] {
            const LastWords last_words(fails);
            std::abort();
        };
        EXPECT_EXIT(abort(), testing::ExitedWithCode(1),
                    "^maskscope: a library ended the program \\(SIGABRT\\); could not keep "
                    "unsaved work\n$");
    }
}

// At that moment, the document may be changing in its own thread.
TEST(LastWordsDeathTest, AnotherThreadKeepsNothing) {
    const auto abort = [] {
        const LastWords last_words(keep);
        std::thread(std::abort).join();
    };
    EXPECT_EXIT(abort(), testing::ExitedWithCode(1), offering("^maskscope: a library ended .*"));
}

TEST(LastWordsDeathTest, WithoutAWindowOnlyTheLineIsSaid) {
    EXPECT_EXIT(end_with("x\n" + std::string(1000, 'y')), testing::ExitedWithCode(1),
                "^maskscope: x.u000ay{100,}…y{100,}\n$");
}

}  // namespace
}  // namespace maskscope
