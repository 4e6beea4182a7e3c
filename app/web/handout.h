#pragma once
// A scene or lesson that is open in a page: its view, its edits, and its result.

#include <cstdint>
#include <deque>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/show/bench/bench.h"
#include "core/base/json_text.h"
#include "core/format/scene_json.h"
#include "core/json/json_read.h"
#include "core/lesson/answer.h"
#include "core/lesson/lesson.h"
#include "core/result/result.h"

namespace maskscope {

// The cells of a heatmap as a page reads them, [rows, columns] each.
struct DrawnCells {
    std::vector<double> values;
    std::vector<std::uint8_t> signs, fills, light;  // fills: [rows, columns, 4]
    bool share = false;
};

class Handout {
public:
    // Throws InputError, WorkError.
    explicit Handout(std::string_view json);

    bool is_lesson() const { return is_lesson_; }
    const Lesson& lesson() const { return lesson_; }  // for a scene, a single step without words
    const Step& step() const { return lesson_.steps[static_cast<std::size_t>(step_)]; }
    void go_to_step(int step);  // step: must exist

    const Scene& scene() const { return scene_; }
    // Calls change(Scene&). If the scene then differs, the edit can be undone. If change() throws,
    // nothing changes. Throws EditError if the page cannot show the changed scene.
    template <class Change>
    void edit(const Change& change) {
        Scene changed = scene_;
        change(changed);
        become(std::move(changed));
    }
    bool undo(bool again);  // again: redoes. False if there is nothing to undo or redo
    void restore();         // goes back to the beginning of the step
    std::size_t undoes() const { return undone_.size(); }
    std::size_t redoes() const { return redone_.size(); }
    bool is_edited() const;

    bool asks() const { return view_.asks(); }  // the step's question is not yet answered
    void show_answer(const std::string& said);
    const std::optional<Judgement>& answered() const { return answered_; }

    View& view() { return view_; }
    View fork_view() const;  // the view, but with the fork, whatever view the step shows
    std::vector<int> variants() const { return shown_variants(view_, scene_); }

    // Returns the result of the current scene. Computes it again after an edit. Throws WorkError.
    const Result& result();
    const Bench& bench();

    std::vector<DrawnCells> drawn;  // the heatmaps of the last ms_compute(), by id
    std::vector<double> stage;      // the numbers of the last ms_stage()

private:
    Scene begun() const;
    void become(Scene next);

    Lesson lesson_;
    bool is_lesson_ = false;
    int step_ = 0;
    Scene scene_;
    std::deque<Scene> undone_, redone_;
    std::optional<Judgement> answered_;
    View view_;
    std::optional<Result> result_;
    Bench bench_;
};

// --- shared parts of the files that implement calls.h

Json number(double x);  // NaN and infinities as "NaN", "Infinity" and "-Infinity"
std::size_t address_of(const void* numbers);

void apply_edit(Handout& handout, const Node& op);
void change_view(Handout& handout, const Node& change);
Json shown(Handout& handout);
Json words(Handout& handout);
Json card(Handout& handout, Index b, Index h, Cell cell);
Json answered_json(const Handout& handout);

// --- files whose bytes a page gives, in place of a folder

void give_file(const std::string& name, std::string bytes);

// Returns sources that read tensors and models from the bytes that a page has given.
SceneSources given_files();

}  // namespace maskscope
