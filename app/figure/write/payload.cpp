#include "app/figure/write/payload.h"

#include "app/figure/write/pdf.h"
#include "app/figure/write/png.h"
#include "app/figure/write/svg.h"

namespace maskscope {

namespace {

constexpr std::string_view png_signature = "\x89PNG\r\n\x1a\n";

// Returns the first byte after a byte order mark and white space, if there are any; 0 if no byte
// follows.
char first_of(std::string_view bytes) {
    constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
    if (bytes.starts_with(byte_order_mark)) bytes.remove_prefix(byte_order_mark.size());
    const std::size_t first = bytes.find_first_not_of(" \t\r\n");
    return first == bytes.npos ? '\0' : bytes[first];
}

bool is_svg(std::string_view bytes) { return first_of(bytes) == '<'; }

// True for a PDF, whose header other bytes may precede. JSON is never taken for a PDF: a token of a
// scene may contain "%PDF-".
bool is_pdf(std::string_view bytes) {
    return first_of(bytes) != '{' && bytes.substr(0, 1024).find("%PDF-") != bytes.npos;
}

}  // namespace

bool is_figure_file(std::string_view bytes) {
    return bytes.starts_with(png_signature) || is_svg(bytes) || is_pdf(bytes);
}

std::optional<std::string> payload_of(std::string_view figure) {
    if (figure.starts_with(png_signature)) return png_payload(figure);
    return is_svg(figure) ? svg_payload(figure) : pdf_payload(figure);
}

}  // namespace maskscope
