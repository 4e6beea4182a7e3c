#pragma once
// A translator: what each lane says of a sentence beside what is right, and where every attention
// of the model looks.

#include <string>
#include <vector>

#include "app/figure/layout/lay_out.h"
#include "app/show/cells/cells.h"
#include "app/show/views/view_entry.h"

namespace maskscope {

struct TranslatedWord {
    enum class Kind { same, wrong, missing };  // missing: it should stand here
    std::string text;
    Kind kind = Kind::same;
    Index row = 0;  // that predicts it, or the one after
    bool operator==(const TranslatedWord&) const = default;
};

struct TranslatorLane {
    int lane = 0;
    std::string name;
    std::vector<TranslatedWord> words;
    bool nan = false;  // no translation
    // Teacher-forced: what it writes on its own; absent while it generates, or if that is NaN.
    std::optional<std::vector<TranslatedWord>> alone{};
    std::string note;  // teacher-forced: "reads the target · loss 0.02 · 100 % right"; else ""
};

// The weights of one head of the model, as the first lane computes them.
struct TranslatorMap {
    ModelAttention attention = ModelAttention::cross;
    Index layer = 0, h = 0;
    SharedCells cells;
    bool shown = false;
};

struct TranslatorView {
    Index b = 0;
    std::string source;  // the words of the sentence, pads too
    std::vector<TranslatorLane> lanes;
    std::vector<TranslatorMap> maps;
    std::string missing;  // why there is none, as a sentence
};

// Compares a translation word by word with the right one where they differ.
std::vector<TranslatedWord> compared(const std::vector<std::string>& said,
                                     const std::vector<std::string>& right);

// Makes the view of these lanes, for the first sequence and the first head. Throws Cancelled.
TranslatorView make_translator(const Result& result, const View& view, Progress& progress);

// nullopt unless the view steps through a translator.
std::optional<Written> written_in(const View& view, const Scene& scene);
// Lays out the words of a translator without heatmaps. step: the row in focus, whose word is
// underlined.
Figure lay_out_words_in_hall(const TranslatorView& data, std::optional<Index> step,
                             const LayoutOptions& options);
// The words, the strip of all heads, and the bench.
Figure lay_out_translator(const TranslatorView& data, const Bench& bench, std::optional<Index> step,
                          const LayoutOptions& options);

extern const ViewEntry translator_entry;
// nullptr if it is not made.
inline const TranslatorView* translator_of(const ViewData& data) {
    return static_cast<const TranslatorView*>(data.content(ViewKind::translator));
}

}  // namespace maskscope
