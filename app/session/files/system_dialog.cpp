#include "app/session/files/system_dialog.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <sstream>
#include <vector>

extern char** environ;

namespace maskscope {

namespace {

bool is_on_path(const std::string& program) {
    const char* path = std::getenv("PATH");
    std::istringstream folders(path != nullptr ? path : "");
    for (std::string folder; std::getline(folders, folder, ':');)
        if (!folder.empty() && access((std::filesystem::path(folder) / program).c_str(), X_OK) == 0)
            return true;
    return false;
}

// Returns "*.json *.npz".
std::string patterns(const std::vector<std::string>& extensions) {
    std::string text;
    for (const std::string& extension : extensions) text += (text.empty() ? "*" : " *") + extension;
    return text.empty() ? "*" : text;
}

std::vector<std::string> words_of(const SystemDialog::Options& o) {
    if (o.program == "kdialog")
        return {o.program,     "--title",
                o.title,       o.saves ? "--getsavefilename" : "--getopenfilename",
                o.at.string(), fmt::format("{0}|{0}", patterns(o.extensions))};
    std::vector<std::string> words{o.program, "--file-selection", "--title=" + o.title,
                                   "--filename=" + o.at.string(),
                                   "--file-filter=" + patterns(o.extensions)};
    if (o.saves) words.emplace_back("--save");
    return words;
}

// Starts a process group, so that closing it closes whatever it started. Returns 0 if it did not
// start.
int start(std::vector<std::string> words, int output) {
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t files{};
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
    posix_spawnattr_t attributes{};
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    pid_t child = 0;
    const int failed =
        posix_spawnp(&child, arguments.front(), &files, &attributes, arguments.data(), environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return failed == 0 ? child : 0;
}

// Returns all that it writes until it ends: a line, without its end.
std::string line_from(int output) {
    std::string text;
    std::array<char, 4096> piece{};
    for (;;) {
        const ssize_t size = read(output, piece.data(), piece.size());
        if (size < 0 && errno == EINTR) continue;
        if (size <= 0) break;
        text.append(piece.data(), static_cast<std::size_t>(size));
    }
    if (text.ends_with('\n')) text.pop_back();
    return text;
}

}  // namespace

std::string SystemDialog::program() {
    for (const char* program : {"zenity", "kdialog"})
        if (is_on_path(program)) return program;
    return "";
}

SystemDialog::SystemDialog(const Options& options) {
    std::array<int, 2> ends{-1, -1};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) return;
    output_ = ends[0];
    child_ = start(words_of(options), ends[1]);
    close(ends[1]);
    reading_.start([output = output_](Progress&) { return line_from(output); },
                   [this](std::string line) { answer_ = std::move(line); }, options.wake);
}

SystemDialog::~SystemDialog() {
    if (child_ > 0) kill(-child_, SIGKILL);
    if (reading_.active()) reading_.join();
    if (output_ >= 0) close(output_);
    if (child_ > 0) waitpid(child_, nullptr, 0);
}

std::optional<std::string> SystemDialog::answer() {
    if (reading_.active() && !reading_.finished()) return std::nullopt;
    if (reading_.active()) reading_.join();
    return answer_;
}

}  // namespace maskscope
