#pragma once
// A figure for a slide, to be read from the back row.

#include "app/export/export.h"

namespace maskscope {

// Inches and points: a slide is as wide as projectors' software makes it.
inline constexpr double slide_inches = 13.333, slide_type = 18;

// Returns the smallest type size of a figure, in its own points; nullopt if it has no text.
std::optional<double> smallest_type(const Figure& figure);

// options.slide: 13.333 inches wide, in the chosen shape (16:9 in place of free), with type of 18
// points or more, and without what presenting drops. Legend and colour bars are left out, then
// stages, the first ones first, the mask, and numbers, until the rest fits; the weights stay. What
// does not fit even so has smaller type.
Figure slide_figure(const Result& result, const View& view, const ExportOptions& options,
                    const ComputedParts& known);

}  // namespace maskscope
