#include "app/figure/presenting_grid.h"

#include <algorithm>
#include <cmath>

#include "app/labels.h"

namespace maskscope {

using namespace presenting;

namespace {

double longest(const std::vector<double>& ems) {
    return ems.empty() ? 0 : *std::max_element(ems.begin(), ems.end());
}

int last(const PresentingGrid& grid, int PresentingPiece::*place) {
    int found = -1;
    for (const PresentingPiece& piece : grid.pieces) found = std::max(found, piece.*place);
    return found;
}

}  // namespace

int PresentingGrid::rows() const { return last(*this, &PresentingPiece::row) + 1; }
int PresentingGrid::columns() const { return last(*this, &PresentingPiece::column) + 1; }

const PresentingPiece* PresentingGrid::at(int row, int column) const {
    for (const PresentingPiece& piece : pieces)
        if (piece.row == row && piece.column == column) return &piece;
    return nullptr;
}

bool PresentingGrid::has_keys(const PresentingPiece& piece) const {
    if (piece.stage->stage == StageKind::output) return false;
    for (int row = 0; row < piece.row; ++row)
        if (const PresentingPiece* above = at(row, piece.column);
            above && above->stage->stage != StageKind::output)
            return false;
    return true;
}

bool PresentingGrid::is_leftmost(const PresentingPiece& piece) const {
    return std::none_of(pieces.begin(), pieces.end(), [&](const PresentingPiece& other) {
        return other.row == piece.row && other.column < piece.column;
    });
}

// --- ways to stand

namespace {

// The last `kept` stages of each lane, and before them what is shared; a lane a row.
PresentingGrid under_each_other(const BenchBlock& block, std::size_t kept) {
    PresentingGrid grid;
    grid.block = &block;
    std::size_t most = 0;
    for (const BenchLane& lane : block.lanes) most = std::max(most, lane.stages.size());
    const std::size_t of_lanes = std::min(most, kept);
    const std::size_t shared = std::min(block.shared.size(), kept - of_lanes);
    int column = 0;
    if (block.mask) grid.pieces.push_back({&*block.mask, nullptr, 0, column++});
    for (std::size_t k = block.shared.size() - shared; k < block.shared.size(); ++k)
        grid.pieces.push_back({&block.shared[k], nullptr, 0, column++});
    int row = 0;
    for (const BenchLane& lane : block.lanes) {
        const std::size_t count = std::min(lane.stages.size(), of_lanes);
        int at = column + int(of_lanes - count);
        for (std::size_t k = lane.stages.size() - count; k < lane.stages.size(); ++k) {
            grid.pieces.push_back({&lane.stages[k], &lane, row, at++});
            grid.pieces.back().names_lane = k + count == lane.stages.size();
        }
        ++row;
    }
    return grid;
}

const BenchStage* stage_alone(const BenchLane& lane) {
    for (const BenchStage& stage : lane.stages)
        if (stage.stage == StageKind::weights) return &stage;
    return lane.stages.empty() ? nullptr : &lane.stages.back();
}

PresentingGrid abreast(const BenchBlock& block, int across) {
    PresentingGrid grid;
    grid.block = &block;
    const int first = block.mask ? 1 : 0;
    if (block.mask) grid.pieces.push_back({&*block.mask, nullptr, 0, 0});
    int k = 0;
    for (const BenchLane& lane : block.lanes)
        if (const BenchStage* stage = stage_alone(lane)) {
            grid.pieces.push_back({stage, &lane, k / across, first + k % across, true});
            ++k;
        }
    return grid;
}

}  // namespace

std::vector<PresentingGrid> ways_to_present(const BenchBlock& block) {
    std::vector<PresentingGrid> ways;
    std::size_t most = 0;
    for (const BenchLane& lane : block.lanes) most = std::max(most, lane.stages.size());
    for (std::size_t kept = most + block.shared.size(); kept > 1; --kept)
        ways.push_back(under_each_other(block, kept));
    for (int across = int(block.lanes.size()); across > 0; --across)
        ways.push_back(abreast(block, across));
    return ways;
}

// --- sizes

double longest_key(const PresentingGrid& grid) {
    return type * grid.unit * longest(grid.tokens().key_ems);
}

double label_width(const PresentingGrid& grid) {
    return (std::min(90.0, type * longest(grid.tokens().query_ems)) + 8) * grid.unit;
}

double key_height(const PresentingGrid& grid) {
    if (!grid.vertical_keys) return line * grid.unit;
    return std::min(60 * grid.unit, longest_key(grid)) + 5 * grid.unit;
}

double head_of(const PresentingGrid& grid, int row) {
    bool keys = false;
    for (const PresentingPiece& piece : grid.pieces)
        keys |= piece.row == row && grid.has_keys(piece);
    return (line + 3) * grid.unit + (keys ? key_height(grid) : 0);
}

namespace {

double cells_across(const PresentingPiece& piece) {
    const auto cells = double(piece.stage->cells->columns);
    return piece.is_mask() ? mask_share * cells : cells;
}

double gap_before(const PresentingGrid& grid, int column) {
    if (column == 0) return 0;
    double words = 0;
    for (const PresentingPiece& piece : grid.pieces)
        if (piece.column == column && !piece.names_lane && !piece.stage->operation.empty())
            words =
                std::max(words, measure(piece.stage->operation, {type, Weight::semibold}).width);
    return (words > 0 ? words + 12 : 20) * grid.unit;
}

// One column: how many cells it stands across, and the room that is no cell.
struct Extent {
    double cells = 0, room = 0;
};

Extent column_extent(const PresentingGrid& grid, int column) {
    Extent extent;
    bool sums = false;
    for (const PresentingPiece& piece : grid.pieces)
        if (piece.column == column) {
            extent.cells = std::max(extent.cells, cells_across(piece));
            sums |= piece.has_sums();
        }
    extent.room = sums ? sums_room * grid.unit : 0;
    return extent;
}

Index rows_in(const PresentingGrid& grid, int row) {
    Index most = 0;
    for (const PresentingPiece& piece : grid.pieces)
        if (piece.row == row) most = std::max(most, piece.stage->cells->rows);
    return most;
}

void divide_room(PresentingGrid& grid, double room_w, double room_h) {
    double across = 0, down = 0;
    room_w -= label_width(grid);
    for (int column = 0; column < grid.columns(); ++column) {
        const Extent extent = column_extent(grid, column);
        across += extent.cells;
        room_w -= gap_before(grid, column) + extent.room;
    }
    for (int row = 0; row < grid.rows(); ++row) {
        down += double(rows_in(grid, row));
        room_h -= head_of(grid, row) + 3 * grid.unit;
    }
    grid.cell_w = std::max(1.0, room_w / std::max(1.0, across));
    grid.cell_h = std::max(1.0, room_h / std::max(1.0, down));
    grid.cell_h = std::min({grid.cell_h, grid.cell_w, 64 * grid.unit});
    grid.cell_w = std::min(grid.cell_w, std::max(1.6 * grid.cell_h, 42 * grid.unit));
}

}  // namespace

void size_cells(PresentingGrid& grid, double room_w, double room_h) {
    divide_room(grid, room_w, room_h);
    grid.vertical_keys = longest_key(grid) > 1.35 * grid.cell_w;
    if (grid.vertical_keys) divide_room(grid, room_w, room_h);
    grid.cell_w = std::max(1.0, std::floor(grid.cell_w));
    grid.cell_h = std::max(1.0, std::floor(grid.cell_h));
}

void position(PresentingGrid& grid, Point from) {
    double x = from.x + label_width(grid);
    for (int column = 0; column < grid.columns(); ++column) {
        x += gap_before(grid, column);
        const Extent extent = column_extent(grid, column);
        double y = from.y;
        for (int row = 0; row < grid.rows(); ++row) {
            y += head_of(grid, row);
            for (PresentingPiece& piece : grid.pieces) {
                if (piece.column != column || piece.row != row) continue;
                const double cell = piece.is_mask() ? mask_share * grid.cell_w : grid.cell_w;
                piece.rect = {std::round(x), std::round(y),
                              double(piece.stage->cells->columns) * std::max(1.0, std::floor(cell)),
                              double(piece.stage->cells->rows) * grid.cell_h};
            }
            y += double(rows_in(grid, row)) * grid.cell_h + 3 * grid.unit;
        }
        x += extent.cells * grid.cell_w + extent.room;
    }
}

Heatmap heatmap_of(const PresentingGrid& grid, const PresentingPiece& piece,
                   const LayoutOptions& options) {
    Heatmap map = heatmap_of(*piece.stage, piece.rect, options);
    map.lane = piece.lane ? piece.lane->variant : shared_lane;
    map.b = grid.block->b;
    map.h = grid.block->h;
    map.number_size = fitting_number_size(map, 13, grid.unit, 3);
    return map;
}

bool shows_all_numbers(const PresentingGrid& grid, const LayoutOptions& options) {
    return std::all_of(grid.pieces.begin(), grid.pieces.end(), [&](const PresentingPiece& piece) {
        return piece.is_mask() || heatmap_of(grid, piece, options).number_size > 0;
    });
}

}  // namespace maskscope
