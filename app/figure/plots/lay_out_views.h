#pragma once
// The views other than the pipeline, as figures. If options give no room, plots have a default size
// (files).

#include "app/figure/layout/lay_out.h"
#include "app/show/views/view_data.h"

namespace maskscope {

// One plot per lane, all at the same scale; row: the one whose hull is drawn.
Figure lay_out_plane(const PlaneView& plane, Index row, const std::string& title,
                     const LayoutOptions& options);

Figure lay_out_value_tables(const ValueTables& tables, const std::string& title,
                            const LayoutOptions& options);

// d: the marked width.
Figure lay_out_root_d(const RootDView& root_d, Index d, const std::string& title,
                      const LayoutOptions& options);

// t: the token that is generated last; bench: its title and signs.
Figure lay_out_generation(const GenerationView& data, const Bench& bench, Index t,
                          const LayoutOptions& options);

// What a translator says, alone. step: the row in focus, whose word is underlined.
Figure lay_out_words_in_hall(const TranslatorView& data, std::optional<Index> step,
                             const LayoutOptions& options);
// Absent unless the view steps through a translator.
std::optional<Written> written_in(const View& view, const Scene& scene);
// Everything of another figure, below this one.
void append_below(Figure& figure, Figure below);
// The words, the strip of all heads, and the bench.
Figure lay_out_translator(const TranslatorView& data, const Bench& bench, std::optional<Index> step,
                          const LayoutOptions& options);

// A sentence in place of a view that cannot be shown (yet).
Figure lay_out_sentence(const std::string& sentence, const std::string& title,
                        const LayoutOptions& options);

// The title of a file's figure; returns the y below it.
double draw_figure_title(Figure& figure, const std::string& title, const LayoutOptions& options);

}  // namespace maskscope
