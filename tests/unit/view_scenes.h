#pragma once
// The scenes of tests/data/views, computed.

#include <string>

#include "app/commands/load.h"
#include "app/view.h"
#include "core/cpu/plain.h"

namespace maskscope::test {

inline Scene view_scene(const std::string& name) {
    return load_scene(std::string(MASKSCOPE_TEST_DATA) + "/views/" + name + ".json").scene;
}

inline Result computed(const Scene& scene) {
    Progress progress;
    return PlainBackend().compute(scene, {}, nullptr, progress);
}

inline View view_of(const Scene& scene) {
    View view;
    view.show = scene.show.value_or(Show{});
    return view;
}

}  // namespace maskscope::test
