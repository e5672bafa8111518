// SPDX-License-Identifier: Apache-2.0
// 1. Keys are spread evenly by being hashes, so their top bits cut rows into small buckets; equal
//    rows share a bucket, however many they are.
// 2. Rows move last, once each, along the cycles of the permutation that sorts them.
#include "rows/sort.h"

#include <algorithm>
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

// Brings row order[i] to place i. A place that is done points at itself.
void MoveRows(std::byte* rows, int64_t width, std::span<uint32_t> order) {
  constexpr int kAhead = 12;
  constexpr int64_t kLine = 64;
  const auto row = [&](size_t i) { return rows + int64_t(i) * width; };
  std::vector<std::byte> held(static_cast<size_t>(width));
  for (size_t start = 0; start < order.size(); ++start) {
    if (order[start] == start) continue;
    std::memcpy(held.data(), row(start), size_t(width));
    size_t ahead = start;
    for (int i = 0; i < kAhead; ++i) ahead = order[ahead];
    size_t to = start;
    for (size_t from = order[to]; from != start; from = order[to]) {
      ahead = order[ahead];
      for (int64_t at = 0; at < width; at += kLine) __builtin_prefetch(row(ahead) + at, 1);
      std::memcpy(row(to), row(from), size_t(width));
      order[to] = uint32_t(to);
      to = from;
    }
    std::memcpy(row(to), held.data(), size_t(width));
    order[to] = uint32_t(to);
  }
}

}  // namespace

Status SortRows(std::span<std::byte> rows, int64_t width) {
  RowMemory order_memory;
  PT_LET(const std::span<uint32_t> order, FindOrder(rows, width, order_memory));
  MoveRows(rows.data(), width, order);
  return Status::OK();
}

}  // namespace protium
