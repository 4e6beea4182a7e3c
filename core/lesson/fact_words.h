#pragma once
// A fact and what it hangs on, in plain words for who teaches.

#include <string>
#include <string_view>

#include "core/lesson/lesson.h"

namespace maskscope {

// "is below", "is near", "is NaN", …
std::string_view words_of(Relation is);

// What stands at an address: "in B, the weight of “name” on “My”", "in A − B, the sum of the row of
// “name”", "in A, the sum of every row". The address exists in the scene; `with` is left out.
std::string words_of(const Address& address, const Scene& scene);

// The fact as a sentence for `says`: "in B, the sum of the row of “name” is below 0.5".
std::string words_of(const Fact& fact, const Scene& scene);

// Fields that are set, as they stand after "fails with": "B: mask multiplied after the softmax";
// what has no words of its own as pointer and value.
std::string words_of(const Fields& fields);

}  // namespace maskscope
