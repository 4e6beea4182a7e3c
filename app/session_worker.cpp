#include "app/session_worker.h"

#include <new>

#include "core/error.h"
#include "core/layers_before.h"

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

Outcome compute_outcome(Backend& backend, const Scene& scene, const Result* before,
                        Progress& progress) {
    Outcome outcome;
    try {
        auto layers = layers_before(scene, backend, before, progress);
        outcome.result = backend.compute(scene, Request{}, before, progress);
        outcome.result->layers_before = std::move(layers);
    } catch (const Cancelled&) {
        outcome.cancelled = true;
    } catch (const std::bad_alloc&) {
        outcome.error = "There is not enough memory for this scene.";
    } catch (const InputError& error) {
        outcome.error = error.place + (error.place.empty() ? "" : ": ") + error.what();
    } catch (const std::exception& error) {
        outcome.error = error.what();
    }
    return outcome;
}

Worker::~Worker() {
    cancel();
    if (active()) thread_.join();
}

void Worker::start(Backend& backend, Scene scene, std::shared_ptr<const Result> before,
                   std::function<void()> wake) {
    progress_ = std::make_unique<Progress>();
    done_ = false;
    thread_ = std::thread([this, &backend, scene = std::move(scene), before = std::move(before),
                           wake = std::move(wake)] {
        outcome_ = compute_outcome(backend, scene, before.get(), *progress_);
        done_ = true;
        if (wake) wake();
    });
}

void Worker::cancel() {
    if (active()) progress_->cancel = true;
}

Outcome Worker::take() {
    thread_.join();
    return std::move(outcome_);
}

double numbers_to_compute(const Scene& scene) {
    const Shape shape = shape_of(scene);
    return double(scene.variants.size()) *
           numbers_of(scene.inputs, double(shape.b), double(shape.n_q), double(shape.n_k));
}

}  // namespace maskscope
