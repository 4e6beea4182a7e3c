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

// Returns the program on PATH that shows a dialog: "zenity", "kdialog", or "" if there is neither.
std::string program_on_path() {
    for (const char* program : {"zenity", "kdialog"})
        if (is_on_path(program)) return program;
    return "";
}

std::vector<std::string> words_of(const std::string& program, const FileQuestion& q) {
    if (program == "kdialog")
        return {program,       "--title",
                q.title,       q.saves ? "--getsavefilename" : "--getopenfilename",
                q.at.string(), fmt::format("{0}|{0}", patterns(q.extensions))};
    std::vector<std::string> words{program, "--file-selection", "--title=" + q.title,
                                   "--filename=" + q.at.string(),
                                   "--file-filter=" + patterns(q.extensions)};
    if (q.saves) words.emplace_back("--save");
    return words;
}

// Starts a process in its own group, so that a signal to the group ends it with whatever it
// started. Returns 0 if it could not be started.
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

// Reads all output until its end, and returns it without its line end.
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

bool SystemDialog::may_exist() { return !Portal::bus().empty() || !program_on_path().empty(); }

SystemDialog::SystemDialog(FileQuestion question, std::function<void()> wake)
    : question_(std::move(question)), wake_(std::move(wake)) {
    if (Portal::bus().empty())
        start_program();
    else
        asking_.start([this](Progress&) { return portal_.ask(question_); },
                      [this](std::optional<std::string> path) { answer_ = std::move(path); },
                      wake_);
}

void SystemDialog::start_program() {
    const std::string program = program_on_path();
    std::array<int, 2> ends{-1, -1};
    missing_ = program.empty() || pipe2(ends.data(), O_CLOEXEC) != 0;
    answer_ = "";
    if (missing_) return;
    output_ = ends[0];
    child_ = start(words_of(program, question_), ends[1]);
    close(ends[1]);
    asking_.start([output = output_](Progress&) { return line_from(output); },
                  [this](std::string line) { answer_ = std::move(line); }, wake_);
}

SystemDialog::~SystemDialog() {
    portal_.stop();
    if (child_ > 0) kill(-child_, SIGKILL);
    if (asking_.active()) asking_.join();
    if (output_ >= 0) close(output_);
    if (child_ > 0) waitpid(child_, nullptr, 0);
}

std::optional<std::string> SystemDialog::answer() {
    if (asking_.active() && !asking_.finished()) return std::nullopt;
    if (asking_.active()) {
        asking_.join();
        if (!answer_) start_program();  // no portal answered
        return answer();
    }
    return answer_;
}

}  // namespace maskscope
