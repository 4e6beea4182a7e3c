#include <csignal>
#include <iostream>
#include <new>

#include "app/commands/check.h"
#include "app/commands/command_line.h"
#include "app/commands/describe.h"
#include "app/commands/extract.h"
#include "app/commands/lessons.h"
#include "app/commands/pytorch.h"
#include "app/window/window.h"
#include "core/base/error.h"

namespace {

using namespace maskscope;

void complain(const std::string& line) { std::cerr << "maskscope: " << printable(line) << '\n'; }

int run(const HelpCommand&) {
    std::cout << help_text();
    return 0;
}

int run(const VersionCommand&) {
    std::cout << version_text();
    return 0;
}

int run(const ComputeCommand& command) {
    return compute(command.scene, command.options, std::cerr);
}

int run(const ExportCommand& command) {
    return export_scene(command.scene, command.out, command.options,
                        command.tells ? &std::cout : nullptr);
}

int run(const ExtractCommand& command) { return extract(command.figure, command.out, std::cerr); }

int run(const WorksheetCommand& command) {
    return worksheet(command.scene, command.out, command.options);
}

int run(const PytorchCommand& command) {
    pytorch(command.scene, command.variant, std::cout);
    return 0;
}

int run(const DescribeCommand& command) {
    describe(command.scene, std::cout);
    return 0;
}

int run(const LessonsCommand&) { return lessons(std::cout); }

int run(const CheckCommand& command) { return check(command.lesson, std::cout); }

// Without a display, the opening figure is written instead.
int run(const WindowOptions& options) {
    try {
        return run_window(options);
    } catch (const Error& error) {
        if (error.status() != 1 || options.file) throw;
        const std::string figure = write_opening_figure();  // throws an error line of its own
        complain(error.what());
        std::cout << figure << '\n';
        return 0;
    }
}

// The exit status: 1 if standard output could not be written.
int finished(int status) {
    if (std::cout.flush()) return status;
    complain("standard output: could not be written");
    return 1;
}

int run(const std::vector<std::string>& arguments) {
    try {
        const Command command = parse_command_line(arguments);
        return finished(std::visit([](const auto& one) { return run(one); }, command));
    } catch (const Error& error) {
        complain(error.what());
        return error.status();
    } catch (const std::bad_alloc&) {
        complain("not enough memory");
    } catch (const std::exception& error) {
        complain(error.what());
    }
    return 1;
}

}  // namespace

int main(int argc, char** argv) {
    // A closed pipe and an exceeded file size limit are then reported as write errors.
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
    return run(std::vector<std::string>(argv + 1, argv + argc));
}
