// .safetensors: the length of a header (8 bytes), the header in JSON, and the numbers of all
// tensors.

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/tensors/tensor_formats.h"

namespace maskscope {

namespace {

constexpr std::uint64_t longest_json = 1 << 24;  // bytes; large models need a hundredth of it

[[noreturn]] void refuse(const std::string& what) {
    throw InputError("", "its header is broken: " + what);
}

// Returns the size of a number in bytes; nullopt for types that the format may add later.
std::optional<std::uint64_t> bytes_of(std::string_view type) {
    constexpr std::string_view names[] = {"BOOL", "U8",  "I8",   "F8_E5M2", "F8_E4M3", "U16",
                                          "I16",  "F16", "BF16", "U32",     "I32",     "F32",
                                          "U64",  "I64", "F64",  "C64"};
    const auto at = std::ranges::find(names, type) - names;
    if (at == std::ssize(names)) return std::nullopt;
    return at < 5 ? 1 : at < 9 ? 2 : at < 12 ? 4 : 8;
}

std::uint64_t natural(const Json& json, const std::string& what) {
    constexpr std::uint64_t largest = std::uint64_t{1} << 62;
    if (!json.is_number_unsigned() || json.get<std::uint64_t>() > largest)
        refuse(what + " contains an entry that is not a size");
    return json.get<std::uint64_t>();
}

const Json& list_at(const Json& entry, const char* key, const std::string& name) {
    if (!entry.contains(key) || !entry[key].is_array())
        refuse("\"" + name + "\" has no list \"" + key + "\"");
    return entry[key];
}

void check_size(const SafetensorsEntry& entry) {
    const auto size = bytes_of(entry.dtype);
    const std::uint64_t count = count_of(entry.axes);
    std::uint64_t bytes = 0;
    if (size && (__builtin_mul_overflow(count, *size, &bytes) || bytes != entry.end - entry.begin))
        refuse("shape and offsets of \"" + entry.name + "\" do not agree");
}

SafetensorsEntry parse_entry(const std::string& name, const Json& json) {
    if (!json.is_object() || json.size() != 3)
        refuse("\"" + name + "\" is not made of dtype, shape and data_offsets");
    if (!json.contains("dtype") || !json["dtype"].is_string())
        refuse("\"" + name + "\" has no \"dtype\"");
    SafetensorsEntry entry{name, json["dtype"].get<std::string>(), {}, 0, 0};
    for (const Json& axis : list_at(json, "shape", name))
        entry.axes.push_back(static_cast<Index>(natural(axis, "the shape of \"" + name + "\"")));
    const Json& offsets = list_at(json, "data_offsets", name);
    if (offsets.size() != 2) refuse("\"" + name + "\" does not have two offsets");
    entry.begin = natural(offsets[0], "\"" + name + "\"");
    entry.end = natural(offsets[1], "\"" + name + "\"");
    if (entry.begin > entry.end) refuse("\"" + name + "\" ends before it begins");
    check_size(entry);
    return entry;
}

std::map<std::string, std::string> parse_metadata(const Json& json) {
    if (!json.is_object()) refuse("\"__metadata__\" is not an object");
    std::map<std::string, std::string> metadata;
    for (const auto& [key, value] : json.items()) {
        if (!value.is_string()) refuse("\"__metadata__\" contains an entry that is not a string");
        metadata[key] = value.get<std::string>();
    }
    return metadata;
}

// Throws unless tensors follow one another, without gap or overlap, to the end of the file.
void check_offsets(const std::vector<SafetensorsEntry>& entries, std::uint64_t length) {
    std::uint64_t at = 0;
    for (const SafetensorsEntry& entry : entries) {
        if (entry.begin != at) refuse("\"" + entry.name + "\" does not begin where another ends");
        at = entry.end;
    }
    if (at > length) throw InputError("", "ends too early");
    if (at < length) throw InputError("", "holds bytes that belong to no tensor");
}

Json parse_header(const std::string& text) {
    try {
        Json json = parse_json(text);
        if (!text.starts_with('{') || !json.is_object()) refuse("expected an object");
        return json;
    } catch (const InputError& error) {
        if (error.place.empty()) throw;
        refuse(error.place + ": " + error.what());
    }
}

const SafetensorsEntry& entry_named(const SafetensorsHeader& header, const std::string& name) {
    const auto entry = std::ranges::find(header.entries, name, &SafetensorsEntry::name);
    if (entry == header.entries.end()) throw InputError("", "holds no tensor \"" + name + "\"");
    return *entry;
}

}  // namespace

SafetensorsHeader read_safetensors_header(const ByteSource& file) {
    FileReader reader(file, 0, file.size());
    std::array<char, 8> bytes{};
    reader.read(bytes.data(), bytes.size());
    std::uint64_t length = 0;
    for (std::size_t k = bytes.size(); k-- > 0;)
        length = length << 8 | static_cast<unsigned char>(bytes[k]);
    if (length > reader.left()) throw InputError("", "ends within its header");
    if (length > longest_json) refuse("it is too long");
    std::string text(static_cast<std::size_t>(length), '\0');
    reader.read(text.data(), text.size());
    SafetensorsHeader header{{}, {}, bytes.size() + length};
    const Json json = parse_header(text);
    for (const auto& [name, value] : json.items())
        if (name == "__metadata__")
            header.metadata = parse_metadata(value);
        else
            header.entries.push_back(parse_entry(name, value));
    std::ranges::sort(header.entries, {},
                      [](const SafetensorsEntry& e) { return std::pair(e.begin, e.end); });
    check_offsets(header.entries, reader.left());
    return header;
}

std::optional<FileNumber> safetensors_number(const std::string& dtype) {
    constexpr std::string_view names[] = {"F16", "BF16", "F32", "F64", "BOOL", "U8", "I8",
                                          "U16", "I16",  "U32", "I32", "U64",  "I64"};
    const auto at = std::ranges::find(names, dtype) - names;
    if (at == std::ssize(names)) return std::nullopt;
    return static_cast<FileNumber>(at);
}

Array read_safetensors(const ByteSource& file, const std::string& name, const JudgeAxes& judge,
                       bool of_mask) {
    const SafetensorsHeader header = read_safetensors_header(file);
    const SafetensorsEntry& entry = entry_named(header, name);
    const auto type = safetensors_number(entry.dtype);
    if (!type || (!is_float(*type) && !of_mask))
        throw InputError("", "its numbers are of type " + entry.dtype +
                                 "; expected F16, BF16, F32 or F64" +
                                 (of_mask ? ", Booleans or integers" : ""));
    FileReader reader(file, header.length + entry.begin, header.length + entry.end);
    return read_numbers(reader, entry.axes, *type, false, {}, judge);
}

Array read_safetensors_part(const ByteSource& file, const std::string& name,
                            const std::vector<Index>& at) {
    const SafetensorsHeader header = read_safetensors_header(file);
    const SafetensorsEntry& entry = entry_named(header, name);
    const auto type = safetensors_number(entry.dtype);
    if (!type)
        throw InputError("", "its numbers are of type " + entry.dtype +
                                 "; expected floating-point numbers, integers or Booleans");
    FileReader reader(file, header.length + entry.begin, header.length + entry.end);
    return read_numbers(reader, entry.axes, *type, false, at);
}

}  // namespace maskscope
