#include "app/show/bench/bench_survey.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "app/show/cells/cell_rows.h"
#include "app/show/views/view_entry.h"
#include "core/scene/mask_rules.h"

namespace maskscope {
namespace {

// The number of words (of 4 bytes) for all heatmaps together: in the window, whose pictures request
// what the user zooms into, and in a file, from the least to the most.
constexpr Index most_words_asked = Index{1} << 22;
constexpr Index least_words_in_file = Index{1} << 24, most_words_in_file = Index{1} << 27;
// The parts of the rows that are sampled one after the other: of rows that a picture shows
// (in_sight), and of those that it does not show.
constexpr struct {
    double part;
    bool in_sight;
} samples[] = {{1.0 / 64, true}, {1.0 / 64, false}, {1.0 / 16, true},
               {1, true},        {1.0 / 16, false}, {1, false}};

std::vector<StageKind> stages_of(const Result& result, const View& view, bool alone) {
    const bool is_heads = shown_view(view, result.scene) == ViewKind::heads;
    std::vector<StageKind> stages =
        is_heads ? std::vector{stage_of_heads(result, view)} : shown_stages(view.show);
    const auto add = [&](StageKind stage) {
        if (std::ranges::find(stages, stage) == stages.end()) stages.push_back(stage);
    };
    if (!is_heads && !alone) add(StageKind::allowed);
    add(StageKind::weights);
    return stages;
}

std::vector<Index> heads_of(const Result& result, const View& view) {
    const Shape shape = result.variants.front().shape;
    std::vector<Index> heads;
    const bool all = shown_view(view, result.scene) == ViewKind::heads;
    for (const Index b : shown_sequences(view, shape)) {
        for (const Index h : shown_heads(view, shape)) heads.push_back(b * shape.h + h);
        for (Index h = 0; all && h < shape.h; ++h)
            if (std::ranges::find(heads, b * shape.h + h) == heads.end())
                heads.push_back(b * shape.h + h);
    }
    return heads;
}

// Returns the number of words for each heatmap. If a file needs more pixels than words, its rows
// are computed twice.
Index words_of(const PictureSize& file, Index heatmaps) {
    const Index along = words_along(std::max(file.along, std::sqrt(file.area / double(heatmaps))));
    return std::clamp(along * along, least_words_in_file / heatmaps, most_words_in_file / heatmaps);
}

bool same_but_variants(const Scene& x, const Scene& y) {
    return x.sequences == y.sequences && x.pad_token == y.pad_token;
}

}  // namespace

bool is_computed_when_read(const Result& result) {
    return std::ranges::any_of(
               result.variants,
               [](const VariantResult& variant) { return variant.computed != nullptr; }) ||
           std::ranges::any_of(result.layers_before,
                               [](const auto& layer) { return is_computed_when_read(*layer); });
}

BenchSurvey::BenchSurvey(const Result& result, const View& view, const BenchSurvey* before,
                         const std::optional<PictureSize>& file)
    : scene_(result.scene),
      inputs_(result.inputs),
      heads_(heads_of(result, view)),
      shown_(shown_variants(view, result.scene)),
      stages_(stages_of(result, view, file && file->alone)),
      differences_(differences_of(result, view)) {
    // Do not count differences and earlier layers: with fewer words for each heatmap, the variants
    // would have to be computed again when one is added or removed.
    const auto heatmaps = static_cast<Index>(heads_.size() * shown_.size() * stages_.size());
    const Index words = file ? words_of(*file, heatmaps) : most_words_asked / heatmaps;
    const bool asks = !file;
    for (const int variant : shown_)
        if (result.variants[variant].computed) add(result, view, variant, words, asks);
    if (!file || !file->alone) add_earlier(result, view, words, asks);
    for (const ComparedRows& compared : differences_) {
        const VariantResult rows = compared_rows(result, compared);
        std::vector<StageKind> stages;
        std::ranges::copy_if(stages_, std::back_inserter(stages),
                             [&](StageKind stage) { return rows.stage(stage).exists(); });
        auto survey = std::make_shared<VariantSurvey>(rows, stages, words, asks, pool_);
        std::vector<Index> heads = heads_;
        if (compared.heads) heads = {shown_sequences(view, rows.shape).front()};
        variants_.push_back(
            {compared.key(), compared, std::move(heads), std::move(stages), std::move(survey)});
    }
    if (!before || before->inputs_ != inputs_ || !same_but_variants(before->scene_, scene_)) return;
    for (SurveyedVariant& own : variants_)
        for (const SurveyedVariant& old : before->variants_)
            if (old.variant == own.variant && old.survey->is_like(*own.survey)) {
                take_over(own, old, *before);
                if (asks && own.survey != old.survey) own.survey->look_where(*old.survey);
            }
}

void BenchSurvey::add(const Result& result, const View& view, int variant, Index words, bool asks) {
    const VariantResult& own = result.variants[variant];
    const bool shows_heads = shown_view(view, result.scene) == ViewKind::heads;
    std::vector<StageKind> stages;
    for (const StageKind stage : stages_) {
        // The bench does not show such a stage either.
        if (!shows_heads && is_drawn_as_weights(own, stage)) continue;
        const auto same = std::ranges::find_if(variants_, [&](const SurveyedVariant& other) {
            const VariantResult& theirs = result.variants[other.variant];
            return stage != StageKind::allowed && own.stage(stage).exists() &&
                   own.stage(stage).shares(theirs.stage(stage)) &&
                   own.allowed.shares(theirs.allowed);  // colours depend on the allowed cells
        });
        if (same == variants_.end() || shows_blocked(stage))
            stages.push_back(stage);
        else
            shared_.push_back({variant, same->variant, stage});
    }
    auto survey = std::make_shared<VariantSurvey>(own, stages, words, asks, pool_,
                                                  reference_of(result, variant));
    variants_.push_back({variant, {}, heads_, std::move(stages), std::move(survey)});
}

// Adds the weights of earlier layers, which only the pipeline draws.
void BenchSurvey::add_earlier(const Result& result, const View& view, Index words, bool asks) {
    if (shown_view(view, result.scene) == ViewKind::heads) return;
    for (std::size_t k = 0; k < result.layers_before.size(); ++k) {
        const VariantResult& layer = result.layers_before[k]->variants.front();
        if (!layer.computed) continue;
        std::vector<Index> heads;
        for (const Index head : heads_) {
            const Index h = result.variants.front().shape.h;
            heads.push_back(head / h * layer.shape.h + head % h);
        }
        const std::vector<StageKind> weights = {StageKind::weights};
        variants_.push_back({foreign_variant - static_cast<int>(k),
                             {},
                             std::move(heads),
                             weights,
                             std::make_shared<VariantSurvey>(layer, weights, words, asks, pool_)});
    }
}

// Returns the rows of a variant that an edit changed; nullopt if it may have changed anything else.
std::optional<std::vector<Index>> BenchSurvey::changed_rows(int variant,
                                                            const BenchSurvey& before) const {
    Variant then = before.scene_.variants[variant];
    const Variant& now = scene_.variants[variant];
    auto rows = changed_queries(then.mask.layers, now.mask.layers);
    then.mask.layers = now.mask.layers;
    then.name = now.name;
    return then == now ? rows : std::nullopt;
}

void BenchSurvey::take_over(SurveyedVariant& own, const SurveyedVariant& old,
                            const BenchSurvey& before) const {
    if (is_same_rows(*old.survey->variant().computed, *own.survey->variant().computed)) {
        own.survey = old.survey;
        return;
    }
    if (own.compared != old.compared || (own.variant < 0 && !own.compared)) return;
    auto rows = changed_rows(own.compared ? own.compared->pair.variant : own.variant, before);
    if (rows && own.compared) {
        const auto of_other = changed_rows(own.compared->pair.minus, before);
        if (!of_other) return;
        rows->insert(rows->end(), of_other->begin(), of_other->end());
    }
    if (rows) own.survey->take_over(*old.survey, *rows);
}

std::shared_ptr<const ComputedRows> BenchSurvey::rows_of_variant(const Result& result,
                                                                 const SurveyedVariant& own) {
    if (own.compared) return rows_of(result, *own.compared);
    if (own.variant >= 0) return result.variants[own.variant].computed;
    const auto k = static_cast<std::size_t>(foreign_variant - own.variant);
    if (k >= result.layers_before.size()) return nullptr;
    return result.layers_before[k]->variants.front().computed;
}

bool BenchSurvey::is_of(const Result& result, const View& view) const {
    if (differences_ != differences_of(result, view)) return false;
    for (const SurveyedVariant& own : variants_) {
        const auto rows = rows_of_variant(result, own);
        if (!rows || !is_same_rows(*own.survey->variant().computed, *rows)) return false;
        const bool has_reference = own.variant >= 0 && !own.compared;
        if (has_reference && !is_same(own.survey->reference(), reference_of(result, own.variant)))
            return false;
    }
    return inputs_ == result.inputs && heads_ == heads_of(result, view) &&
           shown_ == shown_variants(view, result.scene) &&
           stages_ == stages_of(result, view, false);
}

double BenchSurvey::seen() const {
    double seen = 0, all = 0;
    for (const SurveyedVariant& own : variants_)
        for (const Index head : own.heads) {
            seen += own.survey->seen(head);
            ++all;
        }
    return variants_.empty() ? 1 : seen / all;
}

bool BenchSurvey::is_asked() const {
    return std::ranges::any_of(variants_,
                               [](const SurveyedVariant& own) { return own.survey->is_asked(); });
}

// Returns the variant to survey next, and which of its heads; nullptr if nothing is left. Goes head
// by head, because the inputs of a head are laid out once for all of its blocks.
const BenchSurvey::SurveyedVariant* BenchSurvey::next(Index& head) const {
    LazyLevels::Visibility most = LazyLevels::Visibility::no;
    for (const SurveyedVariant& own : variants_)
        for (const Index h : own.heads) most = std::max(most, own.survey->seen_in_pictures(h));
    for (const auto& [part, in_sight] : samples)
        for (std::size_t k = 0; k < heads_.size(); ++k)
            for (const SurveyedVariant& own : variants_) {
                if (k >= own.heads.size() || own.survey->seen(own.heads[k]) >= part) continue;
                head = own.heads[k];
                if ((own.survey->seen_in_pictures(head) == most) == in_sight) return &own;
            }
    return nullptr;
}

bool BenchSurvey::look_closer(Progress& progress) {
    bool any = false;
    for (const SurveyedVariant& variant : variants_) any |= variant.survey->look_closer(progress);
    return any;
}

bool BenchSurvey::go_on(std::chrono::milliseconds time, Progress& progress,
                        const std::function<void()>& give_way) {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point until = Clock::now() + time;
    try {
        if (give_way) give_way();
        if (look_closer(progress)) return true;
        do {
            if (give_way) give_way();
            if (progress.cancel) return true;
            Index head = 0;
            const SurveyedVariant* variant = next(head);
            if (variant == nullptr) return false;
            variant->survey->next(head, progress);
            progress.done = seen();
        } while (Clock::now() < until && !is_asked());
    } catch (const Cancellation&) {}
    return true;
}

Sources BenchSurvey::sources() const {
    Sources sources;
    const double share = seen();
    for (const SurveyedVariant& own : variants_)
        for (const StageKind stage : own.stages) {
            const VariantResult& variant = own.survey->variant();
            if (stage == StageKind::allowed || variant.stage(stage).remote())
                sources[{own.variant, stage}] = own.survey->source(stage, share);
        }
    for (const SharedStage& shared : shared_)
        sources[{shared.variant, shared.stage}] = sources[{shared.other, shared.stage}];
    return sources;
}

Sources surveyed_sources(const Result& result, const View& view, const PictureSize& file,
                         Progress& progress) {
    BenchSurvey survey(result, view, nullptr, file);
    while (survey.go_on(std::chrono::seconds(1), progress))
        if (progress.cancel) throw Cancellation{};
    return survey.sources();
}

Sources sources_so_far(const Result& result, const View& view, const Sources& known) {
    Sources sources = BenchSurvey(result, view, nullptr).sources();
    for (auto& [key, source] : sources)
        if (const auto old = known.find(key);
            old != known.end() && old->second->computed &&
            is_same_rows(*old->second->computed, *source->computed))
            source = old->second;
    return sources;
}

}  // namespace maskscope
