#include "app/window/widgets/text_area.h"

#include <GLFW/glfw3.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/style/labels.h"
#include "app/window/paint/imgui_compat.h"
#include "app/window/paint/label_atlas.h"

namespace maskscope {

namespace {

constexpr double inset = 10, text_line = 20, above = 6;  // points
const TextStyle area_style{};

std::string part(const std::string& text, const TextLine& line) {
    return text.substr(line.begin, line.end - line.begin);
}

// True if the text fits. Text beyond the longest label is not drawn, so it is not measured.
bool fits(const std::string& text, std::size_t begin, std::size_t end, const TextStyle& style,
          double room) {
    return end - begin <= longest_label &&
           measure(text.substr(begin, end - begin), style).width <= room;
}

// Returns the end of the word at `byte`, including the spaces before it.
std::size_t word_end(const std::string& text, std::size_t byte) {
    const std::size_t word = text.find_first_not_of(' ', byte);
    return word == std::string::npos ? text.size() : std::min(text.find(' ', word), text.size());
}

// Returns the end of as many words from `begin` on as fit, but at least one. about: the expected
// number of bytes, at which the search begins.
std::size_t words_end(const std::string& text, std::size_t begin, std::size_t about,
                      const TextStyle& style, double room) {
    const auto fit = [&](std::size_t end) { return fits(text, begin, end, style, room); };
    std::vector<std::size_t> ends{word_end(text, begin)};
    while (ends.back() < text.size() && ends.back() - begin < about)
        ends.push_back(word_end(text, ends.back()));
    while (ends.size() > 1 && !fit(ends.back())) ends.pop_back();
    std::size_t end = ends.back();
    while (end < text.size() && fit(word_end(text, end))) end = word_end(text, end);
    return end;
}

// Returns at most `most` bytes, without cutting a character.
std::string piece_of(const std::string& text, std::size_t begin, std::size_t end,
                     std::size_t most) {
    if (end - begin <= most) return text.substr(begin, end - begin);
    for (int k = 0; k < 3 && (text[begin + most] & 0xc0) == 0x80; ++k) --most;
    return text.substr(begin, most);
}

// Returns the end of as many graphemes from `begin` on as fit, but at least one. Does not read text
// far beyond that.
std::size_t fitting_end(const std::string& text, std::size_t begin, std::size_t end,
                        const TextStyle& style, double room) {
    for (std::size_t most = 256;; most *= 2) {
        const std::string piece = piece_of(text, begin, end, most);
        const bool is_cut = begin + piece.size() < end;  // the last grapheme may then be incomplete
        const std::vector<std::size_t> stops = caret_stops(piece);
        const auto first = stops.begin() + 1, last = stops.end() - (is_cut ? 1 : 0);
        const auto too_wide = std::partition_point(
            first, last, [&](std::size_t stop) { return fits(piece, 0, stop, style, room); });
        if (too_wide == last && is_cut) continue;
        return begin + (too_wide == first ? *first : *(too_wide - 1));
    }
}

struct Lines {
    Rect rect;  // the text, without insets
    TextStyle style;
    double line = 0;  // pixels from line to line
    std::vector<TextLine> lines;

    // True if part of the line is visible in the panel.
    bool shows(std::size_t k) const {
        const Rect at{rect.x, rect.y + static_cast<double>(k) * line, rect.w, line};
        return ImGui::IsRectVisible(imgui_point({at.x, at.y}),
                                    imgui_point({at.right(), at.bottom()}));
    }
    double middle(std::size_t k) const { return rect.y + (static_cast<double>(k) + 0.5) * line; }
};

// Returns the index of the line with a byte. A caret at a break of the text is on the following
// line.
std::size_t line_at(const std::vector<TextLine>& lines, std::size_t byte) {
    std::size_t k = 0;
    while (k + 1 < lines.size() && lines[k + 1].begin <= byte) ++k;
    return k;
}

double x_in_line(const std::string& text, const Lines& area, std::size_t k, std::size_t byte) {
    const TextLine& line = area.lines[k];
    return caret_x(part(text, line), area.style, std::min(byte, line.end) - line.begin);
}

std::size_t byte_in_line(const std::string& text, const Lines& area, std::size_t k, double x) {
    const TextLine& line = area.lines[k];
    const std::size_t byte = line.begin + caret_at(part(text, line), area.style, x);
    // If a line is broken within a word, a caret at its end would be on the next line.
    const bool next = k + 1 < area.lines.size() && byte >= area.lines[k + 1].begin;
    if (!next) return byte;
    const std::vector<std::size_t> stops = caret_stops(text);
    return *(std::lower_bound(stops.begin(), stops.end(), byte) - 1);
}

std::size_t byte_at(const Gui& gui, const std::string& text, const Lines& area) {
    const double down = std::floor((gui.now.pointer.y - area.rect.y) / area.line);
    const double last = static_cast<double>(area.lines.size()) - 1;
    const auto k = static_cast<std::size_t>(std::clamp(down, 0.0, last));
    return byte_in_line(text, area, k, gui.now.pointer.x - area.rect.x);
}

// --- editing

void point(const Gui& gui, TokenField& field, const Lines& area) {
    const std::size_t byte = byte_at(gui, field.text(), area);
    if (ImGui::IsItemHovered() && ImGui::GetMouseClickedCount(0) > 2)
        field.select_all();
    else if (ImGui::IsItemHovered() && ImGui::IsMouseDoubleClicked(0))
        field.select_word_at(byte);
    else if (ImGui::IsItemActivated())
        field.place_caret(byte, ImGui::GetIO().KeyShift);
    else if (ImGui::IsItemActive() && ImGui::IsMouseDragging(0))
        field.place_caret(byte, true);
}

void step_line(TokenField& field, const Lines& area, int by, bool select) {
    const std::size_t from = line_at(area.lines, field.caret());
    const auto to = static_cast<std::ptrdiff_t>(from) + by;
    if (to < 0) return field.place_caret(0, select);
    if (to >= static_cast<std::ptrdiff_t>(area.lines.size()))
        return field.place_caret(field.text().size(), select);
    const double x = x_in_line(field.text(), area, from, field.caret());
    field.place_caret(byte_in_line(field.text(), area, static_cast<std::size_t>(to), x), select);
}

// Handles this frame's input; returns true when the user leaves the field.
bool use(Gui& gui, ActiveField& editing, const Lines& area) {
    using Outcome = TokenField::Outcome;
    const bool select = (gui.now.modifiers & GLFW_MOD_SHIFT) != 0;
    for (const int key : gui.now.pressed)
        if (key == GLFW_KEY_UP || key == GLFW_KEY_DOWN)
            step_line(editing.field, area, key == GLFW_KEY_UP ? -1 : 1, select);
    const Outcome outcome = editing.field.use(gui.now, gui.clipboard);
    if (outcome == Outcome::cancel) editing.field.set_text(editing.field.original());
    return outcome != Outcome::none || editing.leave ||
           (ImGui::IsMouseClicked(0) && !ImGui::IsItemHovered());
}

// --- drawing

// Draws the selected bytes of a line, from caret to caret. In text of mixed scripts they may not be
// adjacent.
void draw_selection(Gui& gui, const TokenField& field, const Lines& area) {
    const std::size_t from = std::min(field.caret(), field.anchor());
    const std::size_t to = std::max(field.caret(), field.anchor());
    for (std::size_t k = 0; k < area.lines.size(); ++k) {
        const TextLine& line = area.lines[k];
        if (to <= line.begin || from >= line.end || !area.shows(k)) continue;
        const double a = x_in_line(field.text(), area, k, std::max(from, line.begin));
        const double b = x_in_line(field.text(), area, k, std::min(to, line.end));
        draw_selected(gui, area.rect.x + a, area.rect.x + b, area.middle(k), area.style.size);
    }
}

// Returns the lines of a text in the field that fills `rect`.
Lines lines_in(const Gui& gui, const std::string& text, const Rect& rect) {
    Lines lines;
    lines.style = scaled(gui, area_style);
    lines.line = points(gui, text_line);
    lines.rect = {rect.x + points(gui, inset), rect.y + points(gui, above),
                  std::max(1.0, rect.w - 2 * points(gui, inset)), rect.h};
    lines.lines = lines_of(text, lines.style, lines.rect.w);
    return lines;
}

void draw_area(Gui& gui, const Rect& rect, const std::string& text, const TokenField* field,
               const std::string& hint) {
    const Lines lines = lines_in(gui, text, rect);
    draw_field_frame(gui, rect, field != nullptr);
    if (field != nullptr && field->has_selection()) draw_selection(gui, *field, lines);
    if (text.empty())
        draw_text(gui, {.at = {lines.rect.x, lines.middle(0)},
                        .text = hint,
                        .style = lines.style,
                        .role = Role::dim,
                        .max_width = lines.rect.w});
    for (std::size_t k = 0; k < lines.lines.size(); ++k)
        if (const std::string line = part(text, lines.lines[k]); !line.empty() && lines.shows(k))
            draw_text(gui,
                      {.at = {lines.rect.x, lines.middle(k)}, .text = line, .style = lines.style});
    if (field == nullptr) return;
    const std::size_t k = line_at(lines.lines, field->caret());
    draw_caret(gui, lines.rect.x + x_in_line(text, lines, k, field->caret()), lines.middle(k),
               lines.style.size);
}

std::vector<TextLine> broken(const std::string& text, const TextStyle& style, double room) {
    std::vector<TextLine> lines;
    std::size_t begin = 0, about = 0;
    do {
        std::size_t end = words_end(text, begin, about, style, room);
        if (!fits(text, begin, end, style, room)) end = fitting_end(text, begin, end, style, room);
        lines.push_back({begin, end});
        about = end - begin;
        const std::size_t next = text.find_first_not_of(' ', end);
        begin = next == std::string::npos ? text.size() : next;
    } while (begin < text.size());
    lines.back().end = text.size();  // spaces that are still being typed
    return lines;
}

}  // namespace

// Returns the lines of a text. Keeps those of the last long one, because a frame asks several times
// for those of its field.
std::vector<TextLine> lines_of(const std::string& text, const TextStyle& style, double room) {
    constexpr std::size_t is_long = 1000;
    struct LastLayout {
        std::string text;
        TextStyle style;
        double room = 0;
        std::vector<TextLine> lines{};
    };
    static LastLayout last;
    if (text.size() < is_long) return broken(text, style, room);
    if (last.text != text || last.style != style || last.room != room)
        last = {text, style, room, broken(text, style, room)};
    return last.lines;
}

std::optional<std::string> text_area(Gui& gui, const std::string& id, const std::string& text,
                                     const AreaOptions& options) {
    const ActiveField* before = editing_of(gui, id);
    std::string shown = before != nullptr ? before->field.text() : text;
    const double room = std::max(1.0, room_width());
    const Lines needed = lines_in(gui, shown, {0, 0, room, 0});
    const double count = std::max<double>(options.lines, double(needed.lines.size()));
    const double height = count * needed.line + 2 * points(gui, above);
    const bool enters = press_area(gui, id, room, height);
    const ImVec2 low = ImGui::GetItemRectMin();
    const Rect rect{low.x, low.y, room, height};
    if (ImGui::IsItemHovered()) gui.over_text = true;
    if (before == nullptr && (ImGui::IsItemActivated() || enters)) edit_field(gui, id, text, false);
    if (ActiveField* editing = editing_of(gui, id)) {
        const Lines lines = lines_in(gui, shown, rect);
        editing->drawn = true;
        point(gui, editing->field, lines);
        const bool left = !std::exchange(editing->begun, false) && use(gui, *editing, lines);
        shown = editing->field.text();
        if (left) gui.editing.reset();
    }
    const ActiveField* editing = editing_of(gui, id);
    draw_area(gui, rect, shown, editing != nullptr ? &editing->field : nullptr, options.hint);
    return shown != text ? std::optional(shown) : std::nullopt;
}

}  // namespace maskscope
