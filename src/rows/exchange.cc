// SPDX-License-Identifier: Apache-2.0
// 1. Every rank opens a window on those of its sorted rows that others own, and keeps its own ones
//    where they are; an owner merges its range of every rank's rows, in order.
// 2. The merge stops kRounds times to give back the pages of rows that were read.
#include "rows/exchange.h"

#include <algorithm>
#include <cstring>

#include "rows/key.h"

namespace protium {
namespace {

constexpr int64_t kRounds = 16;
constexpr int64_t kBlockBytes = 256 << 10;
constexpr int64_t kCopyBytes = int64_t{8} << 20;

// Where rows lie in the windows of all ranks: a rank's own rows are not in its window, and those
// behind them move up.
class Windows {
 public:
  Windows(const Cuts& cuts, const std::vector<int32_t>& first) : cuts_(cuts), first_(first) {}

  int64_t Kept(size_t rank) const { return RowsFor(rank, rank); }
  int64_t RowsFor(size_t owner, size_t rank) const {
    return cuts_[rank][size_t(first_[owner + 1])] - cuts_[rank][size_t(first_[owner])];
  }
  // Where another owner's rows begin in the window of a rank.
  int64_t Begin(size_t owner, size_t rank) const {
    const int64_t before = cuts_[rank][size_t(first_[owner])];
    return owner < rank ? before : before - Kept(rank);
  }

 private:
  const Cuts& cuts_;
  const std::vector<int32_t>& first_;
};

// One rank's rows for this owner, read in order: those of another rank from its window, the own
// ones (`direct`) from where they were sorted.
class Source {
 public:
  Source(Window& window, int32_t rank, int64_t begin, int64_t rows, int64_t width,
         const std::byte* direct)
      : window_(&window),
        rank_(rank),
        width_(width),
        next_(begin),
        end_(begin + rows),
        direct_(direct),
        block_rows_(std::max<int64_t>(kBlockBytes / width, 1)) {}

  // Makes row() the next one, unless done().
  Status Load() {
    if (done()) return Status::OK();
    if (direct_ != nullptr) {
      row_ = direct_ + next_ * width_;
    } else {
      PT_TRY(LoadFromBlock());
    }
    key_ = KeyOf(row_, width_);
    return Status::OK();
  }
  void Step() { ++next_; }

  bool done() const { return next_ == end_; }
  int64_t next() const { return next_; }
  const std::byte* row() const { return row_; }
  const RowKey& key() const { return key_; }

 private:
  Status LoadFromBlock() {
    if (next_ >= block_end_) {
      block_begin_ = next_;
      block_end_ = std::min(next_ + block_rows_, end_);
      block_.resize(size_t((block_end_ - block_begin_) * width_));
      PT_TRY(window_->Read(rank_, block_begin_ * width_, block_));
    }
    row_ = block_.data() + (next_ - block_begin_) * width_;
    return Status::OK();
  }

  Window* window_;
  int32_t rank_;
  int64_t width_;
  int64_t next_;
  int64_t end_;
  const std::byte* direct_;
  int64_t block_rows_;
  std::vector<std::byte> block_;
  int64_t block_begin_ = 0;
  int64_t block_end_ = 0;
  const std::byte* row_ = nullptr;
  RowKey key_;
};

// Merges all sources into the shards of one owner.
class Merge {
 public:
  Merge(std::vector<Source> sources, std::vector<int64_t> shard_rows, int64_t width,
        OwnedShards& out)
      : sources_(std::move(sources)), shard_rows_(std::move(shard_rows)), width_(width), out_(out) {
    out_.identities.resize(shard_rows_.size());
  }

  Status Start() {
    for (Source& source : sources_) PT_TRY(source.Load());
    return Status::OK();
  }

  Status RunUntil(int64_t rows) {
    for (; written_ < rows; ++written_) {
      Source* least = nullptr;
      for (Source& source : sources_) {
        if (source.done()) continue;
        if (least == nullptr ||
            CompareRows(source.key(), source.row(), least->key(), least->row(), width_) < 0) {
          least = &source;
        }
      }
      PT_CHECK(least != nullptr);
      std::memcpy(out_.memory.data() + written_ * width_, least->row(), size_t(width_));
      while (out_.identities[shard_].rows == shard_rows_[shard_]) ++shard_;
      AddKey(least->key(), out_.identities[shard_]);
      least->Step();
      PT_TRY(least->Load());
    }
    return Status::OK();
  }

  // How far each rank's rows were read, as its source counts them.
  std::vector<int64_t> Read() const {
    std::vector<int64_t> read;
    for (const Source& source : sources_) read.push_back(source.next());
    return read;
  }

 private:
  std::vector<Source> sources_;
  std::vector<int64_t> shard_rows_;
  int64_t width_;
  OwnedShards& out_;
  int64_t written_ = 0;
  size_t shard_ = 0;
};

// Gives back the pages of the own window that owners have read.
class Giver {
 public:
  Giver(Window& window, const Windows& windows, int32_t rank, int32_t world, int64_t width)
      : window_(window), rank_(size_t(rank)), width_(width) {
    for (size_t r = 0; r < size_t(world); ++r) given_.push_back(windows.Begin(r, rank_) * width);
  }

  // Collective. `read` is how far this rank read each window.
  Status Give(const std::vector<int64_t>& read, Communicator& communicator) {
    const size_t bytes = read.size() * sizeof(int64_t);
    PT_LET(const auto all,
           communicator.AllGather({reinterpret_cast<const char*>(read.data()), bytes}));
    constexpr int64_t kPage = 4096;
    for (size_t r = 0; r < all.size(); ++r) {
      if (all[r].size() != bytes) return Status::Invalid("rank ", r, " tells of another world");
      if (r == rank_) continue;
      int64_t rows = 0;
      std::memcpy(&rows, all[r].data() + rank_ * sizeof(rows), sizeof(rows));
      const int64_t end = rows * width_;
      if (end - given_[r] < kPage) continue;
      window_.Release(given_[r], end - given_[r]);
      given_[r] = end / kPage * kPage;
    }
    return Status::OK();
  }

 private:
  Window& window_;
  size_t rank_;
  int64_t width_;
  std::vector<int64_t> given_;  // By owner: bytes of the window up to which pages are given back.
};

// Moves bytes [begin, end) of the rows to a window.
void MoveOut(RowMemory& sorted, int64_t begin, int64_t end, std::byte* to) {
  int64_t released = begin;
  for (int64_t at = begin; at < end; at += kCopyBytes, to += kCopyBytes) {
    const int64_t part = std::min(end - at, kCopyBytes);
    std::memcpy(to, sorted.data() + at, size_t(part));
    released = sorted.Release(released, at + part);
  }
}

// The rows that the rank owns, where they were sorted; all others move to its window.
struct Staying {
  RowMemory memory;
  int64_t begin = 0;  // In bytes, as is `end`.
  int64_t end = 0;

  void MoveOthers(std::span<std::byte> window) {
    const auto behind = int64_t(window.size()) - begin;
    MoveOut(memory, end, end + behind, window.data() + begin);
    MoveOut(memory, 0, begin, window.data());
  }
};

}  // namespace

Result<OwnedShards> ExchangeRows(RowMemory sorted, int64_t width, const Cuts& cuts,
                                 const std::vector<int32_t>& first, Communicator& communicator) {
  const auto rank = size_t(communicator.rank());
  const Windows windows(cuts, first);
  const auto begin = size_t(first[rank]), end = size_t(first[rank + 1]);
  Staying own{std::move(sorted), cuts[rank][begin] * width, cuts[rank][end] * width};
  PT_LET(auto window, communicator.MakeWindow((cuts[rank].back() - windows.Kept(rank)) * width));
  own.MoveOthers(window->own());
  std::vector<Source> sources;
  std::vector<int64_t> shard_rows(end - begin);
  int64_t rows = 0;
  for (size_t r = 0; r < cuts.size(); ++r) {
    const bool kept = r == rank;
    sources.emplace_back(*window, int32_t(r), kept ? cuts[r][begin] : windows.Begin(rank, r),
                         windows.RowsFor(rank, r), width,
                         kept ? own.memory.data() : window->Direct(int32_t(r)));
    for (size_t s = begin; s < end; ++s) shard_rows[s - begin] += cuts[r][s + 1] - cuts[r][s];
    rows += windows.RowsFor(rank, r);
  }
  OwnedShards out;
  PT_TRY(out.memory.Reserve(std::max<int64_t>(rows * width, 1)));
  PT_TRY(communicator.Barrier("rows are sorted"));
  Merge merge(std::move(sources), std::move(shard_rows), width, out);
  Giver giver(*window, windows, communicator.rank(), communicator.world(), width);
  PT_TRY(merge.Start());
  for (int64_t round = 1; round <= kRounds; ++round) {
    PT_TRY(merge.RunUntil(rows * round / kRounds));
    const std::vector<int64_t> read = merge.Read();
    own.begin = own.memory.Release(own.begin, read[rank] * width);
    PT_TRY(giver.Give(read, communicator));
  }
  return out;
}

}  // namespace protium
