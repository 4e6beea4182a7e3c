// Tests that words of the command line become options. tests/cli/usage.sh tests the whole messages
// about wrong words.

#include "app/commands/command_line.h"

#include <gtest/gtest.h>

#include "core/base/error.h"

namespace maskscope {
namespace {

using Words = std::vector<std::string>;

template <class T>
T parsed(const Words& words) {
    return std::get<T>(parse_command_line(words));
}

int status_of(const Words& words) {
    try {
        parse_command_line(words);
    } catch (const Error& error) {
        return error.status();
    }
    return 0;
}

TEST(CommandLine, NothingOpensTheWindow) {
    const auto window = parsed<WindowOptions>({});
    EXPECT_FALSE(window.file);
    EXPECT_EQ(window.ui_scale, 1);
    EXPECT_FALSE(window.theme);
}

TEST(CommandLine, WhatIsNoCommandIsAFileForTheWindow) {
    const Words orders[] = {{"s.json", "--ui-scale", "1.5", "--theme=light"},
                            {"--theme", "light", "s.json", "--ui-scale=1.5"}};
    for (const Words& words : orders) {
        const auto window = parsed<WindowOptions>(words);
        EXPECT_EQ(window.file, "s.json");
        EXPECT_EQ(window.ui_scale, 1.5);
        EXPECT_EQ(window.theme, ThemeKind::light);
    }
    EXPECT_EQ(parsed<WindowOptions>({"paint"}).file, "paint");
    EXPECT_EQ(parsed<WindowOptions>({"./compute"}).file, "./compute");
}

TEST(CommandLine, OptionsStandAnywhereAfterTheCommandInBothForms) {
    const Words orders[] = {
        {"compute", "s.json", "--out", "d", "--threads", "4", "--backend", "auto"},
        {"compute", "--threads=4", "--out=d", "s.json", "--backend=auto"},
        {"compute", "--backend", "auto", "--out", "d", "--threads", "4", "s.json"}};
    for (const Words& words : orders) {
        const auto command = parsed<ComputeCommand>(words);
        EXPECT_EQ(command.scene, "s.json");
        EXPECT_EQ(command.options.out, "d");
        EXPECT_EQ(command.options.threads, 4);
        EXPECT_EQ(command.options.backend, BackendChoice::automatic);
    }
}

TEST(CommandLine, AValueMayHoldEqualsSignsAndBlanks) {
    EXPECT_EQ(parsed<ComputeCommand>({"compute", "s", "--out=a=b c"}).options.out, "a=b c");
    EXPECT_EQ(parsed<ComputeCommand>({"compute", "s", "--out=--d"}).options.out, "--d");
}

TEST(CommandLine, ExportHasDefaults) {
    const auto command = parsed<ExportCommand>({"export", "s.json", "--out", "a.png"});
    EXPECT_EQ(command.options.dpi, 150);
    EXPECT_EQ(command.options.theme, ThemeKind::light);
    EXPECT_FALSE(command.options.variant || command.options.stage || command.options.sequence ||
                 command.options.head || command.options.all_heads);
}

TEST(CommandLine, ExportTakesWhatIsGiven) {
    const auto options =
        parsed<ExportCommand>({"export", "s", "--out=a.png", "--variant=1", "--stage=logits",
                               "--sequence=2", "--head=3", "--dpi=1200", "--theme=print"})
            .options;
    EXPECT_EQ(options.variant, 1);
    EXPECT_EQ(options.stage, StageKind::logits);
    EXPECT_EQ(options.sequence, 2);
    EXPECT_EQ(options.head, 3);
    EXPECT_EQ(options.dpi, 1200);
    EXPECT_EQ(options.theme, ThemeKind::print);
    const auto all = parsed<ExportCommand>({"export", "s", "--out=a.png", "--head", "all"});
    EXPECT_TRUE(all.options.all_heads);
    EXPECT_FALSE(all.options.head);
}

TEST(CommandLine, TakesAVariantAsAnIndexOrLetters) {
    for (const std::string option : {"--variant", "--lane"}) {
        const auto exported = [&](const std::string& value) {
            return parsed<ExportCommand>({"export", "s", "--out=a.png", option, value}).options;
        };
        EXPECT_EQ(exported("0").variant, 0);
        EXPECT_EQ(exported("0").variants, std::vector<int>{});
        EXPECT_FALSE(exported("A").variant);
        EXPECT_EQ(exported("A").variants, std::vector<int>{0});
        EXPECT_EQ(exported("A,C").variants, (std::vector<int>{0, 2}));
        const auto printed = [&](const std::string& value) {
            return parsed<PytorchCommand>({"pytorch", "s", option, value}).variant;
        };
        EXPECT_EQ(printed("2"), 2);
        EXPECT_EQ(printed("C"), 2);
    }
}

TEST(CommandLine, ValuesMayBeNegative) {
    const auto options =
        parsed<ExportCommand>({"export", "s", "--out=a.png", "--vmin", "-1", "--vmax=-.5"}).options;
    EXPECT_EQ(options.lowest, -1);
    EXPECT_EQ(options.highest, -0.5);
}

TEST(CommandLine, OutMayBeLeftOutWithAlt) {
    EXPECT_TRUE(parsed<ExportCommand>({"export", "s", "--alt"}).tells);
    EXPECT_EQ(parsed<ExportCommand>({"export", "s", "--alt"}).out, "");
}

TEST(CommandLine, FlagsSwitchPartsOffAndOn) {
    const auto parts =
        parsed<ExportCommand>({"export", "s", "--out=a.png", "--no-annot", "--title"})
            .options.parts;
    EXPECT_FALSE(parts.numbers);
    EXPECT_TRUE(parts.title && parts.sums);
}

TEST(CommandLine, TheEndsOfRangesAreInThem) {
    for (const std::string threads : {"1", "256"})
        EXPECT_EQ(status_of({"compute", "s", "--out=d", "--threads=" + threads}), 0);
    for (const std::string dpi : {"10", "1200"})
        EXPECT_EQ(status_of({"export", "s", "--out=a.png", "--dpi=" + dpi}), 0);
    for (const std::string scale : {"1", "3", "1.25"})
        EXPECT_EQ(status_of({"--ui-scale", scale}), 0);
    for (const std::string scale : {"0.99", "3.01", "inf", "nan", "1,5", " 1", ""})
        EXPECT_EQ(status_of({"--ui-scale=" + scale}), 2) << scale;
}

TEST(CommandLine, EveryCommandTakesOptionsOfTensors) {
    const TensorOptions wanted{.layer = 3,
                               .take = 1,
                               .scale = Scale{ScaleKind::number, -0.5},
                               .axes = "bnhd",
                               .mask = "causal",
                               .tokens = "t.json"};
    const auto with = [](Words words) {
        for (const char* word : {"--layer", "3", "--take=1", "--scale", "-0.5", "--axes", "bnhd",
                                 "--mask", "causal", "--tokens", "t.json"})
            words.emplace_back(word);
        return words;
    };
    EXPECT_EQ(parsed<ComputeCommand>(with({"compute", "s", "--out=d"})).tensors, wanted);
    EXPECT_EQ(parsed<ExportCommand>(with({"export", "s", "--out=a.png"})).tensors, wanted);
    EXPECT_EQ(parsed<WorksheetCommand>(with({"worksheet", "s", "--out=a.pdf"})).tensors, wanted);
    EXPECT_EQ(parsed<PytorchCommand>(with({"pytorch", "s"})).tensors, wanted);
    EXPECT_EQ(parsed<DescribeCommand>(with({"describe", "s"})).tensors, wanted);
    EXPECT_EQ(parsed<DescribeCommand>({"describe", "s", "--scale=none"}).tensors.scale,
              (Scale{ScaleKind::none, 1}));
    for (const char* scale :
         {"--scale=", "--scale=inf", "--scale=root", "--axes=bhdn", "--layer=-1"})
        EXPECT_EQ(status_of({"describe", "s", scale}), 2) << scale;
}

TEST(CommandLine, HelpAndVersion) {
    EXPECT_NO_THROW(parsed<HelpCommand>({"--help"}));
    EXPECT_EQ(parsed<HelpCommand>({"compute", "--help"}).command, "compute");
    EXPECT_EQ(parsed<HelpCommand>({"s.json", "--help"}).command, "");
    EXPECT_NO_THROW(parsed<VersionCommand>({"--version"}));
    EXPECT_EQ(status_of({"--version", "--theme=dark"}), 2);
    EXPECT_EQ(status_of({"-h"}), 2);
}

TEST(CommandLine, LessonsAndCheck) {
    EXPECT_NO_THROW(parsed<LessonsCommand>({"lessons"}));
    EXPECT_EQ(parsed<CheckCommand>({"check", "lesson:heads"}).lesson, "lesson:heads");
    EXPECT_EQ(status_of({"check", "a", "b"}), 2);
}

}  // namespace
}  // namespace maskscope
