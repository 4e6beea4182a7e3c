#include "core/lesson/address.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/base/error.h"
#include "core/compute/decode.h"
#include "core/compute/depends.h"
#include "core/compute/mask_tests.h"
#include "core/compute/root_d.h"
#include "core/model/pass.h"
#include "core/scene/names.h"

namespace maskscope {

namespace {

template <class Figures>
struct NamedFigure {
    std::string_view name;
    double (*read)(const Figures&);
};

constexpr NamedFigure<RowFigures> figures[] = {
    {"sum", [](const RowFigures& row) { return row.sum; }},
    {"max", [](const RowFigures& row) { return row.max; }},
    {"entropy", [](const RowFigures& row) { return row.entropy; }},
    {"leak", [](const RowFigures& row) { return row.leak; }},
    {"gradient_leak", [](const RowFigures& row) { return row.gradient_leak; }},
    {"pads", [](const RowFigures& row) { return row.pads; }},
    {"empty", [](const RowFigures& row) { return row.empty ? 1.0 : 0.0; }},
    {"nan", [](const RowFigures& row) { return row.nan ? 1.0 : 0.0; }},
    {"lse", [](const RowFigures& row) { return row.lse; }},
};
// Statistics of a variant that has a reference.
constexpr NamedFigure<ReferenceFigures> of_reference[] = {
    {"leak_to_reference", [](const ReferenceFigures& row) { return row.leak; }},
    {"missing_to_reference",
     [](const ReferenceFigures& row) { return static_cast<double>(row.missing); }},
};
constexpr std::string_view outside = "outside", kept = "kept", decode = "decode";

// Returns how many keys a row may attend to.
Index kept_keys(const VariantResult& variant, Index b, Index h, Index i) {
    Index keys = 0;
    for (Index j = 0; j < variant.shape.n_k; ++j) keys += variant.is_allowed(b, h, i, j) ? 1 : 0;
    return keys;
}

constexpr NamedFigure<RootDFigures> root_d[] = {
    {"root_d.variance", [](const RootDFigures& figures) { return figures.variance; }},
    {"root_d.largest", [](const RootDFigures& figures) { return figures.largest.median; }},
    {"root_d.entropy", [](const RootDFigures& figures) { return figures.entropy.median; }},
    {"root_d.sensitivity", [](const RootDFigures& figures) { return figures.sensitivity.median; }},
};
constexpr std::string_view kinds[] = {"", "all", "any", "sum"};  // by At::Kind

template <class Figures, std::size_t count>
const NamedFigure<Figures>* find_named(const NamedFigure<Figures> (&table)[count],
                                       std::string_view of) {
    const auto* const found = std::ranges::find(table, of, &NamedFigure<Figures>::name);
    return found == std::end(table) ? nullptr : found;
}

// Parses an index: only digits, without leading zeros, as in JSON.
std::optional<Index> parse_index(std::string_view text) {
    Index index = 0;
    if (text.starts_with('-') || (text.size() > 1 && text[0] == '0')) return std::nullopt;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return index;
}

std::optional<std::pair<Index, Index>> parse_range(std::string_view text) {
    const std::size_t dash = text.find('-');
    if (dash == std::string_view::npos) return std::nullopt;
    const auto first = parse_index(text.substr(0, dash)), last = parse_index(text.substr(dash + 1));
    if (!first || !last || *last < *first) return std::nullopt;
    return std::pair(*first, *last);
}

// Returns the sizes of the axes of `of` in one variant.
std::vector<Index> axes_of(const Scene& scene, int index, const std::string& of) {
    if (is_of_sequence(of)) return axes_of_sequence(scene, of);
    const Shape shape = shape_of_variant(scene, index);
    const Variant& variant = scene.variants[index];
    const std::optional<StageKind> stage = from_name<StageKind>(of);
    const StageKind needed =
        of == "gradient_leak" ? StageKind::sensitivity : stage.value_or(StageKind::weights);
    if (!has_stage(scene, needed))
        throw InputError(
            "/of",
            needed != StageKind::depends
                ? fmt::format("these inputs have no {}", of)
                : fmt::format("\"depends\" needs the inputs \"embedding\", or \"output\" over "
                              "\"embedding\", and at most {} queries and keys",
                              most_depends_tokens));
    if (find_named(of_reference, of) && !variant.reference)
        throw InputError("/of", fmt::format("variant {} has no reference", variant_letter(index)));
    if (of == outside && !has_outside(scene, index))
        throw InputError("/of",
                         "\"outside\" needs d_v = 2, and the output \"values\", or "
                         "\"alternative\" with d_out = 2");
    if (of == decode) {
        if (!has_decode(scene))
            throw InputError("/of",
                             "\"decode\" needs self-attention over the inputs \"embedding\", "
                             "\"tensors\", \"scores\" or \"patterns\"");
        return {shape.b, shape.h, shape.n_q, shape.n_k};
    }
    if (!stage) return {shape.b, shape.h, shape.n_q};
    if (*stage == StageKind::depends) return {shape.b, 1, shape.n_q, shape.n_k};
    if (*stage != StageKind::output) return {shape.b, shape.h, shape.n_q, shape.n_k};
    // The output is as wide as the values of a next layer would be.
    const Index width =
        *d_v_of(OutputInputs{SharedValue<LayerBefore>(LayerBefore{scene.inputs, variant}), {}});
    const bool joined = variant.output.kind == OutputKind::projected;
    return {shape.b, joined ? 1 : shape.h, shape.n_q, width};
}

// Returns the axes of an address. For a difference these are the axes that both variants have; if
// they have different sizes, as those of a translator may, the smaller ones.
std::vector<Index> common_axes(const Scene& scene, const Address& address) {
    std::vector<Index> axes = axes_of(scene, address.variant, address.of);
    if (!address.minus) return axes;
    const std::vector<Index> others = axes_of(scene, *address.minus, address.of);
    if (others != axes &&
        shape_of_variant(scene, address.variant) == shape_of_variant(scene, *address.minus))
        throw InputError("/lane", "the two variants differ in shape");
    for (std::size_t k = 0; k < axes.size(); ++k) axes[k] = std::min(axes[k], others[k]);
    return axes;
}

void check_entry(const AddressEntry& at, Index size, std::size_t place) {
    const Index first = at.range ? at.range->first : at.index;
    const Index last = at.range ? at.range->second : at.index;
    if (first >= 0 && first <= last && last < size) return;
    throw InputError(fmt::format("/at/{}", place),
                     fmt::format("expected 0 to {}, got {}", size - 1, at_text(at)));
}

bool is_width(const std::optional<Index>& d) { return d && *d >= 1 && *d <= root_d_most; }

}  // namespace

std::optional<AddressEntry> parse_at(std::string_view text) {
    if (const auto index = parse_index(text))
        return AddressEntry{AddressEntry::Kind::index, *index, {}};
    const std::size_t blank = text.find(' ');
    const auto* const kind = std::ranges::find(kinds, text.substr(0, blank));
    if (kind == std::begin(kinds) || kind == std::end(kinds)) return std::nullopt;
    AddressEntry at{static_cast<AddressEntry::Kind>(kind - std::begin(kinds)), 0, {}};
    if (blank == std::string_view::npos) return at;
    at.range = parse_range(text.substr(blank + 1));
    return at.range ? std::optional(at) : std::nullopt;
}

std::vector<AddressEntry> parse_entries(std::string_view text) {
    std::vector<AddressEntry> entries;
    while (true) {
        const std::size_t comma = text.find(',');
        const std::string_view entry = text.substr(0, comma);
        const std::optional<AddressEntry> at = parse_at(entry);
        if (!at)
            throw InputError("",
                             fmt::format("expected an index or \"sum 3-5\", got \"{}\"", entry));
        entries.push_back(*at);
        if (comma == std::string_view::npos) return entries;
        text.remove_prefix(comma + 1);
    }
}

bool parse_variants(std::string_view text, Address& address) {
    const auto is_letter = [&](std::size_t k) { return 'A' <= text[k] && text[k] <= 'Z'; };
    const bool two = text.size() == 3 && text[1] == '-' && is_letter(2);
    if ((text.size() != 1 && !two) || !is_letter(0)) return false;
    address.variant = text[0] - 'A';
    if (two) address.minus = text[2] - 'A';
    return true;
}

std::string variants_text(const Address& address) {
    std::string text(1, variant_letter(address.variant));
    if (address.minus) text += std::string("-") + variant_letter(*address.minus);
    return text;
}

std::string at_text(const AddressEntry& at) {
    if (at.kind == AddressEntry::Kind::index) return std::to_string(at.index);
    const std::string_view kind = kinds[static_cast<int>(at.kind)];
    if (!at.range) return std::string(kind);
    return fmt::format("{} {}-{}", kind, at.range->first, at.range->second);
}

Address parse_address(std::string_view text) {
    const std::size_t dot = text.find('.'), open = text.find('[');
    if (dot != std::string_view::npos && is_mask_test(text.substr(dot + 1))) {
        Address address;
        if (!parse_variants(text.substr(0, dot), address))
            throw InputError("", fmt::format("expected a variant, \"A\" or \"A-B\", got \"{}\"",
                                             text.substr(0, dot)));
        address.of = text.substr(dot + 1);
        return address;
    }
    if (dot == std::string_view::npos || open == std::string_view::npos || open < dot ||
        !text.ends_with(']'))
        throw InputError("",
                         fmt::format("expected an address such as B.sum[0,0,2], got \"{}\"", text));
    Address address;
    const std::string_view variants = text.substr(0, dot);
    if (!parse_variants(variants, address))
        throw InputError("",
                         fmt::format("expected a variant, \"A\" or \"A-B\", got \"{}\"", variants));
    address.of = text.substr(dot + 1, open - dot - 1);
    if (!is_stage_or_figure(address.of))
        throw InputError(
            "",
            fmt::format("expected a stage or a row statistic (sum, entropy, leak, …), got \"{}\"",
                        address.of));
    const std::string_view inside = text.substr(open + 1, text.size() - open - 2);
    if (!is_root_d(address.of)) {
        address.at = parse_entries(inside);
        return address;
    }
    address.d = parse_index(inside);
    if (!is_width(address.d))
        throw InputError("", fmt::format("expected a width d, 1 to 1024, got \"{}\"", inside));
    return address;
}

std::string address_text(const Address& address) {
    if (is_mask_test(address.of)) return fmt::format("{}.{}", variants_text(address), address.of);
    std::string inside;
    for (const AddressEntry& at : address.at) inside += (inside.empty() ? "" : ",") + at_text(at);
    if (address.d) inside = std::to_string(*address.d);
    return fmt::format("{}.{}[{}]", variants_text(address), address.of, inside);
}

bool is_stage_or_figure(std::string_view of) {
    return has_columns(of) || is_figure(of) || is_of_sequence(of) || is_root_d(of) ||
           is_mask_test(of);
}

std::size_t entries_of(std::string_view of) {
    return has_columns(of) ? 4 : is_of_sequence(of) ? 1 : is_mask_test(of) ? 0 : 3;
}

bool is_figure(std::string_view of) {
    return find_named(figures, of) || find_named(of_reference, of) || of == outside || of == kept;
}

bool has_columns(std::string_view of) { return from_name<StageKind>(of) || of == decode; }

bool is_root_d(std::string_view of) { return find_named(root_d, of) != nullptr; }

bool is_mask_test(std::string_view of) {
    constexpr std::string_view prefix = "test.";
    return of.starts_with(prefix) && mask_test(of.substr(prefix.size())) != nullptr;
}

bool is_truth(std::string_view of) {
    return of == "allowed" || of == "empty" || of == "nan" || of == "right";
}

bool is_share(std::string_view of) {
    constexpr std::string_view shares[] = {
        "softmax",  "weights",        "decode",           "sum", "max", "leak", "pads",
        "accuracy", "root_d.largest", "leak_to_reference"};
    return std::ranges::find(shares, of) != std::end(shares);
}

bool is_depends(std::string_view of) { return of == name(StageKind::depends); }

bool lacks_depends(const Result& result) {
    return has_stage(result.scene, StageKind::depends) &&
           !result.variants.front().stage(StageKind::depends).exists();
}

void check_variant(const Scene& scene, int variant) {
    const int variants = static_cast<int>(scene.variants.size());
    if (variant >= 0 && variant < variants) return;
    throw InputError("/lane", variants == 1 ? "the scene has only variant A"
                                            : fmt::format("the scene has variants A to {}",
                                                          variant_letter(variants - 1)));
}

void check_address(const Scene& scene, const Address& address) {
    check_variant(scene, address.variant);
    if (address.minus) check_variant(scene, *address.minus);
    if (!is_stage_or_figure(address.of))
        throw InputError(
            "/of",
            fmt::format("expected a stage or a row statistic (sum, entropy, leak, …), got \"{}\"",
                        address.of));
    if (is_root_d(address.of)) {
        for (const int variant : {address.variant, address.minus.value_or(address.variant)})
            if (scene.variants[variant].scale.kind == ScaleKind::formula)
                throw InputError(
                    "/of",
                    fmt::format(
                        "{} needs a scale that is one factor, but that of variant {} is a formula",
                        address.of, variant_letter(variant)));
        if (!has_stage(scene.inputs, StageKind::scaled))
            throw InputError("/of", fmt::format("these inputs have no scale for {}", address.of));
        if (!is_width(address.d)) throw InputError("/d", "expected a width d, 1 to 1024");
        return;
    }
    if (is_mask_test(address.of) && address.at.empty()) return;
    const std::vector<Index> axes =
        is_mask_test(address.of) ? std::vector<Index>() : common_axes(scene, address);
    if (address.at.size() != axes.size())
        throw InputError(
            "/at", fmt::format("expected {} entries, got {}", axes.size(), address.at.size()));
    for (std::size_t place = 0; place < axes.size(); ++place) {
        const AddressEntry& at = address.at[place];
        if (at.kind == AddressEntry::Kind::index || at.range) check_entry(at, axes[place], place);
    }
}

bool exists(const Scene& scene, const Address& address) {
    try {
        check_address(scene, address);
        return true;
    } catch (const InputError&) {
        return false;
    }
}

Index count_of(const Scene& scene, const Address& address, std::size_t place) {
    const AddressEntry& at = address.at[place];
    if (at.kind == AddressEntry::Kind::index) return 1;
    if (at.range) return at.range->second - at.range->first + 1;
    return common_axes(scene, address)[place];
}

void check_runs_along(const Scene& scene_of_operand, const Address& operand, const Scene& scene,
                      const Address& address) {
    for (std::size_t place = 0; place < operand.at.size(); ++place) {
        const AddressEntry& at = operand.at[place];
        if (!at.is_quantifier()) continue;
        const std::string where = fmt::format("/at/{}", place);
        if (at.kind == AddressEntry::Kind::any)
            throw InputError(where, "\"any\" is not allowed here");
        if (place >= address.at.size() || !address.at[place].is_quantifier())
            throw InputError(where, "the fact has no \"all\" or \"any\" at this place");
        const Index here = count_of(scene_of_operand, operand, place);
        const Index there = count_of(scene, address, place);
        if (here != there)
            throw InputError(where, fmt::format("{} entries, but the fact has {}", here, there));
    }
}

AddressReader::AddressReader(const Result& result, const Address& address)
    : result_(result), address_(address), stage_(from_name<StageKind>(address.of)) {
    if (const auto* figure = find_named(figures, address.of)) figure_ = figure->read;
    if (const auto* figure = find_named(of_reference, address.of)) of_reference_ = figure->read;
    if (is_root_d(address.of))
        root_d_ = root_d_of(address.variant) - (address.minus ? root_d_of(*address.minus) : 0);
    if (is_mask_test(address.of))
        root_d_ = test_of(address.variant) - (address.minus ? test_of(*address.minus) : 0);
    if (stage_ == StageKind::depends && lacks_depends(result)) {
        Progress progress;
        depends_ = depends_of(result.scene, progress);
    }
    if (address.of == decode) {
        Progress progress;
        decode_.push_back(decode_of(result.scene, *result.inputs, address.variant, progress));
        if (address.minus)
            decode_.push_back(decode_of(result.scene, *result.inputs, *address.minus, progress));
    }
    if (is_of_sequence(address.of)) {
        said_.push_back(numbers_of_sequences(result, address.variant, address.of));
        if (address.minus)
            said_.push_back(numbers_of_sequences(result, *address.minus, address.of));
    }
    if (address.of == outside) {
        outside_.emplace_back(result, address.variant);
        if (address.minus) outside_.emplace_back(result, *address.minus);
    }
    for (std::size_t place = 0; place < address.at.size(); ++place) {
        const AddressEntry& at = address.at[place];
        Span& span = spans_[place];
        span.first = at.range ? at.range->first : at.index;
        span.quantified = at.is_quantifier();
        if (at.kind == AddressEntry::Kind::sum)
            span.summed = count_of(result.scene, address, place);
    }
}

double AddressReader::root_d_of(int variant) const {
    const Scale& scale = result_.scene.variants[variant].scale;
    Progress progress;
    const auto draw = draw_root_d(seed_of(result_.scene.inputs), progress);
    const Index d = *address_.d;
    return find_named(root_d, address_.of)->read(root_d_figures(*draw, d, root_d_scale(scale, d)));
}

// Returns 1 if the test passes, 0 if it fails, NaN if it does not apply.
double AddressReader::test_of(int variant) const {
    Progress progress;
    const MaskTest& test = *mask_test(std::string_view(address_.of).substr(5));
    switch (test_mask(test, result_.scene, variant, progress).outcome) {
        case TestOutcome::pass:
            return 1;
        case TestOutcome::fail:
            return 0;
        case TestOutcome::not_applicable:
            break;
    }
    return not_a_number;
}

double AddressReader::at(const Entries& entries) const {
    if (address_.d || is_mask_test(address_.of)) return root_d_;
    Entries start{};
    for (std::size_t axis = 0; axis < 4; ++axis)
        start[axis] = spans_[axis].first + (spans_[axis].quantified ? entries[axis] : 0);
    double sum = 0;
    for (Index b = 0; b < spans_[0].summed; ++b)
        for (Index h = 0; h < spans_[1].summed; ++h)
            for (Index i = 0; i < spans_[2].summed; ++i)
                for (Index j = 0; j < spans_[3].summed; ++j) {
                    const Entries place{start[0] + b, start[1] + h, start[2] + i, start[3] + j};
                    const double value = cell_of(address_.variant, place);
                    sum += address_.minus ? value - cell_of(*address_.minus, place) : value;
                }
    return sum;
}

double AddressReader::cell_of(int index, const Entries& place) const {
    const VariantResult& variant = result_.variants[index];
    const auto [b, h, i, j] = place;
    if (!outside_.empty()) return outside_[index == address_.variant ? 0 : 1].at(b, h, i);
    if (!decode_.empty()) return decode_[index == address_.variant ? 0 : 1].at(b, h, i, j);
    if (!said_.empty()) return said_[index == address_.variant ? 0 : 1][b];
    if (figure_) return figure_(variant.row(b, h, i));
    if (of_reference_) return of_reference_(reference_figures(result_, index, b, h, i));
    if (!stage_) return static_cast<double>(kept_keys(variant, b, h, i));
    if (!depends_.empty()) return depends_[index].at(b, h, i, j);
    if (*stage_ == StageKind::allowed) return variant.is_allowed(b, h, i, j) ? 1 : 0;
    return variant.stage(*stage_).at(b, h, i, j);
}

}  // namespace maskscope
