#include "app/figure/hall/presenting_grid.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "app/figure/style.h"
#include "app/style/labels.h"

namespace maskscope {

using namespace presenting;

namespace {

using Grid = PresentingGrid;
using Piece = PresentingPiece;

constexpr double bold = 1.07;  // how much wider a token is when pointed at
constexpr double key_gap = 4, longest_key = 60, longest_query = 96, highest_cell = 44;  // points
constexpr double no_room = 1e6;  // a width that fits nowhere

int last(const Grid& grid, int Piece::*place) {
    int found = -1;
    for (const Piece& piece : grid.pieces) found = std::max(found, piece.*place);
    return found;
}

double longest(const std::vector<double>& ems) {
    return ems.empty() ? 0 : *std::ranges::max_element(ems);
}

}  // namespace

void TokenEms::widen(const TokenEms& other) {
    query = std::max(query, other.query);
    key = std::max(key, other.key);
    outer = std::max(outer, other.outer);
    couple = std::max(couple, other.couple);
}

double text_ems(const std::string& text, Weight weight) {
    return measure(text, {100, weight}).width / 100;
}

int PresentingGrid::rows() const { return last(*this, &Piece::row) + 1; }
int PresentingGrid::last_column() const { return last(*this, &Piece::column); }

const Piece* PresentingGrid::at(int row, int column) const {
    for (const Piece& piece : pieces)
        if (piece.row == row && piece.column == column) return &piece;
    return nullptr;
}

const Piece* PresentingGrid::leads_to(const Piece& piece) const {
    const auto is_shared_mask = [](const Piece& p) { return p.is_mask() && !p.lane; };
    if (is_shared_mask(piece)) return nullptr;
    const Piece *before = nullptr, *fork = nullptr;
    for (const Piece& other : pieces) {
        if (is_shared_mask(other) || other.column >= piece.column) continue;
        Piece const*& last = other.lane ? before : fork;
        if (other.lane && (other.lane != piece.lane || other.row != piece.row)) continue;
        if (!last || other.column > last->column) last = &other;
    }
    const bool is_difference = piece.lane && piece.lane->variant == difference_lane;
    return before || is_difference ? before : fork;
}

bool PresentingGrid::has_keys(const Piece& piece) const {
    if (piece.stage->stage == StageKind::output) return false;
    if (piece.stage->tokens) return true;
    for (int row = 0; row < piece.row; ++row)
        if (const Piece* above = at(row, piece.column);
            above && above->stage->stage != StageKind::output)
            return false;
    return true;
}

bool PresentingGrid::is_leftmost(const Piece& piece) const {
    return std::ranges::none_of(pieces, [&](const Piece& other) {
        return other.row == piece.row && other.column < piece.column;
    });
}

bool PresentingGrid::names_rows(const Piece& piece) const {
    if (is_leftmost(piece)) return true;
    return piece.stage->tokens && std::ranges::none_of(pieces, [&](const Piece& other) {
               return other.row == piece.row && other.column < piece.column &&
                      other.lane == piece.lane;
           });
}

double PresentingGrid::cell_w(const Piece& piece) const { return columns[piece.column].cell_w; }

// --- everything but cells

double label_width(const Grid& grid) {
    const double width = bold * grid.type * grid.tokens_ems.query;
    // The axis's title has room of its own where row sums have it, too.
    const double axis = grid.spare_sums ? grid.type * text_ems("queries ↓", Weight::regular) : 0;
    return (std::max(axis, std::min(grid.label_most, width)) + label_gap + 2) * grid.unit;
}

double key_height(const Grid& grid, const Piece& piece) {
    if (!grid.columns[piece.column].upright) return line * grid.unit;
    const double width = bold * grid.type * grid.tokens_ems.key;
    return (std::min(longest_key, width) + 6) * grid.unit;
}

double head_of(const Grid& grid, int row) {
    double keys = 3 * grid.unit;  // no name touches a heatmap
    for (const Piece& piece : grid.pieces)
        if (piece.row == row && grid.has_keys(piece))
            keys = std::max(keys, key_height(grid, piece));
    return (name_line + (row == 0 && grid.titles_below ? line : 0)) * grid.unit + keys;
}

namespace {

SumBar short_sum_bar_of(const Piece& piece, Index row) {
    SumBar bar = sum_bar_of(piece.lane->sums.rows[row], *piece.stage->cells, row);
    if (const auto words = bar.text.find(" by design"); words != std::string::npos)
        bar.text.resize(words);
    return bar;
}

double widest_sum(const Piece& piece) {
    double ems = 0;
    for (Index i = 0; i < std::ssize(piece.lane->sums.rows); ++i) {
        const SumBar bar = short_sum_bar_of(piece, i);
        ems = std::max(ems, text_ems(bar.text, Weight::semibold) +
                                (bar.mark == SumBar::Mark::above_one ? 0.3 : 0));
    }
    return ems;
}

TokenEms token_ems(const BenchTokens& tokens) {
    const std::vector<double>& keys = tokens.key_ems;
    TokenEms ems{.query = longest(tokens.query_ems), .key = tokens.longest_key};
    for (std::size_t j = 0; j + 1 < keys.size(); ++j)
        ems.couple = std::max(ems.couple, keys[j] + keys[j + 1]);
    if (!keys.empty()) ems.outer = std::max(keys.front(), keys.back());
    return ems;
}

// So many cells are not measured: a room that holds them shows no numbers.
std::array<double, 3> widest_numbers(const BenchStage& stage) {
    constexpr Index many = 1 << 14;
    if (stage.cells->rows * stage.cells->columns > many) return {no_room, no_room, no_room};
    std::array<double, 3> widest{};
    Heatmap map = heatmap_of(stage, {}, {});
    for (std::size_t form = 0; form < widest.size(); ++form) {
        map.number_form = NumberForm(form);
        widest[form] = widest_number(map);
    }
    return widest;
}

}  // namespace

void measure(std::vector<Grid>& ways) {
    std::map<const BenchLane*, double> sums;
    std::map<const BenchStage*, std::array<double, 3>> numbers;
    std::map<const BenchTokens*, TokenEms> tokens;
    const auto widths_of = [&](const BenchTokens& of) {
        const auto [at, is_new] = tokens.try_emplace(&of);
        return is_new ? at->second = token_ems(of) : at->second;
    };
    for (Grid& grid : ways) {
        grid.tokens_ems = widths_of(grid.tokens());
        for (Piece& piece : grid.pieces) {
            grid.tokens_ems.widen(widths_of(grid.tokens(piece)));
            const auto [known, is_first] = numbers.try_emplace(piece.stage);
            if (is_first) known->second = widest_numbers(*piece.stage);
            piece.number_ems = known->second;
            if (!piece.has_sums()) continue;
            const auto [at, is_new] = sums.try_emplace(piece.lane);
            if (is_new) at->second = widest_sum(piece);
            piece.sum_ems = at->second;
        }
    }
}

SumBar sum_of(const Grid& grid, const Piece& piece, Index row) {
    const double u = grid.unit;
    SumBar bar = short_sum_bar_of(piece, row);
    const double middle = piece.rect.y + (double(row) + 0.5) * grid.cell_h;
    const double height = std::min(0.5 * grid.cell_h, 11 * u);
    bar.rect = {piece.rect.right() + sum_gap * u, std::round(middle - height / 2), grid.bar * u,
                std::round(height)};
    bar.text_size = grid.type * u;
    bar.lane = piece.lane->variant;
    bar.b = grid.block->b;
    bar.h = grid.block->h;
    return bar;
}

namespace {

// For a short text, cells smaller than a pixel mean that the arrangement does not fit.
double least_cell(const Grid& grid) {
    constexpr std::size_t long_text = 200;  // more tokens than some windows have pixels for
    const BenchTokens& tokens = grid.tokens();
    return std::max(tokens.queries.size(), tokens.keys.size()) > long_text ? 1e-6 : 1;
}

// Whole pixels, unless cells are smaller than one.
double whole_pixels(const Grid& grid, double size) {
    return std::max(least_cell(grid), size < 1 ? size : std::floor(size));
}

// As wide as "0.00" if there is room, so that an edit seldom moves anything.
double sums_width(const Grid& grid, const Piece& piece) {
    const double ems =
        std::max(piece.sum_ems, text_ems(grid.spare_sums ? "0.00" : "0", Weight::semibold));
    return (sum_gap + grid.bar + 5 + grid.type * ems) * grid.unit;
}

double gap_before(const Grid& grid, int column) {
    double words = 0, names = 0;
    bool begins_lane = false;
    for (const Piece& piece : grid.pieces) {
        if (piece.column != column) continue;
        begins_lane |= piece.names_lane;
        if (grid.names_rows(piece)) names = label_width(grid);
        const Piece* before = grid.leads_to(piece);
        if (!before || before->row != piece.row) continue;
        for (const std::string& operation : piece.stage->operations)
            words = std::max(words, grid.type * text_ems(operation, Weight::semibold));
    }
    if (column == 0) return 0;
    return names + (words > 0 ? std::max(words + 8, 28.0) : begins_lane ? 12 : 10) * grid.unit;
}

// How wide cells must be for keys not to touch; the gap has room for a bold one.
double width_for_keys(const Grid& grid) {
    const double em = grid.type * grid.unit;
    const double outer = std::max(0.0, em * grid.tokens_ems.outer - 14 * grid.unit);
    if (grid.tokens_ems.couple == 0) return outer;
    return std::max(outer, em * grid.tokens_ems.couple / 2 + key_gap * grid.unit);
}

// --- what cells need

Index cells_across(const Grid& grid, int column) {
    Index most = 0;
    for (const Piece& piece : grid.pieces)
        if (piece.column == column) most = std::max(most, piece.stage->cells->columns);
    return most;
}

Index cells_down(const Grid& grid, int row) {
    Index most = 0;
    for (const Piece& piece : grid.pieces)
        if (piece.row == row) most = std::max(most, piece.stage->cells->rows);
    return most;
}

bool is_mask_column(const Grid& grid, int column) {
    return std::ranges::all_of(
        grid.pieces, [&](const Piece& piece) { return piece.column != column || piece.is_mask(); });
}

// In all columns of masks.
double mask_cells_across(const Grid& grid) {
    double across = 0;
    for (int c = 0; c <= grid.last_column(); ++c)
        if (is_mask_column(grid, c)) across += double(cells_across(grid, c));
    return across;
}

// How wide a cell must be for its number.
double width_for_numbers(const Grid& grid, int column) {
    double ems = 0;
    for (const Piece& piece : grid.pieces)
        if (piece.column == column) ems = std::max(ems, piece.number_ems[std::size_t(grid.form)]);
    return (grid.type * ems + 2 * grid.padding) * grid.unit;
}

// Equal cells if all numbers then fit, else wider ones for longer numbers.
void divide_width(Grid& grid, double room) {
    const int count = grid.last_column() + 1;
    const double of_masks = mask_cells_across(grid);
    double across = 0, needed = 0, widest = 0;
    std::vector<double> needs(std::size_t(count), 0);
    for (int c = 0; c < count; ++c)
        if (!is_mask_column(grid, c)) across += double(cells_across(grid, c));
    // With many tokens, the mask is no wider than the others.
    const double alike = std::max(least_cell(grid), room / std::max(1.0, of_masks + across));
    const double mask_w = std::min(mask_cell * grid.unit, alike);
    for (int c = 0; c < count; ++c) {
        PresentingColumn& column = grid.columns[c];
        const auto cells = double(cells_across(grid, c));
        if (is_mask_column(grid, c)) {
            column.cell_w = mask_w;
            room -= cells * column.cell_w;
            continue;
        }
        const double need = needs[c] = width_for_numbers(grid, c);
        needed += cells * need;
        widest = std::max(widest, need);
    }
    const double equal = std::max(least_cell(grid), room / std::max(1.0, across));
    const bool differ = !grid.equal_cells && equal < widest && needed <= room;
    for (int c = 0; c < count; ++c)
        if (!is_mask_column(grid, c))
            grid.columns[c].cell_w = differ ? needs[c] + (room - needed) / across : equal;
}

// How far the title of a stage of few columns, as Output, reaches beyond its cells.
double beyond_cells(const Grid& grid, int column) {
    double beyond = 0;
    for (const Piece& piece : grid.pieces) {
        if (piece.column != column || piece.stage->cells->columns > 2) continue;
        const double title = grid.type * grid.unit * text_ems(piece.stage->title, Weight::regular);
        const double cells = double(piece.stage->cells->columns) * width_for_numbers(grid, column);
        beyond = std::max(beyond, title - cells);
    }
    return beyond;
}

double fixed_width(Grid& grid) {
    double width = label_width(grid);
    for (int c = 0; c <= grid.last_column(); ++c) {
        PresentingColumn& column = grid.columns[c];
        column.gap = gap_before(grid, c);
        for (const Piece& piece : grid.pieces)
            if (piece.column == c && piece.has_sums())
                column.sums = std::max(column.sums, sums_width(grid, piece));
        if (c == grid.last_column()) column.sums = std::max(column.sums, beyond_cells(grid, c));
        width += column.gap + column.sums;
    }
    return width;
}

void divide_height(Grid& grid, double room) {
    double down = 0;
    for (int row = 0; row < grid.rows(); ++row) {
        down += double(cells_down(grid, row));
        room -= head_of(grid, row) + 3 * grid.unit;
    }
    const double highest = std::max(least_cell(grid), highest_cell * grid.unit);
    grid.cell_h = std::clamp(room / std::max(1.0, down), least_cell(grid), highest);
    grid.spare_h = room - down * grid.cell_h;
}

// Whole pixels; no wider than looks good, unless numbers or keys need it. Masks share what is left.
void cap_widths(Grid& grid, double room) {
    const double keys = width_for_keys(grid), calm = std::max(1.7 * grid.cell_h, 44 * grid.unit);
    double widest = 0;
    for (int c = 0; c <= grid.last_column(); ++c) {
        double& cell = grid.columns[c].cell_w;
        if (is_mask_column(grid, c)) continue;
        const double needed = std::max(keys, width_for_numbers(grid, c));
        cell = whole_pixels(grid, std::min(cell, std::max(calm, needed)));
        widest = std::max(widest, cell);
        room -= cell * double(cells_across(grid, c));
    }
    const double of_masks = mask_cells_across(grid);
    const double shared = of_masks > 0 ? whole_pixels(grid, room / of_masks) : 0;
    for (int c = 0; c <= grid.last_column(); ++c) {
        if (!is_mask_column(grid, c)) continue;
        double& cell = grid.columns[c].cell_w;
        cell = std::max(std::min(widest, shared), whole_pixels(grid, cell));
        room -= cell * double(cells_across(grid, c));
    }
    grid.spare_w = std::max(0.0, room);
}

void turn_keys(Grid& grid) {
    const double width = width_for_keys(grid);
    for (PresentingColumn& column : grid.columns)
        column.upright = std::floor(column.cell_w) + 1 < width;
}

}  // namespace

void size_cells(Grid& grid, double room_w, double room_h) {
    grid.label_most = std::min(longest_query, 0.3 * room_w / grid.unit);
    grid.columns.assign(std::size_t(grid.last_column()) + 1, {});
    const double room = room_w - fixed_width(grid);
    divide_width(grid, room);
    turn_keys(grid);
    divide_height(grid, room_h);
    cap_widths(grid, room);
    double widest = least_cell(grid);
    for (const PresentingColumn& column : grid.columns) widest = std::max(widest, column.cell_w);
    const double low = whole_pixels(grid, std::min(grid.cell_h, widest));
    double down = 0;
    for (int row = 0; row < grid.rows(); ++row) down += double(cells_down(grid, row));
    grid.spare_h += down * (grid.cell_h - low);
    grid.cell_h = low;
}

void make_alike(std::vector<Grid>& grids) {
    Grid& first = grids.front();
    for (const Grid& grid : grids) {
        if (grid.columns.size() != first.columns.size()) return;
        first.cell_h = std::min(first.cell_h, grid.cell_h);
        first.tokens_ems.key = std::max(first.tokens_ems.key, grid.tokens_ems.key);
        for (std::size_t c = 0; c < first.columns.size(); ++c)
            first.columns[c].cell_w = std::min(first.columns[c].cell_w, grid.columns[c].cell_w);
    }
    for (const Grid& grid : grids)
        for (PresentingColumn& column : first.columns)
            column.upright |= column.cell_w + 1 < width_for_keys(grid);
    for (Grid& grid : grids) {
        grid.cell_h = first.cell_h;
        grid.tokens_ems.key = first.tokens_ems.key;
        for (std::size_t c = 0; c < first.columns.size(); ++c) {
            grid.columns[c].cell_w = first.columns[c].cell_w;
            grid.columns[c].upright = first.columns[c].upright;
        }
        if (grids.size() > 1) grid.spare_w = grid.spare_h = 0;
    }
}

// Distributes the remaining room between and around the columns.
void position(Grid& grid, Point from) {
    const double u = grid.unit, gaps = grid.last_column();
    const double wider = gaps > 0 ? std::min(grid.spare_w / gaps, 30 * u) : 0;
    const double lower = std::min(grid.spare_h / (grid.rows() + 1), 10 * u);
    double x = from.x + label_width(grid) + (grid.spare_w - gaps * wider) / 2;
    for (int c = 0; c <= grid.last_column(); ++c) {
        const PresentingColumn& column = grid.columns[c];
        x += column.gap + (c > 0 ? wider : 0);
        double y = from.y + lower;
        for (int row = 0; row < grid.rows(); ++row) {
            y += head_of(grid, row);
            for (Piece& piece : grid.pieces)
                if (piece.column == c && piece.row == row)
                    piece.rect = {std::round(x), std::round(y),
                                  double(piece.stage->cells->columns) * column.cell_w,
                                  double(piece.stage->cells->rows) * grid.cell_h};
            y += double(cells_down(grid, row)) * grid.cell_h + 3 * u + lower;
        }
        x += double(cells_across(grid, c)) * column.cell_w + column.sums;
    }
}

Heatmap heatmap_of(const Grid& grid, const Piece& piece, const LayoutOptions& options) {
    Heatmap map = heatmap_of(*piece.stage, piece.rect, options);
    map.lane = piece.lane ? piece.lane->variant : shared_lane;
    map.b = grid.block->b;
    map.h = piece.lane && piece.lane->head ? *piece.lane->head : grid.block->h;
    const double padding = piece.is_mask() ? 2 : grid.padding;
    map.number_form = grid.form;
    fit_numbers(map, grid.type, grid.unit, padding * grid.unit);
    return map;
}

bool shows_all_numbers(const Grid& grid) {
    const double em = grid.type * grid.unit;
    return std::ranges::all_of(grid.pieces, [&](const Piece& piece) {
        const double number = piece.number_ems[std::size_t(grid.form)] * em;
        return piece.is_mask() ||
               (number + 2 * grid.padding * grid.unit <= grid.cell_w(piece) + 0.5 &&
                lowest_row * em <= grid.cell_h);
    });
}

}  // namespace maskscope
