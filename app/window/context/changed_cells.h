#pragma once
// Which cells the last edit or step changed: they keep a frame for a moment.

#include <optional>
#include <string>
#include <vector>

#include "app/figure/figure.h"

namespace maskscope {

inline constexpr double seconds_of_change = 0.3;

class ChangedCells {
public:
    // What is drawn of a scene in this frame, at `seconds` of the clock. Where the scene is
    // another, cells that differ from those that were drawn at the same place before are framed
    // from now on. Larger matrices than 64 x 64 are not compared, nor those of another shape.
    void see(const std::vector<Heatmap>& heatmaps, const Scene& scene, double seconds);
    // Those of one of the heatmaps seen last, where frames stand at `seconds`.
    const std::vector<Cell>& of(const Heatmap& heatmap, double seconds) const;
    // When frames that stand now go; nothing: there are none.
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

// Does the desktop, or MASKSCOPE_REDUCED_MOTION, ask for no movement? GTK's settings.ini:
// gtk-enable-animations=0.
bool wants_reduced_motion();

}  // namespace maskscope
