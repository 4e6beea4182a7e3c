#pragma once
// Writes facts, addresses and fields in plain words.

#include <string>
#include <string_view>

#include "core/lesson/lesson.h"

namespace maskscope {

// Returns "is below", "is near", "is NaN", …
std::string_view words_of(Relation is);

// Returns "in B, the weight of “name” on “My”", "in A − B, the sum of “name”", "in A, the sum of
// every row". The address exists in the scene; its `with` is left out.
std::string words_of(const Address& address, const Scene& scene);

// Returns the fact as a sentence for `says`, its tokens as expressions: "in B, the sum of “{q[2]}”
// is below 0.5".
std::string words_of(const Fact& fact, const Scene& scene);

// Returns the verdict: "holds (0.325)", "holds in all 5 rows", "no longer holds (only in 3 of 5
// rows)". The brackets hold what decides: the number, or the difference from another address. For a
// fact over all of several entries, they hold the number of entries for which the fact holds, or
// the only entry for which it fails. There are no brackets if the words of the fact say it all, if
// the fact is about any of several entries, or if an address no longer exists.
std::string verdict_words(const Fact& fact, const Verdict& verdict, const Scene& scene);
// Returns the verdict as it follows the words of the fact: ": holds (0.325)"; " — holds (0.325)" if
// these contain a colon.
std::string verdict_after(const std::string& claim, const Fact& fact, const Verdict& verdict,
                          const Scene& scene);

// Returns the words of the fact after a symbol, and the number that decides: "✓ the row keeps less
// than half (0.325)", "✗ the row keeps less than half: no longer holds (1.000)".
std::string verdict_line(const std::string& claim, const Fact& fact, const Verdict& verdict,
                         const Scene& scene);

// Returns fields as a phrase after "fails with": "B: mask multiplied after the softmax"; a field
// without words of its own as its pointer and value.
std::string words_of(const Fields& fields);

}  // namespace maskscope
