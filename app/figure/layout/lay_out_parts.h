#pragma once
// The pieces of lay_out: the table of one block, and what draws its parts into a figure.

#include <functional>
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
    double label = 0, key = 0;  // least widths of labels and of the longest key
};

// The needs of a column, whatever the size of a cell; in pixels.
struct TableColumn {
    double cells = 0;  // of its widest heatmap
    double least = 0;  // so that its titles are not cut
    double gap = 0;    // before it: for the connector and its operations, and labels
    double marks = 0;  // beside it
    bool sums = false;
};

// One block as a table: one column per stage, and one row per variant, or all variants in one row.
// All cells are squares of one size. Lengths in pixels (points × unit).
struct Table {
    const BenchBlock* block = nullptr;
    bool abreast = false;  // the lanes are side by side
    bool in_hall = false;
    bool queries_once = false;  // also if lanes are side by side
    bool in_file = false;       // else on a screen
    int keys_every = 1;         // keys are above every so many rows
    bool has_names = false;     // lanes have titles
    SharedTableSizes alike;
    bool vertical_tokens = false;  // key tokens read upwards where cells are narrow
    double longest_label = 110, longest_vertical = 80;  // points; longer tokens are shortened
    double unit = 1, token_size = 13, key_size = 13;    // keys give way to their neighbours
    double cell = 44;
    double room_right = 0;  // the end of lane titles; 0 = anywhere
    std::vector<PlacedHeatmap> heatmaps;
    std::vector<TableColumn> widths;  // of its columns; see measure()
    double labels = 0;                // and of the query tokens
    double right = 0, bottom = 0;     // the ends of the table, once positioned

    const BenchLane* lane_of(const PlacedHeatmap& placed) const;  // nullptr: it belongs to none
    const BenchTokens& tokens_of(const PlacedHeatmap& placed) const;
    void place(const BenchStage& stage, int row, int column, int lane);
    void close_gaps();  // removes columns without a heatmap
    void measure();     // once all heatmaps are placed
    void measure_labels();

    int rows() const;
    int columns() const;
    Index cells_in(int column) const;  // of the widest heatmap of a column
    Index cells_down(int row) const;   // of the highest heatmap of a row
    bool has_sums(int column) const;
    bool has_labels(const PlacedHeatmap& placed) const;  // query tokens are drawn beside it
    bool is_first_of_lane(const PlacedHeatmap& placed) const;
    bool is_in_line(const PlacedHeatmap& placed) const;  // the mask between two stages

    // The fork: the last stage that all lanes share (null: none is drawn), and the first heatmap of
    // every lane that a line leads to from there.
    const PlacedHeatmap* fork() const;
    std::vector<const PlacedHeatmap*> branches() const;
    bool is_joined(const PlacedHeatmap& placed) const;   // lines of several rows lead to it
    const PlacedHeatmap* first_branch() const;           // one in the first column of the lanes
    double branch_pitch() const;                         // between the lines that go down
    double branch_words(const PlacedHeatmap& to) const;  // its operations, and the arrow
    double source_width() const;                         // of BenchBlock::source; 0 if not drawn
    double fork_width() const;  // from the fork to the first lane, labels included

    double gap_before(int column) const;
    double least_width(int column) const;
    double column_width(int column) const;
    double beside_column(int column) const;  // row sums, or what is beside a mask
    double label_width() const { return labels; }
    double axis_gap() const { return 12.5 * unit; }  // between the axes' titles and the heatmap
    double sums_gap() const { return (in_hall ? 8 : 12) * unit; }  // before them
    double sums_width() const;  // of all that is beside the weights
    double sink_width() const;  // of the column of sinks; 0 if there is none
    double sink_left(const PlacedHeatmap& weights) const;  // clear of the title
    double sums_left(const PlacedHeatmap& weights) const;  // of the bars
    double longest_key() const;                            // width of the longest key token
    double key_width(const PlacedHeatmap& placed, Index j) const;
    double cell_width(const PlacedHeatmap& placed) const;
    bool keys_fit() const;        // above their cells, side by side
    void take(double size);       // cells of this size, and keys in the type that fits them
    double title_height() const;  // of the block's own title, if it has one
    bool has_keys(const PlacedHeatmap& placed) const;  // key tokens are drawn above it
    double head_height(int row) const;  // of a row of heatmaps: lane title, stage title, key tokens
    double keys_height(int row) const;  // of the key tokens above a row of heatmaps
    double title_line() const;          // of stage titles; 0 in the view of heads
    double name_line() const;           // of lane titles; 0 without them
    double token_height() const;
    double foot(int row) const;  // below a row of heatmaps
    double width() const;
    double height() const;
    double lane_titles_end() const;          // the end of the longest lane title, once positioned
    void position(double left, double top);  // gives every heatmap its rect
};

// Returns the width of the widest number in the heatmap's form, in ems; reads every cell. In the
// shortest form, NaN counts only if there is nothing else: if it does not fit, its hatch shows it.
double widest_number(const Heatmap& heatmap);
// Sets size and form of the numbers: all cells of a heatmap are numbered or none, at the wished
// size (points), else at 13, else at the smallest, else in ever shorter forms. In the shortest,
// "−3e38" is left out where it is wider than its cell.
void fit_numbers(Heatmap& heatmap, double wished, double unit, double smallest = 12);
double number_size_in(const Table& table);   // wished, points: type grows with its cell
double smallest_number(const Table& table);  // points
inline constexpr double lowest_row = 1.08;   // ems: a row that is high enough for its numbers
inline constexpr double key_gap = 3;         // points between two key tokens, at least
inline constexpr double name_height = 22;    // points; of a lane title

// Makes the table of a block, with its variants side by side or one below the other.
Table table_of(const BenchBlock& block, const LayoutOptions& options, bool abreast);

// The limits of a cell's side, in pixels. With more tokens than a person can read, cells shrink
// until they fit.
struct CellRange {
    double least = 36, most = 64;
};
inline constexpr Index most_readable = 40;
inline constexpr double smallest_scale = 7.0 / 12;  // of a figure, whose smallest type is 7 pt
CellRange cells_of(const LayoutOptions& options, Index tokens);
// Returns the largest size up to `most` with which it fits: whole pixels for a cell, or for all
// cells together if there are more tokens than can be read.
double largest_cell(double most, Index tokens, const std::function<bool(double)>& fits);
// The quality of an arrangement. The larger cell wins; if cells are the same, the smaller area out
// of view.
struct Fit {
    double cell = 0, hidden = 0;
    bool beats(const Fit& other) const;
};
// room_width: 0 = everything is in view.
Fit fit_of(double cell, double width, double height, double room_width, double room_height);
// Returns how many of these equal parts are side by side: as many as the space holds, and then no
// more than so many rows need; about as wide as a slide if the space is 0.
std::size_t in_a_row(std::size_t count, double part_width, double part_height, double room);

Heatmap heatmap_of(const BenchStage& stage, const Rect& rect, const LayoutOptions& options);
// Cuts off the rows, and of the decoder the columns, of words that are not yet written.
void cut_unwritten(Heatmap& map, ModelAttention attention, const std::optional<Written>& written);
void draw_table(Figure& figure, const Table& table, const LayoutOptions& options);
void draw_sums(Figure& figure, const Table& table, const PlacedHeatmap& placed);
SumBar sum_bar_of(const RowSum& row, const Cells& weights, Index i);  // without a position
void draw_tokens(Figure& figure, const Table& table, const PlacedHeatmap& placed,
                 const Heatmap& map, const LayoutOptions& options);
void draw_connectors(Figure& figure, const Table& table);
// Groups and trees beside and below a mask: the space that they take, and the marks themselves,
// with the path of this query lit.
double marks_width(const Table& table, const BenchStage& stage);
double marks_height(const Table& table, const BenchStage& stage);
void draw_marks(Figure& figure, const Table& table, const BenchStage& stage, const Heatmap& map,
                std::optional<Index> query);
// Returns the end of an arrow to a heatmap at this height: the heatmap's edge, or that of a label
// in the way. Labels must be in the figure already.
Point arrival_at(const Figure& figure, const Rect& heatmap, double y, double unit);
// Labels Q, K or V: the numbers of its columns, as many as fit, and its axes.
void draw_components(Figure& figure, const Table& table, const PlacedHeatmap& placed,
                     const Heatmap& map);
void draw_tensor_axes(Figure& figure, const Table& table, const PlacedHeatmap& placed);
// Draws a "?" in place of a part that the class has yet to predict. Returns `hidden`.
bool draw_hidden(Figure& figure, bool hidden, const Rect& rect, double unit);
// Adds a heatmap. In place of a hidden one, or at `closed`, is a "?"; the pointer still finds it.
void add_heatmap(Figure& figure, Heatmap map, bool hidden, double unit,
                 const std::optional<Rect>& closed = std::nullopt);
// Draws the letter of a lane on its colour, and its name in `size` points; both letters of a
// difference.
void draw_lane_name(Figure& figure, const BenchLane& lane, Point at, double max_width, double unit,
                    double size = 15);
// Draws it so that it stays in view as long as these heatmaps, below keys of this height, are.
void draw_pinned_name(Figure& figure, const BenchLane& lane, Point at, double max_width,
                      double unit, double size, const Rect& heatmaps, double keys);

// The signs that a legend explains; by default all that there are.
struct LegendSigns {
    std::uint8_t signs = 0xff;
    bool loses_weight = true;
    bool grid = false;  // of heads, whose heatmaps have no titles
};
// Draws the colours of the stages with their limits, then the signs, starting at `from`, in as many
// lines as needed. Returns where it ends on the right and at the bottom.
Point draw_legend(Figure& figure, const LegendSigns& signs,
                  std::span<const BenchStage* const> stages, const LayoutOptions& options,
                  Point from);

// Lays out all heads.
Figure lay_out_heads(const Bench& bench, const LayoutOptions& options);

}  // namespace maskscope
