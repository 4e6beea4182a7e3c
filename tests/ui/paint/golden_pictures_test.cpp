// Compares every view in every theme, in the window and as a file for print, with the pictures in
// tests/data/pictures. After an intended change, MASKSCOPE_NEW_PICTURES=1 makes them again; look at
// each before it is committed.

#include <cstdlib>

#include "app/figure/plots/lay_out_view.h"
#include "app/figure/write/png.h"
#include "core/base/build.h"
#include "tests/support/test_name.h"
#include "tests/ui/paint/pictures.h"
#include "tests/ui/panels/panels_fixture.h"

namespace maskscope::ui {
namespace {

// Fonts, Mesa and rounding of another machine change the shading of edges a little; a missing or
// additional digit has more than 40 pixels of ink.
constexpr int shade_tolerance = 40;   // of 255, for one channel
constexpr long pixel_tolerance = 40;  // pixels beyond that in one picture
constexpr int width = 1100, height = 760;

void compare_heads(View& view) { view.picked = {0, 5}; }
void enlarge_head(View& view) {
    view.show.view = ViewKind::pipeline;
    view.enlarged = true;
    view.show.heads = std::vector<Index>{5};
}
void logarithmic_cividis(View& view) {
    view.colouring = {.map = ColourMap::cividis, .logarithmic = true};
}
void show_vectors(View& view) { view.show.vectors = true; }
void write_two_words(View& view) {
    view.words = 2;
    view.show.focus = Cell{1, 2};
}

struct GoldenPicture {
    const char* picture;
    const char* scene;
    void (*prepare)(View&) = nullptr;
};
void PrintTo(const GoldenPicture& of, std::ostream* out) { *out << of.picture; }

const std::vector<GoldenPicture> pictured = {
    {"pipeline", "pipeline"},
    {"logarithmic", "pipeline", logarithmic_cividis},
    {"vectors", "pipeline", show_vectors},
    {"leaks", "leaks"},
    {"reference", "reference"},
    {"difference", "difference"},
    {"heads", "heads"},
    {"heads-compared", "heads", compare_heads},
    {"head-enlarged", "heads", enlarge_head},
    {"batch", "batch"},
    {"second-layer", "second-layer"},
    {"many-tokens", "many-tokens"},
    {"scripts", "scripts"},
    {"plane-convex", "plane-convex"},
    {"plane-projected", "plane-projected"},
    {"plane-alternative", "plane-alternative"},
    {"table", "table-words"},
    {"root-d", "root-d"},
    {"generation", "generation"},
    {"translator", "translator"},
    {"translator-stepped", "translator", write_two_words},
};

const std::vector<std::pair<const char*, ThemeKind>> themes = {
    {"dark", ThemeKind::dark},
    {"light", ThemeKind::light},
    {"high-contrast", ThemeKind::high_contrast},
};

std::string bytes_of(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

bool differs(Colour a, Colour b) {
    const auto apart = [](int x, int y) { return std::abs(x - y) > shade_tolerance; };
    return apart(a.r, b.r) || apart(a.g, b.g) || apart(a.b, b.b);
}

long different(const Pixels& a, const Pixels& b) {
    if (a.width != b.width || a.height != b.height) return -1;
    long count = 0;
    for (std::size_t k = 0; k < a.colours.size(); ++k)
        count += differs(a.colours[k], b.colours[k]) ? 1 : 0;
    return count;
}

void expect_as_golden(const Pixels& drawn, const std::string& file) {
    const fs::path golden = fs::path((source_folder() + "/tests/data")) / "pictures" / file;
    if (std::getenv("MASKSCOPE_NEW_PICTURES")) save_png(drawn, golden);
    const Pixels expected = pixels_of_png(bytes_of(golden));
    ASSERT_GT(expected.width, 0) << "there is no picture " << file;
    const long count = different(drawn, expected);
    EXPECT_EQ(drawn.width, expected.width) << file;
    EXPECT_EQ(drawn.height, expected.height) << file;
    EXPECT_LE(count, pixel_tolerance) << file;
    if (count >= 0 && count <= pixel_tolerance) return;
    const fs::path seen = fs::temp_directory_path() / ("maskscope-seen-" + file);
    save_png(drawn, seen);
    ADD_FAILURE() << "what was drawn: " << seen;
}

class GoldenPictures : public ::testing::TestWithParam<GoldenPicture> {};

TEST_P(GoldenPictures, TheViewLooksAsItDidInEveryTheme) {
    const GoldenPicture& of = GetParam();
    Session session(std::make_unique<PlainBackend>());
    ASSERT_TRUE(session.open(fs::path((source_folder() + "/tests/data")) / "views" /
                             (std::string(of.scene) + ".json")));
    Driver driver(session, width, height);
    App& app = driver.app();
    app.ui.sidebar.folded = app.ui.inspector_folded = true;
    app.gui.reduced_motion = true;
    if (of.prepare) of.prepare(session.view());
    for (const auto& [name, theme] : themes) {
        session.view().theme = theme;
        driver.settle();
        session.wait();
        driver.move({width - 2, height - 2});
        expect_as_golden(cut(driver.pixels(), app.panels.bench),
                         std::string(of.picture) + "-" + name + ".png");
    }
    const Figure figure =
        lay_out_view(session.shown(), session.results().bench(), session.view(), {});
    expect_as_golden(pixels_of_png(png_bytes(figure, {.dpi = 48, .theme = ThemeKind::print})),
                     std::string(of.picture) + "-print.png");
}

INSTANTIATE_TEST_SUITE_P(Views, GoldenPictures, ::testing::ValuesIn(pictured),
                         [](const auto& info) { return test_name(info.param.picture); });

}  // namespace
}  // namespace maskscope::ui
