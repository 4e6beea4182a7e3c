#include "tests/bench/bench_scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/attention/mask.h"
#include "core/attention/seeded.h"
#include "core/base/matrix.h"
#include "core/compute/embedding.h"

namespace maskscope::bench {

namespace {

Array tensor(const char* stream, const Size& size) {
    const Matrix numbers = seeded_matrix(1, stream, size.heads * size.tokens, size.width, 1);
    std::vector<double> rounded(static_cast<std::size_t>(numbers.size()));
    std::transform(numbers.data(), numbers.data() + numbers.size(), rounded.begin(),
                   [](double x) { return static_cast<double>(static_cast<float>(x)); });
    return make_array({1, size.heads, size.tokens, size.width}, std::move(rounded));
}

Index pads_of(Index tokens) { return std::max<Index>(1, tokens / 8); }
Index window_of(Index tokens) { return std::min<Index>(128, tokens / 4); }

std::vector<Index> documents_of(Index tokens) {
    std::vector<Index> lengths(static_cast<std::size_t>(std::min<Index>(4, tokens)));
    const auto count = static_cast<Index>(lengths.size());
    for (Index k = 0; k < count; ++k) lengths[k] = tokens * (k + 1) / count - tokens * k / count;
    return lengths;
}

std::vector<MaskLayer> layers_of(const std::string& mask, Index tokens) {
    if (mask == "none") return {};
    MaskLayer layer;
    if (mask == "padding") layer.kind = LayerKind::padding;
    if (mask == "window") {
        layer.kind = LayerKind::window;
        layer.left = window_of(tokens);
    }
    if (mask == "documents") {
        layer.kind = LayerKind::documents;
        layer.lengths = documents_of(tokens);
    }
    return {layer};
}

// Returns how many cells of one head the mask allows.
double allowed_cells(const std::string& mask, Index tokens) {
    const auto n = static_cast<double>(tokens);
    if (mask == "causal") return n * (n + 1) / 2;
    if (mask == "padding") return n * (n - static_cast<double>(pads_of(tokens)));
    if (mask == "none") return n * n;
    double cells = 0;
    if (mask == "window")
        for (Index i = 0; i < tokens; ++i)
            cells += static_cast<double>(std::min(i, window_of(tokens)) + 1);
    else
        for (const Index length : documents_of(tokens))
            cells += static_cast<double>(length) * static_cast<double>(length);
    return cells;
}

}  // namespace

std::string text_of(const Size& size) {
    return fmt::format("{}x{}x{}", size.heads, size.tokens, size.width);
}

std::optional<Size> size_of(const std::string& text) {
    Size size;
    const char *at = text.data(), *end = text.data() + text.size();
    for (Index* number : {&size.heads, &size.tokens, &size.width}) {
        const auto [stop, error] = std::from_chars(at, end, *number);
        const bool last = number == &size.width;
        if (error != std::errc() || *number < 1 || *number > 65536) return std::nullopt;
        if (last != (stop == end) || (!last && *stop != 'x')) return std::nullopt;
        at = stop + 1;
    }
    return size;
}

const std::vector<std::string>& masks() {
    static const std::vector<std::string> all = {"none", "causal", "padding", "window",
                                                 "documents"};
    return all;
}

Scene make_scene(const std::string& mask, const Size& size, bool values) {
    Scene scene;
    scene.title = mask + " " + text_of(size);
    std::vector<std::string> tokens;
    const Index words = mask == "padding" ? size.tokens - pads_of(size.tokens) : size.tokens;
    for (Index k = 0; k < size.tokens; ++k)
        tokens.push_back(k < words ? fmt::format("t{}", k) : scene.pad_token);
    scene.sequences = {{tokens, std::nullopt}};
    TensorsInputs inputs{tensor("queries", size), tensor("keys", size), std::nullopt};
    if (values) inputs.values = tensor("values", size);
    scene.inputs = inputs;
    Variant variant;
    variant.name = mask;
    variant.mask.layers = layers_of(mask, size.tokens);
    scene.variants = {variant};
    return scene;
}

Work least_work(const std::string& mask, const Size& size, int stages, bool output) {
    const auto h = static_cast<double>(size.heads), n = static_cast<double>(size.tokens),
               d = static_cast<double>(size.width);
    const double products = output ? 2 : 1;
    return {2 * d * h * allowed_cells(mask, size.tokens) * products,
            4 * h * n * (n * stages + (output ? d : 0))};
}

}  // namespace maskscope::bench
