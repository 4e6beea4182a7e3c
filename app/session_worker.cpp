#include "app/session_worker.h"

namespace maskscope {

namespace {

double projection_numbers(const Inputs& inputs) {
    if (const auto* embedding = std::get_if<EmbeddingInputs>(&inputs))
        return double(embedding->heads) * double(embedding->d_model) *
               double(2 * embedding->d_k + embedding->d_v);
    return 0;
}

// Of one variant over these inputs, attending between n_q queries and n_k keys.
double numbers_of(const Inputs& inputs, double b, double n_q, double n_k) {
    double numbers =
        projection_numbers(inputs) + b * double(heads_of(inputs)) * n_q * n_k * double(stage_count);
    if (const auto* output = std::get_if<OutputInputs>(&inputs)) {
        numbers += numbers_of(output->of->inputs, b, n_q, n_q);
        if (output->keys) numbers += numbers_of((*output->keys)->inputs, b, n_k, n_k);
    }
    return numbers;
}

}  // namespace

Worker::~Worker() {
    cancel();
    if (active()) join();
}

void Worker::start(std::function<void(Progress&)> work, std::function<void()> wake) {
    progress_ = std::make_unique<Progress>();
    std::promise<void> done;
    done_ = done.get_future();
    thread_ = std::thread([progress = progress_.get(), work = std::move(work),
                           wake = std::move(wake), done = std::move(done)]() mutable {
        work(*progress);
        done.set_value();
        if (wake) wake();
    });
}

bool Worker::finished_within(std::chrono::milliseconds time) const {
    return active() && done_.wait_for(time) == std::future_status::ready;
}

void Worker::cancel() {
    if (active()) progress_->cancel = true;
}

void Worker::join() { thread_.join(); }

double numbers_to_compute(const Scene& scene) {
    const Shape shape = shape_of(scene);
    return double(scene.variants.size()) *
           numbers_of(scene.inputs, double(shape.b), double(shape.n_q), double(shape.n_k));
}

}  // namespace maskscope
