#pragma once
// Makes the plan for opening a dump: what will be opened, and what is still missing, from the dump
// and the user's choices.

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "core/dump/dump.h"
#include "core/dump/token_text.h"
#include "core/scene/scene.h"

namespace maskscope {

// The user's choices; nullopt or "" where the user has chosen nothing, so that the file decides.
struct DumpChoice {
    std::string group{};           // "layer 3"
    std::optional<Index> layer{};  // the index on an axis of layers, or the number of a group
    std::optional<Index>
        sequence{};  // the sequence of a batch; nullopt = all, or the first of many
    std::map<std::string, TensorRole> roles{};  // by kind, so that they hold in every layer
    std::optional<TensorRole> opens{};          // queries (with keys), scores or weights
    std::string axes{};                         // "bhnd", "bnhd", "hnd", "nhd" or "bnd"
    std::string mask{};  // the name of a tensor, after ~ if true blocks; "causal" or "none"
    std::optional<bool> true_blocks{};  // whether true blocks, in a Boolean mask
    std::optional<Scale> scale{};
    std::optional<TokenLists> tokens{};
};

inline constexpr Index most_sequences = 8;  // the most that are opened together

struct DumpPlan {
    std::vector<std::string> groups{};  // to choose from; groups with something to open come first
    std::string group{};
    std::vector<const DumpTensor*> shown{};  // the group's tensors, and those without a group
    std::array<const DumpTensor*, tensor_role_count> with_role{};  // the used ones; see of()
    std::vector<TensorRole> ways{};     // the inputs that can be opened; see `opens`
    TensorRole way = TensorRole::none;  // the chosen one
    Index layers = 1, sequences = 1;
    Index layer = 0;                  // below `layers`
    std::optional<Index> sequence{};  // below `sequences`; nullopt = all

    bool asks_axes = false;  // true if the file does not say which of axes_ways
    // {"bhnd", "bnhd"} or {"hnd", "nhd", "bnd"}; {"hnd", "bnd"} for scores and weights, whose first
    // axis may be heads, or sequences with one head each
    std::vector<std::string> axes_ways{};
    bool positions_first = false;
    Index merged_heads = 0;  // heads of queries [b, n, h·d]; 0 = heads have an axis
    bool averaged = false;   // weights or scores [b, n_q, n_k]: one head, or the mean
    TensorRole mask_from = TensorRole::none;  // mask, or scores, weights or bias that show one
    bool causal = false;                      // true if the user chose causal
    bool asks_truth = false;                  // true if the mask does not say what true means
    std::optional<bool> true_blocks{};
    std::vector<Index> mask_axes{};  // [b, h, rows, columns] of one layer, see dump_mask.h
    bool asks_scale = false;
    bool scale_in_file = false;
    std::optional<Scale> scale{};
    Variant variant{};  // with the softmax settings that the metadata give

    Shape shape{};        // the shape of the scene
    Index key_heads = 1;  // if fewer than shape.h, each is repeated
    std::optional<Index> d_k{}, d_v{};
    std::vector<Sequence> tokens{};  // [b]
    bool has_tokens = false;         // if false, tokens are 0, 1, 2 …
    std::string pad_token = "<pad>";

    std::string opens{};               // in words: "Queries and keys of layer 3: 12 heads, …"
    std::string missing{};             // the next thing to do before opening; "" = nothing
    std::string settled_by{};          // the command options that do it
    std::vector<std::string> notes{};  // sentences that the user should read

    const DumpTensor* of(TensorRole role) const {
        return with_role[static_cast<std::size_t>(role)];
    }
    bool gives(TensorRole role) const { return of(role) != nullptr; }
};

// Makes the plan. Reads at most a few rows of tensors. The dump must outlive the plan.
DumpPlan plan_of(const Dump& dump, const DumpChoice& choice);

// Returns the role of a tensor: as chosen, else as guessed.
TensorRole role_of(const DumpChoice& choice, const DumpTensor& tensor);
// Gives the tensor this role, in every layer; another tensor with the role loses it.
void choose_role(DumpChoice& choice, const DumpPlan& plan, const DumpTensor& tensor,
                 TensorRole role);

// Parses a scale from a file or the user; nullopt if it is not a finite number.
std::optional<double> factor_in(std::string_view text);

// Reads the tokens of each sequence from the text of a file that the user chose. For a
// tokenizer.json, the dump must hold token ids. Throws InputError with an empty place.
TokenLists tokens_for(const Dump& dump, const DumpPlan& plan, std::string_view text);

// Returns the roles whose numbers become inputs of the scene.
std::vector<TensorRole> opened_roles(const DumpPlan& plan);

// True if the first axis of this role's tensor is that of sequences, and there is no axis of heads.
bool is_averaged(const DumpPlan& plan, TensorRole role);

// Returns which part of this role's tensor the plan reads, as indices on its leading axes: the
// layer and the sequence, if the tensor has such axes and one entry of them is opened.
std::vector<Index> part_of(const DumpPlan& plan, TensorRole role);

}  // namespace maskscope
