#include "core/lesson/fact_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/json_text.h"
#include "core/base/number_text.h"
#include "core/lesson/address.h"
#include "core/lesson/caption.h"
#include "core/scene/names.h"

namespace maskscope {

namespace {

struct Word {
    std::string_view name, word;
};

// The name of a measured number, as it follows "the".
constexpr Word measured[] = {
    {"allowed", "mask"},
    {"scores", "score"},
    {"scaled", "scaled score"},
    {"logits", "softmax input"},
    {"softmax", "softmax output"},
    {"weights", "weight"},
    {"output", "output"},
    {"sensitivity", "sensitivity"},
    {"depends", "influence"},
    {"decode", "weight, step by step,"},
    {"sum", "sum"},
    {"max", "largest weight"},
    {"entropy", "entropy"},
    {"leak", "weight on blocked keys"},
    {"gradient_leak", "sensitivity to blocked keys"},
    {"pads", "weight on padding"},
    {"empty", "emptiness"},
    {"nan", "NaN flag"},
    {"lse", "log-sum-exp"},
    {"test.future", "future test"},
    {"test.padding", "padding test"},
    {"test.cache", "cache test"},
    {"test.gradient", "gradient test"},
    {"leak_to_reference", "weight on keys that the reference blocks"},
    {"missing_to_reference", "number of keys missing compared with the reference"},
    {"outside", "distance from the hull"},
    {"kept", "number of allowed keys"},
    {"loss", "loss"},
    {"accuracy", "accuracy"},
    {"right", "right translation"},
};

std::string_view word_of(std::string_view name) {
    const auto* const found = std::ranges::find(measured, name, &Word::name);
    return found == std::end(measured) ? name : found->word;
}

std::string variants_of(const Address& address) {
    std::string text(1, variant_letter(address.variant));
    if (address.minus) text += fmt::format(" − {}", variant_letter(*address.minus));
    return text;
}

// The way tokens are named: as they are, or by an expression of a caption.
enum class Naming { plain, expression };

std::string token_of(const Scene& scene, TokenPart::Of of, Index b, Index k, Naming naming) {
    if (naming == Naming::expression)
        return fmt::format("“{}”", expression_text(TokenPart{of, b, k}));
    const auto tokens = of == TokenPart::Of::query ? query_tokens(scene, b) : key_tokens(scene, b);
    return k < static_cast<Index>(tokens.size()) ? fmt::format("“{}”", tokens[k])
                                                 : std::to_string(k);
}

// Returns "every row", "the row of “name”", "some of rows 0-4", "rows 0-4 together"
std::string group_of(const AddressEntry& at, const std::string& one, const std::string& many) {
    const std::string several =
        at.range ? fmt::format("{} {}-{}", many, at.range->first, at.range->second) : "the " + many;
    switch (at.kind) {
        case AddressEntry::Kind::all:
            return at.range ? "each of " + several : "every " + one;
        case AddressEntry::Kind::any:
            return "some of " + several;
        case AddressEntry::Kind::sum:
            return several + " together";
        case AddressEntry::Kind::index:
            break;
    }
    return fmt::format("{} {}", one, at.index);
}

std::string row_of(const Address& address, const Scene& scene, Naming naming) {
    const AddressEntry& at = address.at[2];
    if (at.kind != AddressEntry::Kind::index) return group_of(at, "row", "rows");
    const Index b = address.at[0].kind == AddressEntry::Kind::index ? address.at[0].index : 0;
    return token_of(scene, TokenPart::Of::query, b, at.index, naming);
}

std::string column_of(const Address& address, const Scene& scene, Naming naming) {
    const AddressEntry& at = address.at[3];
    const bool output = address.of == name(StageKind::output);
    if (at.kind != AddressEntry::Kind::index)
        return output ? group_of(at, "component", "components") : group_of(at, "key", "keys");
    const Index b = address.at[0].kind == AddressEntry::Kind::index ? address.at[0].index : 0;
    return output ? fmt::format("component {}", at.index)
                  : token_of(scene, TokenPart::Of::key, b, at.index, naming);
}

// Returns the sequence and head, if there are several; counted from 0 as everywhere.
std::string place_of(const Address& address, const Scene& scene) {
    const Shape shape = shape_of(scene);
    std::string text;
    if (shape.b > 1) text += ", " + group_of(address.at[0], "sequence", "sequences");
    if (shape.h > 1 && !is_depends(address.of) && !is_of_sequence(address.of))
        text += ", " + group_of(address.at[1], "head", "heads");
    return text;
}

std::string address_words(const Address& address, const Scene& scene, Naming naming) {
    if (is_of_sequence(address.of))
        return fmt::format("in {}{}, the {}", variants_of(address), place_of(address, scene),
                           word_of(address.of));
    if (address.at.size() < 3) return address_text(address);
    std::string text =
        fmt::format("in {}{}, the {} of {}", variants_of(address), place_of(address, scene),
                    word_of(address.of), row_of(address, scene, naming));
    if (address.at.size() > 3) text += " on " + column_of(address, scene, naming);
    return text;
}

std::string operand_words(const Operand& operand, const Address& beside, const Scene& scene) {
    if (const double* number = std::get_if<double>(&operand)) return typed_text(*number);
    const Address& address = std::get<Address>(operand);
    Address same = address;
    same.variant = beside.variant;
    same.minus = beside.minus;
    if (same == beside) return "that in " + variants_of(address);
    return address_words(address, scene, Naming::expression);
}

// --- verdicts

// Returns the judged number, or the difference.
std::string judged_words(const Fact& fact, const Verdict& verdict) {
    if (is_truth(fact.address.of)) return "";
    const std::string& of = fact.address.of;
    const bool is_share = of == "weights" || of == "softmax" || of == "decode" || of == "sum";
    if (!verdict.gap) return is_share ? exact_share(verdict.value) : exact_text(verdict.value);
    const std::string size = exact_text(std::abs(*verdict.gap));
    const bool ordered =
        fact.is != Relation::near && fact.is != Relation::equal && fact.is != Relation::not_equal;
    return size + (!ordered ? " apart" : *verdict.gap < 0 ? " less" : " more");
}

// Returns the entry that decides: "row “name”", "head 2, row “name”, key “Luke”".
std::string decisive_words(const Fact& fact, const Verdict& verdict, const Scene& scene) {
    const std::vector<AddressEntry>& at = fact.address.at;
    const auto [b, h, i, j] = verdict.place;
    const Index sequence = at[0].is_quantifier() ? b : at[0].index;
    std::string text;
    const auto add = [&](std::size_t axis, const std::string& words) {
        if (axis >= at.size() || at[axis].kind != AddressEntry::Kind::all) return;
        text += (text.empty() ? "" : ", ") + words;
    };
    add(0, fmt::format("sequence {}", b + 1));
    add(1, fmt::format("head {}", h + 1));
    add(2, "row " + token_of(scene, TokenPart::Of::query, sequence, i, Naming::plain));
    add(3, fact.address.of == name(StageKind::output)
               ? fmt::format("component {}", j + 1)
               : "key " + token_of(scene, TokenPart::Of::key, sequence, j, Naming::plain));
    return text;
}

// Returns " in all 5 rows", " (not in row “name”)", " (in none of 5 rows)", " (only in 3 of 5
// rows)". Returns "" for a single row, and if the fact holds for all keys of a row, because it is
// then about the row.
std::string tally_words(const Fact& fact, const Verdict& verdict, const Scene& scene) {
    const auto [axis, held, of] = *verdict.count;
    const bool output = fact.address.of == name(StageKind::output);
    const char* const many[] = {"sequences", "heads", "rows", output ? "components" : "keys"};
    if (verdict.holds)
        return of == 1 || axis > 2 ? "" : fmt::format(" in all {} {}", of, many[axis]);
    if (held + 1 == of && fact.address.with.empty())  // otherwise the tokens differ from those on
                                                      // the bench
        return fmt::format(" (not in {})", decisive_words(fact, verdict, scene));
    if (held == 0) return of == 1 ? "" : fmt::format(" (in none of {} {})", of, many[axis]);
    return fmt::format(" (only in {} of {} {})", held, of, many[axis]);
}

// --- fields

std::string plain_value(const std::string& value) {
    return value.size() > 1 && value.front() == '"' && value.back() == '"'
               ? value.substr(1, value.size() - 2)
               : value;
}

template <class T>
std::string labelled(const std::string& word) {
    const auto known = from_name<T>(word);
    return known ? within_sentence(label(*known)) : word;
}

std::string layers_words(const std::string& value) {
    const Json layers = parse_json(value);
    std::string text;
    for (const Json& layer : layers)
        text += (text.empty() ? "" : ", ") + labelled<LayerKind>(layer.value("kind", ""));
    return text.empty() ? "no mask" : "mask rules " + text;
}

std::string setting_words(std::string_view place, const std::string& value) {
    const std::string word = plain_value(value);
    if (place == "mask/apply") return "mask " + labelled<Apply>(word);
    if (place == "mask/value") return "mask value " + word;
    if (place == "mask/times") return word == "2" ? "mask added twice" : "mask added once";
    if (place == "mask/layers") return layers_words(value);
    if (place == "mask/order")
        return word == "mask_then_scale" ? "masked, then scaled" : "scaled, then masked";
    if (place == "normalizer") return labelled<Normalizer>(word);
    if (place == "empty_rows") return "empty rows " + labelled<EmptyRows>(word);
    if (place == "score" || place == "output")
        return fmt::format("{} {}", place, parse_json(value).value("kind", ""));
    std::string words(place);
    std::ranges::replace(words, '/', ' ');
    return fmt::format("{} {}", words, word);
}

// Splits "/variants/1/mask/apply" into B and "mask/apply"; nullopt if it is not in a variant.
std::optional<std::pair<int, std::string_view>> setting_of(std::string_view pointer) {
    constexpr std::string_view variants = "/variants/";
    if (!pointer.starts_with(variants)) return std::nullopt;
    pointer.remove_prefix(variants.size());
    int variant = 0;
    const auto [end, error] =
        std::from_chars(pointer.data(), pointer.data() + pointer.size(), variant);
    const auto digits = static_cast<std::size_t>(end - pointer.data());
    if (error != std::errc() || variant > 25 || digits + 1 >= pointer.size()) return std::nullopt;
    return std::pair(variant, pointer.substr(digits + 1));
}

std::string field_words(const std::string& pointer, const std::string& value) {
    constexpr std::size_t most = 60;  // bytes of a value
    if (const auto setting = setting_of(pointer))
        return fmt::format("{}: {}", variant_letter(setting->first),
                           setting_words(setting->second, value));
    if (pointer == "/inputs/seed") return "another seed, " + value;
    std::string place = pointer.substr(std::min<std::size_t>(1, pointer.size()));
    std::ranges::replace(place, '/', ' ');
    return fmt::format("{} {}", place, value.size() > most ? "…" : plain_value(value));
}

}  // namespace

std::string_view words_of(Relation is) {
    static constexpr std::array<std::string_view, 8> words = {
        "is below",    "is at most", "is exactly", "is not",
        "is at least", "is above",   "is near",    "is NaN"};
    return words[static_cast<std::size_t>(is)];
}

std::string words_of(const Address& address, const Scene& scene) {
    return address_words(address, scene, Naming::plain);
}

std::string words_of(const Fact& fact, const Scene& scene) {
    std::string text = fmt::format("{} {}", address_words(fact.address, scene, Naming::expression),
                                   words_of(fact.is));
    if (!fact.than) return text;
    text += " " + operand_words(fact.than->value, fact.address, scene);
    if (fact.than->times) text += " × " + operand_words(*fact.than->times, fact.address, scene);
    if (!fact.than->plus) return text;
    const double* number = std::get_if<double>(&*fact.than->plus);
    if (number == nullptr)
        return text + " + " + operand_words(*fact.than->plus, fact.address, scene);
    if (fact.is == Relation::less && *number < 0)
        return text + " by more than " + typed_text(-*number);
    if (fact.is == Relation::greater && *number > 0)
        return text + " by more than " + typed_text(*number);
    return text + (*number < 0 ? " − " : " + ") + typed_text(std::abs(*number));
}

std::string verdict_words(const Fact& fact, const Verdict& verdict, const Scene& scene) {
    const std::string words = verdict.holds ? "holds" : "no longer holds";
    if (!verdict.exists) return words;
    if (verdict.count) return words + tally_words(fact, verdict, scene);
    const bool any = std::ranges::any_of(fact.address.at, &AddressEntry::is_quantifier);
    const bool said = fact.is == Relation::nan || fact.is == Relation::equal ||
                      std::ranges::count(addresses_in(fact.says), fact.address) > 0;
    if (any || (verdict.holds && said)) return words;
    const std::string judged = judged_words(fact, verdict);
    return judged.empty() ? words : fmt::format("{} ({})", words, judged);
}

std::string verdict_after(const std::string& claim, const Fact& fact, const Verdict& verdict,
                          const Scene& scene) {
    const char* const between = claim.find(':') == std::string::npos ? ": " : " — ";
    return between + verdict_words(fact, verdict, scene);
}

std::string verdict_line(const std::string& claim, const Fact& fact, const Verdict& verdict,
                         const Scene& scene) {
    if (!verdict.holds) return "✗ " + claim + verdict_after(claim, fact, verdict, scene);
    const std::string words = verdict_words(fact, verdict, scene);
    const std::size_t number = words.find(" (");
    const bool says_it = number == std::string::npos || words.ends_with("apart)");
    return "✓ " + claim + (says_it ? "" : words.substr(number));
}

std::string words_of(const Fields& fields) {
    std::string text;
    for (const auto& [pointer, value] : fields)
        text += (text.empty() ? "" : "; ") + field_words(pointer, value);
    return text;
}

}  // namespace maskscope
