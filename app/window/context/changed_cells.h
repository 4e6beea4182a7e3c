#pragma once
// Finds the cells that the last edit or step changed, which are framed for a moment.

#include <optional>
#include <string>
#include <vector>

#include "app/figure/figure.h"

namespace maskscope {

inline constexpr double seconds_of_change = 0.3;

class ChangedCells {
public:
    // Takes the heatmaps drawn in this frame, at `seconds` of the clock. If the scene changed,
    // cells that differ from those drawn at the same place before are framed from now on. Matrices
    // larger than 64 x 64, and those of another shape, are not compared.
    void see(const std::vector<Heatmap>& heatmaps, const Scene& scene, double seconds);
    // Returns the cells of a heatmap to frame at `seconds`.
    const std::vector<Cell>& of(const Heatmap& heatmap, double seconds) const;
    // Returns when the current frames disappear; nullopt: there are none.
    std::optional<double> end() const { return end_; }
    void forget() { end_.reset(); }

private:
    struct Seen {
        Heatmap heatmap;
        std::vector<Cell> changed;
    };
    const Heatmap* before(const Heatmap& heatmap) const;
    std::vector<Seen> seen_;
    Scene scene_;
    std::optional<double> end_;
};

}  // namespace maskscope
