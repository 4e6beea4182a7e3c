#pragma once
// How the lanes can stand while presenting, and how large their cells become then. Lengths are
// multiples of the smallest type, 12 points of a screen that is 384 high.

#include <vector>

#include "app/figure/lay_out_parts.h"

namespace maskscope {

namespace presenting {
inline constexpr double type = 12, line = 17;          // the smallest type, and a line of it
inline constexpr double sums_room = 54, sum_bar = 18;  // beside weights: all, and the bar alone
inline constexpr double mask_share = 0.45;             // a mask's "1" needs less room than a number
}  // namespace presenting

// One heatmap and where it stands in the grid of a block.
struct PresentingPiece {
    const BenchStage* stage = nullptr;
    const BenchLane* lane = nullptr;  // nullptr: shared by all
    int row = 0, column = 0;
    bool names_lane = false;
    Rect rect{};
    bool is_mask() const { return stage->stage == StageKind::allowed; }
    bool has_sums() const {
        return lane && !lane->sums.empty() && stage->stage == StageKind::weights;
    }
};

struct PresentingGrid {
    const BenchBlock* block = nullptr;
    std::vector<PresentingPiece> pieces;
    double unit = 1, cell_w = 0, cell_h = 0;
    bool vertical_keys = false;

    int rows() const;
    int columns() const;
    const PresentingPiece* at(int row, int column) const;
    // The keys stand above the topmost heatmap of a column.
    bool has_keys(const PresentingPiece& piece) const;
    bool is_leftmost(const PresentingPiece& piece) const;  // of its row
    const BenchTokens& tokens() const { return block->tokens; }
};

// Every way, the richest first: the lanes under each other with ever fewer stages, then the weights
// alone abreast, ever fewer in a row. Never none where the block has a lane.
std::vector<PresentingGrid> ways_to_present(const BenchBlock& block);
// Gives the grid its cells, as large as the room (pixels) allows.
void size_cells(PresentingGrid& grid, double room_w, double room_h);
void position(PresentingGrid& grid, Point from);  // gives every piece its rect
bool shows_all_numbers(const PresentingGrid& grid, const LayoutOptions& options);  // but the mask's

// In pixels.
double label_width(const PresentingGrid& grid);       // of the query tokens
double longest_key(const PresentingGrid& grid);       // of the key tokens
double key_height(const PresentingGrid& grid);        // of the line of key tokens
double head_of(const PresentingGrid& grid, int row);  // title, and keys where they stand

Heatmap heatmap_of(const PresentingGrid& grid, const PresentingPiece& piece,
                   const LayoutOptions& options);

}  // namespace maskscope
