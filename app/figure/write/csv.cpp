#include "app/figure/write/csv.h"

#include <fmt/format.h>
#include <glib.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>

#include "core/base/error.h"
#include "core/scene/names.h"

namespace maskscope {

namespace {

constexpr std::size_t most_cells = 10'000'000;  // about a gigabyte of text

// Returns the plainest form of a character: '=' for the full-width and the small equals sign.
gunichar plain_form(gunichar letter) {
    gunichar plain = letter;
    return g_unichar_fully_decompose(letter, /*compat=*/TRUE, &plain, 1) == 1 ? plain : letter;
}

bool is_unseen(gunichar letter) {
    return !g_unichar_isgraph(letter) || g_unichar_iszerowidth(letter);
}

// True if a spreadsheet may run the name as a formula. Spreadsheets skip invisible characters, and
// some accept full-width signs.
bool is_formula(const std::string& name) {
    std::string_view rest = name;
    gunichar sign = 0;
    do {
        sign = g_utf8_get_char_validated(rest.data(), static_cast<gssize>(rest.size()));
        if (rest.empty() || sign > 0x10ffff) return false;
        rest.remove_prefix(static_cast<std::size_t>(g_unichar_to_utf8(sign, nullptr)));
    } while (is_unseen(sign));
    if (rest.empty()) return false;
    sign = plain_form(sign);
    const bool is_number = rest.find_first_not_of("0123456789.,") == std::string::npos;
    return sign == '=' || sign == '@' || ((sign == '+' || sign == '-') && !is_number);
}

// Appends the shortest text that is read back as the same number, in the stage's own precision.
void append_number(std::string& csv, const Stage& stage, double number) {
    const auto out = std::back_inserter(csv);
    if (std::isnan(number))
        csv += "nan";  // written without the sign that NaN may have
    else if (stage.is_float64())
        fmt::format_to(out, "{}", number);
    else
        fmt::format_to(out, "{}", static_cast<float>(number));
}

// Returns those of the requested rows, or columns, that exist among n: a model may have produced
// fewer words than the scene has.
Rows part_of(const std::optional<Rows>& part, Index n) {
    if (!part) return {0, n};
    const Index first = std::min(part->first, n);
    return {first, std::min(part->count, n - first)};
}

struct Row {
    int variant = 0;
    Index b = 0, h = 0, i = 0;
};

void append_row(std::string& csv, const VariantResult& variant, const Row& row, const Rows& keys,
                const std::vector<StageKind>& stages) {
    const std::string query = table_field(variant.queries[row.b][row.i], ',');
    for (Index j = keys.first; j < keys.first + keys.count; ++j) {
        fmt::format_to(std::back_inserter(csv), "{},{},{},{},{},{},{},{}",
                       variant_letter(row.variant), row.b, row.h, row.i, j, query,
                       table_field(variant.keys[row.b][j], ','),
                       variant.is_allowed(row.b, row.h, row.i, j) ? 0 : 1);
        for (const StageKind kind : stages) {
            csv += ',';
            if (const Stage& stage = variant.stage(kind); stage.exists())
                append_number(csv, stage, stage.at(row.b, row.h, row.i, j));
        }
        csv += '\n';
    }
}

}  // namespace

std::string table_field(const std::string& name, char separator) {
    const std::string text = (is_formula(name) ? "'" : "") + name;
    if (text.find_first_of(std::string("\"\r\n") + separator) == std::string::npos) return text;
    std::string quoted = "\"";
    for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
    return quoted + '"';
}

std::string csv_bytes(const Result& result, const CsvCells& cells) {
    std::vector<StageKind> stages = cells.stages;
    for (const StageKind stage : stages)
        if (!has_heads(stage))
            throw WorkError(fmt::format("a .csv file has no column {}", name(stage)));
    std::erase_if(stages, [&](StageKind kind) {
        return std::ranges::none_of(
            cells.variants, [&](int index) { return result.variants[index].stage(kind).exists(); });
    });
    std::size_t count = 0;
    for (const int index : cells.variants) {
        const Shape& shape = result.variants[index].shape;
        const Rows rows = part_of(cells.rows, shape.n_q), keys = part_of(cells.columns, shape.n_k);
        count += cells.sequences.size() * cells.heads.size() * std::size_t(rows.count * keys.count);
    }
    if (count > most_cells)
        throw WorkError(
            fmt::format("the table would have {} rows, more than {}. Choose a variant, a sequence, "
                        "a head, rows or columns",
                        count, most_cells));
    std::string csv = "lane,sequence,head,query,key,query_token,key_token,blocked";
    for (const StageKind kind : stages) fmt::format_to(std::back_inserter(csv), ",{}", name(kind));
    csv += '\n';
    for (const int index : cells.variants) {
        const VariantResult& variant = result.variants[index];
        const Rows rows = part_of(cells.rows, variant.shape.n_q),
                   keys = part_of(cells.columns, variant.shape.n_k);
        for (const Index b : cells.sequences)
            for (const Index h : cells.heads)
                for (Index i = rows.first; i < rows.first + rows.count; ++i)
                    append_row(csv, variant, {index, b, h, i}, keys, stages);
    }
    return csv;
}

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
                tsv += "\tNaN";  // written without the sign that NaN may have
            else if (float32)
                fmt::format_to(out, "\t{}", static_cast<float>(number));
            else
                fmt::format_to(out, "\t{}", number);
    }
    return tsv + '\n';
}

}  // namespace maskscope
