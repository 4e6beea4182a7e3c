#include "app/window/panels/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>
#include <vector>

#include "app/window/panels/key_help_lines.h"
#include "app/window/widgets/widgets.h"
#include "core/base/cases.h"
#include "core/base/number_text.h"
#include "core/scene/mask_rules.h"
#include "core/scene/names.h"

namespace maskscope {

namespace {

std::string joined(const std::vector<Index>& numbers) {
    std::string text;
    for (const Index number : numbers) text += (text.empty() ? "" : " ") + std::to_string(number);
    return text;
}

}  // namespace

std::string summary(const Variant& variant) {
    const std::string value = in_words(variant.mask.value);
    const std::string twice = variant.mask.times == 2 ? ", twice" : "";
    const std::string dtype = " · " + std::string(name(variant.dtype));
    switch (variant.mask.apply) {
        case Apply::additive:
            return "mask value " + value + twice + dtype;
        case Apply::replace:
            return "replaced by " + value + dtype;
        case Apply::multiply_scores:
            return "scores × 0 or 1" + dtype;
        case Apply::multiply_weights:
            return "0 or 1 · not renormalized";
        case Apply::multiply_weights_renormalized:
            return "0 or 1 · renormalized";
        case Apply::none:
            return "mask not applied" + dtype;
    }
    return "";
}

std::string summary(const MaskLayer& layer) {
    std::string text, nothing;  // nothing: the text if all lists are empty
    const auto add = [&text](const std::string& part) {
        text += (text.empty() ? "" : ", ") + part;
    };
    for (const LayerParameter& parameter : rule_of(layer.kind).parameters) {
        const auto count = [&](std::size_t size) {
            return fmt::format("{} {}", size, size == 1 ? parameter.unit : parameter.units);
        };
        const auto add_size = [&](std::size_t size) {
            if (nothing.empty()) nothing = count(0);
            if (size > 0) add(count(size));
        };
        std::visit(
            Cases{
                [&](Align MaskLayer::*align) {
                    std::string words(name(layer.*align));
                    std::ranges::replace(words, '_', ' ');
                    add(words);
                },
                [&](Slopes MaskLayer::*slopes) {
                    if (layer.*slopes != Slopes::published) add(std::string(name(layer.*slopes)));
                },
                [&](std::optional<Array> MaskLayer::*tensor) {
                    if (layer.*tensor)
                        add((layer.*tensor)->file.empty() ? "in the scene" : (layer.*tensor)->file);
                },
                [&](Index MaskLayer::*number) {
                    add(count(static_cast<std::size_t>(layer.*number)));
                },
                [&](std::vector<Index> MaskLayer::*numbers) {
                    if (parameter.each && !(layer.*parameter.each).empty())
                        return add("a list for each sequence");
                    std::vector<Index> shown = layer.*numbers;
                    if (parameter.counts == Counts::tokens)
                        for (Index& token : shown) ++token;  // tokens count from 1 in the window
                    add(joined(shown));
                },
                [&](std::vector<BiasCell> MaskLayer::*cells) {
                    if (!layer.tensor) add_size((layer.*cells).size());
                },
                [&](std::string MaskLayer::*expression) { add(layer.*expression); },
                [&](std::vector<MaskLayer> MaskLayer::*) { add(in_words(layer)); },
                [&](auto MaskLayer::*list) { add_size(layer.*list ? (layer.*list)->size() : 0); },
            },
            parameter.member);
    }
    return text.empty() ? nothing : text;
}

// Returns tooltips for terms that the window draws, from the help page on terms.

namespace {

struct Term {
    std::vector<std::string> names;  // as the window draws them
    std::string text;
};

// Removes "MARK: what." from the end of the text and returns `what`; "" if the text lacks the mark.
std::string take_part(std::string& text, std::string_view mark) {
    const auto at = text.find(mark);
    if (at == std::string::npos) return "";
    std::string part = text.substr(at + mark.size());
    if (part.ends_with('.')) part.pop_back();
    text.erase(at);
    return part;
}

// Reads "`name`: Sentence. Formula: `…`. In the file: `…`. Also shown as: `…`, `…`."
Term term_of(const KeyHelpLine& line) {
    Term term{.names = {line.keys}, .text = line.what};
    std::string also = take_part(term.text, " Also shown as: ");
    take_part(term.text, " In the file: ");  // only for the help page, because it concerns authors
    const std::string formula = take_part(term.text, " Formula: ");
    if (!formula.empty()) term.text += "\n" + formula;
    for (std::size_t comma = 0; comma != std::string::npos && !also.empty();) {
        comma = also.find(", ");
        term.names.push_back(also.substr(0, comma));
        also.erase(0, comma == std::string::npos ? comma : comma + 2);
    }
    return term;
}

const std::vector<Term>& all_terms() {
    static const std::vector<Term> terms = [] {
        std::vector<Term> read;
        const auto page = std::ranges::find(help_pages(), "Terms", &HelpPage::title);
        if (page == help_pages().end()) return read;  // the help reports that it cannot be read
        for (const KeyHelpBlock& block : page->blocks)
            for (const KeyHelpLine& line : block.lines)
                if (!line.keys.empty()) read.push_back(term_of(line));
        return read;
    }();
    return terms;
}

std::string_view without_marks(std::string_view words) {
    while (words.starts_with('(')) words.remove_prefix(1);
    for (bool goes_on = true; goes_on;) {
        goes_on = false;
        for (const std::string_view mark : {"”", ")", ",", ".", ":", ";", "?", "’s", "’"})
            if (words.ends_with(mark)) {
                words.remove_suffix(mark.size());
                goes_on = true;
            }
    }
    return words;
}

}  // namespace

std::string explanation(const std::string& term) {
    for (const Term& known : all_terms())
        if (std::ranges::find(known.names, term) != known.names.end()) return known.text;
    // A connector such as "softmax, × m" stands for two operations.
    if (const auto comma = term.find(", "); comma != std::string::npos) {
        const std::string first = explanation(term.substr(0, comma));
        const std::string rest = explanation(term.substr(comma + 2));
        return first.empty() || rest.empty() ? first + rest : first + "\n" + rest;
    }
    if (term.starts_with("cap ")) return explanation("softcap");
    if (term.starts_with("(S ")) return explanation("(S + M) × 1/√d");
    const bool number =
        term.starts_with("× ") || term.ends_with(" · QKᵀ") || term.ends_with(" · q · k");
    return number ? explanation("× c") : "";
}

std::string explanation_in(const std::string& sentence, std::size_t word) {
    if (word >= sentence.size()) return "";
    const auto end_of = [&](std::size_t begin) {
        return std::min(sentence.find(' ', begin), sentence.size());
    };
    const auto words = [&](std::size_t begin, std::size_t end) {
        return without_marks(std::string_view(sentence).substr(begin, end - begin));
    };
    const std::size_t end = end_of(word);
    const std::size_t before = word < 2 ? word : sentence.rfind(' ', word - 2) + 1;  // npos + 1: 0
    for (const std::string_view found :
         {words(word, end_of(end + 1)), words(before, end), words(word, end)}) {
        if (found.empty() || found.starts_with("“")) continue;
        for (const bool plural : {false, true})
            for (const bool large : {false, true}) {
                std::string term(found);
                if (plural && term.back() == 's') term.pop_back();
                if (term.empty()) continue;
                const auto first = static_cast<unsigned char>(term.front());
                term.front() = static_cast<char>(large ? std::toupper(first) : std::tolower(first));
                if (std::string known = explanation(term); !known.empty()) return known;
            }
    }
    return "";
}

}  // namespace maskscope
