// SPDX-License-Identifier: Apache-2.0
#include "trees/binned_rows.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/fault.h"
#include "base/units.h"
#include "os/scratch_file.h"
#include "trees/features.h"

namespace protium {
namespace {

// Offsets of columns stay aligned for words, and each begins in a line of the cache of its own.
constexpr int64_t kAlign = 64;

int64_t RoundUp(int64_t n, int64_t to) { return (n + to - 1) / to * to; }

Status NoRoom(int64_t bytes, const std::string& why) {
  return Fail({.exit = Exit::kNoRoom,
               .what = fmt::format("there is no room for the bins of trees, {}", BytesText(bytes)),
               .why = why,
               .fix = "use more workers, or fewer columns"});
}

}  // namespace

BinMemory::~BinMemory() {
  if (data_ != nullptr) munmap(data_, size_t(bytes_));
}

BinMemory::BinMemory(BinMemory&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

BinMemory& BinMemory::operator=(BinMemory&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

Result<BinMemory> BinMemory::Make(int64_t bytes, const std::filesystem::path& folder) {
  BinMemory out;
  if (bytes == 0) return out;
  void* memory = MAP_FAILED;
  if (folder.empty()) {
    memory =
        mmap(nullptr, size_t(bytes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  } else {
    PT_LET(ScratchFile file, ScratchFile::Make(folder));
    PT_TRY(file.Reserve(bytes));
    PT_LET(const UniqueFd fd, file.Share());
    memory = mmap(nullptr, size_t(bytes), PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
  }
  if (memory == MAP_FAILED) return NoRoom(bytes, SystemFault("map them", errno).message());
  // Sums visit rows of a leaf all over the memory, so large pages save much of the time.
  if (folder.empty()) madvise(memory, size_t(bytes), MADV_HUGEPAGE);
  out.data_ = static_cast<uint8_t*>(memory);
  out.bytes_ = bytes;
  return out;
}

void BinnedRows::PlaceColumns() {
  int64_t bytes = 0, offset = 0;
  for (size_t c = 0; c < bins_.size(); ++c) {
    Place place{.narrow = bins_[c].count() < 256, .offset = offset};
    if (place.narrow) {
      place.byte = bytes++;
      narrow_.push_back(int32_t(c));
    }
    offset += RoundUp(rows_ * (place.narrow ? 1 : 2), kAlign);
    place_.push_back(place);
  }
  stride_ = RoundUp(bytes, 8);
  column_bytes_ = offset;
}

void BinnedRows::BinBlock(const PackedRows& block, int64_t first) {
  std::vector<float> values(static_cast<size_t>(block.size()));
  std::vector<uint16_t> bins(values.size());
  for (int64_t c = 0; c < columns(); ++c) {
    CopyFeature(block, c, values);
    bins_[size_t(c)].BinsOf(values, bins.data());
    const Place& place = place_[size_t(c)];
    uint8_t* const column = by_column_.data() + place.offset;
    if (!place.narrow) {
      std::ranges::copy(bins, reinterpret_cast<uint16_t*>(column) + first);
      continue;
    }
    uint8_t* row = by_row_.data() + first * stride_ + place.byte;
    for (size_t i = 0; i < bins.size(); ++i, row += stride_) {
      column[size_t(first) + i] = uint8_t(bins[i]);
      *row = uint8_t(bins[i]);
    }
  }
}

Result<BinnedRows> BinnedRows::Make(const ShardedRows& rows, std::span<const ColumnBins> bins,
                                    const BinRoom& room) {
  BinnedRows out;
  out.bins_ = bins;
  out.rows_ = CountOwnRows(rows);
  out.PlaceColumns();
  const int64_t bytes = out.column_bytes_ + out.rows_ * out.stride_;
  const bool beyond = room.memory_bytes > 0 && bytes > room.memory_bytes;
  if (beyond && room.disk.empty()) {
    return NoRoom(bytes, fmt::format("{} are allowed", BytesText(room.memory_bytes)));
  }
  const std::filesystem::path folder = beyond ? room.disk : std::filesystem::path();
  out.disk_bytes_ = beyond ? bytes : 0;
  PT_LET(out.by_row_, BinMemory::Make(out.rows_ * out.stride_, folder));
  PT_LET(out.by_column_, BinMemory::Make(out.column_bytes_, folder));
  int64_t at = 0;
  PT_TRY(ForOwnRows(rows, [&](const PackedRows& block) {
    out.BinBlock(block, at);
    at += block.size();
    return Status::OK();
  }));
  return out;
}

}  // namespace protium
