#include "app/web/calls.h"

#include <cmath>
#include <cstdlib>
#include <map>
#include <memory>
#include <new>

#include "app/web/handout.h"
#include "core/base/build.h"
#include "core/base/number_text.h"
#include "core/compute/depends.h"
#include "core/scene/names.h"

namespace maskscope {

namespace {

struct Open {
    std::map<int, std::unique_ptr<Handout>> handouts;
    int last = 0;
    std::string answer;  // the answer to the last call
};

Open& open() {
    static Open all;
    return all;
}

Handout& handout_of(int handle) {
    const auto found = open().handouts.find(handle);
    if (found == open().handouts.end())
        throw InputError("", "no document is open with this handle");
    return *found->second;
}

const char* text(std::string answer) {
    open().answer = std::move(answer);
    return open().answer.c_str();
}

const char* failed(const std::string& what, const std::string& place, std::string_view kind) {
    return text(Json{{"error", what}, {"place", place}, {"kind", kind}}.dump());
}

// Returns the result of call(), or the error that it throws, as JSON.
template <class Call>
const char* answer(const Call& call) {
    constexpr std::string_view kinds[] = {"work", "input", "edit"};
    try {
        return text(call().dump());
    } catch (const Error& error) {
        return failed(error.what(), error.place, kinds[static_cast<std::size_t>(error.kind)]);
    } catch (const std::bad_alloc&) {
        return failed("There is not enough memory for this.", "", "work");
    } catch (const std::exception& error) {
        return failed(error.what(), "", "work");
    }
}

Json history(const Handout& handout) {
    return {{"undo", handout.undoes()},
            {"redo", handout.redoes()},
            {"restorable", handout.is_edited()}};
}

Json opened(const Handout& handout, int handle) {
    const Lesson& lesson = handout.lesson();
    Json json = {{"handle", handle},
                 {"lesson", handout.is_lesson() ? Json(lesson.name) : Json()},
                 {"title", lesson.title},
                 {"about", lesson.about},
                 {"steps", Json::array()}};
    for (const Step& step : lesson.steps)
        json["steps"].push_back({{"title", step.title},
                                 {"star", step.star},
                                 {"asks", !step.ask.empty()},
                                 {"try", !step.try_this.empty()}});
    return json;
}

// Removes the sign of NaN, which differs between machines.
void clear_signs_of_nan(std::vector<double>& numbers) {
    for (double& x : numbers)
        if (std::isnan(x)) x = not_a_number;
}

// Returns all numbers of a stage, [b, h, rows, columns].
Json stage_json(Handout& handout, int variant, std::string_view word) {
    const Result& result = handout.result();
    const auto kind = from_name<StageKind>(word);
    if (!kind || variant < 0 || variant >= std::ssize(result.variants))
        throw InputError("", "no such stage or variant");
    const VariantResult& of = result.variants[static_cast<std::size_t>(variant)];
    std::vector<double>& numbers = handout.stage;
    numbers.clear();
    if (*kind == StageKind::allowed) {
        const Shape& shape = of.shape;
        for (Index row = 0; row < shape.b * shape.h * shape.n_q; ++row) {
            const auto cells = of.allowed_row(row / shape.n_q / shape.h, row / shape.n_q % shape.h,
                                              row % shape.n_q);
            numbers.insert(numbers.end(), cells.begin(), cells.end());
        }
        return {{"at", address_of(numbers.data())},
                {"shape", {shape.b, shape.h, shape.n_q, shape.n_k}}};
    }
    Stage stage = of.stage(*kind);
    if (*kind == StageKind::depends && !stage.exists() && has_stage(result.scene, *kind)) {
        Progress progress;
        stage = depends_of(result.scene, progress)[static_cast<std::size_t>(variant)];
    }
    if (!stage.exists()) return {{"at", 0}, {"shape", Json::array()}};
    for (Index b = 0; b < stage.b(); ++b)
        for (Index h = 0; h < stage.h(); ++h)
            for (Index i = 0; i < stage.rows(); ++i) {
                const std::vector<double> row = stage.row_at(b, h, i);
                numbers.insert(numbers.end(), row.begin(), row.end());
            }
    clear_signs_of_nan(numbers);
    return {{"at", address_of(numbers.data())},
            {"shape", {stage.b(), stage.h(), stage.rows(), stage.columns()}}};
}

NumberForm form_of(int form) { return static_cast<NumberForm>(form < 0 ? 0 : form > 2 ? 2 : form); }

}  // namespace

}  // namespace maskscope

using namespace maskscope;

void* ms_room(std::size_t bytes) { return std::malloc(bytes); }
void ms_free(void* room) { std::free(room); }

const char* ms_version() { return text(version()); }

const char* ms_source(const char* name, const void* bytes, std::size_t count) {
    return answer([&] {
        give_file(name, std::string(static_cast<const char*>(bytes), count));
        return Json::object();
    });
}

const char* ms_load(const char* json) {
    return answer([&] {
        auto handout = std::make_unique<Handout>(json);
        const int handle = ++open().last;
        Json said = opened(*handout, handle);
        open().handouts.emplace(handle, std::move(handout));
        return said;
    });
}

void ms_close(int handle) { open().handouts.erase(handle); }

const char* ms_step(int handle, int step) {
    return answer([&]() -> Json {
        Handout& handout = handout_of(handle);
        if (step < 0 || step >= std::ssize(handout.lesson().steps))
            throw InputError("", "there is no such step");
        handout.go_to_step(step);
        return {{"step", step}, {"asks", handout.asks()}};
    });
}

const char* ms_scene(int handle) {
    try {
        return text(write_scene(handout_of(handle).scene()));
    } catch (const std::exception& error) {
        return failed(error.what(), "", "input");
    }
}

const char* ms_edit(int handle, const char* json) {
    return answer([&] {
        Handout& handout = handout_of(handle);
        const Json op = parse_json(json);
        const std::size_t before = handout.undoes();
        apply_edit(handout, {op, ""});
        Json said = {{"changed", handout.undoes() != before}};
        said.update(history(handout));
        return said;
    });
}

const char* ms_view(int handle, const char* json) {
    return answer([&] {
        const Json change = parse_json(json);
        change_view(handout_of(handle), {change, ""});
        return Json::object();
    });
}

const char* ms_compute(int handle) {
    return answer([&] { return shown(handout_of(handle)); });
}

const char* ms_texts(int handle, int heatmap, int form) {
    return answer([&] {
        const auto& drawn = handout_of(handle).drawn;
        if (heatmap < 0 || heatmap >= std::ssize(drawn))
            throw InputError("", "there is no such heatmap");
        const DrawnCells& cells = drawn[static_cast<std::size_t>(heatmap)];
        Json texts = Json::array();
        for (const double value : cells.values)
            texts.push_back(cell_text(value, cells.share, form_of(form)));
        return texts;
    });
}

const char* ms_text(double value, int share, int form) {
    return text(cell_text(value, share != 0, form_of(form)));
}

const char* ms_words(int handle) {
    return answer([&] { return words(handout_of(handle)); });
}

const char* ms_answer(int handle, const char* said) {
    return answer([&]() -> Json {
        Handout& handout = handout_of(handle);
        handout.show_answer(said);
        return {{"answered", answered_json(handout)}};
    });
}

const char* ms_card(int handle, int b, int h, int i, int j) {
    return answer([&] { return card(handout_of(handle), b, h, {i, j}); });
}

const char* ms_stage(int handle, int variant, const char* stage) {
    return answer([&] { return stage_json(handout_of(handle), variant, stage); });
}
