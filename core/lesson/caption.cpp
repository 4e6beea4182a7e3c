#include "core/lesson/caption.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/base/number_text.h"
#include "core/compute/root_d.h"
#include "core/lesson/address.h"
#include "core/scene/tolerance.h"

namespace maskscope {

namespace {

constexpr std::string_view percent_sign = ":%";

CaptionPart parse_part(std::string_view inside) {
    CaptionPart part;
    part.percent = inside.ends_with(percent_sign);
    if (part.percent) inside.remove_suffix(percent_sign.size());
    part.address = parse_address(inside);
    const bool quantified = std::ranges::any_of(part.address->at, [](const At& at) {
        return at.kind == At::Kind::all || at.kind == At::Kind::any;
    });
    if (quantified)
        throw InputError("",
                         fmt::format("a caption has indices and sums only, got \"{}\"", inside));
    return part;
}

bool is_summed(const Address& address) {
    return address.of == "sum" ||
           std::ranges::any_of(address.at, [](const At& at) { return at.kind == At::Kind::sum; });
}

// Cells of the mask, and sums of them: whole numbers.
std::string count_text(double count) {
    return fmt::format("{}{:.0f}", count < 0 ? "\u2212" : "", std::abs(count));
}

std::string number_text(const CaptionPart& part, const Result& result) {
    const Address& address = *part.address;
    double value = AddressReader(result, address).at({});
    const bool share = is_share(address.of) && !address.minus;
    const Dtype dtype = result.scene.variants[address.lane].dtype;
    // Rounding alone makes no sum "nearly" one.
    if (share && is_summed(address) && std::abs(value - 1) <= tolerance_of(dtype)) value = 1;
    if (part.percent) return percent_text(value);
    return is_truth(address.of) ? count_text(value) : cell_text(value, share);
}

std::string number_or_dash(const CaptionPart& part, const Result& result) {
    try {
        return number_text(part, result);
    } catch (const WorkError&) {
        return "—";
    }
}

bool waits_for_draw(const Address& address, const Scene& scene) {
    return is_root_d(address.of) && !kept_root_d(seed_of(scene.inputs));
}

}  // namespace

std::vector<CaptionPart> parse_caption(std::string_view caption) {
    std::vector<CaptionPart> parts;
    std::string text;
    const auto flush = [&] {
        if (!text.empty()) parts.push_back({text, {}, false});
        text.clear();
    };
    for (std::size_t k = 0; k < caption.size(); ++k) {
        if (caption[k] != '{') {
            text += caption[k];
        } else if (caption.substr(k, 2) == "{{") {
            text += caption[k++];
        } else {
            const std::size_t end = caption.find('}', k);
            if (end == std::string_view::npos)
                throw InputError("", "a brace that is not closed ({{ is a brace as text)");
            flush();
            parts.push_back(parse_part(caption.substr(k + 1, end - k - 1)));
            k = end;
        }
    }
    flush();
    return parts;
}

std::string fill_caption(const std::string& caption, const Result& result, bool draws) {
    std::string filled;
    for (const CaptionPart& part : parse_caption(caption)) {
        if (!part.address)
            filled += part.text;
        else if (!exists(result.scene, *part.address))
            filled += "—";
        else if (!draws && waits_for_draw(*part.address, result.scene))
            filled += "…";
        else
            filled += number_or_dash(part, result);
    }
    return filled;
}

}  // namespace maskscope
