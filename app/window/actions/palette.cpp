#include "app/window/context/palette.h"

#include <algorithm>
#include <optional>
#include <sstream>
#include <string_view>
#include <tuple>
#include <utility>

namespace maskscope {
namespace {

// Converts to lower case: ASCII letters, and signs that keyboards lack: "√d" is "root d".
std::string lower(std::string text) {
    for (char& c : text)
        if (c >= 'A' && c <= 'Z') c += 'a' - 'A';
    for (const auto& [sign, plain] :
         {std::pair<std::string_view, std::string_view>{"√", "root "}, {"−", "-"}})
        for (auto at = text.find(sign); at != std::string::npos; at = text.find(sign, at))
            text.replace(at, sign.size(), plain);
    return text;
}

std::vector<std::string> words_of(const std::string& text) {
    std::istringstream stream(text);
    std::vector<std::string> words;
    for (std::string word; stream >> word;) words.push_back(word);
    return words;
}

// Returns how far a word's best match in the text is from the best possible one; a match at the
// beginning of a word ranks first. nullopt if there is no match.
std::optional<std::size_t> distance(const std::string& text, const std::string& word) {
    constexpr std::size_t inside = 1000;
    std::optional<std::size_t> best;
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
        const bool begins = at == 0 || text[at - 1] == ' ' || text[at - 1] == '(';
        const std::size_t here = at + (begins ? 0 : inside);
        if (!best || here < *best) best = here;
    }
    return best;
}

// Returns the same for an entry. What it is about and the name of a key also match, but rank behind
// all matches in the words.
std::optional<std::size_t> distance(const PaletteEntry& entry,
                                    const std::vector<std::string>& all) {
    constexpr std::size_t aside = 10000;
    const std::string text = lower(entry.words);
    const std::string others = lower(entry.about + " " + entry.keys);
    std::size_t sum = 0;
    for (const std::string& word : all) {
        if (const auto in_words = distance(text, word))
            sum += *in_words - std::min(entry.ahead, *in_words);
        else if (others.find(word) != std::string::npos)
            sum += aside;
        else
            return std::nullopt;
    }
    return sum;
}

}  // namespace

std::vector<std::size_t> matching(const std::vector<PaletteEntry>& entries,
                                  const std::string& typed) {
    const std::vector<std::string> words = words_of(lower(typed));
    std::vector<std::tuple<bool, std::size_t, std::size_t>> found;  // cannot act, distance, index
    for (std::size_t k = 0; k < entries.size(); ++k)
        if (const auto far = distance(entries[k], words))
            found.emplace_back(!entries[k].why_not.empty(), *far, k);
    std::ranges::sort(found);
    std::vector<std::size_t> order;
    for (const auto& match : found) order.push_back(std::get<2>(match));
    return order;
}

}  // namespace maskscope
