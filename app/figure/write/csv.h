#pragma once

#include <string>
#include <vector>

#include "app/show/cells/cells.h"
#include "core/result/request.h"

namespace maskscope {

// Returns a name as a field of a table with this separator: quoted as in RFC 4180 if necessary. If
// a spreadsheet would run it as a formula (=, @, and + or - before anything but a number), the
// field begins with an apostrophe. https://owasp.org/www-community/attacks/CSV_Injection
std::string table_field(const std::string& name, char separator);

// The contents of a table. All indices count from 0.
struct CsvCells {
    std::vector<int> variants;
    std::vector<Index> sequences, heads;
    std::vector<StageKind> stages;
    std::optional<Rows> rows{}, columns{};  // only these queries and keys
};

// Returns a comma-separated table in UTF-8, with lines that end with \n. It has a row for each
// cell: variant, sequence, head, query, key, both tokens, blocked (1 or 0), then a column for each
// stage that one of the variants has; cells of a variant without the stage are empty. Numbers have
// all their digits, and may be inf, -inf or nan. Tokens are written as table_field() does. Throws
// WorkError if the table would not fit in memory, or for a stage that no table can hold.
std::string csv_bytes(const Result& result, const CsvCells& cells);

// Returns one heatmap as a table to be pasted into a spreadsheet: a line with the names of the
// columns, then a line for each row, which begins with its name; fields are separated by tabs, and
// lines end with \n. Numbers have all their digits, and may be inf, -inf or NaN, even in blocked
// cells; the mask is written as 1 and 0. Names are written as table_field() does. rows, columns:
// one name for each row and column of the cells.
std::string tsv_text(const Cells& cells, const std::vector<std::string>& rows,
                     const std::vector<std::string>& columns);

}  // namespace maskscope
