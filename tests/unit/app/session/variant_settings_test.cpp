#include "app/session/edits/variant_settings.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/compute/plain.h"

namespace maskscope {
namespace {

using Kind = VariantSetting::Kind;

std::vector<std::string> names_of(const std::vector<VariantSetting>& settings) {
    std::vector<std::string> names;
    for (const VariantSetting& setting : settings) names.push_back(setting.name);
    return names;
}

// Nothing where the variant has no such setting.
std::optional<int> chosen_of(const Scene& scene, Kind kind) {
    for (const VariantSetting& setting : variant_settings(scene, 0))
        if (setting.kind == kind) return setting.chosen;
    return std::nullopt;
}

TEST(VariantSettings, AreThoseThatActOnTheVariant) {
    Session session(std::make_unique<PlainBackend>());
    EXPECT_EQ(names_of(what_if_settings(session.scene(), 0)),
              (std::vector<std::string>{"apply", "value", "dtype", "scale", "empty rows"}));
    EXPECT_FALSE(chosen_of(session.scene(), Kind::times)) << "−∞ twice is −∞";
    session.edit("", [](Scene& s) { s.variants[0].mask.value = {ValueKind::number, -1}; });
    EXPECT_EQ(chosen_of(session.scene(), Kind::times), 0);
    session.edit("", [](Scene& s) { s.variants[0].mask.apply = Apply::multiply_weights; });
    EXPECT_FALSE(chosen_of(session.scene(), Kind::value));
    EXPECT_FALSE(chosen_of(session.scene(), Kind::order));
}

TEST(VariantSettings, TheFieldsOfPresentingStayWhereTheyAre) {
    Session session(std::make_unique<PlainBackend>());
    const auto names = names_of(what_if_settings(session.scene(), 0));
    const int applies = static_cast<int>(variant_settings(session.scene(), 0)[0].choices.size());
    for (int choice = 0; choice < applies; ++choice) {
        choose_setting(session, 0, Kind::apply, choice);
        EXPECT_EQ(names_of(what_if_settings(session.scene(), 0)), names) << choice;
    }
}

TEST(VariantSettings, EveryChoiceCanBeChosenAndUndone) {
    Session session(std::make_unique<PlainBackend>());
    session.edit("", [](Scene& s) { s.variants[0].mask.value = {ValueKind::number, -1}; });
    const Scene before = session.scene();
    const auto settings = variant_settings(before, 0);
    EXPECT_EQ(settings.size(), 10U);
    for (const VariantSetting& setting : settings)
        for (int choice = 0; choice < std::ssize(setting.choices); ++choice) {
            choose_setting(session, 0, setting.kind, choice);
            EXPECT_EQ(chosen_of(session.scene(), setting.kind), choice)
                << setting.name << " " << setting.choices[choice];
            if (session.scene() != before) session.undo();
            EXPECT_EQ(session.scene(), before);
        }
}

TEST(VariantSettings, WhatIsNotThereIsNotChosen) {
    Session session(std::make_unique<PlainBackend>());
    session.edit("", [](Scene& s) { s.variants[0].mask.apply = Apply::multiply_weights; });
    const Scene before = session.scene();
    choose_setting(session, 0, Kind::value, 1);
    choose_setting(session, 0, Kind::dtype, 4);
    choose_setting(session, 0, Kind::dtype, -1);
    choose_setting(session, 30, Kind::dtype, 0);
    choose_setting(session, -1, Kind::dtype, 0);
    EXPECT_EQ(session.scene(), before);
}

TEST(VariantSettings, AValueOfOnesOwnIsNoneOfTheChoices) {
    Session session(std::make_unique<PlainBackend>());
    session.edit("", [](Scene& s) { s.variants[0].scale = {ScaleKind::number, 0.3}; });
    EXPECT_EQ(chosen_of(session.scene(), Kind::scale), -1);
}

}  // namespace
}  // namespace maskscope
