// Gives a variant the settings of a framework.

#include <fmt/format.h>

#include <algorithm>

#include "app/show/views/view_entry.h"
#include "app/window/panels/sidebar/sidebar.h"
#include "app/window/widgets/widgets.h"
#include "core/frameworks/framework.h"

namespace maskscope {

namespace {

std::string tip_of(const Framework& framework) {
    constexpr std::string_view meanings[] = {"attend", "ignore", "a number that is added"};
    return fmt::format("{}\nTrue means {}. {}: {}", framework.says,
                       meanings[static_cast<std::size_t>(framework.true_means)], framework.version,
                       framework.source);
}

}  // namespace

void draw_frameworks(Gui& gui, Session& session, int index, const Variant& variant) {
    std::vector<std::string> names, tips;
    int chosen = -1;
    for (const Framework& framework : frameworks()) {
        if (framework.name == variant.name) chosen = static_cast<int>(names.size());
        names.push_back(framework.name);
        tips.push_back(tip_of(framework));
    }
    const ViewEntry* view = entry_of(ViewKind::frameworks);
    if (view) names.emplace_back("Compare them all");
    const bool over_weights = std::holds_alternative<WeightsInputs>(session.scene().inputs);
    const auto picked =
        combo(gui, fmt::format("framework/{}", index), names, chosen,
              {.name = "As in",
               .enabled = !over_weights,
               .tip = chosen < 0 ? "Handle the mask as a framework does. This sets how it is "
                                   "applied, the mask value, empty rows and the alignment of "
                                   "causal rules."
                                 : tips[chosen],
               .hint = "a framework",
               .tips = tips});
    if (!picked) return;
    if (*picked == std::ssize(frameworks())) {
        const std::string why = view->unavailable_reason(session.scene());
        if (why.empty())
            session.view().show.view = ViewKind::frameworks;
        else
            session.say(why, true);
        return;
    }
    const Framework& framework = frameworks()[*picked];
    session.edit("as in " + framework.name,
                 [&](Scene& scene) { set_framework(scene, index, framework); });
}

}  // namespace maskscope
