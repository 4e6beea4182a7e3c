#pragma once

#include <string>
#include <vector>

#include "app/show/cells/cells.h"
#include "core/result/request.h"

namespace maskscope {

// Returns a name for a table whose fields `separator` divides: quoted as in RFC 4180 if necessary.
// If a spreadsheet would run it as a formula (=, @, and + or - before anything but a number), it
// begins with an apostrophe. https://owasp.org/www-community/attacks/CSV_Injection
std::string table_field(const std::string& name, char separator);

// The contents of a table; everything is counted from 0.
struct CsvCells {
    std::vector<int> lanes;  // variants
    std::vector<Index> sequences, heads;
    std::vector<StageKind> stages;
    std::optional<Rows> rows{}, columns{};  // only these queries and keys
};

// Returns a table with a row for each cell: variant, sequence, head, query, key, both tokens,
// blocked (1 or 0), then a column for each stage that one of the variants has; the cells of a
// variant without the stage are empty. Numbers have all their digits; there are also inf, -inf and
// nan. Commas, UTF-8, lines that end with \n, tokens as table_field() writes them. Throws WorkError
// if it would not fit in memory, and for a stage that no table can hold.
std::string csv_bytes(const Result& result, const CsvCells& cells);

// Writes one heatmap as a table to be pasted into a spreadsheet: a line with the names of the
// columns, then one for each row, its name first; tabs between them, \n at the ends. Numbers have
// all their digits; besides them there are inf, -inf and NaN, blocked or not; the mask is 1 and 0.
// Names are written as table_field() does. rows, columns: as many names as the cells have.
std::string tsv_text(const Cells& cells, const std::vector<std::string>& rows,
                     const std::vector<std::string>& columns);

}  // namespace maskscope
