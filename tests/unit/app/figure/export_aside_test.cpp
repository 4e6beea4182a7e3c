// Tests that a figure can be drawn in a thread of its own; also run with ThreadSanitizer.

#include "app/export/export.h"
#include "core/edit/edit.h"
#include "core/large/large_backend.h"
#include "tests/unit/app/session/session_parts.h"

namespace maskscope {
namespace {

// The thread shares the result, the fonts and the colours with the window, which draws at the same
// time.
TEST(ExportAside, DrawsTheSameWhileTheWindowGoesOn) {
    for (const double most_kept :
         {0.0, double(Index{1} << 28)}) {  // rows computed when they are read, or kept
        Session session(std::make_unique<LargeBackend>(2, most_kept));
        ASSERT_TRUE(session.open_scene(large_scene(), ".", "scene"));
        session.wait();
        for (const FigureFormat format : {FigureFormat::png, FigureFormat::svg}) {
            const ExportOptions options{.format = format, .dpi = 50};
            const std::string expected = export_bytes(session.shown(), session.view(), options);
            std::string made;
            ASSERT_TRUE(session.make_aside(
                "figure", "Could not export",
                [&made, options, shown = session.shown(),
                 view = session.view()](Progress& progress) -> std::function<void()> {
                    std::string bytes =
                        export_bytes(shown, view, options, "", {.progress = &progress});
                    return [&made, bytes = std::move(bytes)] { made = bytes; };
                }));
            const Result before = session.shown();
            Index edits = 0;
            for (; !session.made_aside().empty(); ++edits) {
                session.edit("block", [&](Scene& scene) {
                    set_allowed(scene, {0, 1}, 0, 0, {edits % 200, 0}, false);
                });
                session.update();
                export_figure(before, session.view(), {},
                              {.preview = session.results().bench().sources});
            }
            EXPECT_GT(edits, 0);
            EXPECT_TRUE(made == expected) << ending_of(format);
            session.wait();
        }
    }
}

}  // namespace
}  // namespace maskscope
