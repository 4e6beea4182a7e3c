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

// The fact as a sentence for `says`, its tokens as expressions: "in B, the sum of “{q[2]}” is below
// 0.5".
std::string words_of(const Fact& fact, const Scene& scene);

// The verdict: "holds (0.325)", "holds in all 5 rows", "no longer holds (only in 3 of 5 rows)". In
// brackets is what is judged: the number, or the difference from another address; of a fact over
// several entries in how many it holds, or the one that fails; nothing where the claim says it all.
std::string verdict_words(const Fact& fact, const Verdict& verdict, const Scene& scene);
// The same as it follows the claim: ": holds (0.325)"; after a claim with a colon of its own
// " — holds (0.325)".
std::string verdict_after(const std::string& claim, const Fact& fact, const Verdict& verdict,
                          const Scene& scene);

// The claim with a sign before it, and the number that decides: "✓ the row keeps less than half
// (0.325)", "✗ the row keeps less than half: no longer holds (1.000)".
std::string verdict_line(const std::string& claim, const Fact& fact, const Verdict& verdict,
                         const Scene& scene);

// Fields, as a phrase after "fails with": "B: mask multiplied after the softmax"; a field without
// words of its own as its pointer and value.
std::string words_of(const Fields& fields);

}  // namespace maskscope
