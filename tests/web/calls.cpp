// calls FILE: makes the calls that the lines of FILE name, natively, and prints a line for each.
// tests/web/parity.mjs compares these lines with those of core.wasm.
//
//   source NAME PATH   load PATH   step N   edit JSON   view JSON   answer TEXT
//   compute   words   scene   card B H I J   texts HEATMAP FORM   bits LANE STAGE

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>

#include "app/web/calls.h"

namespace {

int handle = 0;

std::string bytes_of(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

// Returns the number that follows `key` in JSON of our own.
std::uint64_t number_after(const std::string& json, const std::string& key) {
    const std::size_t at = json.find(key);
    return at == std::string::npos ? 0 : std::stoull(json.substr(at + key.size()));
}

// Returns the bytes of a stage, in hexadecimal.
std::string bits(int variant, const std::string& stage) {
    const std::string said = ms_stage(handle, variant, stage.c_str());
    const auto at = number_after(said, "\"at\":");
    const std::size_t shape = said.find("\"shape\":");
    if (at == 0 || shape == std::string::npos) return said;
    std::size_t count = 8;
    std::istringstream axes(said.substr(said.find('[', shape) + 1));
    for (std::size_t axis = 0; axes >> axis; axes.ignore()) count *= axis;
    const auto* const bytes = reinterpret_cast<const unsigned char*>(at);
    std::string text = said.substr(shape) + " ";
    for (std::size_t k = 0; k < count; ++k) {
        constexpr char digits[] = "0123456789abcdef";
        text += digits[bytes[k] >> 4];
        text += digits[bytes[k] & 15];
    }
    return text;
}

std::string load(const std::string& path) {
    const std::string said = ms_load(bytes_of(path).c_str());
    handle = static_cast<int>(number_after(said, "\"handle\":"));
    return said;
}

std::string make(const std::string& call, const std::string& rest) {
    std::istringstream words(rest);
    std::string name, path;
    int b = 0, h = 0, i = 0, j = 0;
    if (call == "load") return load(rest);
    if (call == "step") return ms_step(handle, std::stoi(rest));
    if (call == "edit") return ms_edit(handle, rest.c_str());
    if (call == "view") return ms_view(handle, rest.c_str());
    if (call == "answer") return ms_answer(handle, rest.c_str());
    if (call == "compute") return ms_compute(handle);
    if (call == "words") return ms_words(handle);
    if (call == "source") {
        words >> name >> path;
        const std::string bytes = bytes_of(path);
        return ms_source(name.c_str(), bytes.data(), bytes.size());
    }
    if (call == "bits") {
        words >> b >> name;
        return bits(b, name);
    }
    words >> b >> h >> i >> j;
    if (call == "card") return ms_card(handle, b, h, i, j);
    if (call == "texts") return ms_texts(handle, b, h);
    std::string scene = ms_scene(handle);
    for (char& letter : scene)
        if (letter == '\n') letter = ' ';
    return scene;
}

}  // namespace

int main(int count, char** arguments) {
    if (count != 2) return 2;
    std::ifstream in(arguments[1]);
    for (std::string line; std::getline(in, line);) {
        const std::size_t end = line.find(' ');
        const std::string rest = end == std::string::npos ? "" : line.substr(end + 1);
        std::cout << make(line.substr(0, end), rest) << '\n';
    }
    return 0;
}
