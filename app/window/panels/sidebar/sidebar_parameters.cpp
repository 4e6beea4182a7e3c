// Draws the parameters of a rule: numbers, lists, heads, formulas.

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <sstream>

#include "app/window/panels/parts.h"
#include "app/window/panels/sidebar/sidebar.h"
#include "app/window/panels/words.h"
#include "core/base/cases.h"
#include "core/scene/names.h"
#include "core/tensors/tensor_file.h"

namespace maskscope {

// --- the field for a formula. The mask follows each keystroke while the formula is valid.

namespace {

const TextStyle formula_style{.size = 12, .mono = true};

// Returns why `next` cannot replace the rule of the row; "" if it can.
std::string why_not(const Session& session, const LayerRow& row, const MaskLayer& next) {
    Scene tried = session.scene();
    try {
        replace_layer(tried, row.listed.variants, row.path, next);
        return "";
    } catch (const EditError& error) {
        return error.what();
    }
}

// Returns the byte of `text` at which an error such as "column 6: …" is; columns count characters.
// nullopt if the error names no column.
std::optional<std::size_t> place_of_error(const std::string& error, const std::string& text) {
    constexpr std::string_view column = "column ";
    if (!error.starts_with(column)) return std::nullopt;
    std::size_t number = 0;
    std::from_chars(error.data() + column.size(), error.data() + error.size(), number);
    std::size_t byte = 0;
    for (; byte < text.size(); ++byte) {
        const bool begins = (static_cast<unsigned char>(text[byte]) & 0xC0U) != 0x80U;
        if (begins && --number == 0) break;
    }
    return byte;
}

// Draws a caret below the wrong character, and below that the error.
void draw_error(Gui& gui, const Rect& field, const std::string& id, const std::string& text,
                const std::string& error) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    if (const auto byte = place_of_error(error, text)) {
        const double x = x_in_field(gui, field, id, text, scaled(gui, formula_style), *byte);
        draw_text(gui, {.at = {std::min(x, field.right() - points(gui, 10)), at.y + points(gui, 3)},
                        .text = "^",
                        .style = {.size = 15 * gui.scale, .weight = Weight::bold, .mono = true},
                        .role = Role::wrong});
        set_cursor(at.x, at.y + points(gui, 8));
    }
    paragraph(gui, error, {.style = {.size = 12}, .role = Role::wrong});
}

}  // namespace

namespace {

std::string field_of(const LayerRow& row) { return row.id() + "/formula"; }

// The names and operators that are listed below the field while a formula is typed.
constexpr const char* formula_words =
    "i (query), j (key), n_q, n_k, h (head), heads, b, pad_i, pad_j · + - * / // % · < <= > >= == "
    "!= · && || ! · "
    "min max pow abs floor exp log";

// Restores the mask that was there before the field was entered.
void take_back(Session& session, const LayerRow& row, const std::string& before,
               std::string MaskLayer::*formula) {
    if (row.layer.*formula != before) session.undo();
}

}  // namespace

void edit_formula(Gui& gui, const LayerRow& row) {
    for (const LayerParameter& parameter : rule_of(row.layer.kind).parameters)
        if (const auto* formula = std::get_if<std::string MaskLayer::*>(&parameter.member))
            edit_field(gui, field_of(row), row.layer.**formula);
}

void draw_formula(Gui& gui, Session& session, SidebarState& sidebar, const LayerRow& row,
                  std::string MaskLayer::*formula) {
    const std::string id = field_of(row), what = std::string(rule_of(row.layer.kind).edit);
    const Rect field = row_at_cursor(gui, 32);
    auto& [edited, before] = sidebar.formula_before;
    const std::string shown = edited == id ? before : row.layer.*formula;
    const auto committed =
        text_field(gui, id, shown,
                   {.hint = "j <= i", .style = formula_style, .select_all = false, .tells = true});
    const auto typed = edited_text(gui, id);
    if (!typed && !committed && edited != id) return;
    if (edited != id) sidebar.formula_before = {id, row.layer.*formula};
    const std::optional<std::string> text = typed ? typed : committed;
    MaskLayer next = row.layer;
    next.*formula = text.value_or(before);
    const std::string error = text ? why_not(session, row, next) : "";
    if (!text || !error.empty())
        take_back(session, row, before, formula);  // left with Escape, or invalid
    else if (next != row.layer)
        change_layer(session, row, next, what, id);
    if (typed && !error.empty())
        draw_error(gui, field, id, *typed, error);
    else if (typed)
        paragraph(gui, formula_words, {.style = {.size = 12}, .role = Role::dim});
    if (typed) return;
    if (!error.empty()) return edit_field(gui, id, *committed, false);  // rejected: keep it open
    session.end_merge();
    sidebar.formula_before = {};
}

namespace {

constexpr double largest = 9007199254740991;  // 2^53 - 1

// --- numbers and lists

// Draws the name of an integer parameter and a field for its number. slides: the largest number of
// the field's slider.
std::optional<Index> whole_number(Gui& gui, const std::string& id, const LayerParameter& parameter,
                                  Index number, Index slides) {
    const auto low = static_cast<double>(parameter.low);
    const auto typed = number_row(gui, id, capital(parameter.label), static_cast<double>(number),
                                  {.low = low,
                                   .high = largest,
                                   .whole = true,
                                   .slides = SliderRange{low, static_cast<double>(slides), true},
                                   .width = 64});
    return typed ? std::optional<Index>(static_cast<Index>(*typed)) : std::nullopt;
}

// Returns the number that is shown for index 0: 1 for tokens, which count from 1 in the window,
// otherwise 0.
Index first_shown(Counts counts) {
    return counts == Counts::tokens || counts == Counts::parents ? 1 : 0;
}

// Reads "2 3 1", "2, 3, 1" or "– 0 0", where – is −1 (none), and subtracts `from` from the numbers.
// nullopt if a word is neither a dash nor an integer of at least `from`.
std::optional<std::vector<Index>> read_list(std::string text, Index from) {
    std::replace(text.begin(), text.end(), ',', ' ');
    std::istringstream words_in(text);
    std::vector<Index> numbers;
    for (std::string word; words_in >> word;) {
        if (word == "–" || word == "-" || word == "−" || word == "-1") {
            numbers.push_back(-1);
            continue;
        }
        double number = 0;
        if (!read_number(word, number) || number < static_cast<double>(from) || number > largest ||
            number != static_cast<double>(static_cast<Index>(number)))
            return std::nullopt;
        numbers.push_back(static_cast<Index>(number) - from);
    }
    return numbers;
}

std::string written(const std::vector<Index>& numbers, Index from) {
    std::string text;
    for (const Index number : numbers)
        text += fmt::format("{}{}", text.empty() ? "" : " ",
                            number < 0 ? "–" : std::to_string(number + from));
    return text;
}

std::optional<Align> draw_align(Gui& gui, const Session& session, std::string_view key,
                                Align align) {
    const Shape shape = shape_of(session.scene());
    const bool alike = shape.n_q == shape.n_k && last_position(session.scene()) < shape.n_q;
    // all alignments would have the same effect
    if (alike && align == Align::top_left) return std::nullopt;
    const auto pressed =
        combo(gui, std::string(key), {"top left", "bottom right", "positions"},
              static_cast<int>(align), {.name = "Aligned", .tip = explanation("Aligned")});
    return pressed ? std::optional(static_cast<Align>(*pressed)) : std::nullopt;
}

// Draws the choice of slopes; nothing if published slopes are chosen and the number of heads is a
// power of two, because geometric slopes are then the same.
std::optional<Slopes> draw_slopes(Gui& gui, const Session& session, const std::string& id,
                                  Slopes slopes) {
    const auto heads = static_cast<std::uint64_t>(heads_of(session.scene().inputs));
    if (std::has_single_bit(heads) && slopes == Slopes::published) return std::nullopt;
    const auto pressed = segments(gui, id, {"published", "geometric"}, static_cast<int>(slopes));
    return pressed ? std::optional(static_cast<Slopes>(*pressed)) : std::nullopt;
}

// Draws a field for the reference to a tensor with the numbers of a mask or bias, in a file beside
// the scene: "masks.npz:causal".
void draw_tensor(Gui& gui, Session& session, const LayerRow& row, const std::string& id,
                 const std::optional<Array>& tensor) {
    const std::string now = !tensor ? "none" : tensor->file.empty() ? "in the scene" : tensor->file;
    const auto typed = text_row(gui, id, "Numbers", now, 140);
    if (!typed || *typed == now) return;
    session.edit("read a tensor", [&](Scene& scene) {
        MaskLayer next = row.layer;
        next.tensor = read_tensor(*typed, session.document().folder, {}, !is_bias(next));
        next.bias.clear();
        replace_layer(scene, row.listed.variants, row.path, next);
    });
}

// --- heads

void set_heads(Session& session, const LayerRow& row, std::vector<Index> heads) {
    const Index all = heads_of(session.scene().inputs);
    if (heads.empty()) {
        session.say("A rule needs at least one head. To remove the rule, clear its check box.",
                    true);
        return;
    }
    std::sort(heads.begin(), heads.end());
    MaskLayer next = row.layer;
    next.heads = Index(heads.size()) == all ? std::nullopt : std::optional(heads);
    change_layer(session, row, next, "choose the heads of a mask rule");
}

std::vector<Index> heads_of_layer(const MaskLayer& layer, Index count) {
    if (layer.heads) return *layer.heads;
    std::vector<Index> all;
    for (Index h = 0; h < count; ++h) all.push_back(h);
    return all;
}

// Draws a chip for each head, counted from 1, which a click includes or excludes.
void draw_head_chips(Gui& gui, Session& session, const LayerRow& row, Index count) {
    std::vector<Index> heads = heads_of_layer(row.layer, count);
    label(gui, "Heads", {.style = {13}, .role = Role::dim});
    for (Index h = 0; h < count; ++h) {
        const std::string text = fmt::format("{}##head", h + 1);
        same_line(gui, h == 0 ? 8 : 3);
        if (room_width() < chip_width(gui, text)) ImGui::NewLine();
        const auto found = std::find(heads.begin(), heads.end(), h);
        const bool holds = found != heads.end();
        if (!chip(gui, text, {.selected = holds, .dimmed = !holds}).clicked) continue;
        if (holds)
            heads.erase(found);
        else
            heads.push_back(h);
        set_heads(session, row, heads);
        return;
    }
}

constexpr Index most_chips = 16;  // more heads are typed instead: "1 3 5"

void draw_heads(Gui& gui, Session& session, const LayerRow& row) {
    const Index count = heads_of(session.scene().inputs);
    if (count < 2 || row.in_group()) return;
    if (count <= most_chips) return draw_head_chips(gui, session, row, count);
    const auto heads = list_field(gui, session, row.id() + "/heads", "Heads",
                                  row.layer.heads.value_or(std::vector<Index>{}), 1);
    if (heads) set_heads(session, row, heads->empty() ? heads_of_layer({}, count) : *heads);
}

void draw_parameter(Gui& gui, Session& session, SidebarState& sidebar, const LayerRow& row,
                    const LayerParameter& parameter) {
    const MaskLayer& layer = row.layer;
    const auto set = [&](auto member, const auto& typed) {
        if (!typed) return;
        MaskLayer next = layer;
        next.*member = *typed;
        change_layer(session, row, next, std::string(rule_of(layer.kind).edit));
    };
    const std::string key = fmt::format("{}/{}", row.id(), parameter.key);
    const Index from = first_shown(parameter.counts);
    std::visit(
        Cases{
            [&](Align MaskLayer::*align) {
                set(align, draw_align(gui, session, parameter.key, layer.*align));
            },
            [&](Index MaskLayer::*number) {
                set(number, whole_number(gui, key, parameter, layer.*number,
                                         shape_of(session.scene()).n_k));
            },
            [&](std::vector<Index> MaskLayer::*numbers) {
                if (parameter.each && !(layer.*parameter.each).empty()) return;  // from a file
                set(numbers,
                    list_field(gui, session, key, capital(parameter.label), layer.*numbers, from));
            },
            [&](Slopes MaskLayer::*slopes) {
                set(slopes, draw_slopes(gui, session, key, layer.*slopes));
            },
            [&](std::optional<Array> MaskLayer::*tensor) {
                draw_tensor(gui, session, row, key, layer.*tensor);
            },
            [&](std::vector<BiasCell> MaskLayer::*bias) {
                if (layer.tensor) return;
                const auto cells = draw_bias_cells(gui, session, sidebar, row.id(), layer.*bias);
                if (cells && cells->empty())  // the last cell was removed
                    remove_layer(session, row);
                else
                    set(bias, cells);
            },
            [&](std::string MaskLayer::*formula) {
                draw_formula(gui, session, sidebar, row, formula);
            },
            [](const auto&) {},  // cells are painted on the bench; a group's rules have rows
        },
        parameter.member);
}

}  // namespace

std::optional<std::vector<Index>> list_field(Gui& gui, Session& session, const std::string& id,
                                             const std::string& name,
                                             const std::vector<Index>& numbers, Index from) {
    const std::string now = numbers.empty() ? "all" : written(numbers, from);
    const auto typed = text_row(gui, id, name, now, 140);
    if (!typed) return std::nullopt;
    auto list = *typed == "all" ? std::vector<Index>{} : read_list(*typed, from);
    if (!list) session.say(quoted(*typed) + " is not a list of whole numbers, such as 3 2 1", true);
    return list;
}

std::string LayerRow::id() const {
    return fmt::format("layer/{}/{}", listed.first(), fmt::join(path, "."));
}

void change_layer(Session& session, const LayerRow& row, const MaskLayer& next,
                  const std::string& what, const std::string& merge) {
    session.edit(
        what, [&](Scene& scene) { replace_layer(scene, row.listed.variants, row.path, next); },
        merge);
}

void remove_layer(Session& session, const LayerRow& row) {
    session.edit("remove a mask rule",
                 [&](Scene& scene) { remove_layer(scene, row.listed.variants, row.path); });
}

void draw_parameters(Gui& gui, Session& session, SidebarState& sidebar, const LayerRow& row) {
    for (const LayerParameter& parameter : rule_of(row.layer.kind).parameters)
        draw_parameter(gui, session, sidebar, row, parameter);
    draw_heads(gui, session, row);
}

}  // namespace maskscope
