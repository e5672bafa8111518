// SPDX-License-Identifier: Apache-2.0
// 1. Keys are spread evenly by being hashes, so their top bits cut rows into small buckets; equal
//    rows share a bucket, however many they are.
// 2. Rows move last, once each, within the memory they lie in.
#include "rows/sort.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <numeric>
#include <vector>

#include "rows/key.h"
#include "rows/memory.h"

namespace protium {
namespace {

struct RowRef {
  uint64_t high;
  uint32_t row;
};

// Memory for `count` values of T, in large pages.
template <class T>
Result<std::span<T>> Room(RowMemory& memory, size_t count) {
  PT_TRY(memory.Reserve(int64_t(std::max<size_t>(count, 1) * sizeof(T))));
  return std::span<T>(reinterpret_cast<T*>(memory.data()), count);
}

// So many that a bucket fits the first cache, so few that writing to all of them stays fast.
int BucketBits(size_t rows) { return std::clamp(int(std::bit_width(rows)) - 9, 1, 12); }

void FillBuckets(std::span<const uint64_t> highs, std::span<RowRef> refs,
                 std::vector<size_t>& ends) {
  const int shift = 64 - BucketBits(highs.size());
  std::vector<size_t> next((size_t{1} << BucketBits(highs.size())) + 1);
  for (const uint64_t high : highs) ++next[(high >> shift) + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  for (size_t i = 0; i < highs.size(); ++i) {
    refs[next[highs[i] >> shift]++] = {.high = highs[i], .row = uint32_t(i)};
  }
  next.pop_back();
  ends = std::move(next);
}

// Orders rows whose keys agree in their high halves.
void SortTied(std::span<RowRef> tied, const std::byte* rows, int64_t width) {
  const auto at = [&](const RowRef& ref) { return rows + ref.row * width; };
  // The high halves are equal: the low ones take their place for a while.
  const uint64_t high = tied[0].high;
  for (RowRef& ref : tied) ref.high = KeyOf(at(ref), width).low;
  std::sort(tied.begin(), tied.end(),
            [](const RowRef& a, const RowRef& b) { return a.high < b.high; });
  for (size_t begin = 0, end = 0; begin < tied.size(); begin = end) {
    bool equal = true;
    for (end = begin; end < tied.size() && tied[end].high == tied[begin].high; ++end) {
      equal = equal && std::memcmp(at(tied[begin]), at(tied[end]), size_t(width)) == 0;
    }
    if (equal) continue;
    std::sort(tied.begin() + int64_t(begin), tied.begin() + int64_t(end),
              [&](const RowRef& a, const RowRef& b) {
                return std::memcmp(at(a), at(b), size_t(width)) < 0;
              });
  }
  for (RowRef& ref : tied) ref.high = high;
}

void SortBucket(std::span<RowRef> bucket, const std::byte* rows, int64_t width) {
  std::sort(bucket.begin(), bucket.end(),
            [](const RowRef& a, const RowRef& b) { return a.high < b.high; });
  for (size_t begin = 0, end = 0; begin < bucket.size(); begin = end) {
    end = begin + 1;
    while (end < bucket.size() && bucket[end].high == bucket[begin].high) ++end;
    if (end - begin > 1) SortTied(bucket.subspan(begin, end - begin), rows, width);
  }
}

// Gives which row belongs in each place.
Result<std::span<uint32_t>> FindOrder(std::span<const std::byte> rows, int64_t width,
                                      RowMemory& order_memory) {
  const size_t count = rows.size() / size_t(width);
  RowMemory refs_memory;
  PT_LET(const std::span<RowRef> refs, Room<RowRef>(refs_memory, count));
  std::vector<size_t> ends;
  {
    RowMemory highs_memory;
    PT_LET(const std::span<uint64_t> highs, Room<uint64_t>(highs_memory, count));
    HighKeys(rows.data(), width, highs);
    FillBuckets(highs, refs, ends);
  }
  PT_LET(const std::span<uint32_t> order, Room<uint32_t>(order_memory, count));
  size_t begin = 0;
  for (const size_t end : ends) {
    SortBucket(refs.subspan(begin, end - begin), rows.data(), width);
    for (; begin < end; ++begin) order[begin] = refs[begin].row;
  }
  return order;
}

// Brings row order[i] to place i, for all i. Several walkers follow the permutation at once, so
// that memory answers them side by side: each fills the place it stands at with the row that
// belongs there and goes on to the place that row left. Where a walker starts, the row is put aside
// for whoever comes to need it.
class Mover {
 public:
  Mover(std::byte* rows, int64_t width, std::span<const uint32_t> order)
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
    uint32_t to = 0;    // The place to fill; its own row has left.
    uint32_t from = 0;  // Where the row lies that belongs there.
  };
  struct Aside {
    uint32_t place = kFree;
    std::vector<std::byte> row;
  };

  std::byte* Row(uint32_t place) const { return rows_ + place * width_; }
  bool HasLeft(uint32_t place) const { return (left_[place / 64] >> (place % 64) & 1) != 0; }
  void Leave(uint32_t place) { left_[place / 64] |= uint64_t{1} << (place % 64); }
  Aside& AsideOf(uint32_t place) {
    return *std::find_if(aside_.begin(), aside_.end(),
                         [&](const Aside& aside) { return aside.place == place; });
  }

  void Face(Walker& walker, uint32_t place) {
    constexpr int64_t kLine = 64;
    walker = {.to = place, .from = order_[place]};
    __builtin_prefetch(&order_[walker.from]);
    for (int64_t at = 0; at < width_; at += kLine) __builtin_prefetch(Row(walker.from) + at, 1);
  }

  // Gives false when every row is where it belongs or on its way there.
  bool Start(Walker& walker) {
    while (next_ < order_.size() && (HasLeft(next_) || order_[next_] == next_)) ++next_;
    if (next_ == order_.size()) return false;
    Aside& aside = AsideOf(kFree);
    aside.place = next_;
    std::memcpy(aside.row.data(), Row(next_), size_t(width_));
    Leave(next_);
    Face(walker, next_);
    return true;
  }

  bool Step(Walker& walker) {
    // Only one place ever asks for a row: when it has left already, it was put aside.
    if (HasLeft(walker.from)) {
      Aside& aside = AsideOf(walker.from);
      std::memcpy(Row(walker.to), aside.row.data(), size_t(width_));
      aside.place = kFree;
      return Start(walker);
    }
    std::memcpy(Row(walker.to), Row(walker.from), size_t(width_));
    Leave(walker.from);
    Face(walker, walker.from);
    return true;
  }

  std::byte* rows_;
  int64_t width_;
  std::span<const uint32_t> order_;
  std::vector<uint64_t> left_;  // A bit for each place whose row has left.
  std::array<Aside, kWalkers> aside_;
  uint32_t next_ = 0;
};

}  // namespace

Status SortRows(std::span<std::byte> rows, int64_t width) {
  RowMemory order_memory;
  PT_LET(const std::span<uint32_t> order, FindOrder(rows, width, order_memory));
  Mover(rows.data(), width, order).Run();
  return Status::OK();
}

}  // namespace protium
