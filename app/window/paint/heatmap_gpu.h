#pragma once
// Cells on the GPU, summarized and drawn where they are: only a few numbers for each row are read
// back. If the driver refuses a shader, they are read back like any others.

#include <set>

#include "app/show/cells/cell_texels.h"
#include "core/gl/gl_objects.h"
#include "core/gl/program.h"

namespace maskscope {

// Use and destroy it while a context of OpenGL 4.3 or better that can access the buffers is
// current.
class GpuCells : public RemoteReader {
public:
    // kept: see gpu::Programs
    explicit GpuCells(std::filesystem::path shaders, std::filesystem::path kept = {})
        : programs_(std::move(shaders), std::move(kept)) {}
    // Compiles its programs; later instances find them in the cache.
    void compile();
    std::optional<std::vector<RowSummary>> rows(const CellSource& source, Index b,
                                                Index h) override;
    std::optional<bool> same(const Stage& x, const Stage& y) override;
    // Writes the words of texels_of() into the texture bound to GL_TEXTURE_2D. False if the cells
    // are not on the GPU, or its shader is refused.
    bool upload_texels(const Cells& cells, const CellPlaces& places);

private:
    gpu::Program* program(int what);  // nullptr if it does not compile
    gpu::Programs programs_;
    std::set<int> refused_;
};

}  // namespace maskscope
