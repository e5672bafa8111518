// SPDX-License-Identifier: Apache-2.0
#include "rows/memory_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "base/fault.h"
#include "rows/sort.h"

namespace protium {
namespace {

// The index that sorts rows has 32 bits.
constexpr int64_t kMostSorted = (int64_t{1} << 32) - 1;

// Makes room for `rows` of `width` bytes. Moving large pages splits them, so the first reservation
// is for the `most` rows there may ever be, if that is known and the system allows it; otherwise
// memory doubles.
Status GrowTo(int64_t rows, int64_t most, int64_t width, RowMemory& memory) {
  if (rows * width <= memory.capacity()) return Status::OK();
  if (memory.capacity() == 0 && rows <= most && memory.Reserve(most * width).ok())
    return Status::OK();
  return memory.Reserve(std::max(rows * width, 2 * memory.capacity()));
}

// Adds up the keys of rows in their order, up to each of `ends`.
std::vector<ShardIdentity> AddUpKeys(std::span<const RowKey> keys, const RowOrder& order,
                                     std::span<const int64_t> ends) {
  constexpr size_t kAhead = 32;  // Keys are prefetched this early, since they lie anywhere.
  std::vector<ShardIdentity> identities(ends.size());
  size_t i = 0;
  for (size_t s = 0; s < ends.size(); ++s) {
    for (; i < size_t(ends[s]); ++i) {
      if (i + kAhead < order.size()) __builtin_prefetch(&keys[order[i + kAhead]]);
      AddKey(keys[order[i]], identities[s]);
    }
  }
  return identities;
}

class MemoryScan final : public RowScan {
 public:
  MemoryScan(std::span<const std::byte> rows, int64_t width) : rest_(rows), width_(width) {}

  Result<std::span<const std::byte>> Next(int64_t most) override {
    const auto taken = rest_.first(std::min(rest_.size(), size_t(most * width_)));
    rest_ = rest_.subspan(taken.size());
    return taken;
  }

 private:
  std::span<const std::byte> rest_;
  int64_t width_;
};

// Copies the rows at `positions` of the order to `out`, one after another.
void GatherRows(const std::byte* rows, int64_t width, const Permutation& order, Positions positions,
                std::byte* out) {
  // Rows are prefetched this many visits ahead, so that memory accesses overlap: otherwise a visit
  // in random order is limited by the latency of memory.
  constexpr int64_t kAhead = 24;
  constexpr int64_t kLine = 64;
  std::array<const std::byte*, kAhead> ring;
  const auto ask = [&](int64_t position) {
    const std::byte* row = rows + order.At(position) * width;
    for (int64_t at = 0; at < width; at += kLine) __builtin_prefetch(row + at);
    __builtin_prefetch(row + width - 1);
    ring[size_t(position % kAhead)] = row;
  };
  const int64_t first = std::min(positions.begin + kAhead, positions.end);
  for (int64_t p = positions.begin; p < first; ++p) ask(p);
  for (int64_t p = positions.begin; p < positions.end; ++p, out += width) {
    std::memcpy(out, ring[size_t(p % kAhead)], size_t(width));
    if (p + kAhead < positions.end) ask(p + kAhead);
  }
}

class MemoryVisit final : public RowVisit {
 public:
  MemoryVisit(std::span<const std::byte> rows, int64_t width, const Permutation& order)
      : rows_(rows.data()), width_(width), order_(order) {}

  Status Next(int64_t rows, std::byte* out) override {
    PT_CHECK(rows <= order_.rows() - next_);
    GatherRows(rows_, width_, order_, {next_, next_ + rows}, out);
    next_ += rows;
    return Status::OK();
  }

  Status Skip(int64_t rows) override {
    PT_CHECK(rows <= order_.rows() - next_);
    next_ += rows;
    return Status::OK();
  }

 private:
  const std::byte* rows_;
  int64_t width_;
  Permutation order_;
  int64_t next_ = 0;  // Position.
};

}  // namespace

std::unique_ptr<RowScan> ScanBytes(std::span<const std::byte> rows, int64_t width) {
  return std::make_unique<MemoryScan>(rows, width);
}

std::unique_ptr<RowVisit> VisitBytes(std::span<const std::byte> rows, int64_t width,
                                     const Permutation& order) {
  PT_CHECK(order.rows() * width == int64_t(rows.size()));
  return std::make_unique<MemoryVisit>(rows, width, order);
}

Result<std::byte*> MemoryStore::Room(int64_t rows) {
  const int64_t wanted = rows_ + rows;
  if (keyed_ && wanted > kMostSorted) {
    return Fail({.exit = Exit::kNoRoom,
                 .what = fmt::format("{} rows on one rank; the limit is {}", wanted, kMostSorted),
                 .fix = "use more workers"});
  }
  PT_TRY(GrowTo(wanted, spec_.most_rows, spec_.width, memory_));
  if (keyed_) PT_TRY(GrowTo(wanted, spec_.most_rows, sizeof(RowKey), keys_));
  return memory_.data() + rows_ * spec_.width;
}

Status MemoryStore::Add(int64_t rows) {
  if (keyed_) {
    WriteKeys(memory_.data() + rows_ * spec_.width, spec_.width,
              keys_.As<RowKey>(rows_ + rows).last(size_t(rows)));
  }
  rows_ += rows;
  return Status::OK();
}

Result<std::vector<ShardIdentity>> MemoryStore::Sort(std::span<const int64_t> ends) {
  PT_CHECK(keyed_);
  const std::span<const RowKey> keys = keys_.As<const RowKey>(rows_);
  PT_LET(const RowOrder order, RowOrder::Find(Bytes({0, rows_}), spec_.width, keys));
  // Done before rows move: keys stay where they were computed, and are freed before the move needs
  // memory.
  auto identities = AddUpKeys(keys, order, ends);
  keys_ = {};
  keyed_ = false;
  MoveRows({memory_.data(), size_t(rows_ * spec_.width)}, spec_.width, order);
  return identities;
}

std::unique_ptr<RowScan> MemoryStore::Scan(RowSpan range) const {
  return ScanBytes(Bytes(range), spec_.width);
}

Result<std::unique_ptr<RowVisit>> MemoryStore::Visit(RowSpan range,
                                                     const Permutation& order) const {
  return VisitBytes(Bytes(range), spec_.width, order);
}

void MemoryStore::Release(RowSpan range) {
  // Pages are larger than rows: one that two ranges share is returned with the second.
  const int64_t begin = range.begin == released_row_ ? released_byte_ : range.begin * spec_.width;
  released_byte_ = memory_.Release(begin, range.end * spec_.width);
  released_row_ = range.end;
}

void MemoryStore::Clear() {
  rows_ = released_row_ = released_byte_ = 0;
  keyed_ = spec_.sorts;
}

std::span<const std::byte> MemoryStore::Bytes(RowSpan range) const {
  PT_CHECK(0 <= range.begin && range.begin <= range.end && range.end <= rows_);
  return {memory_.data() + range.begin * spec_.width, size_t(range.size() * spec_.width)};
}

}  // namespace protium
