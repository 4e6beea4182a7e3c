#pragma once
// The state of a session. Its member functions are in session.cpp, those that read or write files
// in session_files.cpp.

#include "app/session/computing.h"
#include "app/session/document.h"
#include "app/session/keeper.h"
#include "app/session/session.h"

namespace maskscope {

struct Session::State {
    Document document;
    std::uint64_t documents = 0;  // the number of documents opened so far
    View view;
    Computing computing;
    // The previous document and view, restored if the new document cannot be computed.
    std::optional<std::pair<Document, View>> before_open;
    std::string opened_name;  // what was opened: the file as typed, or a name
    std::string merges_as;    // the merge of edits that have none
    bool opening = false;
    std::optional<Message> message;
    std::uint64_t messages = 0;  // the number of messages so far
    bool said_fallback = false;  // the user knows that the CPU replaces the GPU
    std::uint64_t entered = 0;   // counts entered and restored steps
    Answers answers;
    Keeper keeper;
    struct AsideTask {
        std::string what, failure;
        BackgroundWork work{};
    };
    AsideTask aside;

    State(std::unique_ptr<Backend> cpu, std::function<void()> wake)
        : computing(std::move(cpu), std::move(wake)) {}
    void say(std::string text, bool wrong) {
        message = Message{std::move(text), wrong, ++messages};
    }
    void scene_changed(bool drags = false);
    void open(Document next, std::string name);
    void enter_step(int step, bool asks);  // asks: ask the question, if it has one
    void show_answer();
    void travel(void (Document::*way)(Show&));  // undo or redo
    void step_changed();
    void forget_step();  // drops the data of the step that is left
    // Runs an edit. If it throws, shows the message and returns false; nothing has changed then.
    bool tried(const std::function<void()>& edit);
    void tell(const Computing::Report& report);
    void take_aside();
    bool note_changes();  // tells the view what was changed in the variants since the step
                          // began; true if that differs from before
    bool refuse(const std::string& why);

    // The file that a save may replace; one that appears there in the meantime is not replaced.
    // replaced: called once the file holds what was written.
    struct Target {
        std::optional<FileStamp> file;
        std::function<void()> replaced{};
    };
    bool write(const std::filesystem::path& path, const Target& over);
    bool replace(const std::filesystem::path& path, const std::string& text, const Target& over);
    bool write_scene_to(const std::filesystem::path& path, const Target& over);
    bool write_lesson_to(const std::filesystem::path& path, const Target& over);
    std::optional<LessonProblem> problem() const;  // the problem of the open lesson; nullopt
                                                   // without a file
};

}  // namespace maskscope
