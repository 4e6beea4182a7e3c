#include "app/session/edits/variant_settings.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/compute/plain.h"

namespace maskscope {
namespace {

std::vector<std::string> names_of(const std::vector<WhatIf>& fields) {
    std::vector<std::string> names;
    for (const WhatIf& field : fields) names.emplace_back(field.setting->label);
    return names;
}

const Setting& named(std::string_view key) { return *find_setting(key); }

bool has_choices(const Scene& scene, std::string_view key) {
    return !choices_of(named(key), scene, 0).empty();
}

int chosen_in(const Scene& scene, const Setting& setting) {
    return chosen_of(choices_of(setting, scene, 0));
}

TEST(VariantSettings, AreThoseThatActOnTheVariant) {
    Session session(std::make_unique<PlainBackend>());
    EXPECT_EQ(names_of(what_if_settings(session.scene(), 0)),
              (std::vector<std::string>{"apply", "mask value", "dtype", "scale", "empty rows"}));
    EXPECT_FALSE(has_choices(session.scene(), "mask.times")) << "−∞ twice is −∞";
    session.edit("", [](Scene& s) { s.variants[0].mask.value = {ValueKind::number, -1}; });
    EXPECT_EQ(chosen_in(session.scene(), named("mask.times")), 0);
    session.edit("", [](Scene& s) { s.variants[0].mask.apply = Apply::multiply_weights; });
    EXPECT_FALSE(has_choices(session.scene(), "mask.value"));
    EXPECT_FALSE(has_choices(session.scene(), "mask.order"));
}

TEST(VariantSettings, TheFieldsOfPresentingStayWhereTheyAre) {
    Session session(std::make_unique<PlainBackend>());
    const auto names = names_of(what_if_settings(session.scene(), 0));
    const auto applies = std::ssize(choices_of(named("mask.apply"), session.scene(), 0));
    for (int choice = 0; choice < applies; ++choice) {
        choose_setting(session, 0, named("mask.apply"), choice);
        EXPECT_EQ(names_of(what_if_settings(session.scene(), 0)), names) << choice;
    }
}

TEST(VariantSettings, EveryChoiceCanBeChosenAndUndone) {
    Session session(std::make_unique<PlainBackend>());
    session.edit("", [](Scene& s) { s.variants[0].mask.value = {ValueKind::number, -1}; });
    const Scene before = session.scene();
    int menus = 0;
    for (const Setting& setting : settings()) {
        const auto count = std::ssize(choices_of(setting, before, 0));
        menus += count > 0 ? 1 : 0;
        for (int choice = 0; choice < count; ++choice) {
            choose_setting(session, 0, setting, choice);
            EXPECT_EQ(chosen_in(session.scene(), setting), choice) << setting.key;
            if (session.scene() != before) session.undo();
            EXPECT_EQ(session.scene(), before);
        }
    }
    EXPECT_GE(menus, 11);
}

TEST(VariantSettings, WhatIsNotThereIsNotChosen) {
    Session session(std::make_unique<PlainBackend>());
    session.edit("", [](Scene& s) { s.variants[0].mask.apply = Apply::multiply_weights; });
    const Scene before = session.scene();
    choose_setting(session, 0, named("mask.value"), 1);
    for (const int choice : {-1, 4}) choose_setting(session, 0, named("dtype"), choice);
    for (const int variant : {-1, 30}) choose_setting(session, variant, named("dtype"), 0);
    EXPECT_EQ(session.scene(), before);
}

TEST(VariantSettings, WhatIsTypedIsAnEditOrAMessage) {
    Session session(std::make_unique<PlainBackend>());
    const Scene before = session.scene();
    type_setting(session, 0, named("scale"), "0.3");
    EXPECT_EQ(chosen_in(session.scene(), named("scale")), -1) << "none of the choices";
    EXPECT_EQ(session.scene().variants[0].scale.number, 0.3);
    session.undo();
    EXPECT_EQ(session.scene(), before);
    type_setting(session, 0, named("mask.value"), "minus");
    EXPECT_EQ(session.scene(), before);
    EXPECT_EQ(session.message()->text, "\"minus\" is not a mask value: −∞, lowest or a number");
}

}  // namespace
}  // namespace maskscope
