#include "app/show/cells/cell_texels.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "app/show/cells/cell_rows.h"
#include "core/scene/scene.h"

namespace maskscope {

using Words = std::vector<std::uint32_t>;

namespace {

// Levels finer than this are computed from cells on request.
constexpr int first_level = 2;

// Returns the word of a number. Has no branches or calls, because it runs over millions of cells in
// vectors.
[[gnu::always_inline]] inline std::uint32_t word_of(float number, bool blocked, bool leaks) {
    const auto bits = std::bit_cast<std::uint32_t>(number);
    const std::uint32_t size = bits & 0x7fffffffU, is_nan = size > 0x7f800000U;
    const std::uint32_t negative = (bits >> 31U) & (size != 0), is_zero = size == 0;
    const std::uint32_t least = size != 0;  // so that nonzero numbers do not become zero
    std::uint32_t magnitude = size >> word::magnitude_shift;
    magnitude = magnitude > least ? magnitude : least;
    magnitude = is_nan ? 0 : magnitude;
    const std::uint32_t minus_infinity = (size == 0x7f800000U) & negative;
    const std::uint32_t shows_none = std::uint32_t(blocked) & (is_zero | minus_infinity);
    const std::uint32_t field = shows_none ? 0 : magnitude + 1;
    return field << word::magnitude_shift | ((negative & (is_nan ^ 1U)) ^ 1U) * word::not_negative |
           (blocked ? 0 : word::allowed) | is_nan * word::nan | std::uint32_t(leaks) * word::leaks;
}

// Merges the words of a row into `words`; the word 0 never wins.
template <class Blocked, class Leaks>
[[gnu::always_inline]] inline void merge_numbers(std::span<const float> numbers, Blocked blocked,
                                                 Leaks leaks, std::uint32_t* words) {
    for (std::size_t j = 0; j < numbers.size(); ++j)
        words[j] = merged(words[j], word_of(numbers[j], blocked(j), leaks(j)));
}

MASKSCOPE_WIDE void merge_all(std::span<const float> numbers, std::uint32_t* words) {
    merge_numbers(
        numbers, [](std::size_t) { return false; }, [](std::size_t) { return false; }, words);
}

MASKSCOPE_WIDE void merge_masked(std::span<const float> numbers, const std::uint8_t* allowed,
                                 std::uint32_t* words) {
    merge_numbers(
        numbers, [allowed](std::size_t j) { return allowed[j] == 0; },
        [](std::size_t) { return false; }, words);
}

MASKSCOPE_WIDE void merge_weights(std::span<const float> numbers, const std::uint8_t* allowed,
                                  std::uint32_t* words) {
    const float* x = numbers.data();
    const auto blocked = [allowed](std::size_t j) { return allowed[j] == 0; };
    merge_numbers(
        numbers, blocked, [=](std::size_t j) { return (allowed[j] == 0) & (x[j] >= least_leak); },
        words);
}

MASKSCOPE_WIDE void merge_padded(std::span<const float> numbers, const std::uint8_t* allowed,
                                 const std::uint8_t* pads, std::uint32_t* words) {
    const float* x = numbers.data();
    const auto blocked = [allowed](std::size_t j) { return allowed[j] == 0; };
    merge_numbers(
        numbers, blocked,
        [=](std::size_t j) { return ((allowed[j] == 0) | (pads[j] != 0)) & (x[j] >= least_leak); },
        words);
}

// Scales a number. Nonzero numbers do not become zero, and finite ones do not become infinite.
float scaled(double value, double scale) {
    const auto number = static_cast<float>(value * scale);
    if (std::isinf(number) && std::isfinite(value))
        return std::copysign(std::numeric_limits<float>::max(), number);
    if (number != 0 || value == 0) return number;
    return std::copysign(std::numeric_limits<float>::denorm_min(), static_cast<float>(value));
}

// Returns these columns of one row as floats. room: holds them if they have to be converted.
std::span<const float> floats_of(const RawRow& row, CellSpan columns, double scale,
                                 std::vector<float>& room) {
    const auto first = static_cast<std::size_t>(columns.begin);
    const auto count = static_cast<std::size_t>(columns.end - columns.begin);
    if (!row.float32.empty()) return row.float32.subspan(first, count);
    room.resize(count);
    for (std::size_t j = 0; j < count; ++j) room[j] = scaled(row.float64[first + j], scale);
    return room;
}

// Merges a row of the mask. missing: null if no key is missing.
void merge_mask(const std::uint8_t* allowed, const std::uint8_t* missing, CellSpan columns,
                std::uint32_t* words) {
    const std::uint32_t sees = word_of(1, false, false), blocks = word_of(0, true, false);
    for (Index j = columns.begin; j < columns.end; ++j, ++words) {
        *words = merged(*words, allowed[j] != 0 ? sees : blocks);
        if (missing && missing[j] != 0) *words |= word::missing;
    }
}

void merge_raw(const Cells& cells, Index i, CellSpan columns, double scale, std::uint32_t* words) {
    static thread_local std::vector<float> room;
    const CellSource& source = *cells.source;
    const RawRow row = raw_row(source, cells.b, cells.h, i);
    if (source.stage == StageKind::allowed)
        return merge_mask(row.allowed, row.marked, columns, words);
    const auto numbers = floats_of(row, columns, scale, room);
    const std::uint8_t* allowed = row.allowed ? row.allowed + columns.begin : nullptr;
    const std::uint8_t* marked = row.marked ? row.marked + columns.begin : nullptr;
    if (!allowed || !shows_blocked(cells.stage)) return merge_all(numbers, words);
    if (cells.stage != StageKind::weights) return merge_masked(numbers, allowed, words);
    if (!marked) return merge_weights(numbers, allowed, words);
    merge_padded(numbers, allowed, marked, words);
}

// Merges cells that hold their own numbers, or whose numbers are on the GPU, row by row.
void merge_read(const Cells& cells, Index i, CellSpan columns, double scale, std::uint32_t* words) {
    const CellRow row = row_of(cells, i);
    for (Index j = columns.begin; j < columns.end; ++j) {
        const auto k = static_cast<std::size_t>(j);
        const std::uint8_t signs = row.signs[k];
        *words = merged(*words, word_of(scaled(row.values[k], scale), (signs & sign::blocked) != 0,
                                        (signs & sign::leaks) != 0));
        if ((signs & sign::missing) != 0) *words |= word::missing;
        ++words;
    }
}

void merge_row(const Cells& cells, Index i, CellSpan columns, double scale, std::uint32_t* words) {
    if (cells.source && !is_remote(*cells.source))
        merge_raw(cells, i, columns, scale, words);
    else
        merge_read(cells, i, columns, scale, words);
}

MASKSCOPE_WIDE void merge_into(std::uint32_t* words, const std::uint32_t* others,
                               std::size_t count) {
    for (std::size_t k = 0; k < count; ++k) words[k] = merged(words[k], others[k]);
}

}  // namespace

std::vector<std::pair<std::string, int>> cell_defines() {
    return {{"SIGN_BLOCKED", sign::blocked},
            {"LEAST_LEAK", std::bit_cast<std::int32_t>(least_leak)},
            {"SIGN_LEAKS", sign::leaks},
            {"SIGN_NAN", sign::nan},
            {"SIGN_PLUS_INFINITY", sign::plus_infinity},
            {"SIGN_MINUS_INFINITY", sign::minus_infinity},
            {"SIGN_ZERO", sign::zero},
            {"SIGN_MISSING", sign::missing},
            {"WORD_SHIFT", word::magnitude_shift},
            {"WORD_INFINITY", word::infinity},
            {"WORD_NOT_NEGATIVE", word::not_negative},
            {"WORD_ALLOWED", word::allowed},
            {"WORD_NAN", word::nan},
            {"WORD_LEAKS", word::leaks},
            {"WORD_MISSING", static_cast<int>(word::missing)},
            {"WORD_OF_ANY", static_cast<int>(word::of_any)}};
}

// --- levels

struct CellLevels {
    // A level whose copies share words until they are written to, a few rows at a time.
    class Level {
    public:
        Index rows, columns;
        Level(Index rows, Index columns)
            : rows(rows), columns(columns), blocks_(size_t((rows - 1) / block_rows + 1)) {
            for (auto& block : blocks_)
                block = std::make_shared<Words>(size_t(std::min(rows, block_rows) * columns));
        }
        const std::uint32_t* row(Index r) const {
            return blocks_[size_t(r / block_rows)]->data() + r % block_rows * columns;
        }
        std::uint32_t* own_row(Index r) {
            auto& block = blocks_[size_t(r / block_rows)];
            if (block.use_count() > 1) block = std::make_shared<Words>(*block);
            return block->data() + r % block_rows * columns;
        }

    private:
        static constexpr Index block_rows = 16;
        std::vector<std::shared_ptr<Words>> blocks_;
    };
    double scale = 1;
    std::vector<Level> levels;  // from first_level on; each halves the one before, rounding up
};

namespace {

using Level = CellLevels::Level;

Level level_for(const Cells& cells, int level) {
    const auto reduced = [level](Index n) { return ((n - 1) >> level) + 1; };
    return {reduced(cells.rows), reduced(cells.columns)};
}

// Fills one row of the first level: the cells of 2^first_level rows.
void fill_first(Level& level, const Cells& cells, Index r, double scale) {
    static thread_local Words line;
    const Index end = std::min(cells.rows, (r + 1) << first_level);
    line.assign(static_cast<std::size_t>(cells.columns), 0);
    for (Index i = r << first_level; i < end; ++i)
        merge_row(cells, i, {0, cells.columns}, scale, line.data());
    constexpr Index width = 1 << first_level;
    std::uint32_t* to = level.own_row(r);
    const Index whole = cells.columns / width;
    for (Index c = 0; c < whole; ++c) {
        const std::uint32_t* from = line.data() + width * c;
        to[c] = merged(merged(from[0], from[1]), merged(from[2], from[3]));
    }
    if (whole == level.columns) return;
    to[whole] = line[width * whole];
    merge_into(&to[whole], &line.back(), 1);
    for (Index j = width * whole; j < cells.columns; ++j) to[whole] = merged(to[whole], line[j]);
}

void fill_next(const Level& below, Level& level, Index r) {
    std::uint32_t* to = level.own_row(r);
    const std::uint32_t* upper = below.row(2 * r);
    const std::uint32_t* lower = below.row(std::min(2 * r + 1, below.rows - 1));
    for (Index c = 0; c < level.columns; ++c) {
        const Index left = 2 * c, right = std::min(left + 1, below.columns - 1);
        to[c] = merged(merged(upper[left], upper[right]), merged(lower[left], lower[right]));
    }
}

// Fills those rows of the levels that contain these `rows` of cells.
void fill(CellLevels& made, const Cells& cells, std::vector<Index> rows) {
    for (std::size_t k = 0; k < made.levels.size(); ++k) {
        for (Index& row : rows) row >>= k == 0 ? first_level : 1;
        rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
        for (const Index r : rows)
            if (k == 0)
                fill_first(made.levels[0], cells, r, made.scale);
            else
                fill_next(made.levels[k - 1], made.levels[k], r);
    }
}

// Fills all rows, and computes the summaries of the cells if they are not yet known, so that memory
// is read only once.
void fill_all(CellLevels& made, const Cells& cells, Pool* pool) {
    const auto fill_rows = [&](Index begin, Index end) {
        for (Index r = begin >> first_level; r << first_level < end; ++r)
            fill_first(made.levels[0], cells, r, made.scale);
    };
    const bool in_memory = cells.source && !is_remote(*cells.source) && !cells.source->computed;
    if (!in_memory || !cells.source->look(cells.b, cells.h, pool, fill_rows))
        each_part(pool, cells.rows, fill_rows);
    for (std::size_t k = 1; k < made.levels.size(); ++k)
        for (Index r = 0; r < made.levels[k].rows; ++r)
            fill_next(made.levels[k - 1], made.levels[k], r);
}

std::shared_ptr<const CellLevels> levels_from(const Cells& cells, const CellLevels* before,
                                              std::vector<Index> changed, Pool* pool) {
    auto made = std::make_shared<CellLevels>();
    const double scale = scale_of(cells);
    if (before && before->scale == scale) {
        *made = *before;
        fill(*made, cells, std::move(changed));
    } else {
        made->scale = scale;
        for (int k = first_level;
             k == first_level || made->levels.back().rows > 1 || made->levels.back().columns > 1;
             ++k)
            made->levels.push_back(level_for(cells, k));
        fill_all(*made, cells, pool);
    }
    return made;
}

std::shared_ptr<const CellLevels> levels_of(const Cells& cells, Pool* pool = nullptr) {
    LazyLevels::Slot& slot = *cells.levels.slot;
    const std::lock_guard lock(slot.mutex);
    if (!slot.made) slot.made = levels_from(cells, nullptr, {}, pool);
    return slot.made;
}

std::shared_ptr<const CellLevels> levels_made(const Cells& cells) {
    const std::lock_guard lock(cells.levels.slot->mutex);
    return cells.levels.slot->made;
}

// --- places

// Merges these columns of the rows of one place into one line.
void cells_into(Words& line, const Cells& cells, CellSpan rows, CellSpan columns, double scale) {
    std::ranges::fill(line, 0);
    for (Index i = rows.begin; i < rows.end; ++i) merge_row(cells, i, columns, scale, line.data());
}

CellSpan coarser(CellSpan span, int level) {
    return {span.begin >> level, ((span.end - 1) >> level) + 1};
}

void columns_into(std::uint32_t* to, const Words& line, const std::vector<CellSpan>& columns,
                  int level, Index first) {
    for (const CellSpan& span : columns) {
        const CellSpan coarse = coarser(span, level);
        const std::uint32_t* from = line.data() + (coarse.begin - first);
        std::uint32_t word = *from;
        for (Index j = coarse.begin + 1; j < coarse.end; ++j) word = merged(word, *++from);
        *to++ = word;
    }
}

}  // namespace

void prepare_levels(const Cells& cells, const Cells& before, Pool* pool) {
    const auto old = levels_made(before);
    if (!old || levels_made(cells) || !cells.source || is_remote(*cells.source)) return;
    std::vector<Index> changed = changed_rows(cells, before);
    if (static_cast<Index>(changed.size()) > cells.rows / 4) return;
    auto made = levels_from(cells, old.get(), std::move(changed), pool);
    const std::lock_guard lock(cells.levels.slot->mutex);
    cells.levels.slot->made = std::move(made);
}

void prepare_levels(const Cells& cells, Pool* pool) {
    constexpr Index most_quick = 1 << 18;  // cells, for which a millisecond is enough
    if (cells.source && cells.source->computed) return;
    if (cells.rows * cells.columns > most_quick) levels_of(cells, pool);
}

double scale_of(const Cells& cells) {
    if (cells.source && (cells.source->computed || !cells.source->numbers.is_float64())) return 1;
    const double magnitude = largest_magnitude(cells);
    if (!(magnitude > 0)) return 1;
    return std::ldexp(1.0, std::clamp(-std::ilogb(magnitude), -1022, 1022));
}

int level_of(double cells_a_place) {
    return cells_a_place < 2 ? 0 : std::min(62, static_cast<int>(std::log2(cells_a_place)));
}

CellSpan span_of(double from, double to, Index cells, int level) {
    const Index last = cells - 1;
    const Index begin = std::clamp<Index>(static_cast<Index>(std::floor(from)), 0, last);
    const Index end = std::clamp<Index>(static_cast<Index>(std::ceil(to)) - 1, begin, last);
    return {begin >> level << level, std::min(((end >> level) + 1) << level, cells)};
}

namespace {

// Returns the mean number of cells at a place.
double cells_a_place(const std::vector<CellSpan>& spans) {
    return double(spans.back().end - spans.front().begin) / double(spans.size());
}

// The least size of a place, × the size of a word. A place that is smaller than a word also shows
// cells of its neighbours.
constexpr double least_in_place = 0.75;

bool is_fine_enough(const SurveyedCells& known, const CellPlaces& places) {
    const auto enough = [](const std::vector<CellSpan>& spans, int level) {
        return cells_a_place(spans) >= least_in_place * double(Index{1} << level);
    };
    return enough(places.rows, known.row_level) && enough(places.columns, known.column_level);
}

// Makes the words of all places. row_of(r): a row of words, each for 2^row_level rows and
// 2^column_level columns. A place includes every word that it overlaps.
template <class RowOf>
Words words_at(const RowOf& row_of, int row_level, int column_level, const CellPlaces& places) {
    Words words(places.rows.size() * places.columns.size());
    const CellSpan columns =
        coarser({places.columns.front().begin, places.columns.back().end}, column_level);
    Words line(static_cast<std::size_t>(columns.end - columns.begin));
    const auto row = [&](Index r) { return row_of(r) + columns.begin; };
    CellSpan before{-1, -1};
    for (std::size_t k = 0; k < places.rows.size(); ++k) {
        const CellSpan rows = coarser(places.rows[k], row_level);
        std::uint32_t* to = words.data() + k * places.columns.size();
        if (rows == before) {
            std::copy_n(to - places.columns.size(), places.columns.size(), to);
            continue;
        }
        before = rows;
        std::copy_n(row(rows.begin), line.size(), line.data());
        for (Index r = rows.begin + 1; r < rows.end; ++r)
            merge_into(line.data(), row(r), line.size());
        columns_into(to, line, places.columns, column_level, columns.begin);
    }
    return words;
}

Words cell_words(const Cells& cells, const CellPlaces& places, double scale) {
    Words words(places.rows.size() * places.columns.size());
    const CellSpan columns{places.columns.front().begin, places.columns.back().end};
    Words line(static_cast<std::size_t>(columns.end - columns.begin));
    for (std::size_t r = 0; r < places.rows.size(); ++r) {
        std::uint32_t* to = words.data() + r * places.columns.size();
        if (r > 0 && places.rows[r] == places.rows[r - 1]) {
            std::copy_n(to - places.columns.size(), places.columns.size(), to);
            continue;
        }
        cells_into(line, cells, places.rows[r], columns, scale);
        columns_into(to, line, places.columns, 0, columns.begin);
    }
    return words;
}

// Returns words from a survey. If it is too coarse for these places, requests finer words, or
// computes them if the source does not ask. Unknown cells are an allowed 0, and are not requested,
// because the survey will reach them.
Words computed_texels(const Cells& cells, const CellPlaces& places) {
    LazyLevels::Slot& slot = *cells.levels.slot;
    std::shared_ptr<const SurveyedCells> known;
    {
        const std::lock_guard lock(slot.mutex);
        slot.seen = LazyLevels::Visibility::now;
        known = slot.surveyed;
        const bool coarse = known && !is_fine_enough(*known, places);
        const bool lacks = coarse && known->closer != places;
        slot.closely = coarse;
        if (!lacks || !cells.source->asks)
            slot.wanted = nullptr;  // the user has zoomed in further
        else if (!slot.wanted || *slot.wanted != places)
            slot.wanted = std::make_shared<const CellPlaces>(places);
        if (coarse && !lacks) return known->close;
        if (lacks && !cells.source->asks) known = nullptr;
    }
    if (known)
        return words_at([&](Index r) { return known->words->data() + r * known->columns; },
                        known->row_level, known->column_level, places);
    if (!cells.source->asks) return cell_words(cells, places, 1);
    return Words(places.rows.size() * places.columns.size(), word_of(0, false, false));
}

}  // namespace

// Returns twice as many as needed, because a level may have only half as many words as requested.
Index words_along(double pixels) {
    return static_cast<Index>(std::ceil(2 * least_in_place * pixels));
}

Words texels_of(const Cells& cells, const CellPlaces& places, double scale) {
    if (places.rows.empty() || places.columns.empty()) return {};
    return cell_words(cells, places, scale);
}

Words texels_of(const Cells& cells, const CellPlaces& places) {
    if (places.rows.empty() || places.columns.empty()) return {};
    if (cells.source && cells.source->computed) return computed_texels(cells, places);
    if (places.level < first_level) return cell_words(cells, places, scale_of(cells));
    const auto levels = levels_of(cells);
    const auto at =
        std::min(static_cast<std::size_t>(places.level - first_level), levels->levels.size() - 1);
    const int level = static_cast<int>(at) + first_level;
    const Level& known = levels->levels[at];
    return words_at([&](Index r) { return known.row(r); }, level, level, places);
}

ShownCell shown_cell(std::uint32_t word, double scale) {
    const bool positive = (word & word::not_negative) != 0;
    const std::uint32_t field = (word & ~word::missing) >> word::magnitude_shift;
    ShownCell shown;
    if ((word & word::allowed) == 0) shown.signs |= sign::blocked;
    if ((word & word::leaks) != 0) shown.signs |= sign::leaks;
    if ((word & word::missing) != 0) shown.signs |= sign::missing;
    if ((word & word::nan) != 0) {
        shown.signs |= sign::nan;
        shown.value = not_a_number;
        return shown;
    }
    if (field == 0)
        shown.value = positive ? 0 : -infinity;
    else if (field - 1 == word::infinity)
        shown.value = positive ? infinity : -infinity;
    else
        shown.value = std::bit_cast<float>((field - 1) << word::magnitude_shift) *
                      (positive ? 1 : -1) / scale;
    shown.signs |= sign_of_number(shown.value);
    return shown;
}

}  // namespace maskscope
