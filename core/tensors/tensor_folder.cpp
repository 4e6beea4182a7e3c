// Reads tensors from the files of a folder.

#include <algorithm>
#include <system_error>

#include "core/base/error.h"
#include "core/files/input_file.h"
#include "core/tensors/tensor_file.h"
#include "core/tensors/tensor_formats.h"

namespace maskscope {

namespace fs = std::filesystem;

namespace {

fs::path canonical_path(const fs::path& path) {
    std::error_code error;
    fs::path result = fs::canonical(path, error);
    if (error) throw InputError("", error.message());
    return result;
}

}  // namespace

Array read_tensor(const std::string& reference, const fs::path& folder, const JudgeAxes& judge,
                  bool of_mask) {
    return read_referenced(reference, [&] {
        const TensorReference parsed = parse_reference(reference);
        const InputFile file(path_within(folder, parsed.file), InputFile::Links::refused);
        return parsed.format == TensorReference::Format::npz
                   ? read_npz(file, parsed.name, judge, of_mask)
                   : read_tensor(file, parsed, judge, of_mask);
    });
}

fs::path path_within(const fs::path& folder, const std::string& file) {
    check_tensor_path(file);
    const fs::path root = canonical_path(folder.empty() ? fs::path(".") : folder);
    fs::path found = canonical_path(root / file);
    if (std::mismatch(root.begin(), root.end(), found.begin(), found.end()).first != root.end())
        throw InputError("", "a symbolic link leads out of the scene's folder");
    return found;
}

}  // namespace maskscope
