// The actions of the Translator view: write word by word, show another layer.

#include <algorithm>

#include "app/figure/plots/lay_out_view.h"
#include "app/session/session.h"
#include "app/show/cells/cell_rows.h"
#include "app/views/translator/translator_view.h"
#include "core/edit/edit.h"

namespace maskscope {

namespace {

std::string unavailable_reason(const Scene& scene) {
    return model_of(scene) ? "" : "This scene has no translator.";
}

ViewContent make(const Result& result, const View& view, Progress& progress) {
    return std::make_shared<const TranslatorView>(make_translator(result, view, progress));
}

std::optional<Index> row_in_focus(const View& view) {
    return view.show.focus ? std::optional(view.show.focus->i) : std::nullopt;
}

Figure lay_out(const void* content, const Result& result, const Bench& bench, const View& view,
               const LayoutOptions& options) {
    LayoutOptions so_far = options;
    so_far.written = written_in(view, result.scene);
    return lay_out_translator(*static_cast<const TranslatorView*>(content), bench,
                              row_in_focus(view), so_far);
}

Figure lay_out_above(const void* content, const Result& result, const View& view,
                     LayoutOptions& options) {
    options.written = written_in(view, result.scene);
    return lay_out_words_in_hall(*static_cast<const TranslatorView*>(content), row_in_focus(view),
                                 options);
}

bool can_write(const Session& session) {
    return translator_of(session.bench().views) && model_of(session.shown().scene);
}

// Returns the number of words of the variant that writes most.
Index words_to_write(const Session& session) {
    const Result& shown = session.shown();
    Index most = 0;
    for (const int lane : shown_lanes(session.view(), shown.scene))
        most = std::max(most, std::ssize(shown.variants[lane].run->predicted.front()));
    return most;
}

// Focuses the row of the word that was written last, and the key that the first variant attends to
// most.
void focus_on_word(Session& session, Index row) {
    if (model_of(session.shown().scene)->attention == ModelAttention::encoder) return;
    for (const TranslatorMap& map : translator_of(session.bench().views)->maps) {
        if (!map.shown) continue;
        row = std::min(row, map.cells->rows - 1);
        const std::vector<double> weights = row_of(*map.cells, row).values;
        const auto largest = std::ranges::max_element(weights) - weights.begin();
        session.view().show.focus = Cell{row, largest};
    }
}

// Goes to the next word, or one back; after the last, to all of them. begins: even if all words are
// shown.
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
    const auto attention = static_cast<ModelAttention>(spot->lane);
    session.view().show.heads = std::vector<Index>{spot->h};
    const ModelInputs* model = model_of(session.scene());
    if (model != nullptr && (model->attention != attention || model->layer != layer))
        session.edit("show another layer",
                     [&](Scene& scene) { show_attention(scene, attention, layer); });
}

}  // namespace

const ViewEntry translator_entry = {.kind = ViewKind::translator,
                                    .unavailable_reason = unavailable_reason,
                                    .explains_absence = true,
                                    .make = make,
                                    .lay_out = lay_out,
                                    .lay_out_above = lay_out_above,
                                    .use_pointer = use_pointer,
                                    .step = step,
                                    .can_turn_page = can_write};

}  // namespace maskscope
