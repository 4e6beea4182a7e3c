#include "app/session/edits/variant_settings.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/compute/plain.h"

namespace maskscope {
namespace {

std::vector<std::string> names_of(const std::vector<WhatIfField>& fields) {
    std::vector<std::string> names;
    for (const WhatIfField& field : fields) names.push_back(field.name);
    return names;
}

int index_of(const std::vector<WhatIfField>& fields, const std::string& name) {
    for (std::size_t k = 0; k < fields.size(); ++k)
        if (fields[k].name == name) return static_cast<int>(k);
    return -1;
}

TEST(WhatIf, OffersWhatActsOnTheVariant) {
    Session session(std::make_unique<PlainBackend>());
    EXPECT_EQ(names_of(what_if_fields(session.scene(), 0)),
              (std::vector<std::string>{"apply", "value", "dtype", "scale", "empty rows"}));
    session.edit("", [](Scene& s) { s.variants[0].mask.apply = Apply::multiply_weights; });
    EXPECT_EQ(index_of(what_if_fields(session.scene(), 0), "value"), -1);
}

TEST(WhatIf, EveryChoiceCanBeChosenAndUndone) {
    Session session(std::make_unique<PlainBackend>());
    const Scene before = session.scene();
    const auto fields = what_if_fields(before, 0);
    for (std::size_t f = 0; f < fields.size(); ++f)
        for (std::size_t c = 0; c < fields[f].choices.size(); ++c) {
            choose_what_if(session, 0, static_cast<int>(f), static_cast<int>(c));
            const auto now = what_if_fields(session.scene(), 0);
            const int at = index_of(now, fields[f].name);
            ASSERT_GE(at, 0);
            EXPECT_EQ(now[at].chosen, static_cast<int>(c))
                << fields[f].name << " " << fields[f].choices[c];
            if (session.scene() != before) session.undo();
            EXPECT_EQ(session.scene(), before);
        }
}

TEST(WhatIf, AValueOfOnesOwnIsNoneOfTheChoices) {
    Session session(std::make_unique<PlainBackend>());
    session.edit("", [](Scene& s) { s.variants[0].scale = {ScaleKind::number, 0.3}; });
    const auto fields = what_if_fields(session.scene(), 0);
    EXPECT_EQ(fields[index_of(fields, "scale")].chosen, -1);
}

}  // namespace
}  // namespace maskscope
