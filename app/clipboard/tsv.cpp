#include "app/clipboard/tsv.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "app/figure/write/csv.h"

namespace maskscope {

std::string tsv_text(const Cells& cells, const std::vector<std::string>& rows,
                     const std::vector<std::string>& columns) {
    std::string tsv;
    for (const std::string& name : columns) tsv += '\t' + table_field(name, '\t');
    const bool float32 = cells.source && !cells.source->numbers.is_float64();
    const auto out = std::back_inserter(tsv);
    for (Index i = 0; i < cells.rows; ++i) {
        tsv += '\n' + table_field(rows[i], '\t');
        for (const double number : row_of(cells, i).values)
            if (std::isnan(number))
                tsv += "\tNaN";  // NaN has no sign
            else if (float32)
                fmt::format_to(out, "\t{}", static_cast<float>(number));
            else
                fmt::format_to(out, "\t{}", number);
    }
    return tsv + '\n';
}

}  // namespace maskscope
