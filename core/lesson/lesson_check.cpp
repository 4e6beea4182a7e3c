#include "core/lesson/lesson_check.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/lesson/address.h"
#include "core/lesson/caption.h"

namespace maskscope {

namespace {

// Does `work`; what is wrong there is said with `prefix` before its place.
template <class Work>
auto at_place(const std::string& prefix, const Work& work) {
    try {
        return work();
    } catch (const InputError& error) {
        throw InputError(prefix + error.place, error.what());
    }
}

// The scene with fields set; what is wrong is said at the key inside `place`.
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

// The scene in which an address is read, the address found in it.
Scene check_read(const Scene& scene, const Address& address, const std::filesystem::path& folder,
                 const std::string& place) {
    Scene read = scene_with(scene, address.with, folder, place + "/with");
    at_place(place, [&] { check_address(read, address); });
    return read;
}

class FactCheck {
public:
    FactCheck(const Scene& scene, const Fact& fact, const std::filesystem::path& folder,
              std::string place)
        : scene_(scene), fact_(fact), folder_(folder), place_(std::move(place)) {}

    void check() {
        read_ = check_read(scene_, fact_.address, folder_, place_);
        if (fact_.than) check_than(*fact_.than);
        scene_with(scene_, fact_.fails_with, folder_, place_ + "/fails_with");
    }

private:
    void check_than(const Than& than) const {
        check_operand(than.value, place_ + "/than");
        if (than.times) check_operand(*than.times, place_ + "/than/times");
        if (than.plus) check_operand(*than.plus, place_ + "/than/plus");
    }

    void check_operand(const Operand& operand, const std::string& place) const {
        const Address* address = std::get_if<Address>(&operand);
        if (!address) return;
        const Scene read = check_read(scene_, *address, folder_, place);
        at_place(place, [&] { check_runs_along(read, *address, read_, fact_.address); });
    }

    const Scene& scene_;
    const Fact& fact_;
    const std::filesystem::path& folder_;
    std::string place_;
    Scene read_;  // the scene that the fact's own address is read in
};

void check_caption(const Step& step) {
    for (const CaptionPart& part : parse_caption(step.caption)) {
        if (!part.address) continue;
        try {
            check_address(step.scene, *part.address);
        } catch (const InputError& error) {
            throw InputError("", fmt::format("{}: {}", address_text(*part.address), error.what()));
        }
    }
}

}  // namespace

void check_lesson(const Lesson& lesson, const std::filesystem::path& folder) {
    for (std::size_t k = 0; k < lesson.steps.size(); ++k) {
        const Step& step = lesson.steps[k];
        const std::string place = fmt::format("/steps/{}", k);
        at_place(place + "/caption", [&] { check_caption(step); });
        for (std::size_t f = 0; f < step.facts.size(); ++f)
            FactCheck(step.scene, step.facts[f], folder, fmt::format("{}/facts/{}", place, f))
                .check();
    }
}

}  // namespace maskscope
