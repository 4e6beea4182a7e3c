// Draws the sidebar's section for a translator: the choice of an attention.

#include <algorithm>

#include "app/window/panels/parts.h"
#include "app/window/panels/sidebar/sidebar.h"
#include "core/edit/edit.h"
#include "core/scene/model.h"
#include "core/scene/names.h"

namespace maskscope {

std::string model_name(const Inputs& inputs) {
    const auto* model = std::get_if<ModelInputs>(&inputs);
    return model ? model->model : "";
}

void draw_model(Gui& gui, Session& session) {
    if (!is_trained(session.scene().inputs)) return;
    const ModelInputs model = *model_of(session.scene());
    const Index layers = layers_of(*model.loaded, model.attention);
    const auto words = names<ModelAttention>();
    const auto pressed =
        segments(gui, "attention", {words.begin(), words.end()}, static_cast<int>(model.attention));
    if (pressed) {
        const auto attention = static_cast<ModelAttention>(*pressed);
        const Index layer = std::min(model.layer, layers_of(*model.loaded, attention) - 1);
        session.edit("show another attention",
                     [&](Scene& scene) { show_attention(scene, attention, layer); });
    }
    if (layers < 2) return;
    if (const auto picked = picker(gui, "Layer", model.layer, layers))
        session.edit("show another layer",
                     [&](Scene& scene) { show_attention(scene, model.attention, *picked); });
}

}  // namespace maskscope
