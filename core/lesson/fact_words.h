#pragma once
// Facts, addresses and fields in plain words.

#include <string>
#include <string_view>

#include "core/lesson/lesson.h"

namespace maskscope {

// "is below", "is near", "is NaN", …
std::string_view words_of(Relation is);

// "in B, the weight of “name” on “My”", "in A − B, the sum of “name”", "in A, the sum of every
// row". The address exists in the scene; its `with` is left out.
std::string words_of(const Address& address, const Scene& scene);

// The fact as a sentence for `says`: "in B, the sum of the row of “name” is below 0.5".
std::string words_of(const Fact& fact, const Scene& scene);

// Fields, as a phrase after "fails with": "B: mask multiplied after the softmax"; a field without
// words of its own as its pointer and value.
std::string words_of(const Fields& fields);

}  // namespace maskscope
