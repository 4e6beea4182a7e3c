#pragma once
// Turns Result + View into a Bench, without lengths or colours. Finds the fork: which stages all
// variants share, where the variants branch, and the operations of each connector.

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
    std::vector<double> query_ems, key_ems;  // the widths of the tokens, × the type size
    // The word that each row of a translator's decoder reads; the row's label is the word that it
    // predicts.
    std::vector<std::string> reads = {};
    std::vector<double> read_ems = {};
    // Rows are labelled with what a model generated, which is hidden with its variant.
    bool said = false;
    // The longest labels, computed once because there may be thousands of tokens. A query's label
    // includes the word that its row reads.
    double longest_label = 0, longest_key = 0;  // × the type size
    bool keys_are_said() const { return said && keys == reads; }
    bool operator==(const BenchTokens&) const = default;
};

using SharedTokens = std::shared_ptr<const BenchTokens>;  // not null

// The tokens that a bench needed, kept for this bench and the next.
class KnownTokens {
public:
    // Returns the tokens. before: from the previous bench. Equal tokens are returned as the same
    // object.
    SharedTokens of(const VariantResult& result, Index b, const KnownTokens& before);

private:
    struct Entry {
        TokenLabels queries, keys;
        Index b = 0;
        SharedTokens tokens;
    };
    std::vector<Entry> known_;
};

// Sets longest_label and longest_key.
void find_longest(BenchTokens& tokens);

// The marks beside a mask.
struct MaskMarks {
    std::vector<Index> groups;    // [n_k]: the number of each token's group or document, -1 = none
    std::string group = "group";  // what a group is called: "document"
    std::vector<Index> parents;   // [n_k]: index of each token's parent in its tree, -1 = a root
    Index start = 0;              // the position of the first query
    std::optional<Index> focus;   // the query whose path in the tree is highlighted if the pointer
                                  // is at no query
};

struct BenchStage {
    StageKind stage = StageKind::weights;
    SharedCells cells;
    Limits limits;
    ColourMap map = ColourMap::viridis;
    std::string title;  // such as "Softmax input"
    std::string note;   // to the right of the title: "QKᵀ/√d", "click or drag"
    std::vector<std::string> operations;  // such as "+ M", on the connector that leads to it
    int column = 0;       // column of the table; the weights of all variants share one
    SharedTokens tokens;  // null: the block's tokens
    std::shared_ptr<const MaskMarks> marks;  // the marks of a mask, or null
    int variant = shared_variant;  // for Q, K and V: which of them, such as queries_variant
    std::string colours;           // their name beside a colour bar; "" = the title
    bool hidden = false;           // true if a step asks about it
};

struct RowSum {
    RowFigures figures;
    double tolerance = 1e-6;       // the largest difference from 1 that still counts as 1
    bool by_design = false;        // a sink or a sigmoid is used: a sum below 1 is not a warning
    bool by_cell = false;          // a sigmoid is used: a sum above 1 is not a warning either
    std::optional<double> sink{};  // the sink's weight, unless a mask takes weight, too
    bool zeroed = false;           // an empty row that was therefore set to 0
};

// The sums of a variant's weights; empty if it has none.
struct RowSums {
    std::vector<RowSum> rows;
    // True if any row has a sink, is zeroed, or is off by design (its sum is not 1, without a
    // warning). Computed once, because there may be thousands of rows.
    bool has_sinks = false, has_zeroed = false, is_off_by_design = false;
    bool loses_weight = false;  // a mask on the weights makes a row sum to less than 1
};

struct BenchVariant {
    int index = 0;                         // index, or difference_variant
    std::string name, changes;             // the name is shown with the changes: see View
    std::optional<Difference> difference;  // its two letters precede the name
    std::optional<Index> head;             // nullopt: the block's head
    std::vector<BenchStage> stages;        // with its mask first if the variants' rules differ
    RowSums sums;
    std::vector<int> letters() const;               // letters before its name: two for a difference
    bool is_compared() const { return index < 0; }  // true: one variant, or head, minus another
    bool hides_words = false;  // a step asks, and the words that the variant wrote are hidden, too
};

// The part of the bench for one sequence and one head.
struct BenchBlock {
    Index b = 0, h = 0;
    std::string title;  // "" for a single block, otherwise "sequence 2 · head 1"
    SharedTokens tokens;
    // The weights of the layers from which the inputs come: the queries' layer, and the keys' layer
    // if that is another one.
    std::vector<BenchStage> earlier;
    std::vector<BenchStage> tensors;  // Q, K and V if unfolded, as far as the inputs have them
    std::vector<BenchStage> shared;
    // The formula that the variants have in common, such as "QKᵀ", if none of their stages shows
    // it.
    std::string source;
    std::optional<BenchStage> mask;  // set if all variants have equal rules
    std::vector<BenchVariant> variants;
};

// The sources of cells, by variant and stage, including Q, K and V.
using Sources = std::map<std::pair<int, StageKind>, SharedSource>;

// True if the stage is the softmax output, and the weights are the same numbers in the same memory.
bool is_drawn_as_weights(const VariantResult& variant, StageKind stage);

// Returns why the scene has no Q, K and V to unfold, as a sentence; nullopt if it has.
std::optional<std::string> why_no_tensors(const Scene& scene);

// One head of a variant in the grid of heads, as a small heatmap.
struct SmallHead {
    Index h = 0;
    std::optional<Index> keys{};  // the KV head that it shares with other heads
    std::string title;            // such as "head 3 · previous"
    BenchStage stage;
};
struct HeadsOfVariant {
    int index = 0;
    std::string name, changes;
    std::vector<SmallHead> heads;
};

// One sequence of the batch, next to the pipeline: small weights with their row sums, variant by
// variant.
struct BatchRow {
    Index b = 0;
    Index queries = 0, keys = 0;  // the number of tokens, without padding at the end
    std::vector<BenchVariant>
        variants;  // without stages if the batch is too large for small heatmaps
};

struct Bench {
    std::string title;
    std::vector<BenchBlock> blocks;
    std::vector<HeadsOfVariant> heads;  // set if the view shows all heads
    std::vector<BatchRow> batch;        // set if View::batch asks for it
    int columns = 0;
    std::uint8_t signs = 0;     // every flag that occurs in its cells, for the legend
    bool loses_weight = false;  // true if a variant of its blocks does
    Sources sources;            // for the next bench, like the tokens
    KnownTokens tokens;
    std::uint64_t made = 0;  // a number that differs for each call of make_bench()
    ViewData views;          // what is shown instead of the blocks; not set by make_bench()
};

// Makes a bench. before, tokens: from a bench whose cells and tokens may be reused; may be empty.
Bench make_bench(const Result& result, const View& view, const Sources& before = {},
                 const KnownTokens& tokens = {});

// Makes a bench of one stage of each variant of the view, side by side, without anything else (for
// export --stage, --variant, …). Omits variants without this stage.
Bench single_heatmaps(const Result& result, const View& view, StageKind stage,
                      const Sources& before = {});

// True if these variants have the same mask rules, apart from biases.
bool layers_are_shared(const Scene& scene, const std::vector<int>& variants);

// Returns the two variants of view.show.difference, if both exist.
std::optional<Difference> shown_difference(const View& view, const Scene& scene);
void show_only(Show& show,
               std::vector<int> variants);  // shows these variants, without a difference

// Returns a head's title, such as "head 3 · previous": its number from 1, its pattern if the inputs
// are patterns, its KV head if it shares one, and the rules of these variants that not all heads
// have. Omits the pattern if it is the same in all heads, and such rules distinguish the heads.
std::string head_title(const Scene& scene, Index h, const std::vector<int>& variants);

// Returns the heads that a figure of this view draws: in the grid of heads all of them, or those
// that the scene lists; otherwise those that the view shows.
std::vector<Index> drawn_heads(const Scene& scene, const View& view, const Shape& shape);

// Returns the KV head of query head h; nullopt if every query head has its own.
std::optional<Index> shared_keys(const Inputs& inputs, Index h);

// Returns the stage that the grid of heads shows: the last shown stage that has heads (all but the
// mask, the output and influence have), otherwise the weights.
StageKind stage_of_heads(const Result& result, const View& view);

// True for sensitivity and influence. As they are not between the scores and the output, no
// connector leads to them.
inline bool is_aside(StageKind stage) { return stage >= StageKind::sensitivity; }

// True if the variants of the block are side by side: each has one stage, and they share only the
// mask.
bool is_side_by_side(const BenchBlock& block);

// Calls visit(stage) for every heatmap of a bench.
template <class B, class Visit>
void each_stage(B& bench, const Visit& visit) {
    const auto variants = [&](auto& all) {
        for (auto& variant : all)
            for (auto& stage : variant.stages) visit(stage);
    };
    for (auto& block : bench.blocks) {
        for (auto& stage : block.earlier) visit(stage);
        for (auto& stage : block.tensors) visit(stage);
        for (auto& stage : block.shared) visit(stage);
        if (block.mask) visit(*block.mask);
        variants(block.variants);
    }
    for (auto& variant : bench.heads)
        for (auto& head : variant.heads) visit(head.stage);
    for (auto& row : bench.batch) variants(row.variants);
}

// The most tokens of a live page, in which every cell is an HTML element. app/export refuses more,
// and app/web refuses an edit that would make more.
inline constexpr Index most_page_tokens = 64;

}  // namespace maskscope
