#include "app/session/edits/bench_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/show/views/view_entry.h"
#include "core/attention/scoring.h"
#include "core/base/number_text.h"
#include "core/edit/edit.h"
#include "core/scene/mask_rules.h"

namespace maskscope {

namespace {

const Heatmap* map_under(const std::vector<Heatmap>& heatmaps, Point point) {
    const auto found = std::ranges::find_if(
        heatmaps, [&](const Heatmap& heatmap) { return heatmap.rect.contains(point); });
    return found == heatmaps.end() ? nullptr : &*found;
}

const Heatmap* heatmap_under(const Figure& figure, Point point) {
    return map_under(figure.heatmaps, point);
}

CellRef cell_in(const Heatmap& heatmap, Point point) {
    const Cell cell = *cell_at(heatmap, point);
    return {heatmap.variant, heatmap.cells->stage, heatmap.b, heatmap.h, cell.i, cell.j};
}

void answer_with(Session& session, const CellRef& cell) {
    if (const auto answer = answer_at(session, cell))
        session.answer(*answer);
    else
        session.say("Press Enter, then type the answer: a number or a word.");
}

// Returns the variants whose masks an edit of a cell changes: all shown ones if the cell is shared
// by all (variant < 0) or their rules are equal, otherwise only `variant`.
std::vector<int> edited_variants(const Session& session, int variant) {
    std::vector<int> shown = shown_variants(session.view(), session.scene());
    if (variant < 0 || layers_are_shared(session.scene(), shown)) return shown;
    return {variant};
}

void set_cell(Session& session, const BenchDrag& drag, Cell cell) {
    session.edit(
        drag.allow ? "allow cells" : "block cells",
        [&](Scene& scene) {
            set_allowed(scene, drag.variants, drag.pressed.b, drag.pressed.h, cell, drag.allow);
        },
        "paint");
}

// True if cells are too small to be hit on purpose: a press there pins, and changes nothing.
bool too_small(const Heatmap& map, double scale) {
    constexpr double least = 4;  // points
    const Rect cell = cell_rect(map, 0, 0);
    return std::min(cell.w, cell.h) < least * scale;
}

void say_too_small(Session& session) {
    session.say("These cells are too small to click. Zoom in with the wheel first.");
}

void begin_paint(Session& session, BenchDrag& drag, const CellRef& cell) {
    drag.kind = BenchDrag::Kind::paint;
    drag.variants = edited_variants(session, cell.variant);
    drag.pressed = cell;
    drag.last = Cell{cell.i, cell.j};
    drag.allow = !is_allowed(session.scene(), drag.variants.front(), cell.b, cell.h, *drag.last);
    set_cell(session, drag, *drag.last);
}

// Begins a drag of a border. If the pointer hardly moves before the release, the press is a click
// on the cell beside the border.
bool begin_border(const Session& session, BenchDrag& drag, const Figure& figure,
                  const CellRef& cell, const BenchPointer& pointer, double scale) {
    if (pointer.alt) return false;
    drag.border = border_at(session, drag, figure, pointer.at, scale);
    if (!drag.border) return false;
    drag.kind = BenchDrag::Kind::border;
    drag.pressed = cell;
    drag.pressed_at = *pointer.at;
    return true;
}

void move_border(Session& session, BenchDrag& drag, const Figure& figure, Point at, double scale) {
    constexpr double click = 3;  // points
    drag.moved |= std::abs(at.x - drag.pressed_at.x) > click * scale;
    if (!drag.moved) return;
    drag_border(session, figure, *drag.border, at);
}

// Paints every cell between the last one and this one, so that a quick drag leaves no gaps. Cells
// of other heatmaps do not belong to this mask: their columns may be components, or keys of another
// head. Neither do cells that a new layout moved under a resting pointer.
void paint_to(Session& session, BenchDrag& drag, const std::optional<CellRef>& hovered,
              bool moved) {
    const CellRef& home = drag.pressed;
    if (!hovered ||
        *hovered != CellRef{home.variant, home.stage, home.b, home.h, hovered->i, hovered->j})
        return drag.last.reset();
    const Cell cell{hovered->i, hovered->j}, from = drag.last.value_or(cell);
    if (cell == drag.last) return;
    const Index steps = std::max({std::abs(cell.i - from.i), std::abs(cell.j - from.j), Index{1}});
    for (Index k = 1; moved && k <= steps; ++k)
        set_cell(session, drag,
                 {from.i + (cell.i - from.i) * k / steps, from.j + (cell.j - from.j) * k / steps});
    drag.last = cell;
}

// True if the point is on a heatmap, a row sum, a colour bar or a chip.
bool is_over_thing(const Figure& figure, Point point) {
    const auto any_holds = [&](const auto& things) {
        return std::ranges::any_of(things, [&](const auto& x) { return x.rect.contains(point); });
    };
    return any_holds(figure.heatmaps) || any_holds(figure.sums) || any_holds(figure.colour_bars) ||
           any_holds(figure.chips);
}

// Handles a press on a header, which is a token beside or above a mask. Returns false if the point
// is on no header.
bool press_header(Session& session, const Figure& figure, Point point, double scale) {
    if (is_over_thing(figure, point)) return false;
    for (const Heatmap& mask : figure.heatmaps) {
        if (mask.cells->stage != StageKind::allowed) continue;
        const Rect above{mask.rect.x, mask.rect.y - 20 * scale, mask.rect.w, 20 * scale};
        const Rect beside{mask.rect.x - 80 * scale, mask.rect.y, 80 * scale, mask.rect.h};
        const bool has_tokens = std::ranges::any_of(figure.texts, [&](const Text& text) {
            return text.anchor == Anchor::right && beside.contains(text.at);
        });
        if (!above.contains(point) && !(has_tokens && beside.contains(point))) continue;
        if (too_small(mask, scale)) {
            say_too_small(session);
            return true;
        }
        const auto variants = edited_variants(session, mask.variant);
        if (above.contains(point)) {
            const auto cell = cell_at(mask, {point.x, mask.rect.y});
            session.edit("block or allow a key", [&](Scene& scene) {
                toggle_column(scene, variants, mask.b, mask.h, cell->j);
            });
        } else {
            const auto cell = cell_at(mask, {mask.rect.x, point.y});
            session.edit("block or allow a query", [&](Scene& scene) {
                toggle_row(scene, variants, mask.b, mask.h, cell->i);
            });
        }
        return true;
    }
    return false;
}

// Handles a click on a head, which enlarges it. Ctrl+click on two heads compares them.
void press_head(Session& session, Index h, bool ctrl) {
    std::vector<Index>& picked = session.view().picked;
    if (!ctrl)
        jump_to_head(session, h);
    else if (picked == std::vector<Index>{h})
        picked.clear();
    else
        picked.push_back(h);
    session.view().hovered.reset();
}

void press(Session& session, BenchDrag& drag, const Figure& figure, const BenchPointer& pointer,
           double scale) {
    if (press_hidden(session, figure, *pointer.at)) return;
    const std::optional<CellRef> cell = cell_under(figure, *pointer.at);
    if (shows_all_heads(session)) {
        if (cell) press_head(session, cell->h, pointer.ctrl);
    } else if (pointer.ctrl) {
        drag.kind = BenchDrag::Kind::pan;
    } else if (cell && (cell->stage == StageKind::allowed || pointer.alt) &&
               cell->stage != StageKind::output && cell->variant != difference_variant) {
        if (begin_border(session, drag, figure, *cell, pointer, scale)) return;
        if (!too_small(*heatmap_under(figure, *pointer.at), scale))
            return begin_paint(session, drag, *cell);
        pin(session, *cell);
        say_too_small(session);
    } else if (cell) {
        pin(session, *cell);
    } else if (!press_header(session, figure, *pointer.at, scale) && pointer.double_clicked) {
        session.view().zoom = {};
    }
}

void zoom_at(Session& session, const Figure& figure, const BenchPointer& pointer) {
    const Heatmap* heatmap = heatmap_under(figure, *pointer.at);
    if (!heatmap) return;
    // Part of the heatmap may be out of view.
    const Zoom &seen = heatmap->zoom, &zoom = session.view().zoom;
    const auto share = [](double at, double from, double size, double low, double high) {
        return low + (at - from) / size * (high - low);
    };
    const double x = share(pointer.at->x, heatmap->rect.x, heatmap->rect.w, seen.x0, seen.x1);
    const double y = share(pointer.at->y, heatmap->rect.y, heatmap->rect.h, seen.y0, seen.y1);
    session.view().zoom =
        zoomed(zoom, (x - zoom.x0) / (zoom.x1 - zoom.x0), (y - zoom.y0) / (zoom.y1 - zoom.y0),
               pointer.wheel, std::max(heatmap->cells->rows, heatmap->cells->columns));
}

void pan_to(Session& session, BenchDrag& drag, const Figure& figure, Point point) {
    if (figure.heatmaps.empty()) return;
    const Rect& rect = figure.heatmaps.front().rect;
    session.view().zoom = panned(session.view().zoom, (drag.from.x - point.x) / rect.w,
                                 (drag.from.y - point.y) / rect.h);
}

}  // namespace

std::optional<MaskBorder> border_at(const Session& session, const BenchDrag& drag,
                                    const Figure& figure, std::optional<Point> at, double scale) {
    if (drag.kind == BenchDrag::Kind::border) return drag.border;
    if (drag.kind != BenchDrag::Kind::none || !at || shows_all_heads(session)) return std::nullopt;
    const Scene& scene = session.scene();
    return border_under(scene, figure, shown_variants(session.view(), scene), *at, scale);
}

std::optional<CellRef> cell_under(const Figure& figure, Point point) {
    const Heatmap* heatmap = heatmap_under(figure, point);
    // Ignore earlier layers: their rows and columns do not belong to this layer.
    if (!heatmap || heatmap->variant == foreign_variant) return std::nullopt;
    return cell_in(*heatmap, point);
}

std::optional<std::string> answer_at(const Session& session, const CellRef& cell) {
    const std::vector<std::string> answers = session.words().answers;
    const auto is_one = [&](const std::string& said) {
        return std::ranges::any_of(
            answers, [&](const std::string& answer) { return is_answer(said, answer); });
    };
    const Scene& scene = session.shown().scene;
    for (const int variant : shown_variants(session.view(), scene))
        if (is_one({variant_letter(variant)}))
            return cell.variant < 0 ? std::nullopt
                                    : std::optional(std::string{variant_letter(cell.variant)});
    const auto token_of = [&](const TokenView& tokens,
                              std::optional<Index> at) -> std::optional<std::string> {
        if (!at || std::ranges::none_of(tokens, is_one)) return std::nullopt;
        return tokens[*at];
    };
    const PointedTokens pointed = tokens_of(cell);
    if (const auto key = token_of(key_tokens(scene, cell.b), pointed.key)) return key;
    return token_of(query_tokens(scene, cell.b), pointed.query);
}

Zoom zoomed(const Zoom& zoom, double fx, double fy, double steps, Index cells) {
    const double smallest = std::min(1.0, 2.5 / double(cells));
    const double span = zoom.x1 - zoom.x0;
    const double wanted = std::clamp(span * std::pow(0.8, steps), smallest, 1.0);
    const double x = zoom.x0 + fx * span, y = zoom.y0 + fy * (zoom.y1 - zoom.y0);
    const double x0 = std::clamp(x - fx * wanted, 0.0, 1 - wanted);
    const double y0 = std::clamp(y - fy * wanted, 0.0, 1 - wanted);
    return {x0, y0, x0 + wanted, y0 + wanted};
}

Zoom panned(const Zoom& zoom, double dx, double dy) {
    const double w = zoom.x1 - zoom.x0, h = zoom.y1 - zoom.y0;
    const double x0 = std::clamp(zoom.x0 + dx * w, 0.0, 1 - w);
    const double y0 = std::clamp(zoom.y0 + dy * h, 0.0, 1 - h);
    return {x0, y0, x0 + w, y0 + h};
}

bool press_hidden(Session& session, const Figure& figure, Point point) {
    const Heatmap* hidden = map_under(figure.hidden, point);
    if (hidden) answer_with(session, cell_in(*hidden, point));
    return hidden != nullptr;
}

std::optional<Cell> marked_cell(const Session& session) {
    const std::optional<Cell>& focus = session.view().show.focus;
    if (!session.view().asks()) return focus;
    const auto& show = session.lesson()->steps[session.document().step].scene.show;
    return show && show->focus == focus ? std::nullopt : focus;
}

std::optional<CellRef> named_cell(const Session& session) {
    const View& view = session.view();
    const auto marked = marked_cell(session);
    if (view.hovered || !marked) return view.hovered;
    const auto [b, h] = place_of_focus(view, session.shown().variants.front().shape);
    return CellRef{shared_variant, StageKind::weights, b, h, marked->i, marked->j};
}

void pin(Session& session, const CellRef& cell) {
    std::optional<Cell>& focus = session.view().show.focus;
    const Cell before = focus.value_or(Cell{});
    const PointedTokens tokens = tokens_of(cell);
    focus = Cell{tokens.query.value_or(before.i), tokens.key.value_or(before.j)};
    session.view().pinned = CellRef{cell.variant, cell.stage, cell.b, cell.h, focus->i, focus->j};
}

bool shows_all_heads(const Session& session) { return !session.results().bench().heads.empty(); }

void jump_to_head(Session& session, Index h) {
    View& view = session.view();
    const Shape shape = shape_of(session.scene());
    if (h < 0 || h >= shape.h || shape.h < 2) return;
    const bool from_heads = shown_view(view, session.scene()) == ViewKind::heads;
    if (!from_heads && view.enlarged && shown_heads(view, shape) == std::vector<Index>{h}) {
        back_to_heads(session);
        return;
    }
    view.show.heads = std::vector<Index>{h};
    view.picked.clear();
    if (!from_heads) return;
    view.show.view = ViewKind::pipeline;
    view.enlarged = true;
}

bool back_to_heads(Session& session) {
    View& view = session.view();
    const bool in_heads = shown_view(view, session.scene()) == ViewKind::heads;
    if (in_heads && !view.picked.empty()) {
        view.picked.clear();
        return true;
    }
    if (in_heads || !view.enlarged) return false;
    view.enlarged = false;
    view.show.heads.reset();
    view.show.view = ViewKind::heads;
    return true;
}

void toggle_cell(Session& session, int variant, Index b, Index h, Cell cell) {
    const std::vector<int> variants = edited_variants(session, variant);
    const bool allow = !is_allowed(session.scene(), variants.front(), b, h, cell);
    session.edit(allow ? "allow a cell" : "block a cell",
                 [&](Scene& scene) { set_allowed(scene, variants, b, h, cell, allow); });
}

void use_pointer(Session& session, BenchDrag& drag, const Figure& figure,
                 const BenchPointer& pointer, double scale) {
    View& view = session.view();
    view.hovered = pointer.at ? cell_under(figure, *pointer.at) : std::nullopt;
    if (pointer.at && pointer.wheel != 0 && !shows_all_heads(session))
        zoom_at(session, figure, pointer);
    if (pointer.at && pointer.pressed) press(session, drag, figure, pointer, scale);
    const bool pans = pointer.middle_held || drag.kind == BenchDrag::Kind::pan;
    if (pointer.at && pans) pan_to(session, drag, figure, *pointer.at);
    if (drag.kind == BenchDrag::Kind::paint && !pointer.pressed)
        paint_to(session, drag, view.hovered, pointer.moved);
    if (drag.kind == BenchDrag::Kind::border && pointer.at && pointer.held && pointer.moved)
        move_border(session, drag, figure, *pointer.at, scale);
    if (drag.kind != BenchDrag::Kind::none && !pointer.held) {
        if (drag.kind == BenchDrag::Kind::border && !drag.moved)
            begin_paint(session, drag, drag.pressed);
        if (drag.kind != BenchDrag::Kind::pan) session.end_merge();
        drag = {};
    }
    if (pointer.at) drag.from = *pointer.at;
}

namespace {

Tensor tensor_of(int variant) {
    if (variant == queries_variant) return Tensor::queries;
    return variant == keys_variant ? Tensor::keys : Tensor::values;
}

// Returns the variant whose stage a heatmap shows; for a shared stage, the first variant that is
// shown.
int variant_of(const Session& session, const CellRef& cell) {
    if (cell.variant >= 0) return cell.variant;
    return shown_variants(session.view(), session.scene()).front();
}

double scale_of(const Session& session, const CellRef& cell) {
    const Scene& scene = session.scene();
    const auto index = static_cast<std::size_t>(variant_of(session, cell));
    const Variant& variant = scene.variants.at(index);
    if (variant.mask.order == Order::queries_first) return 1;
    const auto of_rows =
        row_scales(scene, variant.scale, head_positions(scene, cell.b, cell.h), cell.i, 1);
    if (!of_rows.empty()) return of_rows.front();
    return scale_factor(variant.scale, d_k_of(scene.inputs), shape_of(scene).n_k);
}

// Returns the score that becomes x: in scaled scores, the score that is scaled to x.
double score_for(const Session& session, const CellRef& cell, double x) {
    return cell.stage == StageKind::scaled ? x / scale_of(session, cell) : x;
}

bool is_score(const CellRef& cell) {
    return cell.stage == StageKind::scores || cell.stage == StageKind::scaled;
}

void write_number(const Session& session, Scene& scene, const CellRef& cell, double x) {
    if (is_tensor_variant(cell.variant))
        set_number(scene, tensor_of(cell.variant), cell.b, cell.h, cell.i, cell.j, x);
    else
        set_score(scene, session.shown(), cell.b, cell.h, {cell.i, cell.j},
                  score_for(session, cell, x));
}

// The most numbers that are written into a scene as lists.
constexpr Index most_written = 4'000'000;

bool writes_too_many(const Scene& scene, const CellRef& cell) {
    const Shape shape = shape_of(scene);
    if (!is_tensor_variant(cell.variant))
        return !std::holds_alternative<ScoresInputs>(scene.inputs) &&
               shape.b * shape.h * shape.n_q * shape.n_k > most_written;
    const Index d = std::max(d_k_of(scene.inputs).value_or(0), d_v_of(scene.inputs).value_or(0));
    return std::holds_alternative<EmbeddingInputs>(scene.inputs) &&
           shape.b * shape.h * std::max(shape.n_q, shape.n_k) * d > most_written;
}

// Returns why the number cannot be typed, with advice if there is any; nullopt if it can be typed.
std::optional<std::string> why_computed(const Session& session, const CellRef& cell) {
    if (writes_too_many(session.scene(), cell))
        return "There are too many numbers to store in a scene.";
    if (is_tensor_variant(cell.variant)) return std::nullopt;
    if (cell.variant == difference_variant)
        return "A difference is computed and cannot be edited. Edit one of its two variants.";
    if (std::holds_alternative<WeightsInputs>(session.scene().inputs))
        return "These inputs are weights, so there are no scores to edit.";
    if (!is_score(cell))
        return "This number is computed and cannot be edited. Edit a score, or a number in Q, K or "
               "V.";
    if (cell.stage == StageKind::scaled && scale_of(session, cell) == 0)
        return "The scale is 0, so every score gives the same number.";
    return std::nullopt;
}

bool needs_all_digits(const Scene& scene) {
    return std::ranges::any_of(
        scene.variants, [](const Variant& variant) { return variant.dtype == Dtype::float64; });
}

}  // namespace

std::optional<std::string> why_not_typed(const Session& session, const CellRef& cell) {
    if (const auto why = why_computed(session, cell)) return why;
    try {  // edit a copy, which shares its arrays with the scene
        Scene scene = session.scene();
        write_number(session, scene, cell, 0);
    } catch (const EditError& error) {
        return error.what();
    }
    return std::nullopt;
}

std::string number_text(const Scene& scene, double x) {
    constexpr std::size_t short_text = 6;
    const std::string all =
        needs_all_digits(scene) ? fmt::format("{}", x) : fmt::format("{}", static_cast<float>(x));
    return all.size() <= short_text ? all : exact_text(x, 2);
}

bool type_number(Session& session, const CellRef& cell, double x) {
    const std::string what = is_tensor_variant(cell.variant) ? "type a number" : "type a score";
    if (const auto why = why_computed(session, cell)) {
        session.say(*why, true);
        return false;
    }
    if (!std::isfinite(score_for(session, cell, x))) {
        session.say(
            fmt::format("No score can give {} here; it would exceed 1.8e308.", typed_text(x)),
            true);
        return false;
    }
    return session.edit(what, [&](Scene& scene) { write_number(session, scene, cell, x); });
}

}  // namespace maskscope
