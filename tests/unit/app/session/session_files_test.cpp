// Tests opening and saving, and everything that can go wrong there.

#include <sys/syscall.h>
#include <unistd.h>

#include <functional>
#include <utility>

#include "app/session/files/tensor_copies.h"
#include "core/base/build.h"
#include "core/base/matrix.h"
#include "core/lesson/lesson_edit.h"
#include "core/tensors/tensor_file.h"
#include "tests/support/full_disk.h"
#include "tests/unit/app/session/session_parts.h"

// The fsync below, which replaces the system's, calls this function once, before it syncs.
static std::function<void()> in_the_next_sync;
extern "C" int fsync(int file) {
    if (const auto now = std::exchange(in_the_next_sync, {})) now();
    return static_cast<int>(::syscall(SYS_fsync, file));
}

namespace maskscope {
namespace {

namespace fs = std::filesystem;

std::string npy(Index rows, Index columns, double x) {
    Stage stage(1, 1, rows, columns, true);
    stage.set_head(0, 0, Matrix::Constant(rows, columns, x));
    return npy_bytes(stage);
}

// Writes a scene to `folder` whose numbers are in q.npy and deep/k.npy.
void write_tensor_scene(const Folder& folder) {
    fs::create_directory(folder / "deep");
    write_bytes(folder / "q.npy", npy(3, 2, 0.5));
    write_bytes(folder / "deep/k.npy", npy(3, 2, 0.25));
    write_bytes(folder / "scene.json", R"({
        "maskscope": 1,
        "sequences": [{"queries": ["a", "b", "c"]}],
        "inputs": {"kind": "tensors", "queries": "q.npy", "keys": "deep/k.npy"},
        "variants": [{"name": "A"}]})");
}

// --- opening

TEST(Opening, AFileThatIsNotASceneKeepsTheOpenOne) {
    Folder folder;
    write_bytes(folder / "broken.json", "{\"maskscope\": 1,");
    write_bytes(folder / "wrong.json", R"({"maskscope": 2})");
    write_bytes(folder / "lesson.json", R"({"maskscope_lesson": 1, "name": "x"})");
    write_tensor_scene(folder);
    fs::remove(folder / "q.npy");
    Tested t;
    t.opens(small_scene());
    t.block({2, 0});
    t.session.update();
    const Scene before = t.session.scene();
    for (const char* name :
         {"missing.json", "broken.json", "wrong.json", "lesson.json", "scene.json", "deep"}) {
        const std::string typed = (folder / name).string();
        EXPECT_FALSE(t.session.open(typed)) << name;
        EXPECT_TRUE(t.wrong());
        EXPECT_EQ(t.message().compare(0, typed.size() + 2, typed + ": "), 0) << t.message();
        EXPECT_EQ(t.message().find('\n'), std::string::npos);
        EXPECT_EQ(t.session.scene(), before);
        EXPECT_EQ(t.session.document().undo_name(), "block a cell");
    }
}

TEST(Opening, NamesTheFileAsTyped) {
    Tested t;
    EXPECT_FALSE(t.session.open("no/such.json"));
    EXPECT_EQ(t.message(), "no/such.json: No such file or directory");
}

TEST(Opening, StartsANewHistoryAndView) {
    Folder folder;
    Scene scene = small_scene();
    scene.show = Show{};
    scene.show->focus = Cell{1, 2};
    write_bytes(folder / "scene.json", write_scene(scene));
    Tested t;
    t.session.edit("title", [](Scene& s) { s.title = "x"; });
    t.session.view().zoom.x1 = 0.5;
    ASSERT_TRUE(t.session.open(folder / "scene.json")) << t.message();
    EXPECT_EQ(t.session.scene(), scene);
    EXPECT_EQ(t.session.view().show, *scene.show);
    EXPECT_EQ(t.session.view().zoom, Zoom());
    EXPECT_EQ(t.session.document().undo_name(), std::nullopt);
    EXPECT_EQ(t.session.document().path(), folder / "scene.json");
    EXPECT_TRUE(t.session.document().is_saved());
}

// --- saving

TEST(Saving, WritesTheSameBytesUntilSomethingChanges) {
    Folder folder;
    const std::string bytes = write_scene(small_scene());
    write_bytes(folder / "scene.json", bytes);
    Tested t;
    t.session.open(folder / "scene.json");
    ASSERT_TRUE(t.session.save()) << t.message();
    EXPECT_EQ(bytes_of(folder / "scene.json"), bytes);
    EXPECT_FALSE(t.wrong());
    t.block({2, 0});
    EXPECT_FALSE(t.session.document().is_saved());
    ASSERT_TRUE(t.session.save());
    EXPECT_TRUE(t.session.document().is_saved());
    EXPECT_EQ(read_scene(bytes_of(folder / "scene.json"), "."), t.session.scene());
    t.session.undo();
    EXPECT_FALSE(t.session.document().is_saved());
}

TEST(Saving, TakesTheViewAlongWhereItWasChanged) {
    Folder folder;
    write_bytes(folder / "scene.json", write_scene(small_scene()));
    Tested t;
    t.session.open(folder / "scene.json");
    t.session.view().show.stages = {StageKind::weights, StageKind::scaled};
    t.session.view().show.ring = Cell{9, 9};  // a cell that does not exist, which no file may name
    ASSERT_TRUE(t.session.save());
    const Scene saved = read_scene(bytes_of(folder / "scene.json"), ".");
    ASSERT_TRUE(saved.show);
    EXPECT_EQ(saved.show->stages, (std::vector<StageKind>{StageKind::scaled, StageKind::weights}));
    EXPECT_EQ(saved.show->ring, std::nullopt);
}

TEST(Saving, AnEmojiKeepsItsBytes) {
    Folder folder;
    write_bytes(folder / "scene.json", write_scene(small_scene({"I", "👩🏽‍🚀", "c"})));
    Tested t;
    t.session.open(folder / "scene.json");
    t.session.edit("rename", [](Scene& s) {
        rename_token(s, 0, Side::queries, 1, s.sequences[0].queries[1]);
        rename_token(s, 0, Side::queries, 0, "🙂");
    });
    t.session.save();
    const Scene saved = read_scene(bytes_of(folder / "scene.json"), ".");
    EXPECT_EQ(saved.sequences[0].queries,
              (std::vector<std::string>{"🙂", "👩🏽‍🚀", "c"}));
}

TEST(Saving, ANewSceneAsksForAPath) {
    Tested t;
    t.session.new_scene();
    EXPECT_FALSE(t.session.save());
}

TEST(Saving, WhereNothingCanBeWrittenKeepsTheOldFile) {
    Folder folder;
    const std::string bytes = write_scene(small_scene());
    write_bytes(folder / "scene.json", bytes);
    Tested t;
    t.session.open(folder / "scene.json");
    t.block({2, 0});
    {
        const FullDisk full(10);
        EXPECT_FALSE(t.session.save());
    }
    EXPECT_TRUE(t.wrong());
    EXPECT_EQ(t.message(), (folder / "scene.json").string() +
                               ": File too large. Use “Save as” to write it elsewhere.");
    EXPECT_EQ(bytes_of(folder / "scene.json"), bytes);
    EXPECT_EQ(folder.entries(), 1U);
    EXPECT_FALSE(t.session.document().is_saved());
    EXPECT_TRUE(t.session.save());
}

TEST(Saving, IntoNoFolderIsRefused) {
    Folder folder;
    write_bytes(folder / "file", "");
    fs::create_directory(folder / "folder");
    Tested t;
    const Scene before = t.session.scene();
    for (const char* name : {"missing/scene.json", "file/scene.json", "folder", "folder/"}) {
        EXPECT_FALSE(t.session.save_as(folder / name, true)) << name;
        EXPECT_TRUE(t.wrong());
    }
    EXPECT_EQ(folder.entries(), 2U);
    EXPECT_EQ(t.session.document().path(), std::nullopt);
    if (geteuid() == 0) return;  // root may write anywhere
    fs::permissions(folder / "folder", fs::perms::owner_read | fs::perms::owner_exec);
    EXPECT_FALSE(t.session.save_as(folder / "folder/scene.json", true));
    EXPECT_TRUE(t.wrong());
}

// Another window, or an editor, writes the same file.
TEST(Saving, WhatOthersHaveSavedIsNotReplacedUnasked) {
    Folder folder;
    Tested mine, other;
    ASSERT_TRUE(mine.session.save_as(folder / "s.json", false)) << mine.message();
    ASSERT_TRUE(other.session.open(folder / "s.json")) << other.message();
    other.session.edit("a title", [](Scene& scene) { scene.title = "Other"; });
    ASSERT_TRUE(other.session.save()) << other.message();
    ASSERT_TRUE(other.session.save()) << "its own file: " << other.message();
    const std::string theirs = bytes_of(folder / "s.json");
    mine.session.edit("a title", [](Scene& scene) { scene.title = "Mine"; });
    EXPECT_TRUE(mine.session.document().changed_outside());
    EXPECT_FALSE(mine.session.save());
    EXPECT_TRUE(mine.wrong());
    EXPECT_EQ(bytes_of(folder / "s.json"), theirs);
    std::vector<std::string> conflicts;
    EXPECT_FALSE(mine.session.save_as(folder / "s.json", false, &conflicts));
    EXPECT_EQ(conflicts, (std::vector<std::string>{(folder / "s.json").string()}));
    EXPECT_TRUE(mine.session.save_as(folder / "s.json", true)) << mine.message();
    EXPECT_TRUE(mine.session.save()) << mine.message();
    EXPECT_EQ(read_scene(bytes_of(folder / "s.json"), ".").title, "Mine");
    // A file that no longer exists is written again.
    fs::remove(folder / "s.json");
    mine.session.edit("a title", [](Scene& scene) { scene.title = "Again"; });
    EXPECT_TRUE(mine.session.save()) << mine.message();
}

// Another window saves while this one waits for the disk, before or after the file has its new
// name.
TEST(Saving, WhatOthersSaveMeanwhileIsNotReplacedUnasked) {
    for (const int syncs_before : {0, 1}) {
        const Folder folder;
        const fs::path file = folder / "s.json";
        Tested mine;
        ASSERT_TRUE(mine.session.save_as(file, false)) << mine.message();
        mine.session.edit("a title", [](Scene& scene) { scene.title = "Mine"; });
        in_the_next_sync = [&] {
            const auto theirs = [&] { write_bytes(file, "theirs"); };
            syncs_before == 0 ? theirs() : static_cast<void>(in_the_next_sync = theirs);
        };
        EXPECT_EQ(mine.session.save(), syncs_before == 1) << mine.message();
        EXPECT_EQ(bytes_of(file), "theirs");
        mine.session.edit("a title", [](Scene& scene) { scene.title = "Mine again"; });
        EXPECT_FALSE(mine.session.save());
        EXPECT_FALSE(mine.session.save_as(file, false));
        EXPECT_EQ(bytes_of(file), "theirs");
        in_the_next_sync = [&] { write_bytes(folder / "new.json", "theirs"); };
        EXPECT_FALSE(mine.session.save_as(folder / "new.json", false));
        EXPECT_EQ(bytes_of(folder / "new.json"), "theirs");
        EXPECT_EQ(folder.entries(), 2U);
    }
}

TEST(Saving, ASceneThatALessonWasBegunFromIsStillKnown) {
    Folder folder;
    Tested mine;
    ASSERT_TRUE(mine.session.save_as(folder / "s.json", false)) << mine.message();
    mine.session.edit("a title", [](Scene& scene) { scene.title = "Mine"; });
    mine.session.begin_lesson();
    ASSERT_TRUE(mine.session.save_as(folder / "lesson.json", false)) << mine.message();
    write_bytes(folder / "s.json", "another's");
    while (mine.session.lesson()) mine.session.undo();
    EXPECT_FALSE(mine.session.save());
    EXPECT_EQ(bytes_of(folder / "s.json"), "another's");
}

// A scene restored by undo reads its tensors from the folder in which it was before.
TEST(Saving, WhatIsUndoneTakesItsNumbersAlong) {
    Folder from, to;
    write_tensor_scene(from);
    write_bytes(to / "q.npy", npy(3, 2, 7));
    Tested t;
    ASSERT_TRUE(t.session.open(from / "scene.json")) << t.message();
    ASSERT_TRUE(t.session.edit("seeded", [](Scene& scene) { use_embedding(scene); }));
    ASSERT_TRUE(t.session.save_as(to / "s.json", false)) << t.message();
    t.session.undo();
    EXPECT_EQ(t.session.document().path(), to / "s.json");
    EXPECT_EQ(t.session.document().folder, from.path());
    EXPECT_FALSE(t.session.document().file_to_save())
        << "asks first, because it would replace a file";
    EXPECT_FALSE(t.session.save());
    std::vector<std::string> conflicts;
    EXPECT_FALSE(t.session.save_as(to / "s.json", false, &conflicts));
    EXPECT_EQ(conflicts,
              (std::vector<std::string>{(to / "s.json").string(), (to / "q.npy").string()}));
    ASSERT_TRUE(t.session.save_as(to / "s.json", true)) << t.message();
    EXPECT_EQ(bytes_of(to / "q.npy"), npy(3, 2, 0.5));
    EXPECT_EQ(t.session.document().file_to_save(), to / "s.json");
    t.session.redo();
    EXPECT_TRUE(t.session.save()) << t.message();
}

TEST(Saving, SaysThatATensorFileIsGone) {
    Folder folder;
    write_tensor_scene(folder);
    Tested t;
    ASSERT_TRUE(t.session.open(folder / "scene.json")) << t.message();
    fs::remove(folder / "q.npy");
    t.session.edit("a title", [](Scene& scene) { scene.title = "New"; });
    EXPECT_TRUE(t.session.save());
    EXPECT_TRUE(t.wrong());
    EXPECT_NE(t.message().find("q.npy, which it uses, no longer exists"), std::string::npos)
        << t.message();
}

// --- saving elsewhere

TEST(SavingAs, AsksBeforeItReplacesAFile) {
    Folder folder;
    write_bytes(folder / "there.json", "mine");
    Tested t;
    std::vector<std::string> conflicts;
    EXPECT_FALSE(t.session.save_as(folder / "there.json", false, &conflicts));
    EXPECT_EQ(conflicts, (std::vector<std::string>{(folder / "there.json").string()}));
    EXPECT_FALSE(t.wrong());
    EXPECT_EQ(bytes_of(folder / "there.json"), "mine");
    EXPECT_TRUE(t.session.save_as(folder / "there.json", true, &conflicts)) << t.message();
    EXPECT_EQ(read_scene(bytes_of(folder / "there.json"), "."), t.session.scene());
    EXPECT_TRUE(t.session.save_as(folder / "there.json", false, &conflicts));  // its own file
    EXPECT_TRUE(conflicts.empty());
}

TEST(SavingAs, TakesTheTensorFilesAlong) {
    Folder from, to;
    write_tensor_scene(from);
    Tested t;
    ASSERT_TRUE(t.session.open(from / "scene.json")) << t.message();
    ASSERT_TRUE(t.session.save_as(to / "copy.json", false)) << t.message();
    EXPECT_EQ(bytes_of(to / "q.npy"), bytes_of(from / "q.npy"));
    EXPECT_EQ(bytes_of(to / "deep/k.npy"), bytes_of(from / "deep/k.npy"));
    EXPECT_EQ(to.entries(), 4U);  // with the folder `deep`, and nothing left behind
    EXPECT_EQ(t.session.document().folder, to.path());
    Tested other;
    ASSERT_TRUE(other.session.open(to / "copy.json")) << other.message();
    EXPECT_EQ(other.session.scene(), t.session.scene());
    // In the same folder nothing is copied.
    EXPECT_TRUE(t.session.save_as(to / "again.json", false));
    EXPECT_EQ(to.entries(), 5U);
}

TEST(SavingAs, NamesTensorFilesThatItWouldReplace) {
    Folder from, to;
    write_tensor_scene(from);
    write_bytes(to / "q.npy", "another's");
    Tested t;
    t.session.open(from / "scene.json");
    std::vector<std::string> conflicts;
    EXPECT_FALSE(t.session.save_as(to / "copy.json", false, &conflicts));
    EXPECT_EQ(conflicts, (std::vector<std::string>{(to / "q.npy").string()}));
    EXPECT_EQ(to.entries(), 1U);
    EXPECT_EQ(bytes_of(to / "q.npy"), "another's");
    EXPECT_TRUE(t.session.save_as(to / "copy.json", true));
    EXPECT_EQ(bytes_of(to / "q.npy"), bytes_of(from / "q.npy"));
    EXPECT_EQ(to.entries(), 4U);
    // A file with the same bytes is not a conflict.
    t.session.open(from / "scene.json");
    EXPECT_FALSE(t.session.save_as(to / "copy.json", false, &conflicts));
    EXPECT_EQ(conflicts, (std::vector<std::string>{(to / "copy.json").string()}));
}

TEST(SavingAs, DoesNotTakeOtherNumbersAlongThanAreShown) {
    Folder from, to;
    write_tensor_scene(from);
    Tested t;
    ASSERT_TRUE(t.session.open(from / "scene.json")) << t.message();
    for (const std::string& bytes : {npy(3, 2, 9), npy(3, 2, 0.5).substr(0, 140), std::string()}) {
        write_bytes(from / "q.npy", bytes);
        EXPECT_FALSE(t.session.save_as(to / "copy.json", true));
        EXPECT_NE(t.message().find("q.npy was changed by another program"), std::string::npos)
            << t.message();
        EXPECT_EQ(to.entries(), 0U);
    }
    write_bytes(from / "q.npy", npy(3, 2, 0.5));
    EXPECT_TRUE(t.session.save_as(to / "copy.json", true)) << t.message();
}

TEST(SavingAs, ALessonTakesNoOtherNumbersAlongOfAnyStep) {
    Folder from, to;
    write_tensor_scene(from);
    Tested t;
    ASSERT_TRUE(t.session.open(from / "scene.json")) << t.message();
    t.session.begin_lesson();
    t.session.edit_lesson("a step without files", [](Lesson& lesson, int& step) {
        lesson.steps.push_back(lesson.steps[0]);
        use_embedding(lesson.steps[1].scene);
        step = 1;
    });
    t.session.restore_step();
    write_bytes(from / "q.npy", npy(3, 2, 9));
    EXPECT_FALSE(t.session.save_as(to / "lesson.json", true));
    EXPECT_NE(t.message().find("q.npy was changed by another program"), std::string::npos)
        << t.message();
    EXPECT_EQ(to.entries(), 0U);
}

TEST(SavingAs, AModelThatChangedIsNotTakenAlong) {
    Folder from, to;
    const fs::path models = fs::path(source_folder()) / "assets/models";
    fs::copy_file(models / "italian-english.safetensors", from / "m.safetensors");
    std::string scene = bytes_of(source_folder() + "/tests/data/views/translator.json");
    const std::string built_in = "\"italian-english\"";
    ASSERT_NE(scene.find(built_in), scene.npos);
    scene.replace(scene.find(built_in), built_in.size(), "\"m.safetensors\"");
    write_bytes(from / "scene.json", scene);
    Tested t;
    ASSERT_TRUE(t.session.open(from / "scene.json")) << t.message();
    EXPECT_TRUE(t.session.save_as(to / "copy.json", true)) << t.message();
    ASSERT_TRUE(t.session.open(from / "scene.json")) << t.message();
    std::string bytes = bytes_of(from / "m.safetensors");
    bytes[bytes.size() - 100] ^= 1;
    write_bytes(from / "m.safetensors", bytes);
    EXPECT_FALSE(t.session.save_as(to / "copy.json", true));
    EXPECT_NE(t.message().find("m.safetensors was changed"), std::string::npos) << t.message();
}

TEST(SavingAs, ATensorFileThatComesMeanwhileStays) {
    const Folder from, to;
    write_bytes(from / "a.npy", npy(3, 2, 0.5));
    write_bytes(from / "b.npy", npy(3, 2, 0.5));
    {
        Copies copies({"a.npy", "b.npy"}, from, to);
        write_bytes(to / "b.npy", "theirs");
        EXPECT_THROW(copies.put_in_place(), Error);
    }
    EXPECT_EQ(bytes_of(to / "b.npy"), "theirs");
    EXPECT_EQ(to.entries(), 1U);
}

TEST(SavingAs, WithATensorFileMissingLeavesNothing) {
    Folder from, to;
    write_tensor_scene(from);
    Tested t;
    t.session.open(from / "scene.json");
    fs::remove(from / "deep/k.npy");
    EXPECT_FALSE(t.session.save_as(to / "copy.json", true));
    EXPECT_EQ(t.message(), (from / "deep/k.npy").string() + ": No such file or directory");
    EXPECT_EQ(to.entries(), 0U);
    EXPECT_EQ(t.session.document().path(), from / "scene.json");
}

TEST(SavingAs, OntoAFullDiskTakesEverythingBack) {
    Folder from, to;
    write_tensor_scene(from);
    write_bytes(to / "q.npy", "another's");
    Tested t;
    t.session.open(from / "scene.json");
    const auto small = fs::file_size(from / "q.npy");
    // There is space for no tensor file, then for the tensor files but not for the scene.
    for (const rlim_t room : {rlim_t(small - 1), rlim_t(small)}) {
        {
            const FullDisk full(room);
            EXPECT_FALSE(t.session.save_as(to / "copy.json", true));
        }
        EXPECT_TRUE(t.wrong());
        EXPECT_EQ(bytes_of(to / "q.npy"), "another's");
        EXPECT_EQ(to.entries(), 1U);
        EXPECT_EQ(t.session.document().path(), from / "scene.json");
    }
}

TEST(SavingAs, NeverWritesOverATensorFileOfTheScene) {
    Folder from;
    write_tensor_scene(from);
    const std::string bytes = bytes_of(from / "q.npy");
    Tested t;
    t.session.open(from / "scene.json");
    EXPECT_FALSE(t.session.save_as(from / "q.npy", true));
    EXPECT_TRUE(t.wrong());
    EXPECT_EQ(bytes_of(from / "q.npy"), bytes);
}

}  // namespace
}  // namespace maskscope
