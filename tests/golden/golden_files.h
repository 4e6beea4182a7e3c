#pragma once
// Reads the golden scenes under tests/data/golden, which another program made: a variant's stages
// are in stages.npz, the statistics of its rows in summary.json.

#include <string>
#include <vector>

#include "core/base/matrix.h"
#include "core/scene/scene.h"

namespace maskscope::golden {

std::vector<std::string> scene_names();  // sorted
Scene read_golden_scene(const std::string& name);

// One array [b, h, rows, columns] of float64 or bool numbers (1 where true).
struct Golden {
    Index b = 0, h = 0, rows = 0, columns = 0;
    std::vector<double> numbers;
    Matrix head(Index b, Index h) const;  // [rows, columns]
};

bool has_golden(const std::string& name, int variant, const std::string& stage);
Golden read_golden(const std::string& name, int variant, const std::string& stage);

bool has_figure(const std::string& name, int variant, const std::string& figure);
// Returns a statistic of summary.json as [b, h, n_q] numbers in one list; null (not finite) becomes
// NaN, and true becomes 1.
std::vector<double> read_figure(const std::string& name, int variant, const std::string& figure);

}  // namespace maskscope::golden
