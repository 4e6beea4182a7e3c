#include "app/figure/write/pdf.h"

#include <fmt/format.h>
#include <glib.h>

#include <cairo-pdf.h>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <memory>
#include <new>

#include "app/figure/pen.h"
#include "app/style/labels.h"
#include "app/style/pango_text.h"
#include "core/base/error.h"

namespace maskscope {

namespace {

constexpr double most_cell_pixels = 64e6;  // for all pictures of a page; lowers their resolution
constexpr double longest_page = 14400;     // points: the limit of the format

// Returns the pixels per point of the pictures.
double density_of(const Figure& figure) {
    const double most = std::sqrt(most_cell_pixels / figure.width / figure.height);
    return std::max(1.0, std::min(pdf_cell_dpi / 72, most));
}

cairo_status_t append_bytes(void* bytes, const unsigned char* data, unsigned int count) {
    try {
        static_cast<std::string*>(bytes)->append(reinterpret_cast<const char*>(data), count);
        return CAIRO_STATUS_SUCCESS;
    } catch (const std::bad_alloc&) {
        return CAIRO_STATUS_NO_MEMORY;  // no exception may pass through cairo
    }
}

void draw_page(cairo_t* cairo, const Figure& figure, const Theme& theme, const Progress& progress) {
    const Colour ground = theme[Role::ground];
    cairo_set_source_rgb(cairo, ground.r / 255.0, ground.g / 255.0, ground.b / 255.0);
    cairo_paint(cairo);
    const double density = density_of(figure);
    cairo_scale(cairo, 1 / density, 1 / density);
    // Give each page its own document element: cairo 1.16 loses a tag that begins before a page's
    // size is set, or that ends on another page.
    cairo_tag_begin(cairo, "Document", nullptr);
    cairo_tag_begin(cairo, "Figure", nullptr);
    draw_figure(cairo, figure, theme, density, progress);
    cairo_tag_end(cairo, "Figure");
    cairo_tag_end(cairo, "Document");
    cairo_show_page(cairo);
}

}  // namespace

std::string pdf_bytes(const Figure& figure, const PdfOptions& options, const Progress& progress) {
    return pdf_bytes(std::span(&figure, 1), options, progress);
}

std::string pdf_bytes(std::span<const Figure> pages, const PdfOptions& options,
                      const Progress& progress) {
    for (const Figure& page : pages) {
        if (!(page.width > 0) || !(page.height > 0)) throw WorkError("the figure is empty");
        if (std::max(page.width, page.height) > longest_page)
            throw WorkError(
                fmt::format("the page would be {:.0f} × {:.0f} points; at most {:.0f} are possible",
                            page.width, page.height, longest_page));
    }
    std::string bytes;
    const CairoSurface owned{cairo_pdf_surface_create_for_stream(
        append_bytes, &bytes, pages.front().width, pages.front().height)};
    cairo_surface_t* surface = owned.get();
    cairo_pdf_surface_restrict_to_version(surface, CAIRO_PDF_VERSION_1_4);  // see with_additions()
    // Set a date, because otherwise two runs would differ.
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE, "2000-01-01T00:00:00Z");
    if (!options.title.empty())
        cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_TITLE,
                                       writable(options.title).c_str());
    const CairoContext cairo{cairo_create(surface)};
    for (const Figure& page : pages) {
        cairo_pdf_surface_set_size(surface, page.width, page.height);
        cairo_save(cairo.get());
        draw_page(cairo.get(), page, theme(options.theme), progress);
        cairo_restore(cairo.get());
    }
    const cairo_status_t drawn = cairo_status(cairo.get());
    cairo_surface_finish(surface);
    const cairo_status_t written = cairo_surface_status(surface);
    for (const cairo_status_t status : {drawn, written})
        if (status != CAIRO_STATUS_SUCCESS)
            throw WorkError(fmt::format("the page: {}", cairo_status_to_string(status)));
    return with_additions(std::move(bytes), {options.descriptions, options.payload});
}

namespace {

// The text before the attached file's bytes, up to their number.
constexpr std::string_view stream_head =
    "<< /Type /EmbeddedFile /Subtype /application#2Fzip /MaskscopeScene true /Length ";

std::size_t number_after(std::string_view text, std::string_view key) {
    const std::size_t at = text.rfind(key);
    std::size_t number = 0;
    if (at == text.npos) throw WorkError("the page: no " + std::string(key));
    const char* const begin = text.data() + text.find_first_not_of(" \n", at + key.size());
    std::from_chars(begin, text.data() + text.size(), number);
    return number;
}

// Returns the place of each object, by object number, according to the table at the end.
std::map<std::size_t, std::size_t> object_places(std::string_view pdf) {
    const std::size_t table = number_after(pdf, "startxref");
    const std::size_t count = number_after(pdf, "/Size");
    constexpr std::size_t line = 20;
    const std::size_t lines = pdf.find('\n', pdf.find('\n', table) + 1) + 1;
    std::map<std::size_t, std::size_t> places;
    for (std::size_t k = 1; k < count; ++k) {
        std::size_t place = 0;
        const char* const digits = pdf.data() + lines + k * line;
        std::from_chars(digits, digits + 10, place);
        places[k] = place;
    }
    return places;
}

// Returns text in UTF-16, as a hexadecimal string.
std::string text_string(const std::string& text) {
    glong length = 0;
    const std::unique_ptr<gunichar2, void (*)(void*)> wide{
        g_utf8_to_utf16(text.data(), static_cast<glong>(text.size()), nullptr, &length, nullptr),
        g_free};
    std::string digits = "<FEFF";
    for (glong k = 0; wide && k < length; ++k) digits += fmt::format("{:04X}", wide.get()[k]);
    return digits + ">";
}

// Builds the objects that are appended.
class Update {
public:
    explicit Update(std::string pdf) : pdf_(std::move(pdf)), old_(object_places(pdf_)) {
        table_ = number_after(pdf_, "startxref");
        root_ = number_after(pdf_, "/Root");
        info_ = number_after(pdf_, "/Info");
        next_ = old_.rbegin()->first + 1;
    }

    // Replaces a dictionary with the same one plus these entries.
    void extend(std::size_t object, const std::string& entries) {
        const std::size_t from = pdf_.find("<<", old_.at(object));
        const std::size_t end = pdf_.rfind(">>", pdf_.find("endobj", from));
        put(object, pdf_.substr(from, end - from) + entries + " >>");
    }
    std::size_t root() const { return root_; }
    bool has(std::size_t object, std::string_view key) const {
        const std::size_t from = old_.at(object);
        return pdf_.substr(from, pdf_.find("endobj", from) - from).find(key) != pdf_.npos;
    }
    std::size_t add(const std::string& content) {
        put(next_, content);
        return next_++;
    }
    // Returns the objects whose dictionaries begin with this text, in the order of their numbers.
    std::vector<std::size_t> find(std::string_view beginning) const {
        std::vector<std::size_t> found;
        for (const auto& [object, place] : old_)
            if (std::string_view(pdf_).substr(pdf_.find("<<", place)).starts_with(beginning))
                found.push_back(object);
        return found;
    }
    std::string finished() {
        const std::size_t table = pdf_.size();
        pdf_ += "xref\n";
        for (const auto& [object, place] : new_)
            pdf_ += fmt::format("{} 1\n{:010} 00000 n \n", object, place);
        pdf_ += fmt::format(
            "trailer\n<< /Size {} /Root {} 0 R /Info {} 0 R /Prev {} >>\nstartxref\n{}\n%%EOF\n",
            next_, root_, info_, table_, table);
        return std::move(pdf_);
    }

private:
    void put(std::size_t object, const std::string& content) {
        new_[object] = pdf_.size();
        pdf_ += fmt::format("{} 0 obj\n{}\nendobj\n", object, content);
    }

    std::string pdf_;
    std::map<std::size_t, std::size_t> old_, new_;  // places of objects, by number
    std::size_t table_ = 0, root_ = 0, info_ = 0, next_ = 0;
};

}  // namespace

std::string with_additions(std::string pdf, const PdfAdditions& additions) {
    Update update(std::move(pdf));
    std::string root = "/Lang (en)";
    if (!update.has(update.root(), "/MarkInfo")) root += " /MarkInfo << /Marked true >>";
    const auto pages = update.find("<< /Type /StructElem\n   /S /Figure");
    for (std::size_t k = 0; k < std::min(pages.size(), additions.descriptions.size()); ++k)
        if (!additions.descriptions[k].empty())
            update.extend(pages[k], "/Alt " + text_string(additions.descriptions[k]));
    if (!additions.payload.empty()) {
        const std::size_t stream =
            update.add(fmt::format("{}{} >>\nstream\n{}\nendstream", stream_head,
                                   additions.payload.size(), additions.payload));
        const std::size_t file = update.add(fmt::format(
            "<< /Type /Filespec /F (scene.zip) /UF (scene.zip) /EF << /F {} 0 R >> >>", stream));
        root += fmt::format(" /Names << /EmbeddedFiles << /Names [(scene.zip) {} 0 R] >> >>", file);
    }
    update.extend(update.root(), root);
    return update.finished();
}

std::optional<std::string> pdf_payload(std::string_view pdf) {
    const std::size_t at = pdf.rfind(stream_head);
    if (at == pdf.npos) return std::nullopt;
    const std::string_view rest = pdf.substr(at + stream_head.size());
    std::size_t size = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), size);
    constexpr std::string_view begin = " >>\nstream\n";
    const std::string_view bytes = rest.substr(static_cast<std::size_t>(end - rest.data()));
    if (error != std::errc() || !bytes.starts_with(begin) || size > bytes.size() - begin.size())
        throw InputError("", "ends too early, or is damaged");
    return std::string(bytes.substr(begin.size(), size));
}

}  // namespace maskscope
