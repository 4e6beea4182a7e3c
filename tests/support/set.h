#pragma once
// Sets a setting of a variant as the sidebar does: set(scene, 0, "mask.order", &Mask::order, …).

#include <type_traits>

#include "core/edit/edit.h"
#include "core/settings/setting.h"

namespace maskscope {

template <class Owner, class T>
void set(Scene& scene, int variant, std::string_view key, T Owner::*member,
         const std::type_identity_t<T>& value) {
    set_setting(scene, variant, *find_setting(key), [&](Variant& changed) {
        if constexpr (std::is_same_v<Owner, Mask>)
            changed.mask.*member = value;
        else if constexpr (std::is_same_v<Owner, Score>)
            changed.score.*member = value;
        else if constexpr (std::is_same_v<Owner, Output>)
            changed.output.*member = value;
        else
            changed.*member = value;
    });
}

}  // namespace maskscope
