// SPDX-License-Identifier: Apache-2.0
// 8 bytes: 0, or 1 more than the step whose rows follow; then of each table the number of rows,
// their numbers, and the rows. The first 8 bytes are written last: what a process has stored before
// it is killed is there in this order.
#include "train/row_journal.h"

#include <atomic>
#include <cstring>
#include <string_view>

#include "base/status.h"

namespace protium {
namespace {

constexpr int64_t kHead = sizeof(int64_t);

int64_t WholeWords(int64_t bytes) { return (bytes + kHead - 1) / kHead * kHead; }

int64_t BytesOf(int64_t rows, int64_t row_bytes) {
  return kHead + rows * kHead + WholeWords(rows * row_bytes);
}

std::atomic_ref<int64_t> HeldIn(std::span<std::byte> memory) {
  return std::atomic_ref<int64_t>(*reinterpret_cast<int64_t*>(memory.data()));
}

}  // namespace

int64_t RowJournal::BytesFor(std::span<const Room> tables) {
  int64_t bytes = kHead;
  for (const Room& each : tables) bytes += BytesOf(each.rows, each.row_bytes);
  return bytes;
}

void RowJournal::Hold(int64_t step, std::span<const Rows> tables) {
  HeldIn(memory_).store(0);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  int64_t at = kHead;
  for (const Rows& each : tables) {
    const auto count = int64_t(each.rows.size());
    const int64_t row_bytes = RowBytes(each.planes);
    PT_CHECK(at + BytesOf(count, row_bytes) <= int64_t(memory_.size()));
    std::byte* const to = memory_.data() + at;
    std::memcpy(to, &count, sizeof(count));
    if (count > 0) std::memcpy(to + kHead, each.rows.data(), each.rows.size_bytes());
    PackRows(each.planes, each.rows, reinterpret_cast<char*>(to + kHead + count * kHead));
    at += BytesOf(count, row_bytes);
  }
  HeldIn(memory_).store(step + 1);
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

void RowJournal::PutBack(int64_t step, std::span<const std::vector<RowPlane>> planes) const {
  if (memory_.empty() || HeldIn(memory_).load() != step + 1) return;
  const std::byte* from = memory_.data() + kHead;
  for (const std::vector<RowPlane>& each : planes) {
    int64_t count = 0;
    std::memcpy(&count, from, sizeof(count));
    const auto* const rows = reinterpret_cast<const int64_t*>(from + kHead);
    const int64_t bytes = count * RowBytes(each);
    UnpackRows({reinterpret_cast<const char*>(rows + count), size_t(bytes)}, each,
               {rows, size_t(count)});
    from += BytesOf(count, RowBytes(each));
  }
}

}  // namespace protium
