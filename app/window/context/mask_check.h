#pragma once
// Runs the four tests of a variant's mask in the background, while their card is open, and again
// when the scene changes.

#include <functional>
#include <optional>
#include <vector>

#include "core/compute/mask_tests.h"
#include "core/threads/background_work.h"

namespace maskscope {

class MaskCheck {
public:
    // Call it once a frame. wake: called from the worker when a test has finished; may be empty.
    void refresh(const Scene& scene, int variant, const std::function<void()>& wake);
    // Returns the results so far, in the order of mask_tests().
    const std::vector<TestResult>& results() const { return results_; }
    bool active() const { return worker_.active(); }

private:
    void take();

    Scene scene_;  // the scene that was tested, or is being tested
    int variant_ = -1;
    std::vector<TestResult> results_;
    BackgroundWork worker_;  // last: it uses the members above
};

}  // namespace maskscope
