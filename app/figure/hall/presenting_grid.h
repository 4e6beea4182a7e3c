#pragma once
// The arrangement of the lanes while presenting, and the size of their cells. Constants are in
// points on a screen 384 points high; the fields of a grid are in pixels unless marked as points.

#include <array>
#include <vector>

#include "app/figure/layout/lay_out_parts.h"

namespace maskscope {

namespace presenting {
inline constexpr double smallest = 12, wished = 12.8;  // H/32 and H/30: tokens and numbers
inline constexpr double line = 17;                     // of that type
inline constexpr double name_line = 20;                // of a lane's name
inline constexpr double sum_gap = 4, sum_bar = 12;     // beside weights: before the bar, the bar
inline constexpr double long_bars[] = {30, 20};        // where there is room
inline constexpr double mask_cell = 15;  // the least width, if all have it: upright keys
inline constexpr double label_gap = 6;   // between a query and its row
}  // namespace presenting

// One heatmap and its place in the grid of a block.
struct PresentingPiece {
    const BenchStage* stage = nullptr;
    const BenchLane* lane = nullptr;  // nullptr: shared by all
    int row = 0, column = 0;
    bool names_lane = false;
    double sum_ems = 0;                  // width of its widest row sum
    std::array<double, 3> number_ems{};  // and of its widest number, in each NumberForm
    Rect rect{};
    bool is_mask() const { return stage->stage == StageKind::allowed; }
    bool has_sums() const {
        return lane && !lane->sums.rows.empty() && stage->stage == StageKind::weights;
    }
};

// The widths of the longest tokens, in ems. Of a text of thousands they are measured once, not by
// each that asks.
struct TokenEms {
    double query = 0, key = 0;
    double outer = 0;   // of the first key or the last one
    double couple = 0;  // of two neighbouring keys
    void widen(const TokenEms& other);
};

// Heatmaps below one another.
struct PresentingColumn {
    double gap = 0;        // before it
    double cell_w = 0;     // of its widest heatmap; a narrower one has cells of the same width
    double sums = 0;       // room for the row sums after it; 0 = it has none
    bool upright = false;  // its keys read upwards
};

struct PresentingGrid {
    const BenchBlock* block = nullptr;
    std::vector<PresentingPiece> pieces;
    double unit = 1;                             // pixels per point
    double type = presenting::smallest;          // points, of tokens and numbers
    double padding = 3;                          // points either side of a number
    NumberForm form = NumberForm::two_decimals;  // of the numbers, or a shorter one
    bool equal_cells = true;                     // else a heatmap of longer numbers has wider ones
    bool spare_sums = true;                      // row sums keep room for their value after an edit
    bool titles_below = false;                   // stages' titles are below the first lane's name
    double label_most = 96;                      // points, of query tokens
    TokenEms tokens_ems;                         // of all its heatmaps; its key of all blocks
    std::vector<PresentingColumn> columns;
    double cell_h = 0;
    double spare_w = 0, spare_h = 0;   // what the cells leave of the room
    double bar = presenting::sum_bar;  // points, of a row sum

    int rows() const;
    int last_column() const;
    const PresentingPiece* at(int row, int column) const;
    // Where a connector to a piece begins: the stage before it, or the last one that all lanes
    // share; nullptr if neither is there.
    const PresentingPiece* leads_to(const PresentingPiece& piece) const;
    // The keys are above the topmost heatmap of a column.
    bool has_keys(const PresentingPiece& piece) const;
    bool is_leftmost(const PresentingPiece& piece) const;  // of its row
    double cell_w(const PresentingPiece& piece) const;
    const BenchTokens& tokens() const { return *block->tokens; }
    const BenchTokens& tokens(const PresentingPiece& piece) const {
        return piece.stage->tokens ? *piece.stage->tokens : *block->tokens;
    }
    // Are its rows named: the leftmost of its row, or the first of a lane whose tokens are its own?
    bool names_rows(const PresentingPiece& piece) const;
};

// All arrangements, the richest first: lanes below one another with ever fewer stages, then side by
// side, then only the claimed stage, then only the weights, ever fewer per row. Never empty.
std::vector<PresentingGrid> ways_to_present(const BenchBlock& block,
                                            std::optional<StageKind> claimed);

// Measures tokens, numbers and row sums of all ways to present a block.
void measure(std::vector<PresentingGrid>& ways);
// Sizes the cells, as large as the room (pixels) allows; unit, type and padding must be set.
void size_cells(PresentingGrid& grid, double room_w, double room_h);
// Gives blocks that are side by side cells of one size.
void make_alike(std::vector<PresentingGrid>& grids);
void position(PresentingGrid& grid, Point from);  // gives every piece its rect
// Does every cell of every heatmap show its number?
bool shows_all_numbers(const PresentingGrid& grid);

double label_width(const PresentingGrid& grid);                               // of the query tokens
double key_height(const PresentingGrid& grid, const PresentingPiece& piece);  // of the key tokens
double head_of(const PresentingGrid& grid, int row);  // title, and keys if shown

Heatmap heatmap_of(const PresentingGrid& grid, const PresentingPiece& piece,
                   const LayoutOptions& options);
// "1", "0.35": the bar is as high as the row allows.
SumBar sum_of(const PresentingGrid& grid, const PresentingPiece& piece, Index row);

// The width of a text in ems; cached.
double text_ems(const std::string& text, Weight weight);

}  // namespace maskscope
