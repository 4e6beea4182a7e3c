#pragma once

#include "core/scene/scene.h"

namespace maskscope {

// A layer of a mask, its parameters as they are by default.
inline MaskLayer layer_of(LayerKind kind) {
    MaskLayer layer;
    layer.kind = kind;
    return layer;
}

}  // namespace maskscope
