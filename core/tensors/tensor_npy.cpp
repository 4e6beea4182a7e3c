// .npy: a magic string, a version, the length of a header, the header (a Python dictionary),
// and the numbers.

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <optional>
#include <string_view>

#include "core/base/error.h"
#include "core/tensors/tensor_file.h"
#include "core/tensors/tensor_formats.h"

namespace maskscope {

namespace {

constexpr std::size_t longest_header = 1 << 16;  // bytes; NumPy writes about a hundred

[[noreturn]] void fail(const std::string& what) {
    throw InputError("", "its header is broken: " + what);
}

// The dictionary {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }, its keys in any
// order.
class HeaderParser {
public:
    explicit HeaderParser(std::string_view text) : text_(text) {}

    NpyHeader parse() {
        expect('{');
        while (!accept('}')) {
            parse_entry();
            if (accept(',')) continue;
            expect('}');
            break;
        }
        skip_blanks();
        if (text_ != "\n") fail("expected a newline at its end");
        if (!dtype_) fail("'descr' is missing");
        if (!by_columns_) fail("'fortran_order' is missing");
        if (!axes_) fail("'shape' is missing");
        return {*dtype_, *by_columns_, *axes_};
    }

private:
    void skip_blanks() {
        while (text_.starts_with(' ')) text_.remove_prefix(1);
    }

    bool accept(char wanted) { return accept_word({&wanted, 1}); }

    void expect(char wanted) {
        if (!accept(wanted)) fail(std::string("expected '") + wanted + "'");
    }

    bool accept_word(std::string_view word) {
        skip_blanks();
        if (!text_.starts_with(word)) return false;
        text_.remove_prefix(word.size());
        return true;
    }

    std::string parse_string() {
        skip_blanks();
        if (text_.empty() || (text_[0] != '\'' && text_[0] != '"')) fail("expected a string");
        const std::size_t end = text_.find(text_[0], 1);
        if (end == std::string_view::npos) fail("a string has no end");
        std::string result(text_.substr(1, end - 1));
        if (result.find('\\') != std::string::npos)
            fail("strings with a backslash are not supported");
        text_.remove_prefix(end + 1);
        return result;
    }

    void parse_entry() {
        const std::string key = parse_string();
        expect(':');
        if (key == "descr")
            set(key, dtype_, parse_string());
        else if (key == "fortran_order")
            set(key, by_columns_, parse_bool());
        else if (key == "shape")
            set(key, axes_, parse_axes());
        else
            fail("unknown key '" + key + "'");
    }

    template <class T>
    static void set(const std::string& key, std::optional<T>& field, T value) {
        if (field) fail("'" + key + "' is given twice");
        field = std::move(value);
    }

    bool parse_bool() {
        if (accept_word("True")) return true;
        if (!accept_word("False")) fail("expected True or False");
        return false;
    }

    Index parse_axis() {
        skip_blanks();
        Index axis = 0;
        std::size_t digits = 0;
        while (digits < text_.size() && text_[digits] >= '0' && text_[digits] <= '9') {
            if (__builtin_mul_overflow(axis, Index{10}, &axis) ||
                __builtin_add_overflow(axis, Index{text_[digits] - '0'}, &axis))
                throw InputError("", "its shape is too large");
            ++digits;
        }
        if (digits == 0 || (digits > 1 && text_[0] == '0')) fail("expected the length of an axis");
        text_.remove_prefix(digits);
        return axis;
    }

    std::vector<Index> parse_axes() {
        std::vector<Index> axes;
        expect('(');
        while (!accept(')')) {
            axes.push_back(parse_axis());
            if (accept(',')) continue;
            expect(')');
            if (axes.size() == 1)
                fail("expected a comma after the only axis of 'shape', as in (3,)");
            break;
        }
        return axes;
    }

    std::string_view text_;
    std::optional<std::string> dtype_;
    std::optional<bool> by_columns_;
    std::optional<std::vector<Index>> axes_;
};

std::string read_text(ByteReader& reader, std::size_t count) {
    if (count > reader.left()) throw InputError("", "ends too early");
    std::string text(count, '\0');
    reader.read(text.data(), count);
    return text;
}

// Returns the length of the header, which is stored in 2 bytes in version 1, and in 4 bytes in
// later versions.
std::size_t read_header_length(ByteReader& reader) {
    const std::string version = read_text(reader, 2);
    const int major = static_cast<unsigned char>(version[0]);
    if (major < 1 || major > 3 || version[1] != 0)
        throw InputError("", "has an .npy version that is not supported; expected 1, 2 or 3");
    std::size_t length = 0;
    const std::string bytes = read_text(reader, major == 1 ? 2 : 4);
    for (std::size_t k = bytes.size(); k-- > 0;)
        length = length << 8 | static_cast<unsigned char>(bytes[k]);
    if (length > longest_header) fail("it is too long");
    return length;
}

// --- writing

template <class T>
std::string with_numbers(std::string header, const LargeArray<T>& numbers) {
    static_assert(std::endian::native == std::endian::little,
                  "numbers are written in native byte order");
    const std::size_t start = header.size();
    header.resize(start + numbers.size() * sizeof(T));
    if (!numbers.empty())
        std::memcpy(header.data() + start, numbers.data(), numbers.size() * sizeof(T));
    return header;
}

}  // namespace

NpyHeader read_npy_header(ByteReader& reader) {
    if (reader.left() < npy_magic.size() || read_text(reader, npy_magic.size()) != npy_magic)
        throw InputError("", "is not a valid .npy file");
    const std::string text = read_text(reader, read_header_length(reader));
    return HeaderParser(text).parse();
}

std::optional<FileNumber> npy_number(const std::string& dtype) {
    constexpr std::string_view names[] = {"<f2", "",    "<f4", "<f8", "|b1", "|u1", "|i1",
                                          "<u2", "<i2", "<u4", "<i4", "<u8", "<i8"};
    const auto at = std::ranges::find(names, dtype) - names;
    if (dtype.empty() || at == std::ssize(names)) return std::nullopt;
    return static_cast<FileNumber>(at);
}

Array read_npy_part(ByteReader& reader, const std::vector<Index>& at) {
    const NpyHeader header = read_npy_header(reader);
    const auto type = npy_number(header.dtype);
    if (!type)
        throw InputError("", "its numbers are of type '" + header.dtype +
                                 "'; expected floating-point numbers, integers or Booleans");
    return read_numbers(reader, header.axes, *type, header.by_columns, at);
}

Array read_npy(ByteReader& reader, const JudgeAxes& judge, bool of_mask) {
    NpyHeader header = read_npy_header(reader);
    const auto type = npy_number(header.dtype);
    if (!type || (!is_float(*type) && !of_mask))
        throw InputError("", "its numbers are of type '" + header.dtype +
                                 "'; expected little-endian '<f2', '<f4' or '<f8'" +
                                 (of_mask ? ", Booleans or integers" : ""));
    return read_numbers(reader, std::move(header.axes), *type, header.by_columns, {}, judge);
}

std::string npy_bytes(const Stage& stage) {
    const Shape shape{stage.b(), stage.h(), stage.rows(), stage.columns()};
    if (stage.is_float64())
        return with_numbers(npy_header(NpyNumbers::float64, shape), stage.float64s());
    return with_numbers(npy_header(NpyNumbers::float32, shape), stage.float32s());
}

}  // namespace maskscope
