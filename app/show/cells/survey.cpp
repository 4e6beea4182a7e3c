#include "app/show/cells/survey.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <span>
#include <utility>

#include "app/show/cells/cell_rows.h"
#include "app/show/cells/cell_texels.h"

namespace maskscope {
namespace {

// Returns the indices below `count`, each once, in an order that spreads them: first those near 0,
// 1/2, 1/4, 3/4, 1/8, … of the whole.
std::vector<Index> spread_order(Index count) {
    const int bits = std::bit_width(static_cast<std::uint64_t>(count - 1));
    std::vector<Index> order;
    for (Index k = 0; k < Index{1} << bits; ++k) {
        Index reversed = 0;
        for (int bit = 0; bit < bits; ++bit)
            if ((k >> bit & 1) != 0) reversed |= Index{1} << (bits - 1 - bit);
        if (reversed < count) order.push_back(reversed);
    }
    return order;
}

Index reduced(Index n, int level) { return ((n - 1) >> level) + 1; }

int level_for(Index n, Index most) {
    int level = 0;
    while (reduced(n, level) > most) ++level;
    return level;
}

std::vector<CellSpan> columns_of(Index columns, int level) {
    std::vector<CellSpan> spans;
    for (Index begin = 0; begin < columns; begin += Index{1} << level)
        spans.push_back({begin, std::min(columns, begin + (Index{1} << level))});
    return spans;
}

// The first pass computes one of every `sample` blocks. After it, numbers_at_once numbers are
// computed at a time, so that they stay in cache; each thread computes rows_in_part rows at a time.
constexpr Index sample = 16, numbers_at_once = Index{1} << 20, rows_in_part = 32;
// The most numbers of an edited variant that are computed before its sample. Computing that many
// takes about a twentieth of a second.
constexpr Index most_before_a_sample = Index{1} << 24;

Index rows_of(const CellPlaces& places) {
    return places.rows.back().end - places.rows.front().begin;
}

Index blocks_in(Index rows, int level) { return std::max<Index>(1, rows >> level); }

}  // namespace

VariantSurvey::VariantSurvey(VariantResult variant, std::vector<StageKind> stages, Index most_words,
                             bool asks, std::shared_ptr<Pool> pool,
                             std::shared_ptr<const ReferenceMask> reference)
    : variant_(std::move(variant)),
      asks_(asks),
      pool_(std::move(pool)),
      reference_(std::move(reference)) {
    for (const StageKind stage : stages) {
        if (stage != StageKind::allowed && !variant_.stage(stage).remote()) continue;
        stages_.push_back(stage);
        if (stage != StageKind::allowed) wanted_.set(static_cast<std::size_t>(stage));
    }
    most_columns_ = std::max<Index>(1, static_cast<Index>(std::sqrt(double(most_words))));
    level_ = level_for(variant_.shape.n_q, most_columns_);
    order_ = spread_order(reduced(variant_.shape.n_q, level_));
    heads_.resize(static_cast<std::size_t>(variant_.shape.b * variant_.shape.h));
}

bool VariantSurvey::is_like(const VariantSurvey& other) const {
    return variant_.shape == other.variant_.shape && stages_ == other.stages_ &&
           level_ == other.level_ && most_columns_ == other.most_columns_ && asks_ == other.asks_ &&
           is_same(reference_, other.reference_);
}

int VariantSurvey::column_level(StageKind stage) const {
    const Index columns =
        stage == StageKind::allowed ? variant_.shape.n_k : variant_.stage(stage).columns();
    return level_for(columns, most_columns_);
}

VariantSurvey::SeenHead& VariantSurvey::head_of(Index head) {
    SeenHead& seen = heads_[static_cast<std::size_t>(head)];
    if (!seen.stages.empty()) return seen;
    seen.seen.resize(order_.size());
    for (const StageKind stage : stages_) {
        const Index columns =
            stage == StageKind::allowed ? variant_.shape.n_k : variant_.stage(stage).columns();
        SeenStage& made = *seen.stages.emplace_back(std::make_shared<SeenStage>());
        made.looks.resize(static_cast<std::size_t>(variant_.shape.n_q));
        made.words.resize(order_.size() *
                          static_cast<std::size_t>(reduced(columns, column_level(stage))));
    }
    seen.filled.resize(stages_.size());
    return seen;
}

SharedSource VariantSurvey::source_of_rows(const VariantResult& rows, StageKind stage, Index head,
                                           Index first) const {
    if (!reference_ || !shows_marks(stage)) return source_of(rows, stage);
    const Index h = variant_.shape.h;
    return source_of(
        rows, stage, {}, nullptr,
        std::make_shared<const ReferenceMask>(reference_->from(head / h, head % h, first)));
}

// Adds rows of a head, from `first` on: whole blocks, or part of one. begins: whether the rows are
// the first of their block.
void VariantSurvey::take(Index head, Index first, const VariantResult& rows, bool begins) {
    SeenHead& to = head_of(head);
    std::vector<SharedSource> sources;
    for (const StageKind stage : stages_)
        sources.push_back(source_of_rows(rows, stage, head, first));
    const Index count = rows.shape.n_q, in_part = blocks_in(rows_in_part, level_) << level_;
    const Index parts = (count - 1) / in_part + 1;
    pool_->run(stages_.size() * static_cast<std::size_t>(parts), Pool::Shares::next,
               [&](std::size_t k, int) {
                   const std::size_t stage = k / static_cast<std::size_t>(parts);
                   const Index begin = static_cast<Index>(k) % parts * in_part;
                   const CellSpan part{begin, std::min(count, begin + in_part)};
                   take_part(*to.stages[stage], first, part, sources[stage], begins);
               });
}

// Adds part of `rows` to what is known of a stage. first: the row of the head at which `rows`
// begins.
void VariantSurvey::take_part(SeenStage& seen, Index first, CellSpan part, const SharedSource& rows,
                              bool begins) const {
    CellPlaces places{0, {}, columns_of(rows->columns, column_level(rows->stage))};
    for (Index i = part.begin; i < part.end; i += Index{1} << level_)
        places.rows.push_back({i, std::min(part.end, i + (Index{1} << level_))});
    for (Index i = part.begin; i < part.end; ++i)
        seen.looks[static_cast<std::size_t>(first + i)] = look_at(*rows, raw_row(*rows, 0, 0, i));
    const auto words = texels_of(*cells_of(rows, 0, 0), places, 1);
    const auto at =
        seen.words.begin() + ((first + part.begin) >> level_) * std::ssize(places.columns);
    if (begins)
        std::ranges::copy(words, at);
    else
        std::ranges::transform(words, std::span(at, words.size()), at, merged);
}

bool VariantSurvey::next(Index head, Progress& progress) {
    SeenHead& to = head_of(head);
    const auto is_seen = [&](Index block) {
        return bool(to.seen[static_cast<std::size_t>(block)]);
    };
    while (to.next < order_.size() && is_seen(order_[to.next])) ++to.next;
    if (to.next == order_.size()) return false;
    Index begin = order_[to.next], end = begin + 1;
    // A block of few rows costs more than its share of a large block, so compute several at once.
    const Index at_once = numbers_at_once / variant_.shape.n_k;
    const Index most = to.count * sample < std::ssize(order_) ? 1 : blocks_in(at_once, level_);
    while (end < std::ssize(order_) && !is_seen(end) && end - begin < most) ++end;
    while (begin > 0 && !is_seen(begin - 1) && end - begin < most) --begin;
    for (std::size_t k = 0; k < stages_.size(); ++k) {
        to.filled[k].reset();
        if (to.stages[k].use_count() > 1) to.stages[k] = std::make_shared<SeenStage>(*to.stages[k]);
    }
    const Index h = variant_.shape.h, first = begin << level_;
    const Index last = std::min(end << level_, variant_.shape.n_q);
    // One block may have more rows than are computed at once.
    const Index rows = end - begin > 1 ? last - first : std::max<Index>(8, at_once);
    for (Index i = first; i < last; i += rows) {
        if (progress.cancel) throw Cancellation{};
        Progress own;
        const Rows some{i, std::min(rows, last - i)};
        take(head, i, variant_.computed->block(head / h, head % h, some, wanted_, own), i == first);
    }
    for (Index block = begin; block < end; ++block) {
        to.seen[static_cast<std::size_t>(block)] = true;
        ++to.count;
    }
    return true;
}

double VariantSurvey::seen(Index head) const {
    const SeenHead& seen = heads_[static_cast<std::size_t>(head)];
    return double(seen.count) / double(order_.size());
}

// --- as it is known now

std::shared_ptr<const VariantSurvey::SeenStage> VariantSurvey::filled_stage(
    const SeenHead& head, std::size_t stage) const {
    if (head.count == std::ssize(order_)) return head.stages[stage];
    auto made = std::make_shared<SeenStage>(*head.stages[stage]);
    const auto columns = static_cast<Index>(made->words.size() / order_.size());
    Index above = 0;
    for (Index block = 0; block < std::ssize(head.seen); ++block) {
        if (head.seen[static_cast<std::size_t>(block)]) {
            above = block;
            continue;
        }
        std::copy_n(made->words.begin() + above * columns, columns,
                    made->words.begin() + block * columns);
        const Index first = block << level_;
        const Index end = std::min(variant_.shape.n_q, (block + 1) << level_);
        std::fill(made->looks.begin() + first, made->looks.begin() + end,
                  made->looks[static_cast<std::size_t>(above << level_)]);
    }
    return made;
}

SharedSource VariantSurvey::source(StageKind stage, double seen) {
    const SharedSource blank = source_of_rows(variant_, stage, 0, 0);
    auto source = std::const_pointer_cast<CellSource>(blank);
    source->seen = seen;
    source->asks = asks_;
    const auto k = static_cast<std::size_t>(std::ranges::find(stages_, stage) - stages_.begin());
    for (std::size_t head = 0; head < heads_.size(); ++head) {
        if (heads_[head].count == 0) continue;
        auto& known = heads_[head].filled[k];
        if (!known) known = filled_stage(heads_[head], k);
        auto surveyed = std::make_shared<SurveyedCells>();
        // All heads share one projected output.
        const auto h = static_cast<std::size_t>(variant_.shape.h);
        const std::size_t to = source->h == 1 ? head / h : head;
        const auto first = static_cast<Index>(source->h == 1 ? to * h : head);
        if (const auto close = closer_.find({stage, first}); close != closer_.end())
            *surveyed = *close->second;
        surveyed->row_level = level_;
        surveyed->column_level = column_level(stage);
        surveyed->rows = std::ssize(order_);
        surveyed->columns = std::ssize(known->words) / surveyed->rows;
        surveyed->words = {known, &known->words};
        source->levels_[to].slot->surveyed = std::move(surveyed);
        source->looks_[to] = {known, &known->looks};
    }
    const std::lock_guard lock(mutex_);
    const auto old = std::ranges::find(handed_, stage, &Loan::stage);
    if (const auto before = old == handed_.end() ? nullptr : old->source.lock())
        for (std::size_t k = 0; k < source->levels_.size(); ++k) {
            using Visibility = LazyLevels::Visibility;
            LazyLevels::Slot &old = *before->levels_[k].slot, &made = *source->levels_[k].slot;
            const std::lock_guard wanted(old.mutex);
            made.wanted = old.wanted;
            made.closely = old.closely;
            made.seen = old.seen == Visibility::now ? Visibility::before : Visibility::no;
        }
    if (old != handed_.end()) handed_.erase(old);
    handed_.push_back({stage, source});
    return source;
}

// --- areas that pictures zoom into

bool VariantSurvey::is_asked() const {
    const std::lock_guard lock(mutex_);
    for (const Loan& handed : handed_)
        if (const auto source = handed.source.lock())
            for (const LazyLevels& levels : source->levels_) {
                const std::lock_guard wanted(levels.slot->mutex);
                if (levels.slot->wanted) return true;
            }
    return false;
}

LazyLevels::Visibility VariantSurvey::seen_in_pictures(Index head) const {
    LazyLevels::Visibility seen = LazyLevels::Visibility::no;
    const std::lock_guard lock(mutex_);
    for (const Loan& handed : handed_)
        if (const auto source = handed.source.lock()) {
            const Index at = source->h == 1 ? head / variant_.shape.h : head;
            LazyLevels::Slot& slot = *source->levels_[static_cast<std::size_t>(at)].slot;
            const std::lock_guard pictures(slot.mutex);
            seen = std::max(seen, slot.seen);
        }
    return seen;
}

std::vector<VariantSurvey::Demand> VariantSurvey::wishes() const {
    std::vector<Demand> wishes;
    const std::lock_guard lock(mutex_);
    for (const Loan& handed : handed_)
        if (const auto source = handed.source.lock())
            for (Index head = 0; head < std::ssize(source->levels_); ++head) {
                const auto& slot = source->levels_[static_cast<std::size_t>(head)].slot;
                const std::lock_guard wanted(slot->mutex);
                if (slot->wanted)
                    wishes.push_back(
                        {handed.stage, head / source->h, head % source->h, slot->wanted, slot});
            }
    return wishes;
}

bool VariantSurvey::is_seen_closely(StageKind stage, Index head) const {
    const std::lock_guard lock(mutex_);
    const auto handed = std::ranges::find(handed_, stage, &Loan::stage);
    const auto source = handed == handed_.end() ? nullptr : handed->source.lock();
    if (!source) return false;
    const Index at = source->h == 1 ? head / variant_.shape.h : head;
    LazyLevels::Slot& slot = *source->levels_[static_cast<std::size_t>(at)].slot;
    const std::lock_guard pictures(slot.mutex);
    return slot.closely && slot.seen != LazyLevels::Visibility::no;
}

void VariantSurvey::look_where(const VariantSurvey& before) {
    first_wishes_ = before.wishes();
    for (const auto& [place, close] : before.closer_) {
        const auto& [stage, head] = place;
        const Index b = head / variant_.shape.h, h = head % variant_.shape.h;
        const bool is_wished = std::ranges::any_of(first_wishes_, [&](const Demand& wish) {
            return wish.stage == stage && wish.b == b && wish.h == h;
        });
        if (!is_wished && before.is_seen_closely(stage, head))
            first_wishes_.push_back(
                {stage, b, h, std::make_shared<const CellPlaces>(close->closer), nullptr});
    }
    std::erase_if(first_wishes_, [&](const Demand& wish) {
        return rows_of(*wish.places) * variant_.shape.n_k > most_before_a_sample;
    });
    for (Demand& wish : first_wishes_) wish.slot = nullptr;
}

bool VariantSurvey::look_closer(Progress& progress) {
    const Index rows_at_once = std::clamp<Index>(numbers_at_once / variant_.shape.n_k, 8, 32);
    std::vector<Demand> all = wishes();
    std::ranges::move(std::exchange(first_wishes_, {}), std::back_inserter(all));
    const bool any = !all.empty();
    while (!all.empty()) {
        // Compute requests for the same rows together.
        const auto others = std::partition(all.begin(), all.end(), [&](const Demand& wish) {
            const Demand& first = all.front();
            return wish.b == first.b && wish.h == first.h &&
                   wish.places->rows == first.places->rows;
        });
        const std::vector<Demand> wished(all.begin(), others);
        all.erase(all.begin(), others);
        std::bitset<stage_count> stages;
        std::vector<std::shared_ptr<SurveyedCells>> made;
        for (const Demand& wish : wished) {
            if (wish.stage != StageKind::allowed) stages.set(static_cast<std::size_t>(wish.stage));
            made.push_back(std::make_shared<SurveyedCells>());
        }
        const auto looks_elsewhere = [](const Demand& wish) {
            if (!wish.slot) return false;
            const std::lock_guard wanted(wish.slot->mutex);
            return !wish.slot->wanted || *wish.slot->wanted != *wish.places;
        };
        const std::vector<CellSpan>& rows = wished.front().places->rows;
        std::size_t k = 0;
        while (k < rows.size() && !std::ranges::all_of(wished, looks_elsewhere)) {
            std::size_t end = k + 1;
            while (end < rows.size() && rows[end].end - rows[k].begin <= rows_at_once) ++end;
            const Index first = rows[k].begin;
            const VariantResult block =
                variant_.computed->block(wished.front().b, wished.front().h,
                                         {first, rows[end - 1].end - first}, stages, progress);
            std::vector<CellSpan> here;
            for (; k < end; ++k) here.push_back({rows[k].begin - first, rows[k].end - first});
            for (std::size_t w = 0; w < wished.size(); ++w) {
                const Demand& wish = wished[w];
                const SharedSource source =
                    source_of_rows(block, wish.stage, wish.b * variant_.shape.h + wish.h, first);
                const auto words =
                    texels_of(*cells_of(source, 0, 0), {0, here, wish.places->columns}, 1);
                made[w]->close.insert(made[w]->close.end(), words.begin(), words.end());
            }
        }
        if (k < rows.size()) continue;
        for (std::size_t w = 0; w < wished.size(); ++w) {
            const auto& [stage, b, h, places, slot] = wished[w];
            made[w]->closer = *places;
            closer_[{stage, b * variant_.shape.h + h}] = std::move(made[w]);
            if (!slot) continue;
            const std::lock_guard wanted(slot->mutex);
            if (slot->wanted == places) slot->wanted.reset();
        }
    }
    return any;
}

void VariantSurvey::take_over(const VariantSurvey& before, const std::vector<Index>& changed) {
    heads_ = before.heads_;
    for (SeenHead& head : heads_) {
        head.next = 0;
        for (const Index i : changed)
            if (!head.seen.empty() && head.seen[static_cast<std::size_t>(i >> level_)]) {
                head.seen[static_cast<std::size_t>(i >> level_)] = false;
                --head.count;
            }
    }
}

}  // namespace maskscope
