#pragma once
// maskscope translate: sentences in, translations out.

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

namespace maskscope {

// A line for each sentence, or if there are none for each line of `in`: what every variant of the
// scene says, tabs between; without a scene the built-in model as it was trained. All sentences are
// judged before the first is translated. Throws Error.
void translate(const std::optional<std::string>& scene, std::vector<std::string> sentences,
               std::istream& in, std::ostream& out);

}  // namespace maskscope
