#pragma once
// Cells that stand on the GPU, looked at and drawn where they are: nothing is read back but a few
// numbers a row.

#include "app/show/cells/cell_texels.h"
#include "core/gl/gl_objects.h"
#include "core/gl/program.h"

namespace maskscope {

// To be used, and to go, where a context of OpenGL 4.3 or better is current that sees the buffers.
class GpuCells : public RemoteReader {
public:
    explicit GpuCells(std::filesystem::path shaders) : programs_(std::move(shaders)) {}
    std::optional<std::vector<RowSummary>> rows(const CellSource& source, Index b,
                                                Index h) override;
    std::optional<bool> same(const Stage& x, const Stage& y) override;
    // Into the texture that is bound to GL_TEXTURE_2D: the words of texels_of(). False where the
    // cells do not stand on the GPU.
    bool upload_texels(const Cells& cells, const CellPlaces& places);

private:
    gpu::Program& program(int what);
    gpu::Programs programs_;
};

}  // namespace maskscope
