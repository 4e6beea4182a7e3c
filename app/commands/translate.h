#pragma once
// Implements maskscope translate: sentences in, translations out.

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

namespace maskscope {

// Writes one line for each sentence, or if there are none, for each line of `in`. The line holds
// the translation by every variant of the scene, separated by tabs; without a scene, that of the
// built-in model as it was trained. Checks all sentences before it translates the first. Throws
// Error.
void translate(const std::optional<std::string>& scene, std::vector<std::string> sentences,
               std::istream& in, std::ostream& out);

}  // namespace maskscope
