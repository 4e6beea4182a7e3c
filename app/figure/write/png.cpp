#include "app/figure/write/png.h"

#include <cairo.h>
#include <fmt/format.h>
#include <png.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <csetjmp>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <new>
#include <string_view>
#include <vector>

#include "app/figure/pen.h"
#include "app/figure/write/payload.h"
#include "app/style/pango_text.h"
#include "core/base/error.h"

namespace maskscope {

namespace {

constexpr const char* payload_key = "maskscope";
constexpr double longest_side = 32767;                  // cairo's limit
constexpr png_alloc_size_t most_payload = 128U << 20U;  // bytes of untrusted text after inflating
constexpr png_alloc_size_t most_inflated = 1032;  // bytes that a byte of deflate can inflate to, at
                                                  // most
constexpr double most_pixels = 1U << 28U;         // 1 GiB in memory

struct Size {
    int width = 0, height = 0;
};

double pixels(double points, double dpi) {
    constexpr double rounding = 1e-6;  // so that 60 points at 150 dpi are 125 pixels, not 126
    return std::max(1.0, std::ceil(points * dpi / 72 - rounding));
}

bool fits(double width, double height, double dpi) {
    const double w = pixels(width, dpi), h = pixels(height, dpi);
    return w <= longest_side && h <= longest_side && w * h <= most_pixels;
}

[[noreturn]] void refuse(const Figure& figure, double dpi) {
    const std::string asked =
        fmt::format("the picture would be {:.0f} × {:.0f} pixels, more than fit in memory",
                    pixels(figure.width, dpi), pixels(figure.height, dpi));
    const double by_side = longest_side / std::max(figure.width, figure.height);
    const double by_area = std::sqrt(most_pixels / figure.width / figure.height);
    double possible = std::floor(72 * std::min(by_side, by_area));
    while (possible >= 10 && !fits(figure.width, figure.height, possible)) --possible;
    if (possible < 10) throw WorkError(asked + " at any resolution");
    throw WorkError(fmt::format("{}; use --dpi {:.0f} or less", asked, possible));
}

Size size_of(const Figure& figure, double dpi) {
    if (!(figure.width > 0) || !(figure.height > 0) || !std::isfinite(figure.width) ||
        !std::isfinite(figure.height) || !(dpi > 0) || !std::isfinite(dpi))
        throw WorkError("the figure is empty");
    if (!fits(figure.width, figure.height, dpi)) refuse(figure, dpi);
    return {static_cast<int>(pixels(figure.width, dpi)),
            static_cast<int>(pixels(figure.height, dpi))};
}

CairoSurface drawn(const Figure& figure, const PngOptions& options, Size size,
                   const Progress& progress) {
    CairoSurface surface{cairo_image_surface_create(CAIRO_FORMAT_ARGB32, size.width, size.height)};
    const CairoContext cairo{cairo_create(surface.get())};
    if (!options.transparent) {
        const Colour ground = theme(options.theme)[Role::ground];
        cairo_set_source_rgb(cairo.get(), ground.r / 255.0, ground.g / 255.0, ground.b / 255.0);
        cairo_paint(cairo.get());
    }
    draw_figure(cairo.get(), figure, theme(options.theme), options.dpi / 72, progress);
    const cairo_status_t status = cairo_status(cairo.get());
    if (status == CAIRO_STATUS_NO_MEMORY) refuse(figure, options.dpi);
    if (status != CAIRO_STATUS_SUCCESS)
        throw WorkError(fmt::format("the picture: {}", cairo_status_to_string(status)));
    cairo_surface_flush(surface.get());
    return surface;
}

// Converts a row. cairo stores premultiplied colours as native words; a PNG stores R, G, B (and A)
// as bytes.
void convert_row(const std::uint32_t* argb, std::vector<png_byte>& row, bool with_alpha) {
    const std::size_t step = with_alpha ? 4 : 3;
    png_byte* out = row.data();
    for (std::size_t x = 0; x < row.size() / step; ++x, out += step) {
        const std::uint32_t pixel = argb[x], alpha = pixel >> 24;
        const auto byte = [&](unsigned shift) {
            const std::uint32_t part = pixel >> shift & 0xffU;
            return static_cast<png_byte>(with_alpha && alpha > 0 ? (part * 255 + alpha / 2) / alpha
                                                                 : part);
        };
        out[0] = byte(16), out[1] = byte(8), out[2] = byte(0);
        if (with_alpha) out[3] = static_cast<png_byte>(alpha);
    }
}

void append(png_structp png, png_bytep bytes, std::size_t count) {
    try {
        static_cast<std::string*>(png_get_io_ptr(png))
            ->append(reinterpret_cast<char*>(bytes), count);
    } catch (const std::exception&) {
        png_error(png, "out of memory");  // no exception may pass through libpng
    }
}

struct Writer {
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
    png_infop info = png != nullptr ? png_create_info_struct(png) : nullptr;
    Writer() = default;
    Writer(const Writer&) = delete;
    Writer& operator=(const Writer&) = delete;
    ~Writer() { png_destroy_write_struct(&png, &info); }
};

// Adds text in UTF-8, unless it is empty.
void add_text(const Writer& writer, const char* key, const std::string& text, bool compressed) {
    if (text.empty()) return;
    png_text chunk{};
    chunk.compression = compressed ? PNG_ITXT_COMPRESSION_zTXt : PNG_ITXT_COMPRESSION_NONE;
    chunk.key = const_cast<char*>(key);  // libpng does not change it
    chunk.text = const_cast<char*>(text.c_str());
    chunk.itxt_length = text.size();
    chunk.lang = const_cast<char*>(compressed ? "" : "en");
    chunk.lang_key = const_cast<char*>("");
    png_set_text(writer.png, writer.info, &chunk, 1);
}

void write_head(const Writer& writer, Size size, const PngOptions& options,
                const std::string& payload) {
    png_set_IHDR(writer.png, writer.info, static_cast<png_uint_32>(size.width),
                 static_cast<png_uint_32>(size.height), 8,
                 options.transparent ? PNG_COLOR_TYPE_RGB_ALPHA : PNG_COLOR_TYPE_RGB,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    const auto per_metre = static_cast<png_uint_32>(std::lround(options.dpi / 0.0254));
    png_set_pHYs(writer.png, writer.info, per_metre, per_metre, PNG_RESOLUTION_METER);
    add_text(writer, "Description", options.description, false);
    add_text(writer, payload_key, payload, true);
    png_set_compression_level(writer.png, options.level);
    png_set_compression_strategy(writer.png, Z_DEFAULT_STRATEGY);
    png_set_filter(writer.png, PNG_FILTER_TYPE_BASE,
                   PNG_FILTER_UP);  // because rows of a cell's pixels repeat
    png_write_info(writer.png, writer.info);
}

// Writes the file. Returns false if that failed or was cancelled. libpng reports errors by longjmp
// to here, so no object with a destructor may be created after setjmp.
bool write(const Writer& writer, cairo_surface_t* surface, Size size, const PngOptions& options,
           const std::string& payload, std::vector<png_byte>& row, const Progress& progress) {
    if (setjmp(png_jmpbuf(writer.png)) != 0) return false;
    write_head(writer, size, options, payload);
    for (int y = 0; y < size.height; ++y) {
        convert_row(pixels_of_row(surface, y), row, options.transparent);
        png_write_row(writer.png, row.data());
        if (progress.cancel) return false;
    }
    png_write_end(writer.png, writer.info);
    return true;
}

std::string encoded(cairo_surface_t* surface, Size size, const PngOptions& options,
                    const Progress& progress) {
    std::string bytes;
    std::vector<png_byte> row(static_cast<std::size_t>(size.width) *
                              (options.transparent ? 4U : 3U));
    const std::string payload = base64(options.payload);
    const Writer writer;
    if (writer.info != nullptr) png_set_write_fn(writer.png, &bytes, append, nullptr);
    if (writer.info != nullptr && write(writer, surface, size, options, payload, row, progress))
        return bytes;
    if (progress.cancel) throw Cancellation{};
    throw WorkError("the picture does not fit in memory");
}

// --- reading

struct Reader {
    std::string_view left;
    std::array<char, 100> error{};
    png_structp png = nullptr;
    png_infop info = nullptr;

    explicit Reader(std::string_view bytes) : left(bytes) {
        png = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, fail, ignore);
        if (png != nullptr) info = png_create_info_struct(png);
    }
    Reader(const Reader&) = delete;
    Reader& operator=(const Reader&) = delete;
    ~Reader() { png_destroy_read_struct(&png, &info, nullptr); }

    static void take(png_structp png, png_bytep to, std::size_t count) {
        std::string_view& left = static_cast<Reader*>(png_get_io_ptr(png))->left;
        if (count > left.size()) png_error(png, "it ends too early");
        std::copy_n(left.data(), count, reinterpret_cast<char*>(to));
        left.remove_prefix(count);
    }
    static void fail(png_structp png, png_const_charp what) {
        auto& error = static_cast<Reader*>(png_get_error_ptr(png))->error;
        std::snprintf(error.data(), error.size(), "%s", what);
        png_longjmp(png, 1);
    }
    static void ignore(png_structp, png_const_charp) {}
};

// Returns the PNG without pixels and without texts other than the scene, wherever in the file that
// is: libpng would inflate all texts, each of which may be as large as the limit. Truncated data
// stays truncated.
std::string without_other_chunks(std::string_view bytes) {
    constexpr std::string_view pixels{"\0\0\0\0IDAT\x35\xaf\x06\x1e", 12};  // no pixels
    const std::string entry = std::string(payload_key) + '\0';
    std::string head(bytes.substr(0, png_signature_size));
    bool has_scene = false;
    const std::string_view cut = each_chunk(
        bytes, [&](std::string_view kind, std::string_view data, std::string_view whole) {
            const bool is_scene = !has_scene && kind == "iTXt" && data.starts_with(entry);
            has_scene |= is_scene;
            if (is_scene || kind == "IHDR" || kind == "PLTE") head += whole;
        });
    return head.append(cut.empty() ? pixels : cut);
}

// Reads the part before the pixels. As in write(), no object with a destructor may be created after
// setjmp.
bool read_head(Reader& reader) {
    if (setjmp(png_jmpbuf(reader.png)) != 0) return false;
    png_set_read_fn(reader.png, &reader, Reader::take);
    png_set_crc_action(reader.png, PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT);
    png_set_benign_errors(reader.png, 0);
    // Do not derive the limit from the length in a chunk, because libpng allocates that much before
    // it reads.
    png_set_chunk_malloc_max(reader.png,
                             std::min(most_payload, most_inflated * reader.left.size()));
    png_read_info(reader.png, reader.info);
    return true;
}

}  // namespace

std::optional<std::string> png_payload(std::string_view bytes) {
    const std::string looked_at = without_other_chunks(bytes);
    Reader reader(looked_at);
    if (reader.info == nullptr) throw std::bad_alloc();
    if (!read_head(reader))
        throw InputError("", fmt::format("is not a valid PNG: {}", reader.error.data()));
    png_textp texts = nullptr;
    const int count = png_get_text(reader.png, reader.info, &texts, nullptr);
    for (int k = 0; k < count; ++k)
        if (std::string_view(texts[k].key) == payload_key)
            return from_base64({texts[k].text, texts[k].itxt_length});
    return std::nullopt;
}

std::string png_bytes(const Figure& figure, const PngOptions& options, const Progress& progress) {
    const Size size = size_of(figure, options.dpi);
    const CairoSurface surface = drawn(figure, options, size, progress);
    return encoded(surface.get(), size, options, progress);
}

namespace {

std::string big_endian(std::uint32_t number, int bytes = 4) {
    std::string text;
    for (int k = bytes - 1; k >= 0; --k) text += static_cast<char>(number >> (8 * k) & 0xffU);
    return text;
}

std::string chunk(std::string_view kind, std::string_view data) {
    const std::string checked = std::string(kind) + std::string(data);
    const auto sum =
        crc32(0, reinterpret_cast<const Bytef*>(checked.data()), static_cast<uInt>(checked.size()));
    return big_endian(static_cast<std::uint32_t>(data.size())) + checked +
           big_endian(static_cast<std::uint32_t>(sum));
}

// Writes the control chunk of a frame that replaces the whole picture.
std::string frame_control(std::uint32_t number, std::string_view header, double seconds) {
    const auto milliseconds = static_cast<std::uint32_t>(std::lround(1000 * seconds));
    return chunk("fcTL", big_endian(number) + std::string(header.substr(0, 8)) + big_endian(0) +
                             big_endian(0) + big_endian(milliseconds, 2) + big_endian(1000, 2) +
                             big_endian(0, 2));
}

}  // namespace

std::string apng_bytes(std::span<const Frame> frames, const PngOptions& options) {
    std::string bytes;
    std::uint32_t number = 0;  // counts fcTL and fdAT chunks together
    for (const Frame& frame : frames) {
        const std::string png = png_bytes(frame.figure, options);
        const bool first = number == 0;
        if (first) bytes = png.substr(0, png_signature_size);
        bool controlled = false;
        each_chunk(png, [&](std::string_view kind, std::string_view data, std::string_view whole) {
            if (kind == "IDAT" && !controlled) {
                if (first)
                    bytes += chunk("acTL", big_endian(static_cast<std::uint32_t>(frames.size())) +
                                               big_endian(0));
                bytes += frame_control(number++, png.substr(png_signature_size + 8), frame.seconds);
                controlled = true;
            }
            if (kind == "IDAT" && !first)
                bytes += chunk("fdAT", big_endian(number++) + std::string(data));
            else if (first && kind != "IEND")
                bytes += whole;
        });
    }
    return bytes + chunk("IEND", "");
}

}  // namespace maskscope
