// Tests programs that are kept for the next start.

#include <epoxy/gl.h>

#include <algorithm>
#include <fstream>

#include "core/base/build.h"
#include "core/gl/program.h"
#include "tests/gpu/gpu_fixture.h"
#include "tests/support/folder.h"
#include "tests/support/full_disk.h"

namespace maskscope::golden {
namespace {

namespace fs = std::filesystem;

std::string bytes_of(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

class KeptPrograms : public Gpu {
protected:
    fs::path kept() const { return folder_ / "new" / "programs"; }
    // Links mask.comp as a new start would, and returns whether it was kept.
    bool was_kept() const { return was_kept_in(kept()); }
    static bool was_kept_in(const fs::path& folder) {
        gpu::Programs programs(shader_folder(), folder);
        programs.get("mask.comp", {});
        EXPECT_GT(programs.linked().at(0).bytes, 0U);
        return programs.linked().at(0).was_kept;
    }
    std::vector<fs::path> files() const {
        std::vector<fs::path> files;
        for (const auto& entry : fs::directory_iterator(kept())) files.push_back(entry.path());
        return files;
    }
    Folder folder_;
};

TEST_F(KeptPrograms, AreReadBackByTheNextStart) {
    EXPECT_FALSE(was_kept());
    EXPECT_EQ(files().size(), 1U);
    EXPECT_TRUE(was_kept());
}

TEST_F(KeptPrograms, ComputeTheSameBits) {
    Scene scene;
    scene.sequences = {{{"one", "two", "three"}, std::nullopt}};
    scene.inputs = EmbeddingInputs{3, 2, 4, 3, 8};
    scene.variants = {Variant{}};
    scene.variants[0].mask.layers = {MaskLayer{}};
    GpuBackend first({.kept_programs = kept()}), second({.kept_programs = kept()});
    const Result compiled = compute(first, scene), read_back = compute(second, scene);
    ASSERT_FALSE(second.programs().linked().empty());
    for (const gpu::Programs::LinkedProgram& program : second.programs().linked())
        EXPECT_TRUE(program.was_kept) << program.file;
    for (std::size_t k = 1; k < compiled.variants[0].stages.size(); ++k) {
        const Stage &x = compiled.variants[0].stages[k], &y = read_back.variants[0].stages[k];
        if (!x.exists()) continue;
        EXPECT_TRUE(std::ranges::equal(x.float32s(), y.float32s())) << k;
    }
}

// If any part of the file is lost or changed, by a killed write or a bad disk, the program is
// compiled and kept again.
TEST_F(KeptPrograms, OfADamagedFileAreCompiledAgain) {
    was_kept();
    const fs::path file = files().at(0);
    const std::string whole = bytes_of(file);
    for (std::size_t k = 0; k < whole.size(); k += whole.size() / 40) {
        std::string damaged = whole;
        damaged[k] = static_cast<char>(damaged[k] ^ 0x10);
        for (const std::string& bytes : {damaged, whole.substr(0, k)}) {
            std::ofstream(file, std::ios::binary) << bytes;
            EXPECT_FALSE(was_kept()) << k;
            EXPECT_EQ(bytes_of(file), whole) << k;
        }
    }
    EXPECT_EQ(files().size(), 1U) << "nothing is left behind";
}

TEST_F(KeptPrograms, AreThoseOfTheirDriverAndText) {
    was_kept();
    static decltype(epoxy_glGetString) real = nullptr;
    glGetString(GL_VERSION);  // the function is looked up when it is first called
    real = epoxy_glGetString;
    epoxy_glGetString = [](GLenum name) -> const GLubyte* {
        return name == GL_VERSION ? reinterpret_cast<const GLubyte*>("4.6 of another driver")
                                  : real(name);
    };
    EXPECT_FALSE(was_kept());
    epoxy_glGetString = real;
    EXPECT_TRUE(was_kept());
    gpu::Programs other(shader_folder(), kept());
    other.get("mask.comp", {{"UNUSED", 1}});
    EXPECT_FALSE(other.linked().at(0).was_kept) << "another define";
}

TEST_F(KeptPrograms, ThatTheDriverRefusesAreCompiledAgain) {
    was_kept();
    const auto real = epoxy_glProgramBinary;
    epoxy_glProgramBinary = [](GLuint, GLenum, const void*, GLsizei) {};
    EXPECT_FALSE(was_kept());
    epoxy_glProgramBinary = real;
    EXPECT_TRUE(was_kept());
}

TEST_F(KeptPrograms, AreMissedOnlyForTheirTime) {
    std::ofstream(folder_ / "file") << "no folder";
    for (int k = 0; k < 2; ++k) {
        EXPECT_FALSE(was_kept_in(folder_ / "file" / "programs"));
        EXPECT_FALSE(was_kept_in(""));
        const FullDisk full(64);
        EXPECT_FALSE(was_kept());
    }
    EXPECT_TRUE(!fs::exists(kept()) || files().empty()) << "and leave nothing behind";
}

TEST_F(KeptPrograms, AreNotMoreThanSoMany) {
    was_kept();
    const fs::path own = files().at(0);
    for (std::size_t k = 0; k < gpu::ProgramCache::most_files + 5; ++k) {
        const fs::path file = kept() / ("old-" + std::to_string(k));
        std::ofstream(file) << k;
        fs::last_write_time(file, fs::last_write_time(own) - std::chrono::hours(1));
    }
    fs::remove(own);
    was_kept();
    EXPECT_EQ(files().size(), gpu::ProgramCache::most_files);
    EXPECT_TRUE(was_kept()) << "the oldest went";
}

TEST_F(KeptPrograms, AreNotCompiledWhereNobodyMayWait) {
    gpu::Programs programs(shader_folder(), kept());
    programs.wait_for_compiler(false);
    EXPECT_THROW(programs.get("mask.comp", {}), gpu::PreparationError);
    EXPECT_THROW(programs.get("mask.comp", {}), gpu::PreparationError) << "and again";
    was_kept();
    EXPECT_NO_THROW(programs.get("mask.comp", {})) << "it is kept by now";
}

}  // namespace
}  // namespace maskscope::golden
