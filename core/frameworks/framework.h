#pragma once
// A framework's treatment of a mask, as settings of a variant: each is one file of
// assets/frameworks.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/format/scene_json.h"
#include "core/scene/scene.h"

namespace maskscope {

enum class TrueMeans { attend, ignore, added };  // the meaning of True in its Boolean masks

struct Framework {
    std::string name, version, source;  // source: where it is documented
    std::string says;                   // one sentence, including what our settings cannot express
    TrueMeans true_means = TrueMeans::attend;
    std::optional<Align>
        causal;   // nullopt: the framework has no alignment of its own, and rules keep theirs
    Fields sets;  // pointers within a variant
};

// Reads a framework strictly: all keys must be present, and pointers and values must be those that
// a variant may have. Throws InputError.
Framework read_framework(std::string_view json);

// Makes a variant do what the framework does: its settings, the alignment of its causal rules, and
// its name. Throws EditError if the inputs have no such settings (given weights).
void set_framework(Scene& scene, int index, const Framework& framework);

// Returns the frameworks of assets/frameworks, sorted by file, read once. A file that cannot be
// read is left out (tests read each).
const std::vector<Framework>& frameworks();

}  // namespace maskscope
