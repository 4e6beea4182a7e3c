#pragma once
// Finds the fork: which stages all variants share, where the variants branch, and the operations of
// each connector. Result + View -> Bench, without lengths or colours.

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/show/cells/cells.h"
#include "app/show/cells/view.h"
#include "app/show/views/view_entry.h"
#include "core/result/result.h"

namespace maskscope {

// The tokens along a heatmap's rows and columns.

struct BenchTokens {
    std::vector<std::string> queries, keys;
    std::vector<double> query_ems, key_ems;  // their widths, in heights of the type
    // The word that each row of a translator's decoder reads; its row carries the word that it
    // predicts.
    std::vector<std::string> reads = {};
    std::vector<double> read_ems = {};
    bool said =
        false;  // the rows are labelled with what a model generated: hidden with its variant
    // Computed once for thousands of tokens, not by each caller. A query's label includes the word
    // that it reads.
    double longest_label = 0, longest_key = 0;  // in heights of the type
    bool keys_are_said() const { return said && keys == reads; }
    bool operator==(const BenchTokens&) const = default;
};

using SharedTokens = std::shared_ptr<const BenchTokens>;  // not null

// The tokens that a bench needed, kept for itself and the next one.
class KnownTokens {
public:
    // Returns tokens. before: from the previous bench. Tokens of equal text are the same object.
    SharedTokens of(const VariantResult& result, Index b, const KnownTokens& before);

private:
    struct Known {
        TokenLabels queries, keys;
        Index b = 0;
        SharedTokens tokens;
    };
    std::vector<Known> known_;
};

// Sets longest_label and longest_key.
void find_longest(BenchTokens& tokens);

// The marks beside a mask.
struct MaskMarks {
    std::vector<Index> groups;    // [n_k]: the number of each token's group or document, -1 = none
    std::string group = "group";  // what one of them is called: "document"
    std::vector<Index> parents;   // [n_k]: each token's parent in its tree, -1 = a root
    Index start = 0;              // the position of the first query
    std::optional<Index> focus;   // the query whose path in the tree is highlighted, if the pointer
                                  // is at none
};

struct BenchStage {
    StageKind stage = StageKind::weights;
    SharedCells cells;
    Limits limits;
    ColourMap map = ColourMap::viridis;
    std::string title;  // "Softmax input"
    std::string note;   // to the right of the title: "QKᵀ/√d", "click or drag"
    std::vector<std::string> operations;  // on the connector that leads to it: "+ M"
    int column = 0;       // column of the table; the weights of all variants share one
    SharedTokens tokens;  // null if they are the block's
    std::shared_ptr<const MaskMarks> marks;  // for a mask, if it has any
    int lane = shared_lane;  // for Q, K and V which of them it is: queries_lane, …
    std::string colours;     // named beside its colours; "" = the title
    bool hidden = false;     // a step asks about it
};

struct RowSum {
    RowFigures figures;
    double tolerance = 1e-6;  // how near to 1 counts as 1
    bool by_design = false;   // a sink takes part of the weight: a sum below 1 is not a warning
    bool by_cell = false;     // sigmoid: a sum above 1 is not a warning either
    std::optional<double> sink{};  // the weight of the sink, if nothing else leaves the row
    bool zeroed = false;           // an empty row that the policy set to 0
};

// The sums of a variant's weights; empty without weights.
struct RowSums {
    std::vector<RowSum> rows;
    // True if any row has one, computed once for thousands of rows; off: its sum is not 1, and no
    // warning.
    bool has_sinks = false, has_zeroed = false, is_off_by_design = false;
    bool loses_weight = false;  // a row sums to less than 1, and not by design
};

struct BenchLane {
    int variant = 0;                       // or difference_lane
    std::string name, changes;             // the changes follow the name: see View
    std::optional<Difference> difference;  // its letters precede the name
    std::optional<Index> head;             // nullopt if it is the block's
    std::vector<BenchStage> stages;        // its mask first, if the variants' rules differ
    RowSums sums;
    std::vector<int> letters() const;  // before its name: its variant, or both of a difference
    bool is_compared() const { return variant < 0; }  // one variant, or head, minus another
    bool hides_words = false;  // a step asks: the words that it wrote itself are hidden, too
};

// One sequence and one head.
struct BenchBlock {
    Index b = 0, h = 0;
    std::string title;  // "" for a single block, else "sentence 2 · head 1"
    SharedTokens tokens;
    // The weights of the layers that the inputs come from: of the queries' layer, and of the keys'
    // if they have their own.
    std::vector<BenchStage> earlier;
    std::vector<BenchStage> tensors;  // Q, K and V if unfolded, as far as they exist
    std::vector<BenchStage> shared;
    std::string
        source;  // "QKᵀ": what the variants have in common, if none of their stages shows it
    std::optional<BenchStage> mask;  // if all variants have equal rules
    std::vector<BenchLane> lanes;
};

// The sources of the cells of each variant's stages and of Q, K and V.
using Sources = std::map<std::pair<int, StageKind>, SharedSource>;

// True if this is the softmax, and the weights are the same numbers in the same place.
bool is_drawn_as_weights(const VariantResult& lane, StageKind stage);

// Returns why there is nothing to unfold, as a sentence.
std::optional<std::string> why_no_tensors(const Scene& scene);

// One variant in the view of heads: a small heatmap for each head.
struct SmallHead {
    Index h = 0;
    std::optional<Index> keys{};  // the KV head that it shares with others
    std::string title;            // "head 3 · previous"
    BenchStage stage;
};
struct LaneOfHeads {
    int variant = 0;
    std::string name, changes;
    std::vector<SmallHead> heads;
};

// One sequence of the batch next to the pipeline: small weights and their row sums, variant by
// variant.
struct BatchRow {
    Index b = 0;
    Index queries = 0, keys = 0;   // without the padding at the end
    std::vector<BenchLane> lanes;  // no stage if the batch is too large for small heatmaps
};

struct Bench {
    std::string title;
    std::vector<BenchBlock> blocks;
    std::vector<LaneOfHeads> heads;  // if the view shows them all; else empty
    std::vector<BatchRow> batch;     // if View::batch asks for it; else empty
    int columns = 0;
    std::uint8_t signs = 0;     // every sign that occurs in its cells, for the legend
    bool loses_weight = false;  // in any variant of its blocks
    Sources sources;            // these two are for the next bench
    KnownTokens tokens;
    std::uint64_t made = 0;  // a different number for each bench that make_bench made
    ViewData views;          // what is shown instead of the blocks; make_bench leaves it empty
};

// Makes a bench. before, tokens: from a bench whose cells and tokens may be reused; may be empty.
Bench make_bench(const Result& result, const View& view, const Sources& before = {},
                 const KnownTokens& tokens = {});

// Makes one stage of each variant of the view, side by side and nothing else (export --stage,
// --variant, …). A variant without this stage is left out.
Bench single_heatmaps(const Result& result, const View& view, StageKind stage,
                      const Sources& before = {});

// True if all variants of the view have the same mask rules.
bool layers_are_shared(const Scene& scene, const std::vector<int>& lanes);

// Returns the two variants of view.show.difference, if both exist.
std::optional<Difference> shown_difference(const View& view, const Scene& scene);
void show_only(Show& show, std::vector<int> lanes);  // these variants, without a difference

// Returns "head 3 · previous": counted from 1, with the pattern's name if the inputs are patterns,
// and with the rules of these variants that not all heads have; if only these distinguish the
// heads, only with them.
std::string head_title(const Scene& scene, Index h, const std::vector<int>& lanes);

// Returns the heads that a figure of this view draws: in the view of heads all of them, or those
// that the scene lists; else those that the view shows.
std::vector<Index> drawn_heads(const Scene& scene, const View& view, const Shape& shape);

// Returns the KV head of query head h, if several share it.
std::optional<Index> shared_keys(const Inputs& inputs, Index h);

// Returns the stage in the view of heads: the last shown stage before the output that has heads;
// else the weights.
StageKind stage_of_heads(const Result& result, const View& view);

// True for sensitivity and depends, which are not between the scores and the output: no connector
// leads to them.
inline bool is_aside(StageKind stage) { return stage >= StageKind::sensitivity; }

// True if its variants are side by side: each has one stage, and only the mask is shared.
bool is_side_by_side(const BenchBlock& block);

// Calls visit(stage) for every heatmap of a bench.
template <class B, class Visit>
void each_stage(B& bench, const Visit& visit) {
    const auto lanes = [&](auto& all) {
        for (auto& lane : all)
            for (auto& stage : lane.stages) visit(stage);
    };
    for (auto& block : bench.blocks) {
        for (auto& stage : block.earlier) visit(stage);
        for (auto& stage : block.tensors) visit(stage);
        for (auto& stage : block.shared) visit(stage);
        if (block.mask) visit(*block.mask);
        lanes(block.lanes);
    }
    for (auto& lane : bench.heads)
        for (auto& head : lane.heads) visit(head.stage);
    for (auto& row : bench.batch) lanes(row.lanes);
}

// The limit of a live page, of which every cell is an element. app/export refuses more, and app/web
// refuses an edit that would make more.
inline constexpr Index most_page_tokens = 64;

}  // namespace maskscope
