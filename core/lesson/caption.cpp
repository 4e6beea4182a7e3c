#include "core/lesson/caption.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/base/cases.h"
#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/base/number_text.h"
#include "core/compute/root_d.h"
#include "core/lesson/address.h"
#include "core/scene/model.h"
#include "core/scene/names.h"
#include "core/scene/scene.h"
#include "core/settings/setting.h"

namespace maskscope {

namespace {

// --- notation

constexpr std::string_view percent_sign = ":%", exponential_sign = ":exp";
constexpr std::string_view variant_name = "name";

struct TokenWord {
    std::string_view word;
    TokenPart::Of of;
};
constexpr TokenWord token_words[] = {
    {"q", TokenPart::Of::query}, {"k", TokenPart::Of::key}, {"pad", TokenPart::Of::pad}};

// Parses "q[2]", "k[1,2]"; nullopt if it is not about a token.
std::optional<TokenPart> parse_token(std::string_view inside) {
    const std::size_t open = inside.find('[');
    const auto* const found =
        std::ranges::find(token_words, inside.substr(0, open), &TokenWord::word);
    if (open == std::string_view::npos || found == std::end(token_words)) return std::nullopt;
    std::vector<AddressEntry> at;
    if (inside.ends_with(']'))
        at = parse_entries(inside.substr(open + 1, inside.size() - open - 2));
    const auto is_index = [](const AddressEntry& entry) {
        return entry.kind == AddressEntry::Kind::index;
    };
    if (at.empty() || at.size() > 2 || !std::ranges::all_of(at, is_index))
        throw InputError("",
                         fmt::format("expected a token such as {0}[2], or {0}[1,2] in sequence 1, "
                                     "got \"{1}\"",
                                     found->word, inside));
    return TokenPart{found->of, at.size() == 2 ? at.front().index : 0, at.back().index};
}

// Parses "B.mask.value"; nullopt if it is an address.
std::optional<SettingPart> parse_setting(std::string_view inside) {
    const std::size_t dot = inside.find('.');
    Address pair;
    if (dot == std::string_view::npos || inside.find('[') != std::string_view::npos ||
        !parse_variants(inside.substr(0, dot), pair) || pair.minus)
        return std::nullopt;
    const std::string_view of = inside.substr(dot + 1);
    if (is_mask_test(of)) return std::nullopt;
    const Setting* const setting = find_setting(of);
    if (of == variant_name || (setting && setting->words))
        return SettingPart{pair.variant, std::string(of)};
    std::string known(variant_name);
    for (const Setting* listed : listed_settings())
        if (listed->words) known += fmt::format(", {}", listed->key);
    throw InputError("", fmt::format("expected a setting ({}), got \"{}\"", known, of));
}

NumberPart parse_number(std::string_view inside) {
    NumberPart part;
    part.percent = inside.ends_with(percent_sign);
    if (part.percent) inside.remove_suffix(percent_sign.size());
    part.exponential = !part.percent && inside.ends_with(exponential_sign);
    if (part.exponential) inside.remove_suffix(exponential_sign.size());
    part.address = parse_address(inside);
    if (std::ranges::any_of(part.address.at, &AddressEntry::is_quantifier))
        throw InputError(
            "", fmt::format("a caption can use only indices and sums, got \"{}\"", inside));
    return part;
}

constexpr std::string_view count_of_entries = "count(";

// Parses "count(B.sum[0,0,all] < 1)"; nullopt if it counts nothing.
std::optional<TallyPart> parse_tally(std::string_view inside) {
    if (!inside.starts_with(count_of_entries)) return std::nullopt;
    const InputError malformed(
        "", fmt::format("expected a count such as count(B.sum[0,0,all] < 1), got \"{}\"", inside));
    inside.remove_prefix(count_of_entries.size());
    const std::size_t end = inside.find(']') + 1;  // the end of the address; 0 = none
    const std::size_t blank = inside.find(' ', end + 1);
    if (end == 0 || blank == std::string_view::npos || inside[end] != ' ' || !inside.ends_with(')'))
        throw malformed;
    TallyPart part{parse_address(inside.substr(0, end))};
    const auto* const is =
        std::ranges::find(relation_names, inside.substr(end + 1, blank - end - 1));
    part.is = static_cast<Relation>(is - std::begin(relation_names));
    const char* const last = inside.data() + inside.size() - 1;  // the bracket
    const auto [stop, error] = std::from_chars(inside.data() + blank + 1, last, part.than);
    if (part.is >= Relation::near || error != std::errc() || stop != last ||
        !std::isfinite(part.than))
        throw malformed;
    const auto entries_are = [&](AddressEntry::Kind kind) {
        return std::ranges::find(part.address.at, kind, &AddressEntry::kind) !=
               part.address.at.end();
    };
    if (!entries_are(AddressEntry::Kind::all) || entries_are(AddressEntry::Kind::any))
        throw InputError("", "a count needs \"all\", as in B.sum[0,0,all]");
    return part;
}

CaptionPart parse_part(std::string_view inside) {
    if (const auto tally = parse_tally(inside)) return *tally;
    if (inside == "n_q" || inside == "n_k") return CountPart{inside == "n_k"};
    if (const auto token = parse_token(inside)) return *token;
    if (const auto setting = parse_setting(inside)) return *setting;
    return parse_number(inside);
}

std::string literal_text(std::string_view text) {
    std::string doubled;
    for (const char c : text) doubled += c == '{' ? "{{" : std::string(1, c);
    return doubled;
}

// --- existence: throws InputError

void check_part(const std::string&, const Scene&) {}

void check_part(const CountPart&, const Scene&) {}

void check_part(const NumberPart& part, const Scene& scene) { check_address(scene, part.address); }

void check_part(const TallyPart& part, const Scene& scene) { check_address(scene, part.address); }

void check_part(const TokenPart& part, const Scene& scene) {
    const Shape shape = shape_of(scene);
    const bool of_query = part.of == TokenPart::Of::query;
    const Index count = of_query ? shape.n_q : shape.n_k;
    if (part.b >= shape.b)
        throw InputError("", fmt::format("expected sequence 0 to {}", shape.b - 1));
    if (part.index >= count) throw InputError("", fmt::format("expected token 0 to {}", count - 1));
    if (part.of != TokenPart::Of::pad) return;
    const std::string token = key_tokens(scene, part.b)[part.index];
    if (token != scene.pad_token)
        throw InputError("", fmt::format("expected a pad token, got \"{}\"", token));
}

void check_part(const SettingPart& part, const Scene& scene) {
    check_variant(scene, part.variant);
    const Setting* const setting = find_setting(part.of);
    if (setting && !setting->acts(scene.inputs, scene.variants[part.variant]))
        throw InputError("", "it has no effect in this variant");
}

// --- words

struct CaptionContext {
    const Result& result;
    const Scene& step;
    bool drawn = true;    // true if root d may be read
    bool depends = true;  // true if depends may be read
};

bool reads_share(const Address& address) { return is_share(address.of) && !address.minus; }

// Returns 1 for a sum that differs from 1 only by rounding.
double without_rounding(double value, const Address& address, const Scene& scene) {
    const bool summed =
        address.of == "sum" || std::ranges::find(address.at, AddressEntry::Kind::sum,
                                                 &AddressEntry::kind) != address.at.end();
    const double tolerance = tolerance_of(scene.variants[address.variant].dtype);
    return reads_share(address) && summed && std::abs(value - 1) <= tolerance ? 1 : value;
}

// Returns the result of a mask's test as `maskscope test` prints it.
std::string verdict_word(double value) {
    return std::isnan(value) ? "n/a" : value == 0 ? "fail" : "pass";
}

std::string number_text(const NumberPart& part, const Result& result) {
    const Address& address = part.address;
    const double value =
        without_rounding(AddressReader(result, address).at({}), address, result.scene);
    const bool share = reads_share(address);
    if (part.percent) return percent_text(value);
    if (is_mask_test(address.of) && !address.minus) return verdict_word(value);
    if (part.exponential) return cell_text(std::exp(value), false);
    if (!is_truth(address.of)) return cell_text(value, share);
    return fmt::format("{}{:.0f}", value < 0 ? "\u2212" : "", std::abs(value));  // a count of cells
}

std::string words_of(const std::string& text, const CaptionContext&) { return text; }

std::string words_of(const NumberPart& part, const CaptionContext& filling) {
    if (!filling.drawn && is_root_d(part.address.of)) return "…";
    if (!filling.depends && is_depends(part.address.of)) return "…";
    try {
        return number_text(part, filling.result);
    } catch (const WorkError&) {  // out of memory for a draw
        return "—";
    }
}

std::string words_of(const TallyPart& part, const CaptionContext& filling) {
    const Address& address = part.address;
    if (!filling.depends && is_depends(address.of)) return "…";
    const Scene& scene = filling.result.scene;
    const AddressReader reader(filling.result, address);
    Entries sizes{1, 1, 1, 1};
    for (std::size_t place = 0; place < address.at.size(); ++place)
        if (address.at[place].is_quantifier()) sizes[place] = count_of(scene, address, place);
    const auto [b, h, n_q, n_k] = sizes;
    Index count = 0;
    for (Index k = 0; k < b * h * n_q * n_k; ++k) {
        const Entries entry{k / (h * n_q * n_k), k / (n_q * n_k) % h, k / n_k % n_q, k % n_k};
        const double value = without_rounding(reader.at(entry), address, scene);
        if (satisfies(value, part.is, part.than)) ++count;
    }
    return std::to_string(count);
}

std::string words_of(const TokenPart& part, const CaptionContext& filling) {
    const Scene& scene = filling.result.scene;
    const bool of_query = part.of == TokenPart::Of::query;
    for (const VariantResult& variant : filling.result.variants)
        if (variant.run) {  // a model's rows are labelled with what it generates
            const TokenView labels = (of_query ? variant.queries : variant.keys)[part.b];
            return part.index < std::ssize(labels) ? labels[part.index] : "…";
        }
    return (of_query ? query_tokens(scene, part.b) : key_tokens(scene, part.b))[part.index];
}

std::string words_of(const CountPart& part, const CaptionContext& filling) {
    const Shape shape = shape_of(filling.result.scene);
    return std::to_string(part.of_keys ? shape.n_k : shape.n_q);
}

std::string words_of(const SettingPart& part, const CaptionContext& filling) {
    const Scene& scene = filling.result.scene;
    const Variant& variant = scene.variants[part.variant];
    if (const Setting* const setting = find_setting(part.of)) return setting->words(variant);
    return with_changes(variant.name, changes_since(filling.step, scene, part.variant));
}

// True if the address sets sequences of its own, so that other words on the bench do not affect the
// fact.
bool brings_sentences(const Address& address) {
    return std::ranges::any_of(
        address.with, [](const auto& field) { return field.first.starts_with("/sequences"); });
}

bool begins_sentence(std::string_view before) {
    return before.empty() || before.ends_with(". ") || before.ends_with("? ") ||
           before.ends_with("! ");
}

}  // namespace

std::vector<CaptionPart> parse_caption(std::string_view caption) {
    std::vector<CaptionPart> parts;
    std::string text;
    const auto flush = [&] {
        if (!text.empty()) parts.emplace_back(text);
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
                throw InputError("", "a brace is not closed. Write {{ for a brace as text");
            flush();
            parts.push_back(parse_part(caption.substr(k + 1, end - k - 1)));
            k = end;
        }
    }
    flush();
    return parts;
}

std::vector<Address> addresses_in(std::string_view text) {
    std::vector<Address> addresses;
    try {
        for (const CaptionPart& part : parse_caption(text)) {
            if (const auto* const number = std::get_if<NumberPart>(&part))
                addresses.push_back(number->address);
            if (const auto* const tally = std::get_if<TallyPart>(&part))
                addresses.push_back(tally->address);
        }
    } catch (const InputError&) {
        return {};
    }
    return addresses;
}

std::string expression_text(const CaptionPart& part) {
    return std::visit(
        Cases{[](const std::string& text) { return literal_text(text); },
              [](const NumberPart& number) {
                  return fmt::format("{{{}{}}}", address_text(number.address),
                                     number.percent       ? percent_sign
                                     : number.exponential ? exponential_sign
                                                          : "");
              },
              [](const TallyPart& tally) {
                  return fmt::format(
                      "{{{}{} {} {})}}", count_of_entries, address_text(tally.address),
                      relation_names[static_cast<int>(tally.is)], shortest(tally.than));
              },
              [](const TokenPart& token) {
                  const auto* const of = std::ranges::find(token_words, token.of, &TokenWord::of);
                  const std::string b = token.b > 0 ? fmt::format("{},", token.b) : "";
                  return fmt::format("{{{}[{}{}]}}", of->word, b, token.index);
              },
              [](const CountPart& count) { return std::string(count.of_keys ? "{n_k}" : "{n_q}"); },
              [](const SettingPart& setting) {
                  return fmt::format("{{{}.{}}}", variant_letter(setting.variant), setting.of);
              }},
        part);
}

void check_caption(std::string_view caption, const Scene& scene) {
    for (const CaptionPart& part : parse_caption(caption)) try {
            std::visit([&](const auto& of) { check_part(of, scene); }, part);
        } catch (const InputError& error) {
            throw InputError("", fmt::format("{}: {}", expression_text(part), error.what()));
        }
}

std::optional<std::string> fill_caption(std::string_view caption, const Result& result,
                                        const Scene& step, bool draws) {
    const CaptionContext filling{result, step, draws || kept_root_d(seed_of(result.scene.inputs)),
                                 draws || !lacks_depends(result)};
    std::string filled;
    for (const CaptionPart& part : parse_caption(caption)) {
        try {
            std::visit([&](const auto& of) { check_part(of, result.scene); }, part);
        } catch (const InputError&) {
            return std::nullopt;
        }
        const std::string words =
            std::visit([&](const auto& of) { return words_of(of, filling); }, part);
        const auto* const setting = std::get_if<SettingPart>(&part);
        const bool begins = setting && setting->of != variant_name && begins_sentence(filled);
        filled += begins ? capital(words) : words;
    }
    return filled;
}

std::string answer_line(const StepWords& words) {
    return words.answers.empty() ? "" : "Answer: " + words.answers.front();
}

StepWords fill_words(const Step& step, const Result& result, bool draws) {
    const auto filled = [&](const std::string& text) -> std::optional<std::string> {
        try {
            return fill_caption(text, result, step.scene, draws);
        } catch (const InputError&) {
            return text;
        }
    };
    const auto filled_table = [&]() -> StepTable {
        StepTable table = step.table;
        for (std::vector<std::string>& row : table)
            for (std::string& cell : row) {
                const auto now = filled(cell);
                if (!now) return {};
                cell = *now;
            }
        return table;
    };
    // With a translator, the words of a step are true only for the step's own sequences.
    const bool of_step =
        !is_trained(result.scene.inputs) || result.scene.sequences == step.scene.sequences;
    const auto caption = of_step ? filled(step.caption) : std::nullopt;
    if (!caption) return {.caption = std::string(own_bench), .ask = std::string(own_bench)};
    StepWords words{.caption = *caption,
                    .ask = filled(step.ask).value_or(std::string(own_bench)),
                    .try_this = filled(step.try_this).value_or(""),
                    .notes = filled(step.notes).value_or(""),
                    .table = filled_table()};
    for (const std::string& answer : step.answers)
        if (const auto now = filled(answer)) words.answers.push_back(*now);
    if (step.facts.empty()) return words;
    const Fact& fact = step.facts.front();
    for (const Address* address : addresses_of(fact)) {
        if (address->with.empty() && !exists(result.scene, *address)) return words;
        if (brings_sentences(*address) && result.scene.sequences != step.scene.sequences)
            return words;
    }
    words.claim = fact.says.empty() ? claim(fact) : filled(fact.says).value_or("");
    return words;
}

}  // namespace maskscope
