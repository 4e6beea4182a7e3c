#include "core/base/build.h"

namespace maskscope {

std::string version() { return MASKSCOPE_VERSION; }
std::string source_folder() { return MASKSCOPE_SOURCE_FOLDER; }

}  // namespace maskscope
