#pragma once
// Tokens of one side, shared by copies, and padded at the end. Pad tokens are not copied, because
// they may be long and many.

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/base/shape.h"
#include "core/base/shared.h"

namespace maskscope {

// The tokens of one side of a sequence as a scene holds them. Copies share the strings, and compare
// as equal without reading them, because there may be thousands and edits of a mask do not change
// them.
class TokenList {
public:
    using Strings = std::vector<std::string>;
    using value_type = std::string;
    using const_iterator = Strings::const_iterator;
    using iterator = const_iterator;

    TokenList() = default;
    TokenList(Strings tokens) : tokens_(std::move(tokens)) {}
    TokenList(std::initializer_list<std::string> tokens) : tokens_(Strings(tokens)) {}
    const Strings& all() const { return *tokens_; }
    operator const Strings&() const { return all(); }
    std::size_t size() const { return all().size(); }
    bool empty() const { return all().empty(); }
    const std::string& operator[](std::size_t k) const { return all()[k]; }
    const std::string& front() const { return all().front(); }
    const std::string& back() const { return all().back(); }
    const_iterator begin() const { return all().begin(); }
    const_iterator end() const { return all().end(); }
    bool operator==(const TokenList&) const = default;
    // Calls change(Strings&) on an unshared copy, which replaces the tokens.
    template <class Change>
    void edit(const Change& change) {
        Strings own = all();
        change(own);
        tokens_ = std::move(own);
    }

private:
    SharedValue<Strings> tokens_;
};

// One sequence: a view of strings that a scene or TokenLabels hold.
class TokenView {
public:
    TokenView(const std::vector<std::string>& own, const std::string& pad, Index size)
        : own_(&own), pad_(&pad), size_(size) {}
    // Makes a view that owns its tokens.
    TokenView(std::shared_ptr<const std::vector<std::string>> own, const std::string& pad,
              Index size)
        : held_(std::move(own)), own_(held_.get()), pad_(&pad), size_(size) {}
    std::size_t size() const { return static_cast<std::size_t>(size_); }
    const std::string& operator[](Index i) const { return i < length() ? (*own_)[i] : *pad_; }
    const std::string& at(Index i) const {
        if (i < 0 || i >= size_) throw std::out_of_range("TokenView");
        return (*this)[i];
    }
    const std::string& pad() const { return *pad_; }
    bool is_pad(Index i) const { return i >= length() || (*own_)[i] == *pad_; }
    // Returns the number of tokens without the padding at the end.
    Index without_pads() const {
        Index n = std::min(length(), size_);
        while (n > 0 && is_pad(n - 1)) --n;
        return n;
    }

    class Iterator {
    public:
        using value_type = std::string;
        using difference_type = Index;
        using reference = const std::string&;
        using pointer = const std::string*;
        using iterator_category = std::forward_iterator_tag;
        Iterator() = default;
        Iterator(const TokenView& view, Index at) : view_(&view), at_(at) {}
        reference operator*() const { return (*view_)[at_]; }
        pointer operator->() const { return &(*view_)[at_]; }
        Iterator& operator++() {
            ++at_;
            return *this;
        }
        Iterator operator++(int) { return {*view_, at_++}; }
        bool operator==(const Iterator& other) const { return at_ == other.at_; }

    private:
        const TokenView* view_ = nullptr;
        Index at_ = 0;
    };
    using iterator = Iterator;
    using const_iterator = Iterator;
    using value_type = std::string;
    Iterator begin() const { return {*this, 0}; }
    Iterator end() const { return {*this, size_}; }

    operator std::vector<std::string>() const { return {begin(), end()}; }
    bool operator==(const std::vector<std::string>& other) const {
        return std::equal(begin(), end(), other.begin(), other.end());
    }
    bool operator==(const TokenView& other) const {
        return std::equal(begin(), end(), other.begin(), other.end());
    }

private:
    Index length() const { return static_cast<Index>(own_->size()); }
    std::shared_ptr<const std::vector<std::string>> held_;
    const std::vector<std::string>* own_;
    const std::string* pad_;
    Index size_;
};

// All sequences of a batch; copies share the strings.
class TokenLabels {
public:
    TokenLabels() = default;
    TokenLabels(std::vector<TokenList> own, std::string pad, Index n)
        : held_(std::make_shared<const LabelData>(LabelData{std::move(own), std::move(pad), n})) {}
    TokenView operator[](Index b) const { return {held_->own[b], held_->pad, held_->n}; }
    TokenView at(Index b) const { return {held_->own.at(b), held_->pad, held_->n}; }
    // Returns all tokens; each pad token is a copy.
    std::vector<std::vector<std::string>> all() const {
        std::vector<std::vector<std::string>> lists;
        for (Index b = 0; held_ && b < std::ssize(held_->own); ++b) lists.push_back((*this)[b]);
        return lists;
    }
    bool operator==(const TokenLabels& other) const {
        return held_ == other.held_ || (held_ && other.held_ && *held_ == *other.held_);
    }

private:
    struct LabelData {
        std::vector<TokenList> own;
        std::string pad;
        Index n;
        bool operator==(const LabelData&) const = default;
    };
    std::shared_ptr<const LabelData> held_;
};

}  // namespace maskscope
