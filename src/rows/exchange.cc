// SPDX-License-Identifier: Apache-2.0
// 1. Every rank opens a window on those of its sorted rows that others own, and keeps its own ones
//    where they are; an owner merges its range of every rank's rows, in order.
// 2. The merge stops kRounds times to give back the pages of rows that were read.
#include "rows/exchange.h"

#include <algorithm>
#include <cstring>

#include "base/fault.h"
#include "rows/key.h"

namespace protium {
namespace {

constexpr int64_t kRounds = 16;
constexpr int64_t kBlockBytes = 256 << 10;
constexpr int64_t kCopyBytes = int64_t{8} << 20;

// At least one row, whatever its width.
int64_t RowsIn(int64_t bytes, int64_t width) { return std::max<int64_t>(bytes / width, 1); }

// Where rows lie in the windows of all ranks: a rank's own rows are not in its window, and those
// behind them move up.
class Windows {
 public:
  Windows(const Cuts& cuts, const std::vector<int32_t>& first) : cuts_(cuts), first_(first) {}

  int64_t RowsFor(size_t owner, size_t rank) const {
    return cuts_[rank][size_t(first_[owner + 1])] - cuts_[rank][size_t(first_[owner])];
  }
  // Where another owner's rows begin in the window of a rank.
  int64_t Begin(size_t owner, size_t rank) const {
    const int64_t before = cuts_[rank][size_t(first_[owner])];
    return owner < rank ? before : before - Kept(rank);
  }

 private:
  int64_t Kept(size_t rank) const { return RowsFor(rank, rank); }

  const Cuts& cuts_;
  const std::vector<int32_t>& first_;
};

// One rank's rows for this owner, read in order, a block at a time.
class Source {
 public:
  // The own rows, where they were sorted.
  Source(const RowStore& store, RowRange range)
      : width_(store.width()), next_(range.begin), end_(range.end), scan_(store.Scan(range)) {}
  // Those of another rank, from its window.
  Source(Window& window, int32_t rank, RowRange range, int64_t width)
      : width_(width),
        next_(range.begin),
        end_(range.end),
        window_(&window),
        direct_(window.Direct(rank)),
        rank_(rank) {}

  // Makes row() the next one, unless done().
  Status Load() {
    if (done()) return Status::OK();
    if (next_ >= block_end_) PT_TRY(LoadBlock());
    key_ = HashRow(row_, width_);
    return Status::OK();
  }
  void Step() {
    ++next_;
    row_ += width_;
  }

  bool done() const { return next_ == end_; }
  int64_t next() const { return next_; }
  const std::byte* row() const { return row_; }
  const RowKey& key() const { return key_; }

 private:
  Status LoadBlock() {
    const int64_t most = std::min(RowsIn(kBlockBytes, width_), end_ - next_);
    if (scan_ != nullptr) {
      PT_LET(const auto rows, scan_->Next(most));
      PT_CHECK(!rows.empty());
      row_ = rows.data();
      block_end_ = next_ + int64_t(rows.size()) / width_;
      return Status::OK();
    }
    block_end_ = next_ + most;
    if (direct_ != nullptr) {
      row_ = direct_ + next_ * width_;
      return Status::OK();
    }
    block_.resize(size_t(most * width_));
    row_ = block_.data();
    return window_->Read(rank_, next_ * width_, block_);
  }

  int64_t width_;
  int64_t next_;
  int64_t end_;
  std::unique_ptr<RowScan> scan_;      // Of the own rows.
  Window* window_ = nullptr;           // Of other ranks' ones,
  const std::byte* direct_ = nullptr;  // and where it lies, if this process can see it.
  int32_t rank_ = 0;
  std::vector<std::byte> block_;
  int64_t block_end_ = -1;
  const std::byte* row_ = nullptr;
  RowKey key_;
};

// Merges all sources into the shards of one owner.
class Merge {
 public:
  Merge(std::vector<Source> sources, std::vector<int64_t> shard_rows, OwnedShards& out)
      : sources_(std::move(sources)), shard_rows_(std::move(shard_rows)), out_(out) {
    out_.identities.resize(shard_rows_.size());
  }

  Status Start() {
    for (Source& source : sources_) PT_TRY(source.Load());
    return Status::OK();
  }

  Status RunUntil(int64_t rows) {
    RowStore& store = *out_.store;
    while (store.rows() < rows) {
      const int64_t block = std::min(RowsIn(kBlockBytes, store.width()), rows - store.rows());
      PT_LET(std::byte * room, store.Room(block));
      for (int64_t i = 0; i < block; ++i) {
        PT_TRY(MoveLeast(room + i * store.width(), store.width()));
      }
      PT_TRY(store.Add(block));
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
  Status MoveLeast(std::byte* to, int64_t width) {
    Source* least = nullptr;
    for (Source& source : sources_) {
      if (source.done()) continue;
      if (least == nullptr ||
          CompareRows(source.key(), source.row(), least->key(), least->row(), width) < 0) {
        least = &source;
      }
    }
    PT_CHECK(least != nullptr);
    std::memcpy(to, least->row(), size_t(width));
    while (out_.identities[shard_].rows == shard_rows_[shard_]) ++shard_;
    AddKey(least->key(), out_.identities[shard_]);
    least->Step();
    return least->Load();
  }

  std::vector<Source> sources_;
  std::vector<int64_t> shard_rows_;
  OwnedShards& out_;
  size_t shard_ = 0;
};

// Gives back the pages of the own window that owners have read. Each owner reads its range of a
// window from front to back, so what lies before its mark is never read again.
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
      if (all[r].size() != bytes) {
        return Fail(
            {.exit = Exit::kBug,
             .what = "rank " + std::to_string(r) + " reads rows of another number of ranks"});
      }
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

// Moves rows to a window.
Status MoveOut(RowStore& sorted, RowRange range, std::byte* to) {
  const auto scan = sorted.Scan(range);
  for (int64_t at = range.begin; at < range.end;) {
    PT_LET(const auto rows, scan->Next(RowsIn(kCopyBytes, sorted.width())));
    std::memcpy(to, rows.data(), rows.size());
    to += rows.size();
    const int64_t end = at + int64_t(rows.size()) / sorted.width();
    sorted.Release({at, end});
    at = end;
  }
  return Status::OK();
}

// Moves all rows but the own ones, which stay where they were sorted, to the window.
Status MoveOthers(RowStore& sorted, RowRange own, std::span<std::byte> window) {
  PT_TRY(MoveOut(sorted, {own.end, sorted.rows()}, window.data() + own.begin * sorted.width()));
  return MoveOut(sorted, {0, own.begin}, window.data());
}

}  // namespace

Result<OwnedShards> ExchangeRows(std::unique_ptr<RowStore> sorted, const Cuts& cuts,
                                 const std::vector<int32_t>& first, Communicator& communicator) {
  const int64_t width = sorted->width();
  const auto rank = size_t(communicator.rank());
  const Windows windows(cuts, first);
  const auto begin = size_t(first[rank]), end = size_t(first[rank + 1]);
  RowRange own{cuts[rank][begin], cuts[rank][end]};
  PT_LET(auto window, communicator.MakeWindow((sorted->rows() - own.size()) * width));
  PT_TRY(MoveOthers(*sorted, own, window->own()));
  std::vector<Source> sources;
  std::vector<int64_t> shard_rows(end - begin);
  int64_t rows = 0;
  for (size_t r = 0; r < cuts.size(); ++r) {
    if (r == rank) {
      sources.emplace_back(*sorted, own);
    } else {
      const int64_t at = windows.Begin(rank, r);
      sources.emplace_back(*window, int32_t(r), RowRange{at, at + windows.RowsFor(rank, r)}, width);
    }
    for (size_t s = begin; s < end; ++s) shard_rows[s - begin] += cuts[r][s + 1] - cuts[r][s];
    rows += windows.RowsFor(rank, r);
  }
  OwnedShards out{.store = MakeRowStore({.width = width, .most_rows = rows})};
  PT_TRY(communicator.Barrier("rows are sorted"));
  Merge merge(std::move(sources), std::move(shard_rows), out);
  Giver giver(*window, windows, communicator.rank(), communicator.world(), width);
  PT_TRY(merge.Start());
  for (int64_t round = 1; round <= kRounds; ++round) {
    PT_TRY(merge.RunUntil(rows * round / kRounds));
    const std::vector<int64_t> read = merge.Read();
    sorted->Release({own.begin, read[rank]});
    own.begin = read[rank];
    PT_TRY(giver.Give(read, communicator));
  }
  return out;
}

}  // namespace protium
