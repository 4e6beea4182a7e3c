// Finds the places of the caret in a text, and on the screen.

#include <algorithm>

#include "app/style/pango_text.h"
#include "app/window/typing/token_field.h"

namespace maskscope {
namespace {

using pango::Layout;

// True for UTF-8. A path on disk need not be: then every byte is a stop.
bool is_utf8(const std::string& text) {
    return g_utf8_validate(text.data(), static_cast<gssize>(text.size()), nullptr) != FALSE;
}

// Returns the layout of the last text: a frame asks for its field's several times, and a text of
// 100,000 letters takes 50 ms.
const Layout& layout_of(const std::string& text, const TextStyle& style) {
    struct Last {
        std::string text;
        TextStyle style;
        Layout layout;
    };
    static Last last;
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
    constexpr double most = 131'000;  // ems that fit in Pango's int
    const double limited = std::clamp(x / style.size, -most, most);
    pango_layout_line_x_to_index(pango_layout_get_line_readonly(layout.get(), 0),
                                 static_cast<int>(pango::units(limited)), &index, &trailing);
    const char* at = text.c_str() + index;
    for (; trailing > 0 && *at != '\0'; --trailing) at = g_utf8_next_char(at);
    const auto byte = static_cast<std::size_t>(at - text.c_str());
    const std::vector<std::size_t> stops = caret_stops(text);
    return *std::lower_bound(stops.begin(), stops.end(), std::min(byte, text.size()));
}

}  // namespace maskscope
