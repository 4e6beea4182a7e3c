#pragma once

#include <string>
#include <vector>

#include "core/result/backend.h"

namespace maskscope {

// A name in a table whose fields `separator` divides: quoted as in RFC 4180 where it must be. What
// a spreadsheet would run as a formula (=, @, and + or - before anything but a number) is led by an
// apostrophe. https://owasp.org/www-community/attacks/CSV_Injection
std::string table_field(const std::string& name, char separator);

// Whether a table can hold it: it has a number for each key.
bool has_column(StageKind stage);

// The contents of a table; everything counts from 0.
struct CsvCells {
    std::vector<int> lanes;  // variants
    std::vector<Index> sequences, heads;
    std::vector<StageKind> stages;
    std::optional<Rows> rows{}, columns{};  // these queries and keys alone
};

// A table with a row for each cell: lane, sequence, head, query, key, both tokens, blocked (1 or
// 0), then a column for each stage that one of the lanes has; a lane without it leaves its cells
// empty. Numbers have all their digits, beside inf, -inf and nan; commas, UTF-8, lines that end
// with \n, tokens as table_field() writes them. Throws WorkError if it would not fit in memory, and
// for a stage that no table can hold.
std::string csv_bytes(const Result& result, const CsvCells& cells);

}  // namespace maskscope
