// SPDX-License-Identifier: Apache-2.0
// 1. Owners take their shards in pieces, all in the same piece at a time. For each, every rank
//    opens a window on those of its sorted rows that others own, and leaves its own rows where they
//    are; an owner merges its range of every rank's rows, in order. Rows that fit memory are one
//    piece.
// 2. After each of several parts of the merge, ranks notify each other how far they have read, and
//    each returns the pages that nobody will read again. So only about a sixteenth of the rows
//    exists twice.
// 3. All ranks, including those that own nothing, go through the same pieces and rounds, which are
//    collective.
#include "rows/exchange.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "base/copy.h"
#include "base/fault.h"
#include "rows/row_merge.h"

namespace protium {
namespace {

constexpr int64_t kRounds = 16;  // For all pieces together, at least.
// Bytes written to the own window at a time.
constexpr int64_t kCopyBytes = int64_t{8} << 20;

// Where the rows of one piece lie in the windows of all ranks. A rank's window does not contain its
// own rows, but those of all other owners, one after another.
class Windows {
 public:
  Windows(const Cuts& cuts, const std::vector<int32_t>& first, int64_t pieces, int64_t piece)
      : cuts_(cuts), first_(first), pieces_(pieces), piece_(piece) {}

  // Which of a rank's sorted rows belong to the owner.
  RowSpan RowsFor(size_t owner, size_t rank) const {
    const int64_t shards = first_[owner + 1] - first_[owner];
    const auto begin = size_t(first_[owner] * pieces_ + shards * piece_);
    return {cuts_[rank][begin], cuts_[rank][begin + size_t(shards)]};
  }
  // Where another owner's rows begin in the window of a rank.
  int64_t Begin(size_t owner, size_t rank) const {
    int64_t before = 0;
    for (size_t o = 0; o < owner; ++o) before += o == rank ? 0 : RowsFor(o, rank).size();
    return before;
  }
  int64_t Size(size_t rank) const { return Begin(cuts_.size(), rank); }

 private:
  const Cuts& cuts_;
  const std::vector<int32_t>& first_;
  int64_t pieces_;
  int64_t piece_;
};

// Returns the pages of the own window that owners have read. Each owner reads its range of a window
// from front to back, so what lies before its mark is never read again.
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
             .what = "rank " + std::to_string(r) + " reads rows of a different number of ranks"});
      }
      if (r == rank_) continue;
      int64_t rows = 0;
      std::memcpy(&rows, all[r].data() + rank_ * sizeof(rows), sizeof(rows));
      const int64_t end = rows * width_;
      // Waits until a whole page is read; `given_` is then at its end, so no page is skipped.
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
  std::vector<int64_t> given_;  // By owner: bytes of the window up to which pages are returned.
};

// Moves rows to a window.
Status MoveOut(RowStore& sorted, RowSpan range, std::byte* to) {
  const auto scan = sorted.Scan(range);
  for (int64_t at = range.begin; at < range.end;) {
    PT_LET(const auto rows, scan->Next(RowsIn(kCopyBytes, sorted.width())));
    CopyBytes(to, rows.data(), int64_t(rows.size()));
    to += rows.size();
    const int64_t end = at + int64_t(rows.size()) / sorted.width();
    sorted.Release({at, end});
    at = end;
  }
  return Status::OK();
}

// The state that all pieces of an exchange share.
class Exchange {
 public:
  Exchange(RowStore& sorted, const Cuts& cuts, const ExchangePlan& plan, Communicator& communicator)
      : sorted_(sorted),
        cuts_(cuts),
        plan_(plan),
        communicator_(communicator),
        rank_(size_t(communicator.rank())),
        ranks_(cuts.size()) {
    const auto begin = size_t(plan.first[rank_]), end = size_t(plan.first[rank_ + 1]);
    shard_rows_.resize(end - begin);
    for (const std::vector<int64_t>& of_rank : cuts) {
      for (size_t s = begin; s < end; ++s) shard_rows_[s - begin] += RowsOf(of_rank, s);
    }
  }

  Result<OwnedShards> Run() {
    OwnedShards out;
    out.identities.resize(shard_rows_.size());
    // From here on the budget is for the rows at their new owners.
    sorted_.Leave();
    out.store = MakeRowStore(
        {.width = sorted_.width(),
         .most_rows = std::accumulate(shard_rows_.begin(), shard_rows_.end(), int64_t{0}),
         .room = plan_.room,
         .visits = std::max(int32_t(shard_rows_.size()), 1)});
    for (int64_t piece = 0; piece < plan_.pieces; ++piece) {
      PT_TRY(RunPiece({cuts_, plan_.first, plan_.pieces, piece}, out));
    }
    return out;
  }

 private:
  int64_t RowsOf(const std::vector<int64_t>& cuts, size_t shard) const {
    const auto pieces = size_t(plan_.pieces);
    return cuts[(shard + 1) * pieces] - cuts[shard * pieces];
  }

  // Moves all rows of the piece to the window, except the own ones, which stay where they were
  // sorted.
  Status MoveOthers(const Windows& windows, std::span<std::byte> window) {
    // Those of owners before this rank come last: releasing the own rows later continues where they
    // end (see RowStore::Release()).
    for (size_t i = 1; i < ranks_; ++i) {
      const size_t owner = (rank_ + i) % ranks_;
      PT_TRY(MoveOut(sorted_, windows.RowsFor(owner, rank_),
                     window.data() + windows.Begin(owner, rank_) * sorted_.width()));
    }
    return Status::OK();
  }

  std::vector<RowSource> OpenSources(const Windows& windows, Window& window) const {
    std::vector<RowSource> sources;
    for (size_t r = 0; r < ranks_; ++r) {
      const RowSpan range = windows.RowsFor(rank_, r);
      if (r == rank_) {
        sources.emplace_back(sorted_, range);
      } else {
        const int64_t at = windows.Begin(rank_, r);
        sources.emplace_back(window, int32_t(r), RowSpan{at, at + range.size()}, sorted_.width());
      }
    }
    return sources;
  }

  // Collective.
  Status RunPiece(const Windows& windows, OwnedShards& out) {
    PT_LET(auto window, communicator_.MakeWindow(windows.Size(rank_) * sorted_.width()));
    PT_TRY(MoveOthers(windows, window->own()));
    // A window may be read only after a barrier that follows its filling.
    PT_TRY(communicator_.Barrier("rows are sorted"));
    RowMerge merge(OpenSources(windows, *window), shard_rows_, *out.store, out.identities);
    Giver giver(*window, windows, int32_t(rank_), int32_t(ranks_), sorted_.width());
    PT_TRY(merge.Start());
    RowSpan own = windows.RowsFor(rank_, rank_);
    const int64_t before = out.store->rows();
    int64_t rows = 0;
    for (size_t r = 0; r < ranks_; ++r) rows += windows.RowsFor(rank_, r).size();
    const int64_t rounds = (kRounds + plan_.pieces - 1) / plan_.pieces;
    for (int64_t round = 1; round <= rounds; ++round) {
      PT_TRY(merge.RunUntil(before + rows * round / rounds));
      const std::vector<int64_t> read = merge.Read();
      sorted_.Release({own.begin, read[rank_]});
      own.begin = read[rank_];
      PT_TRY(giver.Give(read, communicator_));
    }
    return Status::OK();
  }

  RowStore& sorted_;
  const Cuts& cuts_;
  const ExchangePlan& plan_;
  Communicator& communicator_;
  size_t rank_;
  size_t ranks_;
  std::vector<int64_t> shard_rows_;
};

}  // namespace

Result<OwnedShards> ExchangeRows(std::unique_ptr<RowStore> sorted, const Cuts& cuts,
                                 const ExchangePlan& plan, Communicator& communicator) {
  return Exchange(*sorted, cuts, plan, communicator).Run();
}

}  // namespace protium
