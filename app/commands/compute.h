#pragma once
// Implements maskscope compute: every stage of every variant as .npy, and a summary.

#include <filesystem>
#include <iosfwd>
#include <string>

#include "app/session/backends.h"
#include "app/session/files/load.h"
#include "core/attention/reference.h"
#include "core/result/result.h"

namespace maskscope {

struct ComputeOptions {
    std::string out;  // the folder; created, with its parents
    BackendChoice backend = BackendChoice::cpu;
    int threads = 0;  // 1 to 256; 0 = one for each core; CPU only
    std::bitset<stage_count> stages = std::bitset<stage_count>().set();  // those that are written
};

// Returns the exit status; throws Error. `notes` receives a line if `auto` chose the CPU.
int compute(const SceneArgument& scene, const ComputeOptions& options, std::ostream& notes);

// Replaces the folders variant-0, variant-1, … of `out`, and removes those with higher numbers: all
// of them or, if writing fails, none. Throws Error, naming the file that could not be written.
void write_result(const Result& result, const std::filesystem::path& out);

// Returns summary.json of one variant: backend, shape, and the statistics of each row as
// [b][h][n_q] lists; numbers that are not finite are null. reference: for each row, [b, h, n_q], of
// a variant that has one; else empty.
std::string summary_json(const VariantResult& variant, const std::string& backend,
                         const std::vector<ReferenceFigures>& reference = {});

}  // namespace maskscope
