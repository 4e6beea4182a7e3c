#pragma once

#include <memory>
#include <utility>

namespace maskscope {

// An immutable value that copies share, so that copying, undoing and comparing scenes is cheap.
// Equal if the values are equal; equal pointers need no comparison. Never null.
template <class T>
class SharedValue {
public:
    SharedValue() : value_(std::make_shared<const T>()) {}
    SharedValue(T value) : value_(std::make_shared<const T>(std::move(value))) {}
    const T& operator*() const { return *value_; }
    const T* operator->() const { return value_.get(); }
    bool operator==(const SharedValue& other) const {
        return value_ == other.value_ || *value_ == *other.value_;
    }

private:
    std::shared_ptr<const T> value_;
};

}  // namespace maskscope
