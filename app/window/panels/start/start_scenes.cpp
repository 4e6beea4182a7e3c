// The scenes that the start page opens and draws.

#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "app/window/paint/imgui_compat.h"
#include "app/window/panels/start/start_page.h"
#include "app/window/widgets/widgets.h"
#include "core/base/error.h"
#include "core/compute/plain.h"
#include "core/edit/edit.h"
#include "core/format/scene_json.h"
#include "core/scene/mask_rules.h"

namespace maskscope {

Scene scene_to_try(Scene scene, const StartPage& start) {
    const FirstMask& mask = first_masks.at(start.mask);
    const bool is_padded = start.mask == 1 || mask.crosses;
    std::vector<std::string> tokens = split_sentence(start.sentence);
    const std::vector<std::string> answer = split_sentence(start.answer);
    if (tokens.empty()) throw EditError("Type a sentence first.");
    if (mask.crosses && answer.empty()) throw EditError("Type the decoder's sentence, too.");
    if (is_padded) tokens.push_back(scene.pad_token);
    if (mask.crosses)
        scene.sequences = {{answer, tokens}};
    else
        scene.sequences = {{tokens, std::nullopt}};
    std::vector<MaskLayer>& layers = scene.variants.front().mask.layers;
    layers.clear();
    if (start.mask == 0) layers.push_back(new_layer(LayerKind::causal, shape_of(scene)));
    if (is_padded) layers.push_back(new_layer(LayerKind::padding, shape_of(scene)));
    if (start.mask == 2) {
        layers.push_back(new_layer(LayerKind::window, shape_of(scene)));
        layers.back().left = 2;
        layers.back().right = 0;
    }
    check_scene(scene);
    return scene;
}

// --- the picture

namespace {

Scene small_scene() {
    Scene scene;
    scene.sequences = {{{"a", "b", "c", "d", "e", "f"}, std::nullopt}};
    scene.inputs = EmbeddingInputs{.seed = 7, .d_k = 8, .d_v = 1};
    Variant before;
    before.mask.layers.emplace_back();  // causal
    Variant after = before;
    after.mask.apply = Apply::multiply_weights;
    scene.variants = {before, after};
    return scene;
}

std::array<SmallWeights, 2> weights_of(const Scene& scene) {
    Progress progress;
    const Result result = PlainBackend().compute(scene, {}, nullptr, progress);
    std::array<SmallWeights, 2> weights{};
    for (std::size_t k = 0; k < weights.size(); ++k)
        for (Index i = 0; i < Index{small_size}; ++i)
            for (Index j = 0; j < Index{small_size}; ++j) {
                const VariantResult& variant = result.variants[k];
                weights[k][i][j] = variant.is_allowed(0, 0, i, j)
                                       ? variant.stage(StageKind::weights).at(0, 0, i, j)
                                       : -1;
            }
    return weights;
}

void draw_blocked(const Rect& cell, Colour colour, double width) {
    ImDrawList& list = panel_list();
    list.PushClipRect(imgui_point({cell.x, cell.y}), imgui_point({cell.right(), cell.bottom()}),
                      true);
    const double step = cell.w / 3;
    for (double from = step / 2; from < 2 * cell.w; from += step)
        list.AddLine(imgui_point({cell.x + from, cell.y}),
                     imgui_point({cell.x + from - cell.h, cell.bottom()}), imgui_colour(colour),
                     static_cast<float>(width));
    list.PopClipRect();
}

}  // namespace

const std::array<SmallWeights, 2>& small_weights() {
    static const std::array<SmallWeights, 2> weights = weights_of(small_scene());
    return weights;
}

void draw_small_weights(Gui& gui, const SmallWeights& weights, const Rect& rect) {
    const double side = std::floor(rect.w / double{small_size});
    const double gap = std::max(1.0, points(gui, 1));
    for (std::size_t i = 0; i < small_size; ++i)
        for (std::size_t j = 0; j < small_size; ++j) {
            const Rect cell{rect.x + side * double(j), rect.y + side * double(i), side - gap,
                            side - gap};
            if (weights[i][j] < 0) {
                draw_blocked(cell, colours(gui)[Role::hatch], gap);
                continue;
            }
            panel_list().AddRectFilled(imgui_point({cell.x, cell.y}),
                                       imgui_point({cell.right(), cell.bottom()}),
                                       imgui_colour(map_colour(ColourMap::viridis, weights[i][j])));
        }
}

}  // namespace maskscope
