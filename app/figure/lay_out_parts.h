#pragma once
// The pieces of lay_out: the table of one block, and what draws its parts into a figure.

#include <vector>

#include "app/figure/lay_out.h"

namespace maskscope {

// A heatmap in its table: row and column, and the lane it belongs to (-1 = shared).
struct Placed {
    BenchStage stage;
    int row = 0, column = 0, lane = -1;
    Rect rect;
};

// One block as a table, a row a lane, a column a stage. Lengths in pixels (points × unit).
struct Table {
    BenchBlock block;
    bool one_row = false;          // lanes side by side
    bool vertical_tokens = false;  // key tokens read upwards where cells are narrow
    double unit = 1, token_size = 13;
    double cell_w = 44, cell_h = 44;
    std::vector<Placed> heatmaps;
    double right = 0, bottom = 0;  // where the table ends, once positioned

    void place(const BenchStage& stage, int row, int lane);
    int rows() const;
    int columns() const;
    Index cells_in(int column) const;  // cells that the widest heatmap of a column stands across
    double cells_across() const;       // the same, over all columns
    bool has_sums(int column) const;
    bool is_leftmost(const Placed& placed) const;  // of its row: the query tokens stand beside it
    bool is_straight(const Placed& placed) const;
    bool is_first_of_lane(const Placed& placed) const;
    double gap_before(int column) const;  // room for the connector and its operation
    double label_width() const;           // of the query tokens at the left
    double sums_width() const;
    double longest_key() const;   // width of the longest key token
    double title_height() const;  // of the block's own title, where it has one
    double head_height() const;   // of a row of heatmaps: lane title, stage title, key tokens
    double token_height() const;
    double fixed_width() const;  // all that is not cells
    double fixed_height() const;
    double lane_titles_end() const;          // where the longest lane title ends, once positioned
    void position(double left, double top);  // gives every heatmap its rect
};

double figure_text_width(const Text& text);
// Numbers stand in all cells of a heatmap or in none: at the wished size (points), or at 12 points,
// in pixels; 0 where they do not fit.
double fitting_number_size(const Heatmap& heatmap, double wished, double unit);

void draw_table(Figure& figure, const Table& table, const LayoutOptions& options);
void draw_sums(Figure& figure, const Table& table, const Placed& placed);
// Under each column the colours of its stages with their limits.
void draw_colour_bars(Figure& figure, const Table& table);
inline constexpr double colour_bars_height = 30;  // points
void draw_connectors(Figure& figure, const Table& table);
void draw_tokens(Figure& figure, const Table& table, const Placed& placed,
                 const LayoutOptions& options);

// Colour bars of the stages, and the signs that occur; returns where it ends on the right.
double draw_legend(Figure& figure, const Bench& bench, const LayoutOptions& options, double left,
                   double top);

}  // namespace maskscope
