#pragma once
// Small scenes of every kind, as text, for tests of reading and writing.

#include <string>

#include "core/base/json_text.h"
#include "core/scene/scene.h"

namespace maskscope::test {

// Returns the sample of this name: "embedding" (2 sequences, 2 heads, 2 variants), "cross" (3
// queries, 2 keys), "patterns", "tensors" (3 queries, 2 keys), "scores" and "weights" (2 tokens),
// "output" (one layer before), "decoder" (a layer for queries, one for keys), "translator" (2
// sentences that are generated, in cross-attention), "forced" (1 sentence with its target, in the
// decoder's self-attention).
std::string sample(const std::string& name);
inline constexpr const char* sample_names[] = {"embedding",  "cross",   "patterns", "tensors",
                                               "scores",     "weights", "output",   "decoder",
                                               "translator", "forced"};

// Returns the sample after setting the value at a JSON pointer, or if `value` is "", removing it.
// value: JSON.
std::string changed(const std::string& name, const std::string& pointer, const std::string& value);

}  // namespace maskscope::test
