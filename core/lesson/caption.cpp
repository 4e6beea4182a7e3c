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
    if (std::ranges::any_of(part.address->at, &At::is_quantifier))
        throw InputError("",
                         fmt::format("a caption has indices and sums only, got \"{}\"", inside));
    return part;
}

std::string number_text(const CaptionPart& part, const Result& result) {
    const Address& address = *part.address;
    double value = AddressReader(result, address).at({});
    const bool share = is_share(address.of) && !address.minus;
    const bool summed = address.of == "sum" ||
                        std::ranges::find(address.at, At::Kind::sum, &At::kind) != address.at.end();
    const Dtype dtype = result.scene.variants[address.lane].dtype;
    // A sum that differs from 1 only by rounding is shown as 1.
    if (share && summed && std::abs(value - 1) <= tolerance_of(dtype)) value = 1;
    if (part.percent) return percent_text(value);
    if (!is_truth(address.of)) return cell_text(value, share);
    return fmt::format("{}{:.0f}", value < 0 ? "\u2212" : "", std::abs(value));  // a count of cells
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
    const bool drawn = draws || kept_root_d(seed_of(result.scene.inputs));
    for (const CaptionPart& part : parse_caption(caption)) try {
            if (!part.address)
                filled += part.text;
            else if (!exists(result.scene, *part.address))
                filled += "—";
            else
                filled += !drawn && is_root_d(part.address->of) ? "…" : number_text(part, result);
        } catch (const WorkError&) {  // no memory for a draw
            filled += "—";
        }
    return filled;
}

}  // namespace maskscope
