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
    std::uint64_t documents = 0;  // how many were opened
    View view;
    Computing computing;
    // The previous document and view, restored if the new document cannot be computed.
    std::optional<std::pair<Document, View>> before_open;
    std::string opened_name;  // the path as typed
    std::string merges_as;    // for edits that name no `merge`
    bool opening = false;
    std::optional<Message> message;
    std::uint64_t messages = 0;     // how many there were
    bool said_fallback = false;     // the user was told that the CPU replaces the GPU
    std::uint64_t entered = 0;      // counts steps, and restores
    std::vector<GivenAnswer> said;  // the answers to the question of the step
    std::optional<Judgement> answered;
    Keeper keeper;
    struct Aside {
        std::string what, failure;
        BackgroundWork work{};
    };
    Aside aside;

    State(std::unique_ptr<Backend> cpu, std::function<void()> wake)
        : computing(std::move(cpu), std::move(wake)) {}
    void say(std::string text, bool wrong) {
        message = Message{std::move(text), wrong, ++messages};
    }
    void scene_changed(bool drags = false);
    void open(Document next, std::string name);
    void enter_step(int step, bool asks);       // asks: if it has a question
    void travel(void (Document::*way)(Show&));  // undo or redo
    void step_changed();
    void forget_step();  // drops what belongs to the step that is left
    // Runs an edit. If it throws, shows the message and returns false; nothing has changed then.
    bool tried(const std::function<void()>& edit);
    void tell(const Computing::Report& report);
    void take_aside();
    bool note_changes();  // what was changed in the variants since the step, for the view; true if
                          // it differs now
    bool refuse(const std::string& why);

    // The file that a save may replace. If another file is there by then, it is not replaced.
    // `replaced` is called once the file holds what was written.
    struct Target {
        std::optional<FileStamp> file;
        std::function<void()> replaced{};
    };
    bool write(const std::filesystem::path& path, const Target& over);
    bool replace(const std::filesystem::path& path, const std::string& text, const Target& over);
    bool write_scene_to(const std::filesystem::path& path, const Target& over);
    bool write_lesson_to(const std::filesystem::path& path, const Target& over);
    std::optional<LessonProblem> problem() const;  // of the open lesson as it is now; nullopt if it
                                                   // is not from a file
};

}  // namespace maskscope
