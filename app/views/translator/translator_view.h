#pragma once
// Computes the Translator view: each variant's translation of a sentence, compared with the right
// one, and the weights of every attention of the model.

#include <string>
#include <vector>

#include "app/figure/layout/lay_out.h"
#include "app/show/cells/cells.h"
#include "app/show/views/view_entry.h"

namespace maskscope {

struct TranslatedWord {
    enum class Kind { same, wrong, missing };  // missing: only the right one has it
    std::string text;
    Kind kind = Kind::same;
    Index row = 0;  // the row that predicts it; for a missing word, the row of the next
    bool operator==(const TranslatedWord&) const = default;
};

struct TranslatorVariant {
    int index = 0;
    std::string name;
    std::vector<TranslatedWord> words;
    bool nan = false;  // no translation, because numbers are NaN
    // When teacher-forced: what the model generates on its own. nullopt if it is generating anyway,
    // or the result is NaN.
    std::optional<std::vector<TranslatedWord>> alone{};
    std::string note;  // "teacher-forced · loss 0.02 · …"; "" when generating
};

// The weights of one head of the model, as the first variant computes them.
struct TranslatorMap {
    ModelAttention attention = ModelAttention::cross;
    Index layer = 0, h = 0;
    SharedCells cells;
    bool shown = false;
};

struct TranslatorView {
    Index b = 0;
    std::string source;  // the words of the sentence, with padding
    std::vector<TranslatorVariant> variants;
    std::vector<TranslatorMap> maps;
    std::string missing;  // why there is no translation, as a sentence
};

// Compares a translation with the right one, word by word.
std::vector<TranslatedWord> compared(const std::vector<std::string>& said,
                                     const std::vector<std::string>& right);

// Makes the view for its variants, the first sequence and the first head. Throws Cancellation.
TranslatorView make_translator(const Result& result, const View& view, Progress& progress);

// Returns what is written so far; nullopt unless the view steps through a translator.
std::optional<WritingProgress> written_in(const View& view, const Scene& scene);
// Lays out the words of a translator for presenting, without heatmaps. The word of the row in focus
// is underlined.
Figure lay_out_words_in_hall(const TranslatorView& data, const View& view,
                             const LayoutOptions& options);
// Lays out the words, the strip of all heads, and the bench.
Figure lay_out_translator(const TranslatorView& data, const Bench& bench, const View& view,
                          const LayoutOptions& options);

extern const ViewEntry translator_entry;
// Returns the view's content; nullptr if it was not made.
inline const TranslatorView* translator_of(const ViewData& data) {
    return static_cast<const TranslatorView*>(data.content(ViewKind::translator));
}

}  // namespace maskscope
