#pragma once
// The window on lesson 1 with what tests of its panels need: things are found by their text.

#include <GLFW/glfw3.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "app/window/paint/label_atlas.h"
#include "core/base/build.h"
#include "core/compute/plain.h"
#include "tests/support/folder.h"
#include "tests/ui/harness.h"

namespace maskscope {

namespace fs = std::filesystem;

inline const std::string lesson_file =
    source_folder() + "/assets/lessons/additive-or-multiplicative.json";

class InPanels : public ::testing::Test {
protected:
    InPanels() : session(std::make_unique<PlainBackend>()) {
        session.open(lesson_file);
        driver = std::make_unique<ui::Driver>(session);
    }

    const Rect& sidebar() { return driver->app().panels.sidebar; }
    const Rect& inspector() { return driver->app().panels.inspector; }
    const Scene& scene() const { return session.scene(); }
    const std::vector<std::string>& tokens() const { return scene().sequences[0].queries; }

    // Returns the middle of a text that is within a panel now.
    std::optional<Point> find(const std::string& text, const Rect& within) {
        driver->settle();
        for (const auto& drawn : driver->app().labels->drawn()) {
            const Point middle{drawn.rect.x + drawn.rect.w / 2, drawn.rect.y + drawn.rect.h / 2};
            if (drawn.text == text && within.contains(middle)) return middle;
        }
        return std::nullopt;
    }
    bool shows(const std::string& text, const Rect& within) {
        return find(text, within).has_value();
    }
    bool shows_part(const std::string& part, const Rect& within) {
        driver->settle();
        for (const auto& drawn : driver->app().labels->drawn())
            if (drawn.text.find(part) != std::string::npos &&
                within.contains({drawn.rect.x + drawn.rect.w / 2, drawn.rect.y + 1}))
                return true;
        return false;
    }
    Point place(const std::string& text, const Rect& within) {
        const auto at = find(text, within);
        EXPECT_TRUE(at) << "nothing says " << text;
        return at.value_or(Point{-1, -1});
    }
    void click(const std::string& text, const Rect& within) { driver->click(place(text, within)); }
    void click(const std::string& text) { click(text, sidebar()); }
    // Chooses a line of the bar's menu.
    void choose(const std::string& line) {
        click("⋯", top_bar());
        click(line, anywhere());
        driver->settle();
    }
    Rect anywhere() const {
        const Gui& gui = driver->app().gui;
        return {0, 0, static_cast<double>(gui.width), static_cast<double>(gui.height)};
    }
    Rect path_line() { return rect_of<PathLine>(driver->app()); }
    const Rect& lesson_head() { return driver->app().panels.lesson_head; }
    const Rect& lesson_foot() { return driver->app().panels.lesson_foot; }
    const Rect& top_bar() { return driver->app().panels.top_bar; }
    void enter() { driver->key(GLFW_KEY_ENTER); }

    Session session;
    std::unique_ptr<ui::Driver> driver;
};

}  // namespace maskscope
