#pragma once
// Makes scenes, and backends that are slow or fail, for the tests of the session.

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <sstream>
#include <thread>

#include "app/session/session.h"
#include "core/base/error.h"
#include "core/compute/plain.h"
#include "core/format/scene_json.h"
#include "tests/support/folder.h"

namespace maskscope {

inline Scene small_scene(const std::vector<std::string>& tokens = {"a", "b", "c"}) {
    Scene scene;
    scene.sequences = {{tokens, std::nullopt}};
    scene.inputs = EmbeddingInputs{7, 1, 4, 2, 8};
    Variant variant;
    variant.name = "A";
    scene.variants = {variant, variant};
    scene.variants[1].mask.apply = Apply::multiply_weights;
    return scene;
}

// Returns a scene that is too large to be computed within a frame.
inline Scene large_scene() { return small_scene(std::vector<std::string>(200, "word")); }

// A backend that waits while `held` is true, and refuses scenes of more than `most` queries.
class HeldBackend : public PlainBackend {
public:
    Result compute_scene(const Scene& scene, const Request& request, const Result* before,
                         Progress& progress) override {
        ++computed;
        if (shape_of(scene).n_q > most) throw WorkError("too large, 8 tokens would fit");
        while (held && !progress.cancel) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        return PlainBackend::compute_scene(scene, request, before, progress);
    }
    std::atomic<bool> held = false;
    std::atomic<int> computed = 0;
    std::atomic<Index> most = 100000;
};

// A session, and the backend that it owns.
struct Tested {
    HeldBackend* backend = new HeldBackend;
    std::atomic<int> woken = 0;
    Session session{std::unique_ptr<Backend>(backend), [this] { ++woken; }};

    bool opens(const Scene& scene) {
        Lesson lesson;
        lesson.name = "one";
        lesson.steps.resize(1);
        lesson.steps[0].scene = scene;
        return session.open_lesson(lesson, ".");
    }
    std::string message() const { return session.message() ? session.message()->text : ""; }
    bool wrong() const { return session.message() && session.message()->wrong; }
    bool block(Cell cell, const std::string& merge = "") {
        return session.edit(
            "block a cell",
            [&](Scene& scene) {
                set_allowed(scene, {0, 1}, 0, 0, cell, false);
            },
            merge);
    }
};

inline std::string bytes_of(const std::filesystem::path& path) {
    std::ostringstream bytes;
    bytes << std::ifstream(path, std::ios::binary).rdbuf();
    return bytes.str();
}

inline void write_bytes(const std::filesystem::path& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
}

}  // namespace maskscope
