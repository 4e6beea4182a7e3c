// The matrices of a variant: M of the bilinear score, W of its output.

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>

#include "app/window/panels/parts.h"
#include "app/window/panels/sidebar/sidebar.h"
#include "app/window/panels/words.h"
#include "core/edit/edit.h"
#include "core/scene/names.h"

namespace maskscope {

namespace {

struct Size {
    Index rows = 0, columns = 0;
};

// Returns the size without computing a seeded matrix, which may be large.
Size size_of(const Scene& scene, const Variant& variant, VariantMatrix which) {
    const bool score = which == VariantMatrix::score;
    const auto& given = score ? variant.score.matrix : variant.output.w;
    if (given) return {given->axes.at(0), given->axes.at(1)};
    if (score) return {d_q_of(scene.inputs).value_or(0), d_k_of(scene.inputs).value_or(0)};
    const bool joined = variant.output.kind == OutputKind::projected;
    const Index d = (joined ? heads_of(scene.inputs) : 1) * d_v_of(scene.inputs).value_or(0);
    return {d, d};
}

bool has_matrix(const Scene& scene, const Variant& variant, VariantMatrix which) {
    if (which == VariantMatrix::score)
        return has_score(scene.inputs) && variant.score.kind == ScoreKind::bilinear;
    return d_v_of(scene.inputs) && variant.output.kind != OutputKind::values;
}

std::string source_of(const std::optional<Array>& given) {
    if (!given) return "seeded";
    return given->file.empty() ? "in the scene" : given->file;
}

void draw_buttons(Gui& gui, Session& session, int lane, VariantMatrix which, bool given) {
    if (chip(gui, "identity").clicked)
        session.edit("type the identity",
                     [lane, which](Scene& scene) { set_matrix_identity(scene, lane, which); });
    if (!given) return;
    ImGui::SameLine();
    if (chip(gui, "seeded").clicked)
        session.edit("use a seeded matrix", [lane, which](Scene& scene) {
            Variant& variant = scene.variants.at(static_cast<std::size_t>(lane));
            (which == VariantMatrix::score ? variant.score.matrix : variant.output.w).reset();
        });
}

}  // namespace

void draw_matrix(Gui& gui, Session& session, int lane, const Variant& variant,
                 VariantMatrix which) {
    const Scene& scene = session.scene();
    if (!has_matrix(scene, variant, which)) return;
    const bool score = which == VariantMatrix::score;
    const std::string id = fmt::format("matrix/{}/{}", lane, score ? "M" : "W");
    const auto& given = score ? variant.score.matrix : variant.output.w;
    const Size size = size_of(scene, variant, which);
    label_pair(gui, fmt::format("{}  {} × {}", score ? "M" : "W", size.rows, size.columns),
               source_of(given), {.role = Role::dim}, {.role = Role::dim});
    if (size.rows > most_grid_rows || size.columns > most_grid_columns) return;
    ImGui::PushID(id.c_str());
    if (const auto matrix = variant_matrix(scene, lane, which))
        if (const auto entry = matrix_grid(gui, id, *matrix))
            session.edit("type a matrix", [lane, which, entry](Scene& edited) {
                set_matrix_number(edited, lane, which, entry->row, entry->column, entry->x);
            });
    draw_buttons(gui, session, lane, which, given.has_value());
    ImGui::PopID();
}

}  // namespace maskscope
