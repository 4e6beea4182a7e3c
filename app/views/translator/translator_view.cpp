#include "app/views/translator/translator_view.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/figure/plots/lay_out_view.h"
#include "app/session/session.h"
#include "app/show/cells/cell_rows.h"
#include "core/base/number_text.h"
#include "core/edit/edit.h"
#include "core/format/model_file.h"
#include "core/model/pass.h"
#include "core/scene/names.h"

namespace maskscope {

namespace {

using Words = std::vector<std::string>;

// Returns the lengths of the longest common subsequences of x from i and y from j on, as [i][j].
std::vector<std::vector<Index>> common_lengths(const Words& x, const Words& y) {
    std::vector<std::vector<Index>> lengths(x.size() + 1, std::vector<Index>(y.size() + 1));
    for (std::size_t i = x.size(); i-- > 0;)
        for (std::size_t j = y.size(); j-- > 0;)
            lengths[i][j] = x[i] == y[j] ? lengths[i + 1][j + 1] + 1
                                         : std::max(lengths[i + 1][j], lengths[i][j + 1]);
    return lengths;
}

std::string note_of(const ModelRun& run, Index b) {
    if (run.loss.empty()) return "";
    if (!run.said[b]) return "teacher-forced";
    return fmt::format("teacher-forced · loss {} · {} of words right",
                       cell_text(run.loss[b], false), percent_text(run.accuracy[b]));
}

SharedCells cells_of_map(const ModelWeights& map) {
    auto numbers = std::make_shared<LargeArray<float>>(map.weights.size());
    std::ranges::copy(map.weights, numbers->begin());
    const Shape shape{1, 1, map.n_q, map.n_k};
    return cells_of(std::make_shared<CellSource>(StageKind::weights,
                                                 Stage(1, 1, map.n_q, map.n_k, numbers), shape),
                    0, 0);
}

// Returns the words, compared with the right ones. Returns none if nothing was said, because
// missing words that are struck out would look as if they had been said.
std::vector<TranslatedWord> shown_words(const Words& said, const std::optional<Words>& right) {
    if (said.empty()) return {};
    return compared(said, right.value_or(said));
}

TranslatorVariant variant_said(const Result& result, const View& view, int variant, Index b,
                               const std::optional<Words>& right, Progress& progress) {
    const ModelRun& run = *result.variants[variant].run;
    TranslatorVariant made;
    made.index = variant;
    made.name = variant_title(view, result.scene, variant);
    made.note = note_of(run, b);
    made.nan = !run.said[b].has_value();
    if (!run.loss.empty())
        if (const auto alone =
                generated(result.scene, result.scene.variants[variant], progress).at(b))
            made.alone = shown_words(*alone, right);
    if (made.nan) return made;
    Words said = *run.said[b];
    if (!run.loss.empty() && !said.empty() && said.back() == "<eos>") said.pop_back();
    made.words = shown_words(said, right);
    return made;
}

}  // namespace

std::vector<TranslatedWord> compared(const Words& said, const Words& right) {
    using enum TranslatedWord::Kind;
    const auto common = common_lengths(said, right);
    std::vector<TranslatedWord> words;
    for (std::size_t i = 0, j = 0; i < said.size() || j < right.size();) {
        const auto row = static_cast<Index>(i);
        if (i < said.size() && j < right.size() && said[i] == right[j]) {
            words.push_back({said[i], same, row});
            ++i, ++j;
        } else if (j < right.size() && (i == said.size() || common[i][j + 1] >= common[i + 1][j])) {
            words.push_back({right[j++], missing, row});
        } else {
            words.push_back({said[i++], wrong, row});
        }
    }
    return words;
}

TranslatorView make_translator(const Result& result, const View& view, Progress& progress) {
    TranslatorView made;
    const ModelInputs* inputs = model_of(result.scene);
    if (inputs == nullptr) {
        made.missing = "There is no translator here: these inputs are not a trained model.";
        return made;
    }
    const std::vector<int> variants = shown_variants(view, result.scene);
    const VariantResult& first = result.variants[variants.front()];
    made.b = shown_sequences(view, first.shape).front();
    made.source = joined(result.scene.sequences[made.b].source);
    const auto right =
        right_words(result.scene, right_model(inputs->model, inputs->loaded), progress);
    for (const int variant : variants)
        made.variants.push_back(
            variant_said(result, view, variant, made.b, right[made.b], progress));
    const Index head = shown_heads(view, first.shape).front();
    for (const ModelWeights& map : first.run->weights) {
        if (map.b != made.b) continue;
        const bool shown =
            map.attention == inputs->attention && map.layer == inputs->layer && map.h == head;
        made.maps.push_back({map.attention, map.layer, map.h, cells_of_map(map), shown});
    }
    std::ranges::stable_sort(made.maps, {}, [](const TranslatorMap& map) {
        return std::pair(map.attention, map.layer);
    });
    return made;
}

// The user's actions in the Translator view: write word by word, and show another layer.

namespace {

std::string unavailable_reason(const Scene& scene) {
    return model_of(scene) ? "" : "This scene has no translator.";
}

ViewContent make(const Result& result, const View& view, Progress& progress) {
    return std::make_shared<const TranslatorView>(make_translator(result, view, progress));
}

Figure lay_out(const void* content, const Result& result, const Bench& bench, const View& view,
               const LayoutOptions& options) {
    LayoutOptions so_far = options;
    so_far.written = written_in(view, result.scene);
    return lay_out_translator(*static_cast<const TranslatorView*>(content), bench, view, so_far);
}

Figure lay_out_above(const void* content, const Result& result, const View& view,
                     LayoutOptions& options) {
    options.written = written_in(view, result.scene);
    return lay_out_words_in_hall(*static_cast<const TranslatorView*>(content), view, options);
}

bool can_write(const Session& session) {
    return translator_of(session.results().bench().views) && model_of(session.shown().scene);
}

// Returns the number of words that the longest translation has.
Index words_to_write(const Session& session) {
    const Result& shown = session.shown();
    Index most = 0;
    for (const int variant : shown_variants(session.view(), shown.scene))
        most = std::max(most, std::ssize(shown.variants[variant].run->predicted.front()));
    return most;
}

// Focuses the row of the last written word, and the key to which it attends most in the first
// variant.
void focus_on_word(Session& session, Index row) {
    if (model_of(session.shown().scene)->attention == ModelAttention::encoder) return;
    for (const TranslatorMap& map : translator_of(session.results().bench().views)->maps) {
        if (!map.shown) continue;
        row = std::min(row, map.cells->rows - 1);
        const std::vector<double> weights = row_of(*map.cells, row).values;
        const auto largest = std::ranges::max_element(weights) - weights.begin();
        session.view().show.focus = Cell{row, largest};
    }
}

// Goes to the next word, or back; after the last word, shows all of them. begins: begins with the
// first word if all are shown.
bool step(Session& session, Index steps, bool begins) {
    std::optional<Index>& words = session.view().words;
    if (!can_write(session) || (!words && !begins)) return false;
    const Index to = words.value_or(0) + steps;
    if (to < 1 || to > words_to_write(session)) {
        words.reset();
        return session.lesson() == nullptr || to < 1;
    }
    words = to;
    focus_on_word(session, to - 1);
    return true;
}

// Handles a press on a thumbnail, which shows its layer and its head.
void use_pointer(Session& session, const Figure& figure, const PlotPointer& pointer) {
    if (!pointer.pressed || !pointer.inside) return;
    const Spot* spot = spot_at(figure.spots, pointer.at);
    if (spot == nullptr || spot->kind != Spot::Kind::layer) return;
    const Index layer = spot->row;
    const auto attention = static_cast<ModelAttention>(spot->variant);
    session.view().show.heads = std::vector<Index>{spot->h};
    const ModelInputs* model = model_of(session.scene());
    if (model != nullptr && (model->attention != attention || model->layer != layer))
        session.edit("show another layer",
                     [&](Scene& scene) { show_attention(scene, attention, layer); });
}

}  // namespace

const ViewEntry translator_entry = {.kind = ViewKind::translator,
                                    .label = "Translator",
                                    .unavailable_reason = unavailable_reason,
                                    .explains_absence = true,
                                    .make = make,
                                    .lay_out = lay_out,
                                    .lay_out_above = lay_out_above,
                                    .use_pointer = use_pointer,
                                    .step = step,
                                    .can_turn_page = can_write};

}  // namespace maskscope
