// If a computation throws an unexpected exception, the session reports it and goes on.

#include <gtest/gtest.h>

#include <system_error>

#include "tests/unit/app/session/session_parts.h"

namespace maskscope {
namespace {

class ThrowingBackend : public PlainBackend {
public:
    Result compute_scene(const Scene& scene, const Request& request, const Result* before,
                         Progress& progress) override {
        ++computed;
        if (shape_of(scene).n_q > 10) thrown();
        return PlainBackend::compute_scene(scene, request, before, progress);
    }
    std::function<void()> thrown = [] {};
    std::atomic<int> computed = 0;
};

TEST(SessionThatThrows, SaysItOnceAndGoesOn) {
    const std::function<void()> all[] = {
        [] { throw std::bad_alloc(); }, [] { throw std::out_of_range("a bug"); },
        [] {
            throw std::system_error(
                std::make_error_code(std::errc::resource_unavailable_try_again));
        }};
    for (const auto& thrown : all)
        for (const bool at_once : {false, true}) {
            auto* backend = new ThrowingBackend;
            backend->thrown = thrown;
            Session session{std::unique_ptr<Backend>(backend), {}};
            const Folder folder;
            write_bytes(folder / "small.json", write_scene(small_scene()));
            ASSERT_TRUE(session.open(folder / "small.json"));
            session.wait();
            const Scene scene =
                at_once ? small_scene(std::vector<std::string>(12, "a")) : large_scene();
            ASSERT_TRUE(session.edit("more tokens", [&](Scene& s) { s = scene; }));
            session.wait();
            ASSERT_TRUE(session.message());
            EXPECT_TRUE(session.message()->wrong) << session.message()->text;
            const int computed = backend->computed;
            for (int frame = 0; frame < 5; ++frame) session.update();
            session.wait();
            EXPECT_EQ(backend->computed, computed) << "it is not tried again in each frame";
            EXPECT_EQ(session.scene(), scene);
            session.undo();
            session.wait();
            EXPECT_EQ(shape_of(session.shown().scene).n_q, 3);
            EXPECT_FALSE(session.computing());
        }
}

}  // namespace
}  // namespace maskscope
