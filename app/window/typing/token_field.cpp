#include "app/window/typing/token_field.h"

#include <GLFW/glfw3.h>
#include <glib.h>

#include <algorithm>

#include "app/style/pango_text.h"

namespace maskscope {

// Finds caret positions in a text, and their places on the screen.

namespace {

using pango::Layout;

// True for valid UTF-8. Paths on disk may be invalid; then the caret can stop at every byte.
bool is_utf8(const std::string& text) {
    return g_utf8_validate(text.data(), static_cast<gssize>(text.size()), nullptr) != FALSE;
}

// Returns the layout of a text. Keeps the last one, because a frame asks several times for that of
// its field, and a text of 100,000 letters takes 50 ms.
const Layout& layout_of(const std::string& text, const TextStyle& style) {
    struct LastLayout {
        std::string text;
        TextStyle style;
        Layout layout;
    };
    static LastLayout last;
    if (last.layout == nullptr || last.text != text || last.style != style)
        last = {text, style, pango::layout_of(text, style)};
    return last.layout;
}

std::vector<std::size_t> every_byte(const std::string& text) {
    std::vector<std::size_t> stops(text.size() + 1);
    for (std::size_t k = 0; k < stops.size(); ++k) stops[k] = k;
    return stops;
}

}  // namespace

std::vector<std::size_t> caret_stops(const std::string& text) {
    if (text.empty()) return {0};
    if (!is_utf8(text)) return every_byte(text);
    std::vector<PangoLogAttr> attributes(
        static_cast<std::size_t>(g_utf8_strlen(text.data(), static_cast<gssize>(text.size()))) + 1);
    pango_get_log_attrs(text.data(), static_cast<int>(text.size()), -1,
                        pango_context_get_language(pango::context()), attributes.data(),
                        static_cast<int>(attributes.size()));
    std::vector<std::size_t> stops;
    const char* at = text.c_str();
    for (const PangoLogAttr& attribute : attributes) {
        if (attribute.is_cursor_position != 0)
            stops.push_back(static_cast<std::size_t>(at - text.c_str()));
        at = g_utf8_next_char(at);
    }
    if (stops.empty() || stops.front() != 0) stops.insert(stops.begin(), 0);
    if (stops.back() != text.size()) stops.push_back(text.size());
    return stops;
}

double caret_x(const std::string& text, const TextStyle& style, std::size_t byte) {
    if (text.empty()) return 0;
    const Layout& layout = layout_of(text, style);
    PangoRectangle strong;
    pango_layout_get_cursor_pos(layout.get(), static_cast<int>(std::min(byte, text.size())),
                                &strong, nullptr);
    return pango::ems(strong.x) * style.size;
}

std::size_t caret_at(const std::string& text, const TextStyle& style, double x) {
    if (text.empty() || !is_utf8(text)) return text.size();
    const Layout& layout = layout_of(text, style);
    int index = 0, trailing = 0;
    constexpr double most = 131'000;  // the most ems that fit in Pango's int
    const double limited = std::clamp(x / style.size, -most, most);
    pango_layout_line_x_to_index(pango_layout_get_line_readonly(layout.get(), 0),
                                 static_cast<int>(pango::units(limited)), &index, &trailing);
    const char* at = text.c_str() + index;
    for (; trailing > 0 && *at != '\0'; --trailing) at = g_utf8_next_char(at);
    const auto byte = static_cast<std::size_t>(at - text.c_str());
    const std::vector<std::size_t> stops = caret_stops(text);
    return *std::lower_bound(stops.begin(), stops.end(), std::min(byte, text.size()));
}

namespace {

// Returns the text that one line can hold: valid UTF-8 without control characters and line
// separators.
std::string legible_line(std::string_view text) {
    char* valid = g_utf8_make_valid(text.data(), static_cast<gssize>(text.size()));
    std::string line;
    for (const char* at = valid; *at != '\0'; at = g_utf8_next_char(at)) {
        const gunichar c = g_utf8_get_char(at);
        const bool breaks = c == 0x2028 || c == 0x2029;
        const bool control = c < 0x20 || (c >= 0x7f && c <= 0x9f) || breaks;
        line.append(control ? " " : at,
                    control ? 1 : static_cast<std::size_t>(g_utf8_next_char(at) - at));
    }
    g_free(valid);
    return line;
}

bool is_blank(char c) { return c == ' '; }

}  // namespace

TokenField::TokenField(std::string text)
    : original_(std::move(text)), text_(original_), caret_(text_.size()), anchor_(caret_) {}

std::string TokenField::selected() const {
    return text_.substr(std::min(caret_, anchor_),
                        std::max(caret_, anchor_) - std::min(caret_, anchor_));
}

void TokenField::set_text(std::string text) {
    text_ = std::move(text);
    caret_ = anchor_ = text_.size();
}

void TokenField::erase_selection() {
    const std::size_t from = std::min(caret_, anchor_), to = std::max(caret_, anchor_);
    text_.erase(from, to - from);
    caret_ = anchor_ = from;
}

void TokenField::insert(std::string_view text) {
    erase_selection();
    const std::string line = legible_line(text);
    text_.insert(caret_, line);
    // If the inserted text, such as an accent, has combined with its neighbour, put the caret after
    // both.
    const std::size_t end = caret_ + line.size();
    const std::vector<std::size_t> stops = caret_stops(text_);
    caret_ = anchor_ = *std::lower_bound(stops.begin(), stops.end(), end);
}

std::size_t TokenField::stop_before(std::size_t byte) const {
    const std::vector<std::size_t> stops = caret_stops(text_);
    const auto at = std::lower_bound(stops.begin(), stops.end(), byte);
    return at == stops.begin() ? 0 : *(at - 1);
}

std::size_t TokenField::stop_after(std::size_t byte) const {
    const std::vector<std::size_t> stops = caret_stops(text_);
    const auto at = std::upper_bound(stops.begin(), stops.end(), byte);
    return at == stops.end() ? text_.size() : *at;
}

void TokenField::erase_back() {
    if (!has_selection()) anchor_ = stop_before(caret_);
    erase_selection();
}

void TokenField::erase_forward() {
    if (!has_selection()) anchor_ = stop_after(caret_);
    erase_selection();
}

// Returns the next boundary of a word in a direction. Words are separated by spaces, as in
// split_sentence().
std::size_t TokenField::word_from(std::size_t byte, bool forward) const {
    const auto blank = [&](std::size_t at) { return is_blank(text_[at]); };
    if (forward) {
        while (byte < text_.size() && !blank(byte)) ++byte;
        while (byte < text_.size() && blank(byte)) ++byte;
    } else {
        while (byte > 0 && blank(byte - 1)) --byte;
        while (byte > 0 && !blank(byte - 1)) --byte;
    }
    return byte;
}

void TokenField::move(Move where, bool select) {
    const bool collapses = has_selection() && !select;
    switch (where) {
        case Move::left:
            caret_ = collapses ? std::min(caret_, anchor_) : stop_before(caret_);
            break;
        case Move::right:
            caret_ = collapses ? std::max(caret_, anchor_) : stop_after(caret_);
            break;
        case Move::word_left:
            caret_ = word_from(caret_, false);
            break;
        case Move::word_right:
            caret_ = word_from(caret_, true);
            break;
        case Move::home:
            caret_ = 0;
            break;
        case Move::end:
            caret_ = text_.size();
            break;
    }
    if (!select) anchor_ = caret_;
}

void TokenField::select_all() {
    anchor_ = 0;
    caret_ = text_.size();
}

void TokenField::select_word_at(std::size_t byte) {
    caret_ = anchor_ = std::min(byte, text_.size());
    while (anchor_ > 0 && !is_blank(text_[anchor_ - 1])) --anchor_;
    while (caret_ < text_.size() && !is_blank(text_[caret_])) ++caret_;
}

void TokenField::place_caret(std::size_t byte, bool select) {
    caret_ = std::min(byte, text_.size());
    if (!select) anchor_ = caret_;
}

void TokenField::press(double x, const TextStyle& style, bool select) {
    caret_ = caret_at(text_, style, x);
    if (!select) anchor_ = caret_;
}

void TokenField::drag(double x, const TextStyle& style) { caret_ = caret_at(text_, style, x); }

TokenField::Outcome TokenField::use(const Input& input, const Clipboard& clipboard) {
    if (!input.text.empty()) insert(input.text);
    for (const int key : input.pressed)
        if (const Outcome outcome = use_key(key, input.modifiers, clipboard);
            outcome != Outcome::none)
            return outcome;
    return Outcome::none;
}

TokenField::Outcome TokenField::use_key(int key, int modifiers, const Clipboard& clipboard) {
    switch (key) {
        case GLFW_KEY_ENTER:
        case GLFW_KEY_KP_ENTER:
            return Outcome::commit;
        case GLFW_KEY_ESCAPE:
            return Outcome::cancel;
        case GLFW_KEY_TAB:
            return Outcome::tab;
        default:
            break;
    }
    if ((modifiers & GLFW_MOD_CONTROL) != 0 && use_control_key(key, clipboard))
        return Outcome::none;
    use_caret_key(key, modifiers);
    return Outcome::none;
}

bool TokenField::use_control_key(int key, const Clipboard& clipboard) {
    switch (key) {
        case GLFW_KEY_A:
            select_all();
            return true;
        case GLFW_KEY_C:
        case GLFW_KEY_X:
            if (has_selection() && clipboard.write) clipboard.write(selected());
            if (key == GLFW_KEY_X) erase_selection();
            return true;
        case GLFW_KEY_V:
            if (const std::string text = clipboard.read ? clipboard.read() : ""; !text.empty())
                insert(text);
            return true;
        case GLFW_KEY_Z:
            set_text(original_);
            return true;
        default:
            return false;
    }
}

void TokenField::use_caret_key(int key, int modifiers) {
    const bool select = (modifiers & GLFW_MOD_SHIFT) != 0;
    const bool word = (modifiers & GLFW_MOD_CONTROL) != 0;
    switch (key) {
        case GLFW_KEY_LEFT:
            return move(word ? Move::word_left : Move::left, select);
        case GLFW_KEY_RIGHT:
            return move(word ? Move::word_right : Move::right, select);
        case GLFW_KEY_HOME:
            return move(Move::home, select);
        case GLFW_KEY_END:
            return move(Move::end, select);
        case GLFW_KEY_BACKSPACE:
            if (word && !has_selection()) anchor_ = word_from(caret_, false);
            return erase_back();
        case GLFW_KEY_DELETE:
            if (word && !has_selection()) anchor_ = word_from(caret_, true);
            return erase_forward();
        default:
            return;
    }
}

}  // namespace maskscope
