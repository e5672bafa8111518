// SPDX-License-Identifier: Apache-2.0
// 1. Keys are hashes and so uniformly distributed: their top bits divide rows into small buckets.
//    Equal rows share a bucket, however many they are. Within a bucket the next 32 bits nearly
//    always decide.
// 2. Rows move last, once each, within their memory: there is no second copy of them.
#include "rows/sort.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <numeric>
#include <vector>

namespace protium {
namespace {

// A row in its bucket: the 32 bits of its key that follow the bucket's, then its number. Sorting
// these sorts by key as far as the bits reach, and moves 8 bytes per row instead of the row.
uint64_t MakeRef(uint64_t high, int bucket_bits, size_t row) {
  return (high << bucket_bits >> 32 << 32) | row;
}
uint32_t KeyBits(uint64_t ref) { return uint32_t(ref >> 32); }

// Many enough that a bucket fits the first cache, few enough that writing to all of them stays
// fast.
int BucketBits(size_t rows) { return std::clamp(int(std::bit_width(rows)) - 9, 1, 12); }

// Returns where each bucket ends.
std::vector<size_t> FillBuckets(std::span<const RowKey> keys, std::span<uint64_t> refs) {
  const int bits = BucketBits(keys.size());
  const int shift = 64 - bits;
  std::vector<size_t> next((size_t{1} << bits) + 1);
  for (const RowKey& key : keys) ++next[(key.high >> shift) + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  for (size_t i = 0; i < keys.size(); ++i) {
    refs[next[keys[i].high >> shift]++] = MakeRef(keys[i].high, bits, i);
  }
  next.pop_back();
  return next;
}

// Orders rows whose keys agree in the compared bits.
void SortTied(std::span<uint64_t> tied, std::span<const RowKey> keys, const std::byte* rows,
              int64_t width) {
  const auto key = [&](uint64_t ref) { return keys[uint32_t(ref)]; };
  const auto bytes = [&](uint64_t ref) { return rows + uint32_t(ref) * width; };
  // Copies of one row may be most of the data; comparing each with the first is linear, sorting
  // them is not.
  const bool same_row = std::ranges::all_of(tied, [&](uint64_t ref) {
    return key(ref) == key(tied[0]) && std::memcmp(bytes(ref), bytes(tied[0]), size_t(width)) == 0;
  });
  if (same_row) return;
  std::ranges::sort(tied, [&](uint64_t a, uint64_t b) {
    return CompareRows(key(a), bytes(a), key(b), bytes(b), width) < 0;
  });
}

void SortBucket(std::span<uint64_t> bucket, std::span<const RowKey> keys, const std::byte* rows,
                int64_t width) {
  std::ranges::sort(bucket);
  for (size_t begin = 0, end = 0; begin < bucket.size(); begin = end) {
    end = begin + 1;
    while (end < bucket.size() && KeyBits(bucket[end]) == KeyBits(bucket[begin])) ++end;
    if (end - begin > 1) SortTied(bucket.subspan(begin, end - begin), keys, rows, width);
  }
}

// Moves row order[i] to position i, for all i. Several walkers follow the permutation at once, so
// that memory accesses overlap: each fills its position with the row that belongs there and goes to
// the position that this row left. The row where a walker starts is put aside for the walker that
// will need it.
class Mover {
 public:
  Mover(std::byte* rows, int64_t width, const RowOrder& order)
      : rows_(rows), width_(width), order_(order), left_((order.size() + 63) / 64) {
    for (auto& aside : aside_) aside.row.resize(size_t(width));
  }

  void Run() {
    std::array<Walker, kWalkers> walkers;
    size_t walking = 0;
    while (walking < kWalkers && Start(walkers[walking])) ++walking;
    while (walking > 0) {
      for (size_t i = 0; i < walking;) {
        if (Step(walkers[i])) {
          ++i;
        } else {
          walkers[i] = walkers[--walking];
        }
      }
    }
  }

 private:
  static constexpr size_t kWalkers = 16;
  static constexpr uint32_t kFree = ~uint32_t{0};

  struct Walker {
    uint32_t to = 0;    // The position to fill; its own row has left.
    uint32_t from = 0;  // Where the row that belongs there is.
  };
  struct Aside {
    uint32_t position = kFree;
    std::vector<std::byte> row;
  };

  std::byte* Row(uint32_t position) const { return rows_ + position * width_; }
  bool HasLeft(uint32_t position) const {
    return (left_[position / 64] >> (position % 64) & 1) != 0;
  }
  void Leave(uint32_t position) { left_[position / 64] |= uint64_t{1} << (position % 64); }
  Aside& FindAside(uint32_t position) {
    return *std::find_if(aside_.begin(), aside_.end(),
                         [&](const Aside& aside) { return aside.position == position; });
  }

  void PrefetchRow(Walker& walker, uint32_t position) {
    constexpr int64_t kLine = 64;
    walker = {.to = position, .from = order_[position]};
    order_.Prefetch(walker.from);
    for (int64_t at = 0; at < width_; at += kLine) __builtin_prefetch(Row(walker.from) + at, 1);
  }

  // Returns false when every row is where it belongs or on its way there.
  bool Start(Walker& walker) {
    while (next_ < order_.size() && (HasLeft(next_) || order_[next_] == next_)) ++next_;
    if (next_ == order_.size()) return false;
    Aside& aside = FindAside(kFree);
    aside.position = next_;
    std::memcpy(aside.row.data(), Row(next_), size_t(width_));
    Leave(next_);
    PrefetchRow(walker, next_);
    return true;
  }

  bool Step(Walker& walker) {
    // Each row belongs to only one position: if it has left already, it was put aside where some
    // walker started, and this walker's cycle is closed.
    if (HasLeft(walker.from)) {
      Aside& aside = FindAside(walker.from);
      std::memcpy(Row(walker.to), aside.row.data(), size_t(width_));
      aside.position = kFree;
      return Start(walker);
    }
    std::memcpy(Row(walker.to), Row(walker.from), size_t(width_));
    Leave(walker.from);
    PrefetchRow(walker, walker.from);
    return true;
  }

  std::byte* rows_;
  int64_t width_;
  const RowOrder& order_;
  std::vector<uint64_t> left_;  // A bit for each position whose row has left.
  std::array<Aside, kWalkers> aside_;
  uint32_t next_ = 0;
};

}  // namespace

Result<RowOrder> RowOrder::Find(std::span<const std::byte> rows, int64_t width,
                                std::span<const RowKey> keys) {
  RowOrder order;
  PT_TRY(order.memory_.Reserve(int64_t(std::max<size_t>(keys.size_bytes() / 2, 1))));
  order.refs_ = order.memory_.As<uint64_t>(int64_t(keys.size()));
  size_t begin = 0;
  for (const size_t end : FillBuckets(keys, order.refs_)) {
    SortBucket(order.refs_.subspan(begin, end - begin), keys, rows.data(), width);
    begin = end;
  }
  return order;
}

void MoveRows(std::span<std::byte> rows, int64_t width, const RowOrder& order) {
  Mover(rows.data(), width, order).Run();
}

}  // namespace protium
