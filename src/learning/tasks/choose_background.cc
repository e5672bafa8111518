// SPDX-License-Identifier: Apache-2.0
#include "tasks/choose_background.h"

#include <algorithm>
#include <cstring>
#include <span>

#include "model/background.h"

namespace protium {
namespace {

// Copies the chosen rows among those of the shards that this rank reads; others remain 0.
Status CopyChosen(const ShardedRows& rows, bool all_here, std::span<std::byte> out) {
  const int64_t width = rows.schema().width(), chosen = int64_t(out.size()) / width;
  int32_t shard = 0;
  int64_t first = 0;  // The position of the shard's first row.
  for (int64_t i = 0; i < chosen; ++i) {
    // Positions take at most 64 * rows, far below 2^63.
    const int64_t position = i * rows.total_rows() / chosen;
    while (position >= first + rows.rows(shard)) first += rows.rows(shard++);
    if (!(all_here ? rows.holds(shard) : rows.owns(shard))) continue;
    const int64_t at = position - first;
    PT_LET(const auto row, rows.Scan(shard, {at, at + 1})->Next(1));
    std::memcpy(out.data() + i * width, row.data(), size_t(width));
  }
  return Status::OK();
}

}  // namespace

Result<std::vector<std::byte>> ChooseBackground(const ShardedRows& rows, bool all_here,
                                                Communicator& communicator) {
  const int64_t chosen = std::min(rows.total_rows(), kMostBackgroundRows);
  std::vector<std::byte> out(size_t(chosen * rows.schema().width()));
  const Status copied = CopyChosen(rows, all_here, out);
  if (all_here) {
    PT_TRY(copied);
    return out;
  }
  PT_TRY(FailTogether(copied, communicator));
  // Every row is of one rank, and 0 of all others.
  const std::span<uint8_t> bytes(reinterpret_cast<uint8_t*>(out.data()), out.size());
  PT_TRY(communicator.AllReduce(AsBuffer(bytes), Op::kSum));
  return out;
}

}  // namespace protium
