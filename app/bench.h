#pragma once
// The fork: which stages all lanes share, where the lanes part, and which operation stands on each
// connector. Result + View -> Bench, without a length or a colour in it.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/figure/cells.h"
#include "app/view.h"
#include "core/result.h"

namespace maskscope {

struct BenchStage {
    StageKind stage = StageKind::weights;
    SharedCells cells;
    Limits limits;
    ColourMap map = ColourMap::viridis;
    std::string title;      // "Into the softmax"
    std::string note;       // at the right of the title: "QKᵀ/√d", "click or drag"
    std::string operation;  // on the connector that leads to it: "+ M"; "" for none
    int column = 0;         // stages of one column stand under each other; weights share the last
};

struct RowSum {
    RowFigures figures;
    double tolerance = 1e-6;  // how near to 1 "is 1" means
    bool by_design = false;   // softmax_plus_one: a sum below 1 is calm
    bool zeroed = false;      // an empty row that the policy set to 0
};

struct Lane {
    int variant = 0;
    std::string name;
    std::vector<BenchStage> stages;  // its mask first, where the lanes' layers differ
    std::vector<RowSum> sums;        // of the weights; empty where weights are not there
};

// One sequence and one head.
struct BenchBlock {
    Index b = 0, h = 0;
    std::string title;  // "" for a single block, else "sequence 2 · head 1"
    std::vector<std::string> queries, keys;
    double query_ems = 0, key_ems = 0;  // widths of the longest of them, in heights of the type
    std::vector<BenchStage> shared;
    std::optional<BenchStage> mask;  // where all lanes have equal layers
    std::vector<Lane> lanes;
};

// Where the cells of each variant's stages are told from.
using Sources = std::map<std::pair<int, StageKind>, SharedSource>;

struct Bench {
    std::string title;
    std::vector<BenchBlock> blocks;
    int columns = 0;
    std::uint8_t signs = 0;     // every sign that occurs in a cell of it, for the legend
    bool loses_weight = false;  // a row sums to less than 1, and not by design
    Sources sources;            // for the next bench
};

// before: a bench whose cells may be taken over; empty is always right.
Bench make_bench(const Result& result, const View& view, const Sources& before = {});

// One stage of each lane of the view, side by side and nothing else (export --stage, --variant, …).
// A lane without this stage is left out.
Bench single_heatmaps(const Result& result, const View& view, StageKind stage);

// May the mask of this scene be edited, and is it one for all lanes?
bool layers_are_shared(const Scene& scene, const std::vector<int>& lanes);

}  // namespace maskscope
