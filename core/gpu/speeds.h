#pragma once
// The speed of this machine's CPU and GPU for a scene: a fixed cost, and a time for each number.

#include <filesystem>
#include <optional>
#include <string>

#include "core/base/progress.h"
#include "core/compute/backend.h"

namespace maskscope {

struct Speed {
    double fixed = 0;    // ms
    double numbers = 1;  // per ms
    double milliseconds(double count) const { return fixed + count / numbers; }
    bool operator==(const Speed&) const = default;
};

struct Speeds {
    Speed cpu, gpu;
    // True if the GPU finishes first. numbers: numbers_to_compute().
    bool gpu_is_faster(double numbers) const {
        return gpu.milliseconds(numbers) < cpu.milliseconds(numbers);
    }
    bool operator==(const Speeds&) const = default;
};

// Computes a small and a large scene of `few` and `many` tokens on both backends, several times,
// and takes the shortest time of each. This takes a fraction of a second on a graphics card, once
// its programs are compiled. Throws WorkError if the GPU's stages differ from the CPU's by more
// than rounding, and what the backends throw.
Speeds measure_speeds(Backend& cpu, Backend& gpu, Progress& progress, Index few = 128,
                      Index many = 1024);

// Reads the speeds measured before on this machine from a file of this folder; nullopt if there are
// none, if they belong to another renderer or number of cores, or if they cannot be read.
std::optional<Speeds> kept_speeds(const std::filesystem::path& folder, const std::string& renderer);
// Stores the speeds. A folder that cannot be written only means measuring again. "" keeps nothing.
void keep_speeds(const std::filesystem::path& folder, const std::string& renderer,
                 const Speeds& speeds);

}  // namespace maskscope
