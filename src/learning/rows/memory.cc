// SPDX-License-Identifier: Apache-2.0
#include "rows/memory.h"

#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/fault.h"

namespace protium {
namespace {

// The size of a large page, and so the smallest useful step.
constexpr int64_t kStep = int64_t{2} << 20;

}  // namespace

RowMemory::~RowMemory() { Free(); }

void RowMemory::Free() {
  if (mapped()) {
    munmap(data_, size_t(capacity_));
  } else {
    std::free(data_);
  }
}

RowMemory::RowMemory(RowMemory&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), capacity_(std::exchange(other.capacity_, 0)) {}

RowMemory& RowMemory::operator=(RowMemory&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(capacity_, other.capacity_);
  return *this;
}

Status RowMemory::Reserve(int64_t bytes) {
  if (bytes <= capacity_) return Status::OK();
  if (bytes > kSmall) return Map(bytes);
  // Aligned as mapped memory is: files are written past the cache from whole pages.
  constexpr size_t kPage = 4096;
  void* const memory = std::aligned_alloc(kPage, size_t(kSmall));
  if (memory == nullptr) return Map(bytes);
  data_ = static_cast<std::byte*>(memory);
  capacity_ = kSmall;
  return Status::OK();
}

Status RowMemory::Map(int64_t bytes) {
  const int64_t wanted = (bytes + kStep - 1) / kStep * kStep;
  // Address space costs nothing until it is written. MAP_NORESERVE prevents the kernel's heuristic
  // from refusing a reservation much larger than the rows will be.
  void* memory = mapped() ? mremap(data_, size_t(capacity_), size_t(wanted), MREMAP_MAYMOVE)
                          : mmap(nullptr, size_t(wanted), PROT_READ | PROT_WRITE,
                                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    return Fail({.exit = Exit::kNoRoom,
                 .what = "no memory for " + std::to_string(wanted) + " bytes of packed rows"});
  }
  if (!mapped() && data_ != nullptr) {
    std::memcpy(memory, data_, size_t(capacity_));
    std::free(data_);
  }
  // Rows are visited in random order: with pages of 4 KiB almost every visit would miss the TLB.
  if (bytes >= kStep) madvise(memory, size_t(wanted), MADV_HUGEPAGE);
  data_ = static_cast<std::byte*>(memory);
  capacity_ = wanted;
  return Status::OK();
}

int64_t RowMemory::Release(int64_t begin, int64_t end) {
  const int64_t first = (begin + kStep - 1) / kStep * kStep, last = end / kStep * kStep;
  if (last <= first) return begin;
  // Whole large pages only: returning a part would split one.
  madvise(data_ + first, size_t(last - first), MADV_DONTNEED);
  return last;
}

}  // namespace protium
