// Draws the sheet for opening a file of tensors: layer and sequence, which tensor is which, the
// scale, the tokens. The open document stays open until Open is pressed.

#include <GLFW/glfw3.h>
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "app/style/labels.h"
#include "app/window/actions/actions.h"
#include "app/window/context/app.h"
#include "app/window/paint/imgui_compat.h"
#include "app/window/panels/panels.h"
#include "app/window/panels/parts.h"
#include "app/window/widgets/focus.h"
#include "core/base/error.h"
#include "core/base/number_text.h"
#include "core/edit/edit.h"

namespace maskscope {

namespace {

// Lengths in points.
constexpr double sheet_width = 760, sheet_padding = 24, sheet_margin = 16, line = 32, row_gap = 8;
constexpr double tensor_row = 34, heading_row = 26, scrollbar_room = 12, note_line = 18,
                 title_line = 26, outcome_lines = 38, role_width = 136, name_column = 96;
constexpr std::size_t most_rows = 200;  // the most tensors in the table
constexpr Index most_listed = 64;       // choices in a list; from more, an index is typed

const LabelOptions dim_text{.role = Role::dim};

// --- choices

std::string layer_name(const std::string& group) {
    return group.empty() ? "all tensors" : printable(group);
}

// Draws a list with an arrow on either side of the choice. Returns a new choice.
std::optional<int> stepped_combo(Gui& gui, const std::string& id,
                                 const std::vector<std::string>& choices, int chosen,
                                 double width) {
    std::optional<int> picked = combo(gui, id, choices, chosen, {.width = width});
    ImGui::PushID(id.c_str());
    same_line(gui, 4);
    if (button(gui, "‹", {.enabled = chosen > 0, .width = 28})) picked = chosen - 1;
    same_line(gui, 4);
    if (button(gui, "›", {.enabled = chosen + 1 < std::ssize(choices), .width = 28}))
        picked = chosen + 1;
    ImGui::PopID();
    return picked;
}

// Draws dimmed words after the last item.
void draw_beside(Gui& gui, const std::string& words) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    draw_text(gui, {.at = {at.x, at.y + points(gui, line) / 2},
                    .text = words,
                    .style = {.size = 13 * gui.scale},
                    .role = Role::dim});
    take_room(1, points(gui, line));
}

void begin_row(Gui& gui, const std::string& name) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    draw_text(gui, {.at = {at.x, at.y + points(gui, line) / 2},
                    .text = name,
                    .style = {.size = 13 * gui.scale},
                    .role = Role::dim,
                    .max_width = points(gui, name_column - 6)});
    set_cursor(at.x + points(gui, name_column), at.y);
}

bool draw_group(Gui& gui, TensorSheet& sheet) {
    const DumpPlan& plan = sheet.plan;
    if (plan.groups.size() < 2) return false;
    begin_row(gui, "Layer");
    std::vector<std::string> names;
    for (const std::string& group : plan.groups) names.push_back(layer_name(group));
    const auto at = std::ranges::find(plan.groups, plan.group) - plan.groups.begin();
    const auto picked = stepped_combo(gui, "layer", names, static_cast<int>(at), 240);
    if (picked) sheet.choice.group = plan.groups[*picked];
    return picked.has_value();
}

// Draws the choice of an index, such as "3 of 12".
std::optional<Index> draw_axis(Gui& gui, const std::string& name, Index chosen, Index count,
                               bool offers_all) {
    begin_row(gui, name);
    if (count > most_listed) {
        ImGui::PushID(name.c_str());
        const auto typed = number_field(
            gui, name, static_cast<double>(chosen + 1),
            {.low = 1, .high = static_cast<double>(count), .whole = true, .width = 110});
        same_line(gui, 10);
        draw_beside(gui, fmt::format("of {}", count));
        ImGui::PopID();
        return typed ? std::optional(static_cast<Index>(*typed) - 1) : std::nullopt;
    }
    std::vector<std::string> names;
    if (offers_all) names.push_back(fmt::format("all {}", count));
    for (Index k = 0; k < count; ++k) names.push_back(fmt::format("{} of {}", k + 1, count));
    const Index first = offers_all ? 1 : 0;
    const auto picked = stepped_combo(gui, name, names, static_cast<int>(chosen + first), 240);
    return picked ? std::optional<Index>(*picked - first) : std::nullopt;
}

bool draw_axes(Gui& gui, TensorSheet& sheet) {
    const DumpPlan& plan = sheet.plan;
    bool changed = false;
    if (plan.layers > 1)
        if (const auto picked = draw_axis(gui, "Layer", plan.layer, plan.layers, false)) {
            sheet.choice.layer = *picked;
            changed = true;
        }
    if (plan.sequences < 2) return changed;
    const bool all = plan.sequences <= most_sequences;
    if (const auto picked =
            draw_axis(gui, "Sequence", plan.sequence.value_or(-1), plan.sequences, all)) {
        sheet.choice.sequence.reset();
        if (*picked >= 0) sheet.choice.sequence = *picked;
        changed = true;
    }
    return changed;
}

// --- the table

const std::vector<std::string>& role_words() {
    static const std::vector<std::string> words = [] {
        std::vector<std::string> all;
        for (std::size_t role = 0; role < tensor_role_count; ++role)
            all.emplace_back(label(static_cast<TensorRole>(role)));
        return all;
    }();
    return words;
}

// The places of the columns, in pixels from the left.
struct Columns {
    double shape, dtype, role;
};

Columns columns_in(const Gui& gui, double room) {
    const double role = room - points(gui, role_width);
    return {role - points(gui, 236), role - points(gui, 68), role};
}

void draw_column_names(Gui& gui, double room) {
    const Columns at = columns_in(gui, room);
    const Rect row = row_at_cursor(gui, heading_row);
    const auto name = [&](double x, const char* text) {
        draw_text(gui, {.at = {row.x + x, row.y + row.h / 2},
                        .text = text,
                        .style = {.size = 12 * gui.scale},
                        .role = Role::dim});
    };
    name(0, "Tensor");
    name(at.shape, "Shape");
    name(at.dtype, "Type");
    name(at.role + points(gui, 10), "Used as");
    take_room(row.w, row.h);
}

std::string shape_words(const std::vector<Index>& axes) {
    return axes.empty() ? "one number" : fmt::format("{}", fmt::join(axes, " × "));
}

bool draw_tensor(Gui& gui, TensorSheet& sheet, const DumpTensor& tensor, double room) {
    const Rect row = row_at_cursor(gui, tensor_row);
    const Columns at = columns_in(gui, room);
    const TensorRole role = role_of(sheet.choice, tensor);
    const bool used = std::ranges::count(sheet.plan.with_role, &tensor) > 0;
    const auto text = [&](double x, double end, const std::string& words) {
        draw_text(gui, {.at = {row.x + x, row.y + row.h / 2},
                        .text = words,
                        .style = {.size = 13 * gui.scale},
                        .role = used ? Role::ink : Role::dim,
                        .max_width = std::max(1.0, end - x - points(gui, 10))});
    };
    text(0, at.shape, printable(tensor.tensor.name));
    text(at.shape, at.dtype, shape_words(tensor.tensor.axes));
    text(at.dtype, at.role, tensor.tensor.dtype.empty() ? "?" : printable(tensor.tensor.dtype));
    set_cursor(row.x + at.role, row.y + points(gui, 1));
    const auto picked =
        combo(gui, tensor.tensor.name, role_words(), static_cast<int>(role), {.width = role_width});
    if (picked) choose_role(sheet.choice, sheet.plan, tensor, static_cast<TensorRole>(*picked));
    set_cursor(row.x, row.bottom());
    return picked.has_value();
}

// --- questions that the file does not answer

bool draw_ways(Gui& gui, TensorSheet& sheet) {
    const DumpPlan& plan = sheet.plan;
    if (plan.ways.size() < 2) return false;
    begin_row(gui, "Open");
    std::vector<std::string> names;
    for (const TensorRole way : plan.ways)
        names.emplace_back(way == TensorRole::queries ? "Queries and keys" : label(way));
    const auto at = std::ranges::find(plan.ways, plan.way) - plan.ways.begin();
    const auto picked = segments(gui, "way", names, static_cast<int>(at), 420);
    if (picked) sheet.choice.opens = plan.ways[*picked];
    return picked.has_value();
}

// Returns an order of axes, described in words.
std::string axes_words(const DumpPlan& plan, const std::string& axes) {
    const bool merges = axes == "bnd";
    if (plan.way == TensorRole::scores || plan.way == TensorRole::weights)
        return merges ? "sequences" : axes.ends_with("nhd") ? "tokens, heads" : "heads";
    return merges ? "sequences, tokens" : axes.ends_with("nhd") ? "tokens, heads" : "heads, tokens";
}

bool draw_order(Gui& gui, TensorSheet& sheet) {
    if (!sheet.plan.asks_axes) return false;
    begin_row(gui, "Axes");
    std::vector<std::string> words;
    for (const std::string& axes : sheet.plan.axes_ways)
        words.push_back(axes_words(sheet.plan, axes));
    const auto chosen = std::ranges::find(sheet.plan.axes_ways, sheet.choice.axes);
    const bool is_open = chosen == sheet.plan.axes_ways.end();  // the file does not say
    const auto picked =
        segments(gui, "axes", words,
                 is_open ? -1 : static_cast<int>(chosen - sheet.plan.axes_ways.begin()), 420);
    if (picked) sheet.choice.axes = sheet.plan.axes_ways[*picked];
    return picked.has_value();
}

bool draw_truth(Gui& gui, TensorSheet& sheet) {
    const DumpPlan& plan = sheet.plan;
    if (!plan.asks_truth) return false;
    begin_row(gui, "True means");
    const int chosen = !plan.true_blocks ? -1 : *plan.true_blocks ? 1 : 0;
    const auto picked =
        segments(gui, "truth", {"the key is allowed", "the key is blocked"}, chosen, 420);
    if (picked) sheet.choice.true_blocks = *picked == 1;
    return picked.has_value();
}

bool draw_scale(Gui& gui, TensorSheet& sheet) {
    const DumpPlan& plan = sheet.plan;
    if (!plan.asks_scale) return false;
    begin_row(gui, "Scale");
    std::vector<std::string> names;
    std::vector<Scale> scales;
    if (plan.d_k) {
        names.push_back(fmt::format("1/√{} = {:.4g}", *plan.d_k,
                                    1 / std::sqrt(static_cast<double>(*plan.d_k))));
        scales.push_back({ScaleKind::sqrt_d_k, 1});
    }
    names.emplace_back("none");
    scales.push_back({ScaleKind::none, 1});
    int chosen = -1;
    for (std::size_t k = 0; k < scales.size(); ++k)
        if (plan.scale == scales[k]) chosen = static_cast<int>(k);
    const auto picked = segments(gui, "scale", names, chosen, plan.d_k ? 248 : 120);
    if (picked) sheet.choice.scale = scales[*picked];
    same_line(gui, 8);
    const bool other = plan.scale && plan.scale->kind == ScaleKind::number;
    const auto typed =
        text_field(gui, "other scale", other ? fmt::format("{}", plan.scale->number) : "",
                   {.width = 110, .hint = "a number"});
    if (typed && !typed->empty()) {
        const auto number = factor_in(*typed);
        if (number)
            sheet.choice.scale = Scale{ScaleKind::number, *number};
        else
            sheet.error = not_a_number_message(*typed);
        return number.has_value();
    }
    if (plan.scale_in_file && !sheet.choice.scale) {
        same_line(gui, 10);
        draw_beside(gui, "from the file");
    }
    return picked.has_value();
}

// Returns the first tokens, then "…" if there are more; "0, 1, 2 …" if the file has no tokens.
std::string tokens_words(const TensorSheet& sheet) {
    constexpr std::size_t most = 24;
    const DumpPlan& plan = sheet.plan;
    if (plan.tokens.empty()) return "";
    const Sequence& first = plan.tokens.front();
    const auto& tokens = first.keys ? *first.keys : first.queries;
    if (!plan.has_tokens) return "0, 1, 2 …";
    std::string text;
    for (std::size_t k = 0; k < std::min(most, tokens.size()); ++k)
        text += (k > 0 ? " · " : "") + tokens[k];
    return text + (tokens.size() > most ? " …" : "");
}

constexpr auto typed_tokens = "typed tokens";

// Draws a field for typing tokens, separated by spaces, if the file has none.
void draw_typed_tokens(Gui& gui, TensorSheet& sheet, double width) {
    const Sequence& first = sheet.plan.tokens.front();
    const std::size_t count = first.keys ? first.keys->size() : first.queries.size();
    const auto typed =
        text_field(gui, typed_tokens, "",
                   {.width = width, .hint = fmt::format("0, 1, 2 … or type {} tokens", count)});
    const std::vector<std::string> tokens = split_sentence(typed.value_or(""));
    if (tokens.empty()) return;
    if (tokens.size() != count)
        return gui.refuse(fmt::format("{} tokens are needed, got {}.", count, tokens.size()));
    try {
        type_tokens(sheet, tokens);
    } catch (const Error& error) {
        gui.refuse(error.what());
    }
}

void draw_tokens(Gui& gui, Ui& ui, TensorSheet& sheet) {
    if (sheet.plan.tokens.empty()) return;
    begin_row(gui, "Tokens");
    constexpr double width = 104;
    const Rect row = row_at_cursor(gui, line);
    const double room = std::max(1.0, row.w - points(gui, width + 12));
    if (sheet.plan.has_tokens || sheet.plan.tokens.size() > 1)
        draw_text(gui, {.at = {row.x, row.y + row.h / 2},
                        .text = tokens_words(sheet),
                        .style = {.size = 13 * gui.scale},
                        .role = sheet.plan.has_tokens ? Role::ink : Role::dim,
                        .max_width = room});
    else
        draw_typed_tokens(gui, sheet, room / gui.scale);
    set_cursor(row.right() - points(gui, width), row.y);
    if (button(gui, "Tokens…",
               {.width = width,
                .tip = "A text file with one token on each line, a JSON list, or the model's "
                       "tokenizer.json"}))
        open_path_line(ui.overlays, PathLine::Purpose::tokens);
}

// --- the sheet

// Return the heights of what is above and below the table, in points; the table has the rest. Items
// are row_gap apart.
double height_above(const DumpPlan& plan) {
    const int rows = (plan.groups.size() > 1) + (plan.layers > 1) + (plan.sequences > 1);
    return title_line + 2 * row_gap + rows * (line + row_gap) + heading_row + row_gap;
}

double height_below(const DumpPlan& plan) {
    const int rows = (plan.ways.size() > 1) + plan.asks_axes + plan.asks_truth + plan.asks_scale +
                     !plan.tokens.empty();
    return row_gap + rows * (line + row_gap) +
           static_cast<double>(plan.notes.size()) * (note_line + row_gap) + 2 * row_gap +
           outcome_lines + row_gap + line;
}

bool draw_table(Gui& gui, TensorSheet& sheet, double height) {
    bool changed = false;
    const std::vector<const DumpTensor*> shown = sheet.plan.shown;  // choices make a new plan
    const double room = room_width() - points(gui, scrollbar_room);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
    ImGui::BeginChild("tensors", imgui_size(room_width(), height), false, ImGuiWindowFlags_NoNav);
    for (std::size_t k = 0; k < std::min(most_rows, shown.size()) && !changed; ++k)
        changed = draw_tensor(gui, sheet, *shown[k], room);
    if (shown.size() > most_rows)
        label(gui, fmt::format("… and {} more.", shown.size() - most_rows), dim_text);
    ImGui::EndChild();
    ImGui::PopStyleVar(2);
    return changed;
}

void draw_outcome(Gui& gui, const TensorSheet& sheet) {
    for (const std::string& note : sheet.plan.notes)
        label(gui, note, {.style = {.size = 12}, .role = Role::dim});
    gap(gui, row_gap);
    const bool wrong = !sheet.error.empty(), missing = !sheet.plan.missing.empty();
    const std::string& text = wrong ? sheet.error : missing ? sheet.plan.missing : sheet.plan.opens;
    const double top = ImGui::GetCursorScreenPos().y;
    paragraph(gui, text,
              {.style = {.weight = Weight::medium},
               .role = wrong     ? Role::wrong
                       : missing ? Role::odd
                                 : Role::ink});
    set_cursor(ImGui::GetCursorScreenPos().x, top + points(gui, outcome_lines + row_gap));
}

}  // namespace

Rect draw_overlay(App& app, TensorSheet& sheet) {
    Gui& gui = app.gui;
    Ui& ui = app.ui;
    const bool keys = takes_keys(gui) && !gui.editing;
    const bool taken = keys && use_focus_keys(gui);
    const double above = points(gui, height_above(sheet.plan)),
                 below = points(gui, height_below(sheet.plan)),
                 frame = points(gui, 2 * sheet_padding),
                 rows = points(gui, tensor_row) *
                        static_cast<double>(std::min(most_rows, sheet.plan.shown.size())),
                 most = gui.height - points(gui, 2 * sheet_margin) - frame - above - below;
    const double table =
        std::clamp(rows, points(gui, tensor_row), std::max(most, points(gui, tensor_row)));
    const double w = std::min(points(gui, sheet_width), gui.width - points(gui, 2 * sheet_margin));
    const double h =
        std::min(frame + above + table + below, gui.height - points(gui, 2 * sheet_margin));
    const Rect rect{std::round((gui.width - w) / 2), std::round((gui.height - h) / 2), w, h};
    begin_sheet(gui, "tensors", rect, sheet_padding);
    label_pair(gui, "Open " + printable(sheet.dump->file.filename().string()),
               sheet.dump->tensors.size() == 1
                   ? "1 tensor"
                   : fmt::format("{} tensors", sheet.dump->tensors.size()),
               {.style = {.size = 17, .weight = Weight::semibold}}, dim_text);
    gap(gui, 0);
    bool changed = draw_group(gui, sheet);
    changed = draw_axes(gui, sheet) || changed;
    draw_column_names(gui, room_width() - points(gui, scrollbar_room));
    changed = draw_table(gui, sheet, table) || changed;
    gap(gui, 0);
    changed = draw_ways(gui, sheet) || changed;
    changed = draw_order(gui, sheet) || changed;
    changed = draw_truth(gui, sheet) || changed;
    changed = draw_scale(gui, sheet) || changed;
    // A click on Open leaves the field; it must not also drop the tokens that were refused.
    const bool refused = gui.refused && gui.refused->field == typed_tokens;
    draw_tokens(gui, ui, sheet);
    draw_outcome(gui, sheet);
    if (changed) plan_again(sheet);
    const bool enter = keys && !taken && was_pressed(gui, GLFW_KEY_ENTER);
    const bool can = sheet.plan.missing.empty() && !refused;
    if (button(gui, "Open", {.filled = true, .enabled = can}) || (enter && can))
        ui.commands.push_back(open_tensors);
    same_line(gui, 8);
    const bool cancelled = button(gui, "Cancel", {.outlined = true});
    end_panel();
    if (cancelled) ui.overlays.close<TensorSheet>();
    return rect;
}

}  // namespace maskscope
