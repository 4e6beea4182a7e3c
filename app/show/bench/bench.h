#pragma once
// The fork: which stages all lanes share, where the lanes part, and the operations of each
// connector. Result + View -> Bench, without lengths or colours.

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/show/bench/bench_tokens.h"
#include "app/show/cells/cells.h"
#include "app/show/cells/view.h"
#include "app/show/views/view_entry.h"
#include "core/result/result.h"

namespace maskscope {

// The marks beside a mask.
struct MaskMarks {
    std::vector<Index> groups;   // [n_k]: the number of each token's group or document, -1 = none
    std::vector<Index> parents;  // [n_k]: of its tree, -1 = a root
    Index start = 0;             // the position of the first query
    std::optional<Index> focus;  // the query whose path in the tree is lit, if none is pointed at
};

struct BenchStage {
    StageKind stage = StageKind::weights;
    SharedCells cells;
    Limits limits;
    ColourMap map = ColourMap::viridis;
    std::string title;  // "Into the softmax"
    std::string note;   // at the right of the title: "QKᵀ/√d", "click or drag"
    std::vector<std::string> operations;  // on the connector that leads to it: "+ M"
    int column = 0;                       // column of the table; the weights of all lanes share one
    SharedTokens tokens;                  // if they differ from the block's, else null
    std::shared_ptr<const MaskMarks> marks;  // of a mask, if it has any
    int lane = shared_lane;                  // of Q, K and V which of them it is: queries_lane, …
};

struct RowSum {
    RowFigures figures;
    double tolerance = 1e-6;  // how near to 1 "is 1" means
    bool by_design = false;   // a sink takes part of the weight: a sum below 1 is not a warning
    bool by_cell = false;     // sigmoid: so is a sum above 1
    std::optional<double> sink{};  // what that key took, where nothing else leaves the row
    bool zeroed = false;           // an empty row that the policy set to 0
};

// The sums of a lane's weights; empty without weights.
struct RowSums {
    std::vector<RowSum> rows;
    // Whether any row has one, found once for thousands of them; off: its sum is not 1, and calm.
    bool has_sinks = false, has_zeroed = false, is_off_by_design = false;
    bool loses_weight = false;  // a row sums to less than 1, and not by design
};

struct BenchLane {
    int variant = 0;                       // or difference_lane
    std::string name, changes;             // the changes follow the name: see View
    std::optional<Difference> difference;  // its letters precede the name
    std::optional<Index> head;             // if it is not the block's
    std::vector<BenchStage> stages;        // its mask first, if the lanes' layers differ
    RowSums sums;
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
    std::string source;  // "QKᵀ": what the lanes have in common, if no stage of theirs shows it
    std::optional<BenchStage> mask;  // if all lanes have equal layers
    std::vector<BenchLane> lanes;
};

// The sources of the cells of each variant's stages and of Q, K and V.
using Sources = std::map<std::pair<int, StageKind>, SharedSource>;

// Whether this is the softmax, and the weights are the same numbers in the same place.
bool is_drawn_as_weights(const VariantResult& lane, StageKind stage);

// Why there is nothing to unfold, as a sentence.
std::optional<std::string> why_no_tensors(const Scene& scene);

// One lane in the view of heads: a small heatmap per head.
struct SmallHead {
    Index h = 0;
    std::optional<Index> keys{};  // the head of keys that it shares with others
    std::string title;            // "head 3 · previous"
    BenchStage stage;
};
struct LaneOfHeads {
    int variant = 0;
    std::string name, changes;
    std::vector<SmallHead> heads;
};

// One sequence of the batch next to the pipeline: small weights and their row sums, lane by lane.
struct BatchRow {
    Index b = 0;
    Index queries = 0, keys = 0;   // without the pads at the end
    std::vector<BenchLane> lanes;  // no stage if the batch is too large for small heatmaps
};

struct Bench {
    std::string title;
    std::vector<BenchBlock> blocks;
    std::vector<LaneOfHeads> heads;  // if the view shows them all; else empty
    std::vector<BatchRow> batch;     // if View::batch asks for it; else empty
    int columns = 0;
    std::uint8_t signs = 0;     // every sign that occurs in its cells, for the legend
    bool loses_weight = false;  // of any lane of its blocks
    Sources sources;            // these two for the next bench
    KnownTokens tokens;
    std::uint64_t made = 0;  // a different number for each bench that make_bench made
    ViewData views;          // what is shown instead of the blocks; make_bench leaves it empty
};

// before, tokens: of a bench whose cells and tokens may be reused; may be empty.
Bench make_bench(const Result& result, const View& view, const Sources& before = {},
                 const KnownTokens& tokens = {});

// One stage of each lane of the view, side by side and nothing else (export --stage, --variant, …).
// A lane without this stage is left out.
Bench single_heatmaps(const Result& result, const View& view, StageKind stage,
                      const Sources& before = {});

// Whether all lanes of the view have the same mask layers.
bool layers_are_shared(const Scene& scene, const std::vector<int>& lanes);

// The two lanes of view.show.difference, if both exist.
std::optional<Difference> shown_difference(const View& view, const Scene& scene);

// "head 3 · previous": counted from 1, with the pattern's name if the inputs are patterns, and with
// the layers of these lanes that not all heads have; if only these distinguish the heads, with them
// alone.
std::string head_title(const Scene& scene, Index h, const std::vector<int>& lanes);

// The heads that a figure of this view draws: in the view of heads all of them, or those that the
// scene lists; else those that the view shows.
std::vector<Index> drawn_heads(const Scene& scene, const View& view, const Shape& shape);

// The head of keys that head h of queries reads, if several read one.
std::optional<Index> shared_keys(const Inputs& inputs, Index h);

// The stage in the view of heads: the last shown stage before the output that has heads; else the
// weights.
StageKind stage_of_heads(const Result& result, const View& view);

// Sensitivity and depends are beside the way from the scores to the output: no connector leads to
// them.
inline bool is_aside(StageKind stage) { return stage >= StageKind::sensitivity; }

// Whether its lanes are side by side: each has one stage, and only the mask is shared.
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

}  // namespace maskscope
