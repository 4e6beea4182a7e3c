#pragma once
// Shared by the files that implement plan_of(). Functions that return a string return a question to
// the user, or a problem; "" if there is none. (mask_options() and words_of() return other words.)

#include <fmt/format.h>

#include "core/base/number_text.h"
#include "core/dump/plan.h"

namespace maskscope {

inline std::string counted(Index count, const std::string& one, const std::string& many) {
    return fmt::format("{} {}", count, count == 1 ? one : many);
}

// --- which tensors

// Returns the group that a number means: by its own number, or if two share a number, by its index.
std::optional<std::string> group_of(const std::vector<std::string>& groups, Index number);
void choose_tensors(const Dump& dump, const DumpChoice& choice, DumpPlan& plan);
void choose_way(const Dump& dump, const DumpChoice& choice, DumpPlan& plan);
std::string no_way(const Dump& dump, const DumpPlan& plan);

// --- axes

struct FourAxes {
    Index b = 1, h = 1, rows = 1, columns = 1;
};
FourAxes four_axes(const DumpPlan& plan, TensorRole role);
std::optional<Index> layers_in(const ListedTensor& tensor);
bool names(const DumpTensor& tensor, std::string_view part);  // true if its name has this part

// Returns the text of "scale", or of "layer.3.scale" if that is for this layer; nullptr if there is
// none.
const std::string* text_of(const Dump& dump, const DumpPlan& plan, const std::string& what);
std::string problem_of_axes(const DumpPlan& plan);
std::string settle_axes(const Dump& dump, const DumpChoice& choice, DumpPlan& plan);
std::string settle_shape(DumpPlan& plan);
std::string problem_of_size(const DumpPlan& plan);

// --- mask

std::string settle_mask(const DumpChoice& choice, DumpPlan& plan);
std::string mask_options(const DumpPlan& plan);  // the command options that choose a mask

// --- tokens

void settle_tokens(const Dump& dump, const DumpChoice& choice, DumpPlan& plan);

// --- words

std::string words_of(const DumpPlan& plan);
void note_what_is_lost(const DumpChoice& choice, DumpPlan& plan);

}  // namespace maskscope
