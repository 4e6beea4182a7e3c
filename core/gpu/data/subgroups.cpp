#include "core/gpu/data/subgroups.h"

#include <epoxy/gl.h>

namespace maskscope::gpu {

Subgroups offered_subgroups() {
    if (epoxy_has_gl_extension("GL_KHR_shader_subgroup")) {
        constexpr GLint needed = GL_SUBGROUP_FEATURE_BASIC_BIT_KHR |
                                 GL_SUBGROUP_FEATURE_BALLOT_BIT_KHR |
                                 GL_SUBGROUP_FEATURE_SHUFFLE_BIT_KHR;
        GLint features = 0, stages = 0;
        glGetIntegerv(GL_SUBGROUP_SUPPORTED_FEATURES_KHR, &features);
        glGetIntegerv(GL_SUBGROUP_SUPPORTED_STAGES_KHR, &stages);
        if ((features & needed) == needed && (stages & GL_COMPUTE_SHADER_BIT) != 0)
            return Subgroups::shuffles;
    }
    const bool ballots = epoxy_has_gl_extension("GL_ARB_shader_ballot") &&
                         epoxy_has_gl_extension("GL_ARB_gpu_shader_int64");
    return ballots ? Subgroups::ballots : Subgroups::none;
}

}  // namespace maskscope::gpu
