#pragma once
// Parses the command line before any file is read.

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "app/commands/commands.h"
#include "app/export/export.h"
#include "app/export/export_lesson.h"
#include "app/export/export_live.h"
#include "app/style/theme.h"

namespace maskscope {

struct WindowOptions {
    std::optional<std::string>
        file;  // a scene or a lesson; nullopt = what was opened last, at first the start page
    double ui_scale = 1;             // multiplies the monitor's own scale
    std::optional<ThemeKind> theme;  // nullopt = the last choice, at first dark
};

struct HelpCommand {
    std::string command;  // the command to explain; "" for all commands
};
struct VersionCommand {};
struct ComputeCommand {
    std::string scene;
    ComputeOptions options;
    TensorOptions tensors{};
};
struct ExportCommand {
    std::string scene, out;
    ExportOptions options;
    bool tells = false;  // prints the alternative text; `out` may then be ""
    TensorOptions tensors{};
    bool live = false;  // writes a live page as `page` says; `options` does not apply
    LiveOptions page{};
};
struct ExtractCommand {
    std::string figure, out;
    bool force = false;
};
struct WorksheetCommand {
    std::string scene, out;
    WorksheetOptions options;
    TensorOptions tensors{};
};
struct PytorchCommand {
    std::string scene;
    int variant = 0;
    TensorOptions tensors{};
};
struct TestCommand {
    std::string scene;
    int variant = 0;
    std::vector<std::string> only;  // empty: all tests
    bool pytorch = false;
    TensorOptions tensors{};
};
struct DescribeCommand {
    std::string scene;
    TensorOptions tensors{};
};
struct TranslateCommand {
    std::optional<std::string> scene;
    std::vector<std::string> sentences;  // empty = read them from standard input, one per line
};
struct LessonsCommand {};
struct CheckCommand {
    std::string lesson;
};

using Command =
    std::variant<WindowOptions, HelpCommand, VersionCommand, ComputeCommand, ExportCommand,
                 ExtractCommand, WorksheetCommand, PytorchCommand, TestCommand, DescribeCommand,
                 TranslateCommand, LessonsCommand, CheckCommand>;

// Parses the arguments. arguments: without the program's name. Throws Error (status 2): "compute:
// --out is missing".
Command parse_command_line(const std::vector<std::string>& arguments);

// Returns the texts that --help and --version print.
std::string help_text(const std::string& command);
std::string version_text();

}  // namespace maskscope
