// Makes figures of what is shown: writes them to a file, or copies them for other programs.

#include <fmt/format.h>

#include <algorithm>

#include "app/export/export.h"
#include "app/session/document.h"
#include "app/session/files/carried.h"
#include "app/session/files/state_files.h"
#include "app/window/actions/actions.h"
#include "core/base/error.h"

namespace maskscope {
namespace {

// Everything that a figure is made from, so that the user can continue in the meantime.
struct Shown {
    Result result;
    View view;
    std::string scene;  // packed
    ComputedParts known;
};
using Done = std::function<void()>;

// Makes a figure in the call, or for a long text in the background; then does what `make` returned.
// False, with a message, if another is being made. Throws as `make` does in the call.
bool make_figure(Session& session, const std::string& what, const std::string& failure,
                 std::function<Done(const Shown&)> make) {
    if (!same_but_show(session.shown().scene, session.scene())) {
        session.say(failure + (session.computing() ? ": the scene is still being computed."
                                                   : ": the edited scene was not computed."),
                    true);
        return false;
    }
    Shown shown{.result = session.shown(),
                .view = session.view(),
                .scene = packed(carried_of(session.bench_scene(), session.folder())),
                .known = {}};
    if (const ViewData* views = session.finished_views()) shown.known.views = *views;
    if (takes_long(shown.result))
        return session.make_aside(
            what, failure,
            [shown = std::move(shown), make = std::move(make)](Progress& progress) mutable {
                shown.known.progress = &progress;
                shown.result = drawn_result(shown.result, progress);
                return make(shown);
            });
    shown.result = drawn_result(shown.result);
    make(shown)();
    return true;
}

// Returns the size of a PNG from bytes 16 to 23, its width and height.
std::string size_of_png(const std::string& png) {
    const auto number = [&](std::size_t at) {
        unsigned sum = 0;
        for (std::size_t k = at; k < at + 4; ++k) sum = 256 * sum + std::uint8_t(png.at(k));
        return sum;
    };
    return fmt::format("{} × {} pixels", number(16), number(20));
}

}  // namespace

bool write_figure(Session& session, const std::filesystem::path& path, const ExportOptions& options,
                  Existing existing) {
    const std::string name = printable(path.filename().string());
    return make_figure(session, name, "Could not export",
                       [=, &session](const Shown& shown) -> Done {
                           try {
                               write_export(path, shown.result, shown.view, options, shown.scene,
                                            shown.known, existing);
                           } catch (const WorkError& error) {
                               throw at_file(name, error);
                           }
                           return [&session, path] {
                               session.say(fmt::format("Exported to {}", printable(path.string())));
                           };
                       });
}

bool copy_figure(Gui& gui, Session& session, const ExportOptions& options) {
    const auto make = [clipboard = gui.clipboard, &session, options](const Shown& shown) -> Done {
        if (options.format == FigureFormat::csv)
            return [clipboard, &session,
                    table = export_bytes(shown.result, shown.view, options, shown.scene)] {
                copy_text(clipboard, table);
                session.say(
                    fmt::format("Copied as a table, {} rows", std::ranges::count(table, '\n') - 1));
            };
        const Figure figure = export_figure(shown.result, shown.view, options, shown.known);
        const auto bytes = [&](FigureFormat format) {
            ExportOptions same = options;
            same.format = format;
            return picture_bytes(figure, shown.result, shown.view, same, shown.scene,
                                 *shown.known.progress);
        };
        return
            [clipboard, &session, png = bytes(FigureFormat::png), svg = bytes(FigureFormat::svg)] {
                clipboard.write_picture(png, svg);
                session.say("Copied as a picture, " + size_of_png(png));
            };
    };
    try {
        return make_figure(session, "the picture", "Could not copy", make);
    } catch (const std::runtime_error& error) {
        session.say(fmt::format("Could not copy: {}", error.what()), true);
        return false;
    }
}

void copy_remembered_figure(Gui& gui, Session& session) {
    ExportOptions options = remembered_choices(state_folder());
    if (options.format == FigureFormat::csv) options.format = FigureFormat::png;
    copy_figure(gui, session, options);
}

}  // namespace maskscope
