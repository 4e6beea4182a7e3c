#pragma once
// How the threads of a subgroup (on NVIDIA a warp) exchange numbers in compute shaders.

namespace maskscope::gpu {

enum class Subgroups {
    none,      // through shared memory, as all threads of a work group
    ballots,   // GL_ARB_shader_ballot: each reads from one of them
    shuffles,  // GL_KHR_shader_subgroup: each reads from any other
};

// Returns the best way that the current context offers.
Subgroups offered_subgroups();

}  // namespace maskscope::gpu
