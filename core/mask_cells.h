#pragma once
// Which keys each query may see, as a result keeps it.

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace maskscope {

// Cells that stay on the GPU until somebody reads them, row-major.
class RemoteCells {
public:
    virtual ~RemoteCells() = default;
    // Copies cells.size() of them, 1 where allowed, from the one at `first` on. Threads and errors
    // as RemoteNumbers.
    virtual void read(std::size_t first, std::span<std::uint8_t> cells) const = 0;
};

// [b, h, n_q, n_k], row-major, 1 where allowed; the shape stands beside it.
class MaskCells {
public:
    MaskCells() = default;
    MaskCells(std::vector<std::uint8_t> cells) : here_(std::move(cells)) {}
    MaskCells(std::initializer_list<std::uint8_t> cells) : here_(cells) {}
    // `size` cells on the GPU, in rows of `columns`.
    MaskCells(std::size_t size, std::size_t columns, std::shared_ptr<const RemoteCells> remote);

    std::size_t size() const { return remote_ ? size_ : here_.size(); }
    bool operator[](std::size_t place) const { return remote_ ? fetch(place) : here_[place] != 0; }
    // All of them, read once.
    const std::vector<std::uint8_t>& all() const;
    std::vector<std::uint8_t> some(std::size_t first, std::size_t count) const;  // a copy
    // To be filled, while it is being made; only where the cells are here.
    std::vector<std::uint8_t>& here() { return here_; }
    // nullptr where the cells are here.
    const std::shared_ptr<const RemoteCells>& remote() const { return remote_; }

private:
    struct Fetched;  // what was read of `remote`
    bool fetch(std::size_t place) const;
    std::vector<std::uint8_t> here_;
    std::size_t size_ = 0, columns_ = 1;
    std::shared_ptr<const RemoteCells> remote_;
    std::shared_ptr<Fetched> fetched_;
};

}  // namespace maskscope
