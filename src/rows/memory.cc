// SPDX-License-Identifier: Apache-2.0
#include "rows/memory.h"

#include <sys/mman.h>

#include <utility>

#include "base/fault.h"

namespace protium {
namespace {

// The size of a large page, and so the smallest step worth taking.
constexpr int64_t kStep = int64_t{2} << 20;

}  // namespace

RowMemory::~RowMemory() {
  if (data_ != nullptr) munmap(data_, size_t(capacity_));
}

RowMemory::RowMemory(RowMemory&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      capacity_(std::exchange(other.capacity_, 0)),
      released_(std::exchange(other.released_, 0)) {}

RowMemory& RowMemory::operator=(RowMemory&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(capacity_, other.capacity_);
  std::swap(released_, other.released_);
  return *this;
}

Status RowMemory::Reserve(int64_t bytes) {
  if (bytes <= capacity_) return Status::OK();
  const int64_t wanted = (bytes + kStep - 1) / kStep * kStep;
  // Address space costs nothing until it is written: no need to count it against the system now.
  void* memory = data_ == nullptr
                     ? mmap(nullptr, size_t(wanted), PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
                     : mremap(data_, size_t(capacity_), size_t(wanted), MREMAP_MAYMOVE);
  if (memory == MAP_FAILED) {
    return Fail({.exit = Exit::kNoRoom,
                 .what = "no memory for " + std::to_string(wanted) + " bytes of packed rows"});
  }
  if (bytes >= kStep) madvise(memory, size_t(wanted), MADV_HUGEPAGE);
  data_ = static_cast<std::byte*>(memory);
  capacity_ = wanted;
  return Status::OK();
}

void RowMemory::ReleaseBelow(int64_t bytes) {
  const int64_t end = bytes / kStep * kStep;
  if (end <= released_) return;
  madvise(data_ + released_, size_t(end - released_), MADV_DONTNEED);
  released_ = end;
}

}  // namespace protium
