#pragma once

#include "app/window/context/app.h"

namespace maskscope {

void draw_bench(App& app);

}  // namespace maskscope
