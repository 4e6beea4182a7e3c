#pragma once
// Results of any length: above a limit no stage is kept, and rows are computed when they are read.

#include <compare>
#include <list>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "core/base/shape.h"
#include "core/compute/backend.h"
#include "core/result/request.h"

namespace maskscope {

// Half a GB of float32; larger results are computed when they are read. Measured: up to here an
// edit of a kept result shows sooner; above, memory that is touched for the first time costs more
// than everything else.
inline constexpr double most_numbers_kept = double(Index{1} << 27);

// A wrapper of another backend. The stages, mask and statistics of a result with more numbers than
// `most_kept` are the same, to the bit, but read through ComputedRows. Results of models and of
// requests for some rows are always kept.
class LargeBackend : public Backend {
public:
    // of: not null. It computes rows in whichever thread reads them, and lives as long as the
    // results.
    explicit LargeBackend(std::shared_ptr<Backend> of, double most_kept = most_numbers_kept);
    // Wraps a CpuBackend.
    explicit LargeBackend(int threads = 0, double most_kept = most_numbers_kept);
    std::string name() const override { return of_->name(); }

private:
    Result compute_scene(const Scene& scene, const Request& request, const Result* before,
                         Progress& progress) override;
    std::shared_ptr<Backend> of_;
    double most_kept_;
};

// --- one variant of a large result

class Backend;

// A cache of the blocks that were read last, up to a number of bytes. May be used from any thread.
template <class Key, class Block>
class BlockCache {
public:
    explicit BlockCache(std::size_t most_bytes) : most_bytes_(most_bytes) {}

    // Returns the block; nullptr if it is not cached.
    std::shared_ptr<const Block> find(const Key& key) {
        const std::lock_guard lock(mutex_);
        for (auto entry = entries_.begin(); entry != entries_.end(); ++entry)
            if (entry->key == key) {
                entries_.splice(entries_.begin(), entries_, entry);
                return entry->block;
            }
        return nullptr;
    }
    // Keeps a block, even if it alone exceeds the limit, and drops others that were read longest
    // ago.
    void keep(Key key, std::shared_ptr<const Block> block, std::size_t bytes) {
        const std::lock_guard lock(mutex_);
        entries_.push_front({std::move(key), std::move(block), bytes});
        bytes_ += bytes;
        while (bytes_ > most_bytes_ && entries_.size() > 1) {
            bytes_ -= entries_.back().bytes;
            entries_.pop_back();
        }
    }
    std::size_t bytes() const {
        const std::lock_guard lock(mutex_);
        return bytes_;
    }

private:
    struct Entry {
        Key key;
        std::shared_ptr<const Block> block;
        std::size_t bytes = 0;
    };
    mutable std::mutex mutex_;
    std::list<Entry> entries_;  // the most recently read one first
    std::size_t most_bytes_, bytes_ = 0;
};

// The rows of one variant, computed in blocks, of which the last read ones are kept.
class LargeVariant : public ComputedRows {
public:
    // Stands for all heads, for the output `projected`.
    static constexpr Index all_heads = -1;

    // of: the scene and its inputs, without the results of its variants; not null.
    LargeVariant(std::shared_ptr<Backend> backend, std::shared_ptr<const Result> of, int variant,
                 std::bitset<stage_count> stages);

    RowFigures figures(Index b, Index h, Index i) const override;
    std::optional<RowFigures> known_figures(Index b, Index h, Index i) const override;
    VariantResult block(Index b, Index h, Rows rows, const std::bitset<stage_count>& stages,
                        Progress& progress) const override;

    // The block that holds row i of a head (numbered across all sequences, or all_heads), and the
    // index of that row in the block.
    struct Place {
        std::shared_ptr<const VariantResult> block;
        Index row = 0;
    };
    Place at(Index head, Index i) const;

    const Shape& shape() const { return shape_; }
    const Scene& scene() const { return of_->scene; }
    int variant() const { return variant_; }
    const std::bitset<stage_count>& stages() const { return stages_; }

private:
    struct Key {
        Index head = 0, first = 0;
        bool operator==(const Key&) const = default;
    };
    VariantResult compute(Index head, Rows rows, const std::bitset<stage_count>& stages,
                          Progress& progress) const;
    void note(Index head, Rows rows, const VariantResult& block) const;

    std::shared_ptr<Backend> backend_;
    std::shared_ptr<const Result> of_;
    int variant_;
    std::bitset<stage_count> stages_;
    Shape shape_;
    mutable BlockCache<Key, VariantResult> blocks_;
    // The statistics of rows that were computed.
    mutable std::mutex mutex_;
    mutable std::vector<LargeArray<RowFigures>> rows_;  // [b, h] of [n_q], or of none yet
    mutable std::vector<bool> known_;                   // [b, h, n_q]
};

}  // namespace maskscope
