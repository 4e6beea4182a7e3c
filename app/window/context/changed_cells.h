#pragma once
// Finds the cells that the last edit or step changed, to frame them for a moment.

#include <optional>
#include <string>
#include <vector>

#include "app/figure/figure.h"

namespace maskscope {

inline constexpr double seconds_of_change = 0.3;

class ChangedCells {
public:
    // Compares the heatmaps of this frame, at `seconds` of the clock, with those drawn before. If
    // the scene has changed, cells that differ from those at the same place are framed from now on.
    // Heatmaps with more than 64 × 64 cells, or whose shape has changed, are not compared.
    void see(const std::vector<Heatmap>& heatmaps, const Scene& scene, double seconds);
    // Returns the cells of a heatmap that are framed at `seconds`.
    const std::vector<Cell>& of(const Heatmap& heatmap, double seconds) const;
    // Returns when the current frames disappear; nullopt if there are none.
    std::optional<double> end() const { return end_; }
    void forget() { end_.reset(); }

private:
    struct SeenHeatmap {
        Heatmap heatmap;
        std::vector<Cell> changed;
    };
    const Heatmap* before(const Heatmap& heatmap) const;
    std::vector<SeenHeatmap> seen_;
    Scene scene_;
    std::optional<double> end_;
};

}  // namespace maskscope
