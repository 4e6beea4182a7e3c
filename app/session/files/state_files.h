#pragma once
// State files: what was open, which steps were seen, which options were chosen. Readable by the
// owner only, shared by several windows, and ignored if damaged.

#include <filesystem>
#include <functional>
#include <string>

namespace maskscope {

// Moves a file to NAME.damaged, and returns a line that says so; "" if there is no such file.
std::string set_aside(const std::filesystem::path& file);

// Sets the file aside if read(path) throws an Error or a JSON exception. Returns what set_aside()
// does; "" if the file is valid or missing. folder may be empty.
std::string set_aside_if_damaged(const std::filesystem::path& folder,
                                 const std::filesystem::path& file,
                                 const std::function<void(const std::filesystem::path&)>& read);

// Changes the folder's files while no other window does, or after 50 ms anyway: a frame waits for
// it, and at worst a name or step that the other window recorded is lost.
void change_state(const std::filesystem::path& folder, const std::function<void()>& change);

}  // namespace maskscope
