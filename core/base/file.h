#pragma once
// Whole files: read up to a limit, and replaced as a whole.

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace maskscope {

// Reads a regular file. Throws InputError (empty place): "No such file or directory", "is a
// directory", "is not a regular file", larger than `limit` bytes.
std::string read_file(const std::filesystem::path& path, std::size_t limit = std::size_t{1} << 30);

// Writes next to the target, fsyncs, renames over it, fsyncs the folder: the file holds the old
// bytes or the new ones, never a part. A link is followed, permissions of an existing file are
// kept. Throws WorkError ("No space left on device") and leaves nothing behind.
void replace_file(const std::filesystem::path& path, std::string_view bytes);

// Writes a file that does not exist yet, without waiting until it is on disk: for the files of a
// folder that sync_files() and a rename will publish together. Throws WorkError; a partly written
// file stays.
void write_new_file(const std::filesystem::path& path, std::string_view bytes);

// Waits until everything written to the file system of `folder` is on disk. Throws WorkError.
void sync_files(const std::filesystem::path& folder);

}  // namespace maskscope
