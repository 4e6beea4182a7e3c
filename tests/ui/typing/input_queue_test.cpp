#include "app/window/typing/input_queue.h"

#include <GLFW/glfw3.h>
#include <gtest/gtest.h>

#include <random>

namespace maskscope {
namespace {

using Kind = InputEvent::Kind;

InputEvent move(double x, double y) { return {.kind = Kind::move, .at = {x, y}}; }
InputEvent button(bool down) { return {.kind = Kind::button, .code = 0, .down = down}; }
InputEvent key(int code, bool down, int modifiers = 0) {
    return {.kind = Kind::key, .code = code, .down = down, .modifiers = modifiers};
}
InputEvent typed(const std::string& text) { return {.kind = Kind::text, .text = text}; }

TEST(InputQueue, MovesAreMerged) {
    InputQueue queue;
    for (int k = 0; k < 100; ++k) queue.push(move(k, 2 * k));
    const Input input = queue.next_frame();
    EXPECT_EQ(input.pointer, (Point{99, 198}));
    EXPECT_TRUE(queue.empty());
}

TEST(InputQueue, APressAndItsReleaseNeverShareAFrame) {
    InputQueue queue;
    queue.push(move(5, 5));
    queue.push(button(true));
    queue.push(button(false));
    EXPECT_TRUE(queue.next_frame().buttons[0]);
    EXPECT_FALSE(queue.empty());
    EXPECT_FALSE(queue.next_frame().buttons[0]);
    EXPECT_TRUE(queue.empty());
}

TEST(InputQueue, NoClickIsLostHoweverSlowFramesAre) {
    InputQueue queue;
    constexpr int clicks = 40;
    for (int k = 0; k < clicks; ++k) {
        queue.push(move(k, k));
        queue.push(button(true));
        queue.push(button(false));
    }
    int presses = 0;
    bool before = false;
    while (!queue.empty()) {
        const Input input = queue.next_frame();
        if (input.buttons[0] && !before) {
            EXPECT_EQ(input.pointer, (Point{1.0 * presses, 1.0 * presses}));
            ++presses;
        }
        before = input.buttons[0];
    }
    EXPECT_EQ(presses, clicks);
}

// Each frame has one transition, and none is lost, whatever the events and their order.
TEST(InputQueue, OneTransitionAFrameOverRandomEvents) {
    std::mt19937 random(7);
    for (int round = 0; round < 200; ++round) {
        InputQueue queue;
        int pressed = 0;
        bool down = false;
        for (int k = 0; k < 30; ++k) {
            switch (random() % 4) {
                case 0:
                    queue.push(move(k, k));
                    break;
                case 1:
                    queue.push(button(down = !down));
                    break;
                case 2:
                    queue.push(key(GLFW_KEY_A, true));
                    ++pressed;
                    break;
                default:
                    queue.push(typed("x"));
            }
        }
        bool before = false;
        while (!queue.empty()) {
            const Input input = queue.next_frame();
            const int transitions =
                static_cast<int>(input.pressed.size()) + (input.buttons[0] != before ? 1 : 0);
            EXPECT_LE(transitions, 1);
            pressed -= static_cast<int>(input.pressed.size());
            before = input.buttons[0];
        }
        EXPECT_EQ(pressed, 0);
        EXPECT_EQ(before, down);
    }
}

TEST(InputQueue, WhatWasTypedComesBeforeTheKeyAndThePressThatFollow) {
    InputQueue queue;
    queue.push(typed("a"));
    queue.push(typed("b"));
    queue.push(key(GLFW_KEY_ENTER, true));
    const Input enter = queue.next_frame();
    EXPECT_EQ(enter.text, "ab");
    EXPECT_EQ(enter.pressed, std::vector<int>{GLFW_KEY_ENTER});

    queue.push(typed("c"));
    queue.push(button(true));
    const Input text = queue.next_frame();
    EXPECT_EQ(text.text, "c");
    EXPECT_FALSE(text.buttons[0]);
    EXPECT_TRUE(queue.next_frame().buttons[0]);
}

// Pushes events as a window system does: the key, its character, the key's release.
void push_typed(InputQueue& queue, char letter) {
    const int code = letter >= 'a' && letter <= 'z' ? letter - 'a' + GLFW_KEY_A : letter;
    queue.push(key(code, true));
    queue.push(typed(std::string(1, letter)));
    queue.push(key(code, false));
}

TEST(InputQueue, WhatIsTypedIntoAFieldComesAtOnce) {
    InputQueue queue;
    std::string text;
    for (int k = 0; k < 100; ++k) {
        const char letter = k % 7 == 6 ? ' ' : static_cast<char>('a' + k % 26);
        text += letter;
        push_typed(queue, letter);
    }
    queue.push(key(GLFW_KEY_LEFT_SHIFT, true));
    queue.push(key(GLFW_KEY_B, true, GLFW_MOD_SHIFT));
    queue.push(typed("B"));
    queue.push(key(GLFW_KEY_LEFT_SHIFT, false, GLFW_MOD_SHIFT));
    queue.push(key(GLFW_KEY_B, false));
    const Input input = queue.next_frame(true);
    EXPECT_EQ(input.text, text + "B");
    EXPECT_TRUE(input.pressed.empty()) << "a field takes letters as text, not as keys";
    EXPECT_TRUE(input.keys_down.empty());
    EXPECT_TRUE(queue.empty());
}

TEST(InputQueue, OtherKeysKeepTheirPlaceInTheTypedText) {
    InputQueue queue;
    push_typed(queue, 'a');
    queue.push(key(GLFW_KEY_LEFT, true));
    queue.push(key(GLFW_KEY_LEFT, false));
    push_typed(queue, 'b');
    for (int k = 0; k < 20; ++k) queue.push(key(GLFW_KEY_BACKSPACE, true));
    push_typed(queue, 'c');
    queue.push(key(GLFW_KEY_A, true, GLFW_MOD_CONTROL));
    std::vector<std::pair<std::string, std::size_t>> frames;  // text, and the keys after it
    while (!queue.empty()) {
        const Input input = queue.next_frame(true);
        if (!input.text.empty() || !input.pressed.empty())
            frames.emplace_back(input.text, input.pressed.size());
    }
    EXPECT_EQ(frames,
              (std::vector<std::pair<std::string, std::size_t>>{{"a", 1}, {"b", 20}, {"c", 1}}));
}

TEST(InputQueue, OldEventsAreNotReturnedAgain) {
    InputQueue queue;
    queue.push({.kind = Kind::wheel, .at = {0, 1}});
    queue.push({.kind = Kind::wheel, .at = {0, 2}});
    queue.push({.kind = Kind::drop, .text = std::string("/a/b\n/c d\0/e", 12)});
    queue.push({.kind = Kind::resize, .at = {640, 480}});
    const Input input = queue.next_frame();
    EXPECT_EQ(input.wheel, (Point{0, 3}));
    EXPECT_EQ(input.dropped, (std::vector<std::string>{"/a/b\n/c d", "/e"}));
    EXPECT_EQ(input.resized, (Point{640, 480}));
    const Input next = queue.next_frame();
    EXPECT_EQ(next.wheel, (Point{0, 0}));
    EXPECT_TRUE(next.dropped.empty());
    EXPECT_FALSE(next.resized);
}

TEST(InputQueue, ModifiersLastFromTheirPressToTheirRelease) {
    InputQueue queue;
    queue.push(key(GLFW_KEY_LEFT_CONTROL, true, 0));  // as the window system tells it
    EXPECT_EQ(queue.next_frame().modifiers, GLFW_MOD_CONTROL);
    queue.push(key(GLFW_KEY_LEFT_CONTROL, false, GLFW_MOD_CONTROL));
    EXPECT_EQ(queue.next_frame().modifiers, 0);
}

TEST(InputQueue, StrangeButtonsAndKeysAreHarmless) {
    InputQueue queue;
    for (const int code : {-1, 3, 7, 1000})
        queue.push({.kind = Kind::button, .code = code, .down = true});
    queue.push(key(-1, true));
    while (!queue.empty()) queue.next_frame();
    EXPECT_FALSE(queue.still().buttons[0]);
}

TEST(InputQueue, ThePointerLeavesAndComesBack) {
    InputQueue queue;
    queue.push(move(3, 4));
    queue.push({.kind = Kind::leave});
    EXPECT_FALSE(queue.next_frame().pointer_inside);
    queue.push(move(3, 5));
    EXPECT_TRUE(queue.next_frame().pointer_inside);
}

TEST(InputQueue, AKeyIsTheLetterPrintedOnIt) {
    EXPECT_EQ(key_by_letter(GLFW_KEY_Z, "z"), GLFW_KEY_Z);
    EXPECT_EQ(key_by_letter(GLFW_KEY_Y, "z"), GLFW_KEY_Z) << "a German keyboard";
    EXPECT_EQ(key_by_letter(GLFW_KEY_Q, "a"), GLFW_KEY_A) << "a French one";
    EXPECT_EQ(key_by_letter(GLFW_KEY_SEMICOLON, "m"), GLFW_KEY_M);
    EXPECT_EQ(key_by_letter(GLFW_KEY_Z, "я"), GLFW_KEY_Z) << "no letter from a to z: by its place";
    EXPECT_EQ(key_by_letter(GLFW_KEY_1, "&"), GLFW_KEY_1);
    EXPECT_EQ(key_by_letter(GLFW_KEY_PERIOD, ":"), GLFW_KEY_PERIOD) << "what a clicker sends";
    EXPECT_EQ(key_by_letter(GLFW_KEY_F5, nullptr), GLFW_KEY_F5);
}

}  // namespace
}  // namespace maskscope
