#pragma once
// Computes what happens to a row in which every key is blocked, for each mask value and dtype, with
// the arithmetic of the reference implementation.

#include <array>
#include <string>
#include <vector>

#include "app/figure/layout/lay_out.h"
#include "app/show/cells/cells.h"
#include "app/show/views/view_entry.h"

namespace maskscope {

inline constexpr std::size_t table_values = 8, table_dtypes = 4;

// A name for the resulting row, judged by its weights.
enum class RowName {
    nan,       // a weight is NaN
    zero,      // every weight is 0
    even,      // every key has the same weight
    unmasked,  // the weights are the same as without a mask
    neither
};
std::string_view words(RowName name);

struct TableRow {
    std::vector<double> logits, weights;  // [n_k]
    SharedCells cells;                    // the weights as they are drawn
};

struct TableEntry {
    BlockedValue value;
    int times = 1;
    Dtype dtype = Dtype::float32;
    TableRow row;
    RowName name = RowName::neither;
    std::vector<int> variants;  // the table's variants with this mask value, times and dtype
};

// The table for variants that differ at most in mask value, times, dtype, blocking rules, output
// and name.
struct ValueTable {
    std::vector<int> variants;
    std::vector<std::string> names;  // the variants' names
    Index b = 0, h = 0, row = 0;
    std::string query;
    std::vector<std::string> keys;
    std::array<TableRow, table_dtypes> unmasked;  // the same row without a mask
    std::array<bool, table_dtypes> is_even{};     // the row is uniform without a mask, too
    std::array<std::array<TableEntry, table_dtypes>, table_values> entries;
};

struct ValueTables {
    std::vector<ValueTable> tables;
    std::string missing;  // why there is no table, as a sentence
};

// Makes tables for the row of row_in_view(), the first sequence and head of the view, and those
// variants of the view that add their mask or replace scores. Throws Cancellation.
ValueTables make_value_tables(const Result& result, const View& view, Progress& progress);

// Returns the name of `weights`, compared with the row without a mask. Numbers count as equal if
// they differ by at most 0.005 × the largest number of the row that they are compared with. If both
// rows are uniform, the name is "unmasked".
RowName name_of(const std::vector<double>& weights, const std::vector<double>& unmasked);

// Adds the entry as a variant: a copy of the table's first variant with this mask value, times and
// dtype, in which every key of the table's row is blocked. For Session::edit; throws EditError.
void make_variant(Scene& scene, const ValueTable& table, const TableEntry& entry);

Figure lay_out_value_tables(const ValueTables& tables, const View& view, const std::string& title,
                            const LayoutOptions& options);

extern const ViewEntry value_table_entry;
// Returns the view's content; nullptr if it was not made.
inline const ValueTables* tables_of(const ViewData& data) {
    return static_cast<const ValueTables*>(data.content(ViewKind::table));
}

std::string value_words(const BlockedValue& value, int times);  // such as "−1e9" or "−1e9 twice"

}  // namespace maskscope
