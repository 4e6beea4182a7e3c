#pragma once
// The settings that a lecturer turns while presenting, as a line of fields with their choices.

#include <string>
#include <vector>

#include "app/session/session.h"

namespace maskscope {

struct WhatIfField {
    std::string name;                  // "apply"
    std::vector<std::string> choices;  // in words
    int chosen = -1;                   // -1: what is set is none of them, and stands at their end
};

// Of one lane: apply, value, dtype, scale, empty rows; those that act on it alone.
std::vector<WhatIfField> what_if_fields(const Scene& scene, int lane);

// One undoable edit. field and choice as what_if_fields counts them.
void choose_what_if(Session& session, int lane, int field, int choice);

}  // namespace maskscope
