#include "core/gl/clock.h"

#include <epoxy/gl.h>

#include <algorithm>

namespace maskscope::gpu {

Clock::~Clock() {
    if (!queries_.empty()) glDeleteQueries(static_cast<GLsizei>(queries_.size()), queries_.data());
}

void Clock::add(const std::string& what, double milliseconds) {
    const auto known = std::ranges::find(times_, what, &Timing::what);
    if (known == times_.end())
        times_.push_back({what, milliseconds});
    else
        known->milliseconds += milliseconds;
}

unsigned Clock::query_time() {
    queries_.push_back(0);
    glGenQueries(1, &queries_.back());
    glQueryCounter(queries_.back(), GL_TIMESTAMP);
    return queries_.back();
}

void Clock::on_cpu(const std::string& what) {
    const auto now = std::chrono::steady_clock::now();
    add(what, std::chrono::duration<double, std::milli>(now - last_).count());
    last_ = now;
    if (!software_) last_query_ = query_time();
}

void Clock::on_gpu(const std::string& what) {
    if (software_) {  // computes in this process; its clock only measures drawing
        glFinish();
        return on_cpu(what);
    }
    add(what, 0);
    const unsigned start = last_query_ != 0 ? last_query_ : query_time();
    last_query_ = query_time();
    passes_.push_back({what, start, last_query_});
    last_ = std::chrono::steady_clock::now();
}

std::vector<Timing> Clock::times() {
    const auto nanoseconds = [](unsigned query) {
        GLuint64 time = 0;
        glGetQueryObjectui64v(query, GL_QUERY_RESULT, &time);
        return static_cast<double>(time);
    };
    for (const Pass& pass : passes_)
        add(pass.what, (nanoseconds(pass.end) - nanoseconds(pass.start)) * 1e-6);
    passes_.clear();
    return times_;
}

}  // namespace maskscope::gpu
