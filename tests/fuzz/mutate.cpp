// Makes changes that keep an input valid enough to pass its first checks: lengths, checksums and
// offsets are adapted, and JSON stays JSON. One change in four is of this kind; the others are
// libFuzzer's own.

#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/base/json_text.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace maskscope {
namespace {

using Random = std::minstd_rand;

std::size_t below(Random& random, std::size_t count) { return count == 0 ? 0 : random() % count; }
template <class T, std::size_t N>
const T& one_of(Random& random, const T (&all)[N]) {
    return all[below(random, N)];
}

std::string changed(std::string bytes, std::size_t most = 256) {
    most = std::max(most, bytes.size());
    const std::size_t size = bytes.size();
    bytes.resize(most);
    bytes.resize(LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(bytes.data()), size, most));
    return bytes;
}

std::string little_endian(std::uint64_t number, std::size_t count) {
    std::string bytes;
    for (std::size_t k = 0; k < count; ++k) bytes += static_cast<char>(number >> (8 * k) & 0xff);
    return bytes;
}
std::uint64_t number_in(std::string_view bytes) {
    std::uint64_t number = 0;
    for (std::size_t k = std::min<std::size_t>(bytes.size(), 8); k-- > 0;)
        number = number << 8 | static_cast<unsigned char>(bytes[k]);
    return number;
}

// --- JSON

void collect(Json& json, std::vector<Json*>& all) {
    all.push_back(&json);
    if (json.is_structured())
        for (Json& item : json) collect(item, all);
}

Json odd_value(Random& random) {
    static const Json all[] = {nullptr,
                               true,
                               0,
                               1,
                               -1,
                               2,
                               64,
                               0.5,
                               -0.0,
                               1e308,
                               1e-310,
                               2147483648,
                               std::uint64_t(-1),
                               "",
                               "a",
                               "a b",
                               "\n",
                               "é",
                               Json::array(),
                               Json::object(),
                               Json::array({0, 1}),
                               Json::array({"a", "b"})};
    return one_of(random, all);
}

void change_json(Json& json, Random& random) {
    std::vector<Json*> all;
    collect(json, all);
    Json& at = *all[below(random, all.size())];
    const Json other = *all[below(random, all.size())];
    const std::size_t place = below(random, at.size());
    switch (below(random, 5)) {
        case 0:
            at = odd_value(random);
            break;
        case 1:
            at = other;
            break;
        case 2:
            if (at.is_array())
                at.insert(at.begin() + std::ptrdiff_t(place), other);
            else if (at.is_object())
                at[at.empty() ? "" : changed(std::next(at.begin(), place).key(), 40)] = other;
            break;
        case 3:
            if (at.is_structured() && !at.empty()) at.erase(std::next(at.begin(), place));
            break;
        default:
            if (at.is_string())
                at = changed(at.get<std::string>());
            else if (at.is_number_integer())
                at = at.get<std::int64_t>() + std::int64_t(below(random, 3)) - 1;
    }
}

std::string changed_json(const std::string& text, Random& random) {
    try {
        Json json = parse_json(text);
        for (std::size_t times = 1 + below(random, 3); times > 0; --times)
            change_json(json, random);
        return json.dump(-1, ' ', false, Json::error_handler_t::replace);
    } catch (const Error&) {
        return changed(text);
    }
}

// --- .npy

std::size_t bytes_of(std::string_view dtype) { return std::size_t(dtype.back() - '0'); }

std::string fresh_npy(Random& random) {
    static constexpr std::string_view dtypes[] = {"<f2", "<f4", "<f8", "|b1", "|u1", "|i1",
                                                  "<u2", "<i4", "<i8", ">f4", "<c8"};
    const std::string_view dtype = one_of(random, dtypes);
    std::string shape;
    std::size_t count = 1;
    for (std::size_t axes = below(random, 5), k = 0; k < axes; ++k) {
        const std::size_t length = below(random, 4);
        count *= length;
        shape += std::to_string(length) + (k + 1 < axes || axes == 1 ? ", " : "");
    }
    std::string text = "{'descr': '" + std::string(dtype) +
                       "', 'fortran_order': " + (below(random, 2) ? "True" : "False") +
                       ", 'shape': (" + shape + "), }\n";
    const int version = 1 + int(below(random, 3));
    return "\x93NUMPY" + little_endian(version, 2) +
           little_endian(text.size(), version == 1 ? 2 : 4) + text +
           std::string(count * bytes_of(dtype), static_cast<char>(random()));
}

// Changes the text of the header, or the numbers, and adapts the length of the header.
std::string changed_npy(const std::string& bytes, Random& random) {
    const std::size_t start = bytes.size() > 6 && bytes[6] == 1 ? 10 : 12;
    if (bytes.size() < start || below(random, 8) == 0) return fresh_npy(random);
    const std::size_t length =
        std::min(number_in({bytes.data() + 8, start - 8}), bytes.size() - start);
    std::string text = bytes.substr(start, length), numbers = bytes.substr(start + length);
    if (below(random, 4) == 0)
        numbers = changed(numbers);
    else
        text = changed(text);
    return bytes.substr(0, 8) + little_endian(text.size(), start - 8) + text + numbers;
}

// --- .safetensors

std::string fresh_safetensors(Random& random) {
    static constexpr std::pair<const char*, std::size_t> dtypes[] = {
        {"F16", 2}, {"BF16", 2}, {"F32", 4}, {"F64", 8}, {"BOOL", 1}, {"I8", 1}, {"U64", 8}};
    Json header = Json::object();
    if (below(random, 3) == 0) header["__metadata__"] = {{"a", "b"}};
    std::size_t at = 0;
    for (std::size_t tensors = below(random, 4); tensors > 0; --tensors) {
        const auto& [dtype, size] = one_of(random, dtypes);
        Json shape = Json::array();
        std::size_t bytes = size;
        for (std::size_t axes = below(random, 4); axes > 0; --axes) {
            shape.push_back(below(random, 4));
            bytes *= shape.back().get<std::size_t>();
        }
        header[std::string(1, char('a' + below(random, 8)))] = {
            {"dtype", dtype}, {"shape", shape}, {"data_offsets", {at, at + bytes}}};
        at += bytes;
    }
    const std::string text = header.dump();
    return little_endian(text.size(), 8) + text + std::string(at, static_cast<char>(random()));
}

std::string changed_safetensors(const std::string& bytes, Random& random) {
    if (bytes.size() < 8 || below(random, 8) == 0) return fresh_safetensors(random);
    const std::size_t length = std::min(number_in({bytes.data(), 8}), bytes.size() - 8);
    std::string text = bytes.substr(8, length), numbers = bytes.substr(8 + length);
    switch (below(random, 4)) {
        case 0:
            text = changed(text);
            break;
        case 1:
            numbers = changed(numbers);
            break;
        default:
            text = changed_json(text, random);
    }
    return little_endian(text.size(), 8) + text + numbers;
}

// --- .npz, and other zips whose entries are stored

struct Entry {
    std::string name, content;
};

std::vector<Entry> entries_of(const std::string& zip) {
    std::vector<Entry> entries;
    std::size_t at = 0;
    constexpr std::size_t head = 30;
    while ((at = zip.find("PK\x03\x04", at)) != zip.npos && zip.size() - at >= head) {
        const std::string_view local{zip.data() + at, head};
        const std::size_t packed = number_in(local.substr(18, 4)),
                          name = number_in(local.substr(26, 2)),
                          begin = at + head + name + number_in(local.substr(28, 2));
        if (number_in(local.substr(8, 2)) == 0 && begin <= zip.size() &&
            packed <= zip.size() - begin)
            entries.push_back({zip.substr(at + head, name), zip.substr(begin, packed)});
        at += 4;
    }
    return entries;
}

std::string zip_of(const std::vector<Entry>& entries) {
    std::string bytes, directory;
    for (const auto& [name, content] : entries) {
        const auto sum =
            crc32(0, reinterpret_cast<const Bytef*>(content.data()), uInt(content.size()));
        const std::string told = std::string("\x14\0\0\0\0\0\0\0\x21\0", 10) +
                                 little_endian(sum, 4) + little_endian(content.size(), 4) +
                                 little_endian(content.size(), 4) + little_endian(name.size(), 4);
        directory += std::string("PK\x01\x02\x14\0", 6) + told + std::string(10, '\0') +
                     little_endian(bytes.size(), 4) + name;
        bytes += "PK\x03\x04" + told + name + content;
    }
    const std::string count = little_endian(entries.size(), 2);
    return bytes + directory + "PK\x05\x06" + std::string(4, '\0') + count + count +
           little_endian(directory.size(), 4) + little_endian(bytes.size(), 4) +
           std::string(2, '\0');
}

std::string changed_zip(const std::string& bytes, Random& random) {
    std::vector<Entry> entries = entries_of(bytes);
    if (entries.empty() || below(random, 8) == 0)
        entries.push_back(
            {std::string(1, char('a' + below(random, 8))) + ".npy", fresh_npy(random)});
    Entry& entry = entries[below(random, entries.size())];
    if (below(random, 4) == 0)
        entry.name = changed(entry.name, 40);
    else if (entry.content.starts_with("\x93NUMPY"))
        entry.content = changed_npy(entry.content, random);
    else
        entry.content = changed_json(entry.content, random);
    return zip_of(entries);
}

std::string changed_for(std::string_view target, const std::string& bytes, Random& random) {
    if (target == "npy") return changed_npy(bytes, random);
    if (target == "npz" || target == "archive") return changed_zip(bytes, random);
    if (target == "safetensors" || target == "model") return changed_safetensors(bytes, random);
    if (target == "expression" || target == "figure" || target == "recent") return changed(bytes);
    return changed_json(bytes, random);
}

}  // namespace
}  // namespace maskscope

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
    using namespace maskscope;
    static const char* const target = std::getenv("FUZZ");
    Random random(seed);
    if (random() % 4 != 0) return LLVMFuzzerMutate(data, size, most);
    std::string bytes = changed_for(target, {reinterpret_cast<char*>(data), size}, random);
    if (bytes.size() > most) return LLVMFuzzerMutate(data, size, most);
    std::copy(bytes.begin(), bytes.end(), data);
    return bytes.size();
}
