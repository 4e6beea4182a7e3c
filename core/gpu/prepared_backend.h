#pragma once

#include <functional>

#include "core/result/backend.h"

namespace maskscope {

// A backend that may have to prepare, a GPU whose programs are compiled: nobody waits for that who
// can have the numbers elsewhere. Any thread may call.
class PreparedBackend : public Backend {
public:
    // As compute(), which waits however long it takes to prepare. Throws gpu::NotPrepared at once
    // where something has to be prepared first, and while that is under way.
    virtual Result compute_prepared(const Scene& scene, const Request& request,
                                    const Result* before, Progress& progress) = 0;
    // Runs the work, which must not throw, in the background: what it computes is prepared from
    // then on. Calls done(), from there, when preparing() is over.
    virtual void prepare(std::function<void()> work, std::function<void()> done) = 0;
    virtual bool preparing() const = 0;
    // Frees, in the background, the memory that it keeps for the next computation.
    virtual void rest() = 0;
};

}  // namespace maskscope
