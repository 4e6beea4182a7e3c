#include "app/session/lesson_search.h"
#include "core/compute/memory.h"

#include <exception>

#include "core/cpu/cpu_backend.h"

namespace maskscope {

// Where numbers cannot be made, nothing is found, and the fact is not taken.
void FailureSearch::search(const Asked& asked, const std::filesystem::path& folder,
                           Progress& progress) {
    outcome_.reset();
    try {
        outcome_ = find_failure(asked.fact, asked.scene, *backend_, folder, asked.from, progress);
    } catch (const Cancelled&) {  // another question follows
    } catch (const std::exception&) {}
}

void FailureSearch::ask(const Fact& fact, const Scene& scene, const std::filesystem::path& folder,
                        std::size_t from, const std::function<void()>& wake) {
    Asked now{fact, scene, from};
    now.fact.says.clear();
    now.fact.fails_with.clear();
    now.scene.show.reset();
    if (asked_ == now) {
        if (!worker_.finished()) return;
        worker_.join();
        found_ = outcome_;
        return;
    }
    worker_.cancel();
    if (worker_.active()) worker_.join();
    asked_ = std::move(now);
    found_.reset();
    if (!backend_) backend_ = std::make_unique<CpuBackend>();
    if (numbers_to_compute(scene) > most_numbers_of_many)
        return worker_.start([this, asked = *asked_,
                              folder](Progress& progress) { search(asked, folder, progress); },
                             wake);
    Progress progress;
    search(*asked_, folder, progress);
    found_ = outcome_;
}

}  // namespace maskscope
