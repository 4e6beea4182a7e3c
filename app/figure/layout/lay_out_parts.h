#pragma once
// The pieces of lay_out: the table of one block, and what draws its parts into a figure.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/figure/layout/lay_out.h"
#include "app/style/labels.h"

namespace maskscope {

// A heatmap in its table.
struct PlacedHeatmap {
    const BenchStage* stage = nullptr;  // in the table's block
    int row = 0, column = 0;
    int lane = shared_lane;               // index into the block's lanes, or one below 0 (view.h)
    std::vector<std::string> operations;  // on the connector that leads to it
    Rect rect;
};

// Sizes shared by the tables of several blocks, so that their heatmaps are aligned.
struct SharedTableSizes {
    bool vertical = false;      // key tokens read upwards, even where they would fit
    double label = 0, key = 0;  // least widths of labels and of the longest key
};

// One block as a table, one row per lane, one column per stage; lanes of one stage each are side by
// side, a given number per row. Lengths in pixels (points × unit).
struct Table {
    const BenchBlock* block = nullptr;
    int lanes_across = 0;          // side by side: number per row; 0 = each lane in its own row
    bool tensors_abreast = false;  // Q and K side by side with V below, not all in a column
    SharedTableSizes alike;
    bool vertical_tokens = false;  // key tokens read upwards where cells are narrow
    bool is_tight = false;         // without what the room can spare beside the fork
    bool is_bare = false;          // a mask of 1s has narrower cells
    bool is_low = false;           // without what the room can spare above heatmaps
    bool is_unmarked = false;      // without strips of groups and trees
    double longest_label = 110, longest_vertical = 80;  // points; longer tokens are shortened
    double unit = 1, token_size = 13, number_size = 13;
    double cell_w = 44, cell_h = 44;
    double room_right = 0;  // right end of the room; 0 = unlimited
    std::vector<PlacedHeatmap> heatmaps;
    std::vector<std::string> left_out;  // stages omitted for lack of room
    double right = 0, bottom = 0;       // where the table ends, once positioned

    bool one_row() const { return lanes_across > 0; }
    const BenchLane* lane_of(const PlacedHeatmap& placed) const;  // nullptr: it belongs to none
    const BenchTokens& tokens_of(const PlacedHeatmap& placed) const;
    void place(const BenchStage& stage, int row, int column, int lane);
    // Removes the first column that can be spared: stages before the weights from the fork on, then
    // those before the fork, then those after the weights. Returns false if there is none.
    // stages_of_lanes: only the first group, and never scores.
    bool leave_out_column(bool stages_of_lanes = false);

    int rows() const;
    int columns() const;
    Index cells_in(int column) const;  // columns of the widest heatmap of a column
    Index cells_down(int row) const;   // of the highest heatmap of a row
    bool has_sums(int column) const;
    bool is_leftmost(const PlacedHeatmap& placed) const;  // of its row
    bool has_labels(const PlacedHeatmap& placed) const;   // query tokens are drawn beside it
    bool is_first_of_lane(const PlacedHeatmap& placed) const;

    // The fork: the last stage that all lanes share (null: none is drawn), and the first heatmap of
    // every lane that a line leads to from there; none if lanes are side by side.
    const PlacedHeatmap* fork() const;
    std::vector<const PlacedHeatmap*> branches() const;
    bool is_joined(const PlacedHeatmap& placed) const;   // lines of several rows lead to it
    const PlacedHeatmap* first_branch() const;           // one in the first column of the lanes
    double branch_pitch() const;                         // between the lines that go down
    double branch_words(const PlacedHeatmap& to) const;  // its operations, and the arrow
    double source_width() const;                         // of BenchBlock::source; 0 if not drawn
    double fork_width() const;  // from the fork to the first lane, labels included

    double gap_before(int column) const;   // room for the connector and its operation
    double least_width(int column) const;  // so that its titles are not cut
    double column_width(int column) const;
    double label_width() const;  // of the query tokens at the left
    double axis_gap() const;     // between the axes' titles and the heatmap
    double sums_width() const;   // of all that is beside the weights
    double sink_width() const;   // of the column of sinks; 0 if there is none
    double sink_left(const PlacedHeatmap& weights) const;  // where it begins, beside the title
    double sums_left(const PlacedHeatmap& weights) const;  // where the bars begin
    double longest_key() const;                            // width of the longest key token
    double key_width(const PlacedHeatmap& placed, Index j) const;
    double cell_width(const PlacedHeatmap& placed) const;
    double title_height() const;                       // of the block's own title, if it has one
    bool has_keys(const PlacedHeatmap& placed) const;  // key tokens are drawn above it
    double head_height(int row) const;  // of a row of heatmaps: lane title, stage title, key tokens
    double keys_height(int row) const;  // of the key tokens above a row of heatmaps
    double token_height() const;
    double foot(int row) const;              // below a row of heatmaps
    double beside_column(int column) const;  // row sums, or what is beside a mask
    double fixed_width() const;              // all that is not cells
    double fixed_height() const;
    double widest_cell(double room) const;   // with which the columns fit into the room
    double lane_titles_end() const;          // where the longest lane title ends, once positioned
    void position(double left, double top);  // gives every heatmap its rect
};

// The width of the widest number in the heatmap's form, in ems; reads every cell. In the shortest
// form NaN counts only if nothing else is there: where it does not fit, its lines say it.
double widest_number(const Heatmap& heatmap);
// Sets size and form of the numbers: all cells of a heatmap are numbered or none, at the wished
// size (points), else at 13 or 12 points, else in ever shorter forms from the heatmap's own on.
// padding: pixels either side, 3 × unit by default, 2 × unit in the shortest form.
void fit_numbers(Heatmap& heatmap, double wished, double unit, std::optional<double> padding = {});
inline constexpr double lowest_row = 1.08;  // ems: a row that has room for its numbers

// The table of a block; if side by side, with this number of lanes per row.
Table table_of(const BenchBlock& block, const LayoutOptions& options, int lanes_across,
               bool tensors_abreast = false);
// The table fitted to a room (or as it is in a file), with the best number of lanes per row.
Table fitted_table(const BenchBlock& block, double room_w, double room_h,
                   const LayoutOptions& options, const SharedTableSizes& alike = {});
inline constexpr double key_gap = 2;  // points between two key tokens, at least

Heatmap heatmap_of(const BenchStage& stage, const Rect& rect, const LayoutOptions& options);
// Cuts off the rows, and of the decoder the columns, of words that are not yet written.
void cut_unwritten(Heatmap& map, ModelAttention attention, const std::optional<Written>& written);
void draw_table(Figure& figure, const Table& table, const LayoutOptions& options);
void draw_sums(Figure& figure, const Table& table, const PlacedHeatmap& placed);
SumBar sum_bar_of(const RowSum& row, const Cells& weights, Index i);  // without a position
void draw_tokens(Figure& figure, const Table& table, const PlacedHeatmap& placed,
                 const Heatmap& map, const LayoutOptions& options);
void draw_connectors(Figure& figure, const Table& table);
// Groups and trees beside and below a mask: the room that they take, and the marks themselves, with
// the path of this query lit; a tight table has no trees.
double marks_width(const Table& table, const BenchStage& stage);
double marks_height(const Table& table, const BenchStage& stage);
void draw_marks(Figure& figure, const Table& table, const BenchStage& stage, const Heatmap& map,
                std::optional<Index> query);
// Returns where an arrow at this height reaches a heatmap: its edge, or that of a label beside it
// which is in its way. Labels must be in the figure already.
Point arrival_at(const Figure& figure, const Rect& heatmap, double y, double unit);
// Labels Q, K or V: the numbers of its columns, as many as fit, and its axes.
void draw_components(Figure& figure, const Table& table, const PlacedHeatmap& placed,
                     const Heatmap& map);
void draw_tensor_axes(Figure& figure, const Table& table, const PlacedHeatmap& placed);
// True if this stage of a lane, or one that all lanes share (nullptr), is hidden.
bool is_covered(const LayoutOptions& options, StageKind stage, const BenchLane* lane);
// True if what a model said in this lane is hidden with it.
bool hides_words(const LayoutOptions& options, const BenchLane* lane);
// Covers a heatmap or plot while the class has yet to predict it.
void draw_cover(Figure& figure, const Rect& rect, double unit);
void draw_cover(Figure& figure, Heatmap hidden, double unit);
// The letter of a lane on its colour, and its name in `size` points; both letters of a difference.
void draw_lane_name(Figure& figure, const BenchLane& lane, Point at, double max_width, double unit,
                    double size = 15);

// The colours of the stages with their limits, then the signs that occur, starting at `from`, in as
// many lines as needed; returns where it ends on the right and at the bottom.
Point draw_legend(Figure& figure, const Bench& bench, std::span<const BenchStage* const> stages,
                  const LayoutOptions& options, Point from);

// The grid of all heads.
Figure lay_out_heads(const Bench& bench, const LayoutOptions& options);

}  // namespace maskscope
