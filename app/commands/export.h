#pragma once
// maskscope export: a figure in a file, the same bytes from window and command line.

#include <optional>
#include <string>

#include "app/figure/style/theme.h"
#include "app/show/cells/view.h"
#include "core/result/result.h"

namespace maskscope {

struct ExportOptions {
    // Where one of these is given, heatmaps of one stage: without variant of every lane of the
    // view, without stage the weights, without sequence and head the first.
    std::optional<int> variant;
    std::optional<StageKind> stage;
    std::optional<Index> sequence, head;
    bool all_heads = false;
    int dpi = 150;  // 10 to 1200
    ThemeKind theme = ThemeKind::light;
    bool transparent = false;
};

// The bytes of a PNG. Without variant, stage, sequence and head: what is on the bench, as
// view.show says; zoom, pointer and theme of the view never enter. Throws WorkError where the
// picture would not fit in memory.
std::string export_bytes(const Result& result, const View& view, const ExportOptions& options);

// Computes a scene and writes its figure; a scene without `show` as heatmaps of its weights.
// Returns the exit status; throws Error.
int export_figure(const std::string& scene, const std::string& out, const ExportOptions& options);

// The opening figure when there is no display: the first lesson's first step, written to
// $XDG_CACHE_HOME/maskscope/lesson-1.png. Returns its path; throws Error.
std::string write_opening_figure();

}  // namespace maskscope
