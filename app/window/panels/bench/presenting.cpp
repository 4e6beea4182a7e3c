#include "app/window/panels/bench/bench_parts.h"

#include <GLFW/glfw3.h>
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "app/figure/layout/place.h"
#include "app/figure/layout/scroll.h"
#include "app/figure/plots/lay_out_view.h"
#include "app/figure/text_table.h"
#include "app/session/edits/variant_settings.h"
#include "app/show/arithmetic/arithmetic.h"
#include "app/show/views/view_entry.h"
#include "app/style/labels.h"
#include "app/window/actions/actions.h"
#include "app/window/paint/imgui_compat.h"
#include "app/window/paint/painter.h"
#include "app/window/panels/key_help_lines.h"
#include "app/window/panels/parts.h"
#include "app/window/panels/step/step_parts.h"
#include "app/window/widgets/focus.h"
#include "app/window/widgets/widgets.h"
#include "core/scene/names.h"

namespace maskscope {

namespace {

// The height of the screen in points, the unit of all lengths here. The smallest type is 1/32 of
// it.
constexpr double screen_height = 384;
constexpr double smallest = 12, title_size = screen_height / 20, caption_size = screen_height / 24;
constexpr double margin = 12, header = 32, line_height = 19, caption_padding = 8, below = 7;
constexpr double fact_size = 12.8, fact_line = 16;
constexpr double wheel_step = screen_height / 8;  // two of the smallest cells
constexpr double caption_line = 1.3 * caption_size;
// The bottom of the space above the longest caption: a question, its answer and the fact fit below
// it.
constexpr double least_bottom = 250;

TextStyle style_of(const Gui& gui, double size, Weight weight = Weight::regular) {
    return {.size = points(gui, size), .weight = weight};
}

void fill_over(const Rect& rect, Colour colour) {
    panel_list().AddRectFilled(imgui_point({rect.x, rect.y}),
                               imgui_point({rect.right(), rect.bottom()}), imgui_colour(colour));
}

// --- title

void draw_title(Gui& gui, const Session& session, const Ui& ui, double width) {
    const double middle = points(gui, 19), side = points(gui, margin);
    std::string title = session.scene().title, place;
    if (const Lesson* lesson = session.lesson(); lesson != nullptr) {
        title = lesson->steps[session.document().step].title;
        place = fmt::format("{} · {} / {}", lesson->title, session.document().step + 1,
                            lesson->steps.size());
        const bool is_told = is_end_announced(session, ui);
        if (is_told || !next_lesson_title(session).empty())
            place += fmt::format(" · {}next lesson ›", is_told ? ui.ended->key + ": " : "");
    }
    const double room = measure(place, style_of(gui, smallest)).width + side;
    draw_text(gui, {.at = {width - side, middle},
                    .text = place,
                    .style = style_of(gui, smallest),
                    .role = Role::dim,
                    .anchor = Anchor::right});
    draw_text(gui, {.at = {side, middle},
                    .text = title,
                    .style = style_of(gui, title_size, Weight::bold),
                    .max_width = std::max(1.0, width - room - 2 * side)});
}

// --- caption and fact

struct Caption {
    std::vector<std::string> asked;  // the question, after it was answered
    std::vector<std::string> lines;
    std::vector<std::string> fact;
    Role fact_role = Role::dim;
    std::string answered;  // the given answers, with the correct one once it is shown
    bool right = false;    // the answer is correct
    double height = 0;     // pixels; 0 = no caption
};

// Keeps "%" on the same line as its number.
std::string with_joined_signs(std::string text) {
    replace_all(text, " %", "\u00a0%");
    return text;
}

// Returns the last sentence of a question, which asks what those before it prepare.
std::string last_sentence(const std::string& text) {
    std::size_t begin = 0;
    for (const char* const end : {". ", "? ", "! "}) {
        const std::size_t at = text.rfind(end);
        if (at != std::string::npos) begin = std::max(begin, at + 2);
    }
    return text.substr(begin);
}

// Returns the height of a caption with so many lines of each kind.
double height_of_caption(const Gui& gui, std::size_t asked, std::size_t lines, std::size_t facts) {
    return points(gui, 2 * caption_padding + line_height +
                           (double(facts) - 1 + double(asked)) * fact_line +
                           double(lines) * caption_line);
}

Caption caption_of(const Gui& gui, const Session& session, double width) {
    Caption caption;
    if (session.lesson() == nullptr) return caption;
    const double room = width - points(gui, 2 * margin) - points(gui, 34);  // as it is drawn
    const auto small = [&](const std::string& text) {
        return broken_into_lines(text, style_of(gui, fact_size), room);
    };
    const auto large = [&](const std::string& text) {
        return broken_into_lines(with_joined_signs(text),
                                 style_of(gui, caption_size, Weight::semibold), room);
    };
    // The class has just read the question, so its last sentence stands for it if that saves a
    // line.
    const auto asked_lines = [&](const std::string& question, const std::string& answer) {
        auto lines = small(question + answer);
        return lines.size() > 1 ? small(last_sentence(question) + answer) : lines;
    };
    const std::string asked = session.words().ask;
    if (!asked.empty())  // given answers have their own line
        caption.asked =
            asked_lines(asked, session.answers().judged ? "" : " " + answer_line(session));
    caption.lines = large(session.words().caption);
    const JudgedClaim fact = judged_claim(session);
    const auto done = what_is_done(session);
    const std::string line = done ? "✓ Done" + (done->empty() ? "" : ": " + *done) : fact.line;
    caption.fact = small(line);
    caption.fact_role = done ? Role::right : fact.holds ? Role::dim : Role::wrong;
    const std::size_t answers = session.answers().said.empty() ? 0 : 1;
    const std::size_t facts = std::max<std::size_t>(1, caption.fact.size()) + answers;
    caption.height = height_of_caption(gui, caption.asked.size(), caption.lines.size(), facts);
    // Question and answer take the same space, so that nothing moves.
    if (const StepWords& words = session.results().words(); !words.ask.empty()) {
        double asks = height_of_caption(gui, 0, large(words.ask).size(), 1 + answers);
        if (answers > 0) asks += points(gui, 4);  // below the field
        const std::size_t above = asked_lines(words.ask, " " + answer_line(words)).size();
        const double shows = height_of_caption(gui, above, large(words.caption).size(), facts);
        caption.height = std::max({caption.height, asks, shows});
    }
    if (fact.hidden) {
        caption.fact.clear();
        caption.answered = answers_text(session);
    } else if (session.answers().judged) {
        caption.answered = session.answers().judged->words;
        caption.right = session.answers().judged->right;
    }
    return caption;
}

void draw_caption_box(Gui& gui, const Caption& caption, const Rect& box) {
    if (caption.height <= 0) return;
    draw_box(gui, {.rect = box, .radius = points(gui, 5), .filled = true, .fill = Role::panel});
    const double left = box.x + points(gui, 17), step = points(gui, caption_line);
    double top = box.y + points(gui, caption_padding);
    for (const std::string& line : caption.asked) {
        draw_text(gui, {.at = {left, top + points(gui, fact_line / 2)},
                        .text = line,
                        .style = style_of(gui, fact_size),
                        .role = Role::dim,
                        .max_width = std::max(1.0, box.w - points(gui, 34))});
        top += points(gui, fact_line);
    }
    double y = top + step / 2;
    for (const std::string& line : caption.lines) {
        draw_text(gui, {.at = {left, y},
                        .text = line,
                        .style = style_of(gui, caption_size, Weight::semibold)});
        y += step;
    }
    draw_text(gui, {.at = {left, box.bottom() - points(gui, caption_padding + fact_line / 2)},
                    .text = caption.answered,
                    .style = style_of(gui, fact_size, Weight::semibold),
                    .role = caption.right ? Role::right : Role::ink,
                    .max_width = std::max(1.0, box.w - points(gui, 34))});
    if (caption.fact.empty()) return;
    double middle = y - step / 2 + points(gui, line_height / 2 + 2);
    for (const std::string& line : caption.fact) {
        draw_text(gui, {.at = {left, middle},
                        .text = line,
                        .style = style_of(gui, fact_size),
                        .role = caption.fact_role});
        middle += points(gui, fact_line);
    }
}

// Draws the field for the answer where the fact will be.
void draw_answer_in_hall(Gui& window, Session& session, const Caption& caption, const Rect& box,
                         double scale) {
    const double own = std::exchange(window.scale, scale);
    const double lines = double(caption.lines.size()) * caption_line;
    set_cursor(box.x + points(window, 17), box.y + points(window, caption_padding + lines + 3));
    draw_answer_field(window, session,
                      {.width = 180, .height = line_height, .style = {.size = fact_size}});
    window.scale = own;
}

// --- the line below the variants

std::optional<Arithmetic> focused_chains(const Session& session) {
    const View& view = session.view();
    const Result& shown = session.shown();
    const PointedTokens tokens = view.hovered ? tokens_of(*view.hovered) : PointedTokens{};
    const std::optional<Cell> pointed =
        tokens.query && tokens.key ? std::optional(Cell{*tokens.query, *tokens.key}) : std::nullopt;
    const std::optional<Cell> cell = pointed ? pointed : view.show.focus;
    if (!may_explore(session) || !cell) return std::nullopt;
    const Shape shape = shape_of(shown.scene);
    const auto [b, h] =
        pointed && view.hovered->b < shape.b && view.hovered->h < shape.h  // in this layer
            ? std::pair(view.hovered->b, view.hovered->h)
            : place_of_focus(view, shape);
    Arithmetic chains = make_arithmetic(shown, shown_variants(view, shown.scene), b, h, *cell);
    return chains.variants.empty() ? std::nullopt : std::optional(std::move(chains));
}

// Lengths in points: the square of a variant's letter, the gap after it, and the gap between
// variants.
constexpr double letter_side = 15, after_letter = 5, between_variants = 16;

// Draws the letter of a variant, then its text; returns the right end.
double draw_variant_text(Gui& gui, double x, double middle, int variant, const std::string& text) {
    const double side = points(gui, letter_side);
    const Role role = variant_role(variant);
    draw_box(gui, {.rect = {x, middle - side / 2, side, side},
                   .radius = points(gui, 3),
                   .filled = true,
                   .fill = role});
    draw_text(gui, {.at = {x + side / 2, middle},
                    .text = std::string(1, variant_letter(variant)),
                    .style = style_of(gui, smallest, Weight::bold),
                    .role = Role::ground,
                    .anchor = Anchor::centre});
    x += side + points(gui, after_letter);
    const TextStyle style = style_of(gui, smallest);
    draw_text(gui, {.at = {x, middle}, .text = text, .style = style});
    return x + measure(text, style).width + points(gui, between_variants);
}

// Returns what the variant gives for the cell: its weight, or if no stage from the softmax output
// on is shown, its score. whole: with the arithmetic that leads to it.
std::string variant_text(const Arithmetic& chains, const VariantArithmetic& variant,
                         const Show& show, const Figure& figure, bool whole) {
    const auto is_share = [](StageKind stage) { return stage >= StageKind::softmax; };
    const bool shares = std::ranges::any_of(shown_stages(show), is_share);
    const auto& lines = shares || chains.shared.empty() ? variant.lines : chains.shared;
    if (lines.empty()) return "";
    const ArithmeticLine& line = shares ? lines.back() : lines.front();
    if (!shares) return whole ? line.operation + " = " + line.result : line.result;
    // Name the number if no frame shows it; otherwise it would be taken for the one in the frame.
    const bool named = std::ranges::none_of(figure.heatmaps, [](const Heatmap& map) {
        return map.cells->stage == StageKind::softmax || map.cells->stage == StageKind::weights;
    });
    return (named ? "weight " : "") + (whole ? chain_text(variant) : line.result);
}

void draw_arithmetic(Gui& gui, const Session& session, const Figure& figure, double middle,
                     double width) {
    const auto chains = focused_chains(session);
    if (!chains) return;
    const Show& show = session.view().show;
    const std::string cell = fmt::format("{} → {}", chains->query, chains->key);
    const TextStyle style = style_of(gui, smallest);
    const auto room_of = [&](const std::string& text) {
        return points(gui, letter_side + after_letter + between_variants) +
               measure(text, style).width;
    };
    double length = measure(cell, style).width;
    for (const VariantArithmetic& variant : chains->variants)
        length += room_of(variant_text(*chains, variant, show, figure, true));
    const bool whole = length + points(gui, 2 * margin + between_variants) <= width;
    double x = points(gui, margin);
    draw_text(gui, {.at = {x, middle},
                    .text = cell,
                    .style = style,
                    .role = Role::dim,
                    .max_width = 0.4 * width});
    x += std::min(measure(cell, style).width, 0.4 * width) + points(gui, between_variants);
    // Leave out variants that do not fit: a number that is cut off reads as a different number.
    const std::string rest = "…";
    const double end = width - points(gui, margin);
    for (const VariantArithmetic& variant : chains->variants) {
        const std::string text = variant_text(*chains, variant, show, figure, whole);
        const bool is_last = variant == chains->variants.back();
        const double after = is_last ? -points(gui, between_variants) : measure(rest, style).width;
        if (x + room_of(text) + after > end)
            return draw_text(gui, {.at = {x, middle}, .text = rest, .style = style});
        x = draw_variant_text(gui, x, middle, variant.index, text);
    }
}

// Draws a message over the title; a long one covers names below it.
void draw_message(Gui& gui, const Session::Message& message, double width) {
    const TextStyle style = style_of(gui, fact_size, Weight::semibold);
    const double side = points(gui, margin), line = points(gui, line_height);
    const auto lines = broken_into_lines(message.text, style, width - 2 * side);
    const double height = std::max(points(gui, header), double(lines.size()) * line);
    fill_over({0, 0, width, height}, colours(gui)[Role::ground]);
    double middle = (height - double(lines.size() - 1) * line) / 2;
    for (const std::string& text : lines) {
        draw_text(gui, {.at = {side, middle},
                        .text = text,
                        .style = style,
                        .role = message.wrong ? Role::wrong : Role::ink,
                        .max_width = std::max(1.0, width - 2 * side)});
        middle += line;
    }
}

// Draws the what-if line: the chosen field with its choices, the other fields by name.
void draw_what_if(Gui& gui, const Session& session, Presenting& presenting, double middle,
                  double width) {
    const int variant = what_if_variant(session, presenting),
              chosen = *what_if_field(session, presenting);
    const bool several = shown_variants(session.view(), session.scene()).size() > 1;
    double x = draw_variant_text(gui, points(gui, margin), middle, variant, "");
    if (several) {  // the first field chooses the variant itself
        const bool is_chosen = chosen < 0;
        const TextStyle style =
            style_of(gui, smallest, is_chosen ? Weight::semibold : Weight::regular);
        const std::string text = is_chosen ? "variant  ↑↓" : "variant";
        x -= points(gui, 11);
        draw_text(gui, {.at = {x, middle},
                        .text = text,
                        .style = style,
                        .role = is_chosen ? Role::odd : Role::dim});
        x += measure(text, style).width + points(gui, 14);
    }
    const std::vector<WhatIf> fields = what_if_settings(session.scene(), variant);
    for (int k = 0; k < std::ssize(fields); ++k) {
        const auto& [setting, choices] = fields[k];
        const bool is_chosen = k == chosen;
        const int now = chosen_of(choices);
        const std::string value = choices.empty() ? "not used by this variant"
                                  : now < 0       ? "other  ↑↓"
                                                  : choices[now].words + "  ↑↓";
        const std::string text = std::string(setting->label) + (is_chosen ? ": " + value : "");
        const TextStyle style =
            style_of(gui, smallest, is_chosen ? Weight::semibold : Weight::regular);
        const double room = std::max(1.0, width - x - points(gui, margin));
        draw_text(gui, {.at = {x, middle},
                        .text = text,
                        .style = style,
                        .role = is_chosen ? Role::odd : Role::dim,
                        .max_width = room});
        x += std::min(room, measure(text, style).width) + points(gui, 14);
    }
}

// --- the variants

bool shows(const Session& session, ViewKind kind) {
    return shown_view(session.view(), session.shown().scene) == kind;
}
// Returns the view that is drawn above the bench, if it has been made.
const ViewEntry* made_above(const Session& session) {
    const ViewEntry* entry = entry_above(session);
    const bool is_made = entry && has_view(session.shown().scene, entry->kind) &&
                         session.results().bench().views.content(entry->kind);
    return is_made ? entry : nullptr;
}
bool shows_variants(const Session& session) {
    return shows(session, ViewKind::pipeline) || made_above(session);
}

Figure lay_out_variants(const Gui& gui, const Session& session, const Rect& room) {
    const View& view = session.view();
    LayoutOptions options;
    options.width = room.w;
    options.height = room.h;
    options.scale = gui.scale;
    options.with_title = false;
    options.with_legend = options.with_colour_bars = false;
    options.in_hall = true;
    options.hovered = shows_variants(session) ? named_cell(session) : view.hovered;
    options.with_mask = view.show.ring || names_mask(view.show);
    const Result& shown = session.shown();
    if (!shows_variants(session))
        return lay_out_view(shown, session.results().bench(), view, options);
    const ViewEntry* above = made_above(session);
    if (!above) return lay_out(session.results().bench(), options);
    Figure figure = above->lay_out_above(session.results().bench().views.content(above->kind),
                                         shown, view, options);
    options.height = std::max(1.0, options.height - figure.height);
    append_below(figure, lay_out(session.results().bench(), options));
    return figure;
}

// Dims every row except the focus row, from its token to its sum.
void draw_spotlight(Gui& gui, const Session& session, const Figure& figure, Point origin,
                    double end) {
    const auto& focus = session.view().show.focus;
    if (!focus) return;
    Colour veil = colours(gui)[Role::ground];
    veil.a = 205;
    for (const Heatmap& map : figure.heatmaps) {
        const Rect& all = map.rect;
        if (focus->i >= map.cells->rows) continue;
        const auto beside = [&](const Heatmap& other) {
            return other.rect.y < all.bottom() && all.y < other.rect.bottom();
        };
        // The space between two heatmaps belongs to the left one, for its sums. But if the left one
        // is less high, the space below it has the row names of the right one.
        double left = 0, right = end, names = 0, below = all.y;
        for (const Heatmap& other : figure.heatmaps) {
            if (!beside(other)) continue;
            if (other.rect.x > all.x) right = std::min(right, other.rect.x);
            if (other.rect.x >= all.x) continue;
            left = all.x;
            names = std::max(names, other.rect.right());
            below = std::max(below, other.rect.bottom());
        }
        const Rect row = cell_rect(map, focus->i, 0);
        const auto dim = [&](double from, double to, double top, double bottom) {
            if (from >= to || top >= bottom) return;
            const double y = std::round(origin.y + top);
            fill_over({origin.x + from, y, to - from, std::round(origin.y + bottom) - y}, veil);
        };
        dim(left, right, all.y, row.y);
        dim(left, right, row.bottom(), all.bottom());
        dim(names, left, below, row.y);
        dim(names, left, std::max(below, row.bottom()), all.bottom());
    }
}

// True if the pointer has moved recently.
bool is_moving(const Gui& gui, Presenting& presenting) {
    const bool acts =
        gui.now.buttons[0] || gui.now.buttons[1] || gui.now.buttons[2] || gui.now.wheel != Point{};
    const bool moved = presenting.pointer && *presenting.pointer != gui.now.pointer;
    presenting.pointer = gui.now.pointer;
    if (moved || acts) presenting.moved = gui.time;
    if (presenting.moved && gui.time - *presenting.moved >= pointer_fades) presenting.moved.reset();
    return presenting.moved.has_value();
}

// Returns the part of the room from the top of the figure down. A low figure goes to the middle of
// the space above the longest caption, so that an answer does not move it.
Rect room_below(const Gui& gui, const Figure& figure, const Rect& room) {
    const double lowest = std::min(room.h, points(gui, least_bottom) - room.y);
    const double spare = std::round(std::max(0.0, lowest - extent_of(figure).bottom()) / 2);
    return {room.x, room.y + spare, room.w, room.h - spare};
}

// Moves the view of a figure that is larger than the room: down, or sideways with Shift.
void turn_wheel(const Gui& gui, const Figure& figure, const Rect& room, Point& from) {
    Point by = gui.now.wheel;
    if ((gui.now.modifiers & GLFW_MOD_SHIFT) != 0) std::swap(by.x, by.y);
    const double step = points(gui, wheel_step);
    const Point last = last_place(figure, room.w, room.h);
    from.x = std::clamp(from.x - step * by.x, 0.0, last.x);
    from.y = std::clamp(from.y - step * by.y, 0.0, last.y);
}

// Draws the variants. Returns the part of the room from their top down.
Rect draw_variants(Gui& gui, Session& session, BenchState& bench, Presenting& presenting,
                   const Rect& room) {
    const bool over = is_moving(gui, presenting) && ImGui::IsWindowHovered() && is_uppermost(gui);
    const bool has_own_pointer = shown_entry(session) && !made_above(session);
    const auto lay_out_seen = [&] {
        bench.whole = lay_out_variants(gui, session, room);
        const Point claim = place_of_claim(session, bench.whole, room);
        if (std::exchange(presenting.claim, claim) != claim) presenting.from = claim;
        const Rect seen = whole_cells(bench.whole, presenting.from, room.w, room.h);
        bench.figure = scrolled(bench.whole, {seen.x, seen.y}, seen.w, seen.h);
        bench.seen = Rect{seen.x, seen.y, room.w, room.h};
    };
    lay_out_seen();
    const Figure figure = bench.figure;
    Rect below = room_below(gui, figure, room);
    Point origin{below.x, below.y};
    BenchPointer pointer = bench_pointer(gui, origin, over);
    pointer.wheel = 0;  // presenting has no zoom
    if (over) turn_wheel(gui, bench.whole, room, presenting.from);
    if (has_own_pointer && may_explore(session))
        use_view_pointer(gui, session, bench, figure,
                         {.at = {gui.now.pointer.x - origin.x, gui.now.pointer.y - origin.y},
                          .inside = pointer.at.has_value(),
                          .pressed = pointer.pressed});
    else
        use_pointer(session, bench.drag, figure, pointer, gui.scale);
    lay_out_seen();
    below = room_below(gui, bench.figure, room);
    origin = {below.x, below.y};
    bench.figure_at = origin;
    const double side = points(gui, margin);
    panel_list().PushClipRect(imgui_point({room.x - side, room.y}),
                              imgui_point({room.right() + side, room.bottom()}), true);
    paint(gui, panel_list(), bench.figure, origin);
    if (presenting.spotlight && shows_variants(session))
        draw_spotlight(gui, session, bench.figure, origin, room.w);
    if (!has_own_pointer) draw_bench_marks(gui, session, bench);
    panel_list().PopClipRect();
    return below;
}

// --- counted answers beside the variants

constexpr double beside_padding = 14;

void draw_beside_variants(Gui& gui, const Session& session, const Rect& room) {
    draw_poll(gui, session, {room.x + points(gui, beside_padding), room.y + points(gui, 8)},
              std::max(1.0, room.w - points(gui, beside_padding)), points(gui, caption_size));
}

// Draws the step's table in the space that the variants leave: beside them, otherwise below.
void draw_table_beside_variants(Gui& gui, const Session& session, const Figure& variants,
                                const Rect& room) {
    const Rect taken = extent_of(variants);
    const double side = points(gui, beside_padding);
    const double right = taken.right() + 2 * side, bottom = taken.bottom() + side;
    const auto draw = [&](Point at, double width, double height) {
        const auto table = fitted_table(session.words().table, width, height, points(gui, smallest),
                                        points(gui, caption_size));
        if (table) paint(gui, panel_list(), *table, {room.x + at.x, room.y + at.y});
        return table.has_value();
    };
    if (!draw({right, taken.y}, room.w - right, room.h - taken.y))
        draw({taken.x, bottom}, room.w - taken.x, room.h - bottom);
}

// --- the list of keys, and the speaker notes

void draw_sheet(Gui& gui, const Rect& box) {
    draw_box(gui, {.rect = box,
                   .radius = points(gui, 6),
                   .filled = true,
                   .outlined = true,
                   .fill = Role::raised,
                   .outline = Role::dim});
}

// Draws the table of the step, and its notes.
void draw_notes(Gui& gui, const Session& session, double width) {
    const std::string notes = session.words().notes;
    const StepTable& table = session.words().table;
    if (notes.empty() && table.empty()) return;
    const TextStyle style = style_of(gui, smallest);
    const double side = points(gui, 14), above = points(gui, 10);
    const double w = std::min(width, points(gui, 600)), room = w - 2 * side;
    const auto lines = broken_into_lines(notes, style, room);
    const double step = points(gui, 1.35 * smallest);
    const Figure rows = text_table(table, room, style.size);
    const double high = rows.height, between = high > 0 ? above : 0;
    const Rect box{std::round((width - w) / 2), points(gui, 8), w,
                   static_cast<double>(lines.size()) * step + high + between + 2 * above};
    draw_sheet(gui, box);
    paint(gui, panel_list(), rows, {box.x + side, box.y + above});
    double y = box.y + above + high + between + step / 2;
    for (const std::string& line : lines) {
        draw_text(gui, {.at = {box.x + side, y}, .text = line, .style = style});
        y += step;
    }
}

void draw_keys(Gui& gui, double width, double height) {
    const std::vector<KeyHelpLine> lines = presenting_key_lines();
    double keys = 0, what = 0;
    for (const KeyHelpLine& line : lines) {
        keys = std::max(keys, measure(line.keys, style_of(gui, fact_size, Weight::semibold)).width);
        what = std::max(what, measure(line.what, style_of(gui, fact_size)).width);
    }
    const double step = points(gui, line_height), side = points(gui, 20), between = points(gui, 16);
    const double w = std::min(width, keys + between + what + 2 * side);
    const double h = double(lines.size()) * step + 2 * points(gui, 14);
    const Rect box{std::round((width - w) / 2), std::round((height - h) / 2), w, h};
    draw_sheet(gui, box);
    double y = box.y + points(gui, 14) + step / 2;
    for (const KeyHelpLine& line : lines) {
        draw_text(gui, {.at = {box.x + side, y},
                        .text = line.keys,
                        .style = style_of(gui, fact_size, Weight::semibold)});
        draw_text(gui, {.at = {box.x + side + keys + between, y},
                        .text = line.what,
                        .style = style_of(gui, fact_size),
                        .max_width = std::max(1.0, w - 2 * side - keys - between)});
        y += step;
    }
}

}  // namespace

void draw_presenting(Gui& window, Session& session, Ui& ui) {
    BenchState& bench = ui.bench;
    Presenting& presenting = *ui.presenting;
    Gui gui = window;  // controls do not take the focus, except the field for an answer
    bench.laid_out.reset();
    gui.scale = window.height / screen_height;
    const double width = gui.width, height = gui.height;
    begin_panel(gui, "presenting", {0, 0, width, height}, {.ground = Role::ground, .padding = 0});
    if (presenting.blank) {
        bench.figure = {};
        fill_over({0, 0, width, height}, {0, 0, 0});
        return end_panel();
    }
    if (session.opening()) {
        bench.figure = {};
        set_cursor(points(gui, margin), points(gui, margin));
        label(gui, opening_text(session), {.style = {.size = fact_size}, .role = Role::dim});
        return end_panel();
    }
    draw_title(gui, session, ui, width);
    const bool entering = session.lesson() && !session.results().has_words();
    const Caption caption = entering ? Caption() : caption_of(gui, session, width);
    const Rect box{points(gui, margin), height - caption.height - points(gui, below),
                   width - points(gui, 2 * margin), caption.height};
    // The arithmetic of the focus cell is below the variants; other views use that space, too.
    const bool has_line = shows(session, ViewKind::pipeline) || presenting.what_if;
    const double line = has_line ? points(gui, line_height) : 0;
    const double line_at = box.y - points(gui, 2) - line;
    if (entering) {
        bench.figure = {};
        draw_text(gui, {.at = {width / 2, line_at / 2},
                        .text = opening_text(session),
                        .style = style_of(gui, caption_size),
                        .role = Role::dim,
                        .anchor = Anchor::centre});
    } else {
        Rect room{points(gui, margin), points(gui, header), width - points(gui, 2 * margin),
                  std::max(1.0, line_at - points(gui, header))};
        const double beside = has_poll(session) ? std::round(0.27 * room.w) : 0;
        room.w = std::max(1.0, room.w - beside);
        const Rect variants = draw_variants(gui, session, bench, presenting, room);
        if (beside == 0) draw_table_beside_variants(gui, session, bench.figure, variants);
        if (beside > 0) draw_beside_variants(gui, session, {room.right(), room.y, beside, room.h});
    }
    if (is_news(gui, session, ui.told)) draw_message(gui, *session.message(), width);
    if (presenting.what_if)
        draw_what_if(gui, session, presenting, line_at + line / 2, width);
    else if (line > 0 && !entering)
        draw_arithmetic(gui, session, bench.figure, line_at + line / 2, width);
    draw_caption_box(gui, caption, box);
    if (session.view().asks()) draw_answer_in_hall(window, session, caption, box, gui.scale);
    if (presenting.notes) draw_notes(gui, session, width);
    if (presenting.keys) draw_keys(gui, width, height);
    end_panel();
}

}  // namespace maskscope
