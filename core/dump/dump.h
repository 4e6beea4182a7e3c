#pragma once
// A file of tensors recorded from a model, and which of them are queries, keys, values, scores,
// weights and masks, according to their names and shapes.

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/tensors/tensor_list.h"

namespace maskscope {

enum class TensorRole {
    none,
    queries,
    keys,
    values,
    scores,
    weights,
    mask,
    ids,
    bias,          // added to the scores
    sinks,         // one for each head
    documents,     // where each begins, and the end of the last: [0, 3, 5, 10]
    key_documents  // the same for the keys, if they are other tokens
};
inline constexpr std::size_t tensor_role_count = 12;
std::string_view label(TensorRole role);  // "Queries", …; "—" for none

struct DumpTensor {
    ListedTensor tensor;
    TensorRole guess = TensorRole::none;
    std::string
        group;         // "layer 3": tensors of one group are opened together; "" = with every group
    std::string kind;  // the name with its numbers as #: the same in every layer
};

struct Dump {
    std::filesystem::path file;
    std::vector<DumpTensor> tensors;  // layer 2 before layer 10
    std::map<std::string, std::string> metadata;
};

// Reads the headers, and the first and last row of tensors whose role their names do not tell.
// Throws InputError with an empty place.
Dump read_dump(const std::filesystem::path& file);

// The meaning of a name on its own: "blocks.3.attn.hook_q" -> queries of "blocks 3".
struct NameMeaning {
    TensorRole role = TensorRole::none;
    std::string group;
};
NameMeaning meaning_of(std::string_view name);

// Splits a name into words, in lower case: "blocks.3.attn.hook_q" -> blocks 3 attn hook q.
std::vector<std::string> words_of_name(std::string_view name);

}  // namespace maskscope
