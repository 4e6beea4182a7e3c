#pragma once
// Limits the size of a live page: every cell is an element of it. app/export refuses more, and
// app/web refuses an edit that would make more.

#include "core/base/shape.h"

namespace maskscope {

inline constexpr Index most_page_tokens = 64;

}  // namespace maskscope
