#include "core/lesson/lesson_check.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/lesson/address.h"
#include "core/lesson/caption.h"

namespace maskscope {

namespace {

// Runs `work`, with `prefix` added to the place of its errors.
template <class Work>
void at_place(const std::string& prefix, const Work& work) {
    try {
        work();
    } catch (const InputError& error) {
        throw InputError(prefix + error.place, error.what());
    }
}

// The scene with fields set; errors have the place of the key inside `place`.
Scene scene_with(const Scene& scene, const Fields& fields, const std::filesystem::path& folder,
                 const std::string& place) {
    if (fields.empty()) return scene;
    try {
        return with_fields(scene, fields, folder);
    } catch (const InputError& error) {
        const std::string key = error.place.empty() ? "" : "/" + escape_key(error.place);
        throw InputError(place + key, error.what());
    }
}

// The scene in which an address is read, after checking that the address exists there.
Scene check_read(const Scene& scene, const Address& address, const std::filesystem::path& folder,
                 const std::string& place) {
    Scene read = scene_with(scene, address.with, folder, place + "/with");
    at_place(place, [&] { check_address(read, address); });
    return read;
}

void check_fact(const Scene& scene, const Fact& fact, const std::filesystem::path& folder,
                const std::string& place) {
    const Scene own = check_read(scene, fact.address, folder, place);
    const auto check_operand = [&](const Operand& operand, const std::string& at) {
        const Address* address = std::get_if<Address>(&operand);
        if (!address) return;
        const Scene read = check_read(scene, *address, folder, at);
        at_place(at, [&] { check_runs_along(read, *address, own, fact.address); });
    };
    if (fact.than) {
        check_operand(fact.than->value, place + "/than");
        if (fact.than->times) check_operand(*fact.than->times, place + "/than/times");
        if (fact.than->plus) check_operand(*fact.than->plus, place + "/than/plus");
    }
    scene_with(scene, fact.fails_with, folder, place + "/fails_with");
    at_place(place + "/says", [&] { check_caption(fact.says, scene); });
}

}  // namespace

void check_lesson(const Lesson& lesson, const std::filesystem::path& folder) {
    for (std::size_t k = 0; k < lesson.steps.size(); ++k) {
        const Step& step = lesson.steps[k];
        const std::string place = fmt::format("/steps/{}", k);
        const auto check_text = [&](const char* key, const std::string& text) {
            at_place(place + key, [&] { check_caption(text, step.scene); });
        };
        check_text("/caption", step.caption);
        check_text("/ask", step.ask);
        check_text("/try", step.try_this);
        for (std::size_t f = 0; f < step.facts.size(); ++f)
            check_fact(step.scene, step.facts[f], folder, fmt::format("{}/facts/{}", place, f));
    }
}

}  // namespace maskscope
