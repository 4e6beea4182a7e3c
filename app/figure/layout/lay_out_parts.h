#pragma once
// The pieces of lay_out(): the table of one block, and the functions that draw its parts into a
// figure.

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
    const BenchStage* stage = nullptr;  // a stage of the table's block
    int row = 0, column = 0;
    int variant = shared_variant;         // index into the block's variants, or below 0: see view.h
    std::vector<std::string> operations;  // written on the connector that leads to it
    Rect rect;
};

// Sizes shared by the tables of several blocks, so that their heatmaps are aligned.
struct SharedTableSizes {
    double label = 0, key = 0;  // the least widths of labels and of the longest key
};

// The needs of a column, which do not depend on the size of a cell. Lengths in pixels.
struct TableColumn {
    double cells = 0;  // the number of columns of its widest heatmap
    double least = 0;  // the width that its titles need
    double gap = 0;    // the space before it, for the connector, its operations, and labels
    double marks = 0;  // the space beside it for marks of a mask
    bool sums = false;
};

// One block as a table: one column per stage, and one row per variant, or all variants in one row.
// All cells are squares of one size. Lengths in pixels (points × unit).
struct Table {
    const BenchBlock* block = nullptr;
    bool abreast = false;  // the variants are side by side
    bool in_hall = false;
    bool queries_once = false;  // one column of query tokens, even if variants are side by side
    bool in_file = false;       // false: on a screen
    int keys_every = 1;         // key tokens are drawn above every keys_every-th row
    bool has_names = false;     // variants have titles
    SharedTableSizes alike;
    bool vertical_tokens = false;  // key tokens read upwards where cells are narrow
    double longest_label = 110, longest_vertical = 80;  // points; longer tokens are shortened
    double unit = 1, token_size = 13, key_size = 13;    // key_size shrinks if keys would touch
    double cell = 44;
    double room_right = 0;  // where variant titles must end; 0 = anywhere
    std::vector<PlacedHeatmap> heatmaps;
    std::vector<TableColumn> widths;  // one for each column; set by measure()
    double labels = 0;                // the width of query tokens; set by measure_labels()
    double right = 0, bottom = 0;     // the edges of the table, once positioned

    const BenchVariant* variant_of(
        const PlacedHeatmap& placed) const;  // nullptr if it has no variant
    const BenchTokens& tokens_of(const PlacedHeatmap& placed) const;
    void place(const BenchStage& stage, int row, int column, int variant);
    void close_gaps();  // removes columns without a heatmap
    void measure();     // call after all heatmaps were placed
    void measure_labels();

    int rows() const;
    int columns() const;
    Index cells_in(int column) const;  // columns of the widest heatmap of a table column
    Index cells_down(int row) const;   // rows of the highest heatmap of a table row
    bool has_sums(int column) const;
    bool has_labels(const PlacedHeatmap& placed) const;  // true if query tokens are drawn beside it
    bool is_first_of_variant(const PlacedHeatmap& placed) const;
    bool is_in_line(const PlacedHeatmap& placed) const;  // true for a mask between stages

    // The fork: the last stage that all variants share (null if none is drawn), and the branches:
    // the first heatmap of every variant, to which a line leads from the fork.
    const PlacedHeatmap* fork() const;
    std::vector<const PlacedHeatmap*> branches() const;
    bool is_joined(const PlacedHeatmap& placed) const;   // true if lines of several rows lead to it
    const PlacedHeatmap* first_branch() const;           // the one in the variants' first column
    double branch_pitch() const;                         // the distance of lines that go down
    double branch_words(const PlacedHeatmap& to) const;  // the width of its operations and arrow
    bool has_source() const;      // true if BenchBlock::source is drawn: not while presenting
    double source_width() const;  // 0 without a source
    double fork_width() const;    // the distance to the first variant, with its labels

    double gap_before(int column) const;
    double least_width(int column) const;
    double column_width(int column) const;
    double beside_column(int column) const;  // the width of row sums, or of marks beside a mask
    double label_width() const { return labels; }
    double axis_gap() const {
        return (in_hall ? 8 : 12.5) * unit;
    }  // between the axes' titles and the heatmap
    double sums_gap() const { return (in_hall ? 6 : 12) * unit; }  // between weights and sums
    double sums_width() const;  // the width of everything beside the weights
    double sink_width() const;  // the width of the column of sinks; 0 without one
    double sink_left(const PlacedHeatmap& weights) const;  // the left edge, clear of the title
    double sums_left(const PlacedHeatmap& weights) const;  // the left edge of the bars
    double longest_key() const;                            // width of the longest key token
    double key_width(const PlacedHeatmap& placed, Index j) const;
    double cell_width(const PlacedHeatmap& placed) const;
    bool keys_fit() const;        // true if keys fit above their cells, side by side
    void take(double size);       // sets the size of cells, and of keys so that they fit
    double title_height() const;  // the height of the block's title; 0 without one
    bool has_keys(const PlacedHeatmap& placed) const;  // true if key tokens are drawn above it
    double head_height(int row) const;  // variant title, stage title and key tokens above a row
    double keys_height(int row) const;  // the height of the key tokens above a row of heatmaps
    bool names_are_titles() const;      // true: weights have no title but their variant's name
    double title_line() const;          // the height of stage titles; 0 in the grid of heads
    double name_line() const;           // the height of variant titles; 0 without them
    double token_height() const;
    double foot(int row) const;  // the height of what is below a row of heatmaps
    double width() const;
    double height() const;
    double variant_titles_end() const;  // the end of the longest variant title, once positioned
    void position(double left, double top);  // gives every heatmap its rect
};

// Returns the width of the widest number in the heatmap's form, in ems; reads every cell. In the
// shortest form, NaN counts only if there are no other numbers: if it does not fit, its hatch shows
// it.
double widest_number(const Heatmap& heatmap);
// Sets size and form of the numbers. Either all cells of a heatmap are numbered, or none are: at
// the size `wished` (points), else at 13, else at the smallest, else in ever shorter forms. In the
// shortest form, a number such as "−3e38" is left out if it is wider than its cell.
void fit_numbers(Heatmap& heatmap, double wished, double unit, double smallest = 12);
double number_size_in(const Table& table);   // the preferred size, in points; grows with the cells
double smallest_number(const Table& table);  // points
inline constexpr double lowest_row = 1.08;   // ems: the least height of a row with numbers
inline constexpr double key_gap = 3;         // points: the least gap between two key tokens
inline constexpr double name_height = 22;    // points: the height of a variant title

// Makes the table of a block, with its variants side by side or one below the other.
Table table_of(const BenchBlock& block, const LayoutOptions& options, bool abreast);

// The limits of a cell's side, in pixels. If there are more tokens than a person can read, cells
// shrink until they fit.
struct CellRange {
    double least = 36, most = 64;
};
inline constexpr Index most_readable = 40;
inline constexpr double smallest_scale = 7.0 / 12;  // for a figure: its smallest type is then 7 pt
CellRange cells_of(const LayoutOptions& options, Index tokens);
// Returns the largest size up to `most` for which `fits` is true. The size is a whole number of
// pixels for a cell, or if there are more tokens than a person can read, for all cells together.
double largest_cell(double most, Index tokens, const std::function<bool(double)>& fits);
// The quality of an arrangement. The larger cell wins; if cells are equally large, the smaller area
// out of view wins.
struct Fit {
    double cell = 0, hidden = 0;
    bool beats(const Fit& other) const;
};
// Measures the fit. room_width: 0 = nothing is out of view.
Fit fit_of(double cell, double width, double height, double room_width, double room_height);
// Returns how many of `count` equal parts go side by side: as many as the space holds, or fewer if
// they then fill the same number of rows more evenly. If the space is 0, as many as come closest to
// the shape of a slide.
std::size_t in_a_row(std::size_t count, double part_width, double part_height, double room);

Heatmap heatmap_of(const BenchStage& stage, const Rect& rect, const LayoutOptions& options);
// Cuts off the rows, and for the decoder's attention also the columns, of words that are not yet
// written.
void cut_unwritten(Heatmap& map, ModelAttention attention,
                   const std::optional<WritingProgress>& written);
void draw_table(Figure& figure, const Table& table, const LayoutOptions& options);
void draw_sums(Figure& figure, const Table& table, const PlacedHeatmap& placed);
SumBar sum_bar_of(const RowSum& row, const Cells& weights, Index i);  // has no position yet
void draw_tokens(Figure& figure, const Table& table, const PlacedHeatmap& placed,
                 const Heatmap& map, const LayoutOptions& options);
void draw_connectors(Figure& figure, const Table& table);
// Groups and trees beside and below a mask: the space that they take, and the marks themselves,
// with the path of the lit query highlighted.
double marks_width(const Table& table, const BenchStage& stage);
double marks_height(const Table& table, const BenchStage& stage);
void draw_marks(Figure& figure, const Table& table, const BenchStage& stage, const Heatmap& map,
                std::optional<Index> query);
// Returns the end of an arrow to a heatmap at the height y: at the heatmap's edge, or before a
// label in the way. The labels must already be in the figure.
Point arrival_at(const Figure& figure, const Rect& heatmap, double y, double unit);
// Label Q, K or V: with as many column numbers as fit, and with the axes.
void draw_components(Figure& figure, const Table& table, const PlacedHeatmap& placed,
                     const Heatmap& map);
void draw_tensor_axes(Figure& figure, const Table& table, const PlacedHeatmap& placed);
// If `hidden`, draws a "?" in place of a part that the class is asked to predict. Returns `hidden`.
bool draw_hidden(Figure& figure, bool hidden, const Rect& rect, double unit);
// Adds a heatmap. If it is hidden, draws a "?" in its place, or at `closed`; the pointer still
// finds the heatmap.
void add_heatmap(Figure& figure, Heatmap map, bool hidden, double unit,
                 const std::optional<Rect>& closed = std::nullopt);
// Draws the letter of a variant on its colour, and its name in `size` points; for a difference, the
// letters of both variants.
void draw_variant_name(Figure& figure, const BenchVariant& entry, Point at, double max_width,
                       double unit, double size = 15);
// Draws the name as a pinned part, which stays in view as long as these heatmaps do. keys: the
// height of the key tokens above the heatmaps.
void draw_pinned_name(Figure& figure, const BenchVariant& variant, Point at, double max_width,
                      double unit, double size, const Rect& heatmaps, double keys);

// The flags that a legend explains; by default all.
struct LegendSigns {
    std::uint8_t signs = 0xff;
    bool loses_weight = true;
    bool grid = false;  // for a grid of heads, whose heatmaps have no titles
};
// Draws the colours of the stages with their limits, then the flags, beginning at `from`, in as
// many lines as needed. Returns the right and bottom end.
Point draw_legend(Figure& figure, const LegendSigns& signs,
                  std::span<const BenchStage* const> stages, const LayoutOptions& options,
                  Point from);

// Lays out all heads.
Figure lay_out_heads(const Bench& bench, const LayoutOptions& options);

}  // namespace maskscope
