#pragma once
// Reads and writes a variant in the text of a scene by the table of settings. Throws InputError.

#include "core/json/array_json.h"
#include "core/settings/setting.h"

namespace maskscope {

// The place of a variant in a file.
struct VariantPlace {
    const Inputs& inputs;
    const AttendedTokens& tokens;
    const Reading& reading;
    int own = 0,
        variants = 0;  // the index among the scene's variants; for an earlier layer: 0 of 0
};

Variant read_variant(const Node& node, const VariantPlace& place);
Mask read_mask(const Node& node, const VariantPlace& place);
Json variant_to_json(const Variant& variant, const Inputs& inputs, const WriteArray& array);

}  // namespace maskscope
