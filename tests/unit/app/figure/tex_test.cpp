#include "app/figure/write/tex.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/base/error.h"
#include "tests/unit/app/figure/sample_figure.h"

namespace maskscope {
namespace {

bool holds(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

std::string tex_of_word(const std::string& word) {
    Figure figure;
    figure.width = figure.height = 100;
    figure.texts.push_back({.at = {10, 10}, .text = word, .style = {}});
    const std::string tex = tex_text(figure, {});
    const std::size_t begin = tex.rfind("{base,left}{") + 12;
    return tex.substr(begin, tex.find("}%\n", begin) - begin);
}

TEST(Tex, ScriptsAreSet) {
    EXPECT_EQ(tex_of_word("W_q and e^s"), "W\\textsubscript{q}\\ and\\ e\\textsuperscript{s}");
}

TEST(Tex, TheSameFigureHasTheSameText) {
    const std::string tex = tex_text(sample::figure(), {});
    EXPECT_TRUE(tex.starts_with("% A figure by Maskscope"));
    EXPECT_TRUE(holds(tex, "\\usepackage{tikz}"));
    EXPECT_TRUE(tex.ends_with("\\end{tikzpicture}%\n"));
    EXPECT_EQ(tex_text(sample::figure(), {}), tex);
    EXPECT_NE(tex_text(sample::figure(), {.theme = ThemeKind::dark}), tex);
    EXPECT_NE(tex_text(sample::figure(), {.transparent = true}), tex);
}

TEST(Tex, BracesAndScopesMatch) {
    const std::string tex = tex_text(sample::figure(), {});
    int depth = 0;
    for (std::size_t k = 0; k < tex.size(); ++k) {
        if (tex[k] == '\\') {
            ++k;
            continue;
        }
        depth += (tex[k] == '{' ? 1 : 0) - (tex[k] == '}' ? 1 : 0);
        ASSERT_GE(depth, 0) << k;
    }
    EXPECT_EQ(depth, 0);
    const auto count = [&](const std::string& part) {
        int found = 0;
        for (auto at = tex.find(part); at != std::string::npos; at = tex.find(part, at + 1))
            ++found;
        return found;
    };
    EXPECT_EQ(count("\\begin{pgfscope}"), count("\\end{pgfscope}"));
    EXPECT_GT(count("\\msX"), 3) << "hatches and sums are clipped";
}

TEST(Tex, WhatTexReadsAsCodeIsWrittenAsLetters) {
    EXPECT_EQ(tex_of_word("50 % of #1 & {x}_y$"), "50\\ \\%\\ of\\ \\#1\\ \\&\\ \\{x\\}\\_y\\$");
    EXPECT_EQ(tex_of_word("\\input~^"),
              "\\textbackslash{}input\\textasciitilde{}\\textasciicircum{}");
    EXPECT_EQ(tex_of_word("<eos>"), "\\textless{}eos\\textgreater{}");
    EXPECT_EQ(tex_of_word("−∞ × √d"), "$-$$\\infty$\\ $\\times$\\ $\\surd$d");
    EXPECT_EQ(tex_of_word("日本語 a\x01\tb"), "日本語\\ ab");
    EXPECT_EQ(tex_of_word("a--b"), "a-{}-{}b") << "no dash";
}

Figure with_map(Index n) {
    Figure figure;
    figure.width = figure.height = 700;
    Heatmap map;
    map.rect = {10, 10, 680, 680};
    map.number_size = 7;
    map.cells = sample::cells(StageKind::weights, n, true,
                              [](Index, Index j) { return 1.0 / double(j + 1); });
    figure.heatmaps.push_back(map);
    return figure;
}

TEST(Tex, OnlyMoreThan64CellsInARowAreAPicture) {
    EXPECT_FALSE(tex_picture(with_map(64)));
    EXPECT_FALSE(holds(tex_text(with_map(64), {.picture = "x-cells.png"}), "x-cells.png"));
    const auto picture = tex_picture(with_map(65));
    ASSERT_TRUE(picture);
    ASSERT_EQ(picture->heatmaps.size(), 1U);
    EXPECT_EQ(picture->width, 700);
    EXPECT_EQ(picture->heatmaps[0].number_size, 0);
    const std::string tex = tex_text(with_map(65), {.picture = "x-cells.png"});
    EXPECT_TRUE(holds(tex, "\\includegraphics[width=700bp,height=700bp]{x-cells.png}"));
    EXPECT_TRUE(holds(tex, "0.50")) << "numbers are letters";
}

TEST(Tex, AnEmptyFigureIsRefused) { EXPECT_THROW(tex_text(Figure(), {}), WorkError); }

}  // namespace
}  // namespace maskscope
