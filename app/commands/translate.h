#pragma once
// Implements maskscope translate: sentences in, translations out.

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

namespace maskscope {

// Writes one line for each sentence or, if there are no sentences, for each line of `in`. It holds
// the translations by all variants of the scene, separated by tabs; without a scene, the
// translation by the first built-in model as it was trained. Checks all sentences before it
// translates the first. Throws Error.
void translate(const std::optional<std::string>& scene, std::vector<std::string> sentences,
               std::istream& in, std::ostream& out);

}  // namespace maskscope
