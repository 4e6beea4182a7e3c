#pragma once

#include "core/scene/scene.h"

namespace maskscope {

// Returns a mask rule with default parameters.
inline MaskLayer layer_of(LayerKind kind) {
    MaskLayer layer;
    layer.kind = kind;
    return layer;
}

}  // namespace maskscope
