#pragma once
// Shared by the files that implement make_bench.

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "app/show/bench/bench.h"
#include "app/show/cells/view.h"
#include "core/result/result.h"
#include "core/scene/scene.h"

namespace maskscope {

// A result with the view's choices.
struct BenchSource {
    const Result& result;
    std::vector<int> variants;
    std::vector<StageKind> stages;
    std::vector<Index> heads;  // the shown heads
    std::array<Limits, all_stage_count> limits;
    Colouring colouring;
    std::optional<Index> focus;        // the query of the focus cell
    std::vector<std::string> changes;  // [variant]: what the user has changed in it
    Sources before;                    // from the previous bench; their row summaries may be reused
    mutable Sources sources;           // created on first use
    KnownTokens tokens_before;         // from the previous bench
    mutable KnownTokens tokens;

    SharedSource source(int variant, StageKind stage) const;
    const VariantResult& of(int variant) const { return result.variants[variant]; }
    const Variant& variant(int index) const { return result.scene.variants[index]; }
    Shape shape() const { return of(variants.front()).shape; }
    SharedTokens tokens_of(const VariantResult& variant, Index b) const {
        return tokens.of(variant, b, tokens_before);
    }
    SharedTokens tokens_of(Index b) const { return tokens_of(of(variants.front()), b); }
};

BenchSource bench_source_of(const Result& result, const View& view, std::vector<StageKind> stages,
                            const Sources& before = {}, const KnownTokens& tokens = {});

// Returns one stage of one variant as a heatmap.
BenchStage drawn(const BenchSource& d, int variant, StageKind stage, Index b, Index h);

// Returns the note of a stage; if not all of it was computed, says how much was.
std::string noted(std::string note, const Cells& cells);

// Returns the marks of the mask of a variant; null if there is nothing to draw.
std::shared_ptr<const MaskMarks> marks_of(const BenchSource& d, int variant, Index b, Index h);

// Return the stages before the variants branch, and the stages of one variant after that. from: the
// shared stage, itself not drawn, at which the first operations of the variant begin.
std::vector<StageKind> shared_stages(const BenchSource& d);
std::vector<BenchStage> shared_of(const BenchSource& d, const std::vector<StageKind>& shared,
                                  Index b, Index h);
BenchVariant variant_of(const BenchSource& d, int variant, const std::vector<StageKind>& shared,
                        bool own_mask, Index b, Index h, std::optional<StageKind> from = {});
RowSums sums_of(const BenchSource& d, int index, Index b, Index h);

// True if two stages hold the same numbers. Does not read rows that are computed when they are
// read: such stages count as equal only if they share their numbers.
bool have_same_numbers(const VariantResult& x, StageKind of_x, const VariantResult& y,
                       StageKind of_y);
// True if rows and columns have the same names in all variants. The variants of a model may
// generate different words.
bool variants_have_one_labelling(const BenchSource& d);

// Returns the weights of the earlier layers, for one sequence and head.
std::vector<BenchStage> earlier_of(const BenchSource& d, Index b, Index h);

// Adds Q, K and V of the block's sequence and head, and the operations that lead from them to what
// all variants share.
void add_tensors(const BenchSource& d, BenchBlock& block);

// Adds the difference that the view asks for, one variant minus another: for the stages from the
// softmax output on that both draw, otherwise for the weights.
void add_compared(const BenchSource& d, const View& view, BenchBlock& block);
// Returns the two heads that the user picked, counted from 0.
std::array<Index, 2> picked_heads(const View& view, const Shape& shape);
// Returns a block for each variant: two heads and their difference.
std::vector<BenchBlock> blocks_of_two_heads(const BenchSource& d, const View& view,
                                            StageKind stage);
// Gives all differences of a stage the same limits.
void give_compared_limits(const BenchSource& d, Bench& bench);

std::vector<HeadsOfVariant> heads_of_variants(const BenchSource& d, const View& view,
                                              StageKind stage);
std::vector<BatchRow> rows_of_batch(const BenchSource& d, Index h);

// Assigns the columns: earlier layers; Q, K and V; the shared stages; the variants' stages before
// the weights, in the order of the longest connector; the weights, one below the other; then
// output, sensitivity and influence.
void give_columns(BenchBlock& block, Bench& bench);

// Marks what the view hides, and removes from the legend what would give it away.
void hide_covered(Bench& bench, const View& view);

// Differences of rows that are computed when they are read.

// The two sides of a comparison: two variants, or two heads of one.
struct ComparedRows {
    Difference pair;                            // equal if heads are compared
    std::optional<std::array<Index, 2>> heads;  // heads that are compared: first minus second
    bool operator==(const ComparedRows&) const = default;
    // Returns the key in Sources. For heads, each variant has its own key, which is not the index
    // of a variant.
    int key() const { return heads ? foreign_variant - 1 - pair.variant : difference_variant; }
};

// Returns the differences that a view draws between variants, or two heads of one, whose rows are
// computed when they are read.
std::vector<ComparedRows> differences_of(const Result& result, const View& view);

std::shared_ptr<const ComputedRows> rows_of(const Result& result, const ComparedRows& compared);

// Returns the differences as a variant with the stages that both sides have with equally many heads
// and columns; between variants, from the softmax output on. The numbers are float64, of one head
// if heads are compared, without a mask or padding. Both sides must be variants whose rows are
// computed when they are read.
VariantResult compared_rows(const Result& result, const ComparedRows& compared);

// True if both are the same object, or differences of the same rows.
bool is_same_rows(const ComputedRows& x, const ComputedRows& y);

// --- the words on connectors between stages: "× 1/√d", "+ M", "softmax", "× m", "÷ Σ"

// Returns the operations that lead a variant from one stage to a later one, in order.
std::vector<std::string> operations_between(const Inputs& inputs, const Variant& variant,
                                            StageKind from, StageKind to);

// Returns all operations from the mask to a later stage: "S + M", "softmax"; none if the mask does
// not act before that stage.
std::vector<std::string> operations_with_mask(const Inputs& inputs, const Variant& variant,
                                              StageKind to);

// Returns the short formula to the right of a stage's title: "QKᵀ", "QKᵀ/√d"; "" if it has none.
std::string stage_note(const Scene& scene, const Variant& variant, StageKind stage);

}  // namespace maskscope
