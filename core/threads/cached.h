#pragma once
// Values that are computed for a key, by a worker that several of them share. Each update names the
// values that are wanted, the most urgent first; what is computed for an old key, or was overtaken
// by something more urgent, is cancelled.

#include <chrono>
#include <functional>
#include <new>
#include <optional>
#include <utility>

#include "core/base/progress.h"
#include "core/threads/background_work.h"

namespace maskscope {

// The value of a key. It is used on one thread only.
template <class Key, class Value>
class Cached {
public:
    // Returns the value of the last key that was computed; null while a new one is being computed.
    const Value* value() const { return value_ ? &*value_ : nullptr; }
    const Value& value_or_empty() const {
        static const Value empty{};
        return value_ ? *value_ : empty;
    }
    const std::optional<Key>& key() const { return key_; }
    // True if nothing remains to be computed for this key. value() is then null only if the
    // computation failed or was given up.
    bool is_of(const Key& key) const { return key_ == key && !under_way_; }
    bool under_way() const { return under_way_; }
    bool is_given_up() const { return is_given_up_; }
    void set(Key key, Value value) {
        key_ = std::move(key);
        value_ = std::move(value);
    }
    // Drops the value, and what is being computed.
    void forget() {
        key_.reset();
        value_.reset();
    }

private:
    friend class SharedWorker;
    std::optional<Key> key_;
    std::optional<Value> value_;
    bool under_way_ = false, is_given_up_ = false;
};

// Where a value is computed.
enum class Cost {
    small,   // immediately, on the thread that wants it
    medium,  // on the worker; update() waits a moment for it
    large    // on the worker; update() does not wait
};

class SharedWorker {
public:
    using Clock = std::chrono::steady_clock;

    // wake: called from the worker when it has finished; may be empty.
    explicit SharedWorker(std::function<void()> wake = {}) : wake_(std::move(wake)) {}

    void take_finished() {
        if (work_.finished()) take();
    }
    // Calls wants(), which asks is_due() for each value that is wanted, the most urgent first, and
    // calls compute() for those that are due. Does so again after each value that is finished
    // before `until`.
    template <class Wants>
    void update(Clock::time_point until, const Wants& wants) {
        take_finished();
        do {
            is_taken_ = goes_on_ = waits_ = false;
            wants();
            if (!goes_on_) work_.cancel();
        } while (waits_ && work_.finished_within(until - Clock::now()) && (take(), true));
    }

    // --- in wants()

    // True if compute() must be called: the value of the key is missing, and the worker is free.
    template <class Key, class Value>
    bool is_due(const Cached<Key, Value>& cached, const Key& key) {
        if (is_taken_ || cached.is_of(key)) return false;
        if (!work_.active()) return true;
        is_taken_ = true;
        goes_on_ = cached.under_way_ && cached.key_ == key;
        return false;
    }
    // Computes the value: `then` makes it, on this thread, from what make(progress) returned. If
    // make() throws Cancellation, the value is due again. So it is if memory runs out on this
    // thread.
    template <class Key, class Value, class Make, class Then = std::identity>
    void compute(Cached<Key, Value>& cached, Key key, Cost cost, Make make, Then then = {}) {
        cached.key_ = std::move(key);
        cached.value_.reset();
        cached.is_given_up_ = false;
        try {
            if (cost == Cost::small) {
                Progress progress;
                cached.value_ = then(make(progress));
                return;
            }
            start(cached, std::move(make), std::move(then));
        } catch (const std::bad_alloc&) {
            cached.key_.reset();
            throw;
        }
        is_taken_ = goes_on_ = true;
        waits_ = cost == Cost::medium;
    }
    // Starts nothing that is less urgent. What is being computed goes on, unless something more
    // urgent is due.
    void hold() {
        if (!std::exchange(is_taken_, true)) goes_on_ = true;
    }

    // --- at any time

    const std::function<void()>& wake() const { return wake_; }
    bool active() const { return work_.active(); }
    double progress() const { return work_.progress(); }
    bool finished_within(std::chrono::nanoseconds time) const {
        return work_.finished_within(time);
    }
    bool is_cancelled() const { return work_.cancelled(); }  // also in `then`
    void cancel() { work_.cancel(); }                        // it is due again
    // Cancels what is being computed for `cached`. It is not due again for this key.
    template <class Key, class Value>
    void give_up(Cached<Key, Value>& cached, Key key) {
        cached.key_ = std::move(key);
        cached.is_given_up_ = true;
        work_.cancel();
    }
    void take() {  // waits for the value that is being computed
        if (under_way_) *std::exchange(under_way_, nullptr) = false;
        work_.join();
    }

private:
    template <class Key, class Value, class Make, class Then>
    void start(Cached<Key, Value>& cached, Make make, Then then) {
        using Made = decltype(make(std::declval<Progress&>()));
        work_.start(
            [make = std::move(make)](Progress& progress) -> std::optional<Made> {
                try {
                    return make(progress);
                } catch (const Cancellation&) {
                    return std::nullopt;
                }
            },
            [&cached, then = std::move(then)](std::optional<Made> made) mutable {
                if (!cached.key_) return;  // forgotten
                if (!made && !cached.is_given_up_) cached.key_.reset();
                if (made) try {
                        cached.value_ = then(std::move(*made));
                    } catch (const std::bad_alloc&) {
                        cached.key_.reset();
                        throw;
                    }
            },
            wake_);
        cached.under_way_ = true;
        under_way_ = &cached.under_way_;
    }

    std::function<void()> wake_;
    bool is_taken_ = false;  // no less urgent value may be computed in this round
    bool goes_on_ = false;   // what is being computed is still wanted
    bool waits_ = false;
    bool* under_way_ = nullptr;  // the flag of the value that is being computed
    BackgroundWork work_;        // last: it uses the members above
};

}  // namespace maskscope
