#pragma once
// Reads the scenes of tests/data/views and computes them.

#include <string>

#include "app/session/files/load.h"
#include "app/show/cells/view.h"
#include "core/base/build.h"
#include "tests/support/computed.h"

namespace maskscope::test {

inline Scene view_scene(const std::string& name) {
    return load_scene(source_folder() + "/tests/data" + "/views/" + name + ".json").scene;
}

inline View view_of(const Scene& scene) {
    View view;
    view.show = scene.show.value_or(Show{});
    return view;
}

}  // namespace maskscope::test
