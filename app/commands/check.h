#pragma once
// maskscope check: does every fact of a lesson hold, and can it fail? Does its Try do what it says?
// maskscope test: does a variant pass the four tests of a mask?

#include <iosfwd>
#include <string>
#include <vector>

#include "app/session/files/load.h"

namespace maskscope {

// Writes one line for each fact, tab-separated: step (from 1), claim, value, "holds", "fails" or
// "cannot fail". Then one for what a Try sets, "try: " before its claim: "holds", "fails" or
// "already true"; without a claim "valid". warnings: gets a line for each thing that makes a
// caption hard to read on a slide, which does not change the exit status: "FILE: /steps/3/caption:
// 21 words (at most 18)". Returns the exit status: 1 if a fact or Try does not hold, or holds when
// it should fail. Throws Error.
int check(const std::string& lesson_argument, std::ostream& out, std::ostream& warnings);

// Writes a line for each of these tests, in the order of mask_tests(): "future: pass",
// "future: fail: …", "future: n/a: …". only: their names; empty = all. Returns the exit status: 1
// if one fails. Throws Error.
int test(const SceneArgument& scene, int variant, const std::vector<std::string>& only,
         std::ostream& out);
// Writes these tests as a PyTorch script. Throws Error.
void test_in_pytorch(const SceneArgument& scene, int variant, const std::vector<std::string>& only,
                     std::ostream& out);

// Returns a value as written in files: the shortest text that reads back the same (as a float32 if
// it is one), NaN, inf or -inf.
std::string value_text(double value);

}  // namespace maskscope
