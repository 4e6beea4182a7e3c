// Targets for files that the program itself has written: figures that contain their scene, unsaved
// work, and state files. Whatever these contain, the program starts.

#include "app/export/export.h"
#include "app/figure/write/payload.h"
#include "app/session/course.h"
#include "app/session/document.h"
#include "app/session/files/carried.h"
#include "app/session/files/state_files.h"
#include "tests/fuzz/target.h"

namespace maskscope {
namespace {

void read_figure(std::string_view bytes) {
    if (!is_figure_file(bytes)) return;
    if (const auto archive = payload_of(bytes)) unpacked(*archive);
}

void read_archive(std::string_view bytes) {
    const CarriedScene carried = unpacked(bytes);
    must(unpacked(packed(carried)) == carried, "an archive that was packed is the same");
}

void read_recovery(std::string_view bytes) {
    const std::string text(bytes);
    const Document document = read_unsaved(text, "/nonexistent");
    must(!is_damaged_work(text), "what was left behind is whole if it can be read");
    const Show show = document.scene.show.value_or(Show());
    if (const auto work = document.unsaved(show)) {
        const std::string once = unsaved_bytes(*work);
        const auto again = read_unsaved(once).unsaved(show);
        must(again && unsaved_bytes(*again) == once, "what is left behind is left the same again");
    }
}

void read_recent(std::string_view bytes) {
    static FolderOfOne place("recent");
    place.put(bytes);
    must(recent_files(place.folder()).size() <= 10, "ten files at most");
}

void read_the_course(std::string_view bytes) {
    static FolderOfOne place("course.json");
    place.put(bytes);
    const Course course = read_course(place.folder());
    must(course.step >= 0 && course.step < 1000, "a step is one of a lesson");
}

void read_choices(std::string_view bytes) {
    static FolderOfOne place("figures.json");
    place.put(bytes);
    const ExportOptions options = remembered_choices(place.folder());
    must(options.dpi >= least_dpi && options.dpi <= most_dpi, "dots per inch are in range");
}

const Target targets[] = {{"figure", read_figure, true}, {"archive", read_archive, true},
                          {"recovery", read_recovery},   {"recent", read_recent},
                          {"course", read_the_course},   {"choices", read_choices}};

}  // namespace
}  // namespace maskscope
