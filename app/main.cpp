#include <fmt/format.h>
#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstring>
#include <iostream>
#include <new>
#include <string_view>
#include <system_error>

#include "app/commands/command_line.h"
#include "app/commands/commands.h"
#include "app/commands/patience.h"
#include "app/commands/translate.h"
#include "app/window/window.h"
#include "core/base/error.h"
#include "core/base/progress.h"
#include "core/files/file.h"

namespace {

using namespace maskscope;

void complain(const std::string& line) {
    std::cerr << "maskscope: " << without_middle(printable(line), longest_error) << '\n';
}

int run(const HelpCommand& command) {
    std::cout << help_text(command.command);
    return 0;
}

int run(const VersionCommand&) {
    std::cout << version_text();
    return 0;
}

int run(const ComputeCommand& command) {
    return compute({command.scene, command.tensors}, command.options, std::cerr);
}

int run(const ExportCommand& command) {
    if (command.live) {
        export_live({command.scene, command.tensors}, command.out, command.page);
        return 0;
    }
    return export_scene({command.scene, command.tensors}, command.out, command.options,
                        command.tells ? &std::cout : nullptr);
}

int run(const ExtractCommand& command) {
    return extract(command.figure, command.out, command.force, std::cerr);
}

int run(const WorksheetCommand& command) {
    return worksheet({command.scene, command.tensors}, command.out, command.options);
}

int run(const PytorchCommand& command) {
    pytorch({command.scene, command.tensors}, command.variant, std::cout, std::cerr);
    return 0;
}

int run(const TestCommand& command) {
    const SceneArgument scene{command.scene, command.tensors};
    if (!command.pytorch) return test(scene, command.variant, command.only, std::cout);
    test_in_pytorch(scene, command.variant, command.only, std::cout);
    return 0;
}

int run(const DescribeCommand& command) {
    describe({command.scene, command.tensors}, std::cout);
    return 0;
}

int run(const TranslateCommand& command) {
    std::ios::sync_with_stdio(false);  // otherwise unreadable input looks like the end of the input
    translate(command.scene, command.sentences, std::cin, std::cout);
    return 0;
}

int run(const LessonsCommand&) { return lessons(std::cout); }

int run(const CheckCommand& command) { return check(command.lesson, std::cout, std::cerr); }

// Runs the window. Without a display, writes the opening figure instead.
int run(const WindowOptions& options) {
    try {
        return run_window(options);
    } catch (const Error& error) {
        if (error.status() != 1 || options.file) throw;
        const std::string figure = write_opening_figure();  // throws an error with its own message
        complain(error.what());
        std::cout << figure << '\n';
        return 0;
    }
}

// Returns the exit status: 1 if standard output could not be written.
int finished(int status) {
    if (std::cout.flush()) return status;
    complain("standard output cannot be written");
    return 1;
}

int run_command(const Command& command, const std::string& words) {
    if (std::holds_alternative<WindowOptions>(command))
        return run(std::get<WindowOptions>(command));
    const Patience patience(words);
    return std::visit([](const auto& one) { return run(one); }, command);
}

int run(const std::vector<std::string>& arguments) {
    try {
        const Command command = parse_command_line(arguments);
        return finished(run_command(command, arguments.empty() ? "" : arguments.front()));
    } catch (const Error& error) {
        complain(error.what());
        return error.status();
    } catch (const Cancellation&) {  // only by a signal, which has already ended the program
    } catch (const std::bad_alloc&) {
        complain("not enough memory");
    } catch (const std::system_error& error) {
        complain(
            error.code() == std::errc::resource_unavailable_try_again
                ? "could not start a thread: too little memory, or too many processes (see ulimit)"
                : error.what());
    } catch (const std::exception& error) {
        complain(error.what());
    }
    return 1;
}

bool is_below(decltype(RLIMIT_AS) what, rlim_t enough) {
    rlimit limit{};
    return getrlimit(what, &limit) == 0 && limit.rlim_cur < enough;
}

// The lines to print for signals. Libraries end the program by a signal if they get no memory, file
// or thread. The cause is not known then, so the line names the signal, and the resource limit as a
// possible cause.
std::array<std::string, 32> lines_of_signals;

void prepare_for_small_limits() {
    // Let threads share one allocator, because otherwise each would reserve 64 MB.
    const bool is_small = is_below(RLIMIT_AS, RLIM_INFINITY);
    if (is_small) mallopt(M_ARENA_MAX, 1);
    const std::string_view limit =
        is_below(RLIMIT_NOFILE, 64)    ? "the number of open files is limited (see ulimit -n)"
        : is_small                     ? "memory is limited (see ulimit -v)"
        : is_below(RLIMIT_NPROC, 1024) ? "the number of processes is limited (see ulimit -u)"
                                       : "";
    if (limit.empty()) return;
    for (const int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGTRAP}) {
        lines_of_signals.at(signal) = fmt::format(
            "maskscope: ended by SIG{}. A possible cause: {}\n", sigabbrev_np(signal), limit);
        std::signal(signal, [](int signal) {
            static std::atomic_flag told;  // threads may fault at the same time
            while (told.test_and_set()) pause();
            const std::string& line = lines_of_signals[signal];
            if (write(STDERR_FILENO, line.data(), line.size()) != 0) _exit(1);
        });
    }
}

}  // namespace

int main(int argc, char** argv) {
    prepare_for_small_limits();
    // Ignore the signals, so that a closed pipe and an exceeded file size limit are write errors.
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
    finish_files_on_signals(&command_progress().cancel);
    return run(std::vector<std::string>(argv + 1, argv + argc));
}
