#include "app/show/bench/bench_tokens.h"

#include <algorithm>
#include <iterator>
#include <map>

#include "app/style/labels.h"
#include "core/base/error.h"

namespace maskscope {

namespace {

// Makes spaces at either end visible, which are part of a token. Shows only both ends of a token
// that is too wide for any place.
std::string with_seen_blanks(const std::string& whole) {
    constexpr std::size_t longest = 1000;
    if (!whole.empty() && whole.size() <= longest && whole.front() != ' ' && whole.back() != ' ')
        return whole;
    const std::string token = without_middle(whole, longest);
    const std::size_t first = std::min(token.find_first_not_of(' '), token.size());
    const std::size_t end = first == token.size() ? first : token.find_last_not_of(' ') + 1;
    std::string seen;
    for (std::size_t k = 0; k < token.size(); ++k)
        seen += k < first || k >= end ? "␣" : token.substr(k, 1);
    return seen;
}

double ems_of(const std::string& text) {
    constexpr double size = 100;
    return measure(text, {size}).width / size;
}

// Estimates the width as the sum of its letters' widths, each measured once, because only few of
// thousands of tokens are drawn.
double about_ems_of(const std::string& token) {
    static thread_local std::map<std::string, double, std::less<>> known;
    double ems = 0;
    for (std::size_t begin = 0, end = 0; begin < token.size(); begin = end) {
        end = begin + 1;
        while (end < token.size() && (static_cast<unsigned char>(token[end]) & 0xc0U) == 0x80U)
            ++end;
        const std::string_view letter(token.data() + begin, end - begin);
        auto found = known.find(letter);
        if (found == known.end()) found = known.emplace(letter, ems_of(std::string(letter))).first;
        ems += found->second;
    }
    return ems;
}

std::vector<double> widths_of(const std::vector<std::string>& tokens) {
    constexpr std::size_t most_measured = 1024;
    std::vector<double> ems;
    std::ranges::transform(tokens, std::back_inserter(ems),
                           tokens.size() > most_measured ? about_ems_of : ems_of);
    return ems;
}

double longest_of(const std::vector<double>& ems) {
    return ems.empty() ? 0 : std::ranges::max(ems);
}

BenchTokens tokens_of(const VariantResult& result, Index b) {
    BenchTokens tokens;
    std::ranges::transform(result.queries[b], std::back_inserter(tokens.queries), with_seen_blanks);
    std::ranges::transform(result.keys[b], std::back_inserter(tokens.keys), with_seen_blanks);
    tokens.query_ems = widths_of(tokens.queries);
    tokens.key_ems = tokens.keys == tokens.queries ? tokens.query_ems : widths_of(tokens.keys);
    if (result.run && result.run->read[b].size() == tokens.queries.size() &&
        result.run->labels[b] == result.run->predicted[b]) {
        tokens.reads = result.run->read[b];
        tokens.read_ems = widths_of(tokens.reads);
        tokens.said = result.run->loss.empty();
    }
    find_longest(tokens);
    return tokens;
}

}  // namespace

void find_longest(BenchTokens& tokens) {
    tokens.longest_label = longest_of(tokens.query_ems);
    for (std::size_t k = 0; k < tokens.read_ems.size(); ++k)
        tokens.longest_label =
            std::max(tokens.longest_label, tokens.query_ems[k] + 0.85 * tokens.read_ems[k] + 0.5);
    tokens.longest_key = longest_of(tokens.key_ems);
}

SharedTokens KnownTokens::of(const VariantResult& result, Index b, const KnownTokens& before) {
    // The words of a translator are few, so they are made again and compared, not kept as labels.
    std::shared_ptr<const BenchTokens> made;
    if (result.run) made = std::make_shared<const BenchTokens>(tokens_of(result, b));
    const auto is_same = [&](const Known& known) {
        if (known.b != b || known.queries != result.queries || known.keys != result.keys)
            return false;
        return !made || *known.tokens == *made;
    };
    if (const auto own = std::ranges::find_if(known_, is_same); own != known_.end())
        return own->tokens;
    if (const auto old = std::ranges::find_if(before.known_, is_same); old != before.known_.end())
        return known_.emplace_back(*old).tokens;
    if (!made) made = std::make_shared<const BenchTokens>(tokens_of(result, b));
    known_.push_back({result.queries, result.keys, b, made});
    return made;
}

}  // namespace maskscope
