// Tests the interface's type at the scales of monitors: every pixel of a label is one pixel of the
// screen, so that nothing is blurred.

#include <epoxy/gl.h>
#include <imgui.h>

#include <cmath>

#include "tests/ui/panels/panels_fixture.h"

namespace maskscope::ui {
namespace {

struct Size {
    int width = 0, height = 0;
};

Size size_of(ImTextureID texture) {
    Size size;
    glBindTexture(GL_TEXTURE_2D, static_cast<GLuint>(reinterpret_cast<std::intptr_t>(texture)));
    glGetTexLevelParameteriv(GL_TEXTURE_2D, 0, GL_TEXTURE_WIDTH, &size.width);
    glGetTexLevelParameteriv(GL_TEXTURE_2D, 0, GL_TEXTURE_HEIGHT, &size.height);
    return size;
}

struct Sharpness {
    long images = 0, blurred = 0;
};

// Counts an image, and whether it is blurred: not as large on the screen as in the texture, or not
// at whole pixels. from, to: its first and third corner.
void look_at(const ImDrawVert& from, const ImDrawVert& to, const Size& texture, Sharpness& seen) {
    const double columns = std::abs(to.uv.x - from.uv.x) * texture.width,
                 rows = std::abs(to.uv.y - from.uv.y) * texture.height;
    if (columns < 2 || rows < 2) return;  // a plain colour
    ++seen.images;
    // float32 keeps a coordinate of a texture to far less than a hundredth of a pixel
    const auto whole = [](double x) { return std::abs(x - std::round(x)) < .01; };
    const bool as_large = std::abs(std::abs(to.pos.x - from.pos.x) - columns) < .01 &&
                          std::abs(std::abs(to.pos.y - from.pos.y) - rows) < .01;
    const bool placed = whole(from.pos.x) && whole(from.pos.y) &&
                        whole(from.uv.x * texture.width) && whole(from.uv.y * texture.height);
    seen.blurred += as_large && placed ? 0 : 1;
}

// Counts the images that are within a panel now.
Sharpness images_within(const Rect& panel) {
    Sharpness seen;
    const ImDrawData& data = *ImGui::GetDrawData();
    for (int k = 0; k < data.CmdListsCount; ++k) {
        const ImDrawList& list = *data.CmdLists[k];
        for (const ImDrawCmd& command : list.CmdBuffer) {
            const Size texture = size_of(command.GetTexID());
            const ImDrawIdx* index = list.IdxBuffer.Data + command.IdxOffset;
            for (unsigned at = 0; at + 6 <= command.ElemCount; at += 6) {
                const ImDrawVert& from = list.VtxBuffer[int(command.VtxOffset + index[at])];
                const ImDrawVert& to = list.VtxBuffer[int(command.VtxOffset + index[at + 2])];
                if (panel.contains({from.pos.x, from.pos.y})) look_at(from, to, texture, seen);
            }
        }
    }
    return seen;
}

class SharpType : public ::testing::TestWithParam<double> {};

TEST_P(SharpType, APixelOfALabelIsAPixelOfTheScreen) {
    Session session(std::make_unique<PlainBackend>());
    ASSERT_TRUE(session.open(lesson_file));
    const double scale = GetParam();
    Driver driver(session, int(1280 * scale), int(720 * scale));
    App& app = driver.app();
    app.gui.scale = scale;
    app.ui.sidebar.folded = app.ui.inspector_folded = false;
    driver.settle();
    for (const Rect& panel :
         {app.panels.top_bar, app.panels.sidebar, app.panels.inspector, app.panels.lesson_head}) {
        const Sharpness seen = images_within(panel);
        EXPECT_GT(seen.images, 2) << "no labels are found";
        EXPECT_EQ(seen.blurred, 0) << "of " << seen.images << " at " << panel.x << " " << panel.y;
    }
}

INSTANTIATE_TEST_SUITE_P(Scales, SharpType, ::testing::Values(1., 1.25, 1.5, 2., 3.));

}  // namespace
}  // namespace maskscope::ui
