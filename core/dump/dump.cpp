#include "core/dump/dump.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/base/error.h"
#include "core/dump/dump_mask.h"

namespace maskscope {

namespace {

using Words = std::vector<std::string>;
using Numbers = ListedTensor::Numbers;

struct RoleName {
    TensorRole role;
    std::vector<std::string_view> words;
};

// Returns the words that names end with, and their roles; the longest match counts.
const std::vector<RoleName>& role_names() {
    static const std::vector<RoleName> names{
        {TensorRole::queries, {"q"}},
        {TensorRole::queries, {"rot", "q"}},
        {TensorRole::queries, {"query"}},
        {TensorRole::queries, {"queries"}},
        {TensorRole::queries, {"query", "states"}},
        {TensorRole::queries, {"query", "layer"}},
        {TensorRole::queries, {"q", "proj"}},
        {TensorRole::keys, {"k"}},
        {TensorRole::keys, {"rot", "k"}},
        {TensorRole::keys, {"key"}},
        {TensorRole::keys, {"keys"}},
        {TensorRole::keys, {"key", "states"}},
        {TensorRole::keys, {"key", "layer"}},
        {TensorRole::keys, {"k", "proj"}},
        {TensorRole::values, {"v"}},
        {TensorRole::values, {"value"}},
        {TensorRole::values, {"values"}},
        {TensorRole::values, {"value", "states"}},
        {TensorRole::values, {"value", "layer"}},
        {TensorRole::values, {"v", "proj"}},
        {TensorRole::scores, {"scores"}},
        {TensorRole::scores, {"qk"}},
        {TensorRole::scores, {"attn", "scores"}},
        {TensorRole::scores, {"attention", "scores"}},
        {TensorRole::scores, {"attn", "logits"}},
        {TensorRole::scores, {"attention", "logits"}},
        {TensorRole::weights, {"weights"}},
        {TensorRole::weights, {"attn", "weights"}},
        {TensorRole::weights, {"attn", "output", "weights"}},
        {TensorRole::weights, {"attention", "weights"}},
        {TensorRole::weights, {"pattern"}},
        {TensorRole::weights, {"attention", "pattern"}},
        {TensorRole::weights, {"probs"}},
        {TensorRole::weights, {"attn", "probs"}},
        {TensorRole::weights, {"attention", "probs"}},
        {TensorRole::weights, {"attentions"}},
        {TensorRole::weights, {"attention"}},
        {TensorRole::weights, {"attn"}},
        {TensorRole::mask, {"mask"}},
        {TensorRole::mask, {"causal"}},
        {TensorRole::mask, {"attn", "mask"}},
        {TensorRole::mask, {"attention", "mask"}},
        {TensorRole::mask, {"causal", "mask"}},
        {TensorRole::mask, {"padding", "mask"}},
        {TensorRole::mask, {"key", "padding", "mask"}},
        {TensorRole::mask, {"src", "mask"}},
        {TensorRole::mask, {"tgt", "mask"}},
        {TensorRole::mask, {"attn", "bias"}},       // GPT-2's name for its causal mask
        {TensorRole::mask, {"attention", "bias"}},  // and GPT-NeoX's
        {TensorRole::ids, {"ids"}},
        {TensorRole::ids, {"input", "ids"}},
        {TensorRole::ids, {"token", "ids"}},
        {TensorRole::ids, {"tokens"}},
        {TensorRole::bias, {"alibi"}},
        {TensorRole::bias, {"alibi", "slopes"}},
        {TensorRole::bias, {"position", "bias"}},
        {TensorRole::bias, {"relative", "attention", "bias"}},
        {TensorRole::sinks, {"sinks"}},
        {TensorRole::documents, {"cu", "seqlens"}},
        {TensorRole::documents, {"cu", "seqlens", "q"}},
        {TensorRole::documents, {"cu", "seq", "lens", "q"}},
        {TensorRole::key_documents, {"cu", "seqlens", "k"}},
        {TensorRole::key_documents, {"cu", "seq", "lens", "k"}}};
    return names;
}

bool is_number(const std::string& word) { return word.front() >= '0' && word.front() <= '9'; }

bool is_part_of_layer(const std::string& word) {
    constexpr std::array<std::string_view, 7> words{"layer", "layers", "block", "blocks",
                                                    "l",     "h",      "head"};
    return is_number(word) || std::ranges::find(words, word) != words.end();
}

// True for words that say that a tensor belongs to attention, but not which part it is.
bool is_filler(const std::string& word) {
    constexpr std::array<std::string_view, 6> words{"attn", "attention",     "self",
                                                    "hook", "selfattention", "selfattn"};
    return std::ranges::find(words, word) != words.end();
}

std::string joined(const Words& words) { return fmt::format("{}", fmt::join(words, " ")); }

// Returns the name with every number replaced by #.
std::string kind_of(std::string_view name) {
    std::string kind;
    for (const char c : name) {
        const bool digit = c >= '0' && c <= '9';
        if (!digit)
            kind += c;
        else if (!kind.ends_with('#'))
            kind += '#';
    }
    return kind;
}

// Returns the words up to and including the first number: "layer 3"; "" if there is no number.
std::string numbered_part(const Words& words) {
    const auto number = std::ranges::find_if(words, is_number);
    return number == words.end() ? "" : joined({words.begin(), number + 1});
}

// Compares numbers by size: layer 2 comes before layer 10.
bool comes_before(const Words& x, const Words& y) {
    return std::ranges::lexicographical_compare(x, y, [](const auto& p, const auto& q) {
        if (is_number(p) && is_number(q) && p.size() != q.size()) return p.size() < q.size();
        return p < q;
    });
}

bool ends_square(const std::vector<Index>& axes) {
    return axes.size() >= 2 && axes.back() == axes[axes.size() - 2];
}

// True if a tensor can be what its name says.
bool can_be(TensorRole role, const ListedTensor& tensor, const Words& words) {
    const std::size_t axes = tensor.axes.size();
    switch (role) {
        case TensorRole::none:
            return true;
        case TensorRole::mask:
            if (words.back() == "bias") return axes == 4 && ends_square(tensor.axes);
            return tensor.numbers != Numbers::other && axes >= 1 && axes <= 5;
        case TensorRole::ids:
            return tensor.numbers == Numbers::integers && axes >= 1 && axes <= 2;
        case TensorRole::documents:
        case TensorRole::key_documents:
            return tensor.numbers == Numbers::integers && axes == 1 && tensor.axes[0] > 1;
        case TensorRole::sinks:
            return tensor.numbers == Numbers::floats && axes == 1;
        case TensorRole::bias:
            if (words.back() == "slopes") return tensor.numbers == Numbers::floats && axes == 1;
            return tensor.numbers == Numbers::floats && axes >= 2 && axes <= 5;
        case TensorRole::weights:
            if (is_filler(words.back()) && !ends_square(tensor.axes)) return false;
            [[fallthrough]];
        default:
            return tensor.numbers == Numbers::floats && axes >= 2 && axes <= 5;
    }
}

// --- by numbers

// Calls take(numbers) for the first and the last row.
template <class Take>
void each_end(const ListedTensor& tensor, const Take& take) {
    for (const bool last : {false, true}) {
        std::vector<Index> at;
        for (std::size_t k = 0; k + 1 < tensor.axes.size(); ++k)
            at.push_back(last ? tensor.axes[k] - 1 : 0);
        take(read_part(tensor, at).values->view());
    }
}

// True if the first and the last row look like the output of a softmax.
bool rows_sum_to_one(const ListedTensor& tensor) {
    bool are_weights = true;
    each_end(tensor, [&](const auto& numbers) {
        const double sum = std::accumulate(numbers.begin(), numbers.end(), 0.0);
        are_weights = are_weights && std::abs(sum - 1) < 0.02 &&
                      std::ranges::all_of(numbers, [](double x) { return x >= 0 && x <= 1.01; });
    });
    return are_weights;
}

// True if the first and the last row hold only 0 and −∞ (or −1e4 or less), or only 0 and 1; the
// number other than 0 must occur.
bool is_mask(const ListedTensor& tensor) {
    bool blocks = false, ones = false, others = false;
    each_end(tensor, [&](const auto& numbers) {
        for (const double x : numbers) {
            blocks = blocks || x <= blocking;
            ones = ones || x == 1;
            others = others || (x != 0 && x != 1 && !(x <= blocking));
        }
    });
    return !others && blocks != ones;
}

TensorRole role_by_numbers(const ListedTensor& tensor) {
    constexpr double most = 1 << 24;  // numbers: a compressed file must be read from its start
    const std::vector<Index>& axes = tensor.axes;
    double count = 1;
    for (const Index axis : axes) count *= static_cast<double>(axis);
    if (axes.empty() || axes.size() > 5 || count == 0) return TensorRole::none;
    if (tensor.numbers == Numbers::truths) return TensorRole::mask;
    if (tensor.numbers == Numbers::other || count > most) return TensorRole::none;
    try {
        if (tensor.numbers == Numbers::floats && axes.size() > 1 && rows_sum_to_one(tensor))
            return TensorRole::weights;
        if (is_mask(tensor)) return TensorRole::mask;
    } catch (const Error&) {  // broken numbers are reported when they are opened
    }
    const bool may_be_scores = tensor.numbers == Numbers::floats && axes.size() >= 3;
    return may_be_scores && ends_square(axes) && axes.back() > 1 ? TensorRole::scores
                                                                 : TensorRole::none;
}

void guess_by_numbers(Dump& dump) {
    constexpr std::size_t most_tensors = 64;
    if (dump.tensors.size() > most_tensors) return;
    const auto is_given = [](const DumpTensor& t) {
        return t.guess != TensorRole::none && t.guess != TensorRole::mask &&
               t.guess != TensorRole::ids;
    };
    if (std::ranges::any_of(dump.tensors, is_given)) return;
    for (DumpTensor& tensor : dump.tensors) {
        const Words words = words_of_name(tensor.tensor.name);
        const bool parameter =
            !words.empty() && (words.back() == "weight" || words.back() == "bias");
        if (tensor.guess == TensorRole::none && !parameter)
            tensor.guess = role_by_numbers(tensor.tensor);
    }
}

bool goes_with(const DumpTensor& tensor, const DumpTensor& other) {
    return tensor.group.empty() || other.group.empty() || tensor.group == other.group;
}

// True if the tensor's last axes may be those of a mask over these keys.
bool fits_keys(const ListedTensor& tensor, const ListedTensor& keys) {
    const auto tokens = keys.axes.end() - std::min<std::ptrdiff_t>(std::ssize(keys.axes), 3);
    return tensor.axes.size() >= 2 && tensor.axes.back() > 1 &&
           std::find(tokens, keys.axes.end() - 1, tensor.axes.back()) != keys.axes.end() - 1;
}

// Recognizes masks by their numbers, if no name tells a mask, and nothing else in the file shows
// what is blocked.
void guess_masks(Dump& dump) {
    constexpr std::size_t most_tensors = 64;
    if (dump.tensors.size() > most_tensors) return;
    const auto is_shown = [&](const DumpTensor& by) {
        return std::ranges::any_of(dump.tensors, [&](const DumpTensor& tensor) {
            const TensorRole role = tensor.guess;
            return goes_with(tensor, by) &&
                   (role == TensorRole::mask || role == TensorRole::scores ||
                    role == TensorRole::weights || role == TensorRole::bias);
        });
    };
    for (const DumpTensor& keys : dump.tensors) {
        if (keys.guess != TensorRole::keys || is_shown(keys)) continue;
        for (DumpTensor& tensor : dump.tensors)
            if (tensor.guess == TensorRole::none && goes_with(tensor, keys) &&
                tensor.tensor.numbers != Numbers::integers &&
                fits_keys(tensor.tensor, keys.tensor) &&
                role_by_numbers(tensor.tensor) == TensorRole::mask)
                tensor.guess = TensorRole::mask;
    }
}

// Leaves each guessed role to only one tensor of a group. Prefers queries and keys from after the
// rotation; lets a projection, which comes before it, have the role only if nothing else does. If
// a file contains only masks, all keep their role, for the user to choose.
void keep_one_of_each(Dump& dump) {
    const auto is_of_mask = [](const DumpTensor& tensor) {
        return tensor.guess == TensorRole::mask || tensor.guess == TensorRole::ids;
    };
    if (std::ranges::all_of(dump.tensors, is_of_mask)) return;
    const auto rank = [](const DumpTensor& tensor) {
        const Words words = words_of_name(tensor.tensor.name);
        return std::ranges::count(words, "rot") > 0    ? 2
               : std::ranges::count(words, "proj") > 0 ? 0
                                                       : 1;
    };
    std::map<std::pair<std::string, TensorRole>, DumpTensor*> kept;
    for (DumpTensor& tensor : dump.tensors) {
        if (tensor.guess == TensorRole::none) continue;
        DumpTensor*& one = kept[{tensor.group, tensor.guess}];
        if (one != nullptr && rank(*one) >= rank(tensor)) {
            tensor.guess = TensorRole::none;
            continue;
        }
        if (one != nullptr) one->guess = TensorRole::none;
        one = &tensor;
    }
}

// Removes all groups if each holds a single tensor without a role, as in arr_0, arr_1: such numbers
// do not count layers.
void ungroup_single_tensors(Dump& dump) {
    std::map<std::string, int> sizes;
    for (const DumpTensor& tensor : dump.tensors) ++sizes[tensor.group];
    const auto is_alone = [&](const DumpTensor& tensor) {
        return tensor.group.empty() ||
               (sizes[tensor.group] == 1 && tensor.guess == TensorRole::none);
    };
    if (!std::ranges::all_of(dump.tensors, is_alone)) return;
    for (DumpTensor& tensor : dump.tensors) {
        tensor.group.clear();
        tensor.kind = tensor.tensor.name;
    }
}

std::vector<DumpTensor> dump_tensors(std::vector<ListedTensor> listed) {
    std::vector<std::pair<Words, ListedTensor>> by_words;
    for (ListedTensor& tensor : listed) {
        Words words = words_of_name(tensor.name);
        by_words.emplace_back(std::move(words), std::move(tensor));
    }
    std::ranges::stable_sort(by_words, comes_before, &std::pair<Words, ListedTensor>::first);
    std::vector<DumpTensor> tensors;
    for (auto& [words, tensor] : by_words) {
        NameMeaning meaning = meaning_of(tensor.name);
        if (!can_be(meaning.role, tensor, words))
            meaning = {TensorRole::none, numbered_part(words)};
        std::string kind = kind_of(tensor.name);
        tensors.push_back(
            {std::move(tensor), meaning.role, std::move(meaning.group), std::move(kind)});
    }
    return tensors;
}

}  // namespace

std::string_view label(TensorRole role) {
    constexpr std::array<std::string_view, tensor_role_count> words{
        "—",    "Queries",   "Keys", "Values", "Scores",    "Weights",
        "Mask", "Token ids", "Bias", "Sinks",  "Documents", "Key documents"};
    return words[static_cast<std::size_t>(role)];
}

std::vector<std::string> words_of_name(std::string_view name) {
    Words words;
    char before = '.';
    for (char c : name) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
        const bool digit = c >= '0' && c <= '9', letter = (c >= 'a' && c <= 'z') || c < 0;
        const bool was_digit = before >= '0' && before <= '9';
        const bool was_letter = (before >= 'a' && before <= 'z') || before < 0;
        if (digit ? !was_digit : letter && !was_letter) words.emplace_back();
        if (digit || letter) words.back() += c;
        before = c;
    }
    return words;
}

NameMeaning meaning_of(std::string_view name) {
    Words words = words_of_name(name), numbers;
    while (!words.empty() && is_number(words.back())) {
        numbers.insert(numbers.begin(), words.back());
        words.pop_back();
    }
    const RoleName* found = nullptr;
    bool at_end = true;
    for (const RoleName& one : role_names()) {
        if (one.words.size() > words.size() || (found && found->words.size() >= one.words.size()))
            continue;
        const auto end = words.end() - std::ssize(one.words);
        if (std::equal(one.words.begin(), one.words.end(), end)) found = &one;
    }
    // Then look for names such as "q_layer_3", whose first word gives the role.
    for (const RoleName& one : role_names())
        if (found == nullptr && one.words.size() == 1 && words.size() > 1 &&
            words.front() == one.words.front() &&
            std::all_of(words.begin() + 1, words.end(), is_part_of_layer)) {
            found = &one;
            at_end = false;
        }
    if (found == nullptr) return {TensorRole::none, numbered_part(words_of_name(name))};
    const auto count = std::ssize(found->words);
    if (at_end)
        words.erase(words.end() - count, words.end());
    else
        words.erase(words.begin(), words.begin() + count);
    while (!words.empty() && is_filler(words.back())) words.pop_back();
    words.insert(words.end(), numbers.begin(), numbers.end());
    return {found->role, joined(words)};
}

Dump read_dump(const std::filesystem::path& file) {
    TensorList list = list_tensors(file);
    Dump dump{file, dump_tensors(std::move(list.tensors)), std::move(list.metadata)};
    if (dump.tensors.empty()) throw InputError("", "holds no tensors");
    guess_by_numbers(dump);
    ungroup_single_tensors(dump);
    guess_masks(dump);
    keep_one_of_each(dump);
    return dump;
}

}  // namespace maskscope
