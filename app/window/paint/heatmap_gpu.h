#pragma once
// Summarizes and draws cells on the GPU, where their numbers are, so that only a few numbers for
// each row are read back. If the driver rejects a shader, the numbers are read back as usual.

#include <set>

#include "app/show/cells/cell_texels.h"
#include "core/gl/gl_objects.h"
#include "core/gl/program.h"

namespace maskscope {

// Use and destroy it only while a context of OpenGL 4.3 or better that shares the buffers is
// current.
class GpuCells : public RemoteReader {
public:
    // kept: see gpu::Programs.
    explicit GpuCells(std::filesystem::path shaders, std::filesystem::path kept = {})
        : programs_(std::move(shaders), std::move(kept)) {}
    // Compiles the programs; later instances find them in the cache.
    void compile();
    std::optional<std::vector<RowSummary>> rows(const CellSource& source, Index b,
                                                Index h) override;
    std::optional<bool> same(const Stage& x, const Stage& y) override;
    // Writes the words of texels_of() into the texture that is bound to GL_TEXTURE_2D. Returns
    // false if the cells are not on the GPU, or the driver rejects the shader.
    bool upload_texels(const Cells& cells, const CellPlaces& places);

private:
    gpu::Program* program(int what);  // nullptr if it cannot be compiled
    gpu::Programs programs_;
    std::set<int> refused_;
};

}  // namespace maskscope
