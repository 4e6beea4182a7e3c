#pragma once
// The open document: a scene, or a lesson at one of its steps, with its undo history. Independent
// of threads, backends and results.

#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/edit/edit.h"
#include "core/files/file.h"
#include "core/lesson/lesson.h"

namespace maskscope {

class ScratchFolder;

// The state that undo restores.
struct Snapshot {
    Scene scene;
    int step = 0;              // the index of the lesson's step
    std::optional<Show> show;  // if the edit changed what is shown, for example by adding variants
    std::shared_ptr<const Lesson> lesson{};
    std::filesystem::path folder{};  // the base of the scene's tensor files
    bool solving = false;
};

struct HistoryStep {
    std::string what;   // what the edit did: "block a cell"
    std::string merge;  // "" = never merged with the next edit; cleared when a drag ends
    Snapshot snapshot;  // the state before the edit in the list `undone`, after it in `redone`
};

struct KnownFile {
    std::filesystem::path file;
    FileStamp stamp;
};
// Returns the file with its current stamp; nullopt if it does not exist.
std::optional<KnownFile> known_file(const std::filesystem::path& file);

// The part of the document and view that no file contains; a cheap copy that shares all arrays.
struct UnsavedWork {
    std::filesystem::path folder;
    std::optional<std::filesystem::path> path;
    Scene scene;  // its `show` is what the view shows
    std::shared_ptr<const Lesson> lesson;
    int step = 0;
    bool lesson_is_saved = false;
    bool asks = true;  // the step's question was not answered
    bool solving = false;
    std::optional<FileStamp> known{};  // the stamp of the file at `path`
};

// Returns the stages that a new scene shows: few enough that the weights are in view in any window.
std::vector<StageKind> first_stages();

struct Document {
    std::uint64_t number = 0;  // each document that a session opens has a different one
    Scene scene;
    Scene saved;  // as it was last opened or saved; for a lesson see original()
    std::optional<std::filesystem::path> scene_path, lesson_path;
    // The file to which `saved`, the step of a built-in lesson, was saved; the lesson stays open.
    std::optional<std::filesystem::path> copy_path;
    // The figure from which the scene was opened. Saving never replaces it.
    std::optional<std::filesystem::path> figure_path;
    // Files as they were last opened or saved, so that changes by others are not lost.
    std::vector<KnownFile> known;
    // The folder that paths of the scene's tensor files are relative to: that of the scene's file,
    // except after undoing across a save to another folder.
    std::filesystem::path folder = ".";
    std::shared_ptr<const ScratchFolder> files;  // files that exist as long as this does, or null
    std::deque<HistoryStep> undone, redone;      // the last step is the next to be undone or redone

    std::shared_ptr<const Lesson> lesson;        // null: a scene is open
    std::shared_ptr<const Lesson> saved_lesson;  // as it was last opened or saved; null: never
    int step = 0;                                // the shown step, from 0
    bool solving = false;        // the step is an exercise whose solution was not shown
    std::vector<bool> answered;  // [step]: true if its answer was shown

    // Returns a new document, with a small scene.
    static Document first();
    // Returns the document of a lesson that is open at `step`, which is clamped.
    static Document of(std::shared_ptr<const Lesson> lesson, const std::filesystem::path& folder,
                       int step, std::optional<std::filesystem::path> path = std::nullopt);

    const Step& lesson_step() const { return lesson->steps[step]; }
    bool asks() const { return lesson && !answered[step]; }  // true if opening the step asks
    void ask();                                              // also if it was answered before
    void show_answer();
    // Returns the scene before all edits; in a lesson, the scene at the start of the step.
    Scene original() const;
    // Returns the path of the scene or the lesson; nullopt if it was never saved, or is a built-in
    // lesson.
    const std::optional<std::filesystem::path>& path() const {
        return lesson ? lesson_path : scene_path;
    }
    // Returns path(), or the path to which the step of a built-in lesson was saved as a scene since
    // it was entered; nullopt if there is neither, or if tensor files would have to be copied to
    // its folder.
    std::optional<std::filesystem::path> file_to_save() const;
    // True if nothing would be lost: everything is in a file, or is what the step's Try leads to.
    bool is_saved() const;
    bool lesson_is_saved() const;
    // True if saving writes the lesson, which is one that was opened from a file or edited;
    // otherwise it writes the scene.
    bool saves_lesson() const { return lesson && (lesson_path || !lesson_is_saved()); }
    std::vector<std::string> tensor_files_to_save() const;
    std::string changed_tensor_file_to_save() const;  // see changed_tensor_file()
    // Returns the scene, with `show` if the file had one or the user changed it.
    Scene scene_to_save(const Show& show) const;
    // Returns the bench with the solution of the exercise that is being solved, as a step stores
    // it.
    Scene with_solution(Scene bench) const;
    // Returns the work that is not saved; nullopt if everything is saved.
    std::optional<UnsavedWork> unsaved(const Show& show) const;

    // --- edits, each a step of undo; undo also restores `show`

    std::optional<std::string> undo_name() const, redo_name() const;  // nullopt: greyed out

    // True if an edit with this name continues the last one.
    bool merges(const std::string& merge) const;
    // Edits the scene. Returns false if nothing changed. Throws what `change` throws, or EditError
    // if the scene would be invalid; in both cases nothing changes.
    bool edit(const std::string& what, const std::function<void(Scene&)>& change,
              const std::string& merge, Show& show);
    void change_lesson(const std::string& what, std::shared_ptr<const Lesson> next, int shown_step,
                       const std::string& merge, const Show& show);
    void end_merge();
    void undo(Show& show);  // call only if there is a step to undo
    void redo(Show& show);

    // Enters a step. Leaving an edited step can be undone; leaving an untouched one is not
    // recorded.
    void enter_step(int to, Show& show);

    // --- its file

    void know(const std::optional<KnownFile>& file);  // replaces earlier knowledge of the file
    // True if the file to save was changed by others since it was opened or saved.
    bool changed_outside() const;

    // --- after saving

    void scene_was_saved(const Scene& written, const std::filesystem::path& file);
    void lesson_was_saved(std::shared_ptr<const Lesson> written, const std::filesystem::path& file);

private:
    // The scene to which the Try of a step leads; nullopt if it has none, or cannot be read.
    struct TriedScene {
        std::shared_ptr<const Lesson> lesson;
        int step = 0;
        std::optional<Scene> scene;
    };
    mutable TriedScene tried_{};

    Snapshot now() const { return {scene, step, std::nullopt, lesson, folder, solving}; }
    void set_lesson(std::shared_ptr<const Lesson> next, int shown_step);
    bool has_solution_of(const Step& step) const;
    bool follows_try() const;
    void travel(std::deque<HistoryStep>& from, std::deque<HistoryStep>& to, Show& show);
};

std::filesystem::path folder_of(const std::filesystem::path& file);
bool same_place(const std::filesystem::path& x, const std::filesystem::path& y);

// True if the scenes are equal in everything except `show`.
bool same_but_show(const Scene& x, const Scene& y);

// Write unsaved work as bytes, and read them into a document that belongs to the same file; throw
// Error. Large arrays of the scene go to a file `numbers` beside the bytes, as safetensors "0",
// "1", …; if `numbers` is "", they go into the bytes.
std::vector<Array> numbers_apart(const UnsavedWork& work);
std::string unsaved_bytes(const UnsavedWork& work, const std::string& numbers = "");
Document read_unsaved(const std::string& bytes, const std::filesystem::path& kept_in = {});
bool is_damaged_work(const std::string& bytes);  // true if not written by unsaved_bytes()

}  // namespace maskscope
