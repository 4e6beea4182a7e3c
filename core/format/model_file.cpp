#include "core/format/model_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/json_text.h"
#include "core/format/scene_parts.h"
#include "core/model/network.h"
#include "core/tensors/tensor_file.h"
#include "core/tensors/tensor_formats.h"

namespace maskscope {

namespace {

constexpr std::array<std::string_view, 4> built_in = {
    "italian-english", "italian-english-no-causal", "italian-english-multiplied",
    "italian-english-both-causal"};
constexpr Index most_model_layers = 8, widest_model = 1024, widest_ffn = 4096;
constexpr Index least_words = 4, most_words = 65536, longest_sentence = 64;

// --- metadata

// A reader of the values of __metadata__; errors begin with the key.
class MetadataReader {
public:
    explicit MetadataReader(const std::map<std::string, std::string>& metadata)
        : metadata_(metadata) {}

    bool has(const std::string& key) const { return metadata_.contains(key); }

    const std::string& text(const std::string& key) const {
        const auto entry = metadata_.find(key);
        if (entry == metadata_.end()) throw InputError("", key + ": missing key");
        return entry->second;
    }

    // Calls read() with the JSON that the string at the key holds.
    template <class Read>
    auto json(const std::string& key, const Read& read) const {
        try {
            const Json value = parse_json(text(key));
            return read(Node{value, ""});
        } catch (const InputError& error) {
            if (!has(key)) throw;
            throw InputError(
                "", key + ": " + (error.place.empty() ? "" : error.place + ": ") + error.what());
        }
    }

    Index integer(const std::string& key, Index low, Index high) const {
        return json(key, [&](const Node& node) { return read_count(node, low, high); });
    }

    Vocabulary words(const std::string& key) const {
        return json(key, [](const Node& node) {
            std::vector<std::string> words;
            for (const Node& word : read_list(node)) words.push_back(read_label(word));
            if (std::ssize(words) < least_words || std::ssize(words) > most_words)
                throw InputError("", fmt::format("expected {} to {} words, got {}", least_words,
                                                 most_words, words.size()));
            constexpr std::string_view first[] = {pad_word, bos_word, eos_word};
            for (std::size_t id = 0; id < std::size(first); ++id)
                if (words[id] != first[id])
                    throw InputError(
                        "/" + std::to_string(id),
                        fmt::format("expected \"{}\", got \"{}\"", first[id], words[id]));
            Vocabulary vocabulary(std::move(words));
            for (std::size_t id = 0; id < vocabulary.words.size(); ++id)
                if (vocabulary.ids.at(vocabulary.words[id]) != static_cast<Index>(id))
                    throw InputError("/" + std::to_string(id), "repeats an earlier entry");
            return vocabulary;
        });
    }

private:
    const std::map<std::string, std::string>& metadata_;
};

void expect_own_layers(const Node& mask) {
    constexpr std::string_view kinds[] = {"padding", "causal"};
    if (!mask.json.is_object()) return;  // read_mask reports it
    if (const auto layers = find(mask, "layers"))
        for (const Node& layer : read_list(*layers)) read_word(require(layer, "kind"), kinds);
}

Mask read_own_mask(const Node& masks, const char* key, Index heads) {
    const Node node = require(masks, key);
    expect_own_layers(node);
    Scene scene;
    scene.sequences = {{{"a"}, std::nullopt}};
    const Inputs inputs = EmbeddingInputs{.heads = heads};
    Reading reading;
    reading.named_array = [](const std::string&, const JudgeAxes&, bool) -> Array {
        throw InputError("", "the mask of a model cannot use files");
    };
    return read_mask(node, {inputs, {1, 1, 1, false, &scene}, reading});
}

void read_masks(const MetadataReader& metadata, Model& model) {
    metadata.json("masks", [&](const Node& node) {
        expect_keys(node, {"encoder", "decoder", "cross"});
        model.encoder = read_own_mask(node, "encoder", model.heads);
        model.decoder = read_own_mask(node, "decoder", model.heads);
        model.cross = read_own_mask(node, "cross", model.heads);
    });
}

// Reads the parts of a model that need no tensors.
Model read_words(const MetadataReader& metadata) {
    Model model;
    if (metadata.text("maskscope_model") != "1")
        throw InputError("", "maskscope_model: expected \"1\"");
    model.source = metadata.words("source");
    model.target = metadata.words("target");
    model.heads = metadata.integer("heads", 1, widest_model);
    model.max_source = metadata.integer("max_source", 1, longest_sentence);
    model.max_target = metadata.integer("max_target", 1, longest_sentence);
    read_masks(metadata, model);
    if (metadata.has("title")) model.title = printable(metadata.text("title"));
    return model;
}

void read_alignment(const MetadataReader& metadata, Model& model) {
    if (!metadata.has("alignment")) return;
    metadata.json("alignment", [&](const Node& node) {
        const auto entries = read_list_of(node, 2);
        model.alignment =
            Cell{read_index(entries[0], model.decoder_layers), read_index(entries[1], model.heads)};
    });
}

// --- tensors

using Dimensions = std::vector<Index>;

// Returns the layer of a tensor: 1 for "enc.1.n1.weight" and the prefix "enc.".
std::optional<Index> layer_in(const std::string& name, const std::string& prefix) {
    if (!name.starts_with(prefix)) return std::nullopt;
    const std::size_t dot = name.find('.', prefix.size());
    const std::string digits = name.substr(prefix.size(), dot - prefix.size());
    const bool number = !digits.empty() && digits.find_first_not_of("0123456789") == digits.npos &&
                        (digits == "0" || digits[0] != '0');
    if (dot == std::string::npos || !number) return std::nullopt;
    const Index layer = digits.size() > 3 ? most_model_layers : std::stoi(digits);
    if (layer >= most_model_layers)
        throw InputError("", fmt::format("{}: expected 1 to {} layers", name, most_model_layers));
    return layer;
}

Index layers_named(const SafetensorsHeader& header, const std::string& prefix) {
    Index layers = 1;
    for (const SafetensorsEntry& entry : header.entries)
        if (const auto layer = layer_in(entry.name, prefix)) layers = std::max(layers, *layer + 1);
    return layers;
}

// Every tensor of a model, with its shape.
class ExpectedTensors {
public:
    explicit ExpectedTensors(const Model& model) : d_(model.d), ffn_(model.ffn) {
        add("es.weight", {std::ssize(model.source.words), d_});
        add("et.weight", {std::ssize(model.target.words), d_});
        add("b", {std::ssize(model.target.words)});
        for (Index l = 0; l < model.encoder_layers; ++l)
            add_layer("enc." + std::to_string(l) + ".", {"n1", "n2"}, {"sa"});
        for (Index l = 0; l < model.decoder_layers; ++l)
            add_layer("dec." + std::to_string(l) + ".", {"n1", "n2", "n3"}, {"sa", "ca"});
        for (const char* norm : {"ne", "nd"}) add_norm(norm);
    }

    std::map<std::string, Dimensions> axes;
    std::vector<std::string> names;  // in the order in which they are read

private:
    void add(const std::string& name, Dimensions shape) {
        names.push_back(name);
        axes[name] = std::move(shape);
    }
    void add_norm(const std::string& name) {
        add(name + ".weight", {d_});
        add(name + ".bias", {d_});
    }
    void add_linear(const std::string& name, Index out, Index in) {
        add(name + ".weight", {out, in});
        add(name + ".bias", {out});
    }
    void add_layer(const std::string& at, const std::vector<std::string>& norms,
                   const std::vector<std::string>& attentions) {
        for (const std::string& norm : norms) add_norm(at + norm);
        for (const std::string& attention : attentions)
            for (const char* part : {".q", ".k", ".v", ".o"})
                add_linear(at + attention + part, d_, d_);
        add_linear(at + "ff.0", ffn_, d_);
        add_linear(at + "ff.2", d_, ffn_);
    }
    Index d_, ffn_;
};

const SafetensorsEntry& entry_of(const SafetensorsHeader& header, const std::string& name) {
    const auto entry = std::ranges::find(header.entries, name, &SafetensorsEntry::name);
    if (entry == header.entries.end()) throw InputError("", name + ": missing tensor");
    return *entry;
}

// Returns one of a model's widths: axis k of a tensor with two axes.
Index width_in(const SafetensorsHeader& header, const std::string& name, std::size_t k,
               Index most) {
    const SafetensorsEntry& entry = entry_of(header, name);
    if (entry.axes.size() != 2)
        throw InputError("", fmt::format("{}: expected two axes, got {}", name, entry.axes));
    const Index width = entry.axes[k];
    if (width < 1 || width > most)
        throw InputError(
            "", fmt::format("{}: expected a width from 1 to {}, got {}", name, most, entry.axes));
    return width;
}

void read_sizes(const SafetensorsHeader& header, Model& model) {
    model.encoder_layers = layers_named(header, "enc.");
    model.decoder_layers = layers_named(header, "dec.");
    model.d = width_in(header, "es.weight", 1, widest_model);
    if (model.d % model.heads != 0)
        throw InputError("", fmt::format("heads: expected a divisor of the width {}, got {}",
                                         model.d, model.heads));
    model.ffn = width_in(header, "enc.0.ff.0.weight", 0, widest_ffn);
}

void check_tensors(const SafetensorsHeader& header, const ExpectedTensors& expected) {
    for (const std::string& name : expected.names) {
        const SafetensorsEntry& entry = entry_of(header, name);
        const Dimensions& axes = expected.axes.at(name);
        if (entry.axes != axes)
            throw InputError("", fmt::format("{}: expected {}, got {}", name, axes, entry.axes));
        const auto type = safetensors_number(entry.dtype);
        if (!type || !is_float(*type))
            throw InputError("", fmt::format("{}: its numbers are of type {}; expected F16, BF16, "
                                             "F32 or F64",
                                             name, entry.dtype));
    }
    for (const SafetensorsEntry& entry : header.entries)
        if (!expected.axes.contains(entry.name))
            throw InputError("", printable(entry.name) + ": unknown tensor");
}

void expect_finite(const std::string& name, const Array& array) {
    for (const double x : array.values->view())
        if (!std::isfinite(static_cast<float>(x)))
            throw InputError("", fmt::format("{}: holds {}", name,
                                             std::isnan(x) ? "NaN" : "an infinite number"));
}

}  // namespace

Model read_model(const ByteSource& file) {
    const SafetensorsHeader header = read_safetensors_header(file);
    const MetadataReader metadata(header.metadata);
    Model model = read_words(metadata);
    read_sizes(header, model);
    const ExpectedTensors expected(model);
    check_tensors(header, expected);
    read_alignment(metadata, model);
    for (const std::string& name : expected.names) {
        const SafetensorsEntry& entry = entry_of(header, name);
        FileReader reader(file, header.length + entry.begin, header.length + entry.end);
        const Array array = read_numbers(reader, entry.axes, *safetensors_number(entry.dtype),
                                         /*by_columns=*/false, {});
        expect_finite(name, array);
        model.tensors.emplace(name, array);
    }
    model.network = make_network(model);
    return model;
}

std::span<const std::string_view> built_in_models() { return built_in; }

}  // namespace maskscope
