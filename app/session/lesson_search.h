#pragma once
// Finds what a fact hangs on: at once in a small scene, else beside the thread that draws.

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>

#include "core/lesson/fact_counterexample.h"
#include "core/threads/background_work.h"

namespace maskscope {

class FailureSearch {
public:
    // The change with which the fact fails in the scene, from the candidate `from` on (see
    // Failure::next). What was asked last is not searched again, and another question ends the
    // search that is under way. wake: called from a thread at its end (may be empty).
    void ask(const Fact& fact, const Scene& scene, const std::filesystem::path& folder,
             std::size_t from, const std::function<void()>& wake);
    bool under_way() const { return worker_.active(); }
    const std::optional<Failure>& found() const { return found_; }

private:
    struct Asked {
        Fact fact;
        Scene scene;
        std::size_t from = 0;
        bool operator==(const Asked&) const = default;
    };
    void search(const Asked& asked, const std::filesystem::path& folder, Progress& progress);

    std::optional<Asked> asked_;
    std::unique_ptr<Backend> backend_;  // of its own: the session's may be at work
    std::optional<Failure> found_, outcome_;
    BackgroundWork worker_;  // after what it uses
};

}  // namespace maskscope
